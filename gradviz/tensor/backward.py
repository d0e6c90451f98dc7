"""Backward, and reading the gradients it gives."""

from __future__ import annotations

from collections.abc import Callable
from types import CodeType
from typing import Any

from gradviz.autodiff import engine
from gradviz.autodiff.checkpoint import Recomputation
from gradviz.autodiff.gradients import Store
from gradviz.autodiff.node import ABSENT, NONE, Node, Origin, new_leaf
from gradviz.autodiff.observe import Tape, WatchedRecomputation, watching
from gradviz.backends.capture.backend import dry_run
from gradviz.backends.ndarray import numerics
from gradviz.core.context import CallSite, call_site, current
from gradviz.errors import GradvizTypeError, fail
from gradviz.tensor import refusal
from gradviz.tensor.autodiff import to_dtype
from gradviz.tensor.base import Tensor, wrap
from gradviz.tensor.data import array_of
from gradviz.tensor.elsewhere import GradMethod
from gradviz.tensor.general import number
from gradviz.tensor.gradients import Gradients
from gradviz.tensor.namespace import TENSOR_NAMESPACE
from gradviz.tensor.rehearsal import rehearsed
from gradviz.tensor.values import read

observers: list[Callable[[Tensor, Gradients], object]] = []
"""Told of every root that `backward` has run from and what it gave; the command line listens."""


def backward(
    self: Tensor,
    retain_graph: bool = False,
    create_graph: bool = False,
    gradient: Any = None,
) -> Gradients:
    """Gradients of the tensor with respect to every marked leaf it was computed from.

    The graph is consumed: what it saved is freed. Nothing is accumulated on tensors.

    Args:
        retain_graph: keeps the graph, so that `backward` can run through it again.
        create_graph: makes the gradients tracked tensors, which can be differentiated in turn;
            implies `retain_graph`.
        gradient: the gradient to start from, of the tensor's shape; ones where it is left out.

    Raises:
        GradvizError: `requires-autodiff-tensor`, `capture-tensors-do-not-support-autodiff`,
            `untracked-root`, `graph-consumed`; `shape-mismatch` for a gradient of another shape.
            Nothing has been consumed then.

    Example:
        >>> import gradviz as gv
        >>> x = gv.tensor([1.0, 2.0], requires_grad=True)
        >>> (x * x).sum().backward()[x].tolist()
        [2.0, 4.0]
    """
    rehearsal = dry_run() if self.device.is_capture else None
    if rehearsal is not None and not (create_graph and self.node.requirement):
        return rehearsed(self, rehearsal, retain_graph or create_graph, gradient)
    refused = refusal.of_backward(self.node, walk=False, recorded=rehearsal is not None)
    if refused is not None:
        raise refused.error()
    node = self.node
    if rehearsal is not None:
        rehearsal.before_backward(self, None)
    seed = _seed(self, gradient)
    backend = self.device.backend
    place = call_site()
    context = current()
    recompute = None
    watcher = watching.get()
    if self.device.checkpointing == "balanced":
        recompute = (
            Recomputation(backend.namespace)
            if watcher is None
            else WatchedRecomputation(backend.namespace, watcher)
        ).values
    tape = None
    if watcher is not None:
        tape = Tape(watcher)
    try:
        # As in PyTorch, 0 * inf on the way is no warning; the diagnosis says where a nan is born.
        with numerics.quiet():
            if create_graph:
                values = _tracked_run(node, seed, place, recompute, tape)
            else:
                values = engine.run(
                    node,
                    seed.prim,
                    backend.namespace,
                    keep=retain_graph,
                    place=place,
                    values=recompute,
                    tape=tape,
                )
    except engine.Consumed as signal:
        raise refusal.of_consumed(self.node, signal.node).error() from None
    if watcher is None:
        grads = Gradients(Store(values, node, place, context))
    else:
        grads = Gradients(Store(dict(values), node, place, context))
        watcher.end(grads)
    for observe in observers:
        observe(self, grads)
    return grads


def filled_like(tensor: Tensor, value: float) -> Tensor:
    """One number in the shape and dtype of a floating point tensor, without its data."""
    meta = tensor.node.meta
    made = meta.floats.get(value)
    if made is None:
        made = number(meta, value)
    if made is None:
        raise TypeError("a whole number can't stand beside every dtype; this one is floating point")
    return made.expand(*meta.shape) if meta.shape else made


