"""Rewrites of training loops that were written for a library that keeps gradients on tensors."""

from __future__ import annotations

import ast

from gradviz import optim
from gradviz.diagnose.program import Program, Space, called_name, given_names, sign_of
from gradviz.errors.problem import Fix, Problem, SourceEdit
from gradviz.optim.optimizer import Optimizer

_TITLE = "Take the gradients that `backward` returns"
_WHY = (
    "Gradients aren't kept on tensors, so there is nothing to zero: `backward` returns them, "
    "`grads[x]` is that of x, and `step` takes them."
)


def take_gradients(problem: Problem, program: Program, space: Space) -> list[Fix]:
    """Gives the gradients a name, and hands them to whatever looks for them on tensors."""
    at = program.at(problem.where)
    if at is None or not _is_such(problem, at):
        return []
    edits = handed_on(program)
    return [Fix(_TITLE, _WHY, tuple(edits))] if edits else []


def handed_on(program: Program) -> list[SourceEdit]:
    """The edits that hand the gradients of all passes on; none where nothing makes it right."""
    tree = program.tree
    passes = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and _method(node.value) == "backward"
    ]
    held = [
        node.targets[0].id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and _method(node.value) == "backward"
    ]
    if not passes and not held:
        return []
    name = "gradients" if "grads" in given_names(tree) else "grads"
    name = name if passes else held[0]
    edits: list[SourceEdit] = []
    edited: set[ast.AST] = set()
    for statement in passes:
        edits.append(program.replace(statement, f"{name} = {program.source(statement.value)}"))
        edited.update(ast.walk(statement))
    for node in ast.walk(tree):
        try:
            edit = None if node in edited else _edit(node, program, name)
        except _NoEdit:
            return []
        if edit is not None:
            edits.append(edit)
            edited.update(ast.walk(node))
    return edits


def _is_such(problem: Problem, at: ast.AST) -> bool:
    """Whether a failure is one of gradients that are looked for on tensors."""
    if problem.slug == "invalid-argument":
        return _method(at) == "step" and not _arguments(at)
    if problem.slug == "not-a-tensor":
        return any(map(_is_grad, ast.walk(at)))
    return dict(problem.facts).get("name") in ("zero_grad", "data")


class _NoEdit(Exception):  # noqa: N818 - a signal: no edit of this kind makes the code right
    """Code that is no step of a tensor under a name of its own."""


def _edit(node: ast.AST, program: Program, name: str) -> SourceEdit | None:
    """What becomes of one node; None where it stays.

    Raises:
        _NoEdit: where nothing makes it right.
    """
    if isinstance(node, ast.Expr):
        if _method(node.value) == "zero_grad" or _is_zeroing(node.value):
            return program.delete(node)
        call = node.value
        if isinstance(call, ast.Call) and _is_step(call, program):
            return program.replace(call, f"{program.source(call.func)}({name})")
    if isinstance(node, ast.Assign) and _is_grad(node.targets[0]):
        return program.delete(node)  # `w.grad = None`
    if isinstance(node, ast.Assign | ast.AugAssign) and any(map(_is_grad, ast.walk(node.value))):
        return _step_by_hand(node, program, name)
    if _is_grad(node) and not _is_called(node, program):
        assert isinstance(node, ast.Attribute)
        return program.replace(node, f"{name}[{program.source(node.value)}]")
    return None


def _is_step(call: ast.Call, program: Program) -> bool:
    """Whether a call is an optimizer's step without gradients; schedulers take none."""
    if _method(call) != "step" or _arguments(call):
        return False
    assert isinstance(call.func, ast.Attribute)
    holder = call.func.value
    made = program.assignments(holder.id) if isinstance(holder, ast.Name) else []
    kinds = [getattr(optim, called_name(statement.value), None) for statement in made]
    return not any(isinstance(kind, type) and not issubclass(kind, Optimizer) for kind in kinds)


def _step_by_hand(
    statement: ast.Assign | ast.AugAssign, program: Program, name: str
) -> SourceEdit | None:
    """`w -= rate * w.grad`: a new leaf under the old name."""
    target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
    if isinstance(target, ast.Attribute) and target.attr == "data":
        target = target.value
    value = ast.unparse(_Read(name).visit(ast.parse(ast.unparse(statement.value), mode="eval")))
    if isinstance(statement, ast.AugAssign):
        sign = sign_of(statement.op)
        atom = isinstance(statement.value, ast.BinOp) and not isinstance(
            statement.value.op, ast.Mult | ast.Div | ast.MatMult
        )
        value = f"{ast.unparse(target)} {sign} {f'({value})' if atom else value}"
    elif not any(ast.unparse(n) == ast.unparse(target) for n in ast.walk(statement.value)):
        return None  # a gradient under a name, not a step
    if not isinstance(target, ast.Name):
        raise _NoEdit
    if any(
        isinstance(loop, ast.For) and target.id in given_names(loop.target)
        for loop in program.ancestors(statement)
    ):
        raise _NoEdit  # what a loop's own name is given afterwards, no list gets
    return program.replace(statement, f"{target.id} = ({value}).detach().require_grad()")


class _Read(ast.NodeTransformer):
    """Reads gradients where `backward` left them, and tensors instead of their data."""

    def __init__(self, name: str) -> None:
        self._name = name

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        self.generic_visit(node)
        if node.attr == "grad":
            return ast.Subscript(ast.Name(self._name), node.value)
        return node.value if node.attr == "data" else node


def _method(value: ast.AST | None) -> str:
    """The method that an expression calls."""
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        return value.func.attr
    return ""


def _arguments(value: ast.AST) -> int:
    return len(value.args) + len(value.keywords) if isinstance(value, ast.Call) else 0


def _is_grad(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "grad"


def _is_zeroing(value: ast.AST) -> bool:
    """`w.grad.zero_()`, `w.grad.data.zero_()`."""
    return _method(value) == "zero_" and any(map(_is_grad, ast.walk(value)))


def _is_called(node: ast.AST, program: Program) -> bool:
    call = program.parent(node)
    return isinstance(call, ast.Call) and call.func is node
