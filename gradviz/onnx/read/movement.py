"""Shapes, and elements that change place."""

from __future__ import annotations

import math
from typing import Any

from gradviz.onnx.read.call import Call, Item, axis_of, is_open, like, rows, solid
from gradviz.onnx.read.refusal import UnreadableError
from gradviz.onnx.read.registry import reads
from gradviz.onnx.read.tensors import dtype_of
from gradviz.ops.size import Length, Size
from gradviz.tensor.base import Tensor
from gradviz.tensor.creation import arange, eye, full, tensor

Shape = tuple[Length, ...]
MOST_KNOWN = 1 << 18
"""Elements that a table of known numbers may have."""


def limited(count: Length) -> int:
    """A number of elements that are made now."""
    if isinstance(count, Size) or not 0 <= count <= MOST_KNOWN:
        raise UnreadableError(f"it makes {count} elements out of nothing")
    return count


@reads("Shape")
def shape(c: Call) -> Any:
    sizes = c.item(0).shape
    sizes = sizes[slice(c.whole("start", 0), c.whole("end"))]
    if is_open(sizes):
        return Item(sizes=sizes)
    return Item(fixed=tensor(list(sizes), dtype="int64"))


@reads("Size")
def size(c: Call) -> Any:
    total: Length = math.prod(c.item(0).shape)
    return Item(sizes=total) if isinstance(total, Size) else Item(fixed=tensor(total))


@reads("Reshape")
def reshape(c: Call) -> Any:
    x = c.x
    wanted = list(c.integers("shape") if "shape" in c.attributes else c.lengths(1))
    if not c.whole("allowzero", 0):
        for at, length in enumerate(wanted):
            if isinstance(length, int) and length == 0:
                if at >= len(x.shape):
                    raise UnreadableError("its shape copies a dimension that isn't there")
                wanted[at] = x.shape[at]
    free = [at for at, length in enumerate(wanted) if isinstance(length, int) and length == -1]
    if len(free) > 1:
        raise UnreadableError("its shape leaves several sizes open")
    if free:
        others = math.prod(length for at, length in enumerate(wanted) if at != free[0])
        total = math.prod(x.shape)
        # A product of no elements leaves every size possible: none.
        wanted[free[0]] = 0 if isinstance(others, int) and others == 0 else total // others
    return rows.reshape(x, tuple(wanted))


@reads("Flatten")
def flatten(c: Call) -> Any:
    x = c.x
    rank = len(x.shape)
    axis = c.whole("axis", 1)
    if not -rank <= axis <= rank:
        raise UnreadableError(f"there is no dimension {axis} among {rank}")
    axis = axis + rank if axis < 0 else axis
    return rows.reshape(x, (math.prod(x.shape[:axis]), math.prod(x.shape[axis:])))


@reads("Transpose")
def transpose(c: Call) -> Any:
    rank = len(c.x.shape)
    order = c.integers("perm", tuple(reversed(range(rank))))
    if sorted(order) != list(range(rank)):
        raise UnreadableError("its order isn't one of the dimensions")
    return rows.permute(c.x, order)


@reads("Squeeze")
def squeeze(c: Call) -> Any:
    x = c.x
    rank = len(x.shape)
    axes = c.axes(1)
    if axes is None:
        dropped = {at for at, n in enumerate(x.shape) if isinstance(n, int) and n == 1}
    else:
        dropped = {axis_of(axis, rank) for axis in axes}
    if any(not isinstance(x.shape[at], int) or x.shape[at] != 1 for at in dropped):
        raise UnreadableError("it drops a dimension that isn't 1")
    return rows.squeeze(x, tuple(n for at, n in enumerate(x.shape) if at not in dropped))


@reads("Unsqueeze")
def unsqueeze(c: Call) -> Any:
    x = c.x
    axes = c.axes(1) or ()
    rank = len(x.shape) + len(axes)
    added = {axis_of(axis, rank) for axis in axes}
    if len(added) != len(axes) or rank > 64:
        raise UnreadableError("its axes aren't those of a shape")
    rest = iter(x.shape)
    return rows.unsqueeze(x, tuple(1 if at in added else next(rest) for at in range(rank)))


@reads("Concat")
def concat(c: Call) -> Any:
    parts = c.tensors
    return rows.cat(parts, c.axis("axis", None, len(parts[0].shape)))


