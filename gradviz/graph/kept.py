"""Which values of a graph the kernel still has, and where.

Nothing is kept alive for it: nodes and tensors are known by weak references. What no variable and
no saved array holds is computed again from what is there, as checkpointing does; where even that is
impossible, the reason says so and what would help.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final
from weakref import WeakValueDictionary

from gradviz.autodiff.gradients import Store, latest
from gradviz.autodiff.node import ABSENT, GRAD, GRAD_IN_BACKWARD, NONE, Node
from gradviz.graph.answers import Origin
from gradviz.graph.build import Names, collect, unlifted
from gradviz.ops.spec import table
from gradviz.tensor.base import TENSORS, Tensor
from gradviz.tensor.general import CONSTANT, number

MOST_RECOMPUTED: Final = 4_000_000
"""Elements that are computed again for one answer, at most."""

LARGE: Final = 20_000
"""Nodes from which a graph is large: it is looked through only when somebody asks for a value."""

_SAME_VALUE: Final = frozenset({"detach", "inner", "autodiff", "set_require_grad"})
"""Ways to come about that leave the value as it is."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A value or gradient that was found, or why there is none.

    Attributes:
        array: the array, not to be changed; None where there is none.
        origin: where it was found.
        reason: why there is none, and what would help.
        changed: whether the tensor has got another value since the graph used it.
    """

    array: Any
    origin: Origin
    reason: str = ""
    changed: bool = False


@dataclass(slots=True)
class Looking:
    """What many questions in a row have in common.

    Attributes:
        saved: values that were saved for backward.
        left: elements that may still be computed again.
        results: what was computed again.
        lost: what can't be.
        least: what one operation counts for at least.
        cut_short: whether something was not computed because it would be too much.
    """

    saved: dict[int, Any]
    left: int
    results: dict[Node, Any] = field(default_factory=dict)
    lost: set[Node] = field(default_factory=set)
    least: int = 0
    cut_short: bool = False


class LiveGraph:
    """The live nodes behind a graph, as long as somebody holds them."""

    def __init__(
        self,
        roots: Sequence[Node],
        found: Names,
        constants: Mapping[int, Any] | None = None,
        *,
        large: bool = False,
    ) -> None:
        self._known: WeakValueDictionary[int, Node] = WeakValueDictionary()
        self._tensors: WeakValueDictionary[int, Tensor] = WeakValueDictionary()
        self._starts: WeakValueDictionary[int, Node] = WeakValueDictionary()
        for root in roots:
            self._starts[root.id] = root
        self._roots = tuple(dict.fromkeys(root.id for root in roots))
        self.large = large
        self._looked = False
        for at, (_, tensor) in found.items():
            self._tensors[at] = tensor
        self._constants = dict(constants or {})
        self._held: tuple[Any, ...] = ()
        self._ends: dict[int, Any] = {}
        self._store: Store | None = None
        self._at_once: Looking | None = None
        if not large:
            self._look()

    def _look(self) -> None:
        """Finds every node that feeds the roots."""
        self._looked = True
        for node in collect(self.roots()):
            self._known[node.id] = node

    @property
    def _nodes(self) -> WeakValueDictionary[int, Node]:
        # A million weak references cost a second and more: they wait until somebody asks.
        if not self._looked:
            self._look()
        return self._known

    def give(self, store: Store | None) -> None:
        """Says which gradients belong to the graph; they are kept alive with it."""
        self._store = store

    def hold(self, most: int) -> bool:
        """Keeps what the graph can show alive until `release`, where it is no more bytes."""
        if self.large or self.nbytes() > most:
            return False
        tensors = [tensor for at, tensor in self._tensors.items() if at in self._known]
        self._held = (*self._known.values(), *tensors)
        return True

    def release(self) -> None:
        """Lets go of what `hold` kept."""
        self._held = ()

    def keep_ends(self, most: int) -> None:
        """Keeps the values of roots of few elements, but neither tensors nor history."""
        for root in self.roots():
            tensor = self._tensors.get(root.id)
            recorded = root.meta.device.is_capture
            if tensor is not None and not recorded and tensor.size <= most:
                self._ends[root.id] = tensor.prim

    def nbytes(self) -> int:
        """Bytes that `hold` would keep alive, at most."""
        values = [tensor.prim for at, tensor in self._tensors.items() if at in self._nodes]
        values += saved_values(list(self._nodes.values())).values()
        return sum({id(value): int(getattr(value, "nbytes", 0)) for value in values}.values())

    @property
    def store(self) -> Store | None:
        """The gradients of the graph: those given, or of the latest backward pass still alive."""
        if self._store is not None:
            return self._store
        return latest(set(self.roots()))

    def has_run_from(self, number: int) -> bool:
        """Whether the gradients at hand are those of a backward pass from that node."""
        store = self.store
        return store is not None and store.root.id == number

    def node(self, number: int) -> Node | None:
        """The live node of that number."""
        tensor = self._tensors.get(number)
        return self._nodes.get(number) if tensor is None else tensor.node

    def nodes(self) -> list[Node]:
        """The nodes that are still alive, oldest first."""
        return sorted(self._nodes.values(), key=lambda node: node.id)

    def roots(self) -> list[Node]:
        """The roots that are still alive."""
        return [node for node in map(self._starts.get, self._roots) if node is not None]

    @contextmanager
    def at_once(self) -> Iterator[Looking]:
        """For many questions in a row, best oldest first: what each would look for is found once.

        What is computed again is kept until the end, `MOST_RECOMPUTED` elements for all of them,
        in no more operations than a graph has that isn't large.
        """
        for thing in gc.get_objects():
            node: Node | None = thing.node if type(thing) in TENSORS else None
            if node is not None and self._nodes.get(node.id) is node:
                self._tensors.setdefault(node.id, thing)
        saved = saved_values(list(self._nodes.values()))
        self._at_once = Looking(saved, MOST_RECOMPUTED, least=MOST_RECOMPUTED // LARGE)
        try:
            yield self._at_once
        finally:
            self._at_once = None

    def tensor(self, number: int, *, search: bool = True) -> Tensor | None:
        """A living tensor of a node, wherever it is held; a search looks through all objects."""
        known = self._tensors.get(number)
        if known is not None or not search or self._at_once is not None:
            return known
        node = self._nodes.get(number)
        if node is None:
            return None
        for holder in gc.get_referrers(node):
            if type(holder) in TENSORS and holder.node is node:
                self._tensors[number] = holder
                return holder  # type: ignore[no-any-return]
        return None

    # --- values ----------------------------------------------------------------------------------
    def value(self, number: int) -> Kept:
        """A node's value: of a tensor, as saved for backward, or computed again."""
        if number in self._constants:
            return Kept(self._constants[number], "constant")
        node = self._nodes.get(number)
        if number in self._ends and self._tensors.get(number) is None:
            return Kept(self._ends[number], "tensor")
        if node is None:
            return Kept(
                None,
                "none",
                "This part of the graph is no longer in memory. Keep its result in a variable and "
                "run the cell again.",
            )
        if node.meta.device.is_capture:
            return Kept(None, "none", "A recording has no values. Run it to get some.")
        tensor = self.tensor(number)
        everywhere = self._at_once
        around = saved_values(self._around(node)) if everywhere is None else everywhere.saved
        saved = around.get(number)
        if tensor is not None:
            return Kept(tensor.prim, "tensor", "", saved is not None and saved is not tensor.prim)
        if saved is not None:
            return Kept(saved, "saved")
        again = self._recomputed(node)
        if again is not None:
            return Kept(again, "recomputed")
        if node.consumed:
            reason = (
                "The backward pass freed what was saved here. Keep the tensor in a variable, or "
                "call `backward(retain_graph=True)`."
            )
        else:
            reason = "Nothing holds this value any more. Keep the tensor in a variable."
        return Kept(None, "none", reason)

    def _around(self, node: Node) -> list[Node]:
        """The nodes that may have saved a node's value: itself and what uses it."""
        return [
            other
            for other in self._nodes.values()
            if other is node or any(unlifted(parent) is node for parent in other.parents)
        ]

    def _recomputed(self, node: Node) -> Any:
        """The node's result by its own kernel, from the nearest values that are there."""
        known = self._at_once
        if known is None:
            known = Looking(saved_values(list(self._nodes.values())), MOST_RECOMPUTED)
        # An optimizer may have changed the leaves of a consumed graph since.
        stale = any(root.consumed for root in self.roots())
        results = known.results
        waiting = [node]
        while waiting:
            top = waiting[-1]
            if top in results:
                waiting.pop()
                continue
            here = known.saved.get(top.id)
            if here is None and top is not node:
                tensor = self._tensors.get(top.id)
                if tensor is not None and not (stale and top.requirement == GRAD):
                    here = tensor.prim
            if here is not None:
                results[top] = here
                continue
            passes = top.op in _SAME_VALUE
            runs = passes or table.get(top.op) is top.row
            if top in known.lost or top.consumed or not top.parents or not runs:
                here = None if top in known.lost else _constant(top)
                if here is None:
                    known.lost |= {top, node}
                    return None
                results[top] = here
                continue
            parents = [self._living(unlifted(parent)) for parent in top.parents]
            missing = [p for p in parents if p is not ABSENT and p not in results]
            if missing:
                waiting += missing
                continue
            cost = max(top.meta.size, known.least)
            if known.left < cost:
                known.cut_short = True
                known.lost |= {top, node}
                return None
            known.left -= cost
            inputs = [results.get(parent) for parent in parents]
            results[top] = inputs[0] if passes else _run(top, inputs)
        return results[node]

    def _living(self, node: Node) -> Node:
        """The node itself where only its light copy stands in a history."""
        return self._nodes.get(node.id, node)

    # --- gradients -------------------------------------------------------------------------------
    def gradient(self, number: int) -> Kept:
        """A node's gradient, from the gradients given or the latest backward pass."""
        node = self._nodes.get(number)
        if node is None:
            return Kept(None, "none", "This part of the graph is no longer in memory.")
        if node.requirement == NONE:
            return Kept(None, "none", "It is not tracked, so it has no gradient.")
        store = self.store
        if store is None:
            return Kept(
                None,
                "none",
                "No gradients are at hand. Write `grads = loss.backward()`, then "
                "`gv.explore(loss, grads=grads)`.",
            )
        value = store.values.get(node)
        if value is not None:
            return Kept(value.prim if isinstance(value, Tensor) else value, "gradient")
        if node.requirement == GRAD:
            return Kept(
                None,
                "none",
                "The backward pass gave it none: `gv.why(x, loss)` says where the path ends.",
            )
        return Kept(
            None,
            "none",
            "The gradient of an intermediate is passed on and freed. Call `retain_grad()` on it "
            "before `backward`, or watch the pass with `gv.trace_backward`.",
        )


