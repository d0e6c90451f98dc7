"""Random numbers inside of a capture: a draw is recorded, so that every run draws anew."""

from __future__ import annotations

from functools import partial
from typing import Any

from gradviz.backends.capture.backend import dry_run, recordings
from gradviz.backends.ndarray import fill
from gradviz.core.context import CallSite
from gradviz.dispatch.device import Device
from gradviz.dispatch.registry import device as device_named
from gradviz.dispatch.registry import get_default_device
from gradviz.errors import fail
from gradviz.ops.symbolic import holds_symbol
from gradviz.tensor import functions
from gradviz.tensor.base import Tensor
from gradviz.tensor.creation.make import contents, make
from gradviz.tensor.general import general, row_of

_random = row_of("random")


def recording_device(device: Any) -> Device | None:
    """The device of a draw that is recorded; None for one that gives numbers at once."""
    target = get_default_device() if device is None else device_named(device)
    # A dry run computes nothing, and writes nothing down either.
    return target if target.is_capture and recordings() and dry_run() is None else None


def recorded(
    operation: str,
    draw: Any,
    shape: tuple[Any, ...],
    numbers: list[Any],
    dtype: Any,
    device: Device,
    requires_grad: bool,
    name: str | None,
) -> Tensor:
    """The tensor of a recorded draw; a dead draw at once where the arguments don't allow any."""
    if requires_grad:  # which is refused on a capture device, in the words of creation
        return make(contents(operation, fill.full, (), 0, dtype), operation, device, True, name)
    # What can't be drawn is said now and not in a run.
    contents(operation, draw, (0,), *numbers, dtype)
    with CallSite():
        one = make(contents(operation, fill.full, (), 0, dtype), operation, device, False, None)
        like = functions.expand(one, shape) if shape else one
        first, second = (*numbers, None)[:2]
        result: Tensor = general(_random, [like], (draw.__name__, first, second))
    if name is not None:
        result.node.more().name = name
    if not holds_symbol(shape):
        result.prim.draw = partial(contents, operation, draw, shape, *numbers, dtype)
    return result


def refuse_recording(operation: str, device: Any) -> None:
    """Refuses a draw that a recording has no operation for."""
    if recording_device(device) is not None:
        raise fail(
            "capture-value-unavailable",
            reason=f"`{operation}` draws numbers, and a recording has none: drawn now, they would "
            "be the same in every run.",
            facts=(("operation", operation),),
            advice="Draw outside and pass the result to the captured function as an input.",
        )
