"""Verdicts: what `backward` and `require_grad` would do on a tensor, without running either."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final
from weakref import ref

from gradviz.autodiff.node import GRAD_IN_BACKWARD, Node
from gradviz.errors.catalogue import message
from gradviz.errors.problem import Fix, Problem
from gradviz.tensor import refusal
from gradviz.tensor.base import Tensor
from gradviz.tensor.refusal import Refusal


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one call would do.

    Attributes:
        ok: whether it would succeed.
        slug: the failure's name in `gv.catalogue`, or None.
        reason: why it would fail, or what it would do.
        found: the failure as data, or what finds it when somebody asks; None where it succeeds.
    """

    ok: bool
    slug: str | None
    reason: str
    found: Problem | Callable[[], Problem | None] | None = field(
        default=None, compare=False, repr=False
    )

    @property
    def problem(self) -> Problem | None:
        """The failure as data, or None."""
        return self.found() if callable(self.found) else self.found

    @property
    def fixes(self) -> tuple[Fix, ...]:
        """Edits of the source that would let it succeed, best first; looked for when asked."""
        problem = self.problem
        if problem is None:
            return ()
        from gradviz.diagnose.search import fixes_of

        return problem.fixes or fixes_of(problem)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Both predictions for one tensor."""

    backward: Outcome
    require_grad: Outcome


def problem_of(refused: Refusal) -> Problem:
    """A refusal as the problem that the call would raise."""
    return Problem(
        slug=refused.slug,
        severity="error",
        message=message(refused.slug),
        reason=refused.reason,
        facts=refused.facts,
        advice=refused.advice,
        where=None,
        cause=refused.cause,
        nodes=refused.nodes,
        predicted=True,
    )


def _outcome(refused: Refusal | None, fine: str) -> Outcome:
    if refused is None:
        return Outcome(True, None, fine)
    problem = problem_of(refused)
    return Outcome(False, refused.slug, problem.reason, problem)


_WORKS: Final = "Gradients would flow to its marked leaves."


def verdict_of_node(node: Node, *, blocked: Node | None = None, walk: bool = True) -> Verdict:
    """The verdict of a node.

    Args:
        node: the tensor's node.
        blocked: a consumed node on its way to the leaves, where the caller has looked already.
        walk: whether to look for consumed nodes.
    """
    if blocked is not None:
        backward: Refusal | None = refusal.of_consumed(node, blocked)
    else:
        backward = refusal.of_backward(node, walk=walk)
    mark = refusal.of_require_grad(node)
    marks = (
        "It is marked already; nothing would change."
        if node.requirement
        else "It would become a marked leaf."
    )
    return Verdict(_outcome(backward, _WORKS), _outcome(mark, marks))


class Verdicts:
    """The verdicts of many nodes: what results of one operation share is worked out once."""

    def __init__(self) -> None:
        self._marks: dict[str, Outcome] = {}
        self._works = Outcome(True, None, _WORKS)

    def of(self, node: Node, blocked: Node | None) -> Verdict:
        """The verdict of a node; why a mark is refused is looked up when somebody asks."""
        if node.requirement != GRAD_IN_BACKWARD or blocked is not None:
            return verdict_of_node(node, blocked=blocked, walk=False)
        mark = self._marks.get(node.op)
        if mark is None:
            mark = self._marks[node.op] = verdict_of_node(node, walk=False).require_grad
        return Verdict(self._works, Outcome(mark.ok, mark.slug, mark.reason, _Later(ref(node))))


@dataclass(frozen=True, slots=True)
class _Later:
    """Finds why a mark on a node is refused, as long as the node is alive."""

    node: ref[Node]

    def __call__(self) -> Problem | None:
        node = self.node()
        refused = None if node is None else refusal.of_require_grad(node)
        return None if refused is None else problem_of(refused)


def verdict(tensor: Tensor) -> Verdict:
    """What `backward` and `require_grad` would do on a tensor; nothing is executed."""
    return verdict_of_node(tensor.node)
