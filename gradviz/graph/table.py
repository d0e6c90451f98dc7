"""The columns of a graph: what every node has in common with others, once; the rest as numbers.

A graph of a million nodes is a few lists of whole numbers. `GraphNode` and `GraphEdge` objects are
made of them when somebody asks; what works through whole graphs reads the columns.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, overload

from gradviz.backends.ndarray import columns
from gradviz.core.source import SourceSpan
from gradviz.graph.nesting import parents_of
from gradviz.graph.record import GraphEdge, GraphGroup, GraphNode


class Positions(Mapping[int, int]):
    """Positions of nodes in a long row of rising numbers: nothing is made for all of them."""

    __slots__ = ("_ids",)

    def __init__(self, ids: Sequence[int]) -> None:
        self._ids = ids

    def __getitem__(self, number: int) -> int:
        at = bisect_left(self._ids, number)
        if at == len(self._ids) or self._ids[at] != number:
            raise KeyError(number)
        return at

    def __len__(self) -> int:
        return len(self._ids)

    def __iter__(self) -> Iterator[int]:
        return iter(self._ids)


@dataclass(eq=False)
class Table:
    """A graph as columns; positions count nodes and edges from 0.

    Attributes:
        ids: the nodes' numbers.
        looks: what nodes may have in common: as nodes without id, name, group, source and value.
        look: of each node, which of these it is.
        places: source positions; the first is None.
        place: of each node, where it was made.
        groups: the groups, outer ones first.
        group: of each node, the position of its innermost group, counted from 1; 0 for none.
        slots: names of arguments.
        first: of each node the position of its first edge, and in the end the number of edges;
            edges stand in the order of their targets.
        source: of each edge, the position of the node it comes from.
        slot: of each edge, which argument it is.
        tracked: of each edge, whether gradients flow back.
        names: the names of nodes that have one, by position.
        values: previews of values, by position.
        verdict_of: what gives the verdict of the node at a position; None for that of its look.
    """

    ids: Sequence[int] = field(default_factory=list)
    looks: list[GraphNode] = field(default_factory=list)
    look: list[int] | array[int] = field(default_factory=list)
    places: list[SourceSpan | None] = field(default_factory=lambda: [None])
    place: list[int] | array[int] = field(default_factory=list)
    groups: Sequence[GraphGroup] = ()
    group: Sequence[int] = field(default_factory=list)
    slots: list[str] = field(default_factory=list)
    first: list[int] | array[int] = field(default_factory=list)
    source: list[int] | array[int] = field(default_factory=list)
    slot: list[int] | array[int] = field(default_factory=list)
    tracked: bytearray = field(default_factory=bytearray)
    names: dict[int, str] = field(default_factory=dict)
    values: dict[int, str] = field(default_factory=dict)
    verdict_of: Callable[[int], Any] | None = None

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def position(self) -> Mapping[int, int]:
        """Positions of nodes by their numbers."""
        if columns.rises(columns.column(self.ids)):
            return Positions(self.ids)
        return dict(zip(self.ids, range(len(self.ids)), strict=True))

    @cached_property
    def around(self) -> Sequence[int]:
        """Of each group, counted from 1, the one around it; 0 is what is around all of them."""
        return parents_of(self.groups)

    @cached_property
    def computed(self) -> bytearray:
        """Of each node, whether anything feeds it."""
        first = columns.column(self.first)
        return bytearray(columns.flags(first[:-1] < first[1:]))

    @cached_property
    def targets(self) -> Sequence[int]:
        """Of each edge, the position of the node it leads to."""
        first = columns.column(self.first)
        return columns.stored(columns.again(first[1:] - first[:-1]))

    def reached_from(self, roots: Iterable[int]) -> set[int] | None:
        """Numbers of the nodes that a gradient from roots reaches; None where ids tell no order.

        Args:
            roots: the positions of tracked nodes.
        """
        tracked = columns.column(self.tracked) != 0
        source = columns.column(self.source)[tracked]
        target = columns.column(self.targets)[tracked]
        if (target <= source).any():
            return None
        reached = columns.column([False] * len(self))
        for at in roots:
            reached[at] = True
        every = reached.copy()
        every[source] = True
        if every[target].all():
            # Each leads on to another of them, and the last one is a root.
            reached = every
        else:
            back = zip(columns.numbers(source[::-1]), columns.numbers(target[::-1]), strict=True)
            for at, user in back:
                if reached[user]:
                    reached[at] = True
        return set(columns.numbers(columns.column(self.ids)[reached]))

    def is_like(self, other: Table) -> bool:
        """Whether both have the same nodes and edges, made by the same parts of a program.

        Numbers, values and source positions don't count: they tell runs apart, not graphs.
        """
        if len(self) != len(other) or self.slots != other.slots or self.names != other.names:
            return False
        same = columns.same
        return (
            same(self.look, other.look)
            and same(self.first, other.first)
            and same(self.source, other.source)
            and same(self.slot, other.slot)
            and self.tracked == other.tracked
            and self.looks == other.looks
            and same(self.group, other.group)
            and [(group.label, group.kind) for group in self.groups]
            == [(group.label, group.kind) for group in other.groups]
            and same(self.around, other.around)
        )

    def ops(self) -> list[int]:
        """Of each look, a number for its operation."""
        known: dict[str, int] = {}
        return [known.setdefault(look.op, len(known)) for look in self.looks]

    def inputs(self, at: int) -> range:
        """The edges that lead to the node at a position."""
        return range(self.first[at], self.first[at + 1])

    def node(self, at: int) -> GraphNode:
        """The node at a position."""
        look = self.looks[self.look[at]]
        group = self.group[at]
        verdict = None if self.verdict_of is None else self.verdict_of(at)
        return replace(
            look,
            id=self.ids[at],
            name=self.names.get(at),
            group=self.groups[group - 1].id if group else None,
            source=self.places[self.place[at]],
            value=self.values.get(at),
            verdict=look.verdict if verdict is None else verdict,
        )

    def edges(self, at: int) -> list[GraphEdge]:
        """The edges that lead to the node at a position."""
        ids, target = self.ids, self.ids[at]
        return [
            GraphEdge(ids[self.source[e]], target, self.slots[self.slot[e]], bool(self.tracked[e]))
            for e in self.inputs(at)
        ]

    def requirement(self, at: int) -> str:
        """The requirement of the node at a position."""
        return self.looks[self.look[at]].requirement


class Nodes(Sequence[GraphNode]):
    """The nodes of a table, made when they are asked for."""

    __slots__ = ("_all", "table")

    def __init__(self, table: Table) -> None:
        self.table = table
        self._all: tuple[GraphNode, ...] | None = None

    def __len__(self) -> int:
        return len(self.table)

    @overload
    def __getitem__(self, at: int) -> GraphNode: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[GraphNode, ...]: ...
    def __getitem__(self, at: int | slice) -> GraphNode | tuple[GraphNode, ...]:
        if self._all is not None:
            return self._all[at]
        positions = range(len(self))[at]
        if isinstance(positions, range):
            return tuple(map(self.table.node, positions))
        return self.table.node(positions)

    def __iter__(self) -> Iterator[GraphNode]:
        if self._all is None:
            self._all = tuple(map(self.table.node, range(len(self))))
        return iter(self._all)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Nodes | tuple) and tuple(self) == tuple(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{len(self)} nodes>"


class Edges(Sequence[GraphEdge]):
    """The edges of a table, made when they are asked for."""

    __slots__ = ("_all", "table")

    def __init__(self, table: Table) -> None:
        self.table = table
        self._all: tuple[GraphEdge, ...] | None = None

    def __len__(self) -> int:
        return len(self.table.source)

    @overload
    def __getitem__(self, at: int) -> GraphEdge: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[GraphEdge, ...]: ...
    def __getitem__(self, at: int | slice) -> GraphEdge | tuple[GraphEdge, ...]:
        return self._made()[at]

    def __iter__(self) -> Iterator[GraphEdge]:
        return iter(self._made())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Edges | tuple) and tuple(self) == tuple(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{len(self)} edges>"

    def _made(self) -> tuple[GraphEdge, ...]:
        if self._all is None:
            edges = self.table.edges
            self._all = tuple(edge for at in range(len(self.table)) for edge in edges(at))
        return self._all


def table_of(
    nodes: Iterable[GraphNode], edges: Iterable[GraphEdge], groups: Sequence[GraphGroup]
) -> Table:
    """The columns of nodes and edges that are there as objects; edges into nowhere are left out."""
    members = tuple(nodes)
    table = Table([node.id for node in members], groups=groups)
    table.looks = list(members)
    table.look = list(range(len(members)))
    places: dict[int, int] = {}
    group: list[int] = []
    group_at = {group.id: at for at, group in enumerate(groups, 1)}
    for at, node in enumerate(members):
        source = node.source
        if source is None:
            table.place.append(0)
        else:
            place = places.setdefault(id(source), len(table.places))
            if place == len(table.places):
                table.places.append(source)
            table.place.append(place)
        group.append(group_at.get(node.group, 0) if node.group is not None else 0)
        if node.name is not None:
            table.names[at] = node.name
        if node.value is not None:
            table.values[at] = node.value
    table.group = group
    position = table.position
    slots: dict[str, int] = {}
    into: dict[int, list[GraphEdge]] = {}
    for edge in edges:
        if edge.source in position and edge.target in position:
            into.setdefault(position[edge.target], []).append(edge)
    table.first.append(0)
    for at in range(len(members)):
        for edge in into.get(at, ()):
            table.source.append(position[edge.source])
            table.slot.append(slots.setdefault(edge.slot, len(slots)))
            table.tracked.append(edge.tracked)
        table.first.append(len(table.source))
    table.slots = list(slots)
    return table
