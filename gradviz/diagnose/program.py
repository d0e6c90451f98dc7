"""The user's source as a syntax tree, and edits of it by exact spans."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

from gradviz.core.source import SourceSpan, source_text
from gradviz.errors.problem import SourceEdit

Space = Mapping[str, Any]
"""The variables of a program after its run."""

_CLOSING: Final = re.compile(r"(?:\s*\))*")


class Program:
    """One source file or notebook cell, parsed."""

    def __init__(self, filename: str, text: str) -> None:
        self.filename = filename
        self.text = text
        self.lines = text.split("\n")
        self.tree = ast.parse(text)
        self._parents: dict[ast.AST, ast.AST] = {}
        for node in ast.walk(self.tree):
            for child in ast.iter_child_nodes(node):
                self._parents[child] = node

    @classmethod
    def of(cls, filename: str) -> Program | None:
        """The program of a file as the interpreter last saw it; None where it can't be parsed."""
        text = source_text(filename)
        return _parsed(filename, text) if text else None

    # --- finding -------------------------------------------------------------------------------
    def position(self, node: Any) -> tuple[int, int, int, int]:
        """Line and column of a node's start and end, columns in characters."""
        return (
            node.lineno,
            self._column(node.lineno, node.col_offset),
            node.end_lineno,
            self._column(node.end_lineno, node.end_col_offset),
        )

    def _column(self, line: int, offset: int) -> int:
        text = self.lines[line - 1]
        return offset if text.isascii() else len(text.encode()[:offset].decode(errors="ignore"))

    def at(self, span: SourceSpan | None) -> Any:
        """The expression that a span covers exactly; otherwise the smallest one around it."""
        if span is None or span.filename != self.filename:
            return None
        best = None
        for node in ast.walk(self.tree):
            if not isinstance(node, ast.expr | ast.stmt):
                continue
            line, col, end_line, end_col = self.position(node)
            if (line, col) <= (span.line, span.col) and (end_line, end_col) >= (
                span.end_line,
                span.end_col,
            ):
                size = (end_line - line, len(self.source(node)))
                if best is None or size <= best[0]:
                    best = (size, node)
        return None if best is None else best[1]

    def parent(self, node: ast.AST) -> ast.AST | None:
        """The node around another one."""
        return self._parents.get(node)

    def ancestors(self, node: ast.AST) -> Iterator[ast.AST]:
        """The nodes around another one, innermost first."""
        current = self._parents.get(node)
        while current is not None:
            yield current
            current = self._parents.get(current)

    def statement(self, node: ast.AST) -> ast.stmt | None:
        """The innermost statement that holds a node."""
        if isinstance(node, ast.stmt):
            return node
        return next((item for item in self.ancestors(node) if isinstance(item, ast.stmt)), None)

    def within(self, node: ast.AST, kind: type[ast.AST]) -> Any:
        """The innermost node of a kind around another one, or None."""
        return next((item for item in self.ancestors(node) if isinstance(item, kind)), None)

    def method_calls(self, *names: str, inside: ast.AST | None = None) -> list[ast.Call]:
        """Calls such as `x.name(...)`, in source order."""
        found = [
            node
            for node in ast.walk(inside or self.tree)
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in names
        ]
        return sorted(found, key=lambda call: (call.lineno, call.col_offset))

    def assignments(self, name: str) -> list[ast.Assign]:
        """Statements that give a simple name a value, in source order."""
        found = [
            node
            for node in ast.walk(self.tree)
            if isinstance(node, ast.Assign)
            and any(isinstance(target, ast.Name) and target.id == name for target in node.targets)
        ]
        return sorted(found, key=lambda statement: statement.lineno)

    def source(self, node: Any) -> str:
        """The text of a node."""
        if getattr(node, "end_lineno", None) is None:
            return ""
        return self.between(*self.position(node))

    def span(self, node: Any) -> SourceSpan:
        """The span of a node."""
        line, col, end_line, end_col = self.position(node)
        return SourceSpan(self.filename, line, col, end_line, end_col, self.source(node))

    def calls(self, *names: str, inside: ast.AST | None = None) -> list[ast.Call]:
        """Calls of something whose last word is one of the names, in source order."""
        found = [
            node
            for node in ast.walk(inside or self.tree)
            if isinstance(node, ast.Call) and called_name(node) in names
        ]
        return sorted(found, key=lambda call: (call.lineno, call.col_offset))

    # --- editing -------------------------------------------------------------------------------
    def replace(self, node: Any, text: str) -> SourceEdit:
        """An edit that puts text in the place of a node."""
        line, col, end_line, end_col = self.position(node)
        return SourceEdit(self.filename, line, col, end_line, end_col, self.source(node), text)

    def append(self, node: ast.expr, text: str) -> SourceEdit:
        """An edit that puts `.method(...)` behind a value, in parentheses where it needs them."""
        value = self.source(node)
        atom = isinstance(node, ast.Call | ast.Name | ast.Attribute | ast.Subscript)
        return self.replace(node, (value if atom else f"({value})") + text)

    def insert_after(self, node: Any, text: str, *, inside: Any = None) -> SourceEdit:
        """An edit that puts text right after a node.

        Args:
            node: the node.
            text: what to insert.
            inside: the larger node, such as `node.something(...)`, where the parentheses that close
                between the two belong to `node`.
        """
        _, _, line, col = self.position(node)
        if inside is not None:
            line, col = self._past_parentheses(line, col, *self.position(inside)[2:])
        return SourceEdit(self.filename, line, col, line, col, "", text)

    def delete_between(self, keep: Any, whole: Any) -> SourceEdit:
        """An edit of `keep.something(...)` (= whole) that leaves `keep`."""
        _, _, line, col = self.position(keep)
        _, _, end_line, end_col = self.position(whole)
        line, col = self._past_parentheses(line, col, end_line, end_col)
        original = self.between(line, col, end_line, end_col)
        return SourceEdit(self.filename, line, col, end_line, end_col, original, "")

    def is_grouped(self, node: Any, whole: Any) -> bool:
        """Whether a node stands in parentheses in `node.something(...)` (= whole)."""
        _, _, line, col = self.position(node)
        return self._past_parentheses(line, col, *self.position(whole)[2:]) != (line, col)

    def _past_parentheses(
        self, line: int, col: int, end_line: int, end_col: int
    ) -> tuple[int, int]:
        """The place behind parentheses that close from a place on; the tree doesn't know them."""
        closing = _CLOSING.match(self.between(line, col, end_line, end_col))
        passed = closing.group() if closing is not None else ""
        if "\n" in passed:
            return line + passed.count("\n"), len(passed) - passed.rindex("\n") - 1
        return line, col + len(passed)

    def between(self, line: int, col: int, end_line: int, end_col: int) -> str:
        """The text of a stretch."""
        if line == end_line:
            return self.lines[line - 1][col:end_col]
        first, last = self.lines[line - 1][col:], self.lines[end_line - 1][:end_col]
        return "\n".join([first, *self.lines[line : end_line - 1], last])

    def keyword(self, call: ast.Call, name: str, value: str) -> SourceEdit:
        """An edit that gives a call a keyword argument, replacing one it has."""
        for item in call.keywords:
            if item.arg == name:
                return self.replace(item.value, value)
        given = [*call.args, *(item.value for item in call.keywords)]
        text = f"{name}={value}"
        _, _, line, col = self.position(call)
        if given:
            last = max(given, key=lambda n: (n.end_lineno or 0, n.end_col_offset or 0))
            _, _, at, after = self.position(last)
            at, after = self._past_parentheses(at, after, line, col - 1)
            return SourceEdit(self.filename, at, after, at, after, "", f", {text}")
        return SourceEdit(self.filename, line, col - 1, line, col - 1, "", text)

    def delete(self, statement: ast.stmt) -> SourceEdit:
        """An edit that takes a statement out, with its line where it stands alone."""
        line, col, end_line, _ = self.position(statement)
        end_col = len(self.lines[end_line - 1])
        block = self.parent(statement)
        alone = (
            block is not None
            and len(getattr(block, "body", [])) == 1
            and not isinstance(block, ast.Module)
        )
        if alone:
            return self.replace(statement, "pass")
        if end_line < len(self.lines):
            original = self.between(line, 0, end_line, end_col) + "\n"
            return SourceEdit(self.filename, line, 0, end_line + 1, 0, original, "")
        return SourceEdit(
            self.filename,
            line,
            col,
            end_line,
            end_col,
            self.between(line, col, end_line, end_col),
            "",
        )

    def delete_decorator(self, decorator: ast.expr) -> SourceEdit:
        """An edit that takes a decorator out, with its lines."""
        line, _, end_line, _ = self.position(decorator)
        original = self.between(line, 0, end_line, len(self.lines[end_line - 1])) + "\n"
        return SourceEdit(self.filename, line, 0, end_line + 1, 0, original, "")

    def dedented(self, block: ast.With) -> SourceEdit:
        """An edit that leaves a block's body and takes its header away."""
        first, last = block.body[0], block.body[-1]
        if first.lineno == block.lineno:
            line, col, _, _ = self.position(first)
            _, _, end_line, end_col = self.position(last)
            return self.replace(block, self.between(line, col, end_line, end_col))
        indent = self.position(block)[1]
        body_indent = self.position(first)[1]
        lines = self.lines[first.lineno - 1 : last.end_lineno]
        shifted = [
            line[body_indent - indent :] if line[: body_indent - indent].isspace() else line
            for line in lines
        ]
        end_line = last.end_lineno or last.lineno
        end_col = len(self.lines[end_line - 1])
        original = self.between(block.lineno, indent, end_line, end_col)
        return SourceEdit(
            self.filename,
            block.lineno,
            indent,
            end_line,
            end_col,
            original,
            "\n".join(shifted)[indent:],
        )


def given_names(tree: ast.AST) -> set[str]:
    """Names of variables, functions and classes that code gives values to, in any of its scopes."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
    return names


def sign_of(op: ast.operator) -> str:
    """How an operation is written: `*`."""
    return ast.unparse(ast.BinOp(ast.Name("a"), op, ast.Name("b")))[1:-1].strip()


def called_name(node: ast.AST) -> str:
    """The last word of what a call calls: `gv.tensor(...)` -> "tensor"."""
    if not isinstance(node, ast.Call):
        return ""
    if isinstance(node.func, ast.Attribute):
        return node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else ""


def own_name(space: Space) -> str:
    """What the program calls this package."""
    for name, value in space.items():
        if getattr(value, "__name__", None) == "gradviz" and not name.startswith("_"):
            return name
    return "gv"


@lru_cache(maxsize=8)
def _parsed(filename: str, text: str) -> Program | None:
    """A parsed text; rules and rewrites ask for the same one again and again."""
    try:
        return Program(filename, text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
