"""Shapes, permutations, paddings."""

from __future__ import annotations

import functools
from typing import Any

from gradviz.core.shape import count
from gradviz.errors import fail
from gradviz.ops import shapes
from gradviz.ops.size import Size, needs_number
from gradviz.tensor.base import TENSORS, Tensor
from gradviz.tensor.canon.numbers import dim as one_dim
from gradviz.tensor.canon.numbers import existing_dim, whole_number, whole_numbers, wrong_type

Shape = tuple[int, ...]
_KEPT = 4096


def sizes(operation: str, given: tuple[Any, ...]) -> Shape:
    """Whole numbers from `2, 3` or `(2, 3)`."""
    listed = given[0] if len(given) == 1 and isinstance(given[0], list | tuple) else given
    for size in listed:
        if size.__class__ is not int:
            break
    else:
        return tuple(listed)
    if not all(hasattr(size, "__index__") and not isinstance(size, bool) for size in listed):
        raise wrong_type(
            operation,
            f"sizes must be whole numbers, not {', '.join(type(size).__name__ for size in listed)}",
            f"Write `x.{operation}(2, 3)` or `x.{operation}((2, 3))`.",
        )
    return tuple(_size(operation, size) for size in listed)


def _size(operation: str, size: Any) -> Any:
    if size.__class__ is Size:
        return size
    try:
        return int(size.__index__())
    except TypeError:  # an array or tensor that is no whole number
        return whole_number(operation, "a size", size)


def new_shape(operation: str, given: tuple[Any, ...], x: Tensor) -> Shape:
    """The shape of a reshape, -1 worked out."""
    meta = x.node.meta
    rule = _reshaped if meta.device.backend.computes else shapes.reshaped
    return rule(meta.shape, sizes(operation, given), operation)


# What whole numbers come to is always the same, and loops ask for it again and again. Sizes that
# were left open compare in more than one way: they are worked out anew.
_reshaped = functools.lru_cache(maxsize=_KEPT)(shapes.reshaped)
_expanded = functools.lru_cache(maxsize=_KEPT)(shapes.broadcastable_to)


def expanded(operation: str, given: tuple[Any, ...], x: Tensor) -> Shape:
    """The shape of an expand, -1 kept."""
    meta = x.node.meta
    rule = _expanded if meta.device.backend.computes else shapes.broadcastable_to
    return rule(operation, meta.shape, sizes(operation, given))


def order(operation: str, dims: tuple[Any, ...], x: Tensor) -> Shape:
    """A permutation of the dimensions."""
    shape = x.node.meta.shape
    found = _ordered(operation, sizes(operation, dims), len(shape))
    if found is None:
        raise fail(
            "invalid-argument",
            operation=operation,
            complaint=f"{sizes(operation, dims)} doesn't name each of {len(shape)} dimensions once",
            facts=(("operation", operation), ("shape", str(shape))),
            advice="Name every dimension once.",
        )
    return found


@functools.lru_cache(maxsize=_KEPT)
def _ordered(operation: str, given: Shape, rank: int) -> Shape | None:
    if rank == 0 and not given:
        return ()
    found = tuple(shapes.dimension(operation, d, rank) for d in given)
    return found if sorted(found) == list(range(rank)) else None


def flattened(x: Tensor, start_dim: Any, end_dim: Any) -> Shape:
    """The shape of a flatten."""
    shape = x.node.meta.shape
    first, last = one_dim("flatten", start_dim, x), one_dim("flatten", end_dim, x)
    if not shape:
        return (1,)
    if first > last:
        raise fail(
            "invalid-argument",
            operation="flatten",
            complaint=f"start_dim {start_dim} comes after end_dim {end_dim}",
            advice="Give the dimensions in order.",
        )
    return (*shape[:first], count(shape[first : last + 1]), *shape[last + 1 :])


def unflattened(x: Tensor, at: Any, sizes: Any) -> Shape:
    """The shape of an unflatten."""
    where = existing_dim("unflatten", at, x)
    shape = x.node.meta.shape
    wanted = whole_numbers("unflatten", "sizes", sizes)
    if not wanted:
        raise fail(
            "invalid-argument",
            operation="unflatten",
            complaint="sizes are empty",
            advice="Give at least one size.",
        )
    inner = shapes.reshaped((shape[where],), wanted, "unflatten")
    return (*shape[:where], *inner, *shape[where + 1 :])


