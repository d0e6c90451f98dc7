"""`%load_ext gradviz`: error cards for failing cells, and cells known to fixes."""

from __future__ import annotations

import sys
import traceback
from types import TracebackType
from typing import Any, Final, cast

from gradviz.errors import GradvizError
from gradviz.errors.exceptions import user_calls
from gradviz.errors.printable import printable
from gradviz.widgets import cells, timed
from gradviz.widgets.cards import error_bundle

MOST_FRAMES: Final = 6
"""Frames of the user's code that a short traceback shows; the outermost are left out first."""

_replaced: dict[int, tuple[tuple[type[BaseException], ...], Any]] = {}


def load_ipython_extension(shell: Any) -> None:
    """Shows a card for every GradvizError a cell ends with, and follows which cells are run."""
    cells.track(shell)
    timed.find(shell)
    if id(shell) in _replaced:
        return
    others: tuple[type[BaseException], ...] = shell.custom_exceptions
    handle_others = getattr(shell, "CustomTB", None)
    _replaced[id(shell)] = (others, handle_others)

    def handler(
        shell: Any,
        kind: type[BaseException],
        error: BaseException,
        trace: TracebackType | None,
        tb_offset: int | None = None,
    ) -> list[str] | None:
        if not isinstance(error, GradvizError) and handle_others is not None:
            found: list[str] | None = handle_others(kind, error, trace, tb_offset=tb_offset)
            return found
        return show_error(shell, cast("GradvizError", error), trace)

    shell.set_custom_exc((GradvizError, *others), handler)


def unload_ipython_extension(shell: Any) -> None:
    """Puts back what `load_ipython_extension` replaced."""
    cells.untrack(shell)
    timed.leave(shell)
    others, handle_others = _replaced.pop(id(shell), ((), None))
    shell.set_custom_exc((), None)
    if others:
        shell.custom_exceptions = others
        shell.CustomTB = handle_others


def show_error(shell: Any, error: GradvizError, trace: TracebackType | None) -> list[str]:
    """Displays the card, then the error itself: the cell stays failed, and `%debug` works."""
    sys.last_type, sys.last_value, sys.last_traceback = type(error), error, trace
    lines = short_traceback(error, trace)
    try:
        shell.display_pub.publish(error_bundle(error.problem))
    except Exception:  # a card that can't be drawn must not hide the error
        lines = traceback.format_exception(type(error), error, trace)
    shell._showtraceback(type(error), error, lines)
    return lines


def short_traceback(error: GradvizError, trace: TracebackType | None) -> list[str]:
    """The user's failing line first, then how it was reached, then the error in two lines.

    The card above it has the rest, and `str(error)` the whole page.
    """
    frames = user_calls(trace)
    shown = []
    for at, frame in enumerate(reversed(frames[-MOST_FRAMES:])):
        place = f"{printable(cells.label_of(frame.filename), 200)}, line {frame.lineno}"
        scope = "" if frame.name == "<module>" else f", in {printable(frame.name, 100)}"
        lead = "" if at == 0 else "called from "
        shown.append(f"{lead}\x1b[32m{place}{scope}\x1b[0m\n    {printable(frame.line or '', 300)}")
    if len(frames) > MOST_FRAMES:
        shown.append(f"... {len(frames) - MOST_FRAMES} more calls")
    problem = error.problem
    message = f"\x1b[1;31m{type(error).__name__}\x1b[0m: {printable(problem.message, 1000)}"
    advice = [printable(problem.advice, 1000)] if problem.advice else []
    return [*shown, "", message, *advice]
