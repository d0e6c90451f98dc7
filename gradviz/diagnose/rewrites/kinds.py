"""Rewrites for tensors of the wrong kind."""

from __future__ import annotations

import ast

from gradviz.diagnose.program import Program, Space, called_name
from gradviz.errors.problem import Fix, Problem
from gradviz.tensor.base import Tensor
from gradviz.tensor.refusal import unmarked_leaves

CREATION = frozenset(
    """
    tensor zeros ones full empty eye linspace rand randn uniform normal from_numpy arange
    zeros_like ones_like full_like rand_like randn_like empty_like
    """.split()
)


def track_root(problem: Problem, program: Program, space: Space) -> list[Fix]:
    """Ways to a tracked root: no inference copy, no `inner()`, `create_graph`, a marked leaf."""
    found: list[Fix] = []
    limit = _last_line(problem)
    for call in reversed(program.method_calls("valid")):
        if call.lineno <= limit:
            found.append(
                Fix(
                    "Use the model itself instead of its inference copy",
                    "`valid()` copies the model to the plain device, where nothing is tracked.",
                    (program.delete_between(_receiver(call), call),),
                )
            )
    for call in reversed(program.method_calls("inner")):
        if call.lineno <= limit:
            found.append(
                Fix(
                    "Stay on the autodiff tensor: leave `inner()` out",
                    "`inner()` gives the plain tensor under an autodiff one; its graph stays "
                    "behind.",
                    (program.delete_between(_receiver(call), call),),
                )
            )
    for call in reversed(program.method_calls("backward")):
        recorded = any(item.arg == "create_graph" for item in call.keywords)
        if call.lineno <= limit and not recorded and _is_gradient(problem):
            found.append(
                Fix(
                    "Make the gradient differentiable: `create_graph=True`",
                    "Gradients are plain tensors unless the backward pass is itself recorded.",
                    (program.keyword(call, "create_graph", "True"),),
                )
            )
    found += _marked_creations(program, problem)
    return found or _only_leaf(problem, program, space)


def _only_leaf(problem: Problem, program: Program, space: Space) -> list[Fix]:
    """Marks the one tensor of floating point numbers that the root was computed from.

    Where there are several, which of them is meant would be a guess.
    """
    call = program.at(problem.where)
    func = call.func if isinstance(call, ast.Call) else None
    owner = func.value if isinstance(func, ast.Attribute) else None
    root = space.get(owner.id) if isinstance(owner, ast.Name) else None
    if not isinstance(root, Tensor):
        return []
    made = set(unmarked_leaves(root.node))
    known = {
        value.node: name
        for name, value in space.items()
        if isinstance(value, Tensor) and value.node in made
    }
    if len(made) != 1 or len(known) != 1:
        return []
    for statement in program.assignments(*known.values()):
        if called_name(statement.value) in CREATION and isinstance(statement.value, ast.Call):
            return [marked(program, statement.value)]
    return []


def marked(program: Program, created: ast.Call) -> Fix:
    """The fix that marks a leaf where it is made."""
    return Fix(
        "Mark the leaf",
        "Gradients reach marked leaves and what is computed from them.",
        (program.keyword(created, "requires_grad", "True"),),
    )


def _is_gradient(problem: Problem) -> bool:
    """Whether the root is a gradient, or was computed from one."""
    return "gradients have the plain kind" in problem.reason


def _receiver(call: ast.Call) -> ast.expr:
    assert isinstance(call.func, ast.Attribute)
    return call.func.value


def _last_line(problem: Problem) -> int:
    known = [span.end_line for span in (problem.where, problem.cause) if span is not None]
    return max(known, default=0)


def _marked_creations(program: Program, problem: Problem) -> list[Fix]:
    """Marks the tensors whose gradients the program asks for."""
    wanted = {
        call.func.value.id
        for call in program.method_calls("grad", "require_grad")
        if isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name)
    }
    for node in ast.walk(program.tree):
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Name):
            wanted.add(node.slice.id)
    edits = []
    for name in sorted(wanted):
        for statement in program.assignments(name):
            if called_name(statement.value) in CREATION and isinstance(statement.value, ast.Call):
                edits.append(program.keyword(statement.value, "requires_grad", "True"))
    if not edits:
        return []
    return [
        Fix(
            "Mark the tensors whose gradients are asked for",
            "A tensor made with `requires_grad=True` is a tracked leaf, and so is what is "
            "computed from it.",
            tuple(edits),
        )
    ]


def unwrap_twice(problem: Problem, program: Program, space: Space) -> list[Fix]:
    """Leaves the second `.autodiff()` out."""
    node = program.at(problem.where)
    if isinstance(node, ast.Call) and called_name(node) == "autodiff":
        return [
            Fix(
                "Leave the second `autodiff()` out",
                "The tensor or device tracks gradients already.",
                (program.delete_between(_receiver(node), node),),
            )
        ]
    return []


def lift_first(problem: Problem, program: Program, space: Space) -> list[Fix]:
    """Creates the tensor tracked, or lifts it before it is marked."""
    node = program.at(problem.where)
    found: list[Fix] = []
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
        return found
    receiver = node.func.value
    created = program.at(problem.cause)
    if isinstance(created, ast.Call) and called_name(created) in CREATION:
        found.append(
            Fix(
                "Create the tensor as a tracked leaf",
                "`requires_grad=True` puts it on the autodiff device and marks it.",
                (program.keyword(created, "requires_grad", "True"),),
            )
        )
    name = program.source(receiver)
    statement = program.statement(node)
    if (
        isinstance(statement, ast.Expr)
        and statement.value is node
        and isinstance(receiver, ast.Name)
    ):
        found.append(
            Fix(
                "Lift the tensor, then mark it",
                "`autodiff()` gives a new tensor of the `Autodiff(...)` kind.",
                (program.replace(node, f"{name} = {name}.autodiff().require_grad()"),),
            )
        )
    else:
        found.append(
            Fix(
                "Lift the tensor, then mark it",
                "`autodiff()` gives a new tensor of the `Autodiff(...)` kind.",
                (program.insert_after(receiver, ".autodiff()", inside=node),),
            )
        )
    return found
