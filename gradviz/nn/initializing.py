"""How a parameter gets other initial values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradviz.dispatch.registry import default_device
from gradviz.errors import fail
from gradviz.nn.parameter import Buffer, Parameter
from gradviz.tensor.base import Tensor


def set_values(tensor: Any, operation: str, draw: Callable[..., Tensor], **options: Any) -> Any:
    """Gives a parameter the values that a function makes for its shape and dtype, and returns it.

    Raises:
        GradvizError: `in-place-on-tensor` for a bare tensor, `not-a-tensor` for anything else.
    """
    if isinstance(tensor, Parameter):
        with default_device(tensor.device.inner()):
            return tensor.replace(draw(tensor.shape, dtype=tensor.dtype, **options))
    if isinstance(tensor, Tensor) and not isinstance(tensor, Buffer):
        raise fail(
            "in-place-on-tensor",
            reason=f"`{operation}` gives a parameter other values; a bare tensor has only its own.",
            facts=(("operation", operation), ("kind", str(tensor.kind))),
            advice=f"Write `gv.nn.init.{operation.rstrip('_')}({tensor.shape})` for a new tensor, "
            "or make it a `gv.nn.Parameter`.",
            nodes=(tensor.node.id,),
        )
    raise fail(
        "not-a-tensor",
        operation=operation,
        complaint=f"a {type(tensor).__name__} is no parameter",
        advice=f"Give a `gv.nn.Parameter`; `{operation.rstrip('_')}` takes a shape.",
    )
