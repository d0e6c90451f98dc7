"""Rewrites for gradients that aren't finite: keep the input away from the singular point."""

from __future__ import annotations

import ast
from typing import Any

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
        "arccos",
        "arcsin",
        "atanh",
        "arctanh",
        "expm1",
        "exp2",
        "cosh",
        "sinh",
        "float_power",
        "logit",
        "vector_norm",
    }
)
_BOUNDED: dict[str, tuple[str | None, str]] = {
    "acos": ("-0.999999", "0.999999"),
    "asin": ("-0.999999", "0.999999"),
    "arccos": ("-0.999999", "0.999999"),
    "arcsin": ("-0.999999", "0.999999"),
    "atanh": ("-0.999999", "0.999999"),
    "arctanh": ("-0.999999", "0.999999"),
    "exp": (None, "30.0"),
    "expm1": (None, "30.0"),
    "exp2": (None, "40.0"),
    "cosh": ("-30.0", "30.0"),
    "sinh": ("-30.0", "30.0"),
}
"""Functions of a bounded domain, or such that overflow, and where their input is safe."""

_EPSILON = "1e-12"
_ROOTS = frozenset({"sqrt", "norm", "vector_norm"})
"""Where the slope at a small number is moderate; a logarithm's or reciprocal's is its inverse."""


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


def write_stably(problem: Problem, program: Program, space: Space) -> list[Fix]:
    """Puts the operation that computes the same without the overflow or underflow in its place."""
    found = []
    at = program.at(problem.cause)
    inner = program.statement(at) if at is not None else None
    for call in program.calls("log", inside=inner) if inner is not None else []:
        operand = _operand(call, space)
        stable = None if operand is None else _stable(program, operand, space)
        if stable is not None:
            found.append(
                Fix(
                    f"Compute it with `{stable.partition('(')[0].rpartition('.')[2]}`",
                    "The operation in one piece never leaves the range of the numbers on its way.",
                    (program.replace(call, stable),),
                )
            )
    return found


def _stable(program: Program, node: ast.expr, space: Space) -> str | None:
    """The logarithm of an expression, by the operation that computes it in one piece."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        one = [side for side in (node.left, node.right) if _is_one(side)]
        exp = [side for side in (node.left, node.right) if called_name(side) == "exp"]
        if one and exp and isinstance(exp[0], ast.Call):
            inner = _operand(exp[0], space)
            return None if inner is None else f"gv.softplus({program.source(inner)})"
    if not isinstance(node, ast.Call):
        return None
    name, inner = called_name(node), _operand(node, space)
    if inner is None or name not in ("softmax", "sigmoid", "exp"):
        return None
    if name == "exp":
        return program.source(inner)
    rest = [program.source(item) for item in node.args if item is not inner]
    rest += [f"{item.arg}={program.source(item.value)}" for item in node.keywords]
    whole = {"softmax": "log_softmax", "sigmoid": "logsigmoid"}[name]
    return f"gv.{whole}({', '.join([program.source(inner), *rest])})"


def _is_one(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == 1


def keep_away(problem: Problem, program: Program, space: Space) -> list[Fix]:
    """Adds a small number under the root, logarithm or denominator; bounds what has two ends."""
    found = []
    at = program.at(problem.cause)
    for culprit in _singular_calls(program, at):
        operand = _operand(culprit, space)
        if operand is None:
            continue
        text, name = program.source(operand), called_name(culprit)
        if name in _BOUNDED:
            lowest, highest = _BOUNDED[name]
            ends = ", ".join(f"{end}={limit}" for end, limit in (("min", lowest), ("max", highest)))
            found.append(_clamped(program, operand, ends.replace("min=None, ", ""), name))
            continue
        for epsilon in (_EPSILON, "1e-6") if name in _ROOTS else ("1e-6", _EPSILON):
            found.append(
                Fix(
                    f"Add {epsilon} before `{name}`",
                    "A small number inside keeps the slope finite; added afterwards it would not.",
                    (program.replace(operand, _sum(program, culprit, operand, epsilon)),),
                )
            )
        found.append(_clamped(program, operand, "min=1e-6", name))
    for power in _powers(program, at):
        base = program.source(power.left)
        for epsilon in (_EPSILON, "1e-6"):
            found.append(
                Fix(
                    f"Add {epsilon} before the power",
                    "A small number inside keeps the slope finite; added afterwards it would not.",
                    (program.replace(power.left, f"({base} + {epsilon})"),),
                )
            )
    below = _denominator(at)
    if below is not None:
        text = program.source(below)
        for epsilon in ("1e-6", _EPSILON):
            found.append(
                Fix(
                    f"Keep the denominator away from 0: add {epsilon}",
                    "A quotient's slope grows without bound as its denominator approaches 0.",
                    (program.replace(below, f"({text} + {epsilon})"),),
                )
            )
    return found


def _denominator(at: Any) -> ast.expr | None:
    """What a quotient divides by: `a / b`, `a.div(b)`, `gv.div(a, b)`."""
    if isinstance(at, ast.BinOp) and isinstance(at.op, ast.Div):
        return at.right
    if called_name(at) in ("div", "divide", "true_divide") and at.args:
        last: ast.expr = at.args[-1]
        return last
    return None


def _clamped(program: Program, operand: ast.expr, ends: str, name: str) -> Fix:
    return Fix(
        f"Keep the input of `{name}` inside its safe range",
        "The slope is infinite, or the value overflows, at the limit of the domain.",
        (program.replace(operand, f"gv.clamp({program.source(operand)}, {ends})"),),
    )


def _powers(program: Program, at: Any) -> list[ast.BinOp]:
    """Powers by an exponent that isn't a whole number, at the cause."""
    return [
        node
        for node in (ast.walk(at) if at is not None else ())
        if isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Pow)
        and not (isinstance(node.right, ast.Constant) and isinstance(node.right.value, int))
    ]


def mask_finitely(problem: Problem, program: Program, space: Space) -> list[Fix]:
    """Masks with a large negative number where a row may be masked altogether."""
    found = []
    for node in ast.walk(program.tree):
        if not isinstance(node, ast.expr):
            continue
        value = _negative_infinity(node)
        if value:
            found.append(
                Fix(
                    "Mask with a large negative number",
                    "A row of -inf only has no softmax: its exponentials add up to 0, and 0 / 0 "
                    "is nan.",
                    (program.replace(node, "-1e9"),),
                )
            )
    return found


def _negative_infinity(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = node.operand
        if isinstance(inner, ast.Attribute):
            return inner.attr == "inf"
        return _is_float_of(inner, ("inf", "infinity"))
    return _is_float_of(node, ("-inf", "-infinity"))


def _is_float_of(node: ast.expr, words: tuple[str, ...]) -> bool:
    return (
        isinstance(node, ast.Call)
        and called_name(node) == "float"
        and len(node.args) == 1
        and isinstance(node.args[0], ast.Constant)
        and str(node.args[0].value).lower() in words
    )


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
