"""What a view asks the kernel for, as data: statistics, previews, gradients, steps, differences.

`extension/src/protocol.ts` is generated from this file and `gradviz.graph.model`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

Number = float | Literal["nan", "inf", "-inf"]
"""A number in JSON, which knows no nan."""

What = Literal["value", "gradient"]
Origin = Literal["tensor", "saved", "recomputed", "constant", "gradient", "none"]
Health = Literal["fine", "zero", "vanishing", "exploding", "not finite", "none"]


def number(value: float, digits: int = 7) -> Number:
    """A number as JSON can say it, to so many digits."""
    if math.isnan(value):
        return "nan"
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return float(f"{value:.{digits}g}")


@dataclass(frozen=True, slots=True)
class StatisticsView:
    """An array in numbers; those of no finite element are nan.

    `norm` is the square root of the sum of squares; `bins` counts the finite elements in equal
    steps between `start` and `end`, where `whole` one bin for each whole number.
    """

    count: int
    finite: int
    zeros: int
    nans: int
    above: int
    below: int
    low: Number
    high: Number
    mean: Number
    std: Number
    norm: Number
    start: Number
    end: Number
    bins: tuple[int, ...]
    whole: bool


@dataclass(frozen=True, slots=True)
class PreviewView:
    """A slice of an array as a grid of averages, row by row.

    `axes` are those of rows and columns (columns alone for a vector), `index` where the others are
    cut; a cell stands for `steps` elements each way, not all of them looked at where `sampled`.
    `colours` is the axis that holds red, green and blue, where there is one: three numbers a cell.
    """

    node: str
    what: What
    axes: tuple[int, ...]
    index: tuple[int, ...]
    shape: tuple[int, ...]
    rows: int
    columns: int
    steps: tuple[int, int]
    sampled: bool
    colours: int | None
    cells: tuple[Number, ...]


@dataclass(frozen=True, slots=True)
class ValueView:
    """The answer about a node's value or gradient; `reason` says why there is none and what helps.

    `origin` tells where the array was found; `changed` whether the tensor has got another value
    since the graph used it.
    """

    node: str
    what: What
    origin: Origin
    reason: str
    shape: tuple[int, ...]
    dtype: str
    changed: bool
    statistics: StatisticsView | None
    preview: PreviewView | None


@dataclass(frozen=True, slots=True)
class ParameterView:
    """A row of the table of leaves: sizes of value and gradient, or why there is no gradient."""

    node: str
    name: str
    shape: tuple[int | str, ...]
    dtype: str
    value_norm: Number | None
    gradient_norm: Number | None
    ratio: Number | None
    health: Health
    reached: bool
    reason: str
    slug: str | None


@dataclass(frozen=True, slots=True)
class FlowView:
    """The size of the gradient that flowed along an edge, from `target` back to `source`."""

    source: str
    target: str
    slot: str
    norm: Number
    health: Health


@dataclass(frozen=True, slots=True)
class GradientsView:
    """Gradients of a graph: leaf by leaf, and edge by edge where they were watched.

    `available` is false where there are none, `predicted` where no backward pass has given them
    yet: they are what it would give. `reason` says what is missing and what helps.
    """

    available: bool
    predicted: bool
    reason: str
    parameters: tuple[ParameterView, ...]
    flows: tuple[FlowView, ...]
    flow_reason: str


@dataclass(frozen=True, slots=True)
class MathView:
    """One MathML element of a formula; the next `children` elements, with theirs, stand in it.

    A formula is a flat list of these, outer ones first, so that no message nests without end.
    """

    tag: str
    text: str
    children: int


@dataclass(frozen=True, slots=True)
class FormulaView:
    """The gradient of one input as its row says it: the source, and typeset where it can be."""

    slot: str
    text: str
    math: tuple[MathView, ...]


@dataclass(frozen=True, slots=True)
class GlimpseView:
    """An array as a step saw it: sizes, and every number where there are few."""

    shape: tuple[int, ...]
    dtype: str
    bytes: int
    low: Number
    high: Number
    mean: Number
    norm: Number
    bad: int
    numbers: tuple[Number, ...] | None


@dataclass(frozen=True, slots=True)
class SavedView:
    """What the forward pass had saved for a step; no value where it is recomputed instead."""

    name: str
    value: GlimpseView | None


@dataclass(frozen=True, slots=True)
class PartView:
    """What a step gave to an input; where it `joins`, `total` is the sum so far."""

    node: str
    label: str
    slot: str
    part: GlimpseView
    total: GlimpseView
    joins: bool
    health: Health


@dataclass(frozen=True, slots=True)
class StepView:
    """One step of a backward pass; `formulas` are positions in `StepsView.formulas`."""

    node: str
    label: str
    op: str
    formulas: tuple[int, ...]
    incoming: GlimpseView
    saved: tuple[SavedView, ...]
    parts: tuple[PartView, ...]
    recomputed: tuple[str, ...]
    tape_bytes: int
    freed_bytes: int
    waiting: int


@dataclass(frozen=True, slots=True)
class StepsView:
    """A backward pass to play: its first steps, and how many there were."""

    root: str
    total: int
    retained: bool
    tape_bytes: int
    formulas: tuple[FormulaView, ...]
    steps: tuple[StepView, ...]


@dataclass(frozen=True, slots=True)
class ChangeView:
    """One difference between two graphs; `before` and `after` are ids, where the node is there."""

    kind: Literal["added", "removed", "changed"]
    before: str | None
    after: str | None
    label: str
    facts: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True, slots=True)
class DifferenceView:
    """What changed from one graph to another: `total` changes, of which the first are told."""

    before: str
    after: str
    same: int
    total: int
    changes: tuple[ChangeView, ...]


@dataclass(frozen=True, slots=True)
class HistoryView:
    """The steps of a followed run that are remembered, oldest first: numbers in columns.

    `roots` are the values of the root, `changed` tells where the graph differs from that before;
    `values` and `gradients` hold a column of norms for each of `leaves`.
    """

    total: int
    steps: tuple[int, ...]
    roots: tuple[Number | None, ...]
    changed: tuple[bool, ...]
    leaves: tuple[str, ...]
    values: tuple[tuple[Number | None, ...], ...]
    gradients: tuple[tuple[Number | None, ...], ...]


@dataclass(frozen=True, slots=True)
class ExtrasView:
    """What a graph's message carries beside the graph, so that it is there without a kernel.

    `steps` is a backward pass to play, where it is short; `done` names the roots that were used up
    by the very pass whose gradients are at hand, which is no failure; `difference` is what changed
    since the cell was last run, `history` the steps of a run that is followed; `place` is the same
    for every run of one cell, so that a view can go on where the last one was.
    """

    steps: StepsView | None = None
    done: tuple[str, ...] = ()
    difference: DifferenceView | None = None
    history: HistoryView | None = None
    place: str | None = None
