"""A row's formulas as they are written: their source text and syntax tree."""

from __future__ import annotations

import ast
import functools
import inspect
import linecache
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from types import CodeType
from typing import Any


@dataclass(frozen=True, slots=True)
class Written:
    """A formula as its author wrote it.

    Attributes:
        text: its source; of a lambda, what stands behind the colon.
        tree: the expression, or the function.
    """

    text: str
    tree: ast.expr | ast.FunctionDef


def written(formula: Callable[..., Any]) -> Written | None:
    """How a formula is written; None where its source is not at hand."""
    code = getattr(formula, "__code__", None)
    return _written(code) if isinstance(code, CodeType) else None


@functools.lru_cache(maxsize=1024)
def _written(code: CodeType) -> Written | None:
    source = _source(code.co_filename)
    if source is None:
        return None
    tree, text = source
    for node in tree.get((code.co_firstlineno, code.co_name), ()):
        if isinstance(node, ast.FunctionDef):
            found = ast.get_source_segment(text, node) or ""
            return Written(textwrap.dedent(" " * node.col_offset + found), node)
        if _names(node) == code.co_varnames[: code.co_argcount] and _stands_at(node, code):
            body = ast.get_source_segment(text, node.body) or ""
            return Written(inspect.cleandoc(body), node.body)
    return None


def _names(node: ast.Lambda) -> tuple[str, ...]:
    return tuple(argument.arg for argument in node.args.args)


def _stands_at(node: ast.Lambda, code: CodeType) -> bool:
    """Whether a lambda is the one that was compiled to this code: several may share a line."""
    body = node.body
    start, end = (body.lineno, body.col_offset), (body.end_lineno, body.end_col_offset)
    return any(
        (line, column) == start or (end_line, end_column) == end
        for line, end_line, column, end_column in code.co_positions()
        if line is not None
    )


Functions = dict[tuple[int, str], list[ast.FunctionDef | ast.Lambda]]


@functools.lru_cache(maxsize=64)
def _source(filename: str) -> tuple[Functions, str] | None:
    """Every function of a file by its first line and name."""
    text = "".join(linecache.getlines(filename))
    if not text:
        return None
    found: Functions = {}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            found.setdefault((node.lineno, node.name), []).append(node)
        elif isinstance(node, ast.Lambda):
            found.setdefault((node.lineno, "<lambda>"), []).append(node)
    return found, text
