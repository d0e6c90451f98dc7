"""The exceptions of this package: each carries its failure as data and prints it as a page."""

from __future__ import annotations

import traceback
from contextvars import ContextVar
from dataclasses import replace
from types import TracebackType
from typing import Final

from gradviz.core.source import SourceSpan, here, is_internal, is_shell
from gradviz.errors.catalogue import catalogue, message
from gradviz.errors.excerpt import short_name
from gradviz.errors.printable import printable
from gradviz.errors.problem import Problem, find_fixes
from gradviz.errors.text import render

_searching: ContextVar[bool] = ContextVar("gradviz_searching_fixes", default=False)
"""Set while fixes are looked for: that may run code whose own errors must not start a search."""

MOST_CALLS: Final = 12
"""Calls of the user's code that a notebook shows above the page."""


def user_calls(trace: TracebackType | None) -> list[traceback.FrameSummary]:
    """The calls of a traceback that are the user's own, outermost first."""
    return [
        frame
        for frame in traceback.extract_tb(trace)
        if not is_internal(frame.filename) and not is_shell(frame.filename)
    ]


class GradvizError(Exception):
    """A failure of this package.

    `str(error)` is the whole page; its first line is the message that `gv.catalogue` gives for
    the slug. Every error that is raised is also the built-in error that fits (`TypeError`,
    `ValueError` ...), so either can be caught.

    Attributes:
        slug: name of the failure in `gv.catalogue`.
        problem: the failure as data: message, reason, source positions, fixes.
    """

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self._problem = problem
        self._searched = bool(problem.fixes)

    @property
    def slug(self) -> str:
        """Name of the failure in `gv.catalogue`."""
        return self._problem.slug

    @property
    def problem(self) -> Problem:
        """The failure as data. Its fixes are looked for on the first use, not when it is raised."""
        if not self._searched and not _searching.get():
            token = _searching.set(True)
            try:
                fixes = tuple(find_fixes(self._problem))
            except Exception:  # no fix is better than a second error
                fixes = ()
            finally:
                _searching.reset(token)
                self._searched = True
            self._problem = self._problem.with_fixes(fixes)
        return self._problem

    def blame(self, cause: SourceSpan | None) -> None:
        """Names another expression as the cause, where a layer above knows better."""
        if cause is not None:
            self._problem = replace(self._problem, cause=cause)

    def __str__(self) -> str:
        return render(self.problem)

    def _render_traceback_(self) -> list[str]:
        """What IPython and notebooks show: the way through the user's own code, then the page.

        The calls inside this package say nothing to whom the page is for; `%debug` and
        `traceback.print_exc()` still have them.
        """
        frames = user_calls(self.__traceback__)
        # The page shows the innermost by itself, as the place where it fails.
        left = max(len(frames) - MOST_CALLS, 0)
        calls = [f"  ... {left} more calls"] if left else []
        for frame in frames[left:]:
            place = f"{short_name(frame.filename)}, line {frame.lineno}"
            scope = "" if frame.name == "<module>" else f", in {printable(frame.name, 100)}"
            calls.append(f"  {place}{scope}")
            calls.append(f"    {printable(frame.line or '', 300)}")
        heading = ["Your calls, outermost first:", *calls, ""] if len(frames) > 1 else []
        return [*heading, f"{type(self).__name__}: {self}"]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._problem.slug!r}: {self._problem.message})"


class GradvizTypeError(GradvizError, TypeError):
    """A tensor of the wrong kind, or something that is no tensor."""


class GradvizValueError(GradvizError, ValueError):
    """Shapes or arguments that don't fit."""


class GradvizRuntimeError(GradvizError, RuntimeError):
    """Something that can't be done now, in the state the graph or the scope is in."""


class GradvizIndexError(GradvizError, IndexError):
    """A dimension or an index that the tensor doesn't have."""


class GradvizKeyError(GradvizError, KeyError):
    """A gradient that isn't there."""

    # KeyError prints the repr of its argument; a page must be printed as it is.
    __str__ = GradvizError.__str__


