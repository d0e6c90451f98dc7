"""Where tracking ends: an untracked result of tracked inputs, and why."""

from __future__ import annotations

from gradviz.autodiff.node import GRAD, GRAD_IN_BACKWARD, NONE, Node, PairNode

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


def fed_by(node: Node) -> tuple[Node, ...] | list[Node]:
    """The inputs to which a backward pass through a node hands gradients.

    A leaf that was marked only after the operation had used it was a constant there; one whose mark
    was taken off afterwards still gets its gradient.
    """
    if node.requirement != GRAD_IN_BACKWARD:
        return ()
    if node.__class__ is PairNode:
        first, second = node.first, node.second
        if first.requirement == 2 and (second is None or second.requirement == 2):
            return (first,) if second is None else (first, second)  # as of most nodes
    parents = node.parents
    for parent in parents:
        if parent.requirement != GRAD_IN_BACKWARD and parent.extra is not None:
            break  # a leaf whose mark may have come or gone later
    else:
        return [parent for parent in parents if parent.requirement]
    fed = getattr(node.step, "fed", None)
    if fed is None:
        return [p for p in parents if p.requirement and not _marked_later(p, node)]
    return [parents[at] for at in fed]


def used_before_mark(node: Node) -> list[Node]:
    """The marked leaves that a tracked node used while they weren't marked yet."""
    if node.requirement != GRAD_IN_BACKWARD:
        return []
    late = [p for p in node.parents if p.requirement == GRAD and _marked_later(p, node)]
    fed = fed_by(node) if late else ()
    return [leaf for leaf in late if leaf not in fed]


def _marked_later(leaf: Node, node: Node) -> bool:
    return leaf.extra is not None and leaf.extra.marked_at > node.id
