"""Rules about gradients that are infinite or nan, and where they become so."""

from __future__ import annotations

from typing import Any, Final

from gradviz.autodiff.checkpoint import Recomputation
from gradviz.autodiff.engine import Consumed, run
from gradviz.autodiff.node import GRAD_IN_BACKWARD, Node, OwnNode
from gradviz.backends.ndarray import numerics
from gradviz.diagnose.flow import (
    MOST_ELEMENTS,
    MOST_NODES,
    Passage,
    elements_of,
    is_singular,
    passages,
)
from gradviz.diagnose.glance import stays_ordinary
from gradviz.diagnose.question import Question
from gradviz.diagnose.ways import ancestors
from gradviz.errors.problem import Problem
from gradviz.graph.kept import LARGE

_CHOOSING: Final = frozenset({"masked_fill", "where"})


def non_finite(question: Question) -> list[Problem]:
    """Leaves whose gradient would be nan or infinite, traced to the operation that makes it so."""
    found: list[Problem] = []
    for root in question.roots:
        if root.requirement != "grad_in_backward" or question.dry:
            continue
        if _stays_finite(question, root.node):
            continue  # nothing to look for, step by step
        born: Passage | None = None
        sick: set[Node] = set()
        broken: set[Node] = set()
        for passage in passages(root.node):
            broken.update(_not_finite_inputs(passage))
            bad = [parent for parent, part in passage.parts.items() if not numerics.finite(part)]
            if bad and born is None and numerics.finite(passage.incoming):
                born = passage
            sick.update(bad)
        asked = set(question.leaves())
        # A mark may have been taken off since: leaves are what was not computed from tracked ones.
        leaves = {node for node in sick if node.requirement != GRAD_IN_BACKWARD}
        if born is None or not (sick & asked if asked else leaves):
            continue
        found.append(_non_finite(question, born, broken))
    return found


def _stays_finite(question: Question, root: Node) -> bool:
    """Whether a pass as the engine runs it gives nothing but finite numbers to the leaves.

    What is infinite or nan in one part of a leaf's gradient is so in the sum of its parts, so the
    sums tell it all in a fraction of the time that looking at every step takes.
    """
    device = root.meta.device
    if not device.is_autodiff or device.is_capture:
        return True
    if any(leaf.requirement == GRAD_IN_BACKWARD for leaf in question.leaves()):
        return False
    balanced = device.checkpointing == "balanced"
    try:
        nodes = question.passed_by(root)
        if len(nodes) > MOST_NODES or elements_of(nodes) > MOST_ELEMENTS:
            return True
        if question.brief and len(nodes) > LARGE and stays_ordinary(root, nodes):
            return True
        if any(node.__class__ is OwnNode for node in nodes):
            return False  # looking runs nobody's code
        del nodes
        with numerics.quiet():
            seed = numerics.ones(root.meta.shape, root.meta.dtype)
            xp = device.backend.namespace
            values = Recomputation(xp).values if balanced else None
            sums = run(root, seed, xp, keep=True, place=(None, -1), values=values, hooks=False)
    except Consumed:
        return True
    return all(numerics.finite(part) for part in sums.values())


def _non_finite(question: Question, born: Passage, broken: set[Node]) -> Problem:
    culprit = _forward_culprit(born, broken)
    parent, part = next((p, v) for p, v in born.parts.items() if not numerics.finite(v))
    value, incoming = _at(part, born, parent)
    shown = "" if value is None else f" at the input value {value:g}"
    factor = "an infinite or undefined factor"
    sentence = f"the gradient of `{culprit.op}`{shown} has {factor}"
    if incoming == 0.0:
        sentence += ", and 0 times infinity is nan"
    facts = [("operation", culprit.op)]
    if value is not None:
        facts.append(("input value", f"{value:g}"))
    if incoming is not None:
        facts.append(("incoming gradient", f"{incoming:g}"))
    return question.problem(
        "non-finite-gradient",
        f"{sentence}.",
        node=culprit,
        cause=culprit.source,
        advice="Keep its input away from the point where the slope is infinite, before the "
        "operation, not after.",
        facts=tuple(facts),
        value="nan" if incoming == 0.0 else "a gradient that is infinite or nan",
    )


def _at(part: Any, born: Passage, parent: Node) -> tuple[float | None, float | None]:
    """The input value and the incoming gradient where the result is first not finite."""
    names = born.node.row.input_names()
    at = born.node.parents.index(parent)
    name = names[at] if at < len(names) else ""
    value = born.saved.get(name, born.saved.get("out"))
    try:
        if value is None:
            return None, numerics.at_first_bad(part, born.incoming)[0]
        values = numerics.at_first_bad(part, value, born.incoming)
    except (ValueError, TypeError, IndexError):
        return None, None
    return values[0], values[1]


def _forward_culprit(born: Passage, broken: set[Node]) -> Node:
    """The operation to blame: the first that made a value that isn't finite, or the one at hand."""
    if not _not_finite_inputs(born):
        return born.node
    behind = ancestors(born.node)
    made = [node for node in broken if node.id in behind and node.op not in _CHOOSING]
    first = min(made, key=lambda node: node.id, default=born.node)
    # Its inputs may not have been saved: the first of them with such a slope made it so.
    return min(filter(is_singular, _tracked_behind(first)), key=lambda node: node.id, default=first)


def _tracked_behind(node: Node) -> list[Node]:
    """A node and the tracked results it was computed from."""
    found, seen = [node], {node}
    for member in found:
        for parent in member.parents:
            if parent.requirement == GRAD_IN_BACKWARD and parent not in seen:
                seen.add(parent)
                found.append(parent)
    return found


def _not_finite_inputs(passage: Passage) -> list[Node]:
    """The computed inputs of a node whose saved values are infinite or nan."""
    names = passage.node.row.input_names()
    return [
        parent
        for name, value in passage.saved.items()
        if name in names
        and hasattr(value, "dtype")
        and value.dtype.kind == "f"
        and not numerics.finite(value)
        and (parent := passage.node.parents[names.index(name)]).requirement == GRAD_IN_BACKWARD
    ]
