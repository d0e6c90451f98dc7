"""Rewrites for paths that end: leave the cut out, record again, leave a flat step out."""

from __future__ import annotations

import ast

from gradviz.diagnose.program import Program, Space, called_name, own_name
from gradviz.errors.problem import Fix, Problem, SourceEdit

_CUTS = ("detach", "inner", "set_require_grad")
_FLAT = ("floor", "round", "ceil", "trunc", "sign")
_CASTS = ("int", "long", "bool", "short", "to", "type")


def leave_cut_out(problem: Problem, program: Program, space: Space) -> list[Fix]:
    """Takes `.detach()`, `.inner()` or `.set_require_grad(False)` away, first at the cause."""
    found = []
    at = program.at(problem.cause)
    here = [at] if isinstance(at, ast.Call) else []
    near = program.method_calls(*_CUTS, inside=program.statement(at)) if at is not None else []
    for call in [*here, *near, *program.method_calls(*_CUTS)]:
        if isinstance(call.func, ast.Attribute) and call.func.attr in _CUTS:
            cut = _what_is_cut(call, own_name(space))
            if cut is None or _is_straight_through(program, call, cut):
                continue
            name = call.func.attr
            found.append(
                Fix(
                    f"Leave `{name}` out",
                    f"`{name}` gives an untracked tensor; without it gradients flow on to what it "
                    "was computed from.",
                    (_uncut(program, call, cut),),
                )
            )
    return found


def _what_is_cut(call: ast.Call, package: str) -> ast.expr | None:
    """The expression that a cut is made of: `x.detach()` or `gv.detach(x)`."""
    owner = call.func.value if isinstance(call.func, ast.Attribute) else None
    if isinstance(owner, ast.Name) and owner.id == package:
        return call.args[0] if call.args else None
    return owner


def _uncut(program: Program, call: ast.Call, cut: ast.expr) -> SourceEdit:
    """What was cut in the place of the call that cuts it."""
    if isinstance(call.func, ast.Attribute) and call.func.value is cut:
        return program.delete_between(cut, call)
    return program.replace(call, _grouped(program, cut, call))


def _is_straight_through(program: Program, call: ast.Call, difference: ast.expr) -> bool:
    """Whether a cut is that of `x + (hard - x).detach()`, where it belongs."""
    around = program.parent(call)
    if not isinstance(around, ast.BinOp):
        return False
    other = around.left if around.right is call else around.right
    return (
        isinstance(around.op, ast.Add | ast.Sub)
        and isinstance(difference, ast.BinOp)
        and isinstance(difference.op, ast.Sub)
        and program.source(other)
        in (program.source(difference.right), program.source(difference.left))
    )


def record_again(problem: Problem, program: Program, space: Space) -> list[Fix]:
    """Takes `no_grad` away: the block around the cause, other blocks, decorators, entered modes."""
    found = []
    at = program.at(problem.cause)
    around = program.within(at, ast.With) if at is not None else None
    blocks = [node for node in ast.walk(program.tree) if isinstance(node, ast.With)]
    for block in ([around] if around is not None else []) + blocks:
        quiet = [item for item in block.items if _is_quiet(program, item.context_expr)]
        if quiet:
            others = [_item(program, item) for item in block.items]
            kept = [
                text for text, item in zip(others, block.items, strict=True) if item not in quiet
            ]
            edit = program.dedented(block) if not kept else _fewer(program, block, kept)
            found.append(
                Fix(
                    "Record the computation: leave `no_grad` out",
                    "Inside `no_grad` nothing is recorded, so no gradient can come back through "
                    "it.",
                    (edit,),
                )
            )
    for function in ast.walk(program.tree):
        for decorator in getattr(function, "decorator_list", ()):
            if called_name(decorator) == "no_grad":
                found.append(
                    Fix(
                        "Record the function: leave the `no_grad` decorator out",
                        "Inside `no_grad` nothing is recorded, so no gradient comes back "
                        "through it.",
                        (program.delete_decorator(decorator),),
                    )
                )
    for call in program.calls("__enter__", "enter_context"):
        if called_name(call) == "enter_context" and not any(
            _is_quiet(program, given) for given in call.args
        ):
            continue
        statement = program.statement(call)
        if isinstance(statement, ast.Expr):
            found.append(
                Fix(
                    "Don't enter the mode by hand",
                    "It is never left again, so nothing is recorded from then on.",
                    (program.delete(statement),),
                )
            )
    return found


