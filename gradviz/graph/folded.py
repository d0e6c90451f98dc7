"""What a static picture draws: boxes, arrows and frames, as plain data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from gradviz.graph.graph import Graph, GraphGroup, GraphNode
from gradviz.graph.marks import Mark
from gradviz.graph.model import RequirementName

Form = Literal["node", "group", "run", "chip"]


@dataclass(frozen=True, slots=True)
class Item:
    """One box of the picture.

    Attributes:
        id: unique in the picture.
        form: a node, a folded group, a folded stretch of operations, or a leaf drawn once more.
        label: what a folded box is called; empty for nodes.
        node: the node of forms "node" and "chip".
        band: id of the group frame it stands in, or None.
        operations: computed nodes that a folded box stands for.
        leaves: leaves that a folded box took in.
        hidden_inputs: leaves that feed the node and aren't drawn.
        requirement: the strongest requirement inside.
        consumed: whether a backward pass has used up everything inside.
        mark: the worst problem inside.
        root: whether the picture was asked for because of it.
    """

    id: str
    form: Form
    label: str = ""
    node: GraphNode | None = None
    band: str | None = None
    operations: int = 0
    leaves: int = 0
    hidden_inputs: int = 0
    requirement: RequirementName = "none"
    consumed: bool = False
    mark: Mark | None = None
    root: bool = False


@dataclass(frozen=True, slots=True)
class Link:
    """One arrow: `count` edges between the same two boxes; `cut` says why no gradient returns."""

    source: str
    target: str
    slot: str
    tracked: bool
    cut: str | None
    count: int = 1


@dataclass(frozen=True, slots=True)
class Folded:
    """What a static picture draws."""

    graph: Graph
    items: tuple[Item, ...]
    links: tuple[Link, ...]
    bands: tuple[GraphGroup, ...]
