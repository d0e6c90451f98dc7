"""Rewrites for marks that are missing or in the wrong place."""

from __future__ import annotations

import ast

from gradviz.diagnose.program import Program, Space, called_name
from gradviz.diagnose.rewrites.kinds import CREATION, marked
from gradviz.errors.problem import Fix, Problem, SourceEdit
from gradviz.tensor.gradients import STEP_OF_TRAINING


def mark_wanted(problem: Problem, program: Program, space: Space) -> list[Fix]:
    """Marks the tensors whose gradients are asked for, where they are made."""
    edits: list[SourceEdit] = []
    for name in dict(problem.facts).get("wanted", "").split(", "):
        base = name.partition(".")[0].partition("[")[0]
        value = space.get(base)
        late = problem.slug == "marked-after-use"
        if getattr(value, "requirement", "none") != "none" and not late:
            continue
        for statement in program.assignments(base):
            if isinstance(statement.value, ast.Call) and called_name(statement.value) in CREATION:
                edits.append(program.keyword(statement.value, "requires_grad", "True"))
    if not edits:
        return []
    return [
        Fix(
            "Mark the leaf whose gradient is wanted",
            "Gradients reach marked leaves and what is computed from them.",
            tuple(edits),
        )
    ]


def mark_value(problem: Problem, program: Program, space: Space) -> list[Fix]:
    """Marks the tensors asked for where a variable is given them, by whatever expression."""
    edits: list[SourceEdit] = []
    for name in dict(problem.facts).get("wanted", "").split(", "):
        value = space.get(name)
        if getattr(value, "requirement", "") != "none":
            continue
        assigned = program.assignments(name)
        if len(assigned) != 1:
            return []
        made = assigned[0].value
        lifted = (
            "" if getattr(getattr(value, "device", None), "is_autodiff", False) else "autodiff()."
        )
        edits.append(program.append(made, f".{lifted}require_grad()"))
    if not edits:
        return []
    return [
        Fix(
            "Mark the leaf whose gradient is wanted",
            "Gradients reach marked leaves and what is computed from them.",
            tuple(edits),
        )
    ]


def mark_earlier(problem: Problem, program: Program, space: Space) -> list[Fix]:
    """Moves the statement that marks a leaf right behind the one that makes it."""
    mark = program.at(problem.cause)
    statement = program.statement(mark) if mark is not None else None
    if not (isinstance(mark, ast.Call) and isinstance(mark.func, ast.Attribute)):
        return []
    name: ast.expr = mark.func.value
    loop = program.parent(statement) if statement is not None else None
    if isinstance(loop, ast.For) and loop.body == [statement]:
        statement, name = loop, loop.iter  # all of them are marked, one by one
    if isinstance(name, ast.Call) and isinstance(name.func, ast.Attribute):
        name = name.func.value  # `for p in params.values()`, `for p in net.parameters()`
    if not isinstance(name, ast.Name) or statement is None:
        return []
    earlier = [
        made
        for made in program.assignments(name.id)
        if made is not statement
        and made.lineno < statement.lineno
        and program.parent(made) is program.parent(statement)
    ]
    if not earlier:
        return []
    indent = " " * program.position(earlier[-1])[1]
    moved = f"\n{indent}{program.source(statement)}"
    return [
        Fix(
            "Mark the leaf before it is used",
            "What is computed before the mark takes the leaf for a constant.",
            (program.insert_after(earlier[-1], moved), program.delete(statement)),
        )
    ]


def mark_leaf(problem: Problem, program: Program, space: Space) -> list[Fix]:
    """Marks the leaf at the cause."""
    found: list[Fix] = []
    created = program.at(problem.cause)
    if not isinstance(created, ast.Call):
        return found
    if called_name(created) == "autodiff":
        found.append(
            Fix(
                "Mark the lifted tensor",
                "`autodiff()` makes a tensor that can be tracked; `require_grad()` marks it.",
                (program.insert_after(created, ".require_grad()"),),
            )
        )
    if called_name(created) in CREATION:
        found.append(marked(program, created))
    return found


def move_mark(problem: Problem, program: Program, space: Space) -> list[Fix]:
    """Takes the mark off a result and puts it on the leaf that is wanted."""
    wanted = mark_wanted(problem, program, space)
    call = program.at(problem.cause)
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return wanted
    statement = program.statement(call)
    alone = isinstance(statement, ast.Expr) and statement.value is call
    taken = (
        program.delete(statement)
        if alone and statement is not None
        else program.delete_between(call.func.value, call)
    )
    return [
        Fix(
            "Mark the leaf instead of the result",
            "A mark on a result cuts it from what it was computed from; the leaf is what should "
            "be marked.",
            (*fix.edits, taken),
        )
        for fix in wanted
    ] or [
        Fix(
            "Take the mark off the result",
            "A mark on a result cuts it from what it was computed from.",
            (taken,),
        )
    ]


