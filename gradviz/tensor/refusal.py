"""Why an autodiff call can't be done on a tensor, for the call and for its prediction alike."""

from __future__ import annotations

from dataclasses import dataclass

from gradviz.autodiff.cuts import cut_of
from gradviz.autodiff.engine import spent_on_the_way
from gradviz.autodiff.node import (
    ABSENT,
    GRAD,
    GRAD_IN_BACKWARD,
    NONE,
    REQUIREMENT_NAMES,
    Node,
    history,
)
from gradviz.core.source import SourceSpan, span
from gradviz.errors import GradvizError, fail


@dataclass(frozen=True, slots=True)
class Refusal:
    """A call that would raise."""

    slug: str
    reason: str
    advice: str
    facts: tuple[tuple[str, str], ...] = ()
    cause: SourceSpan | None = None
    nodes: tuple[int, ...] = ()

    def error(self) -> GradvizError:
        """The exception to raise at the running expression."""
        return fail(
            self.slug,
            reason=self.reason,
            facts=self.facts,
            advice=self.advice,
            cause=self.cause,
            nodes=self.nodes,
        )


def facts(node: Node) -> tuple[tuple[str, str], ...]:
    """Kind, requirement, shape and dtype of a tensor."""
    meta = node.meta
    return (
        ("kind", str(meta.device.kind)),
        ("requirement", REQUIREMENT_NAMES[node.requirement]),
        ("shape", str(meta.shape)),
        ("dtype", meta.dtype_name),
    )


def birth(node: Node) -> Node:
    """Where a tensor's data came from: past lifting, moving, cutting and reshaping of one input."""
    while node.parents and len(node.parents) == 1 and node.op in _SAME_DATA:
        node = node.parents[0]
    return node


_SAME_DATA = frozenset({"autodiff", "detach", "inner", "set_require_grad", "to"})


def of_backward(
    node: Node, operation: str = "backward", *, walk: bool = True, recorded: bool = False
) -> Refusal | None:
    """Why `backward` from a tensor would raise; None where it would run.

    `walk` looks for consumed nodes too; the call itself finds them on its way. `recorded` takes a
    recording for what it stands for: the same computation on a device that computes.
    """
    device = node.meta.device
    runs = device.is_autodiff and (recorded or not device.is_capture)
    if runs and node.requirement != NONE:
        return _walked(node) if walk else None
    described = (("operation", operation), *facts(node))
    if not device.is_autodiff:
        return _plain_root(node, described)
    if device.is_capture and not recorded:
        return Refusal(
            "capture-tensors-do-not-support-autodiff",
            f"its kind is {node.meta.device.kind}: operations are recorded, not computed, so "
            "there are no values to differentiate.",
            "Take the training step out of the captured function: capture the forward pass only, "
            f'and call `{operation}` on tensors of `gv.device("ndarray").autodiff()`.',
            described,
            None,
            (node.id,),
        )
    return _untracked(node, described)


def _walked(node: Node) -> Refusal | None:
    """Whether a graph was used up somewhere on the way to the leaves."""
    spent = spent_on_the_way(node)
    return None if spent is None else of_consumed(node, spent)


def _untracked(node: Node, described: tuple[tuple[str, str], ...]) -> Refusal:
    cut = last_cut(node)
    if cut is not None:
        return Refusal(
            "untracked-root",
            f"what it was computed from is tracked, but tracking ended at `{_first_line(cut)}` "
            f"({cut_of(cut)}).",
            "Compute it without that cut.",
            described,
            cut.source,
            (node.id, cut.id),
        )
    return Refusal(
        "untracked-root",
        "it is on an autodiff device, but neither it nor anything it was computed from is marked "
        "as requiring gradients.",
        "Mark the leaves that should get gradients with `require_grad()` before they are used.",
        described,
        unmarked_leaf(node).source,
        (node.id,),
    )


def last_cut(root: Node) -> Node | None:
    """The latest place in an untracked root's history where tracking ended, if it ever began."""
    cuts = [node for node in history(root, through=_is_whole) if not _is_whole(node)]
    return max(cuts, key=lambda node: node.id, default=None)


def _is_whole(node: Node) -> bool:
    return node is ABSENT or cut_of(node) is None


def unmarked_leaf(root: Node) -> Node:
    """The leaf that was most likely meant to be marked: the first made for an autodiff device."""
    leaves = [node for node in unmarked_leaves(root) if node.meta.device.is_autodiff]
    lifted = [node for node in leaves if not node.parents or node.context.code is None]
    return min(lifted or leaves, key=lambda node: node.id, default=root)


def unmarked_leaves(root: Node) -> list[Node]:
    """The tensors of floating point numbers, made as such, that a root was computed from."""
    return [
        node
        for node in history(root)
        if node is not ABSENT
        and (not node.parents or node.op == "autodiff")
        and node.meta.category == "float"
        and node.op not in ("constant", "absent", "array")
    ]


