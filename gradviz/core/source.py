"""Where in the user's code a tensor was made.

The hot path stores `(code object, last instruction)`; everything here runs late, when somebody
asks, and turns that pair into the exact expression with its columns.
"""

from __future__ import annotations

import copy
import functools
import linecache
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Final

PACKAGE_ROOT: Final = str(Path(__file__).resolve().parent.parent)
"""Folder of this package: frames inside it are ours, not the user's."""

_SHELLS: Final = re.compile(r"[\\/](IPython|ipykernel)[\\/]")

GENERATED: Final = "<gradviz:"
"""Prefix of the file names given to code compiled from the operation table."""


@dataclass(frozen=True, slots=True)
class SourceSpan:
    """A stretch of source text: 1-based lines, 0-based columns, `end_col` exclusive."""

    filename: str
    line: int
    col: int
    end_line: int
    end_col: int
    text: str

    def __str__(self) -> str:
        return f"{self.filename}:{self.line}:{self.col + 1}"


@functools.lru_cache(maxsize=4096)
def is_internal(filename: str) -> bool:
    """Whether a code object's file belongs to this package, or copies what belongs to it."""
    return filename.startswith((PACKAGE_ROOT, GENERATED, "<frozen importlib", copy.__file__))


def is_shell(filename: str) -> bool:
    """Whether a code object's file belongs to a shell that runs cells, IPython's or a kernel's."""
    return bool(_SHELLS.search(filename))


def user_frame(frame: FrameType | None) -> FrameType | None:
    """The innermost frame, from `frame` outwards, that is not this package's own."""
    while frame is not None and is_internal(frame.f_code.co_filename):
        frame = frame.f_back
    return frame


def cell_number(filename: str, shell: Any = None) -> str | None:
    """The number IPython gave the cell that was compiled under this name; None for other files.

    Args:
        filename: what the code object says.
        shell: the shell to ask, or None for the one that is running; IPython isn't loaded for it.
    """
    if shell is None:
        ipython = sys.modules.get("IPython")
        shell = None if ipython is None else ipython.get_ipython()
    ask = getattr(getattr(shell, "compile", None), "format_code_name", None)
    named = None if ask is None else ask(filename)
    return named[1][3:-1] if named and named[1].startswith("In[") else None


def here() -> SourceSpan | None:
    """The expression of the user's code that is running now."""
    frame = user_frame(sys._getframe(1))
    return None if frame is None else span(frame.f_code, frame.f_lasti)


def span(code: CodeType | None, lasti: int) -> SourceSpan | None:
    """The expression that instruction `lasti` of `code` belongs to, or None where nothing is known.

    A source file that is gone leaves the position without its text.
    """
    if code is None:
        return None
    line: int | None
    try:
        line, end_line, col, end_col = _position(code, lasti)
    except IndexError:
        return None
    if line is None:
        return None
    if end_line is None:
        end_line = line
    if col is None or end_col is None:
        text = line_text(code.co_filename, line)
        stripped = text.strip()
        col = len(text) - len(text.lstrip())
        return SourceSpan(code.co_filename, line, col, line, col + len(stripped), stripped)
    col = _characters(code.co_filename, line, col)
    end_col = _characters(code.co_filename, end_line, end_col)
    text = text_between(code.co_filename, line, col, end_line, end_col)
    return SourceSpan(code.co_filename, line, col, end_line, end_col, text)


_positions: dict[CodeType, list[tuple[int | None, int | None, int | None, int | None]]] = {}


def _position(code: CodeType, lasti: int) -> tuple[int | None, int | None, int | None, int | None]:
    table = _positions.get(code)
    if table is None:
        if len(_positions) > 512:
            _positions.clear()
        table = _positions[code] = list(code.co_positions())
    return table[lasti // 2]


def line_text(filename: str, line: int) -> str:
    """One line of a source file without its line end; empty where it can't be read."""
    return linecache.getline(filename, line).rstrip("\r\n")


def source_text(filename: str) -> str:
    """A whole source file as the interpreter last saw it; empty where it can't be read."""
    return "".join(linecache.getlines(filename))


def _characters(filename: str, line: int, byte_column: int) -> int:
    """Column in characters: the interpreter counts UTF-8 bytes."""
    text = line_text(filename, line)
    if text.isascii():
        return byte_column
    return len(text.encode("utf-8")[:byte_column].decode("utf-8", "ignore"))


def text_between(filename: str, line: int, col: int, end_line: int, end_col: int) -> str:
    """The text of a span."""
    if line == end_line:
        return line_text(filename, line)[col:end_col]
    lines = [line_text(filename, n) for n in range(line, end_line + 1)]
    return "\n".join([lines[0][col:], *lines[1:-1], lines[-1][:end_col]])
