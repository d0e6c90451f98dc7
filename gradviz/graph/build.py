"""The history of tensors: every node that they were computed from."""

from __future__ import annotations

from collections.abc import Mapping

from gradviz.autodiff.node import ABSENT, Node, PairNode
from gradviz.tensor.base import Tensor
from gradviz.tensor.general import LIFT

Names = Mapping[int, tuple[str, Tensor]]


def collect(roots: list[Node]) -> list[Node]:
    """Every node that feeds the roots, oldest first; a live node stands for its ghosts."""
    found: dict[int, Node] = {}
    queue = list(roots)
    pop, push = queue.pop, queue.append
    while queue:
        node = pop()
        known = found.get(node.id)
        if known is not None and (known is node or not _is_ghost(known)):
            continue
        found[node.id] = node
        if node.__class__ is PairNode:
            # Most nodes: without a list made for each of them.
            parent, other = node.first, node.second
            if other is not None and found.get(other.id) is not other:
                if other.step is LIFT:
                    other = unlifted(other)
                if other is not ABSENT:
                    push(other)
            if parent.step is LIFT:
                parent = unlifted(parent)
            if parent is not ABSENT and found.get(parent.id) is not parent:
                push(parent)
        else:
            queue.extend(feeding(node))
    return [found[number] for number in sorted(found)]


def feeding(node: Node) -> list[Node]:
    """A node's inputs, with constants that were lifted on the way standing for themselves."""
    return [parent for parent in map(unlifted, node.parents) if parent is not ABSENT]


def unlifted(node: Node) -> Node:
    """The plain tensor behind one that an operation lifted by itself."""
    while node.step is LIFT and node.parents:
        node = node.parents[0]
    return node


def _is_ghost(node: Node) -> bool:
    return node.extra is not None and node.extra.is_ghost
