"""Shapes and dtypes of inputs that have no values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gradviz.errors import fail
from gradviz.tensor.data import dtype_of


@dataclass(frozen=True, slots=True)
class Spec:
    """An input of a capture: its shape, its dtype and, if wanted, a name."""

    shape: tuple[Any, ...]
    dtype: Any
    name: str | None = None


def spec(shape: Any, dtype: Any = "float32", name: str | None = None) -> Spec:
    """An input described without values.

    Args:
        shape: sizes of the dimensions.
        dtype: the dtype or its name.
        name: the name shown in listings.

    Raises:
        GradvizError: `invalid-argument` for a shape that is none, `invalid-dtype`.

    Example:
        >>> import gradviz as gv
        >>> gv.spec((2, 3)).dtype.name
        'float32'
    """
    sizes = (shape,) if isinstance(shape, int) else shape
    try:
        checked = tuple(int(size.__index__()) for size in sizes)
    except (TypeError, AttributeError):
        checked = (-1,)
    if any(size < 0 for size in checked):
        raise fail(
            "invalid-argument",
            operation="spec",
            complaint=f"{shape!r} is no shape",
            advice="Give whole sizes, such as `gv.spec((2, 3))`.",
        )
    return Spec(checked, dtype_of(dtype), name)
