"""Rewrites for modules and optimizers."""

from __future__ import annotations

import ast

from gradviz.diagnose import trial
from gradviz.diagnose.program import Program, Space, called_name
from gradviz.errors.problem import Fix, Problem, SourceEdit
from gradviz.nn.module import Module
from gradviz.optim.optimizer import Optimizer
from gradviz.tensor.base import Tensor

_DISPLAYS = (ast.List, ast.ListComp, ast.Tuple, ast.Dict, ast.DictComp)


def make_parameter(problem: Problem, program: Program, space: Space) -> list[Fix]:
    """Wraps a tensor assigned to `self` into a `Parameter`."""
    at = program.at(problem.cause)
    statement = program.statement(at) if at is not None else None
    if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Attribute):
        return []
    value = statement.value
    if isinstance(value, (*_DISPLAYS, ast.Lambda)):
        return []  # a parameter is one tensor
    return [
        Fix(
            "Make it a parameter",
            "A module lists `Parameter` attributes; a plain tensor it only holds.",
            (program.replace(value, f"gv.nn.Parameter({_unmarked(program, value)})"),),
        )
    ]


def make_container(problem: Problem, program: Program, space: Space) -> list[Fix]:
    """Makes a list or dict that is assigned to `self` a module that lists what is in it."""
    at = program.at(problem.cause)
    here = program.statement(at) if at is not None else None
    found = []
    for statement in ast.walk(program.tree):
        if not isinstance(statement, ast.Assign | ast.AnnAssign) or statement.value is None:
            continue
        target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
        shape = _container(statement.value)
        if shape is None or not isinstance(target, ast.Attribute):
            continue
        text = "" if _is_empty(statement.value) else program.source(statement.value)
        for held in ("Module", "Parameter"):  # the trial shows which of them it holds
            kind = held + shape
            fix = Fix(
                f"Hold the {held.lower()}s in a `{kind}`",
                "A module lists the parameters that it and the modules in it hold themselves, not "
                "those in plain lists and dicts.",
                (program.replace(statement.value, f"gv.nn.{kind}({text})"),),
            )
            found.append((statement is not here, fix))
    return [fix for _, fix in sorted(found, key=lambda item: item[0])]


def _container(value: ast.expr) -> str | None:
    """How the container for a list, tuple or dict is called; None for anything else."""
    name = called_name(value)
    if isinstance(value, ast.Dict | ast.DictComp) or name in ("dict", "OrderedDict"):
        return "Dict"
    if isinstance(value, _DISPLAYS) or name in ("list", "tuple"):
        return "List"
    return None


def _is_empty(value: ast.expr) -> bool:
    if isinstance(value, ast.List | ast.Tuple):
        return not value.elts
    if isinstance(value, ast.Dict):
        return not value.keys
    return isinstance(value, ast.Call) and not value.args and not value.keywords


def _unmarked(program: Program, value: ast.expr) -> str:
    """The text of a creation without `requires_grad=True`, which `Parameter` does."""
    text = program.source(value)
    if isinstance(value, ast.Call):
        for item in value.keywords:
            if item.arg == "requires_grad":
                return text.replace(f", requires_grad={program.source(item.value)}", "")
    return text


def thaw(problem: Problem, program: Program, space: Space) -> list[Fix]:
    """Leaves a `freeze()` or `requires_grad_(False)` out, first at the cause."""
    at = program.at(problem.cause)
    calls = [at] if isinstance(at, ast.Call) else []
    found = []
    for call in [*calls, *program.method_calls("freeze", "requires_grad_")]:
        statement = program.statement(call)
        on = called_name(call) == "requires_grad_" and not _is_false(call)
        if isinstance(statement, ast.Expr) and statement.value is call and not on:
            found.append(
                Fix(
                    "Don't freeze it",
                    "A frozen parameter gets no gradient.",
                    (program.delete(statement),),
                )
            )
    return found


def _is_false(call: ast.Call) -> bool:
    given = [*call.args, *(item.value for item in call.keywords)]
    return any(isinstance(item, ast.Constant) and item.value is False for item in given)


def _optimizer_statements(program: Program, space: Space) -> list[ast.Assign]:
    """Assignments of the variables that hold optimizers."""
    names = [
        name
        for name, value in space.items()
        if isinstance(value, Optimizer) and not name.startswith("_")
    ]
    return [statement for name in names for statement in program.assignments(name)]


def right_parameters(problem: Problem, program: Program, space: Space) -> list[Fix]:
    """Gives the optimizer the parameters that are trained: others as well, or others instead."""
    statements = _optimizer_statements(program, space)
    at = program.at(problem.cause)
    here = program.statement(at) if at is not None else None
    if here in statements:
        statements = [here]
    found = []
    for statement in statements:
        if _trains(problem, statement, space):
            found += _more_parameters(problem, program, statement, space)
        else:
            found += _other_parameters(problem, program, statement, space)
    return found


