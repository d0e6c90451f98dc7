"""No text is lost: a string that stands alone in a function documents something."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted(
    path
    for folder in ("gradviz", "tests")
    for path in (ROOT / folder).rglob("*.py")
    if "labextension" not in path.parts
)


def lost(tree: ast.AST) -> set[int]:
    """Lines of strings that stand alone in a function, after anything but `self.name = ...`.

    They are the second half of a text whose brackets were forgotten.
    """
    return {
        statement.lineno
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for block in blocks(function)
        for before, statement in pairwise(block)
        if _is_text(statement) and not _sets_an_attribute(before)
    }


def blocks(function: ast.AST) -> Iterator[list[ast.stmt]]:
    """The function's statements and those of everything in it but classes."""
    for node in ast.walk(function):
        if not isinstance(node, ast.ClassDef):
            found = (getattr(node, name, None) for name in ("body", "orelse", "finalbody"))
            yield from (block for block in found if isinstance(block, list))


def _sets_an_attribute(statement: ast.stmt) -> bool:
    target = statement.targets[0] if isinstance(statement, ast.Assign) else None
    target = statement.target if isinstance(statement, ast.AnnAssign) else target
    return isinstance(target, ast.Attribute)


def _is_text(statement: ast.stmt) -> bool:
    if not isinstance(statement, ast.Expr):
        return False
    value = statement.value
    return isinstance(value, ast.JoinedStr) or (
        isinstance(value, ast.Constant) and isinstance(value.value, str)
    )


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_string_stands_alone(path: Path) -> None:
    assert not lost(ast.parse(path.read_text(encoding="utf-8")))


def test_such_a_string_is_found() -> None:
    code = (
        "def f(self):\n    '''Doc.'''\n    self.a = 1\n    '''What a is.'''\n"
        "    if self:\n        text = 'one '\n        f'{self}'\n"
    )
    assert lost(ast.parse(code)) == {7}
