"""A problem as plain text: what the exception prints and a terminal shows."""

from __future__ import annotations

import textwrap
from typing import Final

from gradviz.core.source import SourceSpan
from gradviz.errors.excerpt import excerpt
from gradviz.errors.printable import printable
from gradviz.errors.problem import Fix, Problem

MOST_FACTS: Final = 24
MOST_FIXES: Final = 3
MOST_DIFF_LINES: Final = 12

_BOLD: Final = "1"
_DIM: Final = "2"
_RED: Final = "31"
_GREEN: Final = "32"
_COLOURS: Final = {"error": "1;31", "warning": "1;33", "note": "1;36"}


def render(problem: Problem, *, width: int = 88, color: bool = False) -> str:
    """The text of a problem; its first line is the message, character for character.

    Args:
        problem: what to show.
        width: columns to wrap to; source lines are cut to it around the underlined part.
        color: whether to use a terminal's colours.

    Returns:
        Lines without a final line break. Never raises: what can't be shown is left out.
    """
    try:
        return _Page(max(width, 40), color).render(problem)
    except Exception:  # an error's text must not become a second error
        return f"{printable(problem.message)}\n\n{_footer(problem)}"


def _footer(problem: Problem) -> str:
    slug = printable(problem.slug, 100)
    return f'slug: {slug}; see gv.explain("{slug}")'


class _Page:
    """The lines of one text, collected block by block."""

    def __init__(self, width: int, color: bool) -> None:
        self.width = width
        self.color = color
        self.lines: list[str] = []

    def render(self, problem: Problem) -> str:
        self.lines.append(self.paint(printable(problem.message, 4000), _COLOURS[problem.severity]))
        self.places(problem)
        self.facts(problem.facts)
        self.paragraph("why", problem.reason)
        self.paragraph("do", problem.advice)
        for number, fix in enumerate(problem.fixes[:MOST_FIXES], 1):
            self.fix(number, fix)
        self.block([self.paint(_footer(problem), _DIM)])
        return "\n".join(self.lines)

    def paint(self, text: str, code: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.color and text else text

    def block(self, lines: list[str]) -> None:
        """Adds lines with an empty one in front."""
        if lines:
            self.lines += ["", *lines]

    def places(self, problem: Problem) -> None:
        """The culprit's source, then the symptom's where that is another expression."""
        shown = "fails here" if problem.severity == "error" else "shows here"
        if problem.predicted and problem.severity == "error":
            shown = "would fail here"
        cause, where = problem.cause or problem.where, problem.where or problem.cause
        if cause is None or where is None:
            return
        if _same(cause, where):
            self.source(where, shown, problem)
        else:
            self.source(cause, "because of this", problem)
            self.source(where, shown, problem)

    def source(self, span: SourceSpan, label: str, problem: Problem) -> None:
        try:
            lines = excerpt(span, label, self.width)
        except Exception:  # one unreadable span must not hide the rest of the text
            lines = [f"  --> {printable(span.filename, 300)}:{span.line}"]
        if self.color:
            lines = [self.underlined(line, _COLOURS[problem.severity]) for line in lines]
        self.block(lines)

    def underlined(self, line: str, code: str) -> str:
        head, bar, tail = line.partition("|")
        if bar and not head.strip() and tail.lstrip().startswith("^"):
            return f"{head}{bar}{self.paint(tail, code)}"
        return line

    def facts(self, facts: tuple[tuple[str, str], ...]) -> None:
        pairs = [(printable(name, 40), printable(value, 400)) for name, value in facts[:MOST_FACTS]]
        broad = max((len(name) for name, _ in pairs), default=0)
        lines = []
        for name, value in pairs:
            head = f"  {name:<{broad}}  "
            lines += self.wrapped(value, head, " " * len(head))
        if len(facts) > MOST_FACTS:
            lines.append(f"  ... and {len(facts) - MOST_FACTS} more")
        self.block(lines)

    def paragraph(self, label: str, text: str) -> None:
        if text:
            head = f"{label}:"
            lines = self.wrapped(printable(text), f"{head:<5}", " " * 5)
            lines[0] = lines[0].replace(head, self.paint(head, _BOLD), 1)
            self.block(lines)

    def wrapped(self, text: str, first: str, rest: str) -> list[str]:
        lines = textwrap.wrap(
            text,
            max(self.width, len(rest) + 20),
            initial_indent=first,
            subsequent_indent=rest,
            break_on_hyphens=False,
        )
        return lines or [first.rstrip()]

    def fix(self, number: int, fix: Fix) -> None:
        state = "checked" if fix.verified else "not checked"
        lines = self.wrapped(f"{printable(fix.title, 300)} ({state})", f"fix {number}: ", " " * 7)
        if fix.explanation:
            lines += self.wrapped(printable(fix.explanation, 600), " " * 7, " " * 7)
        self.block(lines + self.diff(fix))

    def diff(self, fix: Fix) -> list[str]:
        """The changed lines; none where the source is no longer the one that was run."""
        try:
            preview = fix.preview()
        except Exception:
            return []
        shown: list[str] = []
        for line in preview.split("\n"):
            if not line or line.startswith(("---", "+++")):
                continue
            if line.startswith("@@"):
                shown += ["       ..."] if shown else []
                continue
            text = f"     {line[0]} {printable(line[1:], 2 * self.width)}"[: self.width].rstrip()
            colour = {"-": _RED, "+": _GREEN}.get(line[0], "0")
            shown.append(text if colour == "0" else self.paint(text, colour))
        if len(shown) > MOST_DIFF_LINES:
            shown[MOST_DIFF_LINES:] = [f"       ... {len(shown) - MOST_DIFF_LINES} more lines"]
        return shown


def _same(one: SourceSpan, other: SourceSpan) -> bool:
    return (one.filename, one.line, one.col, one.end_line, one.end_col) == (
        other.filename,
        other.line,
        other.col,
        other.end_line,
        other.end_col,
    )
