"""Rewrites for graphs that a backward pass has used up."""

from __future__ import annotations

import ast
from typing import Any

from gradviz.diagnose.program import Program, Space, called_name
from gradviz.errors.problem import Fix, Problem, SourceEdit


def cut_reuse(problem: Problem, program: Program, space: Space) -> list[Fix]:
    """Cuts what is carried from one graph into the next."""
    found: list[Fix] = []
    for call in program.method_calls("detach"):
        statement = program.statement(call)
        if (
            isinstance(statement, ast.Expr)
            and statement.value is call
            and isinstance(call.func, ast.Attribute)
            and isinstance(call.func.value, ast.Name)
        ):
            name = call.func.value.id
            found.append(
                Fix(
                    f"Keep the result of `{name}.detach()`",
                    "`detach` returns a new tensor and leaves the old one as it is.",
                    (program.replace(call, f"{name} = {program.source(call)}"),),
                )
            )
    joined = program.at(problem.cause)
    loop = (
        program.within(joined, ast.For) or program.within(joined, ast.While)
        if joined is not None
        else None
    )
    if joined is not None and loop is not None:
        carried = _carried(loop)
        for node in ast.walk(joined):
            if isinstance(node, ast.Name) and node.id in carried and isinstance(node.ctx, ast.Load):
                found.append(
                    Fix(
                        f"Cut the graph of the previous round: `{node.id}.detach()`",
                        f"`{node.id}` carries the graph that the previous round's backward used "
                        "up.",
                        (program.insert_after(node, ".detach()"),),
                    )
                )
    return found


def compute_again(problem: Problem, program: Program, space: Space) -> list[Fix]:
    """Computes a shared result in every round, or cuts it where it is used again."""
    found: list[Fix] = []
    joined = program.at(problem.cause)
    statement = program.statement(joined) if joined is not None else None
    if statement is None:
        return found
    loop = program.within(statement, ast.For) or program.within(statement, ast.While)
    names = [
        node
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    ]
    for name in dict.fromkeys(node.id for node in names):
        for assigned in program.assignments(name):
            if (
                loop is not None
                and program.parent(assigned) is program.parent(loop)
                and assigned.lineno < loop.lineno
            ):
                found.append(
                    Fix(
                        f"Compute `{name}` in every round",
                        "A graph is used up by its backward pass; what every round needs is "
                        "computed in every round.",
                        _moved_into(program, assigned, loop),
                    )
                )
    if loop is None:
        found += _cut_in(program, names, space)
    return found


def _cut_in(program: Program, names: list[ast.Name], space: Space) -> list[Fix]:
    """Cuts a result of the earlier graph wherever a statement uses it."""
    found = []
    for name in dict.fromkeys(node.id for node in names):
        if getattr(space.get(name), "requirement", "") != "grad_in_backward":
            continue
        uses = [node for node in names if node.id == name]
        found.append(
            Fix(
                f"Use the value of `{name}` only: `{name}.detach()`",
                f"`{name}` belongs to a graph whose backward has been run.",
                tuple(program.insert_after(node, ".detach()") for node in uses),
            )
        )
    return found


def _moved_into(
    program: Program, assigned: ast.stmt, loop: ast.For | ast.While
) -> tuple[SourceEdit, ...]:
    line, col, _, _ = program.position(loop.body[0])
    text = program.source(assigned)
    insert = SourceEdit(program.filename, line, col, line, col, "", f"{text}\n{' ' * col}")
    return (program.delete(assigned), insert)


def store_value(problem: Problem, program: Program, space: Space) -> list[Fix]:
    """Stores a number or a detached tensor instead of a tracked result."""
    at = program.at(problem.cause)
    if at is None:
        return []
    statement = program.statement(at)
    added = isinstance(statement, ast.Assign | ast.AugAssign) and not _is_store(at)
    stored = _stored(statement if added else at)
    if stored is None:
        return []
    parts = _parts(stored, space) + _returned(program, stored, space)
    put = isinstance(at, ast.Call) and isinstance(at.func, ast.Attribute)
    hows = _HOWS if put and not added else _HOWS[::-1]
    found = [_stored_as(program, [part], how) for how in hows for part in parts]
    if len(parts) > 1:
        found += [_stored_as(program, parts, how) for how in hows]
    return found


