"""Pooling and its adjoints."""

from __future__ import annotations

import functools
from typing import Any

from gradviz.backends.ndarray import exchange
from gradviz.backends.ndarray.backend import kernel_of
from gradviz.onnx.builder import Builder, size_of
from gradviz.onnx.registry import plain, writes
from gradviz.onnx.value import Value
from gradviz.onnx.write.convolution import pads_of
from gradviz.onnx.write.movement import padded
from gradviz.ops.spec import table

Dims = tuple[int, ...]
Pairs = tuple[tuple[int, int], ...]


def _batched(b: Builder, x: Value, rank: int) -> tuple[Any, bool]:
    """The input with a dimension of samples, and whether it had one."""
    had = x.rank == rank + 2
    return (x if had else b.Unsqueeze(x, [0])), had


def _borders(
    x: Value,
    counts: tuple[Any, ...],
    kernel: Dims,
    stride: Dims,
    padding: Dims,
    dilation: Dims,
    ceil: bool,
) -> tuple[Pairs, int | None]:
    """Borders that end with the last window, and the format's own flag where sizes are unknown."""
    rank = len(kernel)
    lengths, counts = x.dims[-rank:], counts[-rank:]
    if not all(isinstance(size, int) for size in (*lengths, *counts)):
        return tuple((p, p) for p in padding), int(ceil)
    found = []
    for n, many, k, s, p, d in zip(lengths, counts, kernel, stride, padding, dilation, strict=True):
        # Windows that lie beyond the end are there only where the result counts them.
        last = (many - 1) * s + d * (k - 1) + 1
        found.append((p, max(last - n - p, p if not ceil else 0)))
    return tuple(found), None


def _max_pool(
    b: Builder,
    x: Value,
    kernel_size: Dims,
    stride: Dims,
    padding: Dims,
    dilation: Dims,
    ceil_mode: bool,
    counts: tuple[Any, ...],
    outputs: int,
) -> Any:
    given, had = _batched(b, x, len(kernel_size))
    pads, ceil = _borders(x, counts, kernel_size, stride, padding, dilation, ceil_mode)
    found = b.MaxPool(
        given,
        outputs=outputs,
        kernel_shape=list(kernel_size),
        strides=list(stride),
        pads=pads_of(pads),
        dilations=list(dilation),
        ceil_mode=ceil,
    )
    out = found if outputs == 1 else found[1]
    return out if had else b.Squeeze(out, [0])


@writes("max_pool1d", "max_pool2d", "max_pool3d")
def max_pool(b: Builder, x: Value, **how: Any) -> Any:
    return _max_pool(b, x, **how, counts=b.out[0].shape, outputs=1)


@writes("max_pool_indices")
def max_pool_indices(b: Builder, x: Value, **how: Any) -> Any:
    return _indices(b, x, b.out[0].shape, **how)


def _indices(b: Builder, x: Value, counts: tuple[Any, ...], kernel_size: Dims, **how: Any) -> Any:
    found = _max_pool(b, x, kernel_size, **how, counts=counts, outputs=2)
    # The format counts through the whole tensor.
    plane = size_of(b.fixed(x.dims[-len(kernel_size) :]))
    return b.Mod(found, plane)


@writes("max_pool_backward")
def max_pool_backward(b: Builder, dout: Value, x: Value, kernel_size: Dims, **how: Any) -> Any:
    indices = _indices(b, x, dout.dims, kernel_size, **how)
    indices.shape = dout.shape
    return pool_put(b, dout, indices, x.dims, len(kernel_size))


def _flattened(b: Builder, shape: tuple[Any, ...], rank: int) -> tuple[Any, int]:
    """How many planes there are, and how many elements each has."""
    return size_of(shape[:-rank]), size_of(b.fixed(shape[-rank:]))


def _planes(b: Builder, x: Value, shape: tuple[Any, ...], rank: int) -> Any:
    return b.reshape(x, _flattened(b, shape, rank))


@writes("pool_put")
def pool_put(b: Builder, g: Value, indices: Value, shape: Dims, rank: int) -> Any:
    whole = b.full(0, g.dtype, _flattened(b, shape, rank))
    places = _planes(b, indices, indices.dims, rank)
    values = _planes(b, g, indices.dims, rank)
    return b.reshape(b.ScatterElements(whole, places, values, axis=1, reduction="add"), shape)


@writes("pool_pick")
def pool_pick(b: Builder, x: Value, indices: Value, rank: int) -> Any:
    planes = _planes(b, x, x.dims, rank)
    places = _planes(b, indices, indices.dims, rank)
    return b.reshape(b.GatherElements(planes, places, axis=1), indices.dims)


@writes("avg_pool1d", "avg_pool2d", "avg_pool3d")
def avg_pool(
    b: Builder,
    x: Value,
    kernel_size: Dims,
    stride: Dims,
    padding: Dims,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int | None,
) -> Any:
    ones = (1,) * len(kernel_size)
    given, had = _batched(b, x, len(kernel_size))
    counts = b.out[0].shape
    pads, ceil = _borders(x, counts, kernel_size, stride, padding, ones, ceil_mode)
    how = {"kernel_shape": list(kernel_size), "strides": list(stride)}
    overhang = any(hi > p for (_, hi), p in zip(pads, padding, strict=True))
    if divisor_override is None and not overhang:
        out = plain(
            b,
            given,
            pads=pads_of(pads),
            ceil_mode=ceil,
            count_include_pad=int(count_include_pad),
            **how,
        )
        return out if had else b.Squeeze(out, [0])
    # Sums, divided by what each window counts: the format counts what hangs over differently.
    means = plain(b, padded(b, given, ((0, 0), (0, 0), *pads)), **how)
    area = size_of(kernel_size)
    if divisor_override is not None:
        out = means * (area / divisor_override)
    else:
        rank = len(kernel_size)
        probe = functools.partial(
            kernel_of(b.row),
            kernel_size=kernel_size,
            stride=stride,
            padding=padding,
            ceil_mode=ceil_mode,
            count_include_pad=count_include_pad,
            divisor_override=None,
        )
        shares = exchange.shares_of(probe, b.fixed(x.dims[-rank:]), area, x.dtype)
        out = means * b.array(shares)
    return out if had else b.Squeeze(out, [0])


