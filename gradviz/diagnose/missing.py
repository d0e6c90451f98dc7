"""What stands behind a gradient that isn't there, for the error that says so."""

from __future__ import annotations

import itertools
import sys
from typing import Final

from gradviz.autodiff.node import NONE, Node, history
from gradviz.core.source import user_frame
from gradviz.diagnose.examine import question_of
from gradviz.diagnose.rules import marks, paths
from gradviz.errors.problem import Problem
from gradviz.graph import names
from gradviz.tensor.base import Tensor, wrap
from gradviz.tensor.gradients import STEP_OF_TRAINING

_MOST_WALKED: Final = 50_000
"""Nodes of a history up to which an error looks for its reason by itself."""
_OF_A_STEP: Final = 16
"""Operations of a step of training by hand, at most."""


def reason(tensor: Tensor, root: Node) -> Problem | None:
    """Why a backward pass from a node gave a tensor no gradient.

    Args:
        tensor: what was asked for its gradient.
        root: the node of the tensor that `backward` was called on.

    Returns:
        What the diagnosis finds about the two, or None where it finds nothing, and beside a graph
        that takes long to look through.
    """
    if len(_near(root, _MOST_WALKED)) > _MOST_WALKED:
        return None
    frame = user_frame(sys._getframe(1))
    filename = None if frame is None else frame.f_code.co_filename
    asked = wrap(None, root)
    question = question_of([asked], [tensor], None, names.namespaces(frame), filename)
    rules = (marks.marked_results, paths.unreached_leaves, marks.gradients_of_results)
    found = next((problem for rule in rules for problem in rule(question)), None)
    if found is None or found.slug != "gradient-of-non-leaf" or not _is_step(tensor.node):
        return found
    name = question.name(tensor.node)
    return question.problem(
        found.slug,
        f"{name} was computed from a leaf and its gradient while tracking went on: it is a result "
        "now, and no leaf any more.",
        node=tensor.node,
        cause=tensor.node.source,
        advice="Write `.detach().require_grad()` behind what the step computes, so that the next "
        "one begins with a leaf.",
        facts=(("made by", STEP_OF_TRAINING),),
    )


def _is_step(node: Node) -> bool:
    """Whether a tracked result was computed from one leaf and a gradient, as a step by hand is."""
    tracked = [parent for parent in node.parents if parent.requirement != NONE]
    if node.op not in ("add", "sub") or len(tracked) != 1:
        return False
    rest = (parent for parent in node.parents if parent.requirement == NONE)
    behind = (earlier for parent in rest for earlier in _near(parent, _OF_A_STEP))
    return any(n.op == "grad" for n in behind) and tracked[0].meta.shape == node.meta.shape


def _near(root: Node, most: int) -> list[Node]:
    """A node and what it was computed from, nearest first; past `most` nodes hardly more."""
    walked = itertools.count(1)
    return history(root, lambda _: next(walked) <= most)
