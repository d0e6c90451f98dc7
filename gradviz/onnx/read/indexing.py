"""Lookups, and what is put into chosen places."""

from __future__ import annotations

from typing import Any

from gradviz.onnx.read.call import Call, as_dtype, axis_of, rows
from gradviz.onnx.read.movement import known, limited
from gradviz.onnx.read.refusal import UnreadableError
from gradviz.onnx.read.registry import reads
from gradviz.tensor.base import Tensor


def _index(c: Call, at: int, length: Any) -> Tensor:
    """Indices, counted from the front where they are known."""
    item = c.item(at)
    index = c.tensor(at)
    if item.fixed is None or not isinstance(length, int):
        return as_dtype(index, "int64")
    if item.fixed.size:
        low, high = int(item.fixed.min().item()), int(item.fixed.max().item())
        if low < -length or high >= length:
            raise UnreadableError(f"index {high if high >= length else low} is outside of {length}")
        if low < 0:
            whole = as_dtype(item.fixed, "int64")
            return known(((whole + length) % length).tolist(), index) if length else index
    return as_dtype(index, "int64")


@reads("Gather")
def gather(c: Call) -> Any:
    x = c.x
    axis = c.axis("axis", 0, len(x.shape))
    length = x.shape[axis]
    if c.known(1) and not c.item(1).shape and isinstance(length, int):
        at = axis_of(c.number(1), length) if length else -1
        if at < 0:
            raise UnreadableError("it looks up an element of none")
        return rows.slice(x, (slice(None),) * axis + (at,))
    index = _index(c, 1, length)
    if axis == 0 and len(x.shape) == 2 and c.items[1] is not None and c.items[1].fixed is None:
        return rows.embedding(index, x, None)
    return rows.take(x, index, axis)


@reads("GatherElements")
def gather_elements(c: Call) -> Any:
    axis = c.axis("axis", 0, len(c.x.shape))
    return rows.gather(c.x, _index(c, 1, c.x.shape[axis]), axis)


@reads("GatherND")
def gather_nd(c: Call) -> Any:
    if c.whole("batch_dims", 0):
        raise UnreadableError("it looks up in batches")
    return rows.gather_nd(c.x, as_dtype(c.tensor(1), "int64"))


_REDUCED = {"mul": "prod", "max": "amax", "min": "amin"}


@reads("ScatterElements", "Scatter")
def scatter_elements(c: Call) -> Any:
    x, values = c.x, c.tensor(2)
    axis = c.axis("axis", 0, len(x.shape))
    index = _index(c, 1, x.shape[axis])
    how = c.text("reduction", "none")
    if how == "none":
        return rows.scatter(x, index, values, axis)
    if how == "add":
        return rows.scatter_add(x, index, values, axis)
    return rows.scatter_reduce(x, index, values, axis, _REDUCED[how], True)


@reads("ScatterND")
def scatter_nd(c: Call) -> Any:
    how = c.text("reduction", "none")
    index = as_dtype(c.tensor(1), "int64")
    return rows.scatter_nd(c.x, index, c.tensor(2), "assign" if how == "none" else how)


@reads("OneHot")
def one_hot(c: Call) -> Any:
    depth = limited(int(c.number(1)))
    index = as_dtype(c.x, "int64")
    rank = len(index.shape) + 1
    axis = c.axis("axis", -1, rank)
    wide = (*index.shape[:axis], 1, *index.shape[axis:])
    line = tuple(depth if at == axis else 1 for at in range(rank))
    steps = known(list(range(depth)), index)
    turned = rows.remainder(rows.reshape(index, wide), depth) if depth else index
    hit = rows.eq(turned, rows.reshape(steps, line))
    values = c.tensor(2)
    off, on = (rows.slice(values, (at,)) for at in (0, 1))
    return rows.where(hit, on, off)
