"""Rewrites for graphs that a backward pass has used up."""

from __future__ import annotations

import ast

from gradviz.diagnose.program import Program
from gradviz.errors.problem import Fix, Problem


def cut_reuse(problem: Problem, program: Program) -> list[Fix]:
    """Cuts what is carried from one graph into the next."""
    found: list[Fix] = []
    for call in program.method_calls("detach"):
        statement = program.statement(call)
        if (
            isinstance(statement, ast.Expr)
            and statement.value is call
            and isinstance(call.func, ast.Attribute)
            and isinstance(call.func.value, ast.Name)
        ):
            name = call.func.value.id
            found.append(
                Fix(
                    f"Keep the result of `{name}.detach()`",
                    "`detach` returns a new tensor and leaves the old one as it is.",
                    (program.replace(call, f"{name} = {program.source(call)}"),),
                )
            )
    joined = program.at(problem.cause)
    loop = program.within(joined, ast.For) or program.within(joined, ast.While) if joined is not None else None
    if joined is not None and loop is not None:
        carried = _carried(program, loop)
        for node in ast.walk(joined):
            if isinstance(node, ast.Name) and node.id in carried and isinstance(node.ctx, ast.Load):
                found.append(
                    Fix(
                        f"Cut the graph of the previous round: `{node.id}.detach()`",
                        f"`{node.id}` carries the graph that the previous round's backward used up.",
                        (program.insert_after(node, ".detach()"),),
                    )
                )
    return found


def _carried(program: Program, loop: ast.For | ast.While) -> set[str]:
    """Names that a loop's body reads and writes: their values pass from round to round."""
    read = {n.id for n in ast.walk(loop) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    written = {n.id for n in ast.walk(loop) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return read & written
