"""Conversions and facts under their PyTorch names."""

from __future__ import annotations

from typing import Any

from gradviz.tensor import autodiff, canon
from gradviz.tensor.autodiff import to_dtype
from gradviz.tensor.base import Tensor


def float_(input: Any) -> Tensor:
    """The tensor as float32.

    Example:
        >>> import gradviz as gv
        >>> gv.tensor([1, 2]).float().tolist()
        [1.0, 2.0]
    """
    return to_dtype(canon.tensor("float", input), "float32")


def double(input: Any) -> Tensor:
    """The tensor as float64.

    Example:
        >>> import gradviz as gv
        >>> gv.tensor([1, 2]).double().dtype.name
        'float64'
    """
    return to_dtype(canon.tensor("double", input), "float64")


def half(input: Any) -> Tensor:
    """The tensor as float16.

    Example:
        >>> import gradviz as gv
        >>> gv.tensor([1, 2]).half().dtype.name
        'float16'
    """
    return to_dtype(canon.tensor("half", input), "float16")


def int_(input: Any) -> Tensor:
    """The tensor as int32.

    Example:
        >>> import gradviz as gv
        >>> gv.tensor([1.7]).int().tolist()
        [1]
    """
    return to_dtype(canon.tensor("int", input), "int32")


def long(input: Any) -> Tensor:
    """The tensor as int64.

    Example:
        >>> import gradviz as gv
        >>> gv.tensor([True, False]).long().tolist()
        [1, 0]
    """
    return to_dtype(canon.tensor("long", input), "int64")


def bool_(input: Any) -> Tensor:
    """The tensor as bool: whether elements differ from 0.

    Example:
        >>> import gradviz as gv
        >>> gv.tensor([0.0, 2.0]).bool().tolist()
        [False, True]
    """
    return to_dtype(canon.tensor("bool", input), "bool")


def type_as(input: Any, other: Any) -> Tensor:
    """In another tensor's dtype.

    Example:
        >>> import gradviz as gv
        >>> gv.tensor([1]).type_as(gv.ones(1)).tolist()
        [1.0]
    """
    return to_dtype(canon.tensor("type_as", input), canon.tensor("type_as", other).dtype)


def numel(input: Any) -> int:
    """Number of elements.

    Example:
        >>> import gradviz as gv
        >>> gv.ones(2, 3).numel()
        6
    """
    return canon.tensor("numel", input).size


def dim(input: Any) -> int:
    """Number of dimensions.

    Example:
        >>> import gradviz as gv
        >>> gv.ones(2, 3).dim()
        2
    """
    return canon.tensor("dim", input).ndim


def contiguous(input: Any) -> Tensor:
    """The tensor itself: how it lies in memory never shows.

    Example:
        >>> import gradviz as gv
        >>> gv.ones(2, 3).t().contiguous().shape
        (3, 2)
    """
    return canon.tensor("contiguous", input)


def clone(input: Any) -> Tensor:
    """The tensor itself: tensors never change, so a copy is never needed.

    Example:
        >>> import gradviz as gv
        >>> gv.ones(2).clone().tolist()
        [1.0, 1.0]
    """
    return canon.tensor("clone", input)


def detach(input: Any) -> Tensor:
    """An untracked tensor of the same kind and value: gradients stop here.

    Example:
        >>> import gradviz as gv
        >>> x = gv.tensor([1.0], requires_grad=True)
        >>> gv.detach(x * 2.0).requirement
        'none'
    """
    return autodiff.detach(canon.tensor("detach", input))


def cpu(input: Any) -> Tensor:
    """The tensor itself: it is there already.

    Example:
        >>> import gradviz as gv
        >>> gv.ones(2).cpu().tolist()
        [1.0, 1.0]
    """
    return canon.tensor("cpu", input)