def _plain_root(node: Node, described: tuple[tuple[str, str], ...]) -> Refusal:
    reason = f"its kind is {node.meta.device.kind}: it was never wrapped for gradient tracking."
    advice = "Compute it from tensors made with `requires_grad=True` or on an autodiff device."
    left = left_autodiff(node)
    if left.op == "grad" and node.op != "grad":
        reason = (
            "it was computed from a gradient, and gradients have the plain kind "
            f"{node.meta.device.kind}."
        )
        advice = (
            "Use `backward(create_graph=True)` to get gradients that can be differentiated again."
        )
    elif node.op == "grad":
        reason = f"it is a gradient, and gradients have the plain kind {node.meta.device.kind}."
        advice = (
            "Use `backward(create_graph=True)` to get gradients that can be differentiated again."
        )
    elif node.op == "inner":
        reason = (
            "`inner()` gave the plain tensor under an autodiff one: its kind is "
            f"{node.meta.device.kind}."
        )
        advice = "Call `backward` on the autodiff tensor itself, before `inner()`."
    elif left is not node:
        reason += f" Its inputs left the autodiff kind at `{_first_line(left)}`."
        advice = "Compute it from the autodiff tensors themselves: leave that conversion out."
    elif node.meta.device.is_capture:
        reason = (
            f"its kind is {node.meta.device.kind}: operations are recorded, not tracked. It could "
            "not be lifted either: capture tensors do not support autodiff."
        )
        advice = 'Train on `gv.device("ndarray").autodiff()`; capture the forward pass only.'
    cause = None if node.meta.device.is_capture else left.source
    return Refusal("requires-autodiff-tensor", reason, advice, described, cause, (node.id,))


def of_consumed(root: Node, node: Node, operation: str = "backward") -> Refusal:
    """The refusal of a root whose graph an earlier backward used up at `node`.

    The culprit is the result that both graphs share, where it was computed; of a root that was
    differentiated itself, the earlier call.
    """
    again = root
    if root is not node:
        node, again = _shared(root, node)
    place = node.consumed_at
    earlier = span(*place) if place is not None else None
    at = "" if earlier is None else f" at line {earlier.line}"
    described = [("operation", operation), *facts(root)]
    if earlier is not None:
        described.append((USED_UP, f"line {earlier.line}"))
    reused = again.source
    if reused is not None and again is not root:
        described.append((USED_AGAIN, f"line {reused.line}"))
    return Refusal(
        "graph-consumed",
        f"`{node.op}` on the way to the leaves was used up by the `backward`{at}, which freed its "
        "saved values.",
        "Run the forward pass again, add the losses up and call `backward` once, or give the first "
        "call `retain_graph=True`.",
        tuple(described),
        earlier if root is node else node.source,
        (root.id, node.id),
    )


USED_UP = "used up at"
USED_AGAIN = "used again at"


def _first_line(node: Node) -> str:
    source = node.source
    text = source.text.strip() if source is not None else ""
    return text.splitlines()[0] if text else node.op


def left_autodiff(root: Node) -> Node:
    """Where a plain result's history leaves the autodiff kind: the latest `inner` or gradient."""
    left = [node for node in history(root) if node.op in ("inner", "grad")]
    return root if root.op == "grad" else max(left, key=lambda node: node.id, default=root)


def _shared(root: Node, known: Node) -> tuple[Node, Node]:
    """The newest consumed result that live operations took as an input, and the oldest of these."""
    found = [root]
    seen = {root}
    shared, again = known, root
    for node in found:
        for parent in node.parents:
            if parent.requirement != GRAD_IN_BACKWARD:
                continue
            if parent.consumed:
                newer = parent.id > shared.id or again is root
                if newer or (parent is shared and node.id < again.id):
                    shared, again = parent, node
            elif parent not in seen:
                seen.add(parent)
                found.append(parent)
    return shared, again


def of_require_grad(node: Node) -> Refusal | None:
    """Why `require_grad` on a tensor would raise; None where it would mark it."""
    device = node.meta.device
    floating = node.meta.category == "float"
    if node.requirement == GRAD or (node.requirement == NONE and floating and device.is_autodiff):
        return None
    described = (("operation", "require_grad"), *facts(node))
    if node.requirement == GRAD_IN_BACKWARD:
        return Refusal(
            "can-t-convert-a-non-leaf-tensor-into-a-tracked-ten",
            f"it is the result of `{node.op}` on tracked tensors, so gradients flow through it "
            "already; marking it would cut it from what it was computed from.",
            "Mark the leaf it comes from. To look at its gradient call `retain_grad()`; to start a "
            "new graph here write `.detach().require_grad()`.",
            described,
            birth(node).source,
            (node.id,),
        )
    if not floating:
        return Refusal(
            "require-grad-on-non-float",
            f"its dtype is {node.meta.dtype.name}: a gradient is a small change, which only "
            "floating point numbers can make.",
            "Convert it first: `.float().require_grad()`.",
            described,
            birth(node).source,
            (node.id,),
        )
    return Refusal(
        "require-grad-on-plain-kind",
        f"its kind is {node.meta.device.kind}, which can't track gradients.",
        "Create it with `requires_grad=True`, or write `.autodiff().require_grad()`."
        if not device.is_capture
        else 'Capture tensors can\'t be trained: work on `gv.device("ndarray").autodiff()`.',
        described,
        birth(node).source,
        (node.id,),
    )
