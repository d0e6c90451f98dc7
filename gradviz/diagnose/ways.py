"""Ways through a history, worked out for all leaves at once: one walk, not one for every leaf."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

from gradviz.autodiff.cuts import CUTS, cut_of, fed_by, used_before_mark
from gradviz.autodiff.node import GRAD, GRAD_IN_BACKWARD, Node
from gradviz.graph.build import unlifted

MOVED = frozenset({"autodiff", "to", "detach", "inner", "set_require_grad"})
"""Ways to come by a tensor that is another one's value and meant to be a leaf of its own."""


def is_marked_result(node: Node) -> bool:
    """Whether a leaf was computed before it was marked: its mark hides what is behind it."""
    return node.requirement == GRAD and bool(node.parents) and node.row.name not in MOVED


def kind_of_cut(node: Node) -> str:
    """Why tracking ends at a node; a tracked one has used a leaf before it was marked."""
    return cut_of(node) or "marked-after-use"


class Ways:
    """What lies between the leaves of a history and its roots.

    Args:
        history: the nodes by id, oldest first.
        roots: the nodes that gradients start from.
    """

    def __init__(self, history: dict[int, Node], roots: list[Node]) -> None:
        self.history = history
        self.roots = roots

    @cached_property
    def used(self) -> set[int]:
        """Ids of everything that takes part in the history, inputs that were lifted included."""
        found = set(self.history)
        for node in self.history.values():
            found.update(parent.id for parent in node.parents)
        return found

    @cached_property
    def _cuts(self) -> dict[int, int]:
        """For every place where a way ends, the id of the node at which it ends."""
        found: dict[int, int] = {}
        for number, node in self.history.items():
            if cut_of(node) is not None:
                found[number] = number
            for late in used_before_mark(node):
                found[late.id] = min(found.get(late.id, number), number)
        return found

    @cached_property
    def _first_cuts(self) -> dict[int, int]:
        return self._spread(self._cuts)

    @cached_property
    def _first_mistakes(self) -> dict[int, int]:
        """As `_first_cuts`, of those cuts alone that nobody makes on purpose."""
        mistakes = ("no_grad", "marked-after-use")
        return self._spread(
            {
                at: number
                for at, number in self._cuts.items()
                if kind_of_cut(self.history[number]) in mistakes
            }
        )

    def first_cut(self, leaf: Node) -> Node | None:
        """The oldest node computed from a leaf at which tracking ends.

        Choices and comparisons come last: an index never carries a gradient, and where values are
        cut as well, it is their way that was meant to.
        """
        number = self._first_value_cuts.get(leaf.id)
        if number is None:
            number = self._first_cuts.get(leaf.id)
        return None if number is None else self.history[number]

    @cached_property
    def _first_value_cuts(self) -> dict[int, int]:
        """As `_first_cuts`, of the cuts at the ends of ways that carried values."""
        found: dict[int, int] = {}
        for number in reversed(self.history):
            node = self.history[number]
            ends = cut_of(node) is not None
            value = number if ends else found.get(number)
            chosen = ends and not node.row.differentiable and node.op not in CUTS
            if value is None or chosen or number in self._straight_through:
                continue
            for parent in _lifted_too(node):
                if found.get(parent.id, value) >= value:
                    found[parent.id] = value
        for at, number in self._cuts.items():
            if cut_of(self.history[number]) is None:  # a tracked use before the mark
                found[at] = min(found.get(at, number), number)
        return found

    @cached_property
    def _straight_through(self) -> set[int]:
        """Cuts of `x + (hard - x).detach()`, which hands the gradient to `x` on purpose."""
        found: set[int] = set()
        for node in self.history.values():
            if node.op not in ("add", "sub"):
                continue
            for cut, other in (node.parents, node.parents[::-1]):
                difference = cut.parents[0] if cut.op in CUTS and cut.parents else None
                if difference is None or difference.op != "sub":
                    continue
                if any(parent.id == other.id for parent in difference.parents):
                    found.add(cut.id)
        return found

    def first_mistake(self, leaf: Node) -> Node | None:
        """The oldest node computed from a leaf that ran in `no_grad`, or before the leaf's mark."""
        number = self._first_mistakes.get(leaf.id)
        return None if number is None else self.history[number]

    @cached_property
    def _marked_results(self) -> dict[int, int]:
        start = {n: n for n, node in self.history.items() if is_marked_result(node)}
        return self._spread(start)

    def leads_to_marked_result(self, leaf: Node) -> bool:
        """Whether a result that was computed from a leaf was marked itself."""
        return leaf.id in self._marked_results

    @cached_property
    def _open(self) -> tuple[set[int], list[Node]]:
        """What gradients reach without passing a flat operation, and the flat ones met first."""
        found = list(self.roots)
        seen = {node.id for node in found}
        walls: list[Node] = []
        free: set[int] = set()
        for node in found:
            free.add(node.id)
            if node.requirement == GRAD_IN_BACKWARD and getattr(node.row, "zero_gradient", False):
                walls.append(node)
                continue
            for parent in fed_by(node):
                if parent.id not in seen:
                    seen.add(parent.id)
                    found.append(parent)
        return free, walls

    @cached_property
    def _walls_before(self) -> dict[int, int]:
        """For every node behind a flat operation, which of those met first it is behind."""
        return self._spread({wall.id: at for at, wall in enumerate(self._open[1])})

    def wall_before(self, leaf: Node) -> Node | None:
        """The flat operation that a leaf is behind, where no way to it avoids all of them."""
        free, walls = self._open
        if not walls or leaf.id in free:
            return None
        at = self._walls_before.get(leaf.id)
        return None if at is None else walls[at]

    def _spread(self, start: Mapping[int, int]) -> dict[int, int]:
        """Hands numbers back to everything their nodes were computed from, the smallest first."""
        found = dict(start)
        if not found:
            return found
        # Newest first: a node has its number before its inputs are looked at.
        for number in reversed(self.history):
            value = found.get(number)
            if value is not None:
                for parent in _lifted_too(self.history[number]):
                    if found.get(parent.id, value) >= value:
                        found[parent.id] = value
        return found


def _lifted_too(node: Node) -> Iterator[Node]:
    """The inputs of a node; of one that was lifted on the way, the tensor behind it as well."""
    for parent in node.parents:
        yield parent
        plain = unlifted(parent)
        if plain is not parent:
            yield plain


def ancestors(node: Node) -> set[int]:
    """Ids of everything a node was computed from, itself included."""
    found = [node]
    seen = {node.id}
    for member in found:
        for parent in _lifted_too(member):
            if parent.id not in seen:
                seen.add(parent.id)
                found.append(parent)
    return seen
