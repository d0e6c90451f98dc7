"""Convolutions and their adjoints, of any number of spatial dimensions.

Patches are laid out as the columns of a matrix, one block of samples at a time so that the block
stays in the processor's cache, and multiplied by the weight. The transposed convolution multiplies
first and adds its columns up into patches. Padding is a `(before, after)` pair for each spatial
dimension; a negative width cuts.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from gradviz.core.shape import count

Array = Any
Dims = tuple[int, ...]
Pairs = tuple[tuple[int, int], ...]

_BLOCK = 1 << 15
"""Elements of a block of columns: an eighth of a megabyte of float32."""
CACHED = 1 << 17
"""Elements that are still in the cache when they are gone through once more."""
_SHORT_ROW = 48
"""Rows up to this length are laid out flat, several at a time."""


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
    spatial, kernel = grown.shape[2:], weight.shape[2:]
    sizes = positions(spatial, kernel, stride, dilation)
    # Laid out flat, the rows of the result are as long as those of the input; the rest is cut off,
    # which is one more pass: not worth it outside the cache.
    small = grown.shape[0] * weight.shape[0] * count(sizes) <= CACHED
    rows = _rows(spatial, sizes, kernel, stride) if small else sizes
    out: Array = np.empty((grown.shape[0], weight.shape[0], *rows), x.dtype)
    matrix = weight.reshape(groups, weight.shape[0] // groups, -1)
    places = out.reshape(out.shape[0], groups, matrix.shape[1], count(rows))
    for at, columns in _blocks(grown, kernel, stride, dilation, groups, sizes, rows):
        np.matmul(matrix, columns, out=places[at, :, :, : columns.shape[-1]])
    if rows != sizes:
        out = out[(..., *(slice(n) for n in sizes))]
        # One pass cuts and adds.
        out = np.ascontiguousarray(out) if bias is None else out + upright(bias, rank)
    elif bias is not None:
        out += upright(bias, rank)
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
    spatial, sizes = grown.shape[2:], dout.shape[2:]
    rows = _rows(spatial, sizes, shape[2:], stride)
    total: Array = None
    for at, columns in _blocks(grown, shape[2:], stride, dilation, groups, sizes, rows):
        given = _widened(dout[at], rows)
        given = given.reshape(given.shape[0], groups, shape[0] // groups, count(rows))
        part = np.matmul(given[..., : columns.shape[-1]], columns.swapaxes(-1, -2))
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
    if max(stride) == 1 and _gathers(x, weight, groups):
        around = _around(kernel, padding, output_padding, dilation)
        flipped = _flipped(weight, groups)
        met = convolve(x, flipped, bias, stride, around, dilation, groups)
        return met if batched else met[0]
    sizes, lengths = _laid(x.shape[2:], kernel, stride, padding, output_padding, dilation)
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
        out = out + upright(bias, rank)
    return out if batched else out[0]


def _gathers(x: Array, weight: Array, groups: int) -> bool:
    """Whether collecting what falls on each place beats adding up patches, where both can be done.

    The products are the same. Collecting lays out as many rows as the input has channels, adding up
    as many as the result has, which it then goes through once more; inside the cache that counts
    for more than the rows.
    """
    given, made = x.shape[1] // groups, weight.shape[1]
    inside = x.size * count(weight.shape[2:]) <= 2 * CACHED
    return bool(given <= (2 * made if inside else made))


def _around(kernel: Dims, padding: Pairs, output_padding: Dims, dilation: Dims) -> Pairs:
    """What has to stand around an input, so that every patch that touches it is met."""
    sides = zip(kernel, padding, output_padding, dilation, strict=True)
    return tuple(
        ((k - 1) * step - lo, (k - 1) * step - hi + more) for k, (lo, hi), more, step in sides
    )


def _flipped(weight: Array, groups: int) -> Array:
    """A weight that is read backwards, with its inputs and outputs exchanged."""
    backwards: tuple[Any, ...] = (..., *(slice(None, None, -1) for _ in weight.shape[2:]))
    parts = weight.reshape(groups, weight.shape[0] // groups, *weight.shape[1:])
    parts = parts.swapaxes(1, 2)[backwards]
    shape = (groups * parts.shape[1], parts.shape[2], *weight.shape[2:])
    return np.ascontiguousarray(parts).reshape(shape)


def _scattered(
    x: Array, matrix: Array, shape: Dims, kernel: Dims, stride: Dims, dilation: Dims
) -> Array:
    """The product of the weight's columns with `x`, every column added up where its patch lies."""
    batch, channels, *lengths = shape
    groups = matrix.shape[0]
    spatial = x.shape[2:]
    if not x.size:
        return np.zeros(shape, x.dtype)
    if count(kernel) == 1 and spatial == tuple(lengths):
        return np.matmul(matrix, x.reshape(batch, groups, x.shape[1] // groups, -1)).reshape(shape)
    if (rows := _rows(tuple(lengths), spatial, kernel, stride)) != spatial:
        return _scattered_flat(_widened(x, rows), matrix, shape, kernel, dilation)
    out = np.zeros((batch, groups, channels // groups, *lengths), x.dtype)
    places = list(itertools.product(*windows_of(spatial, kernel, stride, dilation)))
    samples = x.reshape(batch, groups, x.shape[1] // groups, -1)
    for at in _slices(batch, matrix.shape[0] * matrix.shape[1] * samples.shape[-1]):
        columns = np.matmul(matrix, samples[at])
        columns = columns.reshape(-1, groups, len(places), channels // groups, *spatial)
        for number, place in enumerate(places):
            view = out[(at, slice(None), slice(None), *place)]
            np.add(view, columns[:, :, number], out=view)
    return out.reshape(shape)


def _scattered_flat(x: Array, matrix: Array, shape: Dims, kernel: Dims, dilation: Dims) -> Array:
    """The same where rows are as long as the result's, so that a patch is one flat shift."""
    batch, channels, *lengths = shape
    groups = matrix.shape[0]
    samples = x.reshape(batch, groups, x.shape[1] // groups, -1)
    shifts = _shifts(kernel, dilation, tuple(lengths))
    span, whole = samples.shape[-1], count(tuple(lengths))
    flat = np.zeros((batch, groups, channels // groups, max(shifts[-1] + span, whole)), x.dtype)
    for at in _slices(batch, matrix.shape[0] * matrix.shape[1] * span):
        columns = np.matmul(matrix, samples[at])
        columns = columns.reshape(-1, groups, len(shifts), channels // groups, span)
        for number, shift in enumerate(shifts):
            view = flat[at, :, :, shift : shift + span]
            np.add(view, columns[:, :, number], out=view)
    return flat[..., :whole].reshape(shape)


def _rows(lengths: Dims, sizes: Dims, kernel: Dims, stride: Dims) -> Dims:
    """Sizes to lay positions out in: flat, in rows of the input's length, where they are short.

    Short rows make short loops, which cost more than the product with some positions too many.
    """
    if len(sizes) < 2 or sizes[-1] > _SHORT_ROW or count(kernel) == 1 or max(stride) > 1:
        return sizes
    return (sizes[0], *lengths[1:])


def _widened(x: Array, rows: Dims) -> Array:
    """The last dimensions filled up with zeros."""
    if x.shape[2:] == rows:
        return x
    out = np.zeros((*x.shape[:2], *rows), x.dtype)
    inside: tuple[Any, ...] = (..., *(slice(n) for n in x.shape[2:]))
    out[inside] = x
    return out


@functools.lru_cache(maxsize=64)
def _shifts(kernel: Dims, dilation: Dims, lengths: Dims) -> list[int]:
    """How far each place of a window lies from its first, counted through the dimensions."""
    found = [0]
    for k, d, n in zip(kernel, dilation, lengths, strict=True):
        found = [shift * n + at * d for shift in found for at in range(k)]
    return found


@functools.lru_cache(maxsize=64)
def _laid(
    spatial: Dims,
    kernel: Dims,
    stride: Dims,
    padding: Pairs,
    output_padding: Dims,
    dilation: Dims,
) -> tuple[Dims, Dims]:
    """Sizes of a transposed convolution's result, and of the array that holds all patches."""
    spans = tuple(
        (n - 1) * s + d * (k - 1) + 1
        for n, k, s, d in zip(spatial, kernel, stride, dilation, strict=True)
    )
    sizes = tuple(
        n - lo - hi + extra
        for n, (lo, hi), extra in zip(spans, padding, output_padding, strict=True)
    )
    # Where padding leaves room after the last patch, the result is longer than the patches reach.
    lengths = tuple(
        max(n, lo + size) for n, (lo, _), size in zip(spans, padding, sizes, strict=True)
    )
    return sizes, lengths


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


def _blocks(
    x: Array, kernel: Dims, stride: Dims, dilation: Dims, groups: int, sizes: Dims, layout: Dims
) -> Iterator[tuple[slice, Array]]:
    """Blocks of samples with their columns, (batch, groups, channels * kernel, positions).

    Positions are laid out as `layout` says, see `_rows`.
    """
    batch, channels = x.shape[:2]
    rows, positions = channels * count(kernel), count(sizes)
    if not positions or not batch:
        return
    x = np.ascontiguousarray(x)
    if count(kernel) == 1 and sizes == x.shape[2:]:
        yield slice(None), x.reshape(batch, groups, rows // groups, positions)
        return
    if layout != sizes:
        # From the first position to the last, those between the rows included.
        steps = [step // x.itemsize for step in x.strides[2:]]
        positions = sum((n - 1) * step for n, step in zip(sizes, steps, strict=True)) + 1
        gaps = (d * step for d, step in zip(dilation, x.strides[2:], strict=True))
        strides = (*x.strides[:2], *gaps, x.itemsize)
        view = np.ndarray((batch, channels, *kernel, positions), x.dtype, x, strides=strides)
    else:
        view = patches(x, kernel, stride, dilation, sizes)
    buffer: Array = None
    for at in _slices(batch, rows * positions):
        block = view[at]
        if buffer is None or buffer.shape[0] != block.shape[0]:
            buffer = np.empty(block.shape, x.dtype)
        buffer[...] = block
        yield at, buffer.reshape(block.shape[0], groups, rows // groups, positions)


def upright(values: Array, after: int) -> Array:
    """A vector along the dimension that has `after` others behind it."""
    return values.reshape(-1, *(1,) * after)


def windows_of(counts: Dims, kernel: Dims, stride: Dims, dilation: Dims) -> list[list[slice]]:
    """For each dimension one index for each place in the window: the elements of all windows."""
    return [
        [slice(j * d, j * d + (n - 1) * s + 1, s) for j in range(k)]
        for n, k, s, d in zip(counts, kernel, stride, dilation, strict=True)
    ]


def _slices(batch: int, size: int) -> list[slice]:
    """Slices of a batch that keep a block of columns, `size` for each sample, in the cache."""
    step = max(_BLOCK // max(size, 1), 1)
    return [slice(start, min(start + step, batch)) for start in range(0, batch, step)]


def positions(lengths: Dims, kernel: Dims, stride: Dims, dilation: Dims) -> Dims:
    """How many windows lie along each dimension."""
    return tuple(
        (n - d * (k - 1) - 1) // s + 1
        for n, k, s, d in zip(lengths, kernel, stride, dilation, strict=True)
    )


def _single(x: Array) -> Array:
    return x.astype(np.float32)


conv1d = conv2d = conv3d = convolve
conv_transpose1d = conv_transpose2d = conv_transpose3d = conv_transpose
