"""Reductions and their adjoints."""

from __future__ import annotations

import math
from typing import Any

from gradviz.onnx.builder import Builder
from gradviz.onnx.registry import plain, writes
from gradviz.onnx.value import Value

Dims = tuple[int, ...]


@writes("sum", "prod")
def total(b: Builder, x: Value, dims: Dims, keepdim: bool) -> Any:
    return b.reduce(b.row.onnx or "", b.cast(x, b.out[0].dtype), dims, keepdim)


@writes("mean", "amax", "amin", "logsumexp")
def reduced(b: Builder, x: Value, dims: Dims, keepdim: bool) -> Any:
    return b.reduce(b.row.onnx or "", x, dims, keepdim)


def variance(b: Builder, x: Value, dims: Dims, correction: float, keepdim: bool) -> Any:
    """The mean square distance from the mean."""
    away = x - b.reduce("ReduceMean", x, dims)
    number: Any = 1
    for at in dims:
        number = number * x.dims[at]
    squares = b.reduce("ReduceSum", away * away, dims, keepdim)
    if isinstance(number, int):
        return squares / max(float(number - correction), 0.0)
    return squares / b.Max(b.number(number, x.dtype) - float(correction), 0.0)


@writes("var")
def var(b: Builder, x: Value, dims: Dims, correction: float, keepdim: bool) -> Any:
    return variance(b, x, dims, correction, keepdim)


@writes("std")
def std(b: Builder, x: Value, dims: Dims, correction: float, keepdim: bool) -> Any:
    return b.Sqrt(variance(b, x, dims, correction, keepdim))


@writes("norm")
def norm(b: Builder, x: Value, p: float, dims: Dims, keepdim: bool) -> Any:
    if p == 2 and dims:
        return b.reduce("ReduceL2", x, dims, keepdim)
    size = b.Abs(x)
    if p in (math.inf, -math.inf):
        return b.reduce("ReduceMax" if p > 0 else "ReduceMin", size, dims, keepdim)
    if p == 0:
        return b.reduce("ReduceSum", b.cast(~b.Equal(size, 0.0), x.dtype), dims, keepdim)
    if p == 1:
        return b.reduce("ReduceSum", size, dims, keepdim)
    return b.Pow(b.reduce("ReduceSum", b.Pow(size, p), dims, keepdim), 1.0 / p)


@writes("any", "all")
def truth(b: Builder, x: Value, dims: Dims, keepdim: bool) -> Any:
    # Counted, because the largest of no elements isn't defined.
    every = b.row.name == "all"
    solid = b.cast(x, "bool")
    hits = b.cast(~solid if every else solid, "int64")
    counted = b.reduce("ReduceSum", hits, dims, keepdim)
    return b.Equal(counted, 0) if every else counted > 0


def best_at(b: Builder, kind: str, x: Value, dim: int | None, keepdim: bool) -> Any:
    """Where the largest or smallest element lies first."""
    if not x.rank:
        return b.constant(0, "int64")
    if dim is None:
        found = b.op(kind, b.flat(x), axis=0, keepdims=0)
        return b.reshape(found, [1] * x.rank) if keepdim else found
    return b.op(kind, x, axis=dim, keepdims=int(keepdim))


@writes("argmax", "argmin")
def arg(b: Builder, x: Value, dim: int | None, keepdim: bool) -> Any:
    return best_at(b, b.row.onnx or "", x, dim, keepdim)


@writes("max_dim", "min_dim")
def extreme(b: Builder, x: Value, dim: int, keepdim: bool) -> Any:
    word = "Max" if b.row.name == "max_dim" else "Min"
    if not x.rank:
        return x, b.constant(0, "int64")
    return (
        b.reduce(f"Reduce{word}", x, [dim], keepdim),
        best_at(b, f"Arg{word}", x, dim, keepdim),
    )


@writes("spread")
def spread(b: Builder, g: Value, shape: Dims, dims: Dims, keepdim: bool) -> Any:
    if not keepdim and g.rank and dims:
        g = b.reshape(g, [1 if at in dims else n for at, n in enumerate(shape)])
    return b.Expand(g, b.shape(shape)) if shape else g


@writes("sum_to")
def sum_to(b: Builder, g: Value, shape: Dims) -> Any:
    if g.dims == tuple(shape):
        return g
    lead = g.rank - len(shape)
    dims = list(range(lead)) + [
        lead + at for at, n in enumerate(shape) if n == 1 and g.dims[lead + at] != 1
    ]
    return b.reshape(b.reduce("ReduceSum", g, dims), shape)


@writes("pick")
def pick(b: Builder, x: Value, indices: Value, dim: int, keepdim: bool) -> Any:
    if not x.rank:
        return x
    wide = indices if keepdim else b.Unsqueeze(indices, [dim])
    out = b.GatherElements(x, wide, axis=dim)
    return out if keepdim else b.Squeeze(out, [dim])


@writes("put_back")
def put_back(b: Builder, g: Value, indices: Value, shape: Dims, dim: int, keepdim: bool) -> Any:
    if not shape:
        return g
    if not keepdim:
        g, indices = b.Unsqueeze(g, [dim]), b.Unsqueeze(indices, [dim])
    return b.ScatterElements(b.full(0, g.dtype, shape), indices, g, axis=dim)


@writes("cumsum")
def cumsum(b: Builder, x: Value, dim: int) -> Any:
    wide = b.cast(x, b.out[0].dtype)
    return plain(b, wide, b.constant(dim, "int64")) if x.rank else wide
