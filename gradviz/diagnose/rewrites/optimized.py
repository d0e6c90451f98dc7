"""Rewrites for optimizers that are given what is no leaf."""

from __future__ import annotations

import ast

from gradviz.diagnose import trial
from gradviz.diagnose.program import Program, Space, called_name
from gradviz.diagnose.rewrites.kinds import CREATION, marked
from gradviz.errors.problem import Fix, Problem
from gradviz.nn.module import Module
from gradviz.optim.groups import NO_PARAMETER
from gradviz.tensor.base import Tensor


def optimize_leaves(problem: Problem, program: Program, space: Space) -> list[Fix]:
    """Gives the optimizer leaves instead of results and of what isn't tracked."""
    made = program.at(problem.cause)
    if NO_PARAMETER not in problem.message or not isinstance(made, ast.expr):
        return []
    if dict(problem.facts).get("requirement") == "grad_in_backward":
        return _instead_of_result(problem, made, program, space)
    if isinstance(made, ast.Call) and called_name(made) in CREATION:
        return [marked(program, made)]
    return [
        Fix(
            "Mark it as a leaf",
            "`autodiff()` makes a tensor that can be tracked; `require_grad()` marks it.",
            (program.append(made, ".autodiff().require_grad()"),),
        )
    ]


def _instead_of_result(
    problem: Problem, made: ast.expr, program: Program, space: Space
) -> list[Fix]:
    """What a result comes from in its place, or the result as a leaf of its own."""
    own = Fix(
        "Make it a leaf of its own",
        "`detach()` cuts it from what it was computed from, and `require_grad()` marks it.",
        (program.append(made, ".detach().require_grad()"),),
    )
    call = program.at(problem.where)
    given = call.args[0] if isinstance(call, ast.Call) and call.args else None
    elements = given.elts if isinstance(given, ast.List | ast.Tuple) else []
    held = [node for node in elements if _requirement(node, space) == "grad_in_backward"]
    if given is None or len(held) != 1:
        return [own]
    (result,) = held
    reached = trial.leaves_of(space[program.source(result)].node)
    modules = [
        name
        for name, value in space.items()
        if isinstance(value, Module)
        and not reached.isdisjoint(parameter.node.id for parameter in value.parameters())
    ]
    if len(modules) == 1 == len(elements):
        return [
            Fix(
                f"Optimize the parameters of `{modules[0]}`",
                "An optimizer moves parameters; what a module gives follows in the next pass.",
                (program.replace(given, f"{modules[0]}.parameters()"),),
            )
        ]
    names = {
        node.id
        for node in ast.walk(made)
        if isinstance(node, ast.Name) and _requirement(node, space) == "grad"
    }
    if len(names) != 1:
        return [own]
    (leaf,) = names
    return [
        Fix(
            f"Optimize `{leaf}`, which it comes from",
            "An optimizer moves leaves; what is computed from them follows in the next pass.",
            (program.replace(result, leaf),),
        ),
        own,
    ]


def _requirement(node: ast.AST, space: Space) -> str:
    """The requirement of the tensor that a name stands for; empty for everything else."""
    value = space.get(node.id) if isinstance(node, ast.Name) else None
    return value.requirement if isinstance(value, Tensor) else ""
