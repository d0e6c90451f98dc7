"""Adding, copying and reducing into chosen places."""

from __future__ import annotations

import math
from typing import Any

from gradviz.onnx.builder import Builder, size_of
from gradviz.onnx.registry import plain, writes
from gradviz.onnx.value import Value
from gradviz.onnx.write.elementwise import limits
from gradviz.onnx.write.indexing import added_at

Dims = tuple[int, ...]
_INTO = {"sum": "add", "mean": "add", "prod": "mul", "amax": "max", "amin": "min"}


def _front(b: Builder, source: Value, dim: int) -> Any:
    order = [dim, *(at for at in range(source.rank) if at != dim)]
    return b.transpose(source, order)


@writes("index_add", "index_copy")
def index_put(b: Builder, x: Value, index: Value, source: Value, dim: int) -> Any:
    how = "add" if b.row.name == "index_add" else "assign"
    if not x.rank:
        if how == "add":
            return x + b.ReduceSum(source, keepdims=0)
        return b.reshape(source, ()) if size_of(b.fixed(index.dims)) else x
    return added_at(b, x, x.rank, index, _front(b, source, dim), dim, how)


@writes("index_fill")
def index_fill(b: Builder, x: Value, index: Value, dim: int, value: float) -> Any:
    if not x.rank:
        return b.constant(value, x.dtype) if size_of(b.fixed(index.dims)) else x
    rest = [n for at, n in enumerate(x.dims) if at != dim]
    wide = b.full(value, x.dtype, [size_of(b.fixed(index.dims)), *rest])
    return added_at(b, x, x.rank, index, wide, dim, "assign")


@writes("masked_scatter")
def masked_scatter(b: Builder, x: Value, mask: Value, source: Value) -> Any:
    if not size_of(b.fixed(source.dims)):
        return x
    counted = b.CumSum(b.cast(b.flat(mask), "int64"), b.constant(0, "int64"))
    # What the mask leaves out looks up the first element and drops it.
    turn = b.Max(counted - 1, 0)
    picked = b.reshape(b.Gather(b.flat(source), turn, axis=0), x.dims)
    return b.Where(mask, picked, x)


@writes("masked_scatter_backward")
def masked_scatter_backward(b: Builder, g: Value, mask: Value, shape: Dims) -> Any:
    many = size_of(b.fixed(shape))
    taken = b.Compress(b.flat(g), b.flat(mask))
    filled = b.Concat(taken, b.full(0, g.dtype, [many]), axis=0)
    return b.reshape(b.slice(filled, 0, 0, many), shape)


def _neutral(how: str, dtype: str) -> Any:
    """What changes nothing in a reduction."""
    if how in ("prod", "sum", "mean"):
        return int(how == "prod")
    high = how == "amin"
    if dtype.startswith("float"):
        return math.inf if high else -math.inf
    return int(high) if dtype == "bool" else limits(dtype)[high]


@writes("scatter_reduce")
def scatter_reduce(
    b: Builder,
    x: Value,
    index: Value,
    source: Value,
    dim: int,
    reduce: str,
    include_self: bool,
) -> Any:
    if not size_of(b.fixed(index.dims)):
        return x
    if not x.rank:
        whole, places, given = b.flat(x), b.flat(index), b.flat(source)
    else:
        whole, places, given = x, index, source
        if source.dims != index.dims:
            axes = list(range(index.rank))
            given = b.Slice(source, [0] * index.rank, list(index.dims), axes)
    spots = [1] if not x.rank else list(index.dims)
    if not include_self:
        neutral = b.full(_neutral(reduce, x.dtype), x.dtype, spots)
        whole = b.ScatterElements(whole, places, neutral, axis=dim)
    out = b.ScatterElements(whole, places, given, axis=dim, reduction=_INTO[reduce])
    if reduce == "mean":
        ones = b.full(1, x.dtype, [1] if not x.rank else x.dims)
        if not include_self:
            ones = b.ScatterElements(ones, places, b.full(0, x.dtype, spots), axis=dim)
        added = b.full(1, x.dtype, spots)
        counts = b.ScatterElements(ones, places, added, axis=dim, reduction="add")
        out = (out - b.Mod(out, counts)) / counts if x.is_whole else out / counts
    return out if x.rank else b.reshape(out, ())


@writes("gather_nd")
def gather_nd(b: Builder, x: Value, indices: Value) -> Any:
    if indices.dims[-1] == 0:
        return b.Expand(x, b.shape((*indices.dims[:-1], *x.dims)))
    return plain(b, x, indices)


@writes("gather_nd_backward")
def gather_nd_backward(b: Builder, g: Value, indices: Value, shape: Dims) -> Any:
    return scatter_nd(b, b.full(0, g.dtype, shape), indices, g, "add")


@writes("scatter_nd")
def scatter_nd(b: Builder, x: Any, indices: Value, values: Value, reduce: str) -> Any:
    if indices.dims[-1] == 0:
        kinds = {"add": "ReduceSum", "mul": "ReduceProd", "min": "ReduceMin", "max": "ReduceMax"}
        rest = list(b.out[0].shape)
        rows = b.reshape(values, [size_of(b.fixed(indices.dims[:-1])), *rest])
        if reduce == "assign":
            return b.Gather(rows, b.constant(-1, "int64"), axis=0)
        whole = b.Concat(b.Unsqueeze(x, [0]), rows, axis=0)
        return b.reduce(kinds[reduce], whole, [0], keepdim=False)
    return b.ScatterND(x, indices, values, reduction=None if reduce == "assign" else reduce)