def _is_quiet(program: Program, node: ast.expr) -> bool:
    """Whether an expression is a `no_grad` mode, made here or held by a name."""
    if called_name(node) == "no_grad":
        return True
    return isinstance(node, ast.Name) and any(
        called_name(assigned.value) == "no_grad" for assigned in program.assignments(node.id)
    )


def _item(program: Program, item: ast.withitem) -> str:
    text = program.source(item.context_expr)
    named = item.optional_vars
    return text if named is None else f"{text} as {program.source(named)}"


def _fewer(program: Program, block: ast.With, kept: list[str]) -> SourceEdit:
    """An edit of a `with` line that leaves only some of its modes."""
    first, last = block.items[0].context_expr, block.items[-1]
    line, col, _, _ = program.position(first)
    _, _, end_line, end_col = program.position(last.optional_vars or last.context_expr)
    original = program.between(line, col, end_line, end_col)
    return SourceEdit(program.filename, line, col, end_line, end_col, original, ", ".join(kept))


def leave_step_out(problem: Problem, program: Program, space: Space) -> list[Fix]:
    """Leaves a rounding or a cast to whole numbers out: what it gives has no slope."""
    at = program.at(problem.cause)
    if at is None:
        return []
    found = []
    inner = [node for node in ast.walk(at) if isinstance(node, ast.Call)]
    for call in inner:
        name = called_name(call)
        if not isinstance(call.func, ast.Attribute):
            continue
        cast = name in _CASTS and dict(problem.facts).get("operation", "").startswith("cast")
        if name not in _FLAT and not cast:
            continue
        function = (
            isinstance(call.func.value, ast.Name)
            and not _is_tensor(space.get(call.func.value.id))
            and call.args
            and not cast
        )
        kept = call.args[0] if function else call.func.value
        found.append(
            Fix(
                f"Train without `{name}`",
                "Whole numbers have no gradient; cast only where the result is read."
                if cast
                else f"`{name}` is flat almost everywhere; use it only where the result is read.",
                (program.replace(call, _grouped(program, kept, call)),),
            )
        )
        if not cast and isinstance(kept, ast.Name):
            whole = program.source(call)
            found.append(
                Fix(
                    f"Let the gradient pass straight through `{name}`",
                    "The value stays what it is, and its gradient is that of doing nothing: a "
                    "straight-through estimator.",
                    (program.replace(call, f"({kept.id} + ({whole} - {kept.id}).detach())"),),
                )
            )
    if isinstance(at, ast.BinOp) and isinstance(at.op, ast.FloorDiv):
        between = program.between(*program.position(at.left)[2:], *program.position(at.right)[:2])
        whole = f"{program.source(at.left)}{between.replace('//', '/')}{program.source(at.right)}"
        found.append(
            Fix(
                "Divide without rounding: `/`",
                "`//` rounds down, which is flat almost everywhere.",
                (program.replace(at, whole),),
            )
        )
    return found


def _is_tensor(value: object) -> bool:
    return hasattr(value, "requirement")


def _grouped(program: Program, kept: ast.expr, call: ast.Call) -> str:
    text = program.source(kept)
    parent = program.parent(call)
    loose = isinstance(kept, ast.BinOp | ast.UnaryOp | ast.Compare | ast.BoolOp | ast.IfExp)
    return (
        f"({text})"
        if loose and isinstance(parent, ast.BinOp | ast.UnaryOp | ast.Attribute)
        else text
    )
