"""Sliding windows, and patches as columns."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from gradviz.backends.ndarray.kernels.convolution import padded, patches, positions, windows_of

Array = Any
Dims = tuple[int, ...]
Pairs = tuple[tuple[int, int], ...]


def unfold(x: Array, dim: int, size: int, step: int) -> Array:
    windows = np.lib.stride_tricks.sliding_window_view(x, size, axis=dim)
    return windows[(slice(None),) * dim + (slice(None, None, step),)]


def unfold_backward(g: Array, shape: Dims, dim: int, size: int, step: int) -> Array:
    out = np.zeros(shape, g.dtype)
    before = (slice(None),) * dim
    count = g.shape[dim]
    if size <= count:
        for at in range(size):
            out[(*before, slice(at, at + (count - 1) * step + 1, step))] += g[..., at]
        return out
    # Few long windows: one at a time.
    windows = np.moveaxis(np.moveaxis(g, dim, 0), -1, dim + 1)
    for at in range(count):
        out[(*before, slice(at * step, at * step + size))] += windows[at]
    return out


def unfold4d(x: Array, kernel_size: Dims, stride: Dims, padding: Pairs, dilation: Dims) -> Array:
    batched = x.ndim == 4
    grown = np.ascontiguousarray(padded(x if batched else x[None], padding))
    sizes = positions(grown.shape[2:], kernel_size, stride, dilation)
    view = patches(grown, kernel_size, stride, dilation, sizes)
    rows = grown.shape[1] * kernel_size[0] * kernel_size[1]
    out = view.reshape(grown.shape[0], rows, sizes[0] * sizes[1])
    return out if batched else out[0]


def fold4d(
    x: Array,
    output_size: Dims,
    kernel_size: Dims,
    stride: Dims,
    padding: Pairs,
    dilation: Dims,
) -> Array:
    batched = x.ndim == 3
    columns = x if batched else x[None]
    lengths = tuple(n + lo + hi for n, (lo, hi) in zip(output_size, padding, strict=True))
    sizes = positions(lengths, kernel_size, stride, dilation)
    channels = columns.shape[1] // (kernel_size[0] * kernel_size[1])
    blocks = columns.reshape(columns.shape[0], channels, *kernel_size, *sizes)
    out = np.zeros((columns.shape[0], channels, *lengths), x.dtype)
    down, across = windows_of(sizes, kernel_size, stride, dilation)
    for (i, row), (j, column) in itertools.product(enumerate(down), enumerate(across)):
        out[:, :, row, column] += blocks[:, :, i, j]
    inside = tuple(slice(lo, lo + n) for n, (lo, _) in zip(output_size, padding, strict=True))
    out = out[(slice(None), slice(None), *inside)]
    return out if batched else out[0]


def pixel_shuffle(x: Array, factor: int) -> Array:
    *lead, channels, height, width = x.shape
    made = channels // factor**2
    split = x.reshape(*lead, made, factor, factor, height, width)
    at = len(lead)
    order = (*range(at), at, at + 3, at + 1, at + 4, at + 2)
    return split.transpose(order).reshape(*lead, made, height * factor, width * factor)


def pixel_unshuffle(x: Array, factor: int) -> Array:
    *lead, channels, height, width = x.shape
    rows, columns = height // factor, width // factor
    split = x.reshape(*lead, channels, rows, factor, columns, factor)
    at = len(lead)
    order = (*range(at), at, at + 2, at + 4, at + 1, at + 3)
    return split.transpose(order).reshape(*lead, channels * factor**2, rows, columns)
