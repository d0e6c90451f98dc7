"""Rewrites for shapes: reduce a root, give operands one shape."""

from __future__ import annotations

import ast

from gradviz.diagnose.program import Program, Space
from gradviz.errors.problem import Fix, Problem


def reduce_root(problem: Problem, program: Program, space: Space) -> list[Fix]:
    """Reduces the root where it is assigned."""
    name = dict(problem.facts).get("name", "")
    found = []
    for statement in reversed(program.assignments(name)):
        for how in ("mean", "sum"):
            found.append(
                Fix(
                    f"Reduce it with `.{how}()`",
                    "A loss is one number; `backward` from several adds their gradients up "
                    "silently.",
                    (program.append(statement.value, f".{how}()"),),
                )
            )
        break
    return found


def same_shape(problem: Problem, program: Program, space: Space) -> list[Fix]:
    """Takes a dimension of size 1 away from one operand, or puts one into the other."""
    at = program.at(problem.cause)
    if isinstance(at, ast.BinOp):
        operands = [at.left, at.right]
    elif isinstance(at, ast.Call) and len(at.args) >= 2:
        operands = list(at.args[:2])
    else:
        return []
    left, _, right = dict(problem.facts).get("shapes", "() and ()").partition(" and ")
    shapes = [ast.literal_eval(left), ast.literal_eval(right)]
    found = []
    for wide, narrow in ((0, 1), (1, 0)):
        # (n, 1) beside (n,): the usual prediction against the usual target.
        if shapes[wide] == (*shapes[narrow], 1):
            found.append(
                _changed(
                    program,
                    operands[wide],
                    ".squeeze(-1)",
                    "Take the last dimension, of size 1, away",
                )
            )
            found.append(
                _changed(
                    program, operands[narrow], ".unsqueeze(-1)", "Put a last dimension of size 1 in"
                )
            )
        if len(shapes[wide]) == 2 and shapes[wide] == shapes[narrow][::-1]:
            found.append(_changed(program, operands[narrow], ".t()", "Turn the row into a column"))
    return found


def _changed(program: Program, operand: ast.expr, call: str, what: str) -> Fix:
    return Fix(
        what,
        "Both operands must have one shape; otherwise every element meets every other.",
        (program.append(operand, call),),
    )
