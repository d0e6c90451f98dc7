"""The result of a backward pass: gradients by leaf. Nothing is accumulated on tensors."""

from __future__ import annotations

from collections import deque
from types import CodeType
from typing import Any, Final
from weakref import ref

from gradviz.autodiff.node import Node, Origin
from gradviz.core.context import Context

GRADIENT = Origin("grad")


class Store:
    """Gradients by node, and where the backward pass was called."""

    __slots__ = ("__weakref__", "context", "place", "root", "values")

    def __init__(
        self,
        values: dict[Node, Any],
        root: Node,
        place: tuple[CodeType | None, int],
        context: Context,
    ) -> None:
        self.values = values
        self.root = root
        self.place = place
        self.context = context
        recent.append(ref(self))


recent: Final[deque[ref[Store]]] = deque(maxlen=16)
"""The latest backward passes, as long as somebody holds what they gave."""


def latest(roots: set[Node]) -> Store | None:
    """The latest gradients of one of some roots that are still alive."""
    for known in reversed(recent):
        store = known()
        if store is not None and store.root in roots:
            return store
    return None
