"""Pooling, one dimension after the other: maxima and sums over windows are separable.

So a 3x3 window takes four steps instead of eight. The place of a maximum is found the same way: the
first one in each row, then the first row, which together are the first in reading order.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from gradviz.backends.ndarray.kernels.convolution import padded
from gradviz.ops.pooling import pooled

Array = Any
Dims = tuple[int, ...]
_add_reduce = np.add.reduce


def overhang(
    length: int, kernel: int, stride: int, padding: int, dilation: int, ceil_mode: bool
) -> tuple[int, int]:
    """How many windows lie along a dimension, and the border they need after its end."""
    count = pooled(length, kernel, stride, padding, dilation, ceil_mode)
    last = (count - 1) * stride + dilation * (kernel - 1) + 1
    return count, max(last - length - padding, 0)


def at_axis(axis: int, place: Any) -> tuple[Any, ...]:
    """An index for one of the last dimensions, -1 being the last."""
    return (Ellipsis, place, *(slice(None),) * (-axis - 1))


def windows_of(counts: Dims, kernel: Dims, stride: Dims, dilation: Dims) -> list[list[Any]]:
    """For each dimension one index for each place in the window: the elements of all windows."""
    return [
        [slice(j * d, j * d + (count - 1) * s + 1, s) for j in range(k)]
        for count, k, s, d in zip(counts, kernel, stride, dilation, strict=True)
    ]


def _lowest(dtype: Any) -> Any:
    return -np.inf if dtype.kind == "f" else np.iinfo(dtype).min


def bordered(
    x: Array, kernel: Dims, stride: Dims, padding: Dims, dilation: Dims, ceil_mode: bool, value: Any
) -> tuple[Array, Dims]:
    """The input with its border, and how many windows lie along each dimension."""
    lengths = x.shape[-len(kernel) :]
    found = [
        overhang(n, k, s, p, d, ceil_mode)
        for n, k, s, p, d in zip(lengths, kernel, stride, padding, dilation, strict=True)
    ]
    counts = tuple(count for count, _ in found)
    if kernel == stride and not any(padding) and not any(hi for _, hi in found):
        # Without the rest at the end, all rows together are one long strided loop.
        used = tuple(count * k for count, k in zip(counts, kernel, strict=True))
        if used == lengths:
            return x, counts
        return np.ascontiguousarray(x[(..., *(slice(n) for n in used))]), counts
    widths = tuple((p, hi) for p, (_, hi) in zip(padding, found, strict=True))
    return padded(x, widths, value), counts


@functools.lru_cache(maxsize=64)
def shares(length: int, size: int) -> tuple[Array, Array]:
    """Starts and ends of `size` windows that share out a dimension, overlapping where they must."""
    at = np.arange(size)
    return at * length // size, -(-(at + 1) * length // size)


def max_pool(
    x: Array, kernel_size: Dims, stride: Dims, padding: Dims, dilation: Dims, ceil_mode: bool
) -> Array:
    lowest = _lowest(x.dtype)
    out, counts = bordered(x, kernel_size, stride, padding, dilation, ceil_mode, lowest)
    windows = windows_of(counts, kernel_size, stride, dilation)
    return _maxima(out, windows)


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
    grown, counts = bordered(x, kernel_size, stride, padding, dilation, ceil_mode, lowest)
    codes, best = _codes(grown, windows_of(counts, kernel_size, stride, dilation))
    lengths = x.shape[-len(kernel_size) :]
    if any(padding) and np.any(best == lowest):
        return _inside(codes, lengths, counts, stride, padding, dilation)
    code = codes[0]
    size = kernel_size[0]
    for kernel, inner in zip(kernel_size[1:], codes[1:], strict=True):
        size *= kernel
        wide: Any = np.uint8 if size <= 256 else np.int64
        code = np.multiply(code, kernel, dtype=wide)
        code += inner
    out: Array = _offsets(kernel_size, dilation, lengths).take(code)
    out += _starts(lengths, counts, stride, padding)
    return out


@functools.lru_cache(maxsize=64)
def _offsets(kernel: Dims, dilation: Dims, lengths: Dims) -> Array:
    """How far every place of a window lies from its first element."""
    out: Array = np.zeros(1, np.int64)
    for k, d, n in zip(kernel, dilation, lengths, strict=True):
        out = (out[:, None] * n + np.arange(k) * d).reshape(-1)
    return out


def _inside(
    codes: list[Array], lengths: Dims, counts: Dims, stride: Dims, padding: Dims, dilation: Dims
) -> Array:
    """Flat places from places in windows; a window of lowest values points to its first element."""
    out: Array = 0
    step = 1
    for axis in range(-1, -len(codes) - 1, -1):
        starts = np.arange(counts[axis]) * stride[axis] - padding[axis]
        place = codes[axis].astype(np.int64) * dilation[axis]
        place += starts.reshape(-1, *(1,) * (-axis - 1))
        outside = place < 0
        if outside.any():
            place[outside] %= dilation[axis]
        out = out + place * step
        step *= lengths[axis]
    return out


@functools.lru_cache(maxsize=64)
def _starts(lengths: Dims, counts: Dims, stride: Dims, padding: Dims) -> Array:
    """The place of every window's first element, counted through the spatial dimensions."""
    out: Array = np.zeros((), np.int64)
    for n, count, s, p in zip(lengths, counts, stride, padding, strict=True):
        out = out[..., None] * n + (np.arange(count) * s - p)
    return out