def _along_each(b: Builder, x: Value, lengths: Dims, kernel: Any, rank: int | None = None) -> Any:
    """A linear map of each of the last dimensions: `kernel(axis, rows)` maps rows."""
    out = x
    number = x.rank if rank is None else rank
    for at, length in enumerate(lengths):
        matrix = exchange.response(functools.partial(kernel, at), length, x.dtype)
        out = b.along(out, number - len(lengths) + at, number, matrix)
    return out


@writes("avg_pool_backward")
def avg_pool_backward(
    b: Builder,
    g: Value,
    shape: Dims,
    kernel_size: Dims,
    stride: Dims,
    padding: Dims,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int | None,
) -> Any:
    run = kernel_of(b.row)
    rank = len(kernel_size)

    def line(at: int, rows: Any) -> Any:
        # One number for all windows of the other dimensions, so it is divided by once.
        divisor = divisor_override if at == 0 else None if divisor_override is None else 1
        return run(
            rows[:, None],
            (rows.shape[0], 1, shape[len(shape) - rank + at]),
            (kernel_size[at],),
            (stride[at],),
            (padding[at],),
            ceil_mode,
            count_include_pad,
            divisor,
        )[:, 0]

    return _along_each(b, g, b.fixed(g.dims[-rank:]), line)


@writes("adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d")
def adaptive_avg_pool(b: Builder, x: Value, output_size: Dims) -> Any:
    rank = len(output_size)
    if all(size == 1 for size in output_size) and x.rank == rank + 2:
        return b.GlobalAveragePool(x)
    lengths = b.fixed(x.dims[-rank:])
    if all(size and not n % size for n, size in zip(lengths, output_size, strict=True)):
        kernel = [n // size for n, size in zip(lengths, output_size, strict=True)]
        given, had = _batched(b, x, rank)
        out = b.AveragePool(given, kernel_shape=kernel, strides=kernel)
        return out if had else b.Squeeze(out, [0])
    run = kernel_of(table["adaptive_avg_pool1d"])

    def line(at: int, rows: Any) -> Any:
        return run(rows[:, None], (output_size[at],))[:, 0]

    return _along_each(b, x, lengths, line)


@writes("adaptive_avg_pool_backward")
def adaptive_avg_pool_backward(b: Builder, g: Value, shape: Dims, output_size: Dims) -> Any:
    run = kernel_of(b.row)
    rank = len(output_size)

    def line(at: int, rows: Any) -> Any:
        whole = (rows.shape[0], 1, shape[len(shape) - rank + at])
        return run(rows[:, None], whole, (output_size[at],))[:, 0]

    return _along_each(b, g, b.fixed(g.dims[-rank:]), line)


def _windows(b: Builder, x: Value, output_size: Dims) -> tuple[Any, list[int]]:
    """All elements of each window in a last dimension, and how many there are in each direction."""
    rank = len(output_size)
    lengths = b.fixed(x.dims[-rank:])
    lead = x.rank - rank
    out: Any = x
    longest = []
    for at, (length, size) in enumerate(zip(lengths, output_size, strict=True)):
        rows = []
        ends = [-(-(n + 1) * length // size) for n in range(size)]
        starts = [n * length // size for n in range(size)]
        most = max((hi - lo for lo, hi in zip(starts, ends, strict=True)), default=1)
        # A shorter window meets its last element again, which is never better than itself.
        for lo, hi in zip(starts, ends, strict=True):
            rows += [min(lo + step, hi - 1) for step in range(most)]
        longest.append(most)
        out = b.Gather(out, b.constant(rows, "int64", (size, most)), axis=lead + 2 * at)
    order = [*range(lead), *(lead + 2 * at for at in range(rank))]
    order += [lead + 2 * at + 1 for at in range(rank)]
    return b.transpose(out, order), longest


@writes("adaptive_max_pool1d", "adaptive_max_pool2d", "adaptive_max_pool3d")
def adaptive_max_pool(b: Builder, x: Value, output_size: Dims) -> Any:
    if all(size == 1 for size in output_size) and x.rank == len(output_size) + 2 and x.is_float:
        return b.GlobalMaxPool(x)
    found, _ = _windows(b, x, output_size)
    return b.reduce("ReduceMax", found, list(range(x.rank, x.rank + len(output_size))), False)


@writes("adaptive_max_indices")
def adaptive_max_indices(b: Builder, x: Value, output_size: Dims) -> Any:
    rank = len(output_size)
    found, longest = _windows(b, x, output_size)
    places = b.array(exchange.numbers_up_to(size_of(b.fixed(x.dims[-rank:]))))
    table_ = b.reshape(places, x.dims[-rank:])
    spots, _ = _windows(b, table_, output_size)
    most = size_of(longest)
    sizes = (*x.dims[:-rank], *output_size)
    lined = b.reshape(found, (*sizes, most))
    best = b.ArgMax(lined, axis=len(sizes), keepdims=1)
    wide = b.Expand(b.reshape(spots, (*output_size, most)), b.shape((*sizes, most)))
    return b.Squeeze(b.GatherElements(wide, best, axis=len(sizes)), [len(sizes)])
