"""Answers about values and gradients: statistics, previews, and how healthy a gradient is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

from gradviz.backends.ndarray import numerics, statistics
from gradviz.backends.ndarray.statistics import Summary
from gradviz.graph.answers import Health, PreviewView, StatisticsView, ValueView, What, number
from gradviz.graph.kept import Kept, LiveGraph
from gradviz.graph.view import node_key

MOST_CELLS: Final = 48
"""Rows and columns of a preview, at most."""

_COLOURS: Final = (0, 1, 2)

EXPLODING: Final = 1e6
VANISHING: Final = 1e-9
"""Largest elements beyond which a gradient is called so, whatever the others are."""

FAR: Final = 1e4
"""Times the median size of its like at which a gradient is called exploding, or vanishing."""


def statistics_view(summary: Summary) -> StatisticsView:
    """Statistics as a message carries them."""
    start, end = summary.edges
    return StatisticsView(
        count=summary.count,
        finite=summary.finite,
        zeros=summary.zeros,
        nans=summary.nans,
        above=summary.above,
        below=summary.below,
        low=number(summary.low),
        high=number(summary.high),
        mean=number(summary.mean),
        std=number(summary.std),
        norm=number(summary.norm),
        start=number(start),
        end=number(end),
        bins=summary.bins,
        whole=summary.whole,
    )


def kept(live: LiveGraph, node: int, what: What) -> Kept:
    """A node's value or gradient."""
    return live.value(node) if what == "value" else live.gradient(node)


def value_view(live: LiveGraph, node: int, what: What) -> ValueView:
    """Where a node's value or gradient is, and its statistics."""
    found = kept(live, node, what)
    array = found.array
    with numerics.quiet():
        described = None if array is None else statistics_view(statistics.describe(array))
    return ValueView(
        node=node_key(node),
        what=what,
        origin=found.origin,
        reason=found.reason,
        shape=() if array is None else tuple(array.shape),
        dtype="" if array is None else str(array.dtype),
        changed=found.changed,
        statistics=described,
        preview=None if array is None else _preview(node, what, array, None, None),
    )


def preview_view(
    live: LiveGraph,
    node: int,
    what: What,
    axes: Sequence[int] | None = None,
    index: Sequence[int] | None = None,
    colours: int | None = None,
) -> PreviewView | None:
    """A slice of a node's value or gradient as a small grid; None where there is nothing to see.

    Args:
        live: the nodes.
        node: which of them.
        what: its value or its gradient.
        axes: those of rows and columns; the last two where left out. What is no axis is ignored.
        index: where to cut the others; brought into their range.
        colours: an axis of three that holds red, green and blue; any other is ignored.
    """
    array = kept(live, node, what).array
    return None if array is None else _preview(node, what, array, axes, index, colours)


def _preview(
    node: int,
    what: What,
    array: Any,
    axes: Sequence[int] | None,
    index: Sequence[int] | None,
    colours: int | None = None,
) -> PreviewView | None:
    if not array.size:
        return None
    rank = array.ndim
    shown = tuple(dict.fromkeys(axis for axis in axes or () if 0 <= axis < rank))[:2]
    if len(shown) < min(rank, 2):
        shown = tuple(range(rank))[-2:]
    cut = [0] * rank
    for axis, place in enumerate(list(index or ())[:rank]):
        cut[axis] = min(max(int(place), 0), array.shape[axis] - 1)
    most = MOST_CELLS if rank > 1 else MOST_CELLS**2
    coloured = colours is not None and 0 <= colours < rank and array.shape[colours] == len(_COLOURS)
    if not coloured or colours in shown:
        colours = None
    grids = []
    for colour in _COLOURS if colours is not None else _COLOURS[:1]:
        slice_ = tuple(colour if axis == colours else at for axis, at in enumerate(cut))
        grids.append(statistics.grid(array, shown, slice_, most))
    grid = grids[0]
    cells = grid.cells
    return PreviewView(
        node=node_key(node),
        what=what,
        axes=shown,
        index=tuple(cut),
        shape=tuple(array.shape),
        rows=int(cells.shape[0]),
        columns=int(cells.shape[1]),
        steps=grid.steps,
        sampled=grid.sampled,
        colours=colours,
        cells=tuple(
            number(cell, 5)
            for one in zip(*(statistics.flat_numbers(g.cells) for g in grids), strict=True)
            for cell in one
        ),
    )


def largest(summary: Any) -> float:
    """The largest absolute value of finite elements; 0 without any."""
    return max(abs(summary.low), abs(summary.high)) if summary.finite else 0.0


def typical(summary: Any) -> float:
    """The root of the mean square: a size that doesn't grow with the number of elements."""
    return float(summary.norm / math.sqrt(summary.finite)) if summary.finite else 0.0


def median_size(summaries: Sequence[Any]) -> float:
    """The median of the sizes of gradients that aren't zero; 0 where there are too few to tell."""
    sizes = sorted(size for size in map(typical, summaries) if size > 0.0 and math.isfinite(size))
    return sizes[len(sizes) // 2] if len(sizes) > 2 else 0.0


def health_of(summary: Any, median: float = 0.0) -> Health:
    """How a gradient is: not finite, zero, very small or large, on its own or beside its like."""
    if summary.finite < summary.count:
        return "not finite"
    if not summary.count:
        return "none"
    if summary.norm == 0.0:
        return "zero"
    size = typical(summary)
    if largest(summary) >= EXPLODING or (median and size >= median * FAR):
        return "exploding"
    if largest(summary) < VANISHING or (median and size * FAR <= median):
        return "vanishing"
    return "fine"
