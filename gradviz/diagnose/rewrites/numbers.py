"""Rewrites for gradients that aren't finite: keep the input away from the singular point."""

from __future__ import annotations

import ast

from gradviz.diagnose.program import Program, Space, called_name
from gradviz.errors.problem import Fix, Problem

_SINGULAR = frozenset(
    {
        "sqrt",
        "rsqrt",
        "log",
        "log2",
        "log10",
        "reciprocal",
        "norm",
        "acos",
        "asin",
        "pow",
        "exp",
        "log1p",
    }
)
_EPSILON = "1e-12"


def choose_before(problem: Problem, program: Program, space: Space) -> list[Fix]:
    """Chooses before the operation, not after, so that the other branch of `where` is harmless."""
    found = []
    at = program.at(problem.cause)
    for culprit in _singular_calls(program, at):
        where, branch = _where_around(program, culprit)
        operand = _operand(culprit, space)
        if operand is None:
            continue
        if where is not None:
            condition = program.source(where.args[0])
            for safe in ("1.0", "0.0"):
                text = program.source(operand)
                chosen = f"{text}, {safe}" if branch == 1 else f"{safe}, {text}"
                found.append(_choice(program, operand, f"gv.where({condition}, {chosen})"))
            continue
        for condition, index in _later_where(program, culprit):
            for safe in ("1.0", "0.0"):
                text = program.source(operand)
                chosen = f"{text}, {safe}" if index == 1 else f"{safe}, {text}"
                found.append(_choice(program, operand, f"gv.where({condition}, {chosen})"))
    return found


def _choice(program: Program, operand: ast.expr, text: str) -> Fix:
    return Fix(
        "Choose the input before the operation",
        "Both branches of `where` are computed; the one that isn't chosen still takes part in the "
        "gradient, as 0 times infinity.",
        (program.replace(operand, text),),
    )


def keep_away(problem: Problem, program: Program, space: Space) -> list[Fix]:
    """Adds a small number under the root, logarithm or denominator."""
    found = []
    at = program.at(problem.cause)
    for culprit in _singular_calls(program, at):
        operand = _operand(culprit, space)
        if operand is None:
            continue
        text = program.source(operand)
        for epsilon in (_EPSILON, "1e-6"):
            found.append(
                Fix(
                    f"Add {epsilon} before `{called_name(culprit)}`",
                    "A small number inside keeps the slope finite; added afterwards it would not.",
                    (program.replace(operand, _sum(program, culprit, operand, epsilon)),),
                )
            )
        found.append(
            Fix(
                f"Keep the input of `{called_name(culprit)}` above a small number",
                "The slope is infinite at the limit of the domain.",
                (program.replace(operand, f"gv.clamp({text}, min=1e-6)"),),
            )
        )
    if isinstance(at, ast.BinOp) and isinstance(at.op, ast.Div):
        text = program.source(at.right)
        found.append(
            Fix(
                "Keep the denominator away from 0",
                "A quotient's slope grows without bound as its denominator approaches 0.",
                (program.replace(at.right, f"({text} + {_EPSILON})"),),
            )
        )
    return found


def _sum(program: Program, culprit: ast.Call, operand: ast.expr, epsilon: str) -> str:
    total = f"{program.source(operand)} + {epsilon}"
    method = isinstance(culprit.func, ast.Attribute) and culprit.func.value is operand
    return f"({total})" if method and not program.is_grouped(operand, culprit) else total


def _singular_calls(program: Program, at: ast.AST | None) -> list[ast.Call]:
    if at is None:
        return []
    found = [
        node
        for node in ast.walk(at)
        if isinstance(node, ast.Call) and called_name(node) in _SINGULAR
    ]
    if found:
        return found
    statement = program.statement(at)
    return (
        []
        if statement is None
        else [
            node
            for node in ast.walk(statement)
            if isinstance(node, ast.Call) and called_name(node) in _SINGULAR
        ]
    )


def _operand(call: ast.Call, space: Space) -> ast.expr | None:
    """What the operation is applied to: `gv.sqrt(x)` or `x.sqrt()`."""
    if isinstance(call.func, ast.Attribute):
        owner = call.func.value
        is_module = (
            isinstance(owner, ast.Name)
            and getattr(space.get(owner.id), "__name__", None) == "gradviz"
        )
        if not is_module:
            return owner
    return call.args[0] if call.args else None


def _where_around(program: Program, node: ast.AST) -> tuple[ast.Call | None, int]:
    """The `where(condition, a, b)` that a node stands in, and in which branch."""
    child: ast.AST = node
    for parent in program.ancestors(node):
        if (
            isinstance(parent, ast.Call)
            and called_name(parent) == "where"
            and len(parent.args) == 3
        ):
            for index in (1, 2):
                if parent.args[index] is child:
                    return parent, index
        child = parent
    return None, 0


def _later_where(program: Program, culprit: ast.Call) -> list[tuple[str, int]]:
    """Conditions of `where` calls that choose the variable an operation was assigned to."""
    statement = program.statement(culprit)
    if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Name):
        return []
    name = statement.targets[0].id
    found = []
    for call in program.calls("where"):
        if len(call.args) == 3:
            for index in (1, 2):
                branch = call.args[index]
                if any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(branch)):
                    found.append((program.source(call.args[0]), index))
    return found
