"""Graphs of live tensors and of captured programs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Final

from gradviz.autodiff.cuts import cut_of, fed_by
from gradviz.autodiff.node import ABSENT, GRAD, GRAD_IN_BACKWARD, REQUIREMENT_NAMES, Node
from gradviz.capture.captured import CapturedGraph
from gradviz.core.context import Scope
from gradviz.core.source import SourceSpan
from gradviz.graph.graph import Graph, GraphEdge, GraphGroup, GraphNode
from gradviz.graph.model import Role
from gradviz.ops.spec import table
from gradviz.tensor.base import Tensor
from gradviz.tensor.formatting import one_line, preview
from gradviz.tensor.general import LIFT

Names = Mapping[int, tuple[str, Tensor]]

MOST_PREVIEWED: Final = 5_000
"""Nodes of a graph up to which values of results are previewed; beyond, a view asks for them."""


def collect(roots: list[Node]) -> list[Node]:
    """Every node that feeds the roots, oldest first; a live node stands for its ghosts."""
    found: dict[int, Node] = {}
    queue = list(roots)
    while queue:
        node = queue.pop()
        known = found.get(node.id)
        if known is not None and (known is node or not _is_ghost(known)):
            continue
        found[node.id] = node
        queue.extend(feeding(node))
    return [found[number] for number in sorted(found)]


def feeding(node: Node) -> list[Node]:
    """A node's inputs, with constants that were lifted on the way standing for themselves."""
    return [parent for parent in map(unlifted, node.parents) if parent is not ABSENT]


def unlifted(node: Node) -> Node:
    """The plain tensor behind one that an operation lifted by itself."""
    while node.step is LIFT and node.parents:
        node = node.parents[0]
    return node


def _is_ghost(node: Node) -> bool:
    return node.extra is not None and node.extra.is_ghost


def from_nodes(
    roots: list[Node],
    names: Names,
    parameters: set[int],
    title: str,
    verdicts: Callable[[list[Node]], Callable[[Node], Any]],
) -> Graph:
    """The graph of live nodes.

    Args:
        roots: the nodes asked about.
        names: names and tensors by node id, as found in the user's namespaces.
        parameters: ids of nodes that are module parameters.
        title: a heading.
        verdicts: from all nodes, what gives the verdict of one.
    """
    members = collect(roots)
    verdict_of = verdicts(members)
    root_ids = {node.id for node in roots}
    values = _saved_values(members) if len(members) <= MOST_PREVIEWED else {}
    inline = {node.id for node in members if node.op == "constant" and node.id not in root_ids}
    groups, places = _Groups(), _Places()
    nodes, edges = [], []
    for node in members:
        if node.id in inline:
            continue
        nodes.append(
            _view(node, names, parameters, root_ids, values, groups, places, inline, verdict_of)
        )
        fed = {parent.id for parent in fed_by(node)}
        for slot, parent in zip(_slots(node), map(unlifted, node.parents), strict=True):
            if parent is not ABSENT and parent.id not in inline:
                tracked = parent.id in fed
                edges.append(GraphEdge(parent.id, node.id, slot, tracked))
    return Graph(tuple(nodes), tuple(edges), groups.views(), tuple(n.id for n in roots), title)


def _view(
    node: Node,
    names: Names,
    parameters: set[int],
    roots: set[int],
    values: Mapping[int, Any],
    groups: _Groups,
    places: _Places,
    inline: set[int],
    verdict_of: Callable[[Node], Any],
) -> GraphNode:
    meta = node.meta
    named = names.get(node.id)
    tensor = named[1] if named is not None else None
    value = preview(tensor) if tensor is not None else _preview(values.get(node.id))
    return GraphNode(
        id=node.id,
        op=node.op,
        name=node.name or (named[0] if named is not None else None) or None,
        kind=str(meta.device.kind),
        requirement=REQUIREMENT_NAMES[node.requirement],
        is_leaf=node.requirement != GRAD_IN_BACKWARD,
        role=_role(node, parameters, roots),
        shape=meta.shape,
        dtype=meta.dtype_name,
        device=str(meta.device),
        attributes=_attributes(node, inline),
        group=groups.of(node.context.scope),
        source=places.of(node),
        value=value,
        consumed=node.consumed,
        cut=cut_of(node),
        verdict=verdict_of(node),
    )


def _preview(value: Any) -> str | None:
    if value is None:
        return None
    from gradviz.backends.capture.deferred import Deferred
    from gradviz.backends.ndarray import text

    if isinstance(value, Deferred):
        return None  # looking makes no contents
    return text.short(value, 60) if hasattr(value, "ndim") else None


def _role(node: Node, parameters: set[int], roots: set[int]) -> Role:
    if node.id in parameters or node.op == "parameter":
        return "parameter"
    if node.id in roots and (node.parents or node.requirement == GRAD_IN_BACKWARD):
        return "output"
    if node.requirement == GRAD:
        return "leaf"
    if node.row.name in table or node.parents:
        return "operation"
    return "input" if node.op == "input" or node.meta.shape else "constant"


