"""Marking, cutting, lifting, and backward."""

from __future__ import annotations

from typing import Any

from gradviz.autodiff.node import GRAD, NONE, Origin, new_leaf, next_id
from gradviz.autodiff.provenance import settle
from gradviz.backends.capture.backend import dry_run, stopped
from gradviz.core.context import CallSite, call_site, current
from gradviz.dispatch.device import Checkpointing, Device
from gradviz.dispatch.registry import device as device_named
from gradviz.dispatch.registry import is_place_elsewhere
from gradviz.errors import GradvizError, fail
from gradviz.tensor import refusal
from gradviz.tensor.base import Tensor, wrap
from gradviz.tensor.data import dtype_of
from gradviz.tensor.general import cast, moved

DETACH = Origin("detach")
UNMARK = Origin("set_require_grad")
INNER = Origin("inner")
AUTODIFF = Origin("autodiff")
MOVE = Origin("to")


def _derived(tensor: Tensor, origin: Origin, device: Any, prim: Any) -> Tensor:
    """An untracked tensor made of another one's value, with a light link to it."""
    meta = tensor.node.meta
    code, lasti = call_site()
    node = new_leaf(
        origin, device.meta(meta.shape, meta.dtype), NONE, code, lasti, current(), (tensor.node,)
    )
    if device.is_capture:
        prim = stopped(prim)  # and a recording keeps its history whole
    else:
        settle(node)
    return wrap(prim, node)


def go_on(tensor: Tensor, error: GradvizError) -> Tensor:
    """Raises an error; a dry run takes note of it instead and goes on with the tensor as it is."""
    run = dry_run() if tensor.device.is_capture else None
    if run is None:
        raise error
    run.note(error)
    return tensor


def require_grad(self: Tensor) -> Tensor:
    """Marks the tensor itself as a leaf that gets gradients, and returns it.

    Raises:
        GradvizError: `can-t-convert-a-non-leaf-tensor-into-a-tracked-ten` on a tracked result,
            `require-grad-on-non-float` on int or bool, `require-grad-on-plain-kind` elsewhere.

    Example:
        >>> import gradviz as gv
        >>> w = gv.tensor([1.0], device=gv.device("ndarray").autodiff())
        >>> w.require_grad().requirement
        'grad'
    """
    refused = refusal.of_require_grad(self.node)
    if refused is not None:
        return go_on(self, refused.error())
    node = self.node
    if node.requirement == NONE:
        node.requirement = GRAD
        node.more().marked_at = next_id()
        node.more().marked_place = call_site()
    return self


def set_require_grad(self: Tensor, require: bool) -> Tensor:
    """Marks the tensor, or returns an untracked tensor of the same value.

    Args:
        require: True is `require_grad()`; False leaves this tensor as it is and returns a new one.

    Example:
        >>> import gradviz as gv
        >>> x = gv.tensor([1.0], requires_grad=True)
        >>> x.set_require_grad(False).requirement, x.requirement
        ('none', 'grad')
    """
    if require:
        return require_grad(self)
    return _derived(self, UNMARK, self.device, self.prim)


def detach(self: Tensor) -> Tensor:
    """An untracked tensor of the same kind and value: gradients stop here.

    Example:
        >>> import gradviz as gv
        >>> x = gv.tensor([1.0], requires_grad=True)
        >>> (x * 2.0).detach().requirement
        'none'
    """
    return _derived(self, DETACH, self.device, self.prim)


def retain_grad(self: Tensor) -> Tensor:
    """Keeps the gradient of a tracked result, and returns the tensor.

    Raises:
        GradvizError: `requires-autodiff-tensor` on a plain kind, `untracked-root` where nothing
            is tracked.

    Example:
        >>> import gradviz as gv
        >>> x = gv.tensor([3.0], requires_grad=True)
        >>> h = (x * x).retain_grad()
        >>> (h * 2.0).sum().backward()[h].tolist()
        [2.0]
    """
    if not self.node.requirement:
        refused = refusal.of_backward(self.node, "retain_grad")
        if refused is not None:
            raise refused.error()
    self.node.more().retained = True
    return self


