"""Rewrites of names that belong to another library: what stands for them here."""

from __future__ import annotations

import ast
from typing import Final

from gradviz.diagnose.program import Program, Space, own_name
from gradviz.errors.problem import Fix, Problem, SourceEdit
from gradviz.tensor.base import Tensor

_WHY: Final = (
    "Functions stand in the package itself, tensors never change, and nothing has to be moved: "
    "names take what operations give, and what nothing is needed for is left out."
)
_FUNCTIONS: Final = {
    "as_tensor": "tensor",
    "asarray": "tensor",
    "array": "tensor",
    "FloatTensor": "tensor",
    "moveaxis": "movedim",
    "inference_mode": "no_grad",
    "jacrev": "jacobian",
    "jacfwd": "jacobian",
}
"""Functions of the package by what they are called elsewhere."""
_METHODS: Final = {"nelement": "numel", "moveaxis": "movedim", "requires_grad_": "require_grad"}
"""Methods of tensors by what they are called elsewhere."""
_LIKE: Final = {"zero_": "zeros_like", "fill_": "full_like"}
"""Methods that fill a tensor elsewhere, and the functions that make a filled one."""
_NEEDLESS: Final = ("cuda", "pin_memory", "mps")
"""Methods that nothing is needed for."""
_BETWEEN: Final = ("functional", "F", "autograd", "func")
"""Modules whose functions are found in the package itself."""


def write_as_here(problem: Problem, program: Program, space: Space) -> list[Fix]:
    """Writes names from elsewhere as they are called here or leaves them out: all, or one."""
    at = program.at(problem.where)
    name = dict(problem.facts).get("name")
    inside = set(ast.walk(at)) if at is not None else set()
    every: list[SourceEdit] = []
    here: list[SourceEdit] = []
    deleted: set[ast.AST] = set()
    for node in ast.walk(program.tree):
        if not isinstance(node, ast.Attribute) or node in deleted:
            continue
        edits = _package(node, program, space) or _method(node, program, space)
        statement = program.statement(node)
        if statement is not None and edits == [program.delete(statement)]:
            deleted.update(ast.walk(statement))
        every += edits
        if node in inside and node.attr == name:
            here = edits
    if not here:
        return []
    found = [Fix("Write the names as they are called here", _WHY, tuple(every))]
    if every != here:
        found.append(Fix("Write it as it is called here", _WHY, tuple(here)))
    return found


def _package(node: ast.Attribute, program: Program, space: Space) -> list[SourceEdit]:
    """The edits of a name that a package is asked for."""
    own = own_name(space)
    if program.source(node.value) not in (own, f"{own}.nn"):
        return []
    outer = program.parent(node)
    if node.attr in _BETWEEN and isinstance(outer, ast.Attribute):
        known = getattr(space.get(own), "__dict__", {})
        return [program.replace(outer, f"{own}.{outer.attr}")] if outer.attr in known else []
    if node.attr in _FUNCTIONS:
        return [_renamed(node, _FUNCTIONS[node.attr], program)]
    return []


def _method(node: ast.Attribute, program: Program, space: Space) -> list[SourceEdit]:
    """The edits of a method that a tensor or a module is asked for."""
    call = program.parent(node)
    if not isinstance(call, ast.Call) or call.func is not node:
        return []
    statement = program.parent(call)
    alone = isinstance(statement, ast.Expr)
    if node.attr in _NEEDLESS:
        if isinstance(statement, ast.Expr):
            return [program.delete(statement)]
        return [program.delete_between(node.value, call)]
    if node.attr in _METHODS and not (alone and node.attr == "requires_grad_"):
        return [_renamed(node, _METHODS[node.attr], program)]
    # What a name is given inside of a function, its caller doesn't see.
    if not alone or not _is_own(node, program):
        return []
    receiver = program.source(node.value)
    if node.attr in _LIKE:
        value = ", ".join(program.source(given) for given in [node.value, *call.args])
        return [
            program.replace(call, f"{receiver} = {own_name(space)}.{_LIKE[node.attr]}({value})")
        ]
    new = _METHODS.get(node.attr, node.attr.removesuffix("_"))
    if node.attr == new or not hasattr(Tensor, new) or hasattr(Tensor, node.attr):
        return []
    line, col, _, _ = program.position(call)
    assigned = SourceEdit(program.filename, line, col, line, col, "", f"{receiver} = ")
    return [assigned, _renamed(node, new, program)]


def _renamed(node: ast.Attribute, name: str, program: Program) -> SourceEdit:
    """The edit that changes an attribute's name and leaves what it is asked of."""
    _, _, line, col = program.position(node.value)
    _, _, end_line, end_col = program.position(node)
    old = program.between(line, col, end_line, end_col)
    new = old[: len(old) - len(node.attr)] + name
    return SourceEdit(program.filename, line, col, end_line, end_col, old, new)


def _is_own(node: ast.Attribute, program: Program) -> bool:
    """Whether a tensor has a name that is no parameter of the function around it."""
    if not isinstance(node.value, ast.Name):
        return False
    around = program.within(node, ast.FunctionDef)
    if around is None:
        return True
    arguments = around.args
    listed = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return node.value.id not in {argument.arg for argument in listed}
