"""A failure as data: one object behind the exception, prediction, panel row and underline."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal

from gradviz.core.source import SourceSpan, source_text

Severity = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")


@dataclass(frozen=True, slots=True)
class SourceEdit:
    """Replaces one stretch of a source file: 1-based lines, 0-based columns, end exclusive.

    `original` is the text that must stand there, so that an edit never lands in changed code.
    """

    filename: str
    line: int
    col: int
    end_line: int
    end_col: int
    original: str
    replacement: str


@dataclass(frozen=True, slots=True)
class Fix:
    """A change of the user's source that cures a problem."""

    title: str
    explanation: str
    edits: tuple[SourceEdit, ...]
    verified: bool = False

    def apply_to(self, source: str) -> str:
        """The patched source; ValueError where `source` isn't the text the fix was made for."""
        lines = source.split("\n")
        for edit in sorted(self.edits, key=lambda e: (e.line, e.col), reverse=True):
            lines = _apply(lines, edit)
        return "\n".join(lines)

    def preview(self, source: str | None = None) -> str:
        """A unified diff of what the fix changes; `source` defaults to the file as it was run."""
        files = dict.fromkeys(edit.filename for edit in self.edits)
        return "\n".join(self._diff(name, source) for name in files)

    def _diff(self, filename: str, source: str | None) -> str:
        mine = Fix(self.title, "", tuple(e for e in self.edits if e.filename == filename))
        before = source_text(filename) if source is None else source
        diff = difflib.unified_diff(
            before.splitlines(),
            mine.apply_to(before).splitlines(),
            filename,
            filename,
            lineterm="",
            n=2,
        )
        return "\n".join(diff)


def _apply(lines: list[str], edit: SourceEdit) -> list[str]:
    first, last = edit.line - 1, edit.end_line - 1
    if not 0 <= first <= last < len(lines):
        raise ValueError(f"the source has no line {edit.end_line}: it isn't the text that was run")
    stretch = "\n".join(lines[first : last + 1])
    end = len(stretch) - len(lines[last]) + edit.end_col
    if stretch[edit.col : end] != edit.original:
        raise ValueError(
            f"line {edit.line} holds {stretch[edit.col : end]!r} where {edit.original!r} was run: "
            "run the code again to get a fix for its present text"
        )
    patched = stretch[: edit.col] + edit.replacement + stretch[end:]
    return [*lines[:first], *patched.split("\n"), *lines[last + 1 :]]


def as_sentence(text: str) -> str:
    """The text with a capital first letter, where it begins with a letter."""
    # Only plain text: whatever else stands here is left to the printing, which takes anything.
    return text[:1].upper() + text[1:] if type(text) is str else text


@dataclass(frozen=True, slots=True)
class Problem:
    """One failure, predicted or raised.

    Attributes:
        slug: its name in `gv.catalogue`.
        severity: "error", "warning" or "note".
        message: the first line of the exception's text.
        reason: why it happens here, in a sentence or two.
        facts: what was found, as `(label, value)` pairs (operation, kinds, shapes).
        advice: what to do, in one sentence.
        where: the expression that fails.
        cause: the expression that made it fail.
        nodes: ids of the graph nodes concerned, the failing one first.
        predicted: whether it was foreseen; otherwise it was raised.
        fixes: edits that cure it, best first.
    """

    slug: str
    severity: Severity
    message: str
    reason: str = ""
    facts: tuple[tuple[str, str], ...] = ()
    advice: str = ""
    where: SourceSpan | None = None
    cause: SourceSpan | None = None
    nodes: tuple[int, ...] = ()
    predicted: bool = False
    fixes: tuple[Fix, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "reason", as_sentence(self.reason))

    def with_fixes(self, fixes: tuple[Fix, ...]) -> Problem:
        """The same problem with these fixes."""
        return replace(self, fixes=fixes)


FixFinder = Callable[[Problem], tuple[Fix, ...]]
_fix_finder: FixFinder | None = None


def set_fix_finder(finder: FixFinder) -> None:
    """Lets the diagnosis, a layer above, supply the fixes of a problem that was raised."""
    global _fix_finder
    _fix_finder = finder


def find_fixes(problem: Problem) -> tuple[Fix, ...]:
    """The fixes the diagnosis knows for a raised problem; none where it isn't loaded."""
    return () if _fix_finder is None else _fix_finder(problem)