def squeezed(x: Tensor, dim: Any) -> Shape:
    """The shape of a squeeze: dimensions of another size stay, as in PyTorch."""
    shape = x.node.meta.shape
    if isinstance(dim, list | tuple) and not dim:
        return shape
    at = shapes.dimensions("squeeze", dim, len(shape))
    for place in at:
        size: Any = shape[place]
        if size.__class__ is Size:
            raise needs_number(f"`squeeze` of dimension {place}", size)
    return tuple(n for place, n in enumerate(shape) if n != 1 or place not in at)


def unsqueezed(x: Tensor, dim: Any) -> Shape:
    """The shape of an unsqueeze."""
    shape = x.node.meta.shape
    at = shapes.dimension("unsqueeze", dim, len(shape) + 1)
    return (*shape[:at], 1, *shape[at:])


def counts(operation: str, given: tuple[Any, ...], x: Tensor) -> Shape:
    """How often each dimension is repeated."""
    found = sizes(operation, given)
    if len(found) < len(x.node.meta.shape) or any(n < 0 for n in found):
        raise fail(
            "invalid-argument",
            operation=operation,
            complaint=f"{found} doesn't say how often to repeat each of {x.ndim} dimensions",
            advice="Give one count, at least 0, for every dimension.",
        )
    return found


def shifts(x: Tensor, shifts: Any, dims: Any) -> tuple[Shape, Shape]:
    """Shifts and dimensions of a roll, paired; dimension None rolls the tensor as one row."""
    moved = whole_numbers("roll", "shifts", shifts)
    named = whole_numbers("roll", "dims", dims)
    over = tuple(shapes.dimension("roll", d, x.ndim) for d in named)
    if len(moved) != len(over) or not moved:
        raise fail(
            "invalid-argument",
            operation="roll",
            complaint=f"{len(moved)} shifts for {len(over)} dimensions",
            advice="Give one shift for every dimension.",
        )
    return moved, over


def widths(x: Tensor, pad: Any) -> tuple[tuple[int, int], ...]:
    """PyTorch's padding, last dimension first, as one pair for every dimension."""
    flat = whole_numbers("pad", "pad", pad)
    if len(flat) % 2 or len(flat) // 2 > x.ndim:
        raise fail(
            "invalid-argument",
            operation="pad",
            complaint=f"{flat} are no pairs for at most {x.ndim} dimensions",
            advice="Give (left, right) of the last dimension, then of the one before it.",
        )
    pairs = [(flat[at], flat[at + 1]) for at in range(0, len(flat), 2)]
    found = ((0, 0),) * (x.ndim - len(pairs)) + tuple(reversed(pairs))
    if any(n + a + b < 0 for n, (a, b) in zip(x.shape, found, strict=True)):
        raise fail(
            "invalid-argument",
            operation="pad",
            complaint=f"{flat} cuts more than a tensor of shape {x.shape} has",
            advice="Cut at most the size of each dimension.",
        )
    return found


def joined_dim(operation: str, tensors: Any, dim: Any) -> int:
    """The dimension along which tensors are joined."""
    ranks = [1]
    if isinstance(tensors, list | tuple):
        ranks = [
            len(t.node.meta.shape if t.__class__ in TENSORS else getattr(t, "shape", ()))
            for t in tensors
        ]
    if 0 in ranks:
        raise fail(
            "invalid-argument",
            operation=operation,
            complaint="tensors without dimensions can't be joined along one",
            advice="Use `stack`, which makes a new dimension.",
        )
    return shapes.dimension(operation, dim, max(ranks, default=1))


def stacked_dim(tensors: Any, dim: Any) -> int:
    """The new dimension of a stack."""
    first = tensors[0] if isinstance(tensors, list | tuple) and tensors else None
    return shapes.dimension("stack", dim, len(getattr(first, "shape", ())) + 1)