def _codes(x: Array, windows: list[list[Any]]) -> tuple[list[Array], Array]:
    """Where in its window each maximum stands first, a small whole number for each dimension."""
    codes, best = _search(x, windows, careful=False)
    if best.dtype.kind == "f" and best.size and np.isnan(np.maximum.reduce(best, axis=None)):
        codes, _ = _search(x, windows, careful=True)
    return codes, best


def _search(x: Array, windows: list[list[Any]], *, careful: bool) -> tuple[list[Array], Array]:
    codes: list[Array] = []
    for axis in range(-1, -len(windows) - 1, -1):
        places = windows[axis]
        best = x[at_axis(axis, places[0])]
        small: Any = np.uint8 if len(places) <= 256 else np.uint32
        own = np.zeros(best.shape, small) if len(places) == 1 else None
        kept = [code[at_axis(axis, places[0])] for code in codes]
        for number, place in enumerate(places[1:], 1):
            other = x[at_axis(axis, place)]
            better = other > best
            if careful:
                better |= np.isnan(other)  # a nan is the maximum wherever it stands
            best = np.maximum(best, other)
            flags = better.view(np.uint8).astype(small, copy=False)
            # Places grow, so that the last one wins.
            own = flags if number == 1 else np.maximum(own, flags * small(number))
            kept = [
                _chosen(better, code[at_axis(axis, place)], mine)
                for code, mine in zip(codes, kept, strict=True)
            ]
        codes = [own, *kept]
        x = best
    return codes, x


def _chosen(better: Array, other: Array, mine: Array) -> Array:
    """`where(better, other, mine)` without branches, which random masks make slow."""
    mask = np.negative(better.view(np.uint8).astype(mine.dtype, copy=False))
    out = np.bitwise_xor(mine, other)
    out &= mask
    out ^= mine
    return out


def adaptive_max_pool(x: Array, output_size: Dims) -> Array:
    return _maxima(x, _adaptive_windows(x.shape, output_size))


def adaptive_max_indices(x: Array, output_size: Dims) -> Array:
    windows = _adaptive_windows(x.shape, output_size)
    out: Array = 0
    step = 1
    rank = len(output_size)
    codes, _ = _codes(x, windows)
    for axis in range(-1, -rank - 1, -1):
        starts = windows[axis][0].reshape(-1, *(1,) * (-axis - 1))
        out = out + (codes[axis].astype(np.int64) + starts) * step
        step *= x.shape[axis]
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
    plane = 1
    for length in shape[-rank:]:
        plane *= length
    out = np.zeros(shape, g.dtype)
    np.add.at(out.reshape(-1), _flat(indices, plane, rank), g.reshape(-1))
    return out


def pool_pick(x: Array, indices: Array, rank: int) -> Array:
    plane = 1
    for length in x.shape[-rank:]:
        plane *= length
    return x.reshape(-1).take(_flat(indices, plane, rank)).reshape(indices.shape)


def _flat(indices: Array, plane: int, rank: int) -> Array:
    """Places within planes as places in the whole array."""
    planes = 1
    for length in indices.shape[:-rank]:
        planes *= length
    if not indices.size:
        return indices.reshape(-1)
    rows = indices.reshape(planes, -1)
    return (rows + np.arange(0, planes * plane, plane)[:, None]).reshape(-1)


max_pool1d = max_pool2d = max_pool3d = max_pool
adaptive_max_pool1d = adaptive_max_pool2d = adaptive_max_pool3d = adaptive_max_pool
