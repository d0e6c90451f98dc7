"""A watched backward pass as a message: steps with their formulas, as written and typeset."""

from __future__ import annotations

from typing import Final

from gradviz.graph.answers import (
    DifferenceView,
    ExtrasView,
    FormulaView,
    GlimpseView,
    HistoryView,
    MathView,
    PartView,
    SavedView,
    StepsView,
    StepView,
    number,
)
from gradviz.graph.graph import Graph
from gradviz.graph.marks import is_done
from gradviz.graph.numbers import health_of, median_size
from gradviz.graph.view import node_key
from gradviz.ops.mathematics import formula_of
from gradviz.ops.mathml import Element
from gradviz.ops.spec import table
from gradviz.ops.written import written
from gradviz.tensor.tracing import BackwardStep, BackwardTrace, Contribution, Glimpse

MOST_SENT: Final = 400
"""Steps of one answer."""

MOST_EMBEDDED: Final = 60
"""Steps that travel with a graph's own message; more would make a saved notebook large."""


def math_view(element: Element) -> tuple[MathView, ...]:
    """An element and what stands in it as a message carries them."""
    inside = (view for child in element.children for view in math_view(child))
    return (MathView(element.tag, element.text, len(element.children)), *inside)


def glimpse_view(value: Glimpse) -> GlimpseView:
    """An array as a message carries it."""
    summary = value.summary
    numbers = value.numbers
    return GlimpseView(
        shape=value.shape,
        dtype=value.dtype,
        bytes=value.nbytes,
        low=number(summary.low, 5),
        high=number(summary.high, 5),
        mean=number(summary.mean, 5),
        norm=number(summary.norm, 5),
        bad=summary.count - summary.finite,
        numbers=None if numbers is None else tuple(number(item, 5) for item in numbers),
    )


class _Formulas:
    """The formulas met so far, each once."""

    def __init__(self) -> None:
        self._at: dict[tuple[str, str], int] = {}
        self.views: list[FormulaView] = []

    def of(self, op: str, tracked: tuple[str, ...]) -> tuple[int, ...]:
        """Positions of the formulas of an operation's tracked inputs."""
        row = table.get(op)
        if row is None:
            return ()
        names = [name for name in tracked or [row.inputs[-1].name] if name in row.vjp]
        return tuple(self._position(op, name) for name in names)

    def _position(self, op: str, name: str) -> int:
        known = self._at.get((op, name))
        if known is None:
            formula = table[op].vjp[name]
            how, set_ = written(formula), formula_of(formula, name)
            known = self._at[op, name] = len(self.views)
            self.views.append(
                FormulaView(
                    name,
                    "" if how is None else how.text,
                    () if set_ is None else math_view(set_),
                )
            )
        return known


def steps_view(
    trace: BackwardTrace, graph: Graph | None = None, most: int = MOST_SENT
) -> StepsView:
    """A pass as a message.

    Args:
        trace: the pass.
        graph: where to look up what the user calls the nodes.
        most: steps to carry, the first ones.
    """
    formulas = _Formulas()
    median = median_size([p.part.summary for step in trace for p in step.contributions])

    def label(number: int, op: str) -> str:
        return graph.node(number).label if graph is not None and number in graph else op

    def part_view(part: Contribution) -> PartView:
        return PartView(
            node_key(part.node),
            label(part.node, part.slot),
            part.slot,
            glimpse_view(part.part),
            glimpse_view(part.total),
            part.joins,
            health_of(part.part.summary, median),
        )

    def step_view(step: BackwardStep) -> StepView:
        return StepView(
            node=node_key(step.node),
            label=label(step.node, step.op),
            op=step.op,
            formulas=formulas.of(step.op, step.tracked),
            incoming=glimpse_view(step.incoming),
            saved=tuple(
                SavedView(item.name, None if item.value is None else glimpse_view(item.value))
                for item in step.saved
            ),
            parts=tuple(map(part_view, step.contributions)),
            recomputed=tuple(map(node_key, step.recomputed)),
            tape_bytes=step.tape_bytes,
            freed_bytes=step.freed_bytes,
            waiting=step.waiting,
        )

    steps = tuple(map(step_view, trace.steps[:most]))
    return StepsView(
        root=node_key(trace.root),
        total=trace.total,
        retained=trace.retained,
        tape_bytes=trace.tape_bytes,
        formulas=tuple(formulas.views),
        steps=steps,
    )


def extras_view(
    graph: Graph,
    *,
    difference: DifferenceView | None = None,
    history: HistoryView | None = None,
    place: str | None = None,
) -> ExtrasView | None:
    """What a graph's message carries beside the graph; None where there is nothing."""
    trace: BackwardTrace | None = graph.trace
    short = trace is not None and len(trace.steps) <= MOST_EMBEDDED
    found = ExtrasView(
        steps=steps_view(trace, graph) if trace is not None and short else None,
        done=tuple(node_key(number) for number in graph.roots if is_done(graph, number)),
        difference=difference,
        history=history,
        place=place,
    )
    return None if found == ExtrasView() else found