_HOWS = (".item()", ".detach()")


def _is_store(at: Any) -> bool:
    """Whether a node is the call or comprehension that fills a container."""
    return isinstance(at, ast.Call | ast.ListComp | ast.DictComp)


def _stored(at: Any) -> ast.expr | None:
    """What a statement or call puts into a variable or container."""
    if isinstance(at, ast.Call) and at.args:
        return at if isinstance(at.func, ast.Name) else at.args[-1]
    if isinstance(at, ast.Assign | ast.AugAssign):
        return at.value
    return at if isinstance(at, ast.ListComp | ast.DictComp) else None


def _parts(stored: ast.expr, space: Space) -> list[ast.expr]:
    """The expressions that may be tracked results: of a tuple, list or record its elements."""
    inner: list[ast.expr] | None = None
    if isinstance(stored, ast.ListComp | ast.GeneratorExp):
        inner = [stored.elt]
    elif called_name(stored) in ("list", "tuple", "sorted") and isinstance(stored, ast.Call):
        inner = stored.args
    elif isinstance(stored, ast.DictComp):
        return [stored.value]
    elif isinstance(stored, ast.List | ast.Tuple):
        inner = stored.elts
    elif isinstance(stored, ast.Dict):
        inner = stored.values
    elif isinstance(stored, ast.Call) and _makes_record(stored, space):
        inner = [*stored.args, *(item.value for item in stored.keywords)]
    if inner is not None:
        return [part for item in inner for part in _parts(item, space)]
    return [] if isinstance(stored, ast.Constant) else [stored]


def _makes_record(call: ast.Call, space: Space) -> bool:
    """Whether a call only puts its arguments together: of a class of the program, or of `dict`."""
    name = called_name(call)
    return isinstance(call.func, ast.Name) and (name == "dict" or isinstance(space.get(name), type))


def _returned(program: Program, stored: ast.expr, space: Space) -> list[ast.expr]:
    """What a function of the program returns to be stored."""
    found: list[ast.expr] = []
    for function in ast.walk(program.tree):
        if isinstance(function, ast.FunctionDef) and function.name == called_name(stored):
            for node in ast.walk(function):
                if isinstance(node, ast.Return) and node.value is not None:
                    found += _parts(node.value, space)
    return found


def _stored_as(program: Program, parts: list[ast.expr], how: str) -> Fix:
    edits = []
    for part in parts:
        text = program.source(part)
        atom = isinstance(part, ast.Call | ast.Name | ast.Attribute | ast.Subscript)
        edits.append(program.replace(part, f"{text if atom else f'({text})'}{how}"))
    return Fix(
        f"Store `{how}` only",
        "A tracked result keeps the whole graph it was computed by.",
        tuple(edits),
    )


def look_only(problem: Problem, program: Program, space: Space) -> list[Fix]:
    """Records nothing where a result is only looked at."""
    name = dict(problem.facts).get("variable", "")
    at = program.at(problem.cause)
    here = program.statement(at) if at is not None else None
    found = []
    for statement in dict.fromkeys([*reversed(program.assignments(name)), here]):
        if statement is None or isinstance(statement, ast.Return):
            continue
        indent = " " * program.position(statement)[1]
        body = program.source(statement).replace("\n", "\n    ")
        found.append(
            Fix(
                "Compute it inside `gv.no_grad()`",
                "What is only looked at needs no graph.",
                (program.replace(statement, f"with gv.no_grad():\n{indent}    {body}"),),
            )
        )
    return found


def _carried(loop: ast.For | ast.While) -> set[str]:
    """Names that a loop's body reads and writes: their values pass from round to round."""
    read = {n.id for n in ast.walk(loop) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    written = {
        n.id for n in ast.walk(loop) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }
    return read & written
