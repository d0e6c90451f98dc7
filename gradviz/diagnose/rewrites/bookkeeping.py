"""Rewrites for modules and optimizers."""

from __future__ import annotations

import ast

from gradviz.diagnose.program import Program, Space
from gradviz.errors.problem import Fix, Problem, SourceEdit
from gradviz.nn.module import Module
from gradviz.optim.optimizer import Optimizer


def make_parameter(problem: Problem, program: Program, space: Space) -> list[Fix]:
    """Wraps a tensor assigned to `self` into a `Parameter`."""
    at = program.at(problem.cause)
    statement = program.statement(at) if at is not None else None
    if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Attribute):
        return []
    value = statement.value
    return [
        Fix(
            "Make it a parameter",
            "A module lists `Parameter` attributes; a plain tensor it only holds.",
            (program.replace(value, f"gv.nn.Parameter({_unmarked(program, value)})"),),
        )
    ]


def _unmarked(program: Program, value: ast.expr) -> str:
    """The text of a creation without `requires_grad=True`, which `Parameter` does."""
    text = program.source(value)
    if isinstance(value, ast.Call):
        for item in value.keywords:
            if item.arg == "requires_grad":
                return text.replace(f", requires_grad={program.source(item.value)}", "")
    return text


def thaw(problem: Problem, program: Program, space: Space) -> list[Fix]:
    """Leaves a `freeze()` out."""
    found = []
    for call in program.method_calls("freeze"):
        statement = program.statement(call)
        if isinstance(statement, ast.Expr):
            found.append(
                Fix(
                    "Don't freeze it",
                    "A frozen parameter gets no gradient.",
                    (program.delete(statement),),
                )
            )
    return found


def _optimizer_statements(program: Program, space: Space) -> list[ast.Assign]:
    """Assignments of the variables that hold optimizers."""
    names = [
        name
        for name, value in space.items()
        if isinstance(value, Optimizer) and not name.startswith("_")
    ]
    return [statement for name in names for statement in program.assignments(name)]


def right_parameters(problem: Problem, program: Program, space: Space) -> list[Fix]:
    """Gives the optimizer the parameters of the module that is trained."""
    wanted = [
        name.partition(".")[0].partition("[")[0]
        for name in dict(problem.facts).get("wanted", "").split(", ")
    ]
    modules = [
        name
        for name, value in space.items()
        if isinstance(value, Module) and not name.startswith("_")
    ]
    modules.sort(key=lambda name: name not in wanted)
    found = []
    for statement in _optimizer_statements(program, space):
        for call in program.method_calls("parameters", inside=statement):
            if not isinstance(call.func, ast.Attribute):
                continue
            receiver = call.func.value
            for name in modules:
                if name != program.source(receiver):
                    found.append(
                        Fix(
                            f"Give the optimizer the parameters of `{name}`",
                            "An optimizer updates the parameters it was built with, and no others.",
                            (program.replace(receiver, name),),
                        )
                    )
    return found


def build_later(problem: Problem, program: Program, space: Space) -> list[Fix]:
    """Moves the optimizer's construction behind what changes the module."""
    found = []
    for statement in _optimizer_statements(program, space):
        target = _before_root(problem, program, statement)
        if target is not None:
            found.append(
                Fix(
                    "Build the optimizer after the parameters are in place",
                    "An optimizer keeps the parameter objects it was given; replaced ones are no "
                    "longer the module's.",
                    _moved(program, statement, target),
                )
            )
    return found


def _before_root(problem: Problem, program: Program, statement: ast.Assign) -> ast.stmt | None:
    """The statement that computes the root, on the level of the optimizer's."""
    name = dict(problem.facts).get("name", "")
    block = program.parent(statement)
    body = getattr(block, "body", [])
    for candidate in program.assignments(name):
        if candidate in body and candidate.lineno > statement.lineno:
            return candidate
    return None


def _moved(program: Program, statement: ast.stmt, target: ast.stmt) -> tuple[SourceEdit, ...]:
    line, col, _, _ = program.position(target)
    text = program.source(statement)
    insert = SourceEdit(program.filename, line, col, line, col, "", f"{text}\n{' ' * col}")
    return (program.delete(statement), insert)
