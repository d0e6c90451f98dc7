"""Cells that are timed: `%%time` compiles what stands below it under a name all such cells share.

Nobody could tell then which cell an expression stands in, or read its text. While a shell is
tracked that code is compiled under the name of its cell, at the lines where it stands, so that
tracebacks, views and fixes find it like any other.
"""

from __future__ import annotations

import ast
import linecache
import sys
from types import FrameType
from typing import Any, Final

from gradviz.widgets import cells

_NAMES: Final = frozenset({"<timed exec>", "<timed eval>"})
"""What IPython calls timed code."""


def find(shell: Any) -> None:
    """Lets a shell compile timed cells under their own names; a second call changes nothing."""
    compiler = getattr(shell, "compile", None)
    if compiler is None or isinstance(compiler, _Finds):
        return
    known = type(compiler)
    compiler.__class__ = type(known.__name__, (_Finds, known), {"__module__": known.__module__})


def leave(shell: Any) -> None:
    """Ends what `find` began."""
    compiler = getattr(shell, "compile", None)
    if isinstance(compiler, _Finds):
        compiler.__class__ = type(compiler).__mro__[2]


class _Finds:
    """What a shell's compiler does before it compiles timed code."""

    def __call__(self, source: Any, filename: str, *rest: Any, **options: Any) -> Any:
        if filename in _NAMES and isinstance(source, ast.AST):
            filename = _placed(source, sys._getframe(1)) or filename
        return super().__call__(source, filename, *rest, **options)  # type: ignore[misc]


def _placed(tree: ast.AST, magic: FrameType) -> str | None:
    """Moves a timed cell's code to its lines; returns its name, None where it is no cell."""
    body, code = magic.f_locals.get("cell"), magic.f_locals.get("expr")
    if not isinstance(body, str) or not isinstance(code, str) or not body.strip():
        return None
    frame = magic.f_back
    while frame is not None:
        name = frame.f_code.co_filename
        typed = cells.source_of(name)
        if typed is not None:
            break
        frame = frame.f_back
    else:
        return None
    above = typed.rstrip().removesuffix(body.rstrip())
    if not above.endswith("\n"):
        return None
    # The magic itself becomes a comment: the lines below keep their numbers.
    text = "".join(f"# {line}\n" for line in above.splitlines()) + code
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    ast.increment_lineno(tree, above.count("\n"))
    return name
