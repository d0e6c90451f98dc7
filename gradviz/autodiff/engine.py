"""Backward: which nodes, in which order, and what becomes of them."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from types import CodeType
from typing import Any

from gradviz.autodiff.node import GRAD_IN_BACKWARD, Node, OwnNode, PairNode, Spent

_by_id = attrgetter("id")


_passes = [0]
"""How many backward passes have consumed something."""


class Consumed(Exception):  # noqa: N818 - a signal to the layer that knows the user's words
    """A node on the way was used up by an earlier backward pass."""

    def __init__(self, node: Node) -> None:
        super().__init__(node)
        self.node = node


def reachable(root: Node) -> list[Node]:
    """Every computed node that a gradient from `root` reaches, newest first.

    Raises:
        Consumed: when an earlier backward pass used one of them up; nothing was changed.
    """
    if root.requirement != GRAD_IN_BACKWARD:
        return []
    found = [root]
    seen = {root}
    add, append = seen.add, found.append
    # The list grows while it is walked: no recursion, however deep the graph.
    for node in found:
        if node.saved.__class__ is Spent:
            raise Consumed(node)
        if node.__class__ is PairNode:
            parent = node.first
            if parent.requirement == 2 and parent not in seen:
                add(parent)
                append(parent)
            other = node.second
            if other is not None and other.requirement == 2 and other not in seen:
                add(other)
                append(other)
            continue
        for parent in node.parents:
            if parent.requirement == 2 and parent not in seen:
                add(parent)
                append(parent)
    # Ids grow with time, so descending ids are a topological order.
    found.sort(key=_by_id, reverse=True)
    return found


def spent_on_the_way(root: Node) -> Node | None:
    """A node that an earlier backward pass used up and that a gradient from `root` would need.

    What was found in order stays so until the next pass consumes something, so that asking every
    result in turn costs no more than one walk over the graph.
    """
    now = _passes[0]
    found = [root]
    seen = {root}
    for node in found:
        if node.requirement != GRAD_IN_BACKWARD:
            continue
        if node.saved.__class__ is Spent:
            return node
        extra = node.extra
        if extra is not None and extra.unspent_at == now:
            continue
        for parent in node.parents:
            if parent not in seen:
                seen.add(parent)
                found.append(parent)
    root.more().unspent_at = now
    return None


def spend(nodes: list[Node], place: tuple[CodeType | None, int]) -> None:
    """Marks nodes as used up by a backward pass, and frees what they saved."""
    _passes[0] += 1
    spent = Spent(place)
    for node in nodes:
        node.saved = spent


def run(
    root: Node,
    seed: Any,
    xp: Any,
    *,
    keep: bool,
    place: tuple[CodeType | None, int],
    values: Callable[[Node, tuple[str, ...], Any], Any] | None = None,
    tape: Any = None,
    arrays: bool = True,
    hooks: bool = True,
) -> dict[Node, Any]:
    """Runs the steps of everything reachable from `root` and returns the leaves' gradients.

    Args:
        root: where the gradient starts.
        seed: its gradient.
        xp: the operations the formulas compute with.
        keep: leaves steps and saved values in place, so that the graph can be run again.
        place: the user's code that called, noted on consumed nodes.
        values: turns what a node kept into the values its step asks for, where that isn't the same
            (checkpointing recomputes; `create_graph` makes tracked tensors).
        tape: where the gradients stand that are still to be passed on, if somebody watches them;
            see `gradviz.autodiff.observe`.
        arrays: whether gradients are arrays, whose memory may be used again; tensors are values.
        hooks: whether those who asked to be told of gradients are.

    Raises:
        Consumed: before anything has been changed.
    """
    nodes = reachable(root)
    if not keep:
        _passes[0] += 1
    pending: dict[Node, Any] = {root: seed} if tape is None else tape.start(root, nodes, seed, keep)
    # Who watches keeps what it has seen: nothing is added to in place then.
    sums: set[Node] | None = set() if arrays and tape is None else None
    spent = None if keep else Spent(place)
    if not (_own_code[0] and _runs_own_code(nodes or [root])):
        retained = _steps(nodes, pending, sums, xp, spent, values, hooks=False)
    else:
        before = [node.saved for node in nodes]
        try:
            retained = _steps(nodes, pending, sums, xp, spent, values, hooks=hooks)
            for leaf, g in pending.items() if hooks else ():
                if leaf.extra is not None and leaf.extra.hooks:
                    # Not by the tape's own way, which adds up.
                    dict.__setitem__(pending, leaf, _hooked(leaf.extra.hooks, g))
        except BaseException:
            for node, saved in zip(nodes, before, strict=True):
                node.saved = saved
            raise
        if not keep:
            for node in nodes:
                if node.__class__ is OwnNode:
                    node.held.release()
    # Every computed node has been taken out: what is left are the leaves.
    pending.update(retained)
    return pending


def _steps(
    nodes: list[Node],
    pending: dict[Node, Any],
    sums: set[Node] | None,
    xp: Any,
    spent: Spent | None,
    values: Callable[[Node, tuple[str, ...], Any], Any] | None,
    *,
    hooks: bool,
) -> dict[Node, Any]:
    """Runs the steps of nodes, newest first, and returns the gradients to be retained."""
    retained: dict[Node, Any] = {}
    take = pending.pop
    for node in nodes:
        g = take(node, None)
        if g is None:
            continue
        extra = node.extra
        if extra is not None:
            if hooks and extra.hooks:
                g = _hooked(extra.hooks, g)
            if extra.retained:
                retained[node] = g
        saved = node.saved
        if spent is not None:
            # From here on the node is consumed; its values are free once the step is done.
            node.saved = spent
        if values is not None:
            saved = values(node, node.step.saved, saved)
        node.step.run(g, saved, node, pending, xp, sums)
    return retained


def _runs_own_code(nodes: list[Node]) -> bool:
    """Whether a pass through nodes comes to a step or a hook of somebody's own."""

    def has_hooks(node: Node) -> bool:
        return node.extra is not None and bool(node.extra.hooks)

    return any(
        node.__class__ is OwnNode or has_hooks(node) or any(map(has_hooks, node.parents))
        for node in nodes
    )


def _hooked(hooks: dict[int, Callable[[Any], Any]], g: Any) -> Any:
    """A gradient after those who asked to be told of it, or to change it."""
    for hook in list(hooks.values()):
        g = hook(g)
    return g


_own_code = [False]
"""Whether there is any step or hook of somebody's own: only then does a pass reckon with them."""


def own_code_runs() -> None:
    """Passes may fail in somebody's own code from now on: what they had used up is put back."""
    _own_code[0] = True
