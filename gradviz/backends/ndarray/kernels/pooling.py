"""Pooling, one dimension after the other: maxima and sums over windows are separable.

So a 3x3 window takes four steps instead of eight. The place of a maximum is looked for in reading
order, because the first one counts.
"""

from __future__ import annotations

import functools
import itertools
import math
from typing import Any

import numpy as np

from gradviz.backends.ndarray.kernels.convolution import CACHED, padded, upright, windows_of
from gradviz.core.shape import count
from gradviz.ops.pooling import pooled

Array = Any
Dims = tuple[int, ...]

_MOST_PLACES = 9
"""Places of a window that are gone through one by one."""


def overhang(
    length: int, kernel: int, stride: int, padding: int, dilation: int, ceil_mode: bool
) -> tuple[int, int]:
    """How many windows lie along a dimension, and the border they need after its end."""
    number = pooled(length, kernel, stride, padding, dilation, ceil_mode)
    last = (number - 1) * stride + dilation * (kernel - 1) + 1
    return number, max(last - length - padding, 0)


def at_axis(axis: int, place: Any) -> tuple[Any, ...]:
    """An index for one of the last dimensions, -1 being the last."""
    return (Ellipsis, place, *(slice(None),) * (-axis - 1))


def _lowest(dtype: Any) -> Any:
    return -np.inf if dtype.kind == "f" else np.iinfo(dtype).min


def bordered(
    x: Array, kernel: Dims, stride: Dims, padding: Dims, dilation: Dims, ceil_mode: bool, value: Any
) -> tuple[Array, list[list[slice]]]:
    """The input with its border, and for each dimension the elements of all windows, by place."""
    lengths = x.shape[-len(kernel) :]
    widths, used, windows = _plan(lengths, kernel, stride, padding, dilation, ceil_mode)
    if used is not None:
        return np.ascontiguousarray(x[used]), windows
    return padded(x, widths, value), windows


@functools.lru_cache(maxsize=64)
def _plan(
    lengths: Dims, kernel: Dims, stride: Dims, padding: Dims, dilation: Dims, ceil_mode: bool
) -> tuple[tuple[tuple[int, int], ...], tuple[Any, ...] | None, list[list[slice]]]:
    """The border, what to cut off at the end (an index, or None), and the windows."""
    found = [
        overhang(n, k, s, p, d, ceil_mode)
        for n, k, s, p, d in zip(lengths, kernel, stride, padding, dilation, strict=True)
    ]
    counts = tuple(count for count, _ in found)
    widths = tuple((p, hi) for p, (_, hi) in zip(padding, found, strict=True))
    windows = windows_of(counts, kernel, stride, dilation)
    cut = None
    spread = any(d != 1 for d in dilation)
    if kernel == stride and not spread and not any(lo or hi for lo, hi in widths):
        # Without the rest at the end, all rows together are one long strided loop.
        sizes = tuple(count * k for count, k in zip(counts, kernel, strict=True))
        cut = (..., *(slice(n) for n in sizes)) if sizes != lengths else None
    return widths, cut, windows


@functools.lru_cache(maxsize=64)
def shares(length: int, size: int) -> tuple[Array, Array]:
    """Starts and ends of `size` windows that share out a dimension, overlapping where they must."""
    at = np.arange(size)
    return at * length // size, -(-(at + 1) * length // size)


def max_pool(
    x: Array, kernel_size: Dims, stride: Dims, padding: Dims, dilation: Dims, ceil_mode: bool
) -> Array:
    lowest = _lowest(x.dtype)
    return _maxima(*bordered(x, kernel_size, stride, padding, dilation, ceil_mode, lowest))


def _maxima(x: Array, windows: list[list[Any]]) -> Array:
    for axis in range(-1, -len(windows) - 1, -1):
        places = windows[axis]
        first = x[at_axis(axis, places[0])]
        if len(places) > 1:
            # A name of its own: the first elements may be a view of the input.
            best = np.maximum(first, x[at_axis(axis, places[1])])
            for place in places[2:]:
                np.maximum(best, x[at_axis(axis, place)], out=best)
            first = best
        x = first
    return x


