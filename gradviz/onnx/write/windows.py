"""Sliding windows, and patches as columns."""

from __future__ import annotations

from typing import Any

from gradviz.onnx.builder import Builder, size_of
from gradviz.onnx.registry import plain, writes
from gradviz.onnx.value import Value
from gradviz.onnx.write.convolution import pads_of
from gradviz.onnx.write.indexing import added_at
from gradviz.onnx.write.movement import padded

Dims = tuple[int, ...]
Pairs = tuple[tuple[int, int], ...]


def _table(b: Builder, rows: int, row_step: int, columns: int, column_step: int) -> Any:
    """Places of a grid of windows: `row * row_step + column * column_step`."""
    values = [row * row_step + at * column_step for row in range(rows) for at in range(columns)]
    return b.constant(values, "int64", (rows, columns))


@writes("unfold")
def unfold(b: Builder, x: Value, dim: int, size: int, step: int) -> Any:
    (count,) = b.fixed((b.out[0].shape[dim],))
    found = b.Gather(x, _table(b, count, step, size, 1), axis=dim)
    order = [at for at in range(x.rank + 1) if at != dim + 1] + [dim + 1]
    return b.transpose(found, order)


@writes("unfold_backward")
def unfold_backward(b: Builder, g: Value, shape: Dims, dim: int, size: int, step: int) -> Any:
    (count,) = b.fixed((g.dims[dim],))
    rest = [n for at, n in enumerate(shape) if at != dim]
    order = [dim, g.rank - 1, *(at for at in range(g.rank - 1) if at != dim)]
    values = b.reshape(b.transpose(g, order), [count * size, *rest])
    places = _table(b, count, step, size, 1)
    return added_at(b, b.full(0, g.dtype, shape), len(shape), places, values, dim, "add")


@writes("unfold4d")
def unfold4d(
    b: Builder, x: Value, kernel_size: Dims, stride: Dims, padding: Pairs, dilation: Dims
) -> Any:
    lead = x.rank - 2
    out = padded(b, x, (*((0, 0),) * lead, *padding))
    counts = []
    for axis, (lo, hi) in enumerate(padding):
        length = b.fixed((x.dims[lead + axis],))[0] + lo + hi
        many = (length - dilation[axis] * (kernel_size[axis] - 1) - 1) // stride[axis] + 1
        counts.append(many)
        places = _table(b, kernel_size[axis], dilation[axis], many, stride[axis])
        out = b.Gather(out, places, axis=lead + 2 * axis)
    order = [*range(lead), lead, lead + 2, lead + 1, lead + 3]
    rows = b.fixed((x.dims[lead - 1],))[0] * size_of(kernel_size)
    return b.reshape(b.transpose(out, order), (*x.dims[: lead - 1], rows, size_of(counts)))


@writes("fold4d")
def fold4d(
    b: Builder,
    x: Value,
    output_size: Dims,
    kernel_size: Dims,
    stride: Dims,
    padding: Pairs,
    dilation: Dims,
) -> Any:
    batched = x.rank == 3
    given = x if batched else b.Unsqueeze(x, [0])
    out = plain(
        b,
        given,
        list(output_size),
        list(kernel_size),
        strides=list(stride),
        pads=pads_of(padding),
        dilations=list(dilation),
    )
    return out if batched else b.Squeeze(out, [0])


def _regrouped(b: Builder, x: Value, parts: list[Any], order: list[int], sizes: list[Any]) -> Any:
    lead = list(x.dims[:-3])
    split = b.reshape(x, [*lead, *parts])
    moved = b.transpose(split, [*range(len(lead)), *(len(lead) + at for at in order)])
    return b.reshape(moved, [*lead, *sizes])


@writes("pixel_shuffle")
def pixel_shuffle(b: Builder, x: Value, factor: int) -> Any:
    if x.rank == 4:
        return plain(b, x, blocksize=factor, mode="CRD")
    channels, height, width = b.fixed(x.dims[-3:])
    made = channels // factor**2
    parts = [made, factor, factor, height, width]
    return _regrouped(b, x, parts, [0, 3, 1, 4, 2], [made, height * factor, width * factor])


@writes("pixel_unshuffle")
def pixel_unshuffle(b: Builder, x: Value, factor: int) -> Any:
    # SpaceToDepth counts channels before places, PyTorch the other way round.
    channels, height, width = b.fixed(x.dims[-3:])
    rows, columns = height // factor, width // factor
    parts = [channels, rows, factor, columns, factor]
    return _regrouped(b, x, parts, [0, 2, 4, 1, 3], [channels * factor**2, rows, columns])
