"""What an array holds, in a few numbers, a histogram and a small grid; any dtype, any size."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

BLOCK: Final = 1 << 18
"""Elements that are looked at together, so that a large array costs little memory beside it."""

MOST_BINS: Final = 40
MOST_LOOKED_AT: Final = 2048
"""Rows and columns of a grid that are averaged; of more, evenly spaced ones are taken."""


@dataclass(frozen=True, slots=True)
class Summary:
    """An array in numbers; those of no finite element are nan.

    Attributes:
        count: elements.
        finite: elements that are neither nan nor infinite.
        zeros, nans, above, below: elements that are 0, nan, inf and -inf.
        low, high, mean, std, norm: of the finite elements; `std` divides by their number.
        edges: where the histogram begins and ends.
        bins: finite elements by value, in equal steps between the edges.
        whole: whether every bin is one whole number.
    """

    count: int
    finite: int
    zeros: int
    nans: int
    above: int
    below: int
    low: float
    high: float
    mean: float
    std: float
    norm: float
    edges: tuple[float, float]
    bins: tuple[int, ...]
    whole: bool


@dataclass(frozen=True, slots=True)
class Grid:
    """A slice of an array as rows of cells; a cell stands for `steps` elements each way.

    Attributes:
        cells: averages of the finite elements; nan or infinite where one element is.
        steps: how many rows and columns a cell stands for.
        sampled: whether elements between were left out of the averages.
    """

    cells: Any
    steps: tuple[int, int]
    sampled: bool


def nbytes(value: Any) -> int:
    """Bytes of an array's elements."""
    return int(getattr(value, "nbytes", 0))


def owner(value: Any) -> Any:
    """The array that owns the memory of an array; None for what owns none, such as a number."""
    if not isinstance(value, np.ndarray):
        return None
    while isinstance(value.base, np.ndarray):
        value = value.base
    return value


def _distinct(values: Any) -> tuple[Any, int]:
    """The array without the repetitions of broadcasting, and how often each element stands."""
    times = 1
    index: list[Any] = []
    for length, stride in zip(values.shape, values.strides, strict=True):
        repeated = stride == 0 and length > 1
        times *= length if repeated else 1
        index.append(slice(0, 1) if repeated else slice(None))
    return values[tuple(index)], times


def _blocks(flat: Any) -> Iterator[Any]:
    for start in range(0, flat.size, BLOCK):
        yield flat[start : start + BLOCK]


def _scale(largest: float) -> int:
    """The exponent that brings numbers to at most 1: squares neither overflow nor vanish then."""
    if not largest:
        return 0
    return min(max(math.frexp(largest)[1], -1000), 1023)


def _up(value: float, exponent: int) -> float:
    try:
        return math.ldexp(value, exponent)
    except OverflowError:
        return math.inf


def describe(array: Any, bins: int = MOST_BINS) -> Summary:
    """An array's statistics.

    Sums are made in double precision of numbers scaled by a power of two, in blocks, so that
    neither the dtype's range nor its precision shows; nans and infinities are counted apart.
    """
    kept, times = _distinct(np.asarray(array))
    flat = kept.reshape(-1)
    inexact = flat.dtype.kind == "f"
    nans = above = below = zeros = finite = 0
    low, high = math.inf, -math.inf
    for block in _blocks(flat):
        zeros += int(block.size - np.count_nonzero(block))
        good = block
        if inexact:
            fine = np.isfinite(block)
            if not fine.all():
                good = block[fine]
                nans += int(np.isnan(block).sum())
                above += int((block == np.inf).sum())
                below += int((block == -np.inf).sum())
        finite += int(good.size)
        if good.size:
            low, high = min(low, float(good.min())), max(high, float(good.max()))
    if not finite:
        none = math.nan
        return Summary(
            flat.size * times, 0, zeros, nans * times, above * times, below * times,
            none, none, none, none, none, (none, none), (), False,
        )  # fmt: skip
    exponent = _scale(max(abs(low), abs(high)))
    total = squares = 0.0
    for part in _scaled(flat, exponent):
        total += float(part.sum())
        squares += float(np.dot(part, part))
    mean = total / finite
    whole = flat.dtype.kind in "biu" and high - low < bins
    counts, edges = _histogram_start(low, high, bins, whole)
    spread = 0.0
    for part in _scaled(flat, exponent):
        centred = part - mean
        spread += float(np.dot(centred, centred))
        counts += _counted(part, edges, exponent, len(counts))
    return Summary(
        count=flat.size * times,
        finite=finite * times,
        zeros=zeros * times,
        nans=nans * times,
        above=above * times,
        below=below * times,
        low=low,
        high=high,
        # Rounding may carry the mean of equal numbers past them.
        mean=min(max(_up(mean, exponent), low), high),
        std=_up(math.sqrt(spread / finite), exponent) if high > low else 0.0,
        norm=_up(math.sqrt(squares * times), exponent),
        edges=edges,
        bins=tuple(int(count) * times for count in counts),
        whole=whole,
    )


