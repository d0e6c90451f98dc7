"""Rewrites for graphs that a backward pass has used up."""

from __future__ import annotations

import ast

from gradviz.diagnose.program import Program, Space
from gradviz.errors.problem import Fix, Problem, SourceEdit


def cut_reuse(problem: Problem, program: Program, space: Space) -> list[Fix]:
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
    loop = (
        program.within(joined, ast.For) or program.within(joined, ast.While)
        if joined is not None
        else None
    )
    if joined is not None and loop is not None:
        carried = _carried(loop)
        for node in ast.walk(joined):
            if isinstance(node, ast.Name) and node.id in carried and isinstance(node.ctx, ast.Load):
                found.append(
                    Fix(
                        f"Cut the graph of the previous round: `{node.id}.detach()`",
                        f"`{node.id}` carries the graph that the previous round's backward used "
                        "up.",
                        (program.insert_after(node, ".detach()"),),
                    )
                )
    return found


def compute_again(problem: Problem, program: Program, space: Space) -> list[Fix]:
    """Computes a shared result in every round, or cuts it where it is used again."""
    found: list[Fix] = []
    joined = program.at(problem.cause)
    statement = program.statement(joined) if joined is not None else None
    if statement is None:
        return found
    loop = program.within(statement, ast.For) or program.within(statement, ast.While)
    names = [
        node
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    ]
    for name in dict.fromkeys(node.id for node in names):
        for assigned in program.assignments(name):
            if (
                loop is not None
                and program.parent(assigned) is program.parent(loop)
                and assigned.lineno < loop.lineno
            ):
                found.append(
                    Fix(
                        f"Compute `{name}` in every round",
                        "A graph is used up by its backward pass; what every round needs is "
                        "computed in every round.",
                        _moved_into(program, assigned, loop),
                    )
                )
    if loop is None:
        found += _cut_in(program, names, space)
    return found


def _cut_in(program: Program, names: list[ast.Name], space: Space) -> list[Fix]:
    """Cuts a result of the earlier graph wherever a statement uses it."""
    found = []
    for name in dict.fromkeys(node.id for node in names):
        if getattr(space.get(name), "requirement", "") != "grad_in_backward":
            continue
        uses = [node for node in names if node.id == name]
        found.append(
            Fix(
                f"Use the value of `{name}` only: `{name}.detach()`",
                f"`{name}` belongs to a graph whose backward has been run.",
                tuple(program.insert_after(node, ".detach()") for node in uses),
            )
        )
    return found


def _moved_into(
    program: Program, assigned: ast.stmt, loop: ast.For | ast.While
) -> tuple[SourceEdit, ...]:
    line, col, _, _ = program.position(loop.body[0])
    text = program.source(assigned)
    insert = SourceEdit(program.filename, line, col, line, col, "", f"{text}\n{' ' * col}")
    return (program.delete(assigned), insert)


def store_value(problem: Problem, program: Program, space: Space) -> list[Fix]:
    """Stores a number or a detached tensor instead of a tracked result."""
    at = program.at(problem.cause)
    stored: ast.expr | None = None
    if isinstance(at, ast.Call) and at.args:
        stored = at.args[-1]
    elif isinstance(at, ast.Assign):
        stored = at.value
    if stored is None:
        return []
    text = program.source(stored)
    atom = isinstance(stored, ast.Call | ast.Name | ast.Attribute | ast.Subscript)
    grouped = text if atom else f"({text})"
    return [
        Fix(
            f"Store `{how}` only",
            "A tracked result keeps the whole graph it was computed by.",
            (program.replace(stored, f"{grouped}{how}"),),
        )
        for how in (".item()", ".detach()")
    ]


def _carried(loop: ast.For | ast.While) -> set[str]:
    """Names that a loop's body reads and writes: their values pass from round to round."""
    read = {n.id for n in ast.walk(loop) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    written = {
        n.id for n in ast.walk(loop) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }
    return read & written
