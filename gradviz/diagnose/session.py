"""The notebook session, where there is one: which files are cells, and the namespace they share."""

from __future__ import annotations

import ast
import builtins
import linecache
import sys
from collections.abc import Mapping, Sequence
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


def cells_between(first: str | None, last: str) -> list[tuple[str, str]]:
    """File names and sources of the cells that lead from one to a later one, in the order they ran.

    Between the two stand those that give a value to what a later one of them uses, or change it.
    Nothing is found where the cells aren't known or didn't run in that order. Where the first is
    left out, it is any that the last one needs.
    """
    begin = "0" if first is None else cell_number(first)
    end = cell_number(last)
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


def replaces_its_inputs(filename: str) -> bool:
    """Whether a cell gives new values to names whose values it takes from other cells."""
    tree = ast.parse(source_text(filename))
    return bool(_used(tree) & _given(tree))


def _given(tree: ast.AST) -> set[str]:
    """Names that a cell gives values to or imports."""
    names = given_names(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names |= {item.asname or item.name.partition(".")[0] for item in node.names}
    return names


def _used(tree: ast.Module) -> set[str]:
    """Names whose values a cell takes from others: read before a statement of its own gave one."""
    return _read(tree.body, set(vars(builtins)))


def _read(statements: list[ast.stmt], given: set[str]) -> set[str]:
    """Names that statements read and that neither they gave a value before, nor are `given`."""
    given = set(given)
    names: set[str] = set()
    for statement in statements:
        if isinstance(statement, ast.For | ast.While | ast.If | ast.With):
            head = [
                child
                for child in ast.iter_child_nodes(statement)
                if isinstance(child, ast.expr | ast.withitem)
            ]
            names |= _loaded(head) - given
            inside = given.union(*map(given_names, head))
            for body in (statement.body, getattr(statement, "orelse", [])):
                names |= _read(body, inside)
        else:
            names |= _loaded([statement]) - given
        given |= _given(statement)
    return names


def _loaded(nodes: Sequence[ast.AST]) -> set[str]:
    """Names that are read somewhere in some code; an augmented assignment reads its target."""
    return {
        node.id
        for top in nodes
        for node in ast.walk(top)
        if isinstance(node, ast.Name)
        and (isinstance(node.ctx, ast.Load) or isinstance(top, ast.AugAssign))
    }


def _changed(tree: ast.AST) -> set[str]:
    """Names whose objects may be changed: by a call for its own sake, or by setting a part."""
    names: set[str | None] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            names.add(root_of(node.value))
        elif isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store):
            names.add(root_of(node))
    return {name for name in names if name is not None}
