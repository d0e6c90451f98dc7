"""`gv.why`: why one tensor gets, or doesn't get, a gradient from another."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field

from gradviz.autodiff.node import NONE, Node
from gradviz.core.source import user_frame
from gradviz.diagnose import trial
from gradviz.diagnose.examine import examine, question_of
from gradviz.diagnose.question import Question
from gradviz.diagnose.search import fixes_of
from gradviz.errors.problem import Problem
from gradviz.errors.text import render
from gradviz.graph import names
from gradviz.graph.build import unlifted
from gradviz.tensor import refusal
from gradviz.tensor.base import Tensor


@dataclass(frozen=True)
class Why:
    """The way from a tensor to a root.

    Attributes:
        reaches: whether a gradient of the root arrives at the tensor.
        path: the operations between them, from the root down to the tensor, or to where the way
            ends.
        problem: what ends it; None where a gradient arrives.
    """

    reaches: bool
    path: tuple[str, ...]
    problem: Problem | None
    nodes: tuple[int, ...] = field(default=(), repr=False)

    def __bool__(self) -> bool:
        return self.reaches

    def __str__(self) -> str:
        way = " <- ".join(self.path)
        if self.reaches:
            return f"it gets a gradient: {way}"
        said = "it gets no gradient" if self.problem is None else render(self.problem)
        return f"{said}\n\nway: {way}" if way else said


def why(x: Tensor, loss: Tensor) -> Why:
    """Why a tensor gets or doesn't get a gradient from a root.

    Args:
        x: the tensor.
        loss: the root that `backward` is, or would be, called on.

    Returns:
        The path between them, and the first place on it where tracking ends.

    Raises:
        GradvizError: `not-a-tensor`.

    Example:
        >>> import gradviz as gv
        >>> w = gv.tensor([1.0], requires_grad=True)
        >>> gv.why(w, (w.detach() * 2.0).sum()).problem.slug
        'path-cut-detach'
    """
    frame = user_frame(sys._getframe(1))
    filename = None if frame is None else frame.f_code.co_filename
    question = question_of([loss], [x], None, names.namespaces(frame), filename)
    (asked,) = question.leaves()
    nodes = _path(question, asked)
    path = tuple(_label(question, node) for node in nodes)
    problems = [p for p in examine(question) if p.slug not in ("non-scalar-root", "graph-retained")]
    reaches = (
        asked.id in question.reached
        and refusal.of_backward(loss.node) is None
        and all(p.slug != "gradient-of-non-leaf" for p in problems)
    )
    if reaches:
        return Why(True, path, None, tuple(node.id for node in nodes))
    ranked = sorted(problems, key=lambda p: p.slug in ("untracked-root", "leaf-not-reached"))
    problem = ranked[0] if ranked else None
    if problem is not None and not trial.trying.get():
        problem = problem.with_fixes(fixes_of(problem))
    return Why(False, path, problem, tuple(node.id for node in nodes))


def _path(question: Question, asked: Node) -> list[Node]:
    """The shortest way from the root to the tensor through the history, tracked or not."""
    root = question.roots[0].node
    came: dict[int, Node | None] = {root.id: None}
    queue = [root]
    for node in queue:
        if node.id == asked.id:
            break
        for parent in map(unlifted, node.parents):
            if parent.id and parent.id not in came:
                came[parent.id] = node
                queue.append(parent)
    if asked.id not in came:
        return []
    found: list[Node] = []
    step: Node | None = question.history.get(asked.id, asked)
    while step is not None:
        found.append(step)
        step = came[step.id]
    return found[::-1]


def _label(question: Question, node: Node) -> str:
    known = node.name or question.names.get(node.id)
    mark = "" if node.requirement != NONE else " (untracked)"
    return f"{known or node.op}{mark}"
