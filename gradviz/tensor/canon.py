"""Arguments as users write them, in the canonical form that rows take."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gradviz.core.shape import count
from gradviz.errors import GradvizTypeError, fail
from gradviz.ops import shapes
from gradviz.tensor.base import TENSORS, Tensor
from gradviz.tensor.data import shape_of

Shape = tuple[int, ...]


def tensor(operation: str, value: Any) -> Tensor:
    """The input of an operation on one tensor: arrays and numbers become constants."""
    from gradviz.dispatch.registry import get_default_device
    from gradviz.tensor.general import as_operand, row_of

    if value.__class__ in TENSORS or isinstance(value, Tensor):
        made: Tensor = value
        return made
    return as_operand(row_of("add"), "x", value, get_default_device())


def dims(operation: str, dim: Any, x: Tensor) -> Shape:
    """Dimensions to reduce; all for None."""
    return shapes.dimensions(operation, dim, len(x.node.meta.shape))


def dim(operation: str, dim: Any, x: Tensor) -> int:
    """One dimension, counted from the front."""
    return shapes.dimension(operation, dim, len(x.node.meta.shape))


def dim_or_none(operation: str, dim: Any, x: Tensor) -> int | None:
    """One dimension, or None for all."""
    return None if dim is None else shapes.dimension(operation, dim, len(x.node.meta.shape))


def nonempty(operation: str, dim: int | Shape | None, x: Tensor) -> None:
    """Refuses to look for an extreme among no elements."""
    shape = x.node.meta.shape
    over = range(len(shape)) if dim is None else (dim,) if isinstance(dim, int) else dim
    if shape and any(shape[at] == 0 for at in over) and (dim is None or count(shape) == 0):
        results = count(tuple(n for at, n in enumerate(shape) if at not in over))
        if results or dim is None:
            raise fail(
                "invalid-argument",
                operation=operation,
                complaint=f"no elements to choose from in a tensor of shape {shape}",
                facts=(("operation", operation), ("shape", str(shape))),
                advice="Reduce a dimension that has elements.",
            )


def new_shape(operation: str, sizes: tuple[Any, ...], x: Tensor) -> Shape:
    """The shape of a reshape, -1 worked out."""
    return shapes.reshaped(x.node.meta.shape, _sizes(operation, sizes), operation)


def expanded(operation: str, sizes: tuple[Any, ...], x: Tensor) -> Shape:
    """The shape of an expand, -1 kept."""
    return shapes.broadcastable_to(operation, x.node.meta.shape, _sizes(operation, sizes))


def _sizes(operation: str, sizes: tuple[Any, ...]) -> Shape:
    try:
        return shape_of(sizes)
    except (TypeError, AttributeError):
        raise fail(
            "invalid-argument",
            operation=operation,
            complaint=f"sizes must be whole numbers, not {sizes!r}",
            advice=f"Write `x.{operation}(2, 3)` or `x.{operation}((2, 3))`.",
            error=GradvizTypeError,
        ) from None


def order(operation: str, dims: tuple[Any, ...], x: Tensor) -> Shape:
    """A permutation of the dimensions."""
    rank = len(x.node.meta.shape)
    found = tuple(shapes.dimension(operation, d, rank) for d in _sizes(operation, dims))
    if rank == 0 and not found:
        return ()
    if sorted(found) != list(range(rank)):
        raise fail(
            "invalid-argument",
            operation=operation,
            complaint=f"{_sizes(operation, dims)} doesn't name each of {rank} dimensions once",
            advice="Name every dimension once.",
        )
    return found


def flattened(x: Tensor, start_dim: int, end_dim: int) -> Shape:
    """The shape of a flatten."""
    shape = x.node.meta.shape
    if not shape:
        return (1,)
    first, last = dim("flatten", start_dim, x), dim("flatten", end_dim, x)
    if first > last:
        raise fail(
            "invalid-argument",
            operation="flatten",
            complaint=f"start_dim {start_dim} comes after end_dim {end_dim}",
            advice="Give the dimensions in order.",
        )
    return (*shape[:first], count(shape[first : last + 1]), *shape[last + 1 :])


def unflattened(x: Tensor, at: int, sizes: Iterable[int]) -> Shape:
    """The shape of an unflatten."""
    shape = x.node.meta.shape
    where = dim("unflatten", at, x)
    inner = shapes.reshaped((shape[where],), tuple(sizes), "unflatten")
    return (*shape[:where], *inner, *shape[where + 1 :])


def squeezed(x: Tensor, dim: Any) -> Shape:
    """The shape of a squeeze: dimensions of another size stay, as in PyTorch."""
    shape = x.node.meta.shape
    at = shapes.dimensions("squeeze", dim, len(shape))
    return tuple(n for place, n in enumerate(shape) if n != 1 or place not in at)


def unsqueezed(x: Tensor, dim: int) -> Shape:
    """The shape of an unsqueeze."""
    shape = x.node.meta.shape
    at = shapes.dimension("unsqueeze", dim, len(shape) + 1)
    return (*shape[:at], 1, *shape[at:])


def counts(operation: str, sizes: tuple[Any, ...], x: Tensor) -> Shape:
    """How often each dimension is repeated."""
    found = _sizes(operation, sizes)
    if len(found) < len(x.node.meta.shape) or any(n < 0 for n in found):
        raise fail(
            "invalid-argument",
            operation=operation,
            complaint=f"{found} doesn't say how often to repeat each of {x.ndim} dimensions",
            advice="Give one count, at least 0, for every dimension.",
        )
    return found


def shifts(x: Tensor, shifts: Any, dims: Any) -> tuple[Shape, Shape]:
    """Shifts and dimensions of a roll, paired."""
    moved = (shifts,) if isinstance(shifts, int) else tuple(shifts)
    over = tuple(
        shapes.dimension("roll", d, x.ndim) for d in ((dims,) if isinstance(dims, int) else dims)
    )
    if len(moved) != len(over):
        raise fail(
            "invalid-argument",
            operation="roll",
            complaint=f"{len(moved)} shifts for {len(over)} dimensions",
            advice="Give one shift for every dimension.",
        )
    return moved, over


def widths(x: Tensor, pad: Any) -> tuple[tuple[int, int], ...]:
    """PyTorch's padding, last dimension first, as one pair for every dimension."""
    flat = tuple(int(n) for n in pad)
    if len(flat) % 2 or len(flat) // 2 > x.ndim:
        raise fail(
            "invalid-argument",
            operation="pad",
            complaint=f"{flat} are no pairs for at most {x.ndim} dimensions",
            advice="Give (left, right) of the last dimension, then of the one before it.",
        )
    pairs = [(flat[at], flat[at + 1]) for at in range(0, len(flat), 2)]
    return ((0, 0),) * (x.ndim - len(pairs)) + tuple(reversed(pairs))


