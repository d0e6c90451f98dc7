"""Tensors in the shape, dtype and device of another."""

from __future__ import annotations

from typing import Any

from gradviz.tensor import canon
from gradviz.tensor.base import Tensor
from gradviz.tensor.creation.constant import full
from gradviz.tensor.creation.make import filled
from gradviz.tensor.creation.random import rand, randn


def like(operation: str, input: Any, dtype: Any, device: Any) -> tuple[tuple[int, ...], Any, Any]:
    """Shape, dtype and device of a tensor, those given taking precedence."""
    source: Tensor = canon.tensor(operation, input)
    return (
        source.shape,
        source.dtype if dtype is None else dtype,
        source.device if device is None else device,
    )


def zeros_like(
    input: Any,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    name: str | None = None,
) -> Tensor:
    """Zeros in the shape, dtype and device of another tensor.

    Example:
        >>> import gradviz as gv
        >>> gv.zeros_like(gv.tensor([1, 2])).tolist()
        [0, 0]
    """
    shape, dtype, device = like("zeros_like", input, dtype, device)
    return filled("zeros_like", shape, 0, dtype, device, requires_grad, name)


def ones_like(
    input: Any,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    name: str | None = None,
) -> Tensor:
    """Ones in the shape, dtype and device of another tensor.

    Example:
        >>> import gradviz as gv
        >>> gv.ones_like(gv.tensor([5.0])).tolist()
        [1.0]
    """
    shape, dtype, device = like("ones_like", input, dtype, device)
    return filled("ones_like", shape, 1, dtype, device, requires_grad, name)


def empty_like(
    input: Any,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    name: str | None = None,
) -> Tensor:
    """A tensor in the shape, dtype and device of another; its contents don't matter.

    Example:
        >>> import gradviz as gv
        >>> gv.empty_like(gv.tensor([5.0])).shape
        (1,)
    """
    shape, dtype, device = like("empty_like", input, dtype, device)
    return filled("empty_like", shape, 0, dtype, device, requires_grad, name)


def full_like(
    input: Any,
    fill_value: Any,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    name: str | None = None,
) -> Tensor:
    """One value in the shape, dtype and device of another tensor.

    Example:
        >>> import gradviz as gv
        >>> gv.full_like(gv.tensor([5.0]), 2.0).tolist()
        [2.0]
    """
    shape, dtype, device = like("full_like", input, dtype, device)
    return full(
        shape, fill_value, dtype=dtype, device=device, requires_grad=requires_grad, name=name
    )


def rand_like(
    input: Any,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    name: str | None = None,
) -> Tensor:
    """Random numbers in [0, 1) in the shape, dtype and device of another tensor.

    Example:
        >>> import gradviz as gv
        >>> gv.rand_like(gv.zeros(3)).shape
        (3,)
    """
    shape, dtype, device = like("rand_like", input, dtype, device)
    return rand(shape, dtype=dtype, device=device, requires_grad=requires_grad, name=name)


def randn_like(
    input: Any,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    name: str | None = None,
) -> Tensor:
    """Standard normal random numbers in the shape, dtype and device of another tensor.

    Example:
        >>> import gradviz as gv
        >>> gv.randn_like(gv.zeros(3)).shape
        (3,)
    """
    shape, dtype, device = like("randn_like", input, dtype, device)
    return randn(shape, dtype=dtype, device=device, requires_grad=requires_grad, name=name)
