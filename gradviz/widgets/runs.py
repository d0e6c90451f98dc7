"""Runs of one cell, one after another: what changed since the last one."""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

from gradviz.graph.answers import DifferenceView
from gradviz.graph.diff import difference, difference_view
from gradviz.graph.graph import Graph
from gradviz.widgets import cells

MOST_PLACES: Final = 32
MOST_NODES: Final = 5000
"""Nodes of a graph that is remembered: its plain data, never its tensors."""

_last: Final[OrderedDict[str, Graph]] = OrderedDict()


def place_of(graph: Graph) -> str | None:
    """What is the same for every run of the running cell; None outside of notebooks."""
    cell = cells.running()
    return None if cell is None else f"{cell} {graph.title}"


def since_last(graph: Graph, place: str | None) -> DifferenceView | None:
    """What changed since the graph was last drawn at a place; None where nothing did."""
    if place is None or len(graph) > MOST_NODES:
        return None
    before = _last.pop(place, None)
    _last[place] = graph
    while len(_last) > MOST_PLACES:
        _last.popitem(last=False)
    if before is None or before is graph:
        return None
    found = difference(before, graph)
    return difference_view(found) if found else None


def forget() -> None:
    """Lets all earlier runs go."""
    _last.clear()
