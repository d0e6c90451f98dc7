"""Gradients that come from somebody's own code: in the shape and dtype of what they belong to."""

from __future__ import annotations

from typing import Any, Final

from gradviz.autodiff.node import NONE, Node, Origin, new_leaf
from gradviz.core.context import call_site, current
from gradviz.core.meta import Meta
from gradviz.errors import fail
from gradviz.tensor.base import Tensor, wrap
from gradviz.tensor.data import array_of
from gradviz.tensor.general import cast
from gradviz.tensor.namespace import TENSOR_NAMESPACE

_GRADIENT: Final = Origin("gradient")
Shape = tuple[int, ...]


def shown_gradient(g: Any, meta: Meta) -> Tensor:
    """A running pass's gradient as a tensor of a meta; one that is recorded is a tensor already."""
    if isinstance(g, Tensor):
        return g
    return wrap(g, new_leaf(_GRADIENT, meta, NONE, *call_site(), current()))


def fitted(
    operation: str, name: str, value: Any, node: Node, *, recorded: bool, blamed: Node
) -> Any:
    """A gradient as the running pass computes with it.

    Args:
        operation: whose answer it is.
        name: what it is the gradient of, for people.
        value: a tensor, an array or a number.
        node: the node it is the gradient of.
        recorded: whether the pass computes with tensors.
        blamed: the node whose code is to blame where it doesn't fit.

    Raises:
        GradvizError: `shape-mismatch`, `not-a-tensor`.
    """
    meta = node.meta
    if not isinstance(value, Tensor):
        value = shown_gradient(array_of(value, meta.dtype, operation=operation), meta)
    shape = tuple(value.prim.shape)
    if shape != meta.shape and not _widens(meta.shape, shape):
        raise fail(
            "shape-mismatch",
            operation=operation,
            lhs=meta.shape,
            rhs=shape,
            reason=f"a gradient has the shape of what it belongs to, `{name}`.",
            advice="Sum over what was broadcast, or reshape it.",
            cause=blamed.source,
        )
    if value.dtype != meta.dtype:
        value = cast(value, meta.dtype_name)
    if shape != meta.shape:
        value = TENSOR_NAMESPACE.sum_to(value, meta.shape)
    return value if recorded else value.prim


def _widens(shape: Shape, wide: Shape) -> bool:
    """Whether a shape broadcasts to another one."""
    pairs = zip(reversed(shape), reversed(wide), strict=False)
    return len(shape) <= len(wide) and all(n in (1, m) for n, m in pairs)
