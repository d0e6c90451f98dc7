"""Graph: what tensors were computed from, as plain data that questions can be asked of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from gradviz.core.source import SourceSpan
from gradviz.errors.problem import Problem
from gradviz.graph.drawable import Drawable
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
    """A scope or module; `parent` is the group around it."""

    id: str
    label: str
    kind: str
    parent: str | None


@dataclass(frozen=True)
class Graph(Drawable):
    """The graph of some tensors.

    Attributes:
        nodes: all tensors, oldest first.
        edges: which tensor feeds which.
        groups: scopes and modules.
        problems: what is wrong, worst first.
        roots: ids of the tensors asked about.
        title: a heading for pictures.
        captured: the captured program it was drawn from, or None.
        live: the nodes behind it, for questions about values; see `gradviz.graph.kept`.
        trace: a backward pass through it, step by step, or None.
    """

    nodes: tuple[GraphNode, ...]
    edges: tuple[GraphEdge, ...]
    groups: tuple[GraphGroup, ...]
    roots: tuple[int, ...]
    title: str = "graph"
    problems: tuple[Problem, ...] = ()
    captured: Any = field(default=None, compare=False, repr=False)
    live: Any = field(default=None, compare=False, repr=False)
    trace: Any = field(default=None, compare=False, repr=False)
    _index: dict[int, GraphNode] = field(
        default_factory=dict, init=False, compare=False, repr=False
    )

    def __post_init__(self) -> None:
        self._index.update((node.id, node) for node in self.nodes)

    def node(self, id: int) -> GraphNode:
        """The node with a number; KeyError where there is none."""
        return self._index[id]

    def __contains__(self, id: int) -> bool:
        return id in self._index

    def __len__(self) -> int:
        return len(self.nodes)

    def __iter__(self) -> Iterator[GraphNode]:
        return iter(self.nodes)

    def inputs_of(self, id: int) -> list[GraphEdge]:
        """The edges into a node."""
        return [edge for edge in self.edges if edge.target == id]

    def __repr__(self) -> str:
        problems = f", {len(self.problems)} problems" if self.problems else ""
        return f"<Graph of {len(self.nodes)} nodes, {len(self.edges)} edges{problems}>"
