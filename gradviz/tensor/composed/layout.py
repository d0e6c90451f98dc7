"""Other layouts of the same elements."""

from __future__ import annotations

from typing import Any

from gradviz.core.context import CallSite
from gradviz.errors import fail
from gradviz.ops import shapes
from gradviz.tensor import canon, functions
from gradviz.tensor.base import Tensor


def t(input: Any) -> Tensor:
    """A matrix transposed; a vector or a single number as it is.

    Raises:
        GradvizError: `invalid-argument` for more than two dimensions.

    Example:
        >>> import gradviz as gv
        >>> gv.ones(2, 3).t().shape
        (3, 2)
    """
    x = canon.tensor("t", input)
    if x.ndim > 2:
        raise fail(
            "invalid-argument",
            operation="t",
            complaint=f"needs at most 2 dimensions, not {x.ndim}",
            facts=(("operation", "t"), ("shape", str(x.shape))),
            advice="Use `.mT` to exchange the last two dimensions.",
        )
    if x.ndim < 2:
        return x
    with CallSite():
        return functions.transpose(x, 0, 1)


def tile(input: Any, dims: Any, *more: Any) -> Tensor:
    """Copies side by side; fewer counts than dimensions count from the end.

    Example:
        >>> import gradviz as gv
        >>> gv.tile(gv.tensor([1, 2]), 2).tolist()
        [1, 2, 1, 2]
    """
    x = canon.tensor("tile", input)
    sizes = canon.sizes("tile", (dims, *more))
    counts = (1,) * (x.ndim - len(sizes)) + sizes
    with CallSite():
        return functions.repeat(x, counts)


def repeat_dim(input: Any, dim: int, times: int) -> Tensor:
    """Copies along one dimension, of any size (Burn asks for size 1).

    Example:
        >>> import gradviz as gv
        >>> gv.repeat_dim(gv.tensor([[1, 2]]), 0, 2).tolist()
        [[1, 2], [1, 2]]
    """
    x = canon.tensor("repeat_dim", input)
    at = canon.existing_dim("repeat_dim", dim, x)
    count = canon.whole_number("repeat_dim", "times", times)
    with CallSite():
        return functions.repeat(x, tuple(count if place == at else 1 for place in range(x.ndim)))


def movedim(input: Any, source: Any, destination: Any) -> Tensor:
    """Dimensions moved to other places; the rest keeps its order.

    Args:
        input: a tensor.
        source: a dimension or a tuple of them.
        destination: where each of them goes.

    Raises:
        GradvizError: `invalid-argument`, `dimension-out-of-range`.

    Example:
        >>> import gradviz as gv
        >>> gv.movedim(gv.ones(2, 3, 4), 0, -1).shape
        (3, 4, 2)
    """
    x = canon.tensor("movedim", input)
    start = canon.whole_numbers("movedim", "source", source)
    end = canon.whole_numbers("movedim", "destination", destination)
    moved = [shapes.dimension("movedim", d, x.ndim) for d in start]
    places = [shapes.dimension("movedim", d, x.ndim) for d in end]
    once = len(set(moved)) == len(moved) == len(places) == len(set(places))
    if not once:
        raise fail(
            "invalid-argument",
            operation="movedim",
            complaint=f"{source} can't be moved to {destination}",
            advice="Name every dimension once, as many in the source as in the destination.",
        )
    rest = iter([d for d in range(x.ndim) if d not in moved])
    order = dict(zip(places, moved, strict=True))
    with CallSite():
        return functions.permute(
            x, tuple(order[d] if d in order else next(rest) for d in range(x.ndim))
        )


def swap_dims(input: Any, dim0: int, dim1: int) -> Tensor:
    """Two dimensions exchanged: `transpose` under Burn's name.

    Example:
        >>> import gradviz as gv
        >>> gv.swap_dims(gv.ones(2, 3), 0, 1).shape
        (3, 2)
    """
    with CallSite():
        return functions.transpose(input, dim0, dim1)


def expand_as(input: Any, other: Any) -> Tensor:
    """Expanded to another tensor's shape.

    Example:
        >>> import gradviz as gv
        >>> gv.ones(1).expand_as(gv.zeros(2, 3)).shape
        (2, 3)
    """
    with CallSite():
        return functions.expand(input, canon.tensor("expand_as", other).shape)


def reshape_as(input: Any, other: Any) -> Tensor:
    """Reshaped to another tensor's shape.

    Example:
        >>> import gradviz as gv
        >>> gv.ones(6).reshape_as(gv.zeros(2, 3)).shape
        (2, 3)
    """
    with CallSite():
        return functions.reshape(input, canon.tensor("reshape_as", other).shape)


def ravel(input: Any) -> Tensor:
    """All dimensions made one.

    Example:
        >>> import gradviz as gv
        >>> gv.ravel(gv.ones(2, 2)).tolist()
        [1.0, 1.0, 1.0, 1.0]
    """
    with CallSite():
        return functions.flatten(input)
