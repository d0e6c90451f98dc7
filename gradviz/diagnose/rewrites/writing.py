"""Rewrites for writes into tensors."""

from __future__ import annotations

import ast

from gradviz.diagnose.program import Program, Space, own_name, sign_of
from gradviz.errors.problem import Fix, Problem


def assign_new(problem: Problem, program: Program, space: Space) -> list[Fix]:
    """Makes a new tensor with the values in place: `slice_assign`, or `where` for a mask."""
    node = program.at(problem.where)
    statement = program.statement(node) if node is not None else None
    target = _target(statement)
    if target is None or not isinstance(statement, ast.Assign | ast.AugAssign):
        return []
    name, value = program.source(target.value), program.source(statement.value)
    gv, index = own_name(space), target.slice
    if isinstance(statement, ast.AugAssign):
        sign = sign_of(statement.op)
        loose = not isinstance(
            statement.value, ast.Call | ast.Name | ast.Constant | ast.Attribute | ast.Subscript
        )
        value = f"{program.source(target)} {sign} {f'({value})' if loose else value}"
    if isinstance(index, ast.Slice) and index.lower is index.upper is index.step is None:
        if ".grad(" in value or "grads[" in value:
            # A step of training by hand: what comes out must be a leaf like what went in.
            value = value.replace(program.source(target), name)
            return [
                Fix(
                    "Make the updated tensor a leaf of its own",
                    "Tensors never change; the new one is cut from the old one and marked again.",
                    (program.replace(statement, f"{name} = ({value}).detach().require_grad()"),),
                )
            ]
        return [
            Fix(
                "Give the name the new tensor",
                "Tensors never change; a name can stand for another one.",
                (program.replace(statement, f"{name} = {value}"),),
            )
        ]
    chosen = Fix(
        "Choose with `where` instead of writing into the tensor",
        "Tensors never change; `where` makes a new one and lets gradients through.",
        (
            program.replace(
                statement, f"{name} = {gv}.where({program.source(index)}, {value}, {name})"
            ),
        ),
    )
    if isinstance(index, ast.Compare):
        return [chosen]
    text = _index_text(program, index)
    written = Fix(
        "Make a new tensor with `slice_assign`",
        "Tensors never change; `slice_assign` makes a new one and lets gradients through.",
        (program.replace(statement, f"{name} = {name}.slice_assign({text}, {value})"),),
    )
    # A name may stand for a mask, which has no place in `slice_assign`, as well as for numbers.
    masked = isinstance(index, ast.Name | ast.Attribute | ast.UnaryOp | ast.BinOp | ast.Call)
    return [written, chosen] if masked and isinstance(statement, ast.Assign) else [written]


def _target(statement: ast.stmt | None) -> ast.Subscript | None:
    """The element that a statement writes, where it writes one."""
    target = None
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target = statement.targets[0]
    elif isinstance(statement, ast.AugAssign):
        target = statement.target
    if isinstance(target, ast.Subscript) and isinstance(
        target.value, ast.Name | ast.Attribute | ast.Subscript
    ):
        return target
    return None


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
