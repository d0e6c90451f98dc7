"""The flow of gradients through a graph that stays as it is: every node's part, one by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from gradviz.autodiff.checkpoint import Recomputation
from gradviz.autodiff.engine import Consumed, reachable
from gradviz.autodiff.node import Node, OwnNode
from gradviz.backends.ndarray import numerics

MOST_NODES: Final = 200_000
MOST_ELEMENTS: Final = 20_000_000


class Passage:
    """One node's part of a backward pass.

    Attributes:
        node: the node.
        incoming: the gradient that reaches it.
        parts: what it adds to its inputs' gradients, by node.
        saved: the values its formulas used, by name.
    """

    __slots__ = ("incoming", "node", "parts", "saved")

    def __init__(
        self, node: Node, incoming: Any, parts: dict[Node, Any], saved: dict[str, Any]
    ) -> None:
        self.node = node
        self.incoming = incoming
        self.parts = parts
        self.saved = saved


def passages(root: Node) -> Iterator[Passage]:
    """A backward pass from a root, node by node, newest first; nothing is consumed.

    Ends at once where there are no values: on captures, on consumed or very large graphs.
    """
    device = root.meta.device
    if not device.is_autodiff or device.is_capture:
        return
    try:
        nodes = reachable(root)
    except Consumed:
        return
    if len(nodes) > MOST_NODES or elements_of(nodes) > MOST_ELEMENTS:
        return
    xp = device.backend.namespace
    recompute = Recomputation(xp).values if device.checkpointing == "balanced" else None
    pending: dict[Node, Any] = {root: numerics.ones(root.meta.shape, root.meta.dtype)}
    for node in nodes:
        incoming = pending.pop(node, None)
        if incoming is None or node.__class__ is OwnNode:
            continue  # the user's own code runs when they call it, not to be looked at
        names = node.step.saved
        saved = node.saved if recompute is None else recompute(node, names, node.saved)
        parts: dict[Node, Any] = {}
        with numerics.quiet():
            node.step.run(incoming, saved, node, parts, xp)
            for parent, part in parts.items():
                known = pending.get(parent)
                pending[parent] = part if known is None else known + part
        values = (
            dict(zip(names, (saved,) if len(names) == 1 else saved or (), strict=True))
            if names
            else {}
        )
        yield Passage(node, incoming, parts, values)


def elements_of(nodes: list[Node]) -> int:
    """How many elements the results of nodes have."""
    # Few nodes have a meta of their own.
    return sum(meta.size * times for meta, times in Counter(node.meta for node in nodes).items())


def is_singular(node: Node) -> bool:
    """Whether a tracked result's own formulas give an infinite or undefined slope where it is."""
    if node.consumed or not node.parents or (node.saved is None and node.step.saved):
        return False
    if node.__class__ is OwnNode:  # has no formulas
        return False
    parts: dict[Node, Any] = {}
    xp = node.meta.device.backend.namespace
    with numerics.quiet():
        node.step.run(numerics.ones(node.meta.shape, node.meta.dtype), node.saved, node, parts, xp)
    return not all(numerics.finite(part) for part in parts.values())
