"""Graphs and problems as messages: fills the dataclasses of `gradviz.graph.model`."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, Final

from gradviz.core.source import SourceSpan, source_text
from gradviz.errors.problem import Fix, Problem, SourceEdit
from gradviz.graph.answers import ExtrasView
from gradviz.graph.graph import Graph, GraphGroup, GraphNode
from gradviz.graph.kept import LARGE
from gradviz.graph.marks import MOST_NODES, problems_at
from gradviz.graph.model import (
    GROUP_KINDS,
    SCHEMA_VERSION,
    CardView,
    EdgeView,
    EditView,
    FixView,
    GraphView,
    GroupView,
    NodeView,
    OutcomeView,
    ProblemView,
    SpanView,
    VerdictView,
)

LIMIT: Final = 1500
"""Nodes a message carries; more are cut away from the roots outwards."""

MOST_FIXES: Final = 5
MOST_SEARCHES: Final = 12
"""Nodes whose fixes a message carries: others are searched for when asked, which takes time."""

PATIENCE: Final = 1.0
"""Seconds after which a message waits for no further node's fixes: programs may run long."""


@dataclass(frozen=True, slots=True)
class CellSource:
    """How source files are shown: by default as files; a notebook knows which are its cells."""

    label_of: Callable[[str], str]
    cell_of: Callable[[str], str | None]
    source_of: Callable[[str], str | None]


def _file_label(filename: str) -> str:
    return PurePath(filename).name or filename


_cells = CellSource(_file_label, lambda _: None, lambda _: None)


def set_cell_source(
    label_of: Callable[[str], str],
    cell_of: Callable[[str], str | None],
    source_of: Callable[[str], str | None],
) -> None:
    """Lets a notebook, a layer above, say which files are cells.

    Args:
        label_of: what to call a file in front of people.
        cell_of: the id of the cell a file name stands for, or None.
        source_of: the cell's text as it was typed, or None.
    """
    global _cells
    _cells = CellSource(label_of, cell_of, source_of)


def label_of(filename: str) -> str:
    """What to call a file in front of people: `In [3]` for a cell, its last part for a file."""
    return _cells.label_of(filename)


def node_key(number: int) -> str:
    """A node's id in messages."""
    return f"n{number}"


def span_view(span: SourceSpan | None) -> SpanView | None:
    """A source position with the cell it stands in."""
    if span is None:
        return None
    return SpanView(
        filename=span.filename,
        label=_cells.label_of(span.filename),
        line=span.line,
        col=span.col,
        end_line=span.end_line,
        end_col=span.end_col,
        text=span.text,
        cell=_cells.cell_of(span.filename),
    )


def fix_view(fix: Fix) -> FixView | None:
    """A fix with its preview; None where it no longer fits the source it was made for."""
    if not fix.edits:
        return FixView(fix.title, fix.explanation, "", "", fix.verified, ())
    filename = fix.edits[0].filename
    # The cell's own text first: the interpreter's copy has its magics translated.
    for source in (_cells.source_of(filename), source_text(filename)):
        if not source:
            continue
        try:
            patched, diff = fix.apply_to(source), fix.preview(source)
        except ValueError:
            continue
        edits = tuple(_edit_view(edit) for edit in fix.edits)
        return FixView(fix.title, fix.explanation, diff, patched, fix.verified, edits)
    return None


def _edit_view(edit: SourceEdit) -> EditView:
    return EditView(
        filename=edit.filename,
        line=edit.line,
        col=edit.col,
        end_line=edit.end_line,
        end_col=edit.end_col,
        original=edit.original,
        replacement=edit.replacement,
        cell=_cells.cell_of(edit.filename),
    )


def _fix_views(fixes: Iterable[Fix]) -> tuple[FixView, ...]:
    views = (fix_view(fix) for fix in tuple(fixes)[:MOST_FIXES])
    return tuple(view for view in views if view is not None)


def problem_view(problem: Problem, nodes: tuple[str, ...] | None = None) -> ProblemView:
    """A problem as a message carries it; `nodes` are the ids of its nodes in the graph shown."""
    return ProblemView(
        slug=problem.slug,
        severity=problem.severity,
        message=problem.message,
        reason=problem.reason,
        advice=problem.advice,
        where=span_view(problem.where),
        cause=span_view(problem.cause),
        nodes=tuple(map(node_key, problem.nodes)) if nodes is None else nodes,
        fixes=_fix_views(problem.fixes),
    )


def card_view(problem: Problem) -> CardView:
    """The message of an error card."""
    return CardView(SCHEMA_VERSION, "card", problem_view(problem), problem.facts)


def outcome_view(outcome: Any, *, with_fixes: bool = True) -> OutcomeView:
    """A prediction as a message carries it."""
    fixes = _fix_views(outcome.fixes) if with_fixes and not outcome.ok else ()
    return OutcomeView(outcome.ok, outcome.slug, outcome.reason, fixes)


