"""Numbers, dimensions and words."""

from __future__ import annotations

import contextlib
from typing import Any

from gradviz.errors import GradvizError, GradvizTypeError, fail
from gradviz.ops import shapes
from gradviz.ops.size import Size, needs_number
from gradviz.tensor.base import TENSORS, Tensor

Shape = tuple[int, ...]
REDUCTIONS = ("none", "mean", "sum")


def dims(operation: str, dim: Any, x: Tensor) -> Shape:
    """Dimensions to reduce; all for None."""
    return shapes.dimensions(operation, dim, len(x.node.meta.shape))


def dim(operation: str, dim: Any, x: Tensor) -> int:
    """One dimension, counted from the front."""
    return shapes.dimension(operation, dim, len(x.node.meta.shape))


def existing_dim(operation: str, dim: Any, x: Tensor) -> int:
    """One dimension of a tensor that has at least one."""
    at = shapes.dimension(operation, dim, len(x.node.meta.shape))
    if not x.node.meta.shape:
        raise shapes.no_dimension(operation)
    return at


def dim_or_none(operation: str, dim: Any, x: Tensor) -> int | None:
    """One dimension, or None for all."""
    return None if dim is None else shapes.dimension(operation, dim, len(x.node.meta.shape))


def dims_of_any(operation: str, dim: Any, x: Tensor) -> Shape:
    """Dimensions of an any or all: unlike elsewhere, an empty list reduces nothing in PyTorch."""
    return dims(operation, None, x) if dim is None else listed_dims(operation, dim, x)


def listed_dims(operation: str, dims: Any, x: Tensor) -> Shape:
    """Dimensions named one by one: none for an empty list."""
    if isinstance(dims, list | tuple) and not dims:
        return ()
    if dims is None:
        raise wrong_type(operation, "dims must be given", "Name the dimensions.")
    return shapes.dimensions(operation, dims, len(x.node.meta.shape))


def wrong_type(operation: str, complaint: str, advice: str) -> GradvizError:
    """The error of an argument that is something else altogether."""
    return fail(
        "invalid-argument",
        operation=operation,
        complaint=complaint,
        advice=advice,
        error=GradvizTypeError,
    )


def whole_number(operation: str, name: str, value: Any) -> int:
    """A whole number, of Python or NumPy."""
    number: int | None = value if value.__class__ is int else None
    if value.__class__ is Size:
        return value  # type: ignore[return-value]  # it goes where a number would
    if number is None and not isinstance(value, bool) and value.__class__ not in TENSORS:
        with contextlib.suppress(AttributeError, TypeError):
            number = int(value.__index__())
    if number is not None:
        if not -(1 << 63) <= number < 1 << 63:
            raise wrong_type(operation, f"{name} is too large", "Give a number of 64 bits.")
        return number
    raise wrong_type(
        operation,
        f"{name} must be a whole number, not {type(value).__name__}",
        "Give a Python int.",
    )


def whole_numbers(operation: str, name: str, value: Any) -> Shape:
    """One whole number or several."""
    if isinstance(value, list | tuple):
        return tuple(whole_number(operation, name, item) for item in value)
    return (whole_number(operation, name, value),)


def scalar(operation: str, name: str, value: Any) -> Any:
    """A plain number; a tensor or array of one element counts as one."""
    if value.__class__ is float or value.__class__ is int or value.__class__ is bool:
        return value
    if value.__class__ is Size:
        raise needs_number(f"{name} {value} of `{operation}`", value)
    if value.__class__ not in TENSORS and not isinstance(value, int | float):
        shape = getattr(value, "shape", None)
        if shape is None or not hasattr(value, "item") or shapes.count(tuple(shape)) != 1:
            raise wrong_type(
                operation,
                f"{name} must be a number, not {type(value).__name__}",
                "Give a Python number.",
            )
    number = value if isinstance(value, int | float) else value.item()
    if not isinstance(number, int | float):
        raise wrong_type(operation, f"{name} must be a real number", "Give a Python number.")
    # A subclass of float (NumPy's float64) carries a dtype that would take part in promotion.
    return float(number) if isinstance(number, float) else number


def flag(operation: str, name: str, value: Any) -> bool:
    """True or False."""
    if value is True or value is False:
        return value
    if isinstance(value, int) or getattr(getattr(value, "dtype", None), "kind", "") == "b":
        return bool(value)
    raise wrong_type(
        operation,
        f"{name} must be True or False, not {type(value).__name__}",
        "Give a bool.",
    )


def correction(operation: str, unbiased: Any, given: Any) -> float:
    """What is taken from n in the divisor of a variance."""
    if given is None:
        return 1 if flag(operation, "unbiased", unbiased) else 0
    number: float = scalar(operation, "correction", given)
    return number


def choice(operation: str, name: str, value: Any, allowed: tuple[str, ...]) -> str:
    """One of several words."""
    if isinstance(value, str) and value in allowed:
        return value
    raise fail(
        "invalid-argument",
        operation=operation,
        complaint=f"{name} is {value!r}"
        if isinstance(value, str)
        else f"{name} must be text, not {type(value).__name__}",
        advice=f"Use one of {', '.join(map(repr, allowed))}.",
    )


def limits(operation: str, min: Any, max: Any) -> tuple[Any, Any]:
    """The limits of a clamp."""
    if min is None and max is None:
        raise fail(
            "invalid-argument",
            operation=operation,
            complaint="at least one of min and max must be given",
            advice="Write `x.clamp(min=0.0)`.",
        )
    low = None if min is None else scalar(operation, "min", min)
    high = None if max is None else scalar(operation, "max", max)
    return low, high