def norm(array: Any) -> float:
    """The square root of the sum of squares; not finite where an element is not.

    Faster than `describe`, for what is asked at every step.
    """
    flat = np.asarray(array).reshape(-1)
    total = 0.0
    for block in _blocks(flat):
        part = block.astype(np.float64)
        total += float(np.dot(part, part))
    if total in (0.0, math.inf) and (flat.dtype.kind != "f" or np.isfinite(flat).all()):
        return describe(array, 1).norm if flat.size else 0.0
    return math.sqrt(total) if total >= 0.0 else total


def _scaled(flat: Any, exponent: int) -> Iterator[Any]:
    """The finite elements, block by block, in double precision and divided by a power of two."""
    factor = math.ldexp(1.0, -exponent)
    for block in _blocks(flat):
        part = block.astype(np.float64)
        if flat.dtype.kind == "f":
            part = part[np.isfinite(part)]
        yield np.multiply(part, factor, out=part)


def _histogram_start(
    low: float, high: float, bins: int, whole: bool
) -> tuple[Any, tuple[float, float]]:
    """Empty bins, and where they begin and end."""
    if whole:
        return np.zeros(int(high - low) + 1, np.int64), (low - 0.5, high + 0.5)
    return np.zeros(bins if high > low else 1, np.int64), (low, high)


def _counted(part: Any, edges: tuple[float, float], exponent: int, bins: int) -> Any:
    """Elements in each bin."""
    if bins == 1:
        return np.array([part.size])
    start, end = (math.ldexp(edge, -exponent) for edge in edges)
    places = ((part - start) * (bins / (end - start))).astype(np.int64)
    return np.bincount(np.clip(places, 0, bins - 1), minlength=bins)


def grid(array: Any, axes: tuple[int, ...], index: tuple[int, ...], most: int) -> Grid:
    """A slice of an array along one or two axes, averaged down to at most `most` cells each way.

    Args:
        array: of any rank.
        axes: the axes of rows and columns, or of columns only; none for a single element.
        index: where to cut the other axes; one number for each axis of the array.
        most: the most rows and columns.
    """
    values = np.asarray(array)
    cut = values[tuple(slice(None) if at in axes else index[at] for at in range(values.ndim))]
    if len(axes) == 2 and axes[0] > axes[1]:
        cut = cut.T
    cut = cut.reshape(1, -1) if len(axes) < 2 else cut
    strides = [-(-length // MOST_LOOKED_AT) for length in cut.shape]
    sampled = max(strides, default=1) > 1
    if sampled:
        cut = cut[:: max(strides[0], 1), :: max(strides[1], 1)]
    steps = [max(-(-length // most), 1) for length in cut.shape]
    cells = cut.astype(np.float64)
    if max(steps) > 1 and cells.size:
        cells = _averaged(cells, steps)
    return Grid(cells, (steps[0] * max(strides[0], 1), steps[1] * max(strides[1], 1)), sampled)


def _averaged(values: Any, steps: list[int]) -> Any:
    fine = np.isfinite(values)
    spoilt = not fine.all()
    finite = np.where(fine, values, 0.0) if spoilt else values
    exponent = _scale(float(np.abs(finite).max()))
    totals = _pooled(finite * math.ldexp(1.0, -exponent), steps)
    counts = _pooled(fine.astype(np.float64), steps)
    with np.errstate(all="ignore"):
        cells = np.ldexp(totals / counts, exponent)
    if spoilt:
        # A single nan among thousands of elements is what one looks for.
        for wanted in (np.inf, -np.inf):
            cells[_pooled((values == wanted).astype(np.float64), steps) > 0] = wanted
        cells[_pooled(np.isnan(values).astype(np.float64), steps) > 0] = np.nan
    return cells


def _pooled(values: Any, steps: list[int]) -> Any:
    for axis, step in enumerate(steps):
        values = np.add.reduceat(values, np.arange(0, values.shape[axis], step), axis)
    return values


def flat_numbers(array: Any) -> list[float]:
    """Every element as a number, in order."""
    found: list[float] = np.asarray(array).reshape(-1).astype(np.float64).tolist()
    return found
