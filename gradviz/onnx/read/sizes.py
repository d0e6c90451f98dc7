"""Arithmetic on shapes whose sizes are partly names: what exporters compute shapes with."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Final

from gradviz.onnx.read.call import Call, Item, axis_of
from gradviz.onnx.read.refusal import UnreadableError
from gradviz.ops.size import Length

Sizes = Length | tuple[Length, ...]

_BINARY: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "Add": operator.add,
    "Sub": operator.sub,
    "Mul": operator.mul,
    "Div": operator.floordiv,
}


def is_about_sizes(items: list[Item | None]) -> bool:
    """Whether an input is made of sizes."""
    return any(item is not None and item.sizes is not None for item in items)


def _of(c: Call, at: int) -> Sizes:
    item = c.item(at)
    if item.sizes is not None:
        return item.sizes
    found = c.ints(at)
    return found if len(item.shape) == 1 else found[0]


def _vector(value: Sizes) -> tuple[Length, ...]:
    return value if isinstance(value, tuple) else (value,)


def computed(c: Call) -> Sizes:
    """What a node makes of sizes.

    Raises:
        UnreadableError: for an operation that isn't done on sizes.
    """
    kind = c.kind
    if kind in _BINARY:
        return _pairwise(_BINARY[kind], _of(c, 0), _of(c, 1))
    if kind in ("Identity", "Cast"):
        return _of(c, 0)
    if kind == "Concat":
        return tuple(size for at in range(len(c.items)) for size in _vector(_of(c, at)))
    if kind in ("Unsqueeze", "Reshape", "Squeeze"):
        return _reshaped(c)
    if kind == "Gather":
        return _gathered(_vector(_of(c, 0)), _of(c, 1))
    if kind == "Slice":
        return _sliced(c)
    if kind == "Equal":
        return _pairwise(_equal, _of(c, 0), _of(c, 1))
    if kind == "Where":
        return _chosen(c)
    if kind == "ReduceProd":
        total: Length = 1
        for size in _vector(_of(c, 0)):
            total = total * size
        return (total,) if c.whole("keepdims", 1) else total
    raise UnreadableError("it needs sizes as numbers, and some are only names")


def _pairwise(join: Callable[[Any, Any], Any], lhs: Sizes, rhs: Sizes) -> Sizes:
    if not isinstance(lhs, tuple) and not isinstance(rhs, tuple):
        made: Length = join(lhs, rhs)
        return made
    left, right = _vector(lhs), _vector(rhs)
    length = max(len(left), len(right))
    if min(len(left), len(right)) not in (1, length):
        raise UnreadableError("its inputs don't fit")
    left = left * length if len(left) == 1 else left
    right = right * length if len(right) == 1 else right
    return tuple(join(one, two) for one, two in zip(left, right, strict=True))


def _equal(one: Length, two: Length) -> bool:
    """Whether two sizes are the same, where that is so, or not, for every value of the names."""
    if isinstance(one, int) and isinstance(two, int):
        return one == two
    gap = one - two
    if isinstance(gap, int):
        return gap == 0
    # No size is below 0, which is how exporters say that a size is to be kept.
    known = [size for size in (one, two) if isinstance(size, int)]
    if known and known[0] < 0:
        return False
    raise UnreadableError(f"it depends on whether {one} is {two}")


def _chosen(c: Call) -> Sizes:
    item = c.item(0)
    if item.fixed is None or item.fixed.dtype.kind != "b" or len(item.shape) > 1:
        raise UnreadableError("it chooses among sizes by what isn't known")
    flags = [bool(flag) for flag in item.fixed.reshape(-1).tolist()]
    yes, no = _vector(_of(c, 1)), _vector(_of(c, 2))
    length = max(len(flags), len(yes), len(no))
    if not {len(flags), len(yes), len(no)} <= {1, length}:
        raise UnreadableError("its inputs don't fit")
    chosen = (
        yes[at % len(yes)] if flags[at % len(flags)] else no[at % len(no)] for at in range(length)
    )
    return tuple(chosen)


def _reshaped(c: Call) -> Sizes:
    value = _of(c, 0)
    if c.kind == "Unsqueeze":
        if isinstance(value, tuple):
            raise UnreadableError("it makes a matrix of sizes")
        return (value,)
    if c.kind == "Squeeze":
        if isinstance(value, tuple) and len(value) != 1:
            raise UnreadableError("it drops a dimension of several sizes")
        return _vector(value)[0]
    shape = c.ints(1)
    if len(shape) > 1:
        raise UnreadableError("it makes a matrix of sizes")
    return _vector(value) if shape else _vector(value)[0]


def _gathered(values: tuple[Length, ...], index: Sizes) -> Sizes:
    def one(at: Length) -> Length:
        return values[axis_of(at, len(values))]

    return tuple(one(at) for at in index) if isinstance(index, tuple) else one(index)


def _sliced(c: Call) -> Sizes:
    values = _vector(_of(c, 0))
    starts, ends = c.axes(1, "starts") or (), c.axes(2, "ends") or ()
    steps = c.ints(4) if c.has(4) else (1,)
    if len(starts) != 1 or len(ends) != 1 or steps[0] == 0:
        raise UnreadableError("it cuts a vector of sizes in several dimensions")
    return values[slice(starts[0], ends[0], steps[0])]
