"""Shape rules: from the inputs' shapes to the results', and the errors of what doesn't fit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from gradviz.core.shape import count as count
from gradviz.errors import GradvizError, fail
from gradviz.ops.symbolic import holds_symbol, through

Shape = tuple[int, ...]


def mismatch(operation: str, lhs: Shape, rhs: Shape, reason: str, advice: str) -> GradvizError:
    """The error of two shapes that don't fit together."""
    return fail(
        "shape-mismatch",
        operation=operation,
        lhs=lhs,
        rhs=rhs,
        reason=reason,
        facts=(("operation", operation), ("shapes", f"{lhs} and {rhs}")),
        advice=advice,
    )


def broadcast(operation: str, *shapes: Shape) -> Shape:
    """The common shape of operands, as NumPy broadcasts them."""
    result: list[int] = []
    for shape in shapes:
        short = len(shape) - len(result)
        if short > 0:
            result[:0] = [1] * short
        offset = len(result) - len(shape)
        for at, length in enumerate(shape):
            have = result[offset + at]
            if have == 1:
                result[offset + at] = length
            elif length not in (1, have):
                raise _cannot_broadcast(operation, shapes, have, length, at - len(shape))
    return tuple(result)


def _cannot_broadcast(
    operation: str, shapes: Sequence[Shape], have: int, length: int, axis: int
) -> GradvizError:
    lhs, rhs = shapes[0], shapes[-1]
    advice = "Make the sizes equal, or one of them 1 (unsqueeze adds a dimension of size 1)."
    if len(lhs) == 2 and len(rhs) == 2 and lhs == rhs[::-1]:
        advice = "One of them is the other transposed: `.t()` makes them equal."
    return mismatch(
        operation,
        lhs,
        rhs,
        f"dimension {axis} has size {have} on one side and {length} on the other; sizes must be "
        "equal or 1 to broadcast.",
        advice,
    )


def dimension(operation: str, dim: int, rank: int) -> int:
    """A dimension counted from the front."""
    if dim.__class__ is int and -rank <= dim < rank:
        return dim % rank
    try:
        at = None if isinstance(dim, bool) else int(dim.__index__())
    except (AttributeError, TypeError):  # an array has the method, too
        at = None
    if at is None:
        raise fail(
            "invalid-argument",
            operation=operation,
            complaint=f"dim must be an int, not {type(dim).__name__}",
            advice="Give the dimension's number, counted from 0, or from -1 at the end.",
        )
    # A tensor without dimensions accepts 0 and -1, as in PyTorch.
    limit = max(rank, 1)
    if not -limit <= at < limit:
        raise fail(
            "dimension-out-of-range",
            operation=operation,
            complaint=f"dimension {at} is out of range for a tensor of {rank} dimensions",
            reason=f"dimensions run from {-limit} to {limit - 1} here.",
            facts=(("operation", operation), ("dimensions", str(rank))),
            advice="Count dimensions from 0, or from -1 at the end.",
        )
    return at % limit


def no_dimension(operation: str) -> GradvizError:
    """The error of a tensor that has no dimension to work along."""
    return fail(
        "dimension-out-of-range",
        operation=operation,
        complaint="a tensor without dimensions has none to work along",
        reason="its shape is ().",
        facts=(("operation", operation), ("dimensions", "0")),
        advice="Give a tensor of at least one dimension (`reshape(1)` makes one).",
    )


def dimensions(operation: str, dims: int | Iterable[int] | None, rank: int) -> tuple[int, ...]:
    """Sorted dimensions counted from the front; all of them for None or an empty list."""
    if dims is None:
        return tuple(range(rank))
    if dims.__class__ is int and -rank <= dims < rank:
        return (dims % rank,)
    if isinstance(dims, int) or hasattr(dims, "__index__"):
        listed: list[int] = [dimension(operation, dims, rank)]  # type: ignore[arg-type]
    else:
        # What is no list of numbers is refused in the words of a single one.
        given: Any = dims if isinstance(dims, list | tuple | range) else (dims,)
        listed = [dimension(operation, dim, rank) for dim in given]
        if not listed:
            return tuple(range(rank))
    if len(set(listed)) != len(listed):
        raise fail(
            "invalid-argument",
            operation=operation,
            complaint=f"a dimension appears twice in {tuple(dims)}",  # type: ignore[arg-type]
            advice="Name every dimension once.",
        )
    return () if rank == 0 else tuple(sorted(listed))


