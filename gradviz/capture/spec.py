"""Shapes and dtypes of inputs that have no values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gradviz.errors import fail
from gradviz.ops.size import NAME, Size, symbol
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
        shape: sizes of the dimensions. A name such as "batch" leaves a size open: the program runs
            with any, the same one wherever the name stands.
        dtype: the dtype or its name.
        name: the name shown in listings.

    Raises:
        GradvizError: `invalid-argument` for a shape that is none, `invalid-dtype`.

    Example:
        >>> import gradviz as gv
        >>> gv.spec((2, 3)).dtype.name
        'float32'
        >>> gv.capture(lambda x: x.sum(dim=1), gv.spec(("batch", 3))).outputs[0].shape
        (batch,)
    """
    sizes = (shape,) if isinstance(shape, int | str) else shape
    try:
        checked = tuple(_size(size) for size in sizes)
    except (TypeError, AttributeError, ValueError):
        raise fail(
            "invalid-argument",
            operation="spec",
            complaint=f"{shape!r} is no shape",
            advice="Give whole sizes and names of sizes to leave open, such as "
            '`gv.spec(("batch", 3))`.',
        ) from None
    return Spec(checked, dtype_of(dtype), name)


def _size(size: Any) -> Any:
    if isinstance(size, Size):
        return size
    if isinstance(size, str):
        if NAME.fullmatch(size) is None:
            raise ValueError("no name")
        return symbol(size)
    number = int(size.__index__())
    if number < 0:
        raise ValueError("below zero")
    return number
