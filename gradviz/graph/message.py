"""The message of a graph of any size: spelled out where it is small, else as columns."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from gradviz.graph.answers import ExtrasView
from gradviz.graph.columns import columns_text
from gradviz.graph.diff import Difference, difference_view
from gradviz.graph.graph import Graph
from gradviz.graph.model import SCHEMA_VERSION, GraphView, PairView
from gradviz.graph.steps import extras_view
from gradviz.graph.view import LIMIT, view_of

DETAILED: Final = 150
"""Nodes that are spelled out beside columns: roots, what feeds them, and those with problems."""


def message_of(
    graph: Graph, *, key: str | None = None, extras: ExtrasView | None = None
) -> GraphView:
    """The message of a graph for a view.

    Args:
        graph: what to show, whole where that fits into an output.
        key: names the graph in the kernel, where a view can ask about it.
        extras: what travels with it.

    Returns:
        A message with columns for a graph of more than `LIMIT` nodes. Without them, where they
        would be too long, the nodes nearest the roots; a view asks the kernel for the rest.
    """
    columns = columns_text(graph) if len(graph) > LIMIT else None
    if columns is None:
        return view_of(graph, key=key, extras=extras)
    view = view_of(graph, limit=DETAILED, key=key, extras=extras)
    return replace(view, edges=(), groups=(), columns=columns)


def pair_of(found: Difference, before: str | None = None, after: str | None = None) -> PairView:
    """The message of two graphs side by side.

    Args:
        found: what differs between them.
        before: names the first graph in the kernel, where a view can ask about it.
        after: names the second one.
    """
    return PairView(
        schema=SCHEMA_VERSION,
        type="pair",
        before=view_of(found.before, key=before, extras=extras_view(found.before)),
        after=view_of(found.after, key=after, extras=extras_view(found.after)),
        difference=difference_view(found),
    )