def max_pool_indices(
    x: Array, kernel_size: Dims, stride: Dims, padding: Dims, dilation: Dims, ceil_mode: bool
) -> Array:
    lowest = _lowest(x.dtype)
    grown, windows = bordered(x, kernel_size, stride, padding, dilation, ceil_mode, lowest)
    code, best = _first(grown, windows)
    rank = len(kernel_size)
    lengths, counts = x.shape[-rank:], code.shape[-rank:]
    if any(padding) and np.any(best == lowest):
        # A window of lowest values alone would point into the border.
        places = np.unravel_index(code, kernel_size)
        return _inside(places, lengths, counts, stride, padding, dilation)
    out: Array = _offsets(kernel_size, dilation, lengths).take(code)
    out += _starts(lengths, counts, stride, padding)
    return out


def max_pool_backward(
    g: Array,
    x: Array,
    kernel_size: Dims,
    stride: Dims,
    padding: Dims,
    dilation: Dims,
    ceil_mode: bool,
) -> Array:
    if stride == kernel_size and not any(padding) and max(dilation) == 1 and 0 < x.size <= CACHED:
        handed = _handed_back(g, x, kernel_size)
        if handed is not None:
            return handed
    indices = max_pool_indices(x, kernel_size, stride, padding, dilation, ceil_mode)
    return pool_put(g, indices, x.shape, len(kernel_size))


def _handed_back(g: Array, x: Array, kernel: Dims) -> Array | None:
    """Gradients for windows side by side, place by place: inside the cache quicker than by index.

    None for windows that end outside, and where products with 0 and 1 could be something else.
    """
    lengths, counts = x.shape[-len(kernel) :], g.shape[-len(kernel) :]
    whole = all(k * m <= n for k, m, n in zip(kernel, counts, lengths, strict=True))
    if not whole or count(kernel) > _MOST_PLACES or not math.isfinite(_squares(g)):
        return None
    windows = windows_of(counts, kernel, kernel, (1,) * len(kernel))
    places: list[tuple[Any, ...]] = list(itertools.product(*windows))
    planes = [np.ascontiguousarray(_picked(x, place)) for place in places]
    best = planes[0].copy()
    for plane in planes[1:]:
        np.maximum(best, plane, out=best)
    if math.isnan(_squares(best)):
        return None
    out = (np.empty if count(kernel) * g.size == x.size else np.zeros)(x.shape, g.dtype)
    waiting = np.ones(best.shape, bool)
    first = np.empty(best.shape, bool)
    for place, plane in zip(places, planes, strict=True):
        np.equal(plane, best, out=first)
        first &= waiting  # of equal ones the first gets it
        waiting ^= first
        np.multiply(g, first, out=out[(..., *place)])
    return out


def _squares(x: Array) -> float:
    """The sum of squares: nan and infinity show in it, and no sum over an array is quicker."""
    flat = x.reshape(-1)
    return float(np.dot(flat, flat))


@functools.lru_cache(maxsize=64)
def _offsets(kernel: Dims, dilation: Dims, lengths: Dims) -> Array:
    """How far every place of a window lies from its first element."""
    out: Array = np.zeros(1, np.int64)
    for k, d, n in zip(kernel, dilation, lengths, strict=True):
        out = (out[:, None] * n + np.arange(k) * d).reshape(-1)
    return out


def _inside(
    codes: tuple[Array, ...],
    lengths: Dims,
    counts: Dims,
    stride: Dims,
    padding: Dims,
    dilation: Dims,
) -> Array:
    """Flat places from places in windows; a window of lowest values points to its first element."""
    out: Array = 0
    step = 1
    for axis in range(-1, -len(codes) - 1, -1):
        starts = np.arange(counts[axis]) * stride[axis] - padding[axis]
        place = codes[axis].astype(np.int64) * dilation[axis]
        place += upright(starts, -axis - 1)
        outside = place < 0
        if outside.any():
            place[outside] %= dilation[axis]
            # A window that lies in the border alone has no element.
            np.minimum(place, lengths[axis] - 1, out=place)
        out = out + place * step
        step *= lengths[axis]
    return out


