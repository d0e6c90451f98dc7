"""`gv.gradient_table`: every leaf with the sizes of its value and gradient, or why it got none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from gradviz.autodiff.node import GRAD_IN_BACKWARD
from gradviz.backends.ndarray import numerics, statistics
from gradviz.backends.ndarray.statistics import Summary
from gradviz.diagnose import trial
from gradviz.diagnose.examine import examine, question_of
from gradviz.diagnose.look import graph
from gradviz.errors import GradvizError
from gradviz.errors.printable import printable
from gradviz.errors.problem import Problem
from gradviz.graph.answers import (
    FlowView,
    GradientsView,
    Number,
    ParameterView,
    StepsView,
    number,
)
from gradviz.graph.graph import Graph, GraphNode
from gradviz.graph.kept import LiveGraph
from gradviz.graph.numbers import health_of, median_size
from gradviz.graph.steps import steps_view
from gradviz.graph.view import node_key, sizes_of
from gradviz.tensor import refusal
from gradviz.tensor.base import Tensor
from gradviz.tensor.gradients import Gradients
from gradviz.tensor.tracing import BackwardTrace, observe_backward

MOST_ASKED: Final = 12
"""Leaves without a gradient that are traced to the reason; it takes a look at the whole graph."""

MOST_REPLAYED: Final = 8_000_000
"""Elements of a graph whose backward pass is run to see what would flow, at most."""

_ABOUT_THE_ROOT: Final = {"non-scalar-root", "graph-retained", "untracked-root", "graph-consumed"}


@dataclass(frozen=True)
class GradientTable:
    """Leaves and their gradients.

    Attributes:
        view: the same as data.
    """

    view: GradientsView

    @property
    def rows(self) -> tuple[ParameterView, ...]:
        """The leaves, in the order they were made."""
        return self.view.parameters

    def __str__(self) -> str:
        head = ("leaf", "shape", "|value|", "|gradient|", "ratio", "")
        lines = [head]
        for row in self.rows:
            said = row.health if row.reached else f"not reached: {row.slug or row.reason}"
            lines.append(
                (
                    printable(row.name, 60),
                    str(row.shape),
                    _text(row.value_norm),
                    _text(row.gradient_norm),
                    _text(row.ratio),
                    said,
                )
            )
        widths = [max(len(line[at]) for line in lines) for at in range(len(head))]
        text = [
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
            for line in lines
        ]
        return "\n".join([*text, *([self.view.reason] if self.view.reason else [])])

    __repr__ = __str__


def _text(value: Number | None) -> str:
    if value is None:
        return "-"
    return value if isinstance(value, str) else f"{value:.4g}"


def gradient_table(
    *things: Any, grads: Gradients | None = None, steps: BackwardTrace | None = None
) -> GradientTable:
    """Every leaf of a graph with the sizes of its value and gradient, or why it got none.

    Args:
        things: what `gv.graph` takes, or a graph.
        grads: what `backward` returned; otherwise that of the latest pass, or, before any, what it
            would give.
        steps: what `gv.trace_backward` returned.

    Returns:
        A table that prints well; its `rows` are data.

    Raises:
        GradvizError: `not-a-tensor`, `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> w = gv.tensor([3.0, 4.0], requires_grad=True, name="w")
        >>> loss = (w * 2.0).sum()
        >>> print(gv.gradient_table(loss, grads=loss.backward()))
        leaf  shape  |value|  |gradient|  ratio
        w     (2,)   5        2.828       0.5657  fine
    """
    return GradientTable(gradients_view(graph(*things, grads=grads, steps=steps)))


Played = tuple[BackwardTrace | None, str]
"""A backward pass, or why there is none."""

Play = Callable[[Graph], Played]


def played(drawn: Graph) -> Played:
    """The backward pass of a graph: that which was watched, or else one that is run to see."""
    if drawn.trace is not None:
        return drawn.trace, ""
    return replayed(LiveGraph((), {}) if drawn.live is None else drawn.live)


def steps_of(drawn: Graph, play: Play = played) -> tuple[StepsView | None, str]:
    """The backward pass of a graph, step by step; or why there is none.

    Args:
        drawn: the graph.
        play: `played`, or what remembers its answer.
    """
    trace, reason = play(drawn)
    return None if trace is None else steps_view(trace, drawn), reason


def gradients_view(drawn: Graph, play: Play = played) -> GradientsView:
    """Gradients of a graph, leaf by leaf and edge by edge.

    Args:
        drawn: the graph.
        play: `played`, or what remembers its answer.
    """
    live: LiveGraph | None = drawn.live
    if live is None or drawn.captured is not None:
        return GradientsView(False, False, "There are no gradients here.", (), (), "")
    given = live.store  # before a pass is run to see, which has gradients of its own
    trace, reason = play(drawn)
    store = given
    if store is None and trace is not None and trace.grads is not None:
        store = trace.grads.store
    summaries: dict[int, Summary] = {}
    table = drawn.table
    leafy = {at for at, look in enumerate(table.looks) if _is_leaf(look)}
    leaves = [table.node(at) for at, look in enumerate(table.look) if look in leafy]
    for leaf in leaves:
        node = live.node(leaf.id)
        value = None if store is None or node is None else store.values.get(node)
        if value is not None:
            array = value.prim if isinstance(value, Tensor) else value
            summaries[leaf.id] = statistics.describe(array, 1)
    median = median_size(list(summaries.values()))
    rows = []
    asked = 0
    for leaf in leaves:
        summary = summaries.get(leaf.id)
        problem = None
        if summary is None and store is not None and asked < MOST_ASKED:
            asked += 1
            problem = _reason(live, leaf.id)
        rows.append(_row(live, leaf, summary, median, problem, store is not None))
    missing = "" if store is not None else reason or "No backward pass has run from here."
    return GradientsView(
        available=store is not None,
        predicted=store is not None and given is None and drawn.trace is None,
        reason=missing,
        parameters=tuple(rows),
        flows=() if trace is None else flows_of(trace),
        flow_reason=reason,
    )


def _is_leaf(node: GraphNode) -> bool:
    return node.role == "parameter" or node.requirement == "grad"


def _row(
    live: LiveGraph,
    leaf: GraphNode,
    summary: Summary | None,
    median: float,
    problem: Problem | None,
    known: bool,
) -> ParameterView:
    # A search through all objects for each of a thousand leaves would take minutes.
    tensor = live.tensor(leaf.id, search=problem is not None)
    array = None if tensor is None else tensor.prim
    with numerics.quiet():
        size = None if array is None else statistics.norm(array)
    reason = "" if problem is None else problem.reason or problem.message
    if summary is None and not reason:
        reason = "It got no gradient." if known else "No gradients are at hand."
    ratio = None if summary is None or not size else number(summary.norm / size)
    return ParameterView(
        node=node_key(leaf.id),
        name=leaf.label,
        shape=sizes_of(leaf),
        dtype=leaf.dtype,
        value_norm=None if size is None else number(size),
        gradient_norm=None if summary is None else number(summary.norm),
        ratio=ratio,
        health="none" if summary is None else health_of(summary, median),
        reached=summary is not None,
        reason="" if summary is not None else reason,
        slug=None if problem is None else problem.slug,
    )


def _reason(live: LiveGraph, leaf: int) -> Problem | None:
    """Why a leaf gets no gradient from the graph's root."""
    asked = live.tensor(leaf)
    computed = [node.id for node in live.roots() if node.requirement == GRAD_IN_BACKWARD]
    root = live.tensor(computed[-1]) if computed else None
    if asked is None or root is None:
        return None
    token = trial.trying.set(True)  # no fixes are asked for here
    try:
        found = examine(question_of([root], [asked], None, [], None))
    except GradvizError:
        return None
    finally:
        trial.trying.reset(token)
    told = [problem for problem in found if problem.slug not in _ABOUT_THE_ROOT]
    told.sort(key=lambda problem: problem.slug == "leaf-not-reached")
    return told[0] if told else None


def replayed(live: LiveGraph) -> Played:
    """The backward pass of a graph that has none yet, run without consuming anything."""
    # Parameters are among the roots where a module was given: nobody starts from them.
    computed = [node for node in live.roots() if node.requirement == GRAD_IN_BACKWARD]
    root = live.tensor(computed[-1].id) if computed else None
    if root is None:
        return None, (
            "No tracked result to start from is in memory. Keep it in a variable and run the cell "
            "again."
        )
    refused = refusal.of_backward(root.node)
    if refused is not None:
        if root.node.consumed:
            return None, (
                "The backward pass left only the gradients of leaves. To see what flows along "
                "every edge, run it as `steps = gv.trace_backward(loss)` and give `steps=steps`."
            )
        return None, "No backward pass can start here: see the problems."
    if live.large or sum(node.meta.size for node in live.nodes()) > MOST_REPLAYED:
        return None, "The graph is too large to run its backward pass just to look."
    with observe_backward() as traces:
        root.backward(retain_graph=True)
    return traces[-1], ""


def flows_of(trace: BackwardTrace) -> tuple[FlowView, ...]:
    """The sizes of the gradients along the edges of a watched pass."""
    parts = [part.part.summary for step in trace for part in step.contributions]
    median = median_size(parts)
    return tuple(
        FlowView(
            node_key(part.node),
            node_key(step.node),
            part.slot,
            number(part.part.summary.norm, 5),
            health_of(part.part.summary, median),
        )
        for step in trace
        for part in step.contributions
    )
