"""Rewrites of names that belong to another library: what stands for them here."""

from __future__ import annotations

import ast
from dataclasses import replace
from types import ModuleType
from typing import Final

from gradviz.diagnose.program import Program, Space, own_name
from gradviz.diagnose.rewrites import porting
from gradviz.errors.problem import Fix, Problem, SourceEdit
from gradviz.tensor.base import Tensor

_WHY: Final = (
    "Functions stand in the package itself, tensors never change, and nothing has to be moved: "
    "names take what operations give, and what nothing is needed for is left out."
)
_WHY_BOTH: Final = (
    f"{_WHY} Gradients aren't kept on tensors: `backward` returns them, and `step` takes them."
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
_METHODS: Final = {"moveaxis": "movedim"}
"""Methods of tensors by what they are called elsewhere."""
_LIKE: Final = {"zero_": "zeros_like", "fill_": "full_like"}
"""Methods that fill a tensor elsewhere, and the functions that make a filled one."""
_OF_GRAD: Final = {
    "grad_outputs": "gradient",
    "retain_graph": "retain_graph",
    "create_graph": "create_graph",
}
"""Arguments of `grad` behind the first two, in order, and those of `backward`."""
_NEEDLESS: Final = ("cuda", "pin_memory", "mps")
"""Methods that nothing is needed for."""
_FUNCTIONAL: Final = "gradviz.nn.functional"
_BETWEEN: Final = ("functional", "F", "autograd", "func")
"""Modules whose functions are found in the package itself."""


def write_as_here(problem: Problem, program: Program, space: Space) -> list[Fix]:
    """Writes names from elsewhere as they are called here or leaves them out: all, or one."""
    at = program.at(problem.where)
    name = dict(problem.facts).get("name")
    inside = set(ast.walk(at)) if at is not None else set()
    every: list[SourceEdit] = []
    here: list[SourceEdit] = []
    for node in ast.walk(program.tree):  # outer ones first
        if isinstance(node, ast.Import | ast.ImportFrom):
            edits = _imported(node, program)
            every += edits
            here = edits if node in inside else here
        if not isinstance(node, ast.Attribute) or _is_covered(node, every, program):
            continue
        edits = _package(node, program, space) or _method(node, program, space)
        every += edits
        if node in inside and node.attr == name:
            here = edits
    if not here:
        return []
    found = [Fix("Write the names as they are called here", _WHY, tuple(every))]
    handed = porting.handed_on(program)
    if handed:
        found.append(Fix("Write it as it is written here", _WHY_BOTH, (*every, *handed)))
    if every != here:
        found.append(Fix("Write it as it is called here", _WHY, tuple(here)))
    return found


def _imported(node: ast.Import | ast.ImportFrom, program: Program) -> list[SourceEdit]:
    """The edit of an import of functions from where there are none."""
    home = node.module if isinstance(node, ast.ImportFrom) else None
    if home == _FUNCTIONAL:
        names = program.source(node).partition(" import ")[2]
        return [program.replace(node, f"from gradviz import {names}")]
    if len(node.names) != 1:
        return []
    path = f"{home}.{node.names[0].name}" if home else node.names[0].name
    alias = node.names[0].asname
    if path != _FUNCTIONAL or (alias is None and home is None):
        return []
    return [program.replace(node, f"import gradviz as {alias or 'functional'}")]


def _is_covered(node: ast.AST, edits: list[SourceEdit], program: Program) -> bool:
    """Whether a node stands in the text that an edit replaces."""
    line, col, end_line, end_col = program.position(node)
    return any(
        (edit.line, edit.col) <= (line, col)
        and (end_line, end_col) <= (edit.end_line, edit.end_col)
        for edit in edits
    )


def _package(node: ast.Attribute, program: Program, space: Space) -> list[SourceEdit]:
    """The edits of a name that a package is asked for."""
    home = program.source(node.value)
    module = _module(node.value, space)
    outer = program.parent(node)
    if module == "gradviz.optim" and node.attr == "lr_scheduler":
        if isinstance(outer, ast.Attribute):
            return [program.replace(outer, f"{home}.{outer.attr}")]
        return []
    if module not in ("gradviz", "gradviz.nn"):
        return []
    asked = outer if node.attr == "autograd" else node
    if isinstance(asked, ast.Attribute) and asked.attr == "grad":
        return _gradient(program.parent(asked), program)
    if node.attr in _BETWEEN and isinstance(outer, ast.Attribute):
        own = home if module == "gradviz" else own_name(space)
        known = getattr(space.get(own), "__dict__", {})
        return [program.replace(outer, f"{own}.{outer.attr}")] if outer.attr in known else []
    if node.attr in _FUNCTIONS:
        return [_renamed(node, _FUNCTIONS[node.attr], program)]
    return []


def _module(node: ast.expr, space: Space) -> str:
    """The module that `gv`, `gv.nn` and their like stand for; empty for everything else."""
    if isinstance(node, ast.Attribute):
        outer = _module(node.value, space)
        return f"{outer}.{node.attr}" if outer and node.attr in ("nn", "optim") else ""
    value = space.get(node.id) if isinstance(node, ast.Name) else None
    name = getattr(value, "__name__", "") if isinstance(value, ModuleType) else ""
    return name if name in ("gradviz", "gradviz.nn", "gradviz.optim") else ""


def _gradient(call: ast.AST | None, program: Program) -> list[SourceEdit]:
    """The edit of `grad(result, input)[0]`; of several inputs at once there is none."""
    picked = program.parent(call) if isinstance(call, ast.Call) else None
    if (
        not isinstance(call, ast.Call)
        or len(call.args) < 2
        or not isinstance(picked, ast.Subscript)
    ):
        return []
    asked = call.args[1]
    if isinstance(asked, ast.List | ast.Tuple) and len(asked.elts) == 1:
        asked = asked.elts[0]
    first = isinstance(picked.slice, ast.Constant) and picked.slice.value == 0
    if not first or isinstance(asked, ast.List | ast.Tuple):
        return []
    named = list(zip(_OF_GRAD, call.args[2:], strict=False))
    named += [(item.arg, item.value) for item in call.keywords if item.arg in _OF_GRAD]
    given = ", ".join(f"{_OF_GRAD[name]}={program.source(value)}" for name, value in named)
    result = program.source(call.args[0])
    if not isinstance(call.args[0], ast.Name | ast.Call | ast.Attribute | ast.Subscript):
        result = f"({result})"
    return [program.replace(picked, f"{result}.backward({given})[{program.source(asked)}]")]


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
    if node.attr in _METHODS:
        return [_renamed(node, _METHODS[node.attr], program)]
    marks = node.attr == "requires_grad_"
    if marks and not alone:
        return _marked(node, call, program, space)
    # What a name is given inside of a function, its caller doesn't see.
    if not alone or not _is_own(node, program):
        return []
    if marks:
        return [_given(node, call, program), *_marked(node, call, program, space)]
    receiver = program.source(node.value)
    if node.attr in _LIKE:
        value = ", ".join(program.source(given) for given in [node.value, *call.args])
        return [
            program.replace(call, f"{receiver} = {own_name(space)}.{_LIKE[node.attr]}({value})")
        ]
    new = node.attr.removesuffix("_")
    if node.attr == new or not hasattr(Tensor, new) or hasattr(Tensor, node.attr):
        return []
    return [_given(node, call, program), _renamed(node, new, program)]


def _given(node: ast.Attribute, call: ast.Call, program: Program) -> SourceEdit:
    """The edit that gives a name what is computed from it: `x = ` before `x.add(y)`."""
    line, col, _, _ = program.position(call)
    return SourceEdit(
        program.filename, line, col, line, col, "", f"{program.source(node.value)} = "
    )


def _marked(
    node: ast.Attribute, call: ast.Call, program: Program, space: Space
) -> list[SourceEdit]:
    """The edit of `requires_grad_()`: a mark, of a tensor that can be tracked."""
    flag = call.args[0] if call.args else call.keywords[0].value if call.keywords else None
    if isinstance(flag, ast.Constant) and flag.value is False:
        mark = ".set_require_grad(False)"
    elif flag is None or (isinstance(flag, ast.Constant) and flag.value is True):
        value = space.get(node.value.id) if isinstance(node.value, ast.Name) else None
        known = isinstance(value, Tensor) and value.device.is_autodiff
        written = any(word in program.source(node.value) for word in ("autodiff", "requires_grad"))
        mark = ".require_grad()" if known or written else ".autodiff().require_grad()"
    else:
        return []
    edit = program.delete_between(node.value, call)
    return [replace(edit, replacement=mark)]


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
