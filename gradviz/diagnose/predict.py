"""Calls that stand in the user's code and would fail on the tensors as they are now."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import replace

from gradviz.diagnose.program import Program
from gradviz.diagnose.verdict import Outcome, verdict_of_node
from gradviz.errors.problem import Problem
from gradviz.tensor.base import Tensor

_CALLS = ("backward", "require_grad")


def predicted_calls(program: Program, tensors: Mapping[str, Tensor], line: int) -> list[Problem]:
    """The calls of `backward` and `require_grad` on named tensors that would fail.

    Args:
        program: the code to look through.
        tensors: tensors by the name the code has for them.
        line: the line that is running: of the straight-line code only what comes after it counts.
    """
    found = []
    for call in program.method_calls(*_CALLS):
        if not isinstance(call.func, ast.Attribute):
            continue
        name = program.source(call.func.value)
        tensor = tensors.get(name)
        if tensor is None or not (call.lineno > line or _in_function(program, call)):
            continue
        outcome: Outcome = getattr(verdict_of_node(tensor.node), call.func.attr)
        if outcome.problem is not None:
            found.append(named(replace(outcome.problem, where=program.span(call)), name))
    return found


def named(problem: Problem, name: str | None) -> Problem:
    """A problem that knows the name of the tensor it is about."""
    if name is None:
        return problem
    return replace(problem, facts=(("name", name), *problem.facts))


def _in_function(program: Program, call: ast.Call) -> bool:
    return (
        program.within(call, ast.FunctionDef) is not None
        or program.within(call, ast.Lambda) is not None
    )
