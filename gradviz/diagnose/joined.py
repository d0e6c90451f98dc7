"""Cells as one program: their code under each other, and places in it as places in cells.

A failure and its cause often stand in different cells. Joined, they are one text in which fixes can
be tried as in a script; what is shown and written afterwards speaks of cells.
"""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from types import CodeType
from typing import Final

from gradviz.core.source import SourceSpan
from gradviz.errors.problem import Problem, SourceEdit

_MARKER: Final = "# the next cell of the notebook"


@dataclass(frozen=True, slots=True)
class Cell:
    """A code cell: its file name, its source, its first line in the whole."""

    filename: str
    source: str
    first: int

    @property
    def end(self) -> int:
        """Its last line in the whole."""
        return self.first + self.source.count("\n")


class Joined:
    """Cells under each other.

    Attributes:
        filename: what the whole is called.
        text: the whole.
        cells: its cells, in order.
    """

    def __init__(self, filename: str, cells: Iterable[tuple[str, str]]) -> None:
        """Joins cells, given by file name and source."""
        self.filename = filename
        self.cells: list[Cell] = []
        lines: list[str] = []
        for name, source in cells:
            lines += [_MARKER] if self.cells else []
            self.cells.append(Cell(name, source, len(lines) + 1))
            lines += source.split("\n")
        self.text = "\n".join(lines)
        remember(filename, self.text)

    def codes(self) -> list[CodeType]:
        """The cells' code, each with its place in the whole.

        Raises:
            SyntaxError: a cell is no Python; the error names the cell.
        """
        found = []
        for cell in self.cells:
            tree = ast.parse(cell.source, cell.filename)
            ast.increment_lineno(tree, cell.first - 1)
            found.append(compile(tree, self.filename, "exec"))
        return found

    def in_cells(self, problem: Problem) -> Problem:
        """A problem with its places in cells."""
        return replace(
            problem,
            where=self._span(problem.where),
            cause=self._span(problem.cause),
            fixes=tuple(replace(fix, edits=self.edits(fix.edits)) for fix in problem.fixes),
        )

    def in_whole(self, problem: Problem) -> Problem:
        """A problem with its places in the whole."""
        return replace(
            problem, where=self._whole_span(problem.where), cause=self._whole_span(problem.cause)
        )

    def edits(self, edits: Sequence[SourceEdit]) -> tuple[SourceEdit, ...]:
        """Edits of the whole as edits of cells.

        Raises:
            ValueError: where one takes the border between two cells away.
        """
        found: list[SourceEdit] = []
        for edit in edits:
            found += self._parts(edit) if edit.filename == self.filename else [edit]
        return tuple(found)

    def _cell_at(self, line: int) -> Cell | None:
        return next((cell for cell in self.cells if cell.first <= line <= cell.end), None)

    def _span(self, span: SourceSpan | None) -> SourceSpan | None:
        if span is None or span.filename != self.filename:
            return span
        cell = self._cell_at(span.line)
        return span if cell is None else _moved(span, cell.filename, 1 - cell.first)

    def _whole_span(self, span: SourceSpan | None) -> SourceSpan | None:
        for cell in self.cells:
            if span is not None and span.filename == cell.filename:
                return _moved(span, self.filename, cell.first - 1)
        return span

    def _parts(self, edit: SourceEdit) -> list[SourceEdit]:
        """An edit as edits of cells: one that reaches over several is cut at their borders."""
        border = f"\n{_MARKER}\n"
        old, new = edit.original.split(border), edit.replacement.split(border)
        if len(old) != len(new):
            raise ValueError("an edit can't take the border between two cells away")
        found = []
        line, col = edit.line, edit.col
        for before, after in zip(old, new, strict=True):
            cell = self._cell_at(line)
            if cell is None:
                raise ValueError(f"line {line} is in no cell")
            *_, last = before.split("\n")
            end_line = line + before.count("\n")
            end_col = len(last) + (col if end_line == line else 0)
            if before != after:
                up = cell.first - 1
                found.append(
                    SourceEdit(cell.filename, line - up, col, end_line - up, end_col, before, after)
                )
            line, col = end_line + 2, 0
        return found


def _moved(span: SourceSpan, filename: str, down: int) -> SourceSpan:
    return replace(span, filename=filename, line=span.line + down, end_line=span.end_line + down)


def remember(filename: str, text: str) -> None:
    """Lets tracebacks and excerpts show a text that is no file."""
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
