"""Where tracking ends: an untracked result of tracked inputs, and why."""

from __future__ import annotations

from gradviz.autodiff.node import GRAD_IN_BACKWARD, NONE, Node

CUTS = ("detach", "inner", "set_require_grad")


def cut_of(node: Node) -> str | None:
    """Why no gradient passes from an untracked result to its tracked inputs; None where none would.

    One of "detach", "inner", "set_require_grad", "no_grad", "non-differentiable" and
    "marked-after-use".
    """
    if node.requirement == GRAD_IN_BACKWARD:
        return None
    tracked = [parent for parent in node.parents if parent.requirement != NONE]
    if not tracked:
        return None
    if node.op in CUTS:
        return node.op
    if all(parent.extra is not None and parent.extra.marked_at > node.id for parent in tracked):
        return "marked-after-use"
    if not node.row.differentiable:
        return "non-differentiable"
    if not node.context.grad_enabled:
        return "no_grad"
    return "non-differentiable"
