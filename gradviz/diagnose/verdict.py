"""Verdicts: what `backward` and `require_grad` would do on a tensor, without running either."""

from __future__ import annotations

from dataclasses import dataclass, field

from gradviz.autodiff.node import Node
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
        problem: the failure as data, or None.
    """

    ok: bool
    slug: str | None
    reason: str
    problem: Problem | None = field(default=None, compare=False, repr=False)

    @property
    def fixes(self) -> tuple[Fix, ...]:
        """Edits of the source that would let it succeed, best first; looked for when asked."""
        if self.problem is None:
            return ()
        from gradviz.diagnose.search import fixes_of

        return self.problem.fixes or fixes_of(self.problem)


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
    works = "Gradients would flow to its marked leaves."
    mark = refusal.of_require_grad(node)
    marks = (
        "It is marked already; nothing would change."
        if node.requirement
        else "It would become a marked leaf."
    )
    return Verdict(_outcome(backward, works), _outcome(mark, marks))


def verdict(tensor: Tensor) -> Verdict:
    """What `backward` and `require_grad` would do on a tensor; nothing is executed."""
    return verdict_of_node(tensor.node)
