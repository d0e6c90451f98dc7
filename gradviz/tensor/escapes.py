"""Where values left the graph: the diagnosis asks when a new tensor may have come from them."""

from __future__ import annotations

from collections import deque
from types import CodeType
from typing import Any

from gradviz.autodiff.node import GRAD_IN_BACKWARD, Node
from gradviz.autodiff.provenance import ghost
from gradviz.core.context import call_site

_KEPT = 256


class Escape:
    """One reading of a tracked tensor's values: the tensor's (light) node, how, and where."""

    __slots__ = ("how", "node", "place")

    def __init__(self, node: Node, how: str, place: tuple[CodeType | None, int]) -> None:
        self.node = node
        self.how = how
        self.place = place


recent: deque[Escape] = deque(maxlen=_KEPT)
"""The last readings of tracked tensors, oldest first."""


def note(tensor: Any, how: str) -> None:
    """Remembers that the values of a tracked tensor were read."""
    node = tensor.node
    if node.requirement:
        keeps_data = node.meta.device.backend.computes
        light = ghost(node) if node.requirement == GRAD_IN_BACKWARD and keeps_data else node
        recent.append(Escape(light, how, call_site()))