def reduced(shape: Shape, dims: tuple[int, ...], keepdim: bool) -> Shape:
    """The shape left after reducing `dims`."""
    if keepdim:
        return tuple(1 if at in dims else length for at, length in enumerate(shape))
    return tuple(length for at, length in enumerate(shape) if at not in dims)


def matmul(operation: str, lhs: Shape, rhs: Shape) -> Shape:
    """The shape of a matrix product with batch dimensions, vectors allowed."""
    if not lhs or not rhs:
        raise mismatch(
            operation,
            lhs,
            rhs,
            "a matrix product needs at least one dimension on both sides.",
            "Use `*` to multiply by a single number.",
        )
    left = (1, *lhs) if len(lhs) == 1 else lhs
    right = (*rhs, 1) if len(rhs) == 1 else rhs
    if left[-1] != right[-2]:
        advice = f"The last dimension of the left operand ({lhs[-1]}) must equal "
        advice += (
            f"{'the only' if len(rhs) == 1 else 'the last but one'} of the right ({right[-2]})."
        )
        if len(rhs) >= 2 and rhs[-1] == left[-1]:
            advice += " The right operand transposed would fit: `.mT`."
        elif len(lhs) >= 2 and lhs[-2] == right[-2]:
            advice += " The left operand transposed would fit: `.mT`."
        raise mismatch(
            operation,
            lhs,
            rhs,
            f"the inner sizes are {left[-1]} and {right[-2]}.",
            advice,
        )
    batch = broadcast(operation, left[:-2], right[:-2])
    rows = left[-2:-1] if len(lhs) > 1 else ()
    columns = right[-1:] if len(rhs) > 1 else ()
    return (*batch, *rows, *columns)


def taken(item: slice, length: int) -> int:
    """How many of `length` elements a slice takes; also of more than a sequence can have."""
    start, stop, step = item.indices(length)
    return max(0, (stop - start + step - (1 if step > 0 else -1)) // step)


def reshaped(shape: Shape, wanted: Sequence[int], operation: str = "reshape") -> Shape:
    """`wanted` with its -1 worked out."""
    if holds_symbol((tuple(shape), tuple(wanted))):
        return through(reshaped, shape, tuple(wanted), operation)  # type: ignore[no-any-return]
    sizes = tuple(int(size) for size in wanted)
    total = count(shape)
    unknown = [at for at, size in enumerate(sizes) if size == -1]
    known = count(tuple(size for size in sizes if size != -1))
    if len(unknown) == 1 and known > 0 and total % known == 0 and min(sizes) >= -1:
        at = unknown[0]
        return (*sizes[:at], total // known, *sizes[at + 1 :])
    if unknown or total != known or any(size < 0 for size in sizes):
        reason = (
            "only one size can be -1."
            if len(unknown) > 1
            else f"{shape} holds {total} elements; {sizes} asks for "
            + (f"a multiple of {known}." if unknown else f"{known}.")
        )
        raise mismatch(
            operation, shape, sizes, reason, "Give sizes whose product is the number of elements."
        )
    return sizes


def broadcastable_to(operation: str, shape: Shape, target: Sequence[int]) -> Shape:
    """`target` of an expand: -1 keeps a size; only dimensions of size 1 grow."""
    if holds_symbol((tuple(shape), tuple(target))):
        return through(broadcastable_to, operation, shape, tuple(target))  # type: ignore[no-any-return]
    sizes = tuple(int(size) for size in target)
    lead = len(sizes) - len(shape)
    result: list[int] = []
    for at, size in enumerate(sizes):
        old = shape[at - lead] if at >= lead else None
        if size == -1 and old is not None:
            size = old  # noqa: PLW2901 - what -1 stands for
        if lead < 0 or size < 0 or (old is not None and old not in (1, size)):
            raise mismatch(
                operation,
                shape,
                sizes,
                "only dimensions of size 1 can be expanded, and new ones only in front.",
                "Use -1 to keep a size; use `repeat` to copy the data of larger dimensions.",
            )
        result.append(size)
    if lead < 0:
        raise mismatch(
            operation,
            shape,
            sizes,
            "expand can't remove dimensions.",
            "Give at least as many sizes.",
        )
    return tuple(result)
