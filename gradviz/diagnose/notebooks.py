"""A notebook as one program: its code cells under each other, and places in it as places in cells.

A failure and its cause often stand in different cells. Joined, they are one text in which fixes can
be tried as in a script; what is shown and written afterwards speaks of cells.
"""

from __future__ import annotations

import ast
import json
import linecache
import re
from dataclasses import dataclass, replace
from pathlib import Path
from types import CodeType
from typing import Any, Final

from gradviz.core.source import SourceSpan
from gradviz.errors.problem import Fix, Problem, SourceEdit

_MARKER: Final = "# the next cell of the notebook"
_MAGIC: Final = re.compile(r"^(\s*)[%!?]")


@dataclass(frozen=True, slots=True)
class _Cell:
    """A code cell: its position in the notebook, its file name, its first line in the whole."""

    position: int
    filename: str
    first: int
    source: str

    @property
    def end(self) -> int:
        """Its last line in the whole."""
        return self.first + self.source.count("\n")


class Notebook:
    """The code of a notebook."""

    def __init__(self, path: Path, text: str) -> None:
        parsed = json.loads(text)
        if not isinstance(parsed, dict) or not isinstance(parsed.get("cells"), list):
            raise ValueError("this is no notebook")  # noqa: TRY004 - the file is wrong, not a type
        self.filename = f"<{path.name}>"
        self.cells: list[_Cell] = []
        lines: list[str] = []
        for position, cell in enumerate(parsed["cells"]):
            if not isinstance(cell, dict) or cell.get("cell_type") != "code":
                continue
            name = f"<{path.name} cell {len(self.cells) + 1}>"
            source = "\n".join(_MAGIC.sub(r"\1pass  # ", line) for line in _lines(cell))
            lines += [_MARKER] if self.cells else []
            self.cells.append(_Cell(position, name, len(lines) + 1, source))
            lines += source.split("\n")
            _remember(name, source)
        self.text = "\n".join(lines)
        _remember(self.filename, self.text)

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
            fixes=tuple(replace(fix, edits=self._edits(fix.edits)) for fix in problem.fixes),
        )

    def patched(self, text: str, fix: Fix) -> str:
        """The notebook's file with the edits made in its cells."""
        notebook = json.loads(text)
        for cell in self.cells:
            edits = tuple(edit for edit in fix.edits if edit.filename == cell.filename)
            if edits:
                found = notebook["cells"][cell.position]
                source = Fix("", "", edits).apply_to("\n".join(_lines(found)))
                found["source"] = source.splitlines(keepends=True)
        return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"

    def _cell_at(self, line: int) -> _Cell | None:
        return next((cell for cell in self.cells if cell.first <= line <= cell.end), None)

    def _span(self, span: SourceSpan | None) -> SourceSpan | None:
        if span is None or span.filename != self.filename:
            return span
        cell = self._cell_at(span.line)
        if cell is None:
            return span
        up = cell.first - 1
        return replace(
            span, filename=cell.filename, line=span.line - up, end_line=span.end_line - up
        )

    def _edits(self, edits: tuple[SourceEdit, ...]) -> tuple[SourceEdit, ...]:
        found: list[SourceEdit] = []
        for edit in edits:
            found += self._parts(edit) if edit.filename == self.filename else [edit]
        return tuple(found)

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


def _lines(cell: dict[str, Any]) -> list[str]:
    source = cell.get("source", "")
    text: str = source if isinstance(source, str) else "".join(source)
    return text.replace("\r\n", "\n").split("\n")


def _remember(filename: str, text: str) -> None:
    """Lets tracebacks and excerpts show a text that is no file."""
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