def _constant(node: Node) -> Any:
    """The value of a number that stood in an operation."""
    if node.op != CONSTANT.name or not node.attrs:
        return None
    made = number(node.meta, node.attrs[0])
    return None if made is None else made.prim


def _run(node: Node, inputs: list[Any]) -> Any:
    arguments = inputs
    row = node.row
    if row.variadic:
        fixed = len(row.inputs) - 1
        arguments = [*inputs[:fixed], inputs[fixed:]]
    outcome = getattr(node.meta.device.backend.namespace, row.name)(*arguments, *node.attrs)
    return outcome[0] if row.several else outcome


def saved_values(members: list[Node]) -> dict[int, Any]:
    """Values that nodes saved for backward, by the number of the node they are the value of."""
    values: dict[int, Any] = {}
    for node in members:
        if node.requirement != GRAD_IN_BACKWARD or node.consumed or node.saved is None:
            continue
        device = node.meta.device
        if device.is_capture or not hasattr(node.step, "saved"):
            continue
        inputs = node.row.input_names()
        names: tuple[str, ...] = node.step.saved
        if device.checkpointing == "balanced" and node.row.memory_bound:
            if node.row.variadic:
                continue
            names = inputs
        kept = node.saved if isinstance(node.saved, tuple) else (node.saved,)
        for name, value in zip(names, kept, strict=False):
            if not hasattr(value, "dtype"):
                continue
            if name == "out":
                values[node.id] = value
            elif name in inputs and inputs.index(name) < len(node.parents):
                values[unlifted(node.parents[inputs.index(name)]).id] = value
    return values