@functools.lru_cache(maxsize=64)
def _starts(lengths: Dims, counts: Dims, stride: Dims, padding: Dims) -> Array:
    """The place of every window's first element, counted through the spatial dimensions."""
    out: Array = np.zeros((), np.int64)
    for n, m, s, p in zip(lengths, counts, stride, padding, strict=True):
        out = out[..., None] * n + (np.arange(m) * s - p)
    return out


def _first(x: Array, windows: list[list[Any]]) -> tuple[Array, Array]:
    """Where in its window each maximum stands first, in reading order, and the maxima."""
    code, best = _search(x, windows, careful=False)
    if best.dtype.kind == "f" and best.size and np.isnan(np.maximum.reduce(best, axis=None)):
        code, best = _search(x, windows, careful=True)
    return code, best


def _search(x: Array, windows: list[list[Any]], *, careful: bool) -> tuple[Array, Array]:
    places = list(itertools.product(*windows))
    small: Any = np.uint8 if len(places) <= 256 else np.int64
    best = _picked(x, places[0]).copy()
    other, better = np.empty_like(best), np.empty(best.shape, bool)
    code = np.zeros(best.shape, small)
    for number, place in enumerate(places[1:], 1):
        # Copied once: three operations on strided elements would cost more.
        np.copyto(other, _picked(x, place))
        np.greater(other, best, out=better)
        if careful:
            better |= np.isnan(other)  # a nan is the maximum wherever it stands
        np.maximum(best, other, out=best)
        flags = better.view(np.uint8)
        # Numbers grow, so that the last place that was better is the largest.
        np.maximum(code, np.multiply(flags, number, dtype=small), out=code)
    return code, best


def _picked(x: Array, place: tuple[Any, ...]) -> Array:
    """The elements at one place of all windows."""
    if isinstance(place[0], slice):
        return x[(..., *place)]
    for axis, index in enumerate(place, -len(place)):
        x = x.take(index, axis=axis)
    return x


def adaptive_max_pool(x: Array, output_size: Dims) -> Array:
    return _maxima(x, _adaptive_windows(x.shape, output_size))


def adaptive_max_indices(x: Array, output_size: Dims) -> Array:
    windows = _adaptive_windows(x.shape, output_size)
    code, _ = _first(x, windows)
    out: Array = np.zeros((), np.int64)
    lengths = x.shape[-len(output_size) :]
    places = np.unravel_index(code, [len(window) for window in windows])
    for axis, (window, place) in enumerate(zip(windows, places, strict=True), -len(windows)):
        # A nan is found again where the last element of a shorter window is met again.
        found = np.minimum(place + upright(window[0], -axis - 1), upright(window[-1], -axis - 1))
        out = out * lengths[axis] + found
    return out


def _adaptive_windows(shape: Dims, output_size: Dims) -> list[list[Any]]:
    windows = []
    for length, size in zip(shape[-len(output_size) :], output_size, strict=True):
        starts, ends = shares(length, size)
        longest = int((ends - starts).max()) if size else 1
        # A shorter window meets its last element again, which is never better than itself.
        windows.append([np.minimum(starts + at, ends - 1) for at in range(longest)])
    return windows


def pool_put(g: Array, indices: Array, shape: Dims, rank: int) -> Array:
    plane = count(shape[-rank:])
    out = np.zeros(shape, g.dtype)
    np.add.at(out.reshape(-1), _flat(indices, plane, rank), g.reshape(-1))
    return out


def pool_pick(x: Array, indices: Array, rank: int) -> Array:
    plane = count(x.shape[-rank:])
    return x.reshape(-1).take(_flat(indices, plane, rank)).reshape(indices.shape)


def _flat(indices: Array, plane: int, rank: int) -> Array:
    """Places within planes as places in the whole array."""
    planes = count(indices.shape[:-rank])
    if not indices.size:
        return indices.reshape(-1)
    rows = indices.reshape(planes, -1)
    return (rows + np.arange(0, planes * plane, plane)[:, None]).reshape(-1)


max_pool1d = max_pool2d = max_pool3d = max_pool
adaptive_max_pool1d = adaptive_max_pool2d = adaptive_max_pool3d = adaptive_max_pool
