"""The result of a backward pass: gradients by leaf. Nothing is accumulated on tensors."""

from __future__ import annotations

from types import CodeType
from typing import Any

from gradviz.autodiff.node import Node, Origin
from gradviz.core.context import Context

GRADIENT = Origin("grad")


class Store:
    """Gradients by node, and where the backward pass was called."""

    __slots__ = ("context", "place", "root", "values")

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
