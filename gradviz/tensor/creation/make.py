"""Leaves: from an array to a tensor, and the checks that all creation shares."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradviz.autodiff.node import GRAD, NONE, Origin, new_leaf
from gradviz.autodiff.provenance import settle
from gradviz.backends.capture.backend import defers
from gradviz.backends.capture.deferred import Deferred
from gradviz.backends.ndarray import fill
from gradviz.core.context import CallSite, call_site, current
from gradviz.dispatch.registry import device as device_named
from gradviz.dispatch.registry import get_default_device
from gradviz.errors import GradvizTypeError, fail
from gradviz.ops.size import Size, needs_number
from gradviz.ops.symbolic import holds_symbol
from gradviz.tensor import canon
from gradviz.tensor.autodiff import require_grad as mark
from gradviz.tensor.base import Tensor, wrap
from gradviz.tensor.data import dtype_of

Shape = tuple[int, ...]
_origins: dict[str, Origin] = {}


def make(
    array: Any,
    origin: str,
    device: Any,
    requires_grad: bool,
    name: str | None,
    drawn_from: tuple[Tensor, ...] = (),
) -> Tensor:
    """A leaf with an array's contents; `drawn_from` are the parameters of a random draw."""
    requires_grad = canon.flag(origin, "requires_grad", requires_grad)
    target = get_default_device() if device is None else device_named(device)
    if requires_grad and target.checkpointing is None:
        if target.is_capture:
            raise fail(
                "capture-tensors-do-not-support-autodiff",
                reason="`requires_grad=True` on the capture device: a recording has no values to "
                "differentiate.",
                facts=(("operation", origin), ("device", str(target))),
                advice="Leave `requires_grad` out, or create the tensor on another device.",
            )
        target = target.autodiff()
    # Functions of ours alone call this one.
    code, lasti = call_site(3)
    row = _origins.get(origin)
    if row is None:
        row = _origins.setdefault(origin, Origin(origin))
    meta = target.meta(array.shape, array.dtype)
    parents = tuple([tensor.node for tensor in drawn_from]) if drawn_from else ()
    node = new_leaf(row, meta, NONE, code, lasti, current(), parents)
    if parents:
        settle(node)
    made = wrap(target.backend.constant(array), node)
    if name is not None:
        if not isinstance(name, str):
            raise fail(
                "invalid-argument",
                operation=origin,
                error=GradvizTypeError,
                complaint=f"name must be text, not {type(name).__name__}",
                advice="Give a string.",
            )
        node.more().name = name
    if requires_grad:
        if meta.category != "float":
            return mark(made)  # which says why it can't be
        # Marked from the start: where and when that was, the node itself says.
        node.requirement = GRAD
    return made


def sizes(operation: str, size: tuple[Any, ...]) -> Shape:
    """A shape from `2, 3` or `(2, 3)`."""
    shape = canon.sizes(operation, size)
    if any(n.__class__ is int and n < 0 for n in shape):
        raise fail(
            "invalid-argument",
            operation=operation,
            complaint=f"{shape} is no shape",
            reason="a size can't be negative.",
            advice=f"Write `gv.{operation}(2, 3)` or `gv.{operation}((2, 3))`.",
        )
    return shape


def created(
    operation: str,
    create: Callable[..., Any],
    arguments: tuple[Any, ...],
    shape: Shape,
    dtype: Any,
    device: Any,
    requires_grad: bool,
    name: str | None,
    *,
    random: bool = False,
) -> Tensor:
    """A leaf with the contents that `create` makes of the arguments.

    Outside of recordings and in dry runs the capture device has no use for numbers: they are made
    when somebody reads them, so that a module of any size can be built there.
    """
    target = get_default_device() if device is None else device_named(device)
    array: Any
    if target.is_capture and defers():
        later = fill.later(create, random, *arguments)
        array = Deferred(shape, dtype, lambda: contents(operation, later))
    else:
        array = contents(operation, create, *arguments)
    return make(array, operation, target, requires_grad, name)


def contents(operation: str, create: Callable[..., Any], *arguments: Any) -> Any:
    """An array that `create` makes; what it can't make is said in the operation's own terms."""
    for argument in arguments:
        for size in argument if argument.__class__ is tuple else (argument,):
            if size.__class__ is Size:
                raise needs_number(f"`{operation}` of size {size}", size)
    try:
        return create(*arguments)
    except (MemoryError, OverflowError, ValueError, TypeError) as error:
        text = str(error).splitlines()[0] if str(error) else "not enough memory"
        raise fail(
            "invalid-argument",
            operation=operation,
            complaint=text[0].lower() + text[1:],
            advice="Ask for fewer elements, or numbers that the dtype can hold.",
        ) from None


def filled(
    operation: str,
    shape: Shape,
    value: Any,
    dtype: Any,
    device: Any,
    requires_grad: bool,
    name: str | None,
) -> Tensor:
    """One value everywhere."""
    wanted = dtype_of("float32" if dtype is None else dtype)
    target = get_default_device() if device is None else device_named(device)
    if target.is_capture:
        contents(operation, fill.full, (), value, wanted)  # says now what it couldn't say later
    if holds_symbol(shape) and not requires_grad:
        # One number, repeated as often as a run will ask for.
        number = contents(operation, fill.full, (), value, wanted)
        one = make(number, operation, device, False, None)
        if one.device.is_capture:
            with CallSite():
                return renamed(one.node.meta.table.expand(one, shape), name)
    return created(
        operation, fill.full, (shape, value, wanted), shape, wanted, target, requires_grad, name
    )


def renamed(tensor: Tensor, name: str | None) -> Tensor:
    """The tensor itself, under the name that was asked for."""
    if name is not None:
        tensor.node.more().name = name
    return tensor
