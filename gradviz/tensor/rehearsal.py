"""Backward in a dry run: which leaves get a gradient, and of which shape, without a number."""

from __future__ import annotations

from typing import Any

from gradviz.autodiff import engine
from gradviz.autodiff.cuts import fed_by
from gradviz.autodiff.gradients import GRADIENT, Store
from gradviz.autodiff.node import GRAD, NONE, Node, new_leaf
from gradviz.backends.capture.backend import recordings
from gradviz.backends.capture.dry import DryRun
from gradviz.core.context import call_site, current
from gradviz.errors import fail
from gradviz.tensor import refusal
from gradviz.tensor.base import Tensor, wrap
from gradviz.tensor.gradients import Gradients


def rehearsed(root: Tensor, run: DryRun, keep: bool, gradient: Any) -> Gradients:
    """Gradients without contents for every leaf that an eager backward pass would reach.

    What it would refuse, the dry run takes note of. The graph is consumed as by an eager pass.
    """
    place, context = call_site(), current()
    node = root.node
    refused = refusal.of_backward(node, recorded=True)
    run.before_backward(root, None if refused is None else refused.slug)
    values: dict[Node, Any] = {}
    if refused is not None:
        run.note(refused.error())
        return Gradients(Store(values, node, place, context))
    shape = getattr(gradient, "shape", None)
    if gradient is not None and shape is not None and tuple(shape) != root.shape:
        run.note(_misshapen(root, tuple(shape)))
    nodes = engine.reachable(node)
    leaves = {leaf: None for member in nodes for leaf in fed_by(member) if leaf.requirement == GRAD}
    kept = [member for member in nodes if member.extra is not None and member.extra.retained]
    for member in [node] if not nodes else [*leaves, *kept]:
        meta = member.meta
        device = meta.device.inner()
        made = new_leaf(
            GRADIENT, device.meta(meta.shape, meta.dtype), NONE, *place, context, attrs=(member.id,)
        )
        values[member] = wrap(recordings()[-1].result(meta.shape, meta.dtype), made)
    if not keep:
        engine.spend(nodes, place)
    return Gradients(Store(values, node, place, context))


def _misshapen(root: Tensor, shape: tuple[Any, ...]) -> Any:
    return fail(
        "shape-mismatch",
        operation="backward",
        lhs=root.shape,
        rhs=shape,
        reason="the starting gradient must have the shape of the tensor.",
        advice="Give a gradient of the tensor's shape, or reduce the tensor to one number first.",
    )