def verdict_view(node: GraphNode, *, with_fixes: bool = True) -> VerdictView:
    """Both predictions for a node; what its requirement alone says where none were made."""
    if node.verdict is not None:
        return VerdictView(
            outcome_view(node.verdict.backward, with_fixes=with_fixes),
            outcome_view(node.verdict.require_grad, with_fixes=with_fixes),
        )
    tracked = node.requirement != "none"
    return VerdictView(
        OutcomeView(tracked, None, "" if tracked else "No tracked tensor feeds it."),
        OutcomeView(node.is_leaf, None, "" if node.is_leaf else "It is computed, no leaf."),
    )


def sizes_of(node: GraphNode) -> tuple[int | str, ...]:
    """A node's shape as a message carries it: what was left open as the text of its symbol."""
    return tuple(size if isinstance(size, int) else str(size) for size in node.shape)


def node_view(
    node: GraphNode, problems: tuple[int, ...] = (), *, with_fixes: bool = True
) -> NodeView:
    """One node as a message carries it."""
    return NodeView(
        id=node_key(node.id),
        op=node.op,
        name=node.name,
        kind=node.kind,
        requirement=node.requirement,
        is_leaf=node.is_leaf,
        role=node.role,
        shape=sizes_of(node),
        dtype=node.dtype,
        device=node.device,
        attributes=node.attributes,
        group=node.group,
        source=span_view(node.source),
        value=node.value,
        consumed=node.consumed,
        cut=node.cut,
        verdict=verdict_view(node, with_fixes=with_fixes),
        problems=problems,
    )


def view_of(
    graph: Graph, *, limit: int = LIMIT, key: str | None = None, extras: ExtrasView | None = None
) -> GraphView:
    """The message of a graph.

    Args:
        graph: what to show.
        limit: nodes to carry at most; beyond, those nearest the roots and those with problems.
        key: names the graph in the kernel, where a view can ask about it.
        extras: what travels with it; see `gradviz.graph.steps.extras_view`.

    Returns:
        The message; `total_nodes` counts the nodes that were cut away too.
    """
    kept = _nearest(graph, limit)
    table = graph.table
    positions = sorted(table.position[number] for number in kept)
    nodes = [graph.nodes[at] for at in positions]
    problems = problems_at(graph)
    spelled = _spelled(graph, nodes, problems)
    return GraphView(
        schema=SCHEMA_VERSION,
        title=graph.title,
        nodes=tuple(spelled[node.id] for node in nodes),
        edges=tuple(
            EdgeView(node_key(edge.source), node_key(edge.target), edge.slot, edge.tracked)
            for at in positions
            for edge in table.edges(at)
            if edge.source in kept
        ),
        groups=tuple(
            GroupView(group.id, group.label, GROUP_KINDS.get(group.kind, "scope"), group.parent)
            for group in _groups_around(graph, positions)
        ),
        problems=tuple(
            problem_view(
                problem, tuple(node_key(number) for number in problem.nodes if number in kept)
            )
            for problem in graph.problems
        ),
        roots=tuple(node_key(number) for number in graph.roots if number in kept),
        total_nodes=len(graph),
        key=key,
        extras=extras,
    )


def _nearest(graph: Graph, limit: int) -> set[int]:
    """The nodes to carry."""
    table = graph.table
    ids, position = table.ids, table.position
    if len(ids) <= limit:
        return set(ids)
    kept = {n for problem in graph.problems for n in problem.nodes[:MOST_NODES] if n in graph}
    reached = dict.fromkeys(number for number in graph.roots if number in graph)
    queue = deque(reached)
    kept.update(reached)
    while queue and len(kept) < limit:
        for edge in table.inputs(position[queue.popleft()]):
            source = ids[table.source[edge]]
            if source not in reached and len(kept) < limit:
                reached[source] = None
                kept.add(source)
                queue.append(source)
    return kept


def _spelled(
    graph: Graph, nodes: list[GraphNode], problems: dict[int, tuple[int, ...]]
) -> dict[int, NodeView]:
    """The nodes as a message carries them, by number.

    Fixes are searched for at the roots first. In a large graph they wait until a view asks: trying
    one runs the program that made the graph.
    """
    roots = set(graph.roots)
    order = sorted(
        nodes, key=lambda node: (node.id not in roots, node.id not in problems, node.name is None)
    )
    most = 0 if len(graph) > LARGE else MOST_SEARCHES
    end = time.monotonic() + PATIENCE
    return {
        node.id: node_view(
            node,
            problems.get(node.id, ()),
            with_fixes=at < most and time.monotonic() < end,
        )
        for at, node in enumerate(order)
    }


def _groups_around(graph: Graph, positions: Iterable[int]) -> list[GraphGroup]:
    """The groups of some nodes and those around them, in the graph's order."""
    table = graph.table
    wanted: set[int] = set()
    for at in positions:
        group = table.group[at]
        while group and group not in wanted:
            wanted.add(group)
            group = table.around[group]
    return [graph.groups[group - 1] for group in sorted(wanted)]