def autodiff(self: Tensor, checkpointing: Checkpointing = "none") -> Tensor:
    """The tensor lifted to its `Autodiff(...)` kind, as an untracked leaf.

    Raises:
        GradvizError: `autodiff-wraps-autodiff` on an autodiff tensor;
            `capture-tensors-do-not-support-autodiff` on a capture tensor.

    Example:
        >>> import gradviz as gv
        >>> gv.tensor([1.0]).autodiff().kind
        Autodiff(NdArray)
    """
    if self.device.is_autodiff:
        error = fail(
            "autodiff-wraps-autodiff",
            reason=f"its kind is {self.kind} already; there is no second layer.",
            facts=refusal.facts(self.node),
            advice="Use the tensor as it is. For gradients of gradients use "
            "`backward(create_graph=True)`.",
            cause=self.node.source,
            nodes=(self.node.id,),
        )
        return go_on(self, error)
    if self.device.is_capture and dry_run() is None:
        raise _capture_refuses(self, "autodiff")
    return _derived(self, AUTODIFF, self.device.autodiff(checkpointing), self.prim)


def _capture_refuses(tensor: Tensor, operation: str) -> Exception:
    return fail(
        "capture-tensors-do-not-support-autodiff",
        reason=f"`{operation}` on a tensor of kind {tensor.kind}: a recording has no values to "
        "differentiate.",
        facts=(("operation", operation), *refusal.facts(tensor.node)),
        advice='Work on `gv.device("ndarray").autodiff()`; capture the forward pass only.',
        cause=tensor.node.source,
        nodes=(tensor.node.id,),
    )


def inner(self: Tensor) -> Tensor:
    """The plain tensor under an autodiff one; a plain tensor gives itself.

    Raises:
        GradvizError: `capture-tensors-do-not-support-autodiff` on a capture tensor.

    Example:
        >>> import gradviz as gv
        >>> gv.tensor([1.0], requires_grad=True).inner().kind
        NdArray
    """
    if self.device.is_capture and dry_run() is None:
        raise _capture_refuses(self, "inner")
    if not self.device.is_autodiff:
        return self
    return _derived(self, INNER, self.device.inner(), self.prim)


def from_inner(plain: Tensor) -> Tensor:
    """`plain.autodiff()`, under Burn's name."""
    return autodiff(plain)


def to(self: Tensor, target: Any = None, *, dtype: Any = None, device: Any = None) -> Tensor:
    """The tensor on another device, or in another dtype.

    Args:
        target: a device or its name, or a dtype or its name.
        dtype: the dtype, by name.
        device: the device, by name.

    Raises:
        GradvizError: `cannot-move-from-capture` off a capture device.

    Example:
        >>> import gradviz as gv
        >>> gv.tensor([1.0]).to(gv.float64).dtype.name
        'float64'
    """
    home, wanted = destination(target, dtype, device)
    result = self if home is None else _to_device(self, home)
    return result if wanted is None else to_dtype(result, wanted)


def destination(target: Any, dtype: Any, device: Any) -> tuple[Device | None, Any]:
    """The device and the dtype that the arguments of a `to` name, each None where none is named."""
    if isinstance(target, Tensor):
        device, dtype = target.device, target.dtype
    elif isinstance(target, Device) or (isinstance(target, str) and _is_device_name(target)):
        device = target
    elif target is not None:
        dtype = target
    return (
        None if device is None else device_named(device),
        None if dtype is None else dtype_of(dtype),
    )


def _is_device_name(text: str) -> bool:
    known = "ndarray" in text.lower() or "capture" in text.lower()
    return known or is_place_elsewhere(text)


def to_dtype(tensor: Tensor, dtype: Any) -> Tensor:
    """The tensor in another dtype; itself where it has it already."""
    wanted = dtype_of(dtype)
    if wanted == tensor.dtype:
        return tensor
    with CallSite():
        return cast(tensor, wanted.name)


def _to_device(tensor: Tensor, target: Any) -> Tensor:
    source = tensor.device
    if source is target:
        return tensor
    if source.is_capture and not target.is_capture:
        error = fail(
            "cannot-move-from-capture",
            reason="a captured result has no value that could be moved.",
            facts=(("operation", "to"), *refusal.facts(tensor.node), ("target", str(target))),
            advice="Return the tensor from the captured function, then call `run` on the graph.",
            nodes=(tensor.node.id,),
        )
        return go_on(tensor, error)
    if source.is_capture and source.is_autodiff != target.is_autodiff:
        raise _capture_refuses(tensor, "to")
    if target.is_capture and not source.is_capture:
        made = moved(tensor, target)
        made.node.step = MOVE
        made.node.code, made.node.lasti = call_site()
        return made
    if not target.is_autodiff and source.is_autodiff:
        return _derived(tensor, INNER, target, tensor.prim)
    return _derived(tensor, MOVE, target, tensor.prim)


for _function in (
    require_grad,
    set_require_grad,
    detach,
    retain_grad,
    autodiff,
    inner,
    to,
):
    setattr(Tensor, _function.__name__, _function)
Tensor.from_inner = staticmethod(from_inner)
