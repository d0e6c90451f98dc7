"""Guards: ask before, or insist."""

from __future__ import annotations

from typing import Any

from gradviz.errors import fail
from gradviz.tensor import refusal
from gradviz.tensor.autodiff import detach, require_grad
from gradviz.tensor.base import Tensor


def _tensor(value: Any, operation: str) -> Tensor:
    if not isinstance(value, Tensor):
        raise fail(
            "not-a-tensor",
            operation=operation,
            complaint=f"a {type(value).__name__} is no tensor",
            advice="Make a tensor of it with `gv.tensor(...)`.",
        )
    return value


def is_autodiff(t: Tensor) -> bool:
    """Whether a tensor's kind is `Autodiff(...)`.

    Example:
        >>> import gradviz as gv
        >>> gv.is_autodiff(gv.tensor([1.0])), gv.is_autodiff(gv.tensor([1.0]).autodiff())
        (False, True)
    """
    return isinstance(t, Tensor) and t.device.is_autodiff


def is_capture(t: Tensor) -> bool:
    """Whether a tensor is recorded, under `Autodiff(...)` or not.

    Example:
        >>> import gradviz as gv
        >>> gv.is_capture(gv.tensor([1.0]))
        False
    """
    return isinstance(t, Tensor) and t.device.is_capture


def is_leaf(t: Tensor) -> bool:
    """Whether a tensor is not computed from tracked ones.

    Example:
        >>> import gradviz as gv
        >>> x = gv.tensor([1.0], requires_grad=True)
        >>> gv.is_leaf(x), gv.is_leaf(x * 2.0)
        (True, False)
    """
    return isinstance(t, Tensor) and t.is_leaf


def ensure_autodiff(t: Tensor) -> Tensor:
    """The tensor, where its kind is `Autodiff(...)`.

    Raises:
        GradvizError: `requires-autodiff-tensor` otherwise.

    Example:
        >>> import gradviz as gv
        >>> gv.ensure_autodiff(gv.tensor([1.0], requires_grad=True)).kind
        Autodiff(NdArray)
    """
    tensor = _tensor(t, "ensure_autodiff")
    if not tensor.device.is_autodiff:
        refused = refusal.of_backward(tensor.node, "ensure_autodiff")
        if refused is not None:
            raise refused.error()
    return tensor


def ensure_not_capture(t: Tensor) -> Tensor:
    """The tensor, where it is computed and not recorded.

    Raises:
        GradvizError: `capture-tensors-do-not-support-autodiff` otherwise.

    Example:
        >>> import gradviz as gv
        >>> gv.ensure_not_capture(gv.tensor([1.0])).tolist()
        [1.0]
    """
    tensor = _tensor(t, "ensure_not_capture")
    if tensor.device.is_capture:
        raise fail(
            "capture-tensors-do-not-support-autodiff",
            reason=f"its kind is {tensor.kind}: a recording has no values to differentiate.",
            facts=(("operation", "ensure_not_capture"), *refusal.facts(tensor.node)),
            advice="Keep training out of the captured function.",
            cause=tensor.node.source,
            nodes=(tensor.node.id,),
        )
    return tensor


def ensure_leaf(t: Tensor) -> Tensor:
    """The tensor, where it is not computed from tracked ones.

    Raises:
        GradvizError: `can-t-convert-a-non-leaf-tensor-into-a-tracked-ten` otherwise.

    Example:
        >>> import gradviz as gv
        >>> gv.ensure_leaf(gv.tensor([1.0], requires_grad=True)).is_leaf
        True
    """
    tensor = _tensor(t, "ensure_leaf")
    if not tensor.is_leaf:
        refused = refusal.of_require_grad(tensor.node)
        if refused is not None:
            raise refused.error()
    return tensor


def safe_require_grad(t: Tensor) -> Tensor:
    """A marked tensor: `t` itself where it is a leaf, otherwise a marked, detached one.

    Example:
        >>> import gradviz as gv
        >>> x = gv.tensor([1.0], requires_grad=True)
        >>> gv.safe_require_grad(x * 2.0).requirement
        'grad'
    """
    tensor = _tensor(t, "safe_require_grad")
    return require_grad(tensor if tensor.is_leaf else detach(tensor))
