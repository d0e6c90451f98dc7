"""Rules about values: gradients that are zero or very large, and their origin."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Final

from gradviz.autodiff.node import GRAD_IN_BACKWARD, Node
from gradviz.backends.ndarray import numerics
from gradviz.diagnose.flow import passages
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
        if numerics.all_zero(value) or _vanishes(question, value):
            found += _zero(question, leaf, culprits)
        elif numerics.largest(value) >= EXPLODING:
            found += _exploding(question, leaf, numerics.largest(value), culprits)
    return found


def _vanishes(question: Question, value: Any) -> bool:
    """Whether a gradient is as good as zero, though the root isn't at its least value."""
    root = question.roots[0]
    if root.size != 1 or value.dtype.kind != "f" or not numerics.largest(root.prim) > 1e-3:
        return False
    return numerics.largest(value) < numerics.smallest_step(value) ** 2


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
    def smallest(self) -> Node | None:
        """The operation after which the gradient has become the smallest, all the way down."""
        worst: tuple[float, Node] | None = None
        for passage in passages(self._root):
            after = max((numerics.largest(part) for part in passage.parts.values()), default=0.0)
            before = numerics.largest(passage.incoming)
            counts = before > 0.0 and passage.node.op in _SATURATING | _PRODUCTS
            if counts and (worst is None or after < worst[0]):
                worst = after, passage.node
        return None if worst is None else worst[1]

    @cached_property
    def zero_factor(self) -> tuple[Node, Node] | None:
        """A product and the factor of it that is zero everywhere: a leaf or constant if any is."""
        found: list[tuple[Node, Node]] = []
        for passage in passages(self._root):
            names = passage.node.row.input_names()
            if passage.node.op not in _PRODUCTS or numerics.all_zero(passage.incoming):
                continue
            for name, value in passage.saved.items():
                if name in names and numerics.all_zero(value):
                    found.append((passage.node, passage.node.parents[names.index(name)]))
        given = [pair for pair in found if pair[1].requirement != GRAD_IN_BACKWARD]
        return next(iter(given + found), None)

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
        return _vanished(question, leaf, culprits.smallest)
    product, factor = culprits.zero_factor
    # Where another leaf learns, the zeros may be a beginning: an adapter's second matrix, say.
    stuck = factor.requirement != GRAD_IN_BACKWARD and _nothing_learns(question)
    return [
        question.problem(
            "zero-gradient",
            f"{question.name(factor)} is zero everywhere, so its partner in "
            f"`{product.op}` gets zeros, and {question.name(leaf)} with it.",
            node=product,
            cause=(product.source if stuck else factor.source) or product.source,
            severity="warning" if stuck else "note",
            path=(leaf,),
            facts=(("operation", product.op),),
        )
    ]


def _nothing_learns(question: Question) -> bool:
    """Whether every gradient of the pass is zero."""
    if question.grads is None:
        return False
    values = question.grads.store.values.values()
    return all(numerics.all_zero(getattr(value, "prim", value)) for value in values)


def _vanished(question: Question, leaf: Node, node: Node | None) -> list[Problem]:
    """A gradient that has become too small to be told from zero on its way."""
    if node is None or not (numerics.largest(question.roots[0].prim) > 1e-3):
        return []
    return [
        question.problem(
            "zero-gradient",
            f"the gradient has shrunk to nothing by the time it has passed `{node.op}`, so "
            f"{question.name(leaf)} gets zeros.",
            node=node,
            cause=node.source,
            path=(leaf,),
            facts=(("operation", node.op),),
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
