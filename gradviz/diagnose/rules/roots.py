"""Rules about the roots: what `backward` would refuse, and roots that aren't one number."""

from __future__ import annotations

from dataclasses import replace

from gradviz.core.source import SourceSpan
from gradviz.diagnose.question import Question
from gradviz.diagnose.verdict import problem_of
from gradviz.errors.problem import Problem
from gradviz.tensor import refusal


def refusals(question: Question) -> list[Problem]:
    """Roots that `backward` would refuse."""
    found = []
    for root in question.roots:
        node = root.node
        if question.grads is not None and question.grads.store.root is node:
            continue  # consumed by the very backward that gave the gradients
        # A dry run records on purpose: it asks what would happen on a device that computes.
        refused = refusal.of_backward(node, recorded=question.dry, walk=question.is_spent)
        if refused is None:
            continue
        problem = problem_of(refused)
        cause = problem.cause
        if problem.slug == "untracked-root":
            cause = _unmarked(question) or cause
        known = question.names.get(node.id)
        asked = [question.names.get(n.id, "?") for n in question.leaves()]
        facts = (("name", known), *problem.facts) if known else problem.facts
        if asked:
            facts = (*facts, ("wanted", ", ".join(asked)))
        found.append(replace(problem, cause=cause or node.source, where=node.source, facts=facts))
    return found


def _unmarked(question: Question) -> SourceSpan | None:
    """Where a leaf that was asked about was made without a mark."""
    for leaf in question.leaves():
        if leaf.requirement == 0 and leaf.meta.device.is_autodiff:
            return refusal.birth(leaf).source if leaf.op != "autodiff" else leaf.source
    return None


def not_scalar(question: Question) -> list[Problem]:
    """Roots of several elements, which are summed silently."""
    found = []
    for root in question.roots:
        if root.size != 1 and root.is_tracked and question.grads is None:
            found.append(
                question.problem(
                    "non-scalar-root",
                    f"{question.name(root.node)} has shape {root.shape}; `backward` would start "
                    "from ones, which is the gradient of the sum of its elements.",
                    node=root.node,
                    cause=root.node.source,
                    advice="Say how it is reduced: `.mean()` or `.sum()`.",
                    facts=(("shape", str(root.shape)),),
                )
            )
    return found
