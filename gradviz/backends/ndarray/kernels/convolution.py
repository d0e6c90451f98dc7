"""Convolutions and their adjoints, of any number of spatial dimensions.

Patches are laid out as the columns of a matrix, one block of samples at a time so that the block
stays in the processor's cache, and multiplied by the weight. The transposed convolution multiplies
first and adds its columns up into patches. Padding is a `(before, after)` pair for each spatial
dimension; a negative width cuts.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

Array = Any
Dims = tuple[int, ...]
Pairs = tuple[tuple[int, int], ...]

_BLOCK = 1 << 17
"""Elements of a block of columns: half a megabyte of float32."""
_SHORT_ROW = 96
"""Rows shorter than this are added up flat, several at a time."""


def convolve(
    x: Array,
    weight: Array,
    bias: Array | None,
    stride: Dims,
    padding: Pairs,
    dilation: Dims,
    groups: int,
) -> Array:
    rank = weight.ndim - 2
    if x.dtype.itemsize == 2:
        # Half precision has no fast product, and would lose digits in the sums.
        wide = None if bias is None else _single(bias)
        args = (stride, padding, dilation, groups)
        return convolve(_single(x), _single(weight), wide, *args).astype(x.dtype)
    batched = x.ndim == rank + 2
    grown = padded(x if batched else x[None], padding)
    kernel = weight.shape[2:]
    sizes = _positions(grown.shape[2:], kernel, stride, dilation)
    out = np.empty((grown.shape[0], weight.shape[0], *sizes), x.dtype)
    matrix = weight.reshape(groups, weight.shape[0] // groups, -1)
    places = out.reshape(out.shape[0], groups, matrix.shape[1], _count(sizes))
    for at, columns in _blocks(grown, kernel, stride, dilation, groups, sizes):
        np.matmul(matrix, columns, out=places[at])
    if bias is not None:
        out += bias.reshape(-1, *(1,) * rank)
    return out if batched else out[0]


def conv_weight_backward(
    x: Array,
    dout: Array,
    shape: Dims,
    stride: Dims,
    padding: Pairs,
    dilation: Dims,
    groups: int,
) -> Array:
    rank = len(shape) - 2
    if x.dtype.itemsize == 2:
        args = (shape, stride, padding, dilation, groups)
        return conv_weight_backward(_single(x), _single(dout), *args).astype(x.dtype)
    if x.ndim == rank + 1:
        x, dout = x[None], dout[None]
    grown = padded(x, padding)
    sizes = dout.shape[2:]
    given = dout.reshape(dout.shape[0], groups, shape[0] // groups, _count(sizes))
    total: Array = None
    for at, columns in _blocks(grown, shape[2:], stride, dilation, groups, sizes):
        part = np.matmul(given[at], columns.swapaxes(-1, -2))
        part = part[0] if part.shape[0] == 1 else np.add.reduce(part, axis=0)
        if total is None:
            total = part
        else:
            total += part
    return np.zeros(shape, x.dtype) if total is None else total.reshape(shape)


def conv_transpose(
    x: Array,
    weight: Array,
    bias: Array | None,
    stride: Dims,
    padding: Pairs,
    output_padding: Dims,
    dilation: Dims,
    groups: int,
) -> Array:
    rank = weight.ndim - 2
    if x.dtype.itemsize == 2:
        wide = None if bias is None else _single(bias)
        args = (stride, padding, output_padding, dilation, groups)
        return conv_transpose(_single(x), _single(weight), wide, *args).astype(x.dtype)
    batched = x.ndim == rank + 2
    if not batched:
        x = x[None]
    kernel = weight.shape[2:]
    spans = tuple(
        (n - 1) * s + d * (k - 1) + 1
        for n, k, s, d in zip(x.shape[2:], kernel, stride, dilation, strict=True)
    )
    # Where padding leaves room after the last patch, the result is longer than the patches reach.
    sizes = tuple(
        n - lo - hi + extra
        for n, (lo, hi), extra in zip(spans, padding, output_padding, strict=True)
    )
    lengths = tuple(
        max(n, lo + size) for n, (lo, _), size in zip(spans, padding, sizes, strict=True)
    )
    channels = weight.shape[1] * groups
    # All channels of one place in the window lie together, so that they are added in one go.
    matrix = weight.reshape(groups, weight.shape[0] // groups, weight.shape[1], -1)
    matrix = matrix.transpose(0, 3, 2, 1).reshape(groups, -1, matrix.shape[1])
    out = _scattered(x, matrix, (x.shape[0], channels, *lengths), kernel, stride, dilation)
    if any(lo < 0 for lo, _ in padding):
        # What a negative width cut off the input gets nothing.
        front = tuple((max(-lo, 0), 0) for lo, _ in padding)
        out = padded(out, front)
        padding = tuple((max(lo, 0), hi) for lo, hi in padding)
    inside = tuple(slice(lo, lo + size) for (lo, _), size in zip(padding, sizes, strict=True))
    out = out[(slice(None), slice(None), *inside)]
    if bias is not None:
        out = out + bias.reshape(-1, *(1,) * rank)
    return out if batched else out[0]


def _scattered(
    x: Array, matrix: Array, shape: Dims, kernel: Dims, stride: Dims, dilation: Dims
) -> Array:
    """The product of the weight's columns with `x`, every column added up where its patch lies."""
    batch, channels, *lengths = shape
    groups = matrix.shape[0]
    spatial = x.shape[2:]
    if not x.size:
        return np.zeros(shape, x.dtype)
    if _count(kernel) == 1 and spatial == tuple(lengths):
        return np.matmul(matrix, x.reshape(batch, groups, x.shape[1] // groups, -1)).reshape(shape)
    if not any(step > 1 for step in stride) and spatial[-1] < _SHORT_ROW and len(spatial) > 1:
        return _scattered_flat(x, matrix, shape, kernel, dilation)
    out = np.zeros((batch, groups, channels // groups, *lengths), x.dtype)
    offsets = list(itertools.product(*(range(k) for k in kernel)))
    samples = x.reshape(batch, groups, x.shape[1] // groups, -1)
    for at in _slices(batch, matrix.shape[0] * matrix.shape[1] * samples.shape[-1]):
        columns = np.matmul(matrix, samples[at])
        columns = columns.reshape(-1, groups, len(offsets), channels // groups, *spatial)
        for number, offset in enumerate(offsets):
            place = tuple(
                slice(i * d, i * d + (n - 1) * s + 1, s)
                for i, d, n, s in zip(offset, dilation, spatial, stride, strict=True)
            )
            view = out[(at, slice(None), slice(None), *place)]
            np.add(view, columns[:, :, number], out=view)
    return out.reshape(shape)


def _scattered_flat(x: Array, matrix: Array, shape: Dims, kernel: Dims, dilation: Dims) -> Array:
    """The same for steps of 1: rows get the result's length, so that a patch is one flat shift."""
    batch, channels, *lengths = shape
    groups = matrix.shape[0]
    wide = np.zeros((batch, x.shape[1], x.shape[2], *lengths[1:]), x.dtype)
    wide[(..., *(slice(n) for n in x.shape[3:]))] = x
    samples = wide.reshape(batch, groups, x.shape[1] // groups, -1)
    steps = [1]
    for length in reversed(lengths[1:]):
        steps.insert(0, steps[0] * length)
    shifts = [
        sum(i * d * step for i, d, step in zip(offset, dilation, steps, strict=True))
        for offset in itertools.product(*(range(k) for k in kernel))
    ]
    span, whole = samples.shape[-1], _count(tuple(lengths))
    flat = np.zeros((batch, groups, channels // groups, max(shifts[-1] + span, whole)), x.dtype)
    for at in _slices(batch, matrix.shape[0] * matrix.shape[1] * span):
        columns = np.matmul(matrix, samples[at])
        columns = columns.reshape(-1, groups, len(shifts), channels // groups, span)
        for number, shift in enumerate(shifts):
            view = flat[at, :, :, shift : shift + span]
            np.add(view, columns[:, :, number], out=view)
    return flat[..., :whole].reshape(shape)


def padded(x: Array, widths: Pairs, value: float = 0) -> Array:
    """The last dimensions of an array with a border; the array itself where there is none."""
    if not any(lo or hi for lo, hi in widths):
        return x
    lead = x.ndim - len(widths)
    shape = list(x.shape)
    source: list[Any] = [slice(None)] * lead
    target: list[Any] = [slice(None)] * lead
    for at, (lo, hi) in enumerate(widths, lead):
        source.append(slice(max(-lo, 0), x.shape[at] - max(-hi, 0)))
        target.append(slice(max(lo, 0), x.shape[at] + lo - max(-hi, 0)))
        shape[at] += lo + hi
    out = np.zeros(shape, x.dtype) if value == 0 else np.full(shape, value, x.dtype)
    out[tuple(target)] = x[tuple(source)]
    return out


def patches(x: Array, kernel: Dims, stride: Dims, dilation: Dims, sizes: Dims) -> Array:
    """A view (batch, channels, *kernel, *positions) of a contiguous (batch, channels, *spatial)."""
    steps = x.strides[2:]
    return np.ndarray(
        (*x.shape[:2], *kernel, *sizes),
        x.dtype,
        x,
        strides=(
            *x.strides[:2],
            *(d * step for d, step in zip(dilation, steps, strict=True)),
            *(s * step for s, step in zip(stride, steps, strict=True)),
        ),
    )


def _blocks(x: Array, kernel: Dims, stride: Dims, dilation: Dims, groups: int, sizes: Dims) -> Any:
    """Blocks of samples with their columns, (batch, groups, channels of a group * kernel, positions)."""
    batch, channels = x.shape[:2]
    rows, positions = channels * _count(kernel), _count(sizes)
    if not positions or not batch:
        return
    x = np.ascontiguousarray(x)
    if _count(kernel) == 1 and sizes == x.shape[2:]:
        yield slice(None), x.reshape(batch, groups, rows // groups, positions)
        return
    view = patches(x, kernel, stride, dilation, sizes)
    buffer: Array = None
    for at in _slices(batch, rows * positions):
        block = view[at]
        if buffer is None or buffer.shape[0] != block.shape[0]:
            buffer = np.empty(block.shape, x.dtype)
        buffer[...] = block
        yield at, buffer.reshape(block.shape[0], groups, rows // groups, positions)


def _slices(batch: int, size: int) -> list[slice]:
    """Slices of a batch that keep a block of columns, `size` for each sample, in the cache."""
    step = max(_BLOCK // max(size, 1), 1)
    return [slice(start, min(start + step, batch)) for start in range(0, batch, step)]


def _positions(lengths: Dims, kernel: Dims, stride: Dims, dilation: Dims) -> Dims:
    return tuple(
        (n - d * (k - 1) - 1) // s + 1
        for n, k, s, d in zip(lengths, kernel, stride, dilation, strict=True)
    )


def _count(sizes: Dims) -> int:
    total = 1
    for size in sizes:
        total *= size
    return total


def _single(x: Array) -> Array:
    return x.astype(np.float32)


conv1d = conv2d = conv3d = convolve
conv_transpose1d = conv_transpose2d = conv_transpose3d = conv_transpose