def retain(problem: Problem, program: Program, space: Space) -> list[Fix]:
    """Keeps the gradient of a result where it is made."""
    made = program.at(problem.cause)
    if not isinstance(made, ast.expr):
        return []
    return [
        Fix(
            "Keep its gradient with `retain_grad()`",
            "The gradient of a result is used up on the way to the leaves unless it is kept.",
            (program.append(made, ".retain_grad()"),),
        )
    ]


def begin_with_a_leaf(problem: Problem, program: Program, space: Space) -> list[Fix]:
    """Makes what a step of training by hand computes a leaf again."""
    made = program.at(problem.cause)
    if not isinstance(made, ast.expr) or ("made by", STEP_OF_TRAINING) not in problem.facts:
        return []
    return [
        Fix(
            "Begin the next step with a leaf",
            "What a step computes is tracked; `detach()` cuts it from the step, and "
            "`require_grad()` marks it again.",
            (program.append(made, ".detach().require_grad()"),),
        )
    ]


_WHOLE = ("int", "long", "short", "bool")


def make_float(problem: Problem, program: Program, space: Space) -> list[Fix]:
    """Creates the tensor with floating point elements."""
    created = program.at(problem.cause)
    if not isinstance(created, ast.Call):
        return []
    found = []
    if isinstance(created.func, ast.Attribute) and called_name(created) in (*_WHOLE, "to"):
        found.append(
            Fix(
                f"Leave `{called_name(created)}` out",
                "Only floating point numbers can change by a little, which is what a gradient "
                "describes.",
                (program.delete_between(created.func.value, created),),
            )
        )
    if called_name(created) not in CREATION:
        return found
    if called_name(created) == "from_numpy":
        # It keeps the array's dtype and takes no other.
        return [
            Fix(
                "Convert it to float32",
                "Only floating point numbers can change by a little, which is what a gradient "
                "describes.",
                (program.insert_after(created, ".float()"),),
            )
        ]
    if (
        called_name(created) == "arange"
        and created.args
        and isinstance(created.args[-1], ast.Constant)
    ):
        number = created.args[-1]
        if isinstance(number.value, int):
            found.append(
                Fix(
                    "Count in floating point numbers",
                    "Whole numbers have no gradient; a float argument gives float32.",
                    (program.replace(number, f"{number.value}.0"),),
                )
            )
    found.append(
        Fix(
            "Create it as float32",
            "Only floating point numbers can change by a little, which is what a gradient "
            "describes.",
            (program.keyword(created, "dtype", '"float32"'),),
        )
    )
    return found


def not_a_leaf(problem: Problem, program: Program, space: Space) -> list[Fix]:
    """What `require_grad` on a result was meant to do: keep its gradient, or start a new graph."""
    call = program.at(problem.where)
    if (
        problem.where is None
        or not isinstance(call, ast.Call)
        or not isinstance(call.func, ast.Attribute)
    ):
        return _start_anew(problem, program)
    receiver = call.func.value
    statement = program.statement(call)
    alone = isinstance(statement, ast.Expr) and statement.value is call
    kept = Fix(
        "Keep the result's gradient with `retain_grad()`",
        "Gradients flow through the result already; `retain_grad` keeps the one that passes.",
        (program.replace(call, f"{program.source(receiver)}.retain_grad()"),),
    )
    # An updated weight is to be a leaf of its own: only a new graph will do.
    found = [] if _is_update(program, receiver) else [kept]
    if not alone:
        found.append(
            Fix(
                "Start a new graph here",
                "`detach()` cuts the result from what it was computed from; then it is a leaf.",
                (program.insert_after(receiver, ".detach()", inside=call),),
            )
        )
    elif isinstance(receiver, ast.Name):
        found.append(
            Fix(
                "Start a new graph here",
                "`detach()` cuts the result from what it was computed from; then it is a leaf.",
                (program.replace(call, f"{receiver.id} = {receiver.id}.detach().require_grad()"),),
            )
        )
    return found


def _is_update(program: Program, result: ast.expr) -> bool:
    """Whether a result was computed with a gradient, as a step of training by hand is."""
    texts = [program.source(result)]
    if isinstance(result, ast.Name):
        texts += [program.source(made.value) for made in program.assignments(result.id)]
    return any(word in text for text in texts for word in (".grad(", "grads[", ".grad_remove("))


def _start_anew(problem: Problem, program: Program) -> list[Fix]:
    """A result that is going to be marked: cut it where it is made, so that it is a leaf."""
    made = program.at(problem.cause)
    statement = program.statement(made) if made is not None else None
    if not isinstance(statement, ast.Assign):
        return []
    return [
        Fix(
            "Start a new graph here: detach the result",
            "`detach()` cuts the result from what it was computed from; then it is a leaf that "
            "can be marked. Gradients end here: what it was computed from gets none through it.",
            (program.append(statement.value, ".detach()"),),
        )
    ]