def _attributes(node: Node, inline: set[int]) -> dict[str, str]:
    found: dict[str, str] = {}
    row = table.get(node.op)
    if row is not None:
        for attr, value in zip(row.attrs, node.attrs, strict=False):
            found[attr.name] = one_line(value)
    if inline:
        for slot, parent in zip(_slots(node), map(unlifted, node.parents), strict=True):
            if parent.id in inline and parent.attrs:
                found[slot] = one_line(parent.attrs[0])
    return found


def _slots(node: Node) -> list[str]:
    """The argument names of a node's parents."""
    return _slots_of(node.op, len(node.parents))


@lru_cache(maxsize=1024)
def _slots_of(op: str, count: int) -> list[str]:
    row = table.get(op)
    if row is None:
        return ["input"] * count if count == 1 else [f"input {at}" for at in range(count)]
    names = list(row.input_names())
    if row.variadic:
        fixed, last = names[:-1], names[-1]
        return fixed + [f"{last}[{at}]" for at in range(count - len(fixed))]
    return names[:count]


def _saved_values(members: list[Node]) -> dict[int, Any]:
    """Values of intermediates that their consumers saved for backward."""
    values: dict[int, Any] = {}
    for node in members:
        names = getattr(node.step, "saved", None)
        if node.requirement != GRAD_IN_BACKWARD or not names or node.consumed or node.saved is None:
            continue
        if node.meta.device.checkpointing == "balanced" or node.meta.device.is_capture:
            continue
        kept = (node.saved,) if len(names) == 1 else node.saved
        inputs = node.row.input_names()
        for name, value in zip(names, kept, strict=True):
            if name == "out":
                values[node.id] = value
            elif name in inputs and inputs.index(name) < len(node.parents):
                values[unlifted(node.parents[inputs.index(name)]).id] = value
    return values


class _Places:
    """Source positions met so far: a loop makes thousands of nodes at one place."""

    def __init__(self) -> None:
        self._found: dict[tuple[int, int, int, int], SourceSpan | None] = {}

    def of(self, node: Node) -> SourceSpan | None:
        """The expression that made a node."""
        context = node.context
        key = (id(node.code), node.lasti, id(context.code), context.lasti)
        if key not in self._found:
            self._found[key] = node.source
        return self._found[key]


class _Groups:
    """Scopes met so far, as groups."""

    def __init__(self) -> None:
        self._found: dict[int, GraphGroup] = {}

    def of(self, scope: Scope | None) -> str | None:
        """The id of a scope's group, its parents' groups made along with it."""
        made: list[Scope] = []
        while scope is not None and scope.serial not in self._found:
            made.append(scope)
            scope = scope.parent
        parent = None if scope is None else self._found[scope.serial].id
        for item in reversed(made):
            group = GraphGroup(f"g{item.serial}", item.label, item.kind, parent)
            self._found[item.serial] = group
            parent = group.id
        return parent

    def views(self) -> tuple[GraphGroup, ...]:
        """All groups, outer ones first."""
        return tuple(self._found[serial] for serial in sorted(self._found))


def from_captured(captured: CapturedGraph) -> Graph:
    """The graph of a captured program."""
    ir = captured.graph
    groups = _Groups()
    edges: list[GraphEdge] = []
    made_by = {number: op for op in ir.operations for number in op.outputs}
    nodes = []
    for number, tensor in sorted(ir.tensors.items()):
        operation = made_by.get(number)
        place = operation.place if operation is not None else None
        role: Role = (
            "output"
            if number in ir.outputs
            else "operation"
            if operation is not None
            else "input"
            if number in ir.inputs
            else "parameter"
        )
        value = ir.constants.get(number)
        nodes.append(
            GraphNode(
                id=number,
                op="input"
                if operation is None and role == "input"
                else "constant"
                if operation is None
                else operation.op,
                name=tensor.name,
                kind="Capture",
                requirement="none",
                is_leaf=True,
                role=role,
                shape=tensor.shape,
                dtype=tensor.dtype,
                device="capture",
                attributes={}
                if operation is None
                else {k: one_line(v) for k, v in operation.attributes},
                group=groups.of(place[2].scope) if place is not None else None,
                source=None if operation is None else operation.source,
                value=_preview(value),
                consumed=False,
                cut=None,
            )
        )
    for operation in ir.operations:
        row = table[operation.op]
        names = list(row.input_names())
        for at, number in enumerate(operation.inputs):
            slot = names[at] if at < len(names) and not row.variadic else f"{names[-1]}[{at}]"
            if number >= 0:
                edges += [GraphEdge(number, out, slot, False) for out in operation.outputs]
    return Graph(
        tuple(nodes),
        tuple(edges),
        groups.views(),
        tuple(ir.outputs),
        "captured program",
        captured=captured,
    )
