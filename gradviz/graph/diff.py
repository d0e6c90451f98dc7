"""What changed from one graph to another: nodes added, removed, and changed in kind, shape or fate.

Numbers of nodes grow with time, so two runs of the same code share none. Nodes are matched by what
they are (operation, name, groups around them) in the order they were made.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final, Literal

from gradviz.errors.printable import printable
from gradviz.graph.answers import ChangeView, DifferenceView
from gradviz.graph.graph import Graph, GraphNode
from gradviz.graph.model import NAMED
from gradviz.graph.view import node_key

MOST_ALIGNED: Final = 1500
"""Nodes that are aligned as texts are compared; of more, equal ones are paired in order."""

_NAMED: Final = frozenset({"parameter", "leaf", "input"})

MOST_EDITS: Final = 300
"""Nodes left out of the shortest alignment, at most; where more are, a coarser one will do."""

Kind = Literal["added", "removed", "changed"]


@dataclass(frozen=True, slots=True)
class Change:
    """One difference.

    Attributes:
        kind: whether the node is new, gone, or both are there and differ.
        before: the node in the first graph, or None.
        after: the node in the second graph, or None.
        facts: what differs, as `(fact, before, after)`.
    """

    kind: Kind
    before: GraphNode | None
    after: GraphNode | None
    facts: tuple[tuple[str, str, str], ...] = ()

    @property
    def label(self) -> str:
        """What the node is called."""
        node = self.after or self.before
        return "" if node is None else node.label

    def __str__(self) -> str:
        sign = {"added": "+", "removed": "-", "changed": "~"}[self.kind]
        said = "; ".join(
            f"{name}: {old or 'none'} -> {new or 'none'}" for name, old, new in self.facts
        )
        return printable(f"{sign} {self.label}{' (' + said + ')' if said else ''}", 400)


@dataclass(frozen=True, slots=True)
class Difference:
    """What changed from one graph to another.

    Attributes:
        before: the first graph.
        after: the second graph.
        pairs: numbers of the nodes that are in both, by their number in the first.
        changes: the differences, in the order of the second graph, what is gone at its place.
    """

    before: Graph
    after: Graph
    pairs: dict[int, int]
    changes: tuple[Change, ...]

    def __bool__(self) -> bool:
        return bool(self.changes)

    def __iter__(self) -> Iterator[Change]:
        return iter(self.changes)

    def __str__(self) -> str:
        if not self.changes:
            return f"no difference: {len(self.pairs)} nodes are the same"
        return "\n".join(map(str, self.changes))


def difference(before: Graph, after: Graph) -> Difference:
    """What changed from one graph to another.

    Args:
        before: the graph of an earlier run.
        after: the graph of a later one.

    Returns:
        The changes; they print as a short list.

    Example:
        >>> import gradviz as gv
        >>> x = gv.tensor([1.0, 2.0], requires_grad=True)
        >>> print(gv.difference(gv.graph(x * 2.0), gv.graph((x * 2.0).exp())))
        ~ mul (role: output -> operation)
        + exp
    """
    pairs: dict[int, int] = {}
    if before.table.is_like(after.table):
        pairs.update(zip(before.table.ids, after.table.ids, strict=True))
        return Difference(before, after, pairs, ())
    old, new = before.nodes, after.nodes
    exact = _Keys(before, after)
    for first, second in _aligned(old, new, exact.of_before, exact.of_after):
        pairs[first.id] = second.id
    # What was renamed or moved is still the same operation at the same place.
    rest_old = [node for node in old if node.id not in pairs]
    taken = set(pairs.values())
    rest_new = [node for node in new if node.id not in taken]
    places = {number: at for at, number in enumerate(pairs)}
    gaps_old, gaps_new = _gaps(old, places), _gaps(new, {pairs[n]: at for n, at in places.items()})
    for first, second in _aligned(
        rest_old,
        rest_new,
        lambda node: (node.op, gaps_old[node.id]),
        lambda node: (node.op, gaps_new[node.id]),
    ):
        pairs[first.id] = second.id
    return Difference(before, after, pairs, tuple(_changes(before, after, pairs)))


class _Keys:
    """What tells nodes apart: operation, name, and the scopes and modules around them."""

    def __init__(self, before: Graph, after: Graph) -> None:
        self._before, self._after = _paths(before), _paths(after)

    def of_before(self, node: GraphNode) -> Hashable:
        """The key of a node of the first graph."""
        return node.op, node.name, self._before.get(node.group or "", ())

    def of_after(self, node: GraphNode) -> Hashable:
        """The key of a node of the second graph."""
        return node.op, node.name, self._after.get(node.group or "", ())


def _paths(graph: Graph) -> dict[str, tuple[str, ...]]:
    paths: dict[str, tuple[str, ...]] = {}
    for group in graph.groups:  # outer ones come first
        own = (group.label,) if group.kind in NAMED else ()  # an iteration more moves nothing
        paths[group.id] = (*paths.get(group.parent or "", ()), *own)
    return paths


def _gaps(nodes: Sequence[GraphNode], places: dict[int, int]) -> dict[int, int]:
    """Behind which matched node each node stands."""
    found: dict[int, int] = {}
    here = -1
    for node in nodes:
        here = places.get(node.id, here)
        found[node.id] = here
    return found


Key = Callable[[GraphNode], Hashable]


def _aligned(
    old: Sequence[GraphNode], new: Sequence[GraphNode], old_key: Key, new_key: Key
) -> Iterator[tuple[GraphNode, GraphNode]]:
    first, second = [old_key(node) for node in old], [new_key(node) for node in new]
    start = 0
    while start < min(len(first), len(second)) and first[start] == second[start]:
        yield old[start], new[start]
        start += 1
    end = 0
    while end < min(len(first), len(second)) - start and first[-1 - end] == second[-1 - end]:
        yield old[-1 - end], new[-1 - end]
        end += 1
    first, second = first[start : len(first) - end], second[start : len(second) - end]
    shortest = _shortest(first, second)
    if shortest is not None:
        for one, other in shortest:
            yield old[start + one], new[start + other]
        return
    if max(len(first), len(second)) > MOST_ALIGNED:
        waiting: dict[Hashable, list[int]] = {}
        for at, key in enumerate(second):
            waiting.setdefault(key, []).append(at)
        for places in waiting.values():
            places.reverse()
        for at, key in enumerate(first):
            if waiting.get(key):
                yield old[start + at], new[start + waiting[key].pop()]
        return
    for block in SequenceMatcher(None, first, second, autojunk=False).get_matching_blocks():
        for at in range(block.size):
            yield old[start + block.a + at], new[start + block.b + at]


def _shortest(first: list[Hashable], second: list[Hashable]) -> list[tuple[int, int]] | None:
    """The pairs that leave the fewest out (Myers' greedy walk); None where many are left out."""
    furthest = {1: 0}
    trail: list[dict[int, int]] = []
    for cost in range(min(len(first) + len(second), MOST_EDITS) + 1):
        trail.append(dict(furthest))
        for lane in range(-cost, cost + 1, 2):
            down = lane == -cost or (
                lane != cost and furthest.get(lane - 1, -1) < furthest.get(lane + 1, -1)
            )
            x = furthest[lane + 1] if down else furthest[lane - 1] + 1
            while x < len(first) and x - lane < len(second) and first[x] == second[x - lane]:
                x += 1
            furthest[lane] = x
            if x >= len(first) and x - lane >= len(second):
                return _walked(trail, len(first), len(second))
    return None


def _walked(trail: list[dict[int, int]], x: int, y: int) -> list[tuple[int, int]]:
    """The diagonal moves of the walk, backwards from its end."""
    pairs: list[tuple[int, int]] = []
    for cost in range(len(trail) - 1, -1, -1):
        furthest, lane = trail[cost], x - y
        down = lane == -cost or (
            lane != cost and furthest.get(lane - 1, -1) < furthest.get(lane + 1, -1)
        )
        came = lane + 1 if down else lane - 1
        start = furthest.get(came, 0)
        before = (start, start - came)
        while x > max(before[0], 0) and y > max(before[1], 0):
            x, y = x - 1, y - 1
            pairs.append((x, y))
        x, y = before
    return pairs


def _changes(before: Graph, after: Graph, pairs: dict[int, int]) -> Iterator[Change]:
    back = {new: old for old, new in pairs.items()}
    inputs_before, inputs_after = _inputs(before), _inputs(after)
    gone = [node for node in before.nodes if node.id not in pairs]
    at = 0
    for node in after.nodes:
        earlier = back.get(node.id)
        if earlier is None:
            yield Change("added", None, node)
            continue
        while at < len(gone) and gone[at].id < earlier:
            yield Change("removed", gone[at], None)
            at += 1
        known = before.node(earlier)
        facts = list(_facts(known, node))
        fed = [(pairs.get(number), slot) for number, slot in inputs_before.get(earlier, [])]
        if fed != inputs_after.get(node.id, []):
            facts.append(
                (
                    "inputs",
                    _named(before, inputs_before.get(earlier, [])),
                    _named(after, inputs_after.get(node.id, [])),
                )
            )
        if facts:
            yield Change("changed", known, node, tuple(facts))
    for node in gone[at:]:
        yield Change("removed", node, None)


def _inputs(graph: Graph) -> dict[int, list[tuple[int, str]]]:
    found: dict[int, list[tuple[int, str]]] = {}
    for edge in graph.edges:
        found.setdefault(edge.target, []).append((edge.source, edge.slot))
    return found


def _named(graph: Graph, inputs: list[tuple[int, str]]) -> str:
    return ", ".join(graph.node(number).label for number, _ in inputs if number in graph)


def _facts(old: GraphNode, new: GraphNode) -> Iterator[tuple[str, str, str]]:
    for name, first, second in (
        # What a result is called is the variable that happens to hold it.
        (
            "name",
            old.name if old.role in _NAMED else None,
            new.name if new.role in _NAMED else None,
        ),
        ("kind", old.kind, new.kind),
        ("requirement", old.requirement, new.requirement),
        ("role", old.role, new.role),
        ("shape", str(old.shape), str(new.shape)),
        ("dtype", old.dtype, new.dtype),
        ("cut", old.cut, new.cut),
        ("consumed", str(old.consumed), str(new.consumed)),
        ("backward", _fate(old), _fate(new)),
        ("attributes", _attributes(old), _attributes(new)),
    ):
        if first != second:
            yield name, first or "", second or ""


def _fate(node: GraphNode) -> str:
    """What `backward` would do; a leaf that is none is of no interest here."""
    return "" if node.verdict is None else node.verdict.backward.slug or "works"


def _attributes(node: GraphNode) -> str:
    return ", ".join(f"{name}={value}" for name, value in node.attributes.items())


def difference_view(found: Difference, most: int = 500) -> DifferenceView:
    """A difference as a message carries it, its first changes."""
    return DifferenceView(
        before=found.before.title,
        after=found.after.title,
        same=len(found.pairs) - sum(change.kind == "changed" for change in found.changes),
        total=len(found.changes),
        changes=tuple(
            ChangeView(
                change.kind,
                None if change.before is None else node_key(change.before.id),
                None if change.after is None else node_key(change.after.id),
                change.label,
                change.facts,
            )
            for change in found.changes[:most]
        ),
    )