def _seed(tensor: Tensor, gradient: Any) -> Tensor:
    meta = tensor.node.meta
    if gradient is None:
        return filled_like(tensor, 1.0)
    if isinstance(gradient, Tensor):
        array = gradient.prim
        if gradient.device.is_capture and dry_run() is None:
            array = read(gradient, "backward")
    else:
        array = array_of(gradient, meta.dtype, operation="backward")
    if array.shape != meta.shape:
        raise fail(
            "shape-mismatch",
            operation="backward",
            lhs=meta.shape,
            rhs=array.shape,
            reason="the starting gradient must have the shape of the tensor.",
            advice="Give a gradient of the tensor's shape, or reduce the tensor to one number "
            "first.",
        )
    if isinstance(gradient, Tensor) and gradient.device is tensor.device:
        return gradient if gradient.dtype == meta.dtype else to_dtype(gradient, meta.dtype)
    code, lasti = call_site()
    node = new_leaf(Origin("gradient"), meta, NONE, code, lasti, current())
    return wrap(array.astype(meta.dtype, copy=False), node)


def _tracked_run(
    root: Node,
    seed: Tensor,
    place: tuple[CodeType | None, int],
    recompute: Any,
    tape: Tape | None,
) -> dict[Node, Any]:
    """Backward on tensors: the same formulas, recorded."""

    def revive(node: Node, names: tuple[str, ...], saved: Any) -> Any:
        if names and recompute is not None:
            saved = recompute(node, names, saved)
        return saved_as_tensors(node, names, saved)

    with CallSite():
        found = engine.run(
            root,
            seed,
            TENSOR_NAMESPACE,
            keep=True,
            place=place,
            values=revive,
            tape=tape,
            arrays=False,
        )
        return {
            node: value
            if isinstance(value, Tensor)
            else wrap(value, new_leaf(Origin("gradient"), node.meta, NONE, *place, current()))
            for node, value in found.items()
        }


def saved_as_tensors(node: Node, names: tuple[str, ...], saved: Any) -> Any:
    """What a node saved, as tensors in the form in which its step takes it."""
    if not names:
        return None
    values = (saved,) if len(names) == 1 else saved
    revived = [_revived(node, name, value) for name, value in zip(names, values, strict=True)]
    return revived[0] if len(names) == 1 else tuple(revived)


def _revived(node: Node, name: str, value: Any) -> Any:
    """A saved value as the tensor it was."""
    if value is None:
        return None
    row = node.row
    if name == "out":
        return wrap(value, node)
    names = row.input_names()
    if name in names:
        parent = node.parents[names.index(name)]
        if parent is not ABSENT:
            return wrap(value, parent)
    meta = node.meta.device.meta_of(value)
    return wrap(value, new_leaf(Origin(name), meta, NONE, None, -1, current()))


def grad(self: Tensor, grads: Gradients) -> Tensor | None:
    """The tensor's gradient in `grads`, of a plain kind; None where it got none.

    Raises:
        GradvizError: `requires-autodiff-tensor` or the capture slug on a tensor that can't have
            one.

    Example:
        >>> import gradviz as gv
        >>> x = gv.tensor([1.0], requires_grad=True)
        >>> x.grad((x * 5.0).sum().backward()).tolist()
        [5.0]
    """
    _ensure_differentiable(self, "grad", grads)
    return grads.get(self)


def grad_remove(self: Tensor, grads: Gradients) -> Tensor | None:
    """Takes the tensor's gradient out of `grads` and returns it; None where there is none."""
    _ensure_differentiable(self, "grad_remove", grads)
    return grads.remove(self)


def grad_replace(self: Tensor, grads: Gradients, gradient: Tensor) -> None:
    """Puts `gradient` in the place of the tensor's gradient in `grads`.

    Raises:
        GradvizError: `shape-mismatch` where its shape isn't the tensor's.
    """
    _ensure_differentiable(self, "grad_replace", grads)
    grads.replace(self, gradient)


def _ensure_differentiable(tensor: Tensor, operation: str, grads: Any) -> None:
    if not isinstance(grads, Gradients):
        raise fail(
            "invalid-argument",
            operation=operation,
            complaint=f"needs the gradients that `backward` returned, not {type(grads).__name__}",
            advice="Write `grads = loss.backward()`, then `x.grad(grads)`.",
            error=GradvizTypeError,
        )
    device = tensor.device
    if not device.is_autodiff or (device.is_capture and dry_run() is None):
        refused = refusal.of_backward(tensor.node, operation)
        if refused is not None:
            raise refused.error()


for _function in (backward, grad_remove, grad_replace):
    setattr(Tensor, _function.__name__, _function)
setattr(Tensor, "grad", GradMethod(grad))  # noqa: B010 - the class says it is the function
