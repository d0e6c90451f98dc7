"""Rewrites for paths that end: leave the cut out, record again, leave a flat step out."""

from __future__ import annotations

import ast

from gradviz.diagnose.program import Program, Space, called_name
from gradviz.errors.problem import Fix, Problem

_CUTS = ("detach", "inner", "set_require_grad")
_FLAT = ("floor", "round", "ceil", "trunc", "sign")


def leave_cut_out(problem: Problem, program: Program, space: Space) -> list[Fix]:
    """Takes `.detach()`, `.inner()` or `.set_require_grad(False)` away, first at the cause."""
    found = []
    at = program.at(problem.cause)
    here = [at] if isinstance(at, ast.Call) else []
    near = program.method_calls(*_CUTS, inside=program.statement(at)) if at is not None else []
    for call in [*here, *near, *program.method_calls(*_CUTS)]:
        if isinstance(call.func, ast.Attribute) and call.func.attr in _CUTS:
            name = call.func.attr
            found.append(
                Fix(
                    f"Leave `{name}` out",
                    f"`{name}` gives an untracked tensor; without it gradients flow on to what it "
                    "was computed from.",
                    (program.delete_between(call.func.value, call),),
                )
            )
    return found


def record_again(problem: Problem, program: Program, space: Space) -> list[Fix]:
    """Takes `no_grad` away: the block around the cause, other blocks, decorators, entered modes."""
    found = []
    at = program.at(problem.cause)
    around = program.within(at, ast.With) if at is not None else None
    blocks = [node for node in ast.walk(program.tree) if isinstance(node, ast.With)]
    for block in ([around] if around is not None else []) + blocks:
        if all(called_name(item.context_expr) == "no_grad" for item in block.items):
            found.append(
                Fix(
                    "Record the computation: leave `no_grad` out",
                    "Inside `no_grad` nothing is recorded, so no gradient can come back through "
                    "it.",
                    (program.dedented(block),),
                )
            )
    for function in ast.walk(program.tree):
        for decorator in getattr(function, "decorator_list", ()):
            if called_name(decorator) == "no_grad":
                found.append(
                    Fix(
                        "Record the function: leave the `no_grad` decorator out",
                        "Inside `no_grad` nothing is recorded, so no gradient comes back "
                        "through it.",
                        (program.delete_decorator(decorator),),
                    )
                )
    for call in program.calls("__enter__"):
        statement = program.statement(call)
        if isinstance(statement, ast.Expr):
            found.append(
                Fix(
                    "Don't enter the mode by hand",
                    "It is never left again, so nothing is recorded from then on.",
                    (program.delete(statement),),
                )
            )
    return found


def leave_step_out(problem: Problem, program: Program, space: Space) -> list[Fix]:
    """Leaves a rounding out: its gradient is zero everywhere."""
    at = program.at(problem.cause)
    if at is None:
        return []
    found = []
    inner = [node for node in ast.walk(at) if isinstance(node, ast.Call)]
    for call in inner:
        name = called_name(call)
        if name not in _FLAT or not isinstance(call.func, ast.Attribute):
            continue
        function = (
            isinstance(call.func.value, ast.Name)
            and not _is_tensor(space.get(call.func.value.id))
            and call.args
        )
        kept = call.args[0] if function else call.func.value
        found.append(
            Fix(
                f"Train without `{name}`",
                f"`{name}` is flat almost everywhere; use it only where the result is read.",
                (program.replace(call, _grouped(program, kept, call)),),
            )
        )
    return found


def _is_tensor(value: object) -> bool:
    return hasattr(value, "requirement")


def _grouped(program: Program, kept: ast.expr, call: ast.Call) -> str:
    text = program.source(kept)
    parent = program.parent(call)
    loose = isinstance(kept, ast.BinOp | ast.UnaryOp | ast.Compare | ast.BoolOp | ast.IfExp)
    return (
        f"({text})"
        if loose and isinstance(parent, ast.BinOp | ast.UnaryOp | ast.Attribute)
        else text
    )
