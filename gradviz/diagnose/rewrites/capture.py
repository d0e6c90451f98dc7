"""Rewrites for recordings that were meant to be computed."""

from __future__ import annotations

import ast

from gradviz.diagnose.program import Program, Space, called_name
from gradviz.errors.problem import Fix, Problem, SourceEdit


def compute_instead(problem: Problem, program: Program, space: Space) -> list[Fix]:
    """Trains on the NdArray device instead of recording."""
    edits: list[SourceEdit] = []
    for node in ast.walk(program.tree):
        if isinstance(node, ast.Call) and called_name(node) == "device" and node.args:
            name = node.args[0]
            if isinstance(name, ast.Constant) and name.value == "capture":
                quote = program.source(name)[:1]
                edits.append(program.replace(name, f"{quote}ndarray{quote}"))
        if isinstance(node, ast.With):
            edits += _without_scope(program, node)
    if not edits:
        return []
    return [
        Fix(
            "Compute on NdArray instead of recording",
            "A recording has no values to differentiate; training needs a device that computes.",
            tuple(edits),
        )
    ]


def _without_scope(program: Program, block: ast.With) -> list[SourceEdit]:
    """Takes `capture_scope(...)` out of a `with` whose scope isn't used by name."""
    scopes = [item for item in block.items if called_name(item.context_expr) == "capture_scope"]
    if len(scopes) != 1:
        return []
    scope = scopes[0]
    if scope.optional_vars is not None:
        name = program.source(scope.optional_vars)
        used = [
            n
            for item in block.body
            for n in ast.walk(item)
            if isinstance(n, ast.Name) and n.id == name
        ]
        if used:
            return []
    if len(block.items) == 1:
        return [program.dedented(block)]
    at = block.items.index(scope)
    following = block.items[at + 1] if at + 1 < len(block.items) else None
    if following is not None:
        line, col, _, _ = program.position(scope.context_expr)
        end_line, end_col, _, _ = program.position(following.context_expr)
    else:
        before = block.items[at - 1]
        _, _, line, col = program.position(before.optional_vars or before.context_expr)
        _, _, end_line, end_col = program.position(scope.optional_vars or scope.context_expr)
    original = program.between(line, col, end_line, end_col)
    return [SourceEdit(program.filename, line, col, end_line, end_col, original, "")]


def stay(problem: Problem, program: Program, space: Space) -> list[Fix]:
    """Leaves the move off the capture device out."""
    call = program.at(problem.where)
    if (
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr == "to"
    ):
        return [
            Fix(
                "Leave the move out",
                "A recorded result has no value to move; the captured graph's `run` gives values.",
                (program.delete_between(call.func.value, call),),
            )
        ]
    return []


def keep_recorded(problem: Problem, program: Program, space: Space) -> list[Fix]:
    """Computes on with the recorded tensor instead of a number read out of it."""
    call = program.at(problem.where)
    if not isinstance(call, ast.Call):
        return []
    title, why = "Compute on with the tensor", "A recorded result has no value to read yet."
    if isinstance(call.func, ast.Attribute) and call.func.attr in ("item", "numpy"):
        return [Fix(title, why, (program.delete_between(call.func.value, call),))]
    if called_name(call) == "float" and len(call.args) == 1:
        return [Fix(title, why, (program.replace(call, program.source(call.args[0])),))]
    return []
