"""Statements of notebook cells, each of which runs as a piece of code of its own.

IPython compiles a cell statement by statement. One that only calls functions makes no node itself,
so its code is never met where nodes are looked through: it is compiled again from the cell's text,
which the kernel keeps where tracebacks look for it.
"""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator
from types import CodeType
from typing import Final

LONGEST_CELL: Final = 100_000
"""Characters of a cell that is looked through."""

MOST_CELLS: Final = 2000

_NEW_NAMES: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


_parsed: dict[str, tuple[list[str], list[tuple[frozenset[str], ast.stmt]]]] = {}
_compiled: dict[int, CodeType] = {}


def statements_calling(name: str) -> list[CodeType]:
    """The statements of cells that call a function by its name, in the order of their cells.

    Args:
        name: the function's own name. Naming it without a call, as an argument, doesn't count.
    """
    found = []
    for filename, lines in _cells():
        if any(name in line for line in lines):
            for called, node in _statements(filename, lines):
                code = _code(filename, node) if name in called else None
                if code is not None:
                    found.append(code)
    return found


def _cells() -> Iterator[tuple[str, list[str]]]:
    """Names and lines of what was compiled from no file on disk."""
    entries = list(linecache.cache.items())[-MOST_CELLS:]
    for filename, entry in entries:
        if len(entry) == 4 and entry[1] is None and entry[0] <= LONGEST_CELL:
            yield filename, entry[2]


def _statements(filename: str, lines: list[str]) -> list[tuple[frozenset[str], ast.stmt]]:
    known = _parsed.get(filename)
    if known is not None and known[0] is lines:
        return known[1]
    try:
        nodes = ast.parse("".join(lines)).body
    except (SyntaxError, ValueError, RecursionError):
        nodes = []
    made = [(frozenset(_called(node)), node) for node in nodes]
    if len(_parsed) >= MOST_CELLS:
        _parsed.clear()
        _compiled.clear()
    _parsed[filename] = (lines, made)
    return made


def _called(node: ast.stmt) -> Iterator[str]:
    """Names of what a statement calls itself, outside of the functions and classes it defines."""
    waiting: list[ast.AST] = [node]
    while waiting:
        at = waiting.pop()
        if isinstance(at, _NEW_NAMES):
            continue
        if isinstance(at, ast.Call):
            if isinstance(at.func, ast.Name):
                yield at.func.id
            elif isinstance(at.func, ast.Attribute):
                yield at.func.attr
        waiting += ast.iter_child_nodes(at)


def _code(filename: str, node: ast.stmt) -> CodeType | None:
    known = _compiled.get(id(node))
    if known is None:
        try:
            known = compile(ast.Module([node], []), filename, "exec", dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError):
            return None
        _compiled[id(node)] = known
    return known
