"""What is done to the parameters of a module in place: freezing them, moving them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gradviz.autodiff.node import GRAD, NONE
from gradviz.dispatch.device import Device
from gradviz.errors import GradvizTypeError, fail
from gradviz.nn import registry
from gradviz.nn.parameter import Parameter, moved_to
from gradviz.tensor.autodiff import destination, require_grad
from gradviz.tensor.base import Tensor

if TYPE_CHECKING:
    from gradviz.nn.module import Module


def freeze(parameter: Parameter) -> None:
    """Takes the mark off a parameter."""
    if parameter.node.requirement == GRAD:
        # The same node: graphs that are recorded already still reach it, as in PyTorch.
        parameter.node.requirement = NONE
        registry.note_freeze(parameter)


def unfreeze(parameter: Parameter) -> None:
    """Marks a parameter."""
    if parameter.node.requirement == NONE:
        require_grad(parameter)
        registry.note_unfreeze(parameter)


def move(module: Module, target: Any, dtype: Any, device: Any) -> None:
    """Moves all parameters and buffers of a module, or none.

    Raises:
        GradvizError: `invalid-argument`.
    """
    home, wanted = destination(target, dtype, device)
    if home is not None and home.is_capture:
        raise fail(
            "invalid-argument",
            operation="to",
            complaint=f"a module can't live on {home}",
            reason="a recording holds no values, and parameters need some.",
            advice="Leave the module where it is: `gv.capture(module, ...)` takes its parameters "
            "as constants.",
        )
    if wanted is not None and wanted.kind != "f":
        raise fail(
            "invalid-argument",
            operation="to",
            complaint=f"parameters can't be {wanted.name}",
            advice="Use a floating point dtype.",
            error=GradvizTypeError,
        )
    for parameter in module.parameters():
        # Parameters are there to be learned: they live on the autodiff form of their device.
        _move(parameter, home if home is None or home.is_autodiff else home.autodiff(), wanted)
    for buffer in module.buffers():
        _move(buffer, None if home is None else home.inner(), wanted)


def _move(tensor: Tensor, home: Device | None, dtype: Any) -> None:
    device = None if home is tensor.device else home
    cast = dtype if tensor.dtype.kind == "f" and dtype != tensor.dtype else None
    if device is not None or cast is not None:
        moved_to(tensor, device, cast)