def cut(x: Tensor, axis: int, start: Length, end: Length, step: int = 1) -> Any:
    """A part of one dimension."""
    index = (slice(None),) * axis + (slice(start, end, None if step == 1 else step),)
    return rows.slice(x, index)


@reads("Split")
def split(c: Call) -> Any:
    x = c.x
    axis = c.axis("axis", 0, len(x.shape))
    many = len(c.wanted)
    given = c.axes(1, "split")
    length = x.shape[axis]
    if given is None:
        if isinstance(length, Size):
            raise UnreadableError("it splits a size that is left open")
        each = -(-length // many)
        given = tuple(max(min(each, length - each * at), 0) for at in range(many))
    if len(given) != many or min(given) < 0 or sum(given) != length:
        raise UnreadableError(f"it splits {length} into {list(given)[:8]}")
    found, at = [], 0
    for part, wanted in zip(given, c.wanted, strict=True):
        found.append(cut(x, axis, at, at + part) if wanted else None)
        at += part
    return tuple(found)


@reads("Slice")
def slice_(c: Call) -> Any:
    x = c.x
    rank = len(x.shape)
    starts = c.integers("starts") if "starts" in c.attributes else c.lengths(1)
    ends = c.integers("ends") if "ends" in c.attributes else c.lengths(2)
    axes = c.axes(3) if c.has(3) or "axes" in c.attributes else tuple(range(len(starts)))
    steps = c.ints(4) if c.has(4) else (1,) * len(starts)
    if axes is None or not len(starts) == len(ends) == len(axes) == len(steps):
        raise UnreadableError("its starts, ends, axes and steps aren't equally many")
    index: list[Any] = [slice(None)] * rank
    for start, end, axis, step in zip(starts, ends, axes, steps, strict=True):
        at = axis_of(axis, rank)
        index[at] = _range(x.shape[at], start, end, step)
    while index and index[-1] == slice(None):
        index.pop()
    return rows.slice(x, tuple(index)) if index else x


def _range(length: Length, start: Length, end: Length, step: int) -> slice:
    if step == 0:
        raise UnreadableError("its step is 0")
    if isinstance(length, int) and isinstance(start, int) and isinstance(end, int):
        first, last, by = slice(start, end, step).indices(length)
        if (first, last, by) == (0, length, 1):
            return slice(None)
        return slice(first, last if last >= 0 else None, None if by == 1 else by)
    far = isinstance(end, int) and abs(end) >= 2**31 - 1
    low = None if isinstance(start, int) and start == 0 and step > 0 else start
    if isinstance(length, Size) and isinstance(end, Size) and end == length:
        far = True
    return slice(low, None if far else end, None if step == 1 else step)


@reads("Expand")
def expand(c: Call) -> Any:
    x = c.x
    wanted = c.lengths(1)
    rank = max(len(wanted), len(x.shape))
    mine = (1,) * (rank - len(x.shape)) + tuple(x.shape)
    theirs = (1,) * (rank - len(wanted)) + wanted
    sizes = tuple(
        n if isinstance(m, int) and m == 1 else m for m, n in zip(theirs, mine, strict=True)
    )
    for size, own in zip(sizes, mine, strict=True):
        if size != own and not (isinstance(own, int) and own == 1):
            raise UnreadableError(f"{list(x.shape)} doesn't expand to {list(wanted)[:16]}")
    return x if sizes == tuple(x.shape) else rows.expand(x, sizes)


@reads("Tile")
def tile(c: Call) -> Any:
    counts = c.ints(1)
    if len(counts) != len(c.x.shape) or min(counts, default=0) < 0:
        raise UnreadableError("its repeats aren't those of its dimensions")
    return rows.repeat(c.x, counts)


@reads("Pad")
def pad(c: Call) -> Any:
    x = c.x
    rank = len(x.shape)
    widths = c.integers("pads") if "pads" in c.attributes else c.ints(1)
    axes = c.ints(3) if c.has(3) else tuple(range(rank))
    half = len(axes)
    if len(widths) != 2 * half:
        raise UnreadableError("it has not two widths for each dimension")
    pairs = [(0, 0)] * rank
    for at, axis in enumerate(axes):
        pairs[axis_of(axis, rank)] = (widths[at], widths[half + at])
    mode = c.text("mode", "constant")
    if mode == "constant":
        value = c.real("value", 0.0) if "value" in c.attributes else 0
        if c.has(2):
            value = c.number(2)
        return rows.pad(x, tuple(pairs), like(value, x)) if any(map(any, pairs)) else x
    for axis, (low, high) in enumerate(pairs):
        if low or high:
            length = solid(x.shape[axis], "its border")
            if not length:
                raise UnreadableError("it continues a dimension without elements")
            limited(max(low, 0) + length + max(high, 0))
            places = [_place(at, length, mode) for at in range(-low, length + high)]
            x = rows.take(x, known(places, x), axis)
    return x


def _place(at: int, length: int, mode: str) -> int:
    """Where the element comes from that stands at a place outside."""
    if mode == "edge":
        return min(max(at, 0), length - 1)
    if mode == "wrap":
        return at % length
    if mode == "reflect":
        turn = max(2 * (length - 1), 1)
        return min(at % turn, turn - at % turn) if length > 1 else 0
    raise UnreadableError(f"it has no mode {mode!r}")


def known(values: Any, beside: Tensor, dtype: str = "int64") -> Tensor:
    """Known numbers as a tensor beside another."""
    made = tensor(values, dtype=dtype)
    return made.to(beside.device) if beside.device.is_capture else made


@reads("Constant")
def constant(c: Call) -> Any:
    for name, dtype in (
        ("value_float", "float32"),
        ("value_floats", "float32"),
        ("value_int", "int64"),
        ("value_ints", "int64"),
    ):
        if name in c.attributes:
            value = c.attributes[name]
            values = list(value) if isinstance(value, tuple) else value
            return Item(fixed=tensor(values, dtype=dtype))
    value = c.attributes.get("value")
    if not hasattr(value, "dtype"):
        raise UnreadableError("it holds no numbers")
    return Item(fixed=tensor(value))


@reads("ConstantOfShape")
def constant_of_shape(c: Call) -> Any:
    value = c.attributes.get("value")
    number = tensor(0.0, dtype="float32") if value is None else tensor(value).reshape(())
    sizes = c.lengths(0)
    if any(isinstance(n, int) and n < 0 for n in sizes):
        raise UnreadableError("its shape has a size below 0")
    total = math.prod(sizes)
    if isinstance(total, int) and total <= MOST_KNOWN >> 4:
        return Item(fixed=full(sizes, number.item(), dtype=number.dtype))
    # Large ones are never made here: a number that is expanded takes no room.
    item = Item(fixed=number)
    return rows.expand(c._lift(item), sizes)


@reads("EyeLike")
def eye_like(c: Call) -> Any:
    shape_ = c.item(0).shape
    if len(shape_) != 2 or c.whole("k", 0) != 0:
        raise UnreadableError("it has another diagonal than the main one")
    height, width = (solid(length, "its size") for length in shape_)
    limited(height * width)
    code = c.whole("dtype", 0)
    source = c.item(0)
    own = source.fixed if source.fixed is not None else source.live
    dtype = dtype_of(code) if code else own.dtype.name  # type: ignore[union-attr]
    return Item(fixed=eye(height, width, dtype=dtype))


@reads("Range")
def range_(c: Call) -> Any:
    start, end, step = c.number(0), c.number(1), c.number(2)
    if step == 0:
        raise UnreadableError("its step is 0")
    limited(max(math.ceil((end - start) / step), 0))
    dtype = c.item(0).fixed.dtype  # type: ignore[union-attr]
    return Item(fixed=arange(start, end, step, dtype=dtype))


@reads("DepthToSpace")
def depth_to_space(c: Call) -> Any:
    x, block = c.x, c.whole("blocksize")
    batch, channels, height, width = x.shape
    made = channels // block**2
    if c.text("mode", "DCR") == "CRD":
        return rows.pixel_shuffle(x, block)
    split_ = rows.reshape(x, (batch, block, block, made, height, width))
    moved = rows.permute(split_, (0, 3, 4, 1, 5, 2))
    return rows.reshape(moved, (batch, made, height * block, width * block))


@reads("SpaceToDepth")
def space_to_depth(c: Call) -> Any:
    x, block = c.x, c.whole("blocksize")
    batch, channels, height, width = x.shape
    rows_, columns = height // block, width // block
    split_ = rows.reshape(x, (batch, channels, rows_, block, columns, block))
    moved = rows.permute(split_, (0, 3, 5, 1, 2, 4))
    return rows.reshape(moved, (batch, channels * block**2, rows_, columns))


@reads("Trilu")
def trilu(c: Call) -> Any:
    diagonal = c.ints(1)[0] if c.has(1) else 0
    return (rows.triu if c.whole("upper", 1) else rows.tril)(c.x, diagonal)
