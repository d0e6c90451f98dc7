"""Graphs of live tensors: one pass over their nodes fills the columns."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from operator import attrgetter
from types import CodeType
from typing import Any, Final
from weakref import ref

from gradviz.autodiff.cuts import cut_of
from gradviz.autodiff.node import GRAD, GRAD_IN_BACKWARD, REQUIREMENT_NAMES, Node, PairNode, Spent
from gradviz.core.context import Context, origin
from gradviz.core.source import is_internal, span
from gradviz.graph.build import Names, unlifted
from gradviz.graph.graph import MOST_OBJECTS, Graph
from gradviz.graph.model import Role
from gradviz.graph.record import GraphNode
from gradviz.graph.regroup import regrouped
from gradviz.graph.rows import Spot
from gradviz.graph.scopes import Scopes
from gradviz.graph.table import Table
from gradviz.graph.wiring import Wirings, fed_among
from gradviz.ops.spec import table as rows
from gradviz.tensor.formatting import one_line, preview
from gradviz.tensor.general import LIFT


def from_nodes(
    roots: list[Node],
    members: list[Node],
    names: Names,
    parameters: set[int],
    title: str,
    verdict_of: Callable[[Node], Any],
) -> Graph:
    """The graph of live nodes.

    Args:
        roots: the nodes asked about.
        members: every node that feeds them, as `collect` finds them.
        names: names and tensors by node id, as found in the user's namespaces.
        parameters: ids of nodes that are module parameters.
        title: a heading.
        verdict_of: what gives the verdict of a node, now or later; it keeps no node alive.
    """
    gathering = _Gathering({node.id for node in roots}, parameters, verdict_of)
    gathering.gather(members)
    regrouped(gathering.table, gathering.groups.groups, gathering.spots, gathering.sites)
    gathering.name(names)
    if len(members) <= MOST_OBJECTS:
        gathering.preview(members)
    return Graph.of(gathering.table, tuple(node.id for node in roots), title)


_STEP: Final = attrgetter("step")


class _Gathering:
    """Fills a table in one pass over live nodes."""

    def __init__(
        self, roots: set[int], parameters: set[int], verdict_of: Callable[[Node], Any]
    ) -> None:
        self.roots = roots
        self.parameters = parameters
        self.verdict_of = verdict_of
        self.table = Table()
        self.groups = Scopes()
        self.looks: dict[object, int] = {}
        self.places: dict[tuple[int, int, int], dict[int, int]] = {}
        self.spots: list[Spot] = [Spot(None, -1, False)]
        self.sites: dict[int, tuple[CodeType | None, int]] = {}
        self.wirings = Wirings()

    def gather(self, members: list[Node]) -> None:
        """Every node but numbers that stand in operations; the one loop that must be quick."""
        table = self.table
        numbers = {step for step in set(map(_STEP, members)) if step.row.name == "constant"}
        inline = {
            node.id: one_line(node.attrs[0]) if node.attrs else None
            for node in (members if numbers else ())
            if node.step in numbers and node.id not in self.roots
        }
        shown = [node for node in members if node.id not in inline] if inline else members
        table.ids = [node.id for node in shown]
        position = dict(zip(table.ids, range(len(shown)), strict=True))
        special, group_column = self.roots | self.parameters, list[int]()
        looks, places = self.looks, dict[int, int]()
        add_look, add_place, add_group = (
            column.append for column in (table.look, table.place, group_column)
        )
        add_source, add_slot = table.source.append, table.slot.append
        add_tracked, add_first = table.tracked.append, table.first.append
        count, group = 0, 0
        context: Context | None = None
        code: CodeType | None = None
        wirings, sites = self.wirings.known, self.sites
        all_places, group_of = self.places, self.groups.of
        for at, node in enumerate(shown):
            if node.context is not context or node.code is not code:
                if node.context is not context:
                    context = node.context
                    scope = context.scope
                    group = group_of(scope) if scope is not None else 0
                code = node.code
                site = (id(code), id(context.code), context.lasti)
                known = all_places.get(site)
                if known is None:
                    known = all_places[site] = {}
                places = known
                if (
                    group
                    and group not in sites
                    and code is not None
                    and not is_internal(code.co_filename)
                ):
                    # The user's own code in a module: it was called from where the context says.
                    sites[group] = (context.code, context.lasti)
            place = places.get(node.lasti)
            add_place(self.new_place(node, places) if place is None else place)
            add_group(group)
            add_first(count)
            extra = node.extra
            if extra is not None and extra.name:
                table.names[at] = extra.name
            step, requirement = node.step, node.requirement
            written: tuple[str, ...] = ()
            parents: tuple[Node, ...]
            plain = False
            if node.__class__ is PairNode:
                one, other = node.first, node.second
                if other is None:
                    parents = (one,)
                else:
                    parents = (one, other)
                    here, there = position.get(one.id), position.get(other.id)
                    wiring = wirings.get(step)
                    if (
                        requirement == 2
                        and here is not None
                        and there is not None
                        and wiring is not None
                        and wiring.fed is not None
                        and len(wiring.slots) == 2
                    ):
                        # As of most nodes: both inputs are nodes of the graph.
                        plain = True
                        if (one.requirement == 2 or one.extra is None) and (
                            other.requirement == 2 or other.extra is None
                        ):
                            add_tracked(one.requirement != 0)
                            add_tracked(other.requirement != 0)
                        else:
                            add_tracked(wiring.fed[0])
                            add_tracked(wiring.fed[1])
                        add_source(here)
                        add_source(there)
                        add_slot(wiring.slots[0])
                        add_slot(wiring.slots[1])
                        count += 2
            else:
                parents = node.parents
            if parents and not plain:
                wiring = wirings.get(step)
                if wiring is None or len(wiring.slots) != len(parents):
                    wiring = self.wirings.new(node)
                fed: Sequence[bool] | None = None
                for parent in parents:
                    if parent.requirement != 2 and (
                        parent.extra is not None or parent.step is LIFT
                    ):
                        fed = wiring.fed or fed_among(node)
                        break
                for number, given in enumerate(parents):
                    parent = unlifted(given) if given.step is LIFT else given
                    source = position.get(parent.id)
                    if source is None:
                        text = inline.get(parent.id)
                        if text is not None:
                            written += (wiring.names[number], text)
                        continue
                    add_source(source)
                    add_slot(wiring.slots[number])
                    if fed is None:
                        add_tracked(requirement == 2 and parent.requirement != 0)
                    else:
                        add_tracked(parent is given and fed[number])
                    count += 1
            key: tuple[object, ...] = (step, node.meta, node.saved.__class__ is Spent)
            if requirement != 2 or node.attrs or written or node.id in special:
                role = _role(node, self.parameters, self.roots) if node.id in special else None
                facts = repr(node.attrs) if node.attrs else ""
                key = (*key, requirement, cut_of(node), role, facts, written, not parents)
            look = looks.get(key)
            add_look(self.new_look(key, node, written) if look is None else look)
        add_first(count)
        table.group, table.ids = array("q", group_column), array("q", table.ids)
        table.look, table.place = array("q", table.look), array("q", table.place)
        table.first, table.source = array("q", table.first), array("q", table.source)
        table.slot = array("q", table.slot)
        table.slots = list(self.wirings.slots)
        table.groups = self.groups.groups
        table.verdict_of = _Verdicts(table, shown, self.verdict_of)

    def new_look(self, key: object, node: Node, written: tuple[str, ...]) -> int:
        """What a node and others like it have in common."""
        meta = node.meta
        attributes = _attributes(node)
        attributes.update(zip(written[::2], written[1::2], strict=True))
        self.table.looks.append(
            GraphNode(
                id=0,
                op=node.op,
                name=None,
                kind=str(meta.device.kind),
                requirement=REQUIREMENT_NAMES[node.requirement],
                is_leaf=node.requirement != GRAD_IN_BACKWARD,
                role=_role(node, self.parameters, self.roots),
                shape=meta.shape,
                dtype=meta.dtype_name,
                device=str(meta.device),
                attributes=attributes,
                group=None,
                source=None,
                value=None,
                consumed=node.consumed,
                cut=cut_of(node),
                verdict=self.verdict_of(node),
            )
        )
        number = self.looks[key] = len(self.looks)
        return number

    def new_place(self, node: Node, places: dict[int, int]) -> int:
        """A source position met for the first time: a loop makes thousands of nodes at one."""
        code, at = origin(node.code, node.lasti, node.context)
        self.table.places.append(span(code, at))
        self.spots.append(Spot(code, at, code is node.code))
        number = places[node.lasti] = len(self.table.places) - 1
        return number

    def name(self, names: Names) -> None:
        """What the user calls the nodes, and previews of the values of tensors at hand."""
        table = self.table
        for number, (label, tensor) in names.items():
            at = table.position.get(number)
            if at is not None:
                if label:
                    table.names.setdefault(at, label)
                value = preview(tensor)
                if value is not None:
                    table.values[at] = value

    def preview(self, members: list[Node]) -> None:
        """Values of intermediates that their consumers saved for backward."""
        for number, value in _saved_values(members).items():
            at = self.table.position.get(number)
            shown = None if at is None or at in self.table.values else shown_value(value)
            if at is not None and shown is not None:
                self.table.values[at] = shown


class _Verdicts:
    """Verdicts of nodes when somebody asks; of nodes that are gone, that of their look."""

    def __init__(self, table: Table, nodes: list[Node], verdict_of: Callable[[Node], Any]) -> None:
        self._table = table
        self._nodes = list(map(ref, nodes))
        self._verdict_of = verdict_of

    def __call__(self, at: int) -> Any:
        node = self._nodes[at]()
        if node is None or REQUIREMENT_NAMES[node.requirement] != self._table.requirement(at):
            return None
        return self._verdict_of(node)


def shown_value(value: Any) -> str | None:
    """A saved value in a few words; None where there is none to read."""
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
    if node.row.name in rows or node.parents:
        return "operation"
    return "input" if node.op == "input" or node.meta.shape else "constant"


def _attributes(node: Node) -> dict[str, str]:
    row = rows.get(node.op)
    if row is None:
        return {}
    pairs = zip(row.attrs, node.attrs, strict=False)
    return {attr.name: one_line(value) for attr, value in pairs}


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
