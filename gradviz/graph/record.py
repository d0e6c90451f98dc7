"""The parts of a graph as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gradviz.core.source import SourceSpan
from gradviz.graph.model import RequirementName, Role
from gradviz.ops.size import Length


@dataclass(frozen=True, slots=True)
class GraphNode:
    """One tensor and the operation that made it.

    Attributes:
        id: the node's number, growing with time.
        op: operation or creation name.
        name: the user's name for it, where one is known.
        kind: "NdArray", "Autodiff(NdArray)", ...
        requirement: "grad", "grad_in_backward" or "none".
        is_leaf: whether it is not computed from tracked tensors.
        role: what it is in the picture.
        shape: sizes of the dimensions.
        dtype: the dtype's name.
        device: the device as text.
        attributes: the operation's arguments as text, numbers among its inputs included.
        group: id of the innermost group, or None.
        source: the user's expression that made it, or None.
        value: a short preview of its value, or None where there is none to read.
        consumed: whether a backward pass has used it up.
        cut: why no gradient passes through it to its tracked inputs, or None.
        verdict: what `backward` and `require_grad` would do here.
    """

    id: int
    op: str
    name: str | None
    kind: str
    requirement: RequirementName
    is_leaf: bool
    role: Role
    shape: tuple[Length, ...]
    dtype: str
    device: str
    attributes: Mapping[str, str]
    group: str | None
    source: SourceSpan | None
    value: str | None
    consumed: bool
    cut: str | None
    verdict: Any = None

    @property
    def label(self) -> str:
        """The name where there is one, otherwise the operation."""
        return self.name or self.op


@dataclass(frozen=True, slots=True)
class GraphEdge:
    """`source` feeds `target` as its argument `slot`; where `tracked`, gradients flow back."""

    source: int
    target: int
    slot: str
    tracked: bool


@dataclass(frozen=True, slots=True)
class GraphGroup:
    """A scope, module, call, loop, iteration or cell; `parent` is the group around it."""

    id: str
    label: str
    kind: str
    parent: str | None