def _trains(problem: Problem, statement: ast.Assign, space: Space) -> bool:
    """Whether the root reaches something that the optimizer of a statement holds."""
    target = statement.targets[0]
    optimizer = space.get(target.id) if isinstance(target, ast.Name) else None
    root = space.get(dict(problem.facts).get("name", ""))
    if not isinstance(optimizer, Optimizer) or not isinstance(root, Tensor):
        return False
    reached = trial.reached_by(root.node)
    return any(p.node.id in reached for group in optimizer.param_groups for p in group["params"])


def _more_parameters(
    problem: Problem, program: Program, statement: ast.Assign, space: Space
) -> list[Fix]:
    """Adds what was left out to what the optimizer is given."""
    names = [value for label, value in problem.facts if label == "left out"]
    added = list(dict.fromkeys(filter(None, (_listed(name, space) for name in names))))
    call = statement.value
    if not added or not isinstance(call, ast.Call):
        return []
    keyword = next((item.value for item in call.keywords if item.arg == "params"), None)
    given = call.args[0] if call.args else keyword
    if given is None:
        return []
    if isinstance(given, ast.List) and given.elts:
        grouped = isinstance(given.elts[0], ast.Dict)
        more = [f'{{"params": [{item}]}}' for item in added] if grouped else added
        edit = program.insert_after(given.elts[-1], f", {', '.join(more)}", inside=given)
    else:
        copied = isinstance(given, ast.Call) and called_name(given) == "list"
        start = given.args[0] if isinstance(given, ast.Call) and copied and given.args else given
        edit = program.replace(given, f"[*{program.source(start)}, {', '.join(added)}]")
    found = [
        Fix(
            "Give the optimizer these parameters as well",
            "An optimizer updates the parameters it was built with, and no others.",
            (edit,),
        )
    ]
    for item in added:
        if item.endswith(".parameters()"):  # some of the module's may be there already
            found.append(
                Fix(
                    "Give the optimizer all parameters of the module",
                    "An optimizer updates the parameters it was built with, and no others.",
                    (program.replace(given, item[1:]),),
                )
            )
    return found


def _listed(name: str, space: Space) -> str | None:
    """The elements to add for a parameter's name: the module's parameters, or the tensor itself."""
    base = name.partition(".")[0]
    variable = base.partition("[")[0]
    holder = space.get(variable)
    if isinstance(holder, Module):
        return f"*{variable}.parameters()"
    if holder is None:
        return None
    if "[" in base and "." in name:
        # One module of a list or dict: users mean all of them.
        modules = f"{variable}.values()" if isinstance(holder, dict) else variable
        return f"*[p for module in {modules} for p in module.parameters()]"
    return name


def _other_parameters(
    problem: Problem, program: Program, statement: ast.Assign, space: Space
) -> list[Fix]:
    """Puts another module's parameters in the place of those that nothing is computed from."""
    wanted = [
        name.partition(".")[0].partition("[")[0]
        for name in dict(problem.facts).get("wanted", "").split(", ")
    ]
    modules = [
        name
        for name, value in space.items()
        if isinstance(value, Module) and not name.startswith("_")
    ]
    modules.sort(key=lambda name: name not in wanted)
    found = []
    for call in program.method_calls("parameters", inside=statement):
        if not isinstance(call.func, ast.Attribute):
            continue
        receiver = call.func.value
        for name in modules:
            if name != program.source(receiver):
                found.append(
                    Fix(
                        f"Give the optimizer the parameters of `{name}`",
                        "An optimizer updates the parameters it was built with, and no others.",
                        (program.replace(receiver, name),),
                    )
                )
    return found


def build_later(problem: Problem, program: Program, space: Space) -> list[Fix]:
    """Moves the optimizer's construction behind what changes the module."""
    found = []
    for statement in _optimizer_statements(program, space):
        target = _before_root(problem, program, statement)
        if target is not None:
            found.append(
                Fix(
                    "Build the optimizer after the parameters are in place",
                    "An optimizer keeps the parameter objects it was given; replaced ones are no "
                    "longer the module's.",
                    _moved(program, statement, target),
                )
            )
    return found


def _before_root(problem: Problem, program: Program, statement: ast.Assign) -> ast.stmt | None:
    """The statement that computes the root, on the level of the optimizer's."""
    name = dict(problem.facts).get("name", "")
    block = program.parent(statement)
    body = getattr(block, "body", [])
    for candidate in program.assignments(name):
        if candidate in body and candidate.lineno > statement.lineno:
            return candidate
    return None


def _moved(program: Program, statement: ast.stmt, target: ast.stmt) -> tuple[SourceEdit, ...]:
    line, col, _, _ = program.position(target)
    text = program.source(statement)
    insert = SourceEdit(program.filename, line, col, line, col, "", f"{text}\n{' ' * col}")
    return (program.delete(statement), insert)
