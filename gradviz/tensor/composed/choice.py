"""Choosing and comparing."""

from __future__ import annotations

from typing import Any

from gradviz.core.context import CallSite
from gradviz.errors import GradvizTypeError, fail
from gradviz.ops.size import Size
from gradviz.tensor import canon, functions
from gradviz.tensor.base import Tensor
from gradviz.tensor.general import general, row_of

_where = row_of("where")


def where(condition: Any, input: Any = None, other: Any = None) -> Tensor:
    """Elements of `input` where the condition is true, of `other` elsewhere.

    Args:
        condition: a bool tensor.
        input: a tensor, array or number.
        other: a tensor, array or number; all three broadcast.

    Raises:
        GradvizError: `shape-mismatch`, `different-backends`, `invalid-dtype`.

    Example:
        >>> import gradviz as gv
        >>> x = gv.tensor([-1.0, 2.0])
        >>> gv.where(x > 0.0, x, 0.0).tolist()
        [0.0, 2.0]
    """
    if input is None or other is None:
        raise fail(
            "invalid-argument",
            operation="where",
            complaint="needs a condition and two values",
            advice="Write `gv.where(condition, x, y)`.",
            error=GradvizTypeError,
        )
    result: Tensor = general(_where, [canon.mask("where", condition), input, other], ())
    return result


def where_method(self: Tensor, condition: Any, other: Any) -> Tensor:
    """The tensor's elements where the condition is true, `other`'s elsewhere."""
    return where(condition, self, other)


def isclose(
    input: Any, other: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> Tensor:
    """Whether elements differ by at most `atol + rtol * |other|`.

    Example:
        >>> import gradviz as gv
        >>> gv.isclose(gv.tensor([1.0, 2.0]), gv.tensor([1.0, 2.1])).tolist()
        [True, False]
    """
    same_nan = canon.flag("isclose", "equal_nan", equal_nan)
    relative = canon.scalar("isclose", "rtol", rtol)
    absolute = canon.scalar("isclose", "atol", atol)
    if relative < 0 or absolute < 0:
        raise fail(
            "invalid-argument",
            operation="isclose",
            complaint=f"rtol {relative} and atol {absolute} must not be negative",
            advice="Give tolerances of at least 0.",
        )
    with CallSite():
        left, right = canon.tensor("isclose", input), canon.tensor("isclose", other)
        near = functions.eq(left, right)
        if left.dtype.kind == "b" and right.dtype.kind == "b":
            return near
        limit = functions.add(functions.mul(functions.abs(right), relative), absolute)
        gap = functions.abs(functions.sub(left, right))
        # An infinite limit would let anything pass.
        near = near | (functions.le(gap, limit) & functions.isfinite(gap))
        if same_nan:
            near = near | (functions.isnan(left) & functions.isnan(right))
        return near


def allclose(
    input: Any, other: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> bool:
    """Whether all elements differ by at most `atol + rtol * |other|`.

    Example:
        >>> import gradviz as gv
        >>> gv.allclose(gv.tensor([1.0]), gv.tensor([1.0 + 1e-6]))
        True
    """
    with CallSite():
        return bool(functions.all(isclose(input, other, rtol, atol, equal_nan)))


def equal(input: Any, other: Any) -> bool:
    """Whether two tensors have the same shape and elements.

    Example:
        >>> import gradviz as gv
        >>> gv.equal(gv.ones(2), gv.ones(2)), gv.equal(gv.ones(2), gv.ones(1))
        (True, False)
    """
    left, right = canon.tensor("equal", input), canon.tensor("equal", other)
    if left.shape != right.shape:
        return False
    with CallSite():
        return bool(functions.all(functions.eq(left, right)))


def equals(self: Tensor, other: Any) -> Any:
    """`==`: elementwise; other things than tensors, arrays and numbers are never equal."""
    if other is None or not (hasattr(other, "dtype") or isinstance(other, int | float | Size)):
        return NotImplemented
    with CallSite():
        return functions.eq(self, other)


def differs(self: Tensor, other: Any) -> Any:
    """`!=`: elementwise; other things than tensors, arrays and numbers always differ."""
    if other is None or not (hasattr(other, "dtype") or isinstance(other, int | float | Size)):
        return NotImplemented
    with CallSite():
        return functions.ne(self, other)


def clamp_min(input: Any, min: Any) -> Tensor:
    """Elements raised to at least `min`.

    Example:
        >>> import gradviz as gv
        >>> gv.clamp_min(gv.tensor([-1.0, 1.0]), 0.0).tolist()
        [0.0, 1.0]
    """
    with CallSite():
        return functions.clamp(input, min=min)


def clamp_max(input: Any, max: Any) -> Tensor:
    """Elements lowered to at most `max`.

    Example:
        >>> import gradviz as gv
        >>> gv.clamp_max(gv.tensor([-1.0, 1.0]), 0.0).tolist()
        [-1.0, 0.0]
    """
    with CallSite():
        return functions.clamp(input, max=max)
