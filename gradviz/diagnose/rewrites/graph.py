"""Rewrites for graphs that a backward pass has used up."""

from __future__ import annotations

import ast
from typing import Any

from gradviz.diagnose.program import Program, Space, called_name
from gradviz.errors.problem import Fix, Problem, SourceEdit
from gradviz.tensor.refusal import USED_AGAIN, USED_UP


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
    for statement in _statements(problem, program):
        around = _repeated(program, statement)
        carried = _carried(program, around) if around is not None else {}
        for node in _places(statement, ast.Load):
            text = program.source(node)
            if text in carried and not _is_receiver_of_detach(program, node):
                found.append(
                    Fix(
                        f"Cut the graph of the previous round: `{text}.detach()`",
                        f"`{text}` carries the graph that the previous round's backward used up.",
                        (program.insert_after(node, ".detach()"),),
                    )
                )
    return found


def _statements(problem: Problem, program: Program) -> list[ast.stmt]:
    """The statements that compute the shared result and that use it again."""
    found: list[ast.stmt] = []
    at = program.at(problem.cause)
    if at is not None:
        found.append(program.statement(at) or at)
    line = _line(problem, USED_AGAIN)
    found += [
        node
        for node in ast.walk(program.tree)
        if isinstance(node, ast.Assign | ast.AugAssign | ast.Return | ast.Expr)
        and node.lineno <= line <= (node.end_lineno or node.lineno)
    ]
    return list(dict.fromkeys(found))


def _line(problem: Problem, fact: str) -> int:
    """The line that a fact tells, 0 where it isn't known."""
    word = dict(problem.facts).get(fact, "").rpartition(" ")[2]
    return int(word) if word.isdigit() else 0


def _repeated(program: Program, statement: ast.stmt) -> ast.AST | None:
    """What runs again and again around a statement: a loop, or else its class or function."""
    for kinds in ((ast.For, ast.While), (ast.ClassDef,), (ast.FunctionDef,)):
        for around in program.ancestors(statement):
            if isinstance(around, kinds):
                return around
    return None


def _places(node: ast.AST, context: type[ast.expr_context]) -> list[ast.expr]:
    """Names, attributes and items that are read (or written) inside a node."""
    return [
        item
        for item in ast.walk(node)
        if isinstance(item, ast.Name | ast.Attribute | ast.Subscript)
        and isinstance(item.ctx, context)
    ]


def _carried(program: Program, around: ast.AST) -> dict[str, None]:
    """What repeated code reads and writes: its value passes from round to round."""
    loop = isinstance(around, ast.For | ast.While)
    written = dict.fromkeys(
        program.source(node)
        for node in _places(around, ast.Store)
        if loop or not isinstance(node, ast.Name)  # a function's own names don't outlive its call
    )
    read = {program.source(node) for node in _places(around, ast.Load)}
    return {text: None for text in written if text in read}


def _is_receiver_of_detach(program: Program, node: ast.expr) -> bool:
    parent = program.parent(node)
    return isinstance(parent, ast.Attribute) and parent.attr in ("detach", "item", "shape")


def compute_again(problem: Problem, program: Program, space: Space) -> list[Fix]:
    """Computes a shared result again: in every round, or after the pass that used it up."""
    found: list[Fix] = []
    used_up = _line(problem, USED_UP)
    for name in _shared_names(problem, program):
        for assigned in program.assignments(name):
            loop = _loop_behind(program, assigned, name)
            if loop is not None:
                moved = _chain(program, assigned, space)
                found.append(
                    Fix(
                        f"Compute {_listed(moved)} in every round",
                        "A graph is used up by its backward pass; what every round needs is "
                        "computed in every round.",
                        _moved_into(program, moved, loop),
                    )
                )
    found += _after_the_pass(problem, program, space, used_up)
    return found + _cut_in(problem, program, space, used_up)


def _shared_names(problem: Problem, program: Program) -> list[str]:
    """Names of the shared result, and of what the statement that uses it again reads."""
    names: list[str] = []
    for statement in _statements(problem, program):
        names += [n.id for n in _places(statement, ast.Store) if isinstance(n, ast.Name)]
        names += [n.id for n in _places(statement, ast.Load) if isinstance(n, ast.Name)]
    call = program.at(problem.where)
    if isinstance(call, ast.AST):
        names += [n.id for n in _places(call, ast.Load) if isinstance(n, ast.Name)]
    return list(dict.fromkeys(names))


def _is_computed(assigned: ast.Assign) -> bool:
    """Whether a statement computes something, other than a container to be filled."""
    return any(
        isinstance(node, ast.BinOp | ast.Call) for node in ast.walk(assigned.value)
    ) and not isinstance(assigned.value, ast.Dict | ast.List | ast.Set)


