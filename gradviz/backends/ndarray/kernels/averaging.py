"""Average pooling, over fixed windows and over shares of a dimension, one dimension at a time."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from gradviz.backends.ndarray.kernels.convolution import padded, upright, windows_of
from gradviz.backends.ndarray.kernels.pooling import at_axis, bordered, overhang, shares

Array = Any
Dims = tuple[int, ...]


def avg_pool(
    x: Array,
    kernel_size: Dims,
    stride: Dims,
    padding: Dims,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int | None,
) -> Array:
    ones = (1,) * len(kernel_size)
    total, windows = bordered(x, kernel_size, stride, padding, ones, ceil_mode, 0)
    for axis, places in enumerate(windows, -len(ones)):
        first = total[at_axis(axis, places[0])]
        if len(places) > 1:
            sums = first + total[at_axis(axis, places[1])]
            for place in places[2:]:
                sums += total[at_axis(axis, place)]
            first = sums
        total = first
    lengths, counts = x.shape[-len(ones) :], total.shape[-len(ones) :]
    return total / _divisor(
        lengths, counts, kernel_size, stride, padding, count_include_pad, divisor_override, x.dtype
    )


def avg_pool_backward(
    g: Array,
    shape: Dims,
    kernel_size: Dims,
    stride: Dims,
    padding: Dims,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int | None,
) -> Array:
    rank = len(kernel_size)
    lengths, counts = shape[-rank:], g.shape[-rank:]
    d = g / _divisor(
        lengths, counts, kernel_size, stride, padding, count_include_pad, divisor_override, g.dtype
    )
    windows = windows_of(counts, kernel_size, stride, (1,) * rank)
    for axis in range(-rank, 0):
        _, hi = overhang(
            lengths[axis], kernel_size[axis], stride[axis], padding[axis], 1, ceil_mode
        )
        grown = list(d.shape)
        grown[axis] = padding[axis] + lengths[axis] + hi
        wide = np.zeros(grown, d.dtype)
        for place in windows[axis]:
            wide[at_axis(axis, place)] += d
        d = wide[at_axis(axis, slice(padding[axis], padding[axis] + lengths[axis]))]
    return d


@functools.lru_cache(maxsize=64)
def _divisor(
    lengths: Dims,
    counts: Dims,
    kernel: Dims,
    stride: Dims,
    padding: Dims,
    count_include_pad: bool,
    divisor_override: int | None,
    dtype: Any,
) -> Any:
    """How many elements each window counts; one number where all count the same."""
    if divisor_override is not None:
        return dtype.type(divisor_override)
    out: Array = np.ones((), np.int64)
    for n, count, k, s, p in zip(lengths, counts, kernel, stride, padding, strict=True):
        starts = np.arange(count) * s - p
        ends = np.minimum(starts + k, n + p)
        inside = ends - starts
        if not count_include_pad:
            inside = np.minimum(ends, n) - np.maximum(starts, 0)
        out = out[..., None] * inside
    if out.size and (out == out.flat[0]).all():
        return dtype.type(out.flat[0])
    return out.astype(dtype)


def adaptive_avg_pool(x: Array, output_size: Dims) -> Array:
    for axis, size in enumerate(output_size, -len(output_size)):
        length = x.shape[axis]
        if length == size:
            continue
        if size and length % size == 0:
            x = _blocks(x, axis, size).mean(axis=axis)
        else:
            starts, ends = shares(length, size)
            x = _share_sums(x, axis, size) / upright((ends - starts).astype(x.dtype), -axis - 1)
    return x


def adaptive_avg_pool_backward(g: Array, shape: Dims, output_size: Dims) -> Array:
    for axis, size in enumerate(output_size, -len(output_size)):
        length = shape[axis]
        if length == size:
            continue
        starts, ends = shares(length, size)
        # An element's windows are shares as well, with the two sizes exchanged.
        g = _share_sums(g / upright((ends - starts).astype(g.dtype), -axis - 1), axis, length)
    return g


def _blocks(x: Array, axis: int, size: int) -> Array:
    """One dimension as (size, rest)."""
    at = x.ndim + axis
    return x.reshape(*x.shape[:at], size, x.shape[at] // size, *x.shape[at + 1 :])


def _share_sums(x: Array, axis: int, size: int) -> Array:
    """Sums over the windows that share out a dimension."""
    length = x.shape[axis]
    if size % max(length, 1) == 0 and length:
        return np.repeat(x, size // length, axis=axis)
    starts, ends = shares(length, size)
    # A zero after the end, because an end is an index here.
    grown = padded(x, ((0, 1), *((0, 0),) * (-axis - 1)))
    pairs = np.stack([starts, ends], 1).reshape(-1)
    return np.add.reduceat(grown, pairs, axis=axis)[at_axis(axis, slice(None, None, 2))]


avg_pool1d = avg_pool2d = avg_pool3d = avg_pool
adaptive_avg_pool1d = adaptive_avg_pool2d = adaptive_avg_pool3d = adaptive_avg_pool
