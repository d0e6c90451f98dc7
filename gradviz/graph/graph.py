"""Graph: what tensors were computed from, as plain data that questions can be asked of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from gradviz.errors.problem import Problem
from gradviz.graph.drawable import Drawable
from gradviz.graph.record import GraphEdge as GraphEdge
from gradviz.graph.record import GraphGroup as GraphGroup
from gradviz.graph.record import GraphNode as GraphNode
from gradviz.graph.table import Edges, Nodes, Table, table_of

MOST_OBJECTS: Final = 5_000
"""Nodes of a graph up to which they are objects from the start; beyond, when asked for."""


@dataclass(frozen=True)
class Graph(Drawable):
    """The graph of some tensors.

    Attributes:
        nodes: all tensors, oldest first.
        edges: which tensor feeds which.
        groups: scopes and modules.
        problems: what is wrong, worst first.
        roots: ids of the tensors asked about.
        title: a heading for pictures.
        captured: the captured program it was drawn from, or None.
        live: the nodes behind it, for questions about values; see `gradviz.graph.kept`.
        trace: a backward pass through it, step by step, or None.
    """

    nodes: Sequence[GraphNode]
    edges: Sequence[GraphEdge]
    groups: Sequence[GraphGroup]
    roots: tuple[int, ...]
    title: str = "graph"
    problems: tuple[Problem, ...] = ()
    captured: Any = field(default=None, compare=False, repr=False)
    live: Any = field(default=None, compare=False, repr=False)
    trace: Any = field(default=None, compare=False, repr=False)
    _tables: list[Table] = field(default_factory=list, init=False, compare=False, repr=False)

    @classmethod
    def of(cls, table: Table, roots: tuple[int, ...], title: str, **facts: Any) -> Graph:
        """The graph of a table: its nodes are objects from the start where they are few."""
        nodes, edges = Nodes(table), Edges(table)
        if len(table) > MOST_OBJECTS:
            return cls(nodes, edges, table.groups, roots, title, **facts)
        table.groups = tuple(table.groups)
        return cls(tuple(nodes), tuple(edges), table.groups, roots, title, **facts)

    @property
    def table(self) -> Table:
        """Nodes and edges as columns: for what looks through all of them."""
        if not self._tables:
            nodes, edges = self.nodes, self.edges
            known = nodes.table if isinstance(nodes, Nodes) else None
            whole = known is not None and isinstance(edges, Edges) and edges.table is known
            if known is None or not whole or known.groups is not self.groups:
                known = table_of(nodes, edges, self.groups)
            self._tables.append(known)
        return self._tables[0]

    def node(self, id: int) -> GraphNode:
        """The node with a number; KeyError where there is none."""
        return self.nodes[self.table.position[id]]

    def without_values(self) -> Graph:
        """The same graph without the numbers of its tensors, for files that others will see.

        Names, shapes, source lines and problems stay; so do the numbers that stand in the code.
        """
        return Graph.of(
            replace(self.table, values={}),
            self.roots,
            self.title,
            problems=self.problems,
            captured=self.captured,
            live=self.live,
        )

    def __contains__(self, id: int) -> bool:
        return id in self.table.position

    def __len__(self) -> int:
        return len(self.nodes)

    def __iter__(self) -> Iterator[GraphNode]:
        return iter(self.nodes)

    def inputs_of(self, id: int) -> list[GraphEdge]:
        """The edges into a node."""
        at = self.table.position.get(id)
        return [] if at is None else self.table.edges(at)

    def __repr__(self) -> str:
        problems = f", {len(self.problems)} problems" if self.problems else ""
        return f"<Graph of {len(self.nodes)} nodes, {len(self.edges)} edges{problems}>"