class GradvizAttributeError(GradvizError, AttributeError):
    """A name that tensors, modules or optimizers have in another library."""


class GradvizImportError(GradvizError, ImportError):
    """An optional package that isn't installed."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self.msg = problem.message


CLASSES: Final[dict[str, type[GradvizError]]] = {
    "requires-autodiff-tensor": GradvizTypeError,
    "capture-tensors-do-not-support-autodiff": GradvizTypeError,
    "can-t-convert-a-non-leaf-tensor-into-a-tracked-ten": GradvizRuntimeError,
    "autodiff-wraps-autodiff": GradvizTypeError,
    "require-grad-on-plain-kind": GradvizTypeError,
    "require-grad-on-non-float": GradvizTypeError,
    "untracked-root": GradvizRuntimeError,
    "graph-consumed": GradvizRuntimeError,
    "different-backends": GradvizTypeError,
    "different-checkpointing": GradvizValueError,
    "cannot-move-from-capture": GradvizTypeError,
    # Not a TypeError: `list(t)` and its like swallow one that comes from a length or an index.
    "capture-value-unavailable": GradvizRuntimeError,
    "capture-scope-closed": GradvizRuntimeError,
    "capture-boundary": GradvizValueError,
    "in-place-on-tensor": GradvizTypeError,
    "onnx-not-expressible": GradvizValueError,
    "onnx-unreadable": GradvizValueError,
    "shape-mismatch": GradvizValueError,
    "invalid-argument": GradvizValueError,
    "invalid-dtype": GradvizTypeError,
    "dimension-out-of-range": GradvizIndexError,
    "index-out-of-range": GradvizIndexError,
    "no-gradient": GradvizKeyError,
    "invalid-program": GradvizValueError,
    "missing-extra": GradvizImportError,
    "not-a-tensor": GradvizTypeError,
    "name-from-elsewhere": GradvizAttributeError,
    "gradient-check-failed": GradvizRuntimeError,
}
"""The class an error of each slug gets; a slug that isn't here is a GradvizRuntimeError."""


def fail(
    slug: str,
    *,
    reason: str = "",
    facts: tuple[tuple[str, str], ...] = (),
    advice: str = "",
    where: SourceSpan | None = None,
    cause: SourceSpan | None = None,
    nodes: tuple[int, ...] = (),
    error: type[GradvizError] | None = None,
    **message_values: object,
) -> GradvizError:
    """Builds the exception for a slug; the caller raises it.

    Args:
        slug: name of the failure in the catalogue.
        reason: why it happens here.
        facts: what was found, as `(label, value)` pairs.
        advice: what to do; the title of the record's first solution where it is left out.
        where: the expression that fails; the user's expression running now where it is left out.
        cause: the expression to blame; `where` when it is left out.
        nodes: ids of the graph nodes concerned.
        error: a class other than the one in `CLASSES` (a wrong type among `invalid-argument`).
        **message_values: what the message's placeholders stand for.

    Returns:
        An instance of the class that belongs to the slug.
    """
    record = catalogue[slug]
    place = where if where is not None else here()
    problem = Problem(
        slug=slug,
        severity=record.severity,
        message=message(slug, **message_values),
        reason=reason or record.documentation,
        facts=tuple(facts),
        advice=advice or f"{record.solutions[0].title}.",
        where=place,
        cause=cause if cause is not None else place,
        nodes=tuple(nodes),
    )
    return (error or CLASSES.get(slug, GradvizRuntimeError))(problem)


def missing_extra(
    operation: str, package: str, extra: str, reason: str, then: str = ""
) -> GradvizError:
    """The error of an optional package that isn't installed; the caller raises it.

    Args:
        operation: what was called.
        package: what can't be imported.
        extra: the extra of this package that brings it.
        reason: what it is needed for.
        then: how the advice goes on after the command.
    """
    command = f"pip install 'gradviz-lab[{extra}]'"
    return fail(
        "missing-extra",
        operation=operation,
        complaint=f"the package {package} isn't installed: {command}",
        reason=reason,
        advice=f"Run {command}{then}.",
    )
