"""The notebook session, where there is one: which files are cells, and the namespace they share."""

from __future__ import annotations

import ast
import builtins
import linecache
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gradviz.core.source import cell_number, source_text
from gradviz.diagnose.bystanders import root_of
from gradviz.diagnose.program import given_names


def cell_namespace(filename: str) -> Mapping[str, Any] | None:
    """The namespace a notebook cell runs in; None for a file that is no cell of a session."""
    # Looked up, never imported: without a session there is nothing to ask.
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else getattr(ipython, "get_ipython", lambda: None)()
    if shell is None:
        return None
    if Path(filename).exists() and not filename.startswith("<"):
        return None
    space: Mapping[str, Any] = shell.user_ns
    return space


def cells_between(first: str, last: str) -> list[tuple[str, str]]:
    """File names and sources of the cells that lead from one to a later one, in the order they ran.

    Between the two stand those that give a value to what a later one of them uses, or change it.
    Nothing is found where the cells aren't known or didn't run in that order.
    """
    begin, end = cell_number(first), cell_number(last)
    if begin is None or end is None or int(begin) >= int(end):
        return []
    known = {name: cell_number(name) for name in list(linecache.cache)}
    ran = sorted(
        (int(number), name)
        for name, number in known.items()
        if number is not None and int(begin) <= int(number) < int(end)
    )
    found: list[tuple[str, str]] = []
    needed: set[str] = set()
    for name in (last, *(name for _, name in reversed(ran))):
        source = source_text(name).rstrip("\n")
        try:
            tree = ast.parse(source)
        except SyntaxError:
            continue
        given = _given(tree)
        if name in (first, last) or given & needed or _changed(tree) & needed:
            found.insert(0, (name, source))
            needed = (needed - given) | _used(tree)
    return found


def _given(tree: ast.AST) -> set[str]:
    """Names that a cell gives values to or imports."""
    names = given_names(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names |= {item.asname or item.name.partition(".")[0] for item in node.names}
    return names


def _used(tree: ast.Module) -> set[str]:
    """Names whose values a cell takes from others: read before a statement of its own gave one."""
    names: set[str] = set()
    given: set[str] = set(vars(builtins))
    for statement in tree.body:
        read = {
            node.id
            for node in ast.walk(statement)
            if isinstance(node, ast.Name)
            and (isinstance(node.ctx, ast.Load) or isinstance(statement, ast.AugAssign))
        }
        names |= read - given
        given |= _given(statement)
    return names


def _changed(tree: ast.AST) -> set[str]:
    """Names whose objects may be changed: by a call for its own sake, or by setting a part."""
    names: set[str | None] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            names.add(root_of(node.value))
        elif isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store):
            names.add(root_of(node))
    return {name for name in names if name is not None}
