"""Rewrites for writes into tensors."""

from __future__ import annotations

import ast

from gradviz.diagnose.program import Program, Space
from gradviz.errors.problem import Fix, Problem


def assign_new(problem: Problem, program: Program, space: Space) -> list[Fix]:
    """Makes a new tensor with the values in place: `slice_assign`, or `where` for a mask."""
    node = program.at(problem.where)
    statement = program.statement(node) if node is not None else None
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return []
    target = statement.targets[0]
    if not isinstance(target, ast.Subscript) or not isinstance(target.value, ast.Name):
        return []
    name, value = target.value.id, program.source(statement.value)
    index = target.slice
    if isinstance(index, ast.Slice) and index.lower is index.upper is index.step is None:
        return [
            Fix(
                "Give the name the new tensor",
                "Tensors never change; a name can stand for another one.",
                (program.replace(statement, f"{name} = {value}"),),
            )
        ]
    if isinstance(index, ast.Compare):
        return [
            Fix(
                "Choose with `where` instead of writing into the tensor",
                "Tensors never change; `where` makes a new one and lets gradients through.",
                (
                    program.replace(
                        statement, f"{name} = gv.where({program.source(index)}, {value}, {name})"
                    ),
                ),
            )
        ]
    text = _index_text(program, index)
    return [
        Fix(
            "Make a new tensor with `slice_assign`",
            "Tensors never change; `slice_assign` makes a new one and lets gradients through.",
            (program.replace(statement, f"{name} = {name}.slice_assign({text}, {value})"),),
        )
    ]


def _index_text(program: Program, index: ast.expr) -> str:
    """An index as an expression: slices become `slice(...)`."""
    if isinstance(index, ast.Tuple):
        return f"({', '.join(_index_text(program, item) for item in index.elts)})"
    if isinstance(index, ast.Slice):
        parts = [
            program.source(part) if part is not None else "None"
            for part in (index.lower, index.upper)
        ]
        if index.step is not None:
            parts.append(program.source(index.step))
        return f"slice({', '.join(parts)})"
    return program.source(index)
