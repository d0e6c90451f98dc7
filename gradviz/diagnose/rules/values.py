"""Rules about values: gradients that are nan, infinite, zero or very large, and their origin."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Final

from gradviz.autodiff.node import GRAD_IN_BACKWARD, Node
from gradviz.backends.ndarray import numerics
from gradviz.diagnose.flow import Passage, passages
from gradviz.diagnose.question import Question
from gradviz.errors.problem import Problem
from gradviz.tensor.base import Tensor

EXPLODING: Final = 1e6
_SATURATING: Final = frozenset(
    """
    relu clamp where maximum minimum sigmoid tanh softmax hardtanh relu6 hardsigmoid elu silu
    gelu max_dim min_dim masked_fill logsigmoid leaky_relu threshold hardshrink
    """.split()
)
_PRODUCTS: Final = frozenset({"mul", "matmul", "linear"})
_DEAD: Final = frozenset({"relu", "relu6", "threshold"})


def non_finite(question: Question) -> list[Problem]:
    """Leaves whose gradient would be nan or infinite, traced to the operation that makes it so."""
    found: list[Problem] = []
    for root in question.roots:
        if root.requirement != "grad_in_backward" or question.dry:
            continue
        born: Passage | None = None
        sick: set[Node] = set()
        for passage in passages(root.node):
            bad = [parent for parent, part in passage.parts.items() if not numerics.finite(part)]
            if bad and born is None and numerics.finite(passage.incoming):
                born = passage
            sick.update(bad)
        asked = set(question.leaves())
        # A mark may have been taken off since: leaves are what was not computed from tracked ones.
        leaves = {node for node in sick if node.requirement != GRAD_IN_BACKWARD}
        if born is None or not (sick & asked if asked else leaves):
            continue
        found.append(_non_finite(question, born))
    return found


def _non_finite(question: Question, born: Passage) -> Problem:
    culprit = _forward_culprit(born)
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


def _forward_culprit(born: Passage) -> Node:
    """The operation to blame: the one that made a value that isn't finite, or the one at hand."""
    names = born.node.row.input_names()
    for name, value in born.saved.items():
        if (
            name in names
            and hasattr(value, "dtype")
            and value.dtype.kind == "f"
            and not numerics.finite(value)
        ):
            parent: Node = born.node.parents[names.index(name)]
            if parent.requirement == GRAD_IN_BACKWARD:
                return parent
    return born.node


def sizes(question: Question) -> list[Problem]:
    """Gradients in `grads` that are zero everywhere or very large."""
    if question.grads is None or not question.roots:
        return []
    found: list[Problem] = []
    culprits = _Culprits(question.roots[0].node)
    for leaf in question.leaves() or list(question.grads.store.values):
        value = question.grads.store.values.get(leaf)
        if isinstance(value, Tensor):
            value = value.prim
        if value is None or leaf.id not in question.reached or not numerics.finite(value):
            continue
        if numerics.all_zero(value):
            found += _zero(question, leaf, culprits)
        elif numerics.largest(value) >= EXPLODING:
            found += _exploding(question, leaf, numerics.largest(value), culprits)
    return found


class _Culprits:
    """What makes gradients small or large on the way from a root, the same for all leaves."""

    def __init__(self, root: Node) -> None:
        self._root = root

    @cached_property
    def flattest(self) -> Node | None:
        """The last operation that gets a gradient and hands on nothing but zeros."""
        last: Node | None = None
        for passage in passages(self._root):
            if passage.node.op not in _SATURATING or not passage.parts:
                continue
            if numerics.all_zero(passage.incoming):
                continue
            if all(numerics.all_zero(part) for part in passage.parts.values()):
                last = passage.node
        return last

    @cached_property
    def zero_factor(self) -> tuple[Node, Node] | None:
        """A product and the factor of it that is zero everywhere."""
        for passage in passages(self._root):
            names = passage.node.row.input_names()
            if passage.node.op not in _PRODUCTS or numerics.all_zero(passage.incoming):
                continue
            for name, value in passage.saved.items():
                if name in names and numerics.all_zero(value):
                    return passage.node, passage.node.parents[names.index(name)]
        return None

    @cached_property
    def steepest(self) -> tuple[float, Node] | None:
        """The operation that multiplies gradients the most, and by how much."""
        worst: tuple[float, Node] | None = None
        for passage in passages(self._root):
            before = numerics.largest(passage.incoming)
            after = max((numerics.largest(part) for part in passage.parts.values()), default=0.0)
            if before > 0.0 and (worst is None or after / before > worst[0]):
                worst = after / before, passage.node
        return worst


def _zero(question: Question, leaf: Node, culprits: _Culprits) -> list[Problem]:
    node = culprits.flattest
    if node is None:
        return _hidden_by_zeros(question, leaf, culprits)
    dead = node.op in _DEAD
    reason = (
        f"every element of `{node.op}` lies where its slope is 0, so nothing comes back to "
        f"{question.name(leaf)}"
        if dead
        else f"the gradient is 0 everywhere after `{node.op}`, so {question.name(leaf)} gets zeros"
    )
    return [
        question.problem(
            "dead-units" if dead else "zero-gradient",
            f"{reason}.",
            node=node,
            cause=node.source,
            path=(leaf,),
            facts=(("operation", node.op),),
            count=node.meta.size,
            total=node.meta.size,
        )
    ]


def _hidden_by_zeros(question: Question, leaf: Node, culprits: _Culprits) -> list[Problem]:
    """A factor that is zero everywhere lets nothing through to the other factor: a note."""
    if culprits.zero_factor is None:
        return []
    product, factor = culprits.zero_factor
    return [
        question.problem(
            "zero-gradient",
            f"{question.name(factor)} is zero everywhere, so its partner in "
            f"`{product.op}` gets zeros, and {question.name(leaf)} with it.",
            node=product,
            cause=factor.source or product.source,
            severity="note",
            path=(leaf,),
            facts=(("operation", product.op),),
        )
    ]


def dead_units(question: Question) -> list[Problem]:
    """Units that are off for every sample while others are on: a note."""
    if question.grads is None or not question.roots:
        return []
    found = []
    for passage in passages(question.roots[0].node):
        out = passage.saved.get("out")
        if passage.node.op not in _DEAD or out is None or len(passage.node.meta.shape) < 2:
            continue
        dead, total = numerics.zero_columns(out)
        if 0 < dead < total:
            found.append(
                question.problem(
                    "dead-units",
                    f"{dead} of {total} units of `{passage.node.op}` are off for every sample and "
                    "learn nothing.",
                    node=passage.node,
                    cause=passage.node.source,
                    severity="note",
                    count=dead,
                    total=total,
                )
            )
    return found


def _exploding(question: Question, leaf: Node, size: float, culprits: _Culprits) -> list[Problem]:
    if culprits.steepest is None:
        return []
    factor, node = culprits.steepest
    return [
        question.problem(
            "exploding-gradient",
            f"the gradient of {question.name(leaf)} reaches {size:.3g}; `{node.op}` alone "
            f"multiplies it by {factor:.3g}.",
            node=node,
            cause=node.source,
            path=(leaf,),
            facts=(("operation", node.op), ("factor", f"{factor:.3g}")),
            value=f"{size:.3g}",
        )
    ]