def _loop_behind(program: Program, assigned: ast.Assign, name: str) -> ast.For | ast.While | None:
    """A loop of the same block, behind an assignment, that reads its name and never sets it."""
    if not _is_computed(assigned):
        return None
    for loop in ast.walk(program.tree):
        if (
            isinstance(loop, ast.For | ast.While)
            and program.parent(loop) is program.parent(assigned)
            and loop.lineno > assigned.lineno
            and _mentions(loop, name, ast.Load)
            and not _mentions(loop, name, ast.Store)
        ):
            return loop
    return None


def _mentions(node: ast.AST, name: str, context: type[ast.expr_context]) -> bool:
    return any(isinstance(item, ast.Name) and item.id == name for item in _places(node, context))


def _chain(program: Program, assigned: ast.Assign, space: Space) -> list[ast.Assign]:
    """A statement and, before it, those of its block that compute the results it is made from."""
    found = [assigned]
    for statement in found:
        for node in _places(statement.value, ast.Load):
            if not isinstance(node, ast.Name) or not _is_result(space.get(node.id)):
                continue
            earlier = [
                made
                for made in program.assignments(node.id)
                if program.parent(made) is program.parent(assigned)
                and made.lineno < statement.lineno
                and _is_computed(made)
            ]
            if earlier and earlier[-1] not in found:
                found.append(earlier[-1])
    return sorted(found, key=lambda statement: statement.lineno)


def _is_result(value: object) -> bool:
    return getattr(value, "requirement", "") == "grad_in_backward"


def _listed(statements: list[ast.Assign]) -> str:
    names = [
        node.id
        for statement in statements
        for node in _places(statement, ast.Store)
        if isinstance(node, ast.Name)
    ]
    return " and ".join(f"`{name}`" for name in dict.fromkeys(names))


def _after_the_pass(problem: Problem, program: Program, space: Space, used_up: int) -> list[Fix]:
    """Computes results again right behind the backward pass that used their graph up."""
    passed = next(
        (
            program.statement(call)
            for call in program.method_calls("backward")
            if call.lineno <= used_up <= (call.end_lineno or call.lineno)
        ),
        None,
    )
    if passed is None or _repeated(program, passed) is not None:
        return []
    found = []
    block = program.parent(passed)
    # What is asked about or fails needs most; the shared result alone may be enough.
    shared = _shared_names(problem, program)
    asked = dict(problem.facts).get("name", "")
    for name in [*shared, asked]:
        made = [
            statement
            for statement in program.assignments(name)
            if statement.lineno < passed.lineno
            and program.parent(statement) is block
            and _is_computed(statement)
        ]
        if not made or not _is_result(space.get(name)):
            continue
        again = _chain(program, made[-1], space)
        indent = " " * program.position(passed)[1]
        text = "".join(f"\n{indent}{program.source(statement)}" for statement in again)
        found.append(
            Fix(
                f"Compute {_listed(again)} again after the backward pass",
                "A graph is used up by its backward pass; a new forward pass makes a new one.",
                (program.insert_after(passed, text),),
            )
        )
    return found


def _cut_in(problem: Problem, program: Program, space: Space, used_up: int) -> list[Fix]:
    """Cuts a result of the earlier graph wherever a later statement uses it."""
    found = []
    again = _line(problem, USED_AGAIN)
    for statement in _statements(problem, program):
        if not (statement.lineno <= again <= (statement.end_lineno or again)):
            continue
        if isinstance(_repeated(program, statement), ast.For | ast.While) or again < used_up:
            continue
        names = [n for n in _places(statement, ast.Load) if isinstance(n, ast.Name)]
        for name in dict.fromkeys(node.id for node in names):
            if not _is_result(space.get(name)):
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
    program: Program, moved: list[ast.Assign], loop: ast.For | ast.While
) -> tuple[SourceEdit, ...]:
    line, col, _, _ = program.position(loop.body[0])
    text = "".join(f"{program.source(statement)}\n{' ' * col}" for statement in moved)
    insert = SourceEdit(program.filename, line, col, line, col, "", text)
    return (*(program.delete(statement) for statement in moved), insert)


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
    elif isinstance(stored, ast.BinOp) and isinstance(stored.right, ast.List):
        inner = stored.right.elts  # `history = history + [loss]`
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
    return Fix(
        f"Store `{how}` only",
        "A tracked result keeps the whole graph it was computed by.",
        tuple([program.append(part, how) for part in parts]),
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
