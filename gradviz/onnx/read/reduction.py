"""Reductions, order, running sums."""

from __future__ import annotations

from typing import Any

from gradviz.onnx.read.call import Call, as_dtype, axis_of, is_open, rows
from gradviz.onnx.read.refusal import UnreadableError
from gradviz.onnx.read.registry import reads
from gradviz.tensor.base import Tensor


def _dims(c: Call, x: Tensor) -> tuple[int, ...] | None:
    """Over which dimensions to reduce; None for no reduction at all."""
    rank = len(x.shape)
    axes = c.axes(1)
    if not axes:
        return None if c.whole("noop_with_empty_axes", 0) else tuple(range(rank))
    return tuple(sorted({axis_of(axis, rank) for axis in axes}))


_ROWS = {
    "ReduceSum": "sum",
    "ReduceMean": "mean",
    "ReduceMax": "amax",
    "ReduceMin": "amin",
    "ReduceProd": "prod",
    "ReduceLogSumExp": "logsumexp",
}


@reads(
    "ReduceSum",
    "ReduceMean",
    "ReduceMax",
    "ReduceMin",
    "ReduceProd",
    "ReduceLogSumExp",
    "ReduceL1",
    "ReduceL2",
    "ReduceLogSum",
    "ReduceSumSquare",
)
def reduced(c: Call) -> Any:
    x = c.x
    dtype = x.dtype.name
    dims, keep = _dims(c, x), bool(c.whole("keepdims", 1))
    if c.kind == "ReduceL1":
        x = rows.abs(x)
    elif c.kind in ("ReduceL2", "ReduceSumSquare"):
        x = rows.mul(x, x)
    if dims is not None:
        if c.kind == "ReduceMean" and x.dtype.kind != "f":
            raise UnreadableError("the mean of whole numbers is no whole number")
        row = getattr(rows, _ROWS.get(c.kind, "sum"))
        x = row(x, dims, keep) if dims else x
    if c.kind == "ReduceL2":
        x = rows.sqrt(x)
    elif c.kind == "ReduceLogSum":
        x = rows.log(x)
    return as_dtype(x, dtype)


@reads("ArgMax", "ArgMin")
def arg(c: Call) -> Any:
    x = c.x
    axis = c.axis("axis", 0, len(x.shape))
    row = rows.argmax if c.kind == "ArgMax" else rows.argmin
    keep = bool(c.whole("keepdims", 1))
    if not c.whole("select_last_index", 0):
        return row(x, axis, keep)
    return rows.sub(x.shape[axis] - 1, row(rows.flip(x, (axis,)), axis, keep))


@reads("TopK")
def top_k(c: Call) -> Any:
    x = c.x
    axis = c.axis("axis", -1, len(x.shape))
    k = c.whole("k") if "k" in c.attributes else c.ints(1)[0]
    length = x.shape[axis]
    if k < 0 or (not is_open((length,)) and k > length):
        raise UnreadableError(f"it asks for {k} of {length} elements")
    return rows.topk(x, k, axis, bool(c.whole("largest", 1)))


@reads("CumSum", "CumProd")
def cumulative(c: Call) -> Any:
    x = c.x
    axis = axis_of(c.ints(1)[0], len(x.shape))
    if c.whole("exclusive", 0):
        raise UnreadableError("it leaves each element out of its own sum")
    given = rows.flip(x, (axis,)) if c.whole("reverse", 0) else x
    row = rows.cumsum if c.kind == "CumSum" else rows.cumprod
    found = as_dtype(row(given, axis), x.dtype.name)
    return rows.flip(found, (axis,)) if c.whole("reverse", 0) else found


@reads("LpNormalization")
def lp_normalization(c: Call) -> Any:
    x = c.x
    axis = c.axis("axis", -1, len(x.shape))
    return rows.div(x, rows.norm(x, float(c.whole("p", 2)), (axis,), True))


@reads("MeanVarianceNormalization")
def mean_variance_normalization(c: Call) -> Any:
    x = c.x
    axes = tuple(axis_of(axis, len(x.shape)) for axis in c.integers("axes", (0, 2, 3)))
    away = rows.sub(x, rows.mean(x, axes, True))
    spread = rows.sqrt(rows.mean(rows.square(away), axes, True))
    return rows.div(away, rows.add(spread, 1e-9))


@reads("Hardmax")
def hardmax(c: Call) -> Any:
    x = c.x
    axis = c.axis("axis", -1 if c.opset >= 13 else 1, len(x.shape))
    if c.opset < 13 and axis != len(x.shape) - 1:
        raise UnreadableError("it takes several dimensions for one")
    best = rows.argmax(x, axis, True)
    steps = rows.cumsum(as_dtype(rows.eq(x, x), "int64"), axis)
    return as_dtype(rows.eq(rows.sub(steps, 1), best), x.dtype.name)
