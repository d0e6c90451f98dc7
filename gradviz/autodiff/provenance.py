"""Light histories: where untracked tensors came from, without keeping any data alive.

An untracked result may outlive the tracked graph it was cut from (`loss.detach()` in a list), so it
must not hold that graph's saved arrays. It holds *ghosts* instead: copies of nodes without steps
and saved arrays. Histories are bounded: an endless untracked loop keeps its last `WINDOW`
generations.
"""

from __future__ import annotations

from typing import Final

from gradviz.autodiff.node import ABSENT, GRAD_IN_BACKWARD, AttrNode, Node, PairNode, Plain

WINDOW: Final = 256
"""Generations of untracked history that are certainly kept; at most twice as many are."""

GHOSTS: Final = 192
"""Nodes of a tracked graph that are copied when something is cut from it."""


def settle(node: Node) -> None:
    """Makes a fresh untracked node's parents light and bounds its history."""
    depth = 0
    light: list[Node] | None = None
    if node.__class__ is PairNode and _is_plain(node.first) and _is_plain(node.second):
        # The loop below in short, for what loops without gradients mostly make.
        older, other = node.first.saved, None if node.second is None else node.second.saved
        depth = older + 1 if older.__class__ is int else 1
        if other.__class__ is int and other >= depth:
            depth = other + 1
    else:
        for at, parent in enumerate(node.parents):
            older = 0
            if parent.saved.__class__ is int:
                older = parent.saved
            elif parent.requirement == GRAD_IN_BACKWARD:
                copy = ghost(parent)
                if copy is not parent:
                    if light is None:
                        light = list(node.parents)
                    light[at] = copy
                older = generation(copy)
            if older >= depth:
                depth = older + 1
    if light is not None:
        node.parents = tuple(light)
    if depth:
        # Untracked nodes save nothing for backward: their generation stands in that place.
        node.saved = depth
        if depth % WINDOW == 0 and depth >= 2 * WINDOW:
            _cut(node, depth - WINDOW)


def _is_plain(node: Node | None) -> bool:
    return node is None or node.requirement != GRAD_IN_BACKWARD


def generation(node: Node) -> int:
    """How many untracked operations led to a node, at most; 0 for what was made by no operation."""
    if node.requirement == GRAD_IN_BACKWARD:
        return 0 if node.extra is None else node.extra.depth
    depth = node.saved
    return depth if depth.__class__ is int else 0


def _is_ghost(node: Node) -> bool:
    return node.extra is not None and node.extra.is_ghost


def ghost(node: Node) -> Node:
    """A copy of a tracked node and its nearest ancestors that keeps no data alive."""
    if _is_ghost(node):
        return node
    known = node.extra.ghost if node.extra is not None else None
    if known is not None:
        return known
    order: list[Node] = []
    seen = {node}
    queue = [node]
    while queue and len(order) < GHOSTS:
        member = queue.pop(0)
        order.append(member)
        for parent in member.parents:
            if parent not in seen and _needs_copy(parent):
                seen.add(parent)
                queue.append(parent)
    # Oldest first, so that every copy finds its parents' copies.
    order.sort(key=lambda member: member.id)
    for member in order:
        _copy(member)
    made = node.more().ghost
    return node if made is None else made


def _needs_copy(node: Node) -> bool:
    if node.requirement != GRAD_IN_BACKWARD:
        return False
    return node.extra is None or (node.extra.ghost is None and not node.extra.is_ghost)


def _copy(node: Node) -> None:
    copy = AttrNode()
    copy.step = Plain(node.row)
    copy.requirement = node.requirement
    copy.id = node.id
    copy.meta = node.meta
    copy.code, copy.lasti, copy.context = node.code, node.lasti, node.context
    copy.saved = node.saved if node.consumed else None
    copy.attrs = node.attrs
    copy.extra = None
    extra = copy.more()
    extra.is_ghost = True
    extra.name = node.name
    parents: list[Node] = []
    for parent in node.parents:
        kept = _light(parent) if parent.requirement == GRAD_IN_BACKWARD else parent
        parents.append(kept)
        extra.depth = max(extra.depth, generation(kept) + 1)
    copy.parents = tuple(parents)
    node.more().ghost = copy


def _light(node: Node) -> Node:
    """The ghost of a tracked node; ABSENT beyond the nodes that were copied."""
    if node.extra is None:
        return ABSENT
    if node.extra.is_ghost:
        return node
    return ABSENT if node.extra.ghost is None else node.extra.ghost


def _forget(node: Node) -> None:
    """Lets go of a node's inputs."""
    node.parents = (ABSENT,) * len(node.parents)


def _cut(node: Node, horizon: int) -> None:
    """Lets go of everything older than generation `horizon`."""
    seen = {node}
    queue = [node]
    while queue:
        member = queue.pop()
        for parent in member.parents:
            if parent in seen:
                continue
            seen.add(parent)
            depth = generation(parent)
            if depth <= horizon:
                if depth:
                    _forget(parent)
            elif parent.requirement != GRAD_IN_BACKWARD or _is_ghost(parent):
                queue.append(parent)
