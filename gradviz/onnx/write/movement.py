"""Movement: elements change place."""

from __future__ import annotations

from typing import Any

from gradviz.onnx.builder import HIGHEST, LOWEST, Builder
from gradviz.onnx.registry import plain, writes
from gradviz.onnx.value import Value

Dims = tuple[int, ...]
Widths = tuple[tuple[int, int], ...]


@writes("reshape", "flatten", "unflatten")
def reshape(b: Builder, x: Value, shape: Dims) -> Any:
    symbolic = [at for at, size in enumerate(shape) if not isinstance(size, int)]
    if len(symbolic) == 1 and all(size != 0 for size in shape):
        return b.Reshape(x, [size if isinstance(size, int) else -1 for size in shape])
    return b.reshape(x, shape)


@writes("squeeze")
def squeeze(b: Builder, x: Value, shape: Dims) -> Any:
    axes = _ones_between(x.dims, shape)
    return reshape(b, x, shape) if axes is None else b.Squeeze(x, axes) if axes else x


@writes("unsqueeze")
def unsqueeze(b: Builder, x: Value, shape: Dims) -> Any:
    axes = _ones_between(shape, x.dims)
    return reshape(b, x, shape) if axes is None else b.Unsqueeze(x, axes) if axes else x


def _ones_between(longer: Dims, shorter: Dims) -> list[int] | None:
    """Which dimensions of size 1 the longer shape has more; None where others differ."""
    axes = []
    at = 0
    for axis, size in enumerate(longer):
        if at < len(shorter) and size == shorter[at]:
            at += 1
        elif size == 1:
            axes.append(axis)
        else:
            return None
    return axes if at == len(shorter) else None


@writes("permute")
def permute(b: Builder, x: Value, dims: Dims) -> Any:
    return b.transpose(x, dims)


@writes("transpose")
def transpose(b: Builder, x: Value, dim0: int, dim1: int) -> Any:
    order = list(range(x.rank))
    if order:
        order[dim0], order[dim1] = order[dim1], order[dim0]
    return b.transpose(x, order)


@writes("expand")
def expand(b: Builder, x: Value, shape: Dims) -> Any:
    return x if x.dims == tuple(shape) else plain(b, x, b.shape(shape))


@writes("repeat")
def repeat(b: Builder, x: Value, counts: Dims) -> Any:
    if len(counts) > x.rank:
        x = b.reshape(x, (*(1,) * (len(counts) - x.rank), *x.dims))
    return plain(b, x, list(counts)) if counts else x


def flipped(b: Builder, x: Value, dims: Dims) -> Any:
    """The elements in reverse order along dimensions."""
    if not dims:
        return x
    many = len(dims)
    return b.Slice(x, [-1] * many, [LOWEST] * many, list(dims), [-1] * many)


@writes("flip")
def flip(b: Builder, x: Value, dims: Dims) -> Any:
    return flipped(b, x, dims)


@writes("roll")
def roll(b: Builder, x: Value, shifts: Dims, dims: Dims) -> Any:
    for shift, dim in zip(shifts, dims, strict=True):
        length = b.out[0].shape[dim]
        if not isinstance(length, int):
            here = b.extent(length)
            start = here - b.Mod(b.ints([shift]), b.Max(here, 1))
            tail = b.Slice(x, start, [HIGHEST], [dim])
            x = b.Concat(tail, b.Slice(x, [0], start, [dim]), axis=dim)
            continue
        by = shift % length if length else 0
        if by:
            tail = b.slice(x, dim, length - by, length)
            x = b.Concat(tail, b.slice(x, dim, 0, length - by), axis=dim)
            x.shape = tuple(b.out[0].shape)
    return x


def padded(b: Builder, x: Value, widths: Widths, value: float = 0) -> Any:
    """A border of one number; a negative width cuts."""
    if not any(lo or hi for lo, hi in widths):
        return x
    ends = [max(lo, 0) for lo, _ in widths] + [max(hi, 0) for _, hi in widths]
    if any(ends):
        number = None if value == 0 else b.constant(value, x.dtype)
        x = b.Pad(x, ends, number)
    cut = [at for at, (lo, hi) in enumerate(widths) if lo < 0 or hi < 0]
    if cut:
        starts = [max(-widths[at][0], 0) for at in cut]
        stops = [min(widths[at][1], 0) or 2**63 - 1 for at in cut]
        x = b.Slice(x, starts, stops, cut)
    return x


@writes("pad")
def pad(b: Builder, x: Value, widths: Widths, value: float) -> Any:
    return padded(b, x, widths, value)


@writes("unpad")
def unpad(b: Builder, g: Value, shape: Dims, widths: Widths) -> Any:
    return padded(b, g, tuple((-lo, -hi) for lo, hi in widths))


@writes("cat")
def cat(b: Builder, tensors: list[Value], dim: int) -> Any:
    solid = [item for item in tensors if item.dims != (0,)] or tensors
    return plain(b, *solid, axis=dim) if len(solid) > 1 else solid[0]


@writes("stack")
def stack(b: Builder, tensors: list[Value], dim: int) -> Any:
    parts = [b.Unsqueeze(item, [dim]) for item in tensors]
    return b.Concat(*parts, axis=dim) if len(parts) > 1 else parts[0]


@writes("own_backward")
def own_backward(b: Builder, x: Value, function: str) -> Any:
    return b.op("Identity", x)
