"""Rules about marks: results that were marked, and gradients asked of results."""

from __future__ import annotations

from gradviz.autodiff.node import GRAD_IN_BACKWARD, Node
from gradviz.core.source import SourceSpan, span
from gradviz.diagnose.question import Question
from gradviz.diagnose.ways import ancestors, is_marked_result
from gradviz.errors.problem import Problem


def marked_results(question: Question) -> list[Problem]:
    """Untracked results that were marked, and so hide a leaf asked for, or are the root itself."""
    found = []
    roots = {root.node.id for root in question.roots}
    leaves = question.leaves()
    missing = [leaf for leaf in leaves if leaf.id not in question.reached]
    for number, node in question.history.items():
        if not is_marked_result(node) or not (number in question.reached or number in roots):
            continue
        behind = ancestors(node) if missing else set()
        hides = [leaf for leaf in missing if leaf.id in behind]
        if not hides and not (number in roots and not leaves):
            continue
        hidden = ", ".join(question.name(leaf) for leaf in hides) or "what it was computed from"
        found.append(
            question.problem(
                "marked-result",
                f"{question.name(node)} is a result that was marked itself; gradients end there, "
                f"and {hidden} gets none.",
                node=node,
                cause=marked_at(node) or node.source,
                advice="Mark the leaves it is computed from, before it is computed.",
                path=tuple(hides),
            )
        )
    return found


def marked_at(node: Node) -> SourceSpan | None:
    """The expression that marked a leaf."""
    return None if node.extra is None else span(*node.extra.marked_place)


def gradients_of_results(question: Question) -> list[Problem]:
    """Results asked about whose gradient is used up on the way to the leaves."""
    found = []
    for leaf in question.leaves():
        if leaf.requirement != GRAD_IN_BACKWARD or leaf.id not in question.reached:
            continue
        if leaf.extra is not None and leaf.extra.retained:
            continue
        if (
            any(root.node is leaf for root in question.roots)
            and len(question.leaves()) == 1
            and not leaf.parents
        ):
            continue
        if question.grads is not None and leaf in question.grads.store.values:
            continue
        found.append(
            question.problem(
                "gradient-of-non-leaf",
                f"{question.name(leaf)} is a result of `{leaf.op}`: its gradient is used up on "
                "the way to the leaves.",
                node=leaf,
                cause=leaf.source,
                advice="Call `retain_grad()` on it before `backward`, or ask the leaf it comes "
                "from.",
                facts=(("operation", leaf.op),),
            )
        )
    return found
