"""Which nodes of a graph are marked, and with what: pictures, listings and folding share it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from gradviz.errors.problem import SEVERITIES, Severity
from gradviz.graph.graph import Graph, GraphEdge

MOST_NODES: Final = 200
"""Nodes of one problem that are marked; the first ones matter."""

FAILS_HERE: Final = "backward fails here"


@dataclass(frozen=True, slots=True)
class Mark:
    """What a node is marked with.

    Attributes:
        severity: the worst of its problems.
        text: that problem in a line.
        main: whether the problem is the node's own; else the node only takes part in it.
        numbers: positions, from 1, of its problems in `Graph.problems`.
        slug: the worst problem's name in `gv.catalogue`.
    """

    severity: Severity
    text: str
    main: bool
    numbers: tuple[int, ...]
    slug: str | None


def problems_at(graph: Graph) -> dict[int, tuple[int, ...]]:
    """Positions in `Graph.problems` by node id."""
    found: dict[int, list[int]] = {}
    for at, problem in enumerate(graph.problems):
        for number in problem.nodes[:MOST_NODES]:
            if number in graph and at not in found.setdefault(number, []):
                found[number].append(at)
    return {number: tuple(positions) for number, positions in found.items()}


def marks_of(graph: Graph) -> dict[int, Mark]:
    """The marks by node id, as the interactive view makes them."""
    marks: dict[int, Mark] = {}
    for number, positions in problems_at(graph).items():

        def rank(at: int, number: int = number) -> tuple[int, bool]:
            problem = graph.problems[at]
            return SEVERITIES.index(problem.severity), problem.nodes[0] != number

        worst = graph.problems[min(positions, key=rank)]
        marks[number] = Mark(
            severity=worst.severity,
            text=worst.message,
            main=any(graph.problems[at].nodes[0] == number for at in positions),
            numbers=tuple(at + 1 for at in positions),
            slug=worst.slug,
        )
    # A root that can't start a backward pass is worth a mark; every other computed tensor
    # refuses `require_grad`, which is normal and stays quiet.
    for number in graph.roots:
        verdict = graph.node(number).verdict if number in graph else None
        known = marks.get(number)
        if verdict is None or verdict.backward.ok or (known and known.main):
            continue
        if verdict.backward.slug == "graph-consumed" and is_done(graph, number):
            continue
        if graph.captured is None:
            numbers = known.numbers if known else ()
            marks[number] = Mark("error", FAILS_HERE, True, numbers, verdict.backward.slug)
    return marks


def is_done(graph: Graph, number: int) -> bool:
    """Whether a root was used up by the very backward pass whose gradients are at hand."""
    return graph.live is not None and graph.live.has_run_from(number)


def is_cut(graph: Graph, edge: GraphEdge) -> bool:
    """Whether no gradient passes along an edge although its source is tracked."""
    return (
        edge.target in graph
        and edge.source in graph
        and graph.node(edge.target).cut is not None
        and graph.node(edge.source).requirement != "none"
    )


def worst(marks: Sequence[Mark]) -> Mark | None:
    """The worst of several marks."""
    return min(
        marks,
        key=lambda mark: (SEVERITIES.index(mark.severity), not mark.main),
        default=None,
    )
