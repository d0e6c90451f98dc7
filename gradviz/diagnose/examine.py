"""Asking every rule, and `gv.diagnose` and `gv.why`."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from typing import Any, Final

from gradviz.autodiff.node import Node
from gradviz.core.source import user_frame
from gradviz.diagnose import trial
from gradviz.diagnose.question import Question
from gradviz.diagnose.report import Report
from gradviz.diagnose.rules import RULES
from gradviz.diagnose.search import fixes_of
from gradviz.errors import GradvizTypeError, fail
from gradviz.errors.problem import Problem
from gradviz.graph import names
from gradviz.nn.module import Module
from gradviz.tensor.base import Tensor
from gradviz.tensor.gradients import Gradients

_MOST_SEARCHED: Final = 12
"""Problems of one report that fixes are looked for; the worst come first."""

_PATIENCE: Final = 15.0
"""Seconds after which none are looked for any more."""


def diagnose(*roots: Any, wrt: Any = None, grads: Gradients | None = None) -> Report:
    """Which gradients would fail or silently be missing, and why.

    Args:
        roots: the tensors that `backward` is, or would be, called on.
        wrt: the tensors that should get a gradient: a tensor, a list or dict of them, or a module.
        grads: what `backward` returned for the first root, to judge the gradients' values as well.

    Returns:
        A report; `report.ok` when no problem is an error or a warning. Nothing is consumed or
        changed.

    Raises:
        GradvizError: `not-a-tensor` for roots that are none.

    Example:
        >>> import gradviz as gv
        >>> w = gv.tensor([1.0], requires_grad=True)
        >>> loss = (w.detach() * 2.0).sum()
        >>> [problem.slug for problem in gv.diagnose(loss, wrt=w).problems]
        ['untracked-root', 'path-cut-detach']
    """
    frame = user_frame(sys._getframe(1))
    spaces = names.namespaces(frame)
    filename = None if frame is None else frame.f_code.co_filename
    question = question_of(roots, wrt, grads, spaces, filename)
    return Report.of(fixed(examine(question)))


def question_of(
    roots: Any,
    wrt: Any,
    grads: Gradients | None,
    spaces: list[Mapping[str, Any]],
    filename: str | None,
    *,
    brief: bool = False,
    members: list[Node] | None = None,
    reached: set[int] | None = None,
) -> Question:
    """A question about tensors, with what the user calls them; for the rest see `Question`."""
    asked = _tensors(roots, "diagnose")
    targets = None if wrt is None else tuple(_tensors([wrt], "diagnose"))
    if grads is not None and not isinstance(grads, Gradients):
        raise fail(
            "invalid-argument",
            operation="diagnose",
            complaint=f"grads must be what `backward` returned, not {type(grads).__name__}",
            advice="Write `grads = loss.backward()`, then `gv.diagnose(loss, grads=grads)`.",
            error=GradvizTypeError,
        )
    spaces = names.holding(asked[:1], filename) + spaces
    space: dict[str, Any] = {}
    for item in reversed(spaces):
        space.update(item)
    found = {number: label for number, (label, _) in names.find(spaces).items()}
    return Question(
        tuple(asked), targets, grads, found, space, brief=brief, members=members, found=reached
    )


def _tensors(things: Any, operation: str) -> list[Tensor]:
    found: list[Tensor] = []
    for thing in things:
        if isinstance(thing, Tensor):
            found.append(thing)
        elif isinstance(thing, Module):
            found += thing.parameters()
        elif isinstance(thing, dict):
            found += _tensors(thing.values(), operation)
        elif isinstance(thing, list | tuple) or hasattr(thing, "__next__"):
            found += _tensors(thing, operation)
        else:
            raise fail(
                "not-a-tensor",
                operation=operation,
                complaint=f"a {type(thing).__name__} is no tensor",
                advice="Give tensors, modules, or lists and dicts of them.",
                error=GradvizTypeError,
            )
    return found


def examine(question: Question) -> list[Problem]:
    """What the rules find, without fixes."""
    found: list[Problem] = []
    for rule in RULES:
        found += rule(question)
    return found


def fixed(problems: list[Problem]) -> list[Problem]:
    """Problems with the fixes that hold; none are looked for while a fix is being tried."""
    if trial.trying.get():
        return problems
    end = time.monotonic() + _PATIENCE
    found = []
    for at, problem in enumerate(Report.of(problems)):
        searched = at < _MOST_SEARCHED and time.monotonic() < end
        found.append(problem.with_fixes(fixes_of(problem)) if searched else problem)
    return found
