"""Reductions with several forms."""

from __future__ import annotations

from typing import Any

from gradviz.core.context import CallSite
from gradviz.tensor import canon, functions
from gradviz.tensor.base import Tensor
from gradviz.tensor.general import general, row_of


def _extreme(operation: str, input: Any, dim: Any, keepdim: Any) -> Any:
    x = canon.tensor(operation, input)
    if dim is None:
        canon.nonempty(operation, None, x)
        every = tuple(range(x.ndim))
        return general(row_of(f"a{operation}"), [x], (every, False))
    if isinstance(dim, Tensor):
        with CallSite():
            return getattr(functions, f"{operation}imum")(x, dim)
    at = canon.dim(operation, dim, x)
    canon.nonempty(operation, at, x)
    return general(row_of(f"{operation}_dim"), [x], (at, canon.flag(operation, "keepdim", keepdim)))


def max(input: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """The largest element; with `dim` the largest along it, and where it is.

    Args:
        input: a tensor.
        dim: None for the largest of all (ties share the gradient), a dimension for
            `(values, indices)` (the first one gets the gradient), or a tensor for `maximum`.
        keepdim: whether the reduced dimension stays with size 1.

    Raises:
        GradvizError: `invalid-argument` without elements, `dimension-out-of-range`.

    Example:
        >>> import gradviz as gv
        >>> values, indices = gv.tensor([[1.0, 3.0]]).max(dim=1)
        >>> values.tolist(), indices.tolist()
        ([3.0], [1])
    """
    return _extreme("max", input, dim, keepdim)


def min(input: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """The smallest element; with `dim` the smallest along it, and where it is.

    Args:
        input: a tensor.
        dim: None for the smallest of all (ties share the gradient), a dimension for
            `(values, indices)` (the first one gets the gradient), or a tensor for `minimum`.
        keepdim: whether the reduced dimension stays with size 1.

    Raises:
        GradvizError: `invalid-argument` without elements, `dimension-out-of-range`.

    Example:
        >>> import gradviz as gv
        >>> gv.tensor([4.0, 3.0]).min().item()
        3.0
    """
    return _extreme("min", input, dim, keepdim)


def std_mean(
    input: Any, dim: Any = None, *, correction: Any = 1, keepdim: bool = False
) -> tuple[Tensor, Tensor]:
    """Standard deviation and mean.

    Example:
        >>> import gradviz as gv
        >>> [part.item() for part in gv.std_mean(gv.tensor([1.0, 2.0, 3.0]))]
        [1.0, 2.0]
    """
    with CallSite():
        return (
            functions.std(input, dim, correction=correction, keepdim=keepdim),
            functions.mean(input, dim, keepdim),
        )


def var_mean(
    input: Any, dim: Any = None, *, correction: Any = 1, keepdim: bool = False
) -> tuple[Tensor, Tensor]:
    """Variance and mean.

    Example:
        >>> import gradviz as gv
        >>> [part.item() for part in gv.var_mean(gv.tensor([1.0, 3.0, 5.0]))]
        [4.0, 3.0]
    """
    with CallSite():
        return (
            functions.var(input, dim, correction=correction, keepdim=keepdim),
            functions.mean(input, dim, keepdim),
        )


def sum_dim(input: Any, dim: Any) -> Tensor:
    """The sum along a dimension, which stays with size 1: Burn's name.

    Example:
        >>> import gradviz as gv
        >>> gv.sum_dim(gv.ones(2, 3), 1).tolist()
        [[3.0], [3.0]]
    """
    with CallSite():
        return functions.sum(input, dim, True)


def vector_norm(x: Any, ord: Any = 2.0, dim: Any = None, keepdim: bool = False) -> Tensor:
    """The p-norm of a tensor's elements, or along dimensions: `norm` as in PyTorch's `linalg`.

    Example:
        >>> import gradviz as gv
        >>> gv.vector_norm(gv.tensor([3.0, -4.0]), 1).item()
        7.0
    """
    with CallSite():
        return functions.norm(x, ord, dim, keepdim)