def choice(operation: str, name: str, value: str, allowed: tuple[str, ...]) -> str:
    """One of several words."""
    if value not in allowed:
        raise fail(
            "invalid-argument",
            operation=operation,
            complaint=f"{name} is {value!r}",
            advice=f"Use one of {', '.join(map(repr, allowed))}.",
        )
    return value


REDUCTIONS = ("none", "mean", "sum")


def limits(operation: str, min: Any, max: Any) -> tuple[Any, Any]:
    """The limits of a clamp."""
    if min is None and max is None:
        raise fail(
            "invalid-argument",
            operation=operation,
            complaint="at least one of min and max must be given",
            advice="Write `x.clamp(min=0.0)`.",
        )
    return min, max


def scalar(operation: str, name: str, value: Any) -> Any:
    """A plain number."""
    if isinstance(value, Tensor):
        return value.item()
    if not isinstance(value, int | float) and hasattr(value, "item"):
        return value.item()
    if not isinstance(value, int | float):
        raise fail(
            "invalid-argument",
            operation=operation,
            complaint=f"{name} must be a number, not {type(value).__name__}",
            advice="Give a Python number.",
            error=GradvizTypeError,
        )
    return value


def facts(*tensors: Any) -> list[Any]:
    """`(shape, dtype name)` of every tensor; None for an absent one."""
    found: list[Any] = []
    for value in tensors:
        if value is None:
            found.append(None)
        else:
            meta = value.node.meta
            found.append((meta.shape, meta.dtype.name))
    return found


def joined_dim(operation: str, tensors: Any, dim: int) -> int:
    """The dimension along which tensors are joined."""
    ranks = [len(getattr(t, "shape", ())) for t in tensors] if isinstance(tensors, list | tuple) else [1]
    rank = max(ranks, default=1)
    if rank == 0:
        raise fail(
            "invalid-argument",
            operation=operation,
            complaint="tensors without dimensions can't be joined along one",
            advice="Use `stack`, which makes a new dimension.",
        )
    return shapes.dimension(operation, dim, rank)


def stacked_dim(tensors: Any, dim: int) -> int:
    """The new dimension of a stack."""
    first = tensors[0] if isinstance(tensors, list | tuple) and tensors else None
    return shapes.dimension("stack", dim, len(getattr(first, "shape", ())) + 1)


def clamped(input: Any, min: Any, max: Any) -> Any:
    """A clamp with a tensor for a limit."""
    from gradviz.tensor import functions

    if min is not None:
        input = functions.maximum(input, min)
    return input if max is None else functions.minimum(input, max)


def whole(operation: str, index: Any, x: Tensor, dim: Any) -> Any:
    """An integer index tensor, its values checked against the dimension and counted from the front."""
    from gradviz.tensor.indexing import checked_index

    return checked_index(operation, index, x, shapes.dimension(operation, dim, x.ndim))


def source(src: Any, index: Tensor, x: Tensor) -> Any:
    """The values of a scatter: one number serves every index."""
    from gradviz.tensor.creation import full

    if isinstance(src, Tensor):
        return src
    if isinstance(src, int | float):
        return full(index.shape, src, dtype=x.dtype, device=x.device)
    return src


def classes(operation: str, target: Any, scores: Tensor, ignore_index: int) -> Any:
    """Integer classes, checked against the number of scores."""
    from gradviz.tensor.indexing import checked_classes

    return checked_classes(operation, target, scores, ignore_index)
