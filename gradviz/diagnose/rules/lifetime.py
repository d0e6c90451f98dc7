"""Rules about what stays alive: tracked results of finished rounds that hold their graphs."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any, Final

from gradviz.autodiff.node import GRAD_IN_BACKWARD, Node
from gradviz.core.source import SourceSpan
from gradviz.diagnose.program import Program, called_name
from gradviz.diagnose.question import Question
from gradviz.diagnose.ways import ancestors
from gradviz.errors.problem import Problem
from gradviz.graph.names import attributes, contents
from gradviz.tensor.base import Tensor

_MOST_VARIABLES: Final = 2000
_FEWEST: Final = 2
_MOST_ITEMS: Final = 200
_DEEPEST: Final = 3
_CONTAINERS: Final = (list, tuple, dict, deque)
_STORING: Final = frozenset({"append", "appendleft", "insert", "extend", "add", "update", "put"})


def retained(question: Question) -> list[Problem]:
    """Containers that collect tracked results of round after round, unused by the root."""
    found = []
    for path, items in _containers(question.space):
        # Each result once: two names for one tensor are no two rounds.
        once = {
            item.node.id: item
            for item in items
            if item.node.requirement == GRAD_IN_BACKWARD and item.node.id not in question.history
        }
        kept = list(once.values())
        places = {_place(item.node) for item in kept}
        if len(kept) < _FEWEST or len(places) >= len(kept):
            continue
        first = kept[0]
        cause = _stored_at(first, path) or first.node.source
        found.append(
            question.problem(
                "graph-retained",
                f"`{path}` keeps {len(kept)} results of finished rounds, and each keeps the graph "
                "it was computed by.",
                node=first.node,
                cause=cause,
                advice="Store `.item()` for a number, or `.detach()` for a tensor.",
                facts=(("container", path), ("results", str(len(kept)))),
                count=len(kept),
            )
        )
    return found


def running_totals(question: Question) -> list[Problem]:
    """Variables and attributes that add up tracked results over several backward passes."""
    found = []
    for name, value in _single(question.space):
        if value.node.id in question.history or value.node.requirement != GRAD_IN_BACKWARD:
            continue
        passes = _passes(value)
        if passes >= _FEWEST:
            found.append(
                question.problem(
                    "graph-retained",
                    f"`{name}` was computed from results of {passes} finished rounds and keeps "
                    "all their graphs.",
                    node=value.node,
                    cause=value.node.source,
                    advice="Add up `.item()` instead.",
                    facts=(("container", name), ("results", str(passes))),
                    count=passes,
                )
            )
    return found


def _passes(tensor: Tensor) -> int:
    """How many backward passes have used up parts of a tensor's history."""
    found = [tensor.node]
    seen = {tensor.node.id}
    spent: set[int] = set()
    for node in found:
        if node.consumed:
            spent.add(id(node.saved))
            continue  # what lies behind was used up by the same pass
        for parent in node.parents:
            if parent.id not in seen and parent.requirement == GRAD_IN_BACKWARD:
                seen.add(parent.id)
                found.append(parent)
    return len(spent)


def unused(question: Question) -> list[Problem]:
    """Variables with tracked results that no backward pass and no root uses.

    A note, as it is common and harmless where it happens once; a warning where every round of a
    loop that differentiates nothing records another one.
    """
    found = []
    known: set[tuple[object, int, int]] = set()
    for name, value in list(question.space.items())[:_MOST_VARIABLES]:
        if name.startswith("_") or not issubclass(type(value), Tensor):
            continue
        node = value.node
        if node.requirement != GRAD_IN_BACKWARD or node.id in question.history or node.consumed:
            continue
        if _passes(value):
            continue
        known = known or {_place(member) for member in question.history.values()}
        apart = _place(node) not in known and not _shares(question, node)
        loop = _loop_of(name, node) if apart else None
        found.append(
            question.problem(
                "never-differentiated",
                f"`{name}` was recorded for a backward pass, and none has used it.",
                node=node,
                cause=node.source,
                advice="Compute what is only looked at inside `gv.no_grad()`.",
                severity="note" if loop is None else "warning",
                facts=(("variable", name),),
                count=1,
            )
        )
    return found


def _place(node: Node) -> tuple[object, int, int]:
    """The code that made a node, and from where a module was called."""
    return node.code, node.lasti, node.context.lasti


def _shares(question: Question, node: Node) -> bool:
    """Whether a result was computed from tracked results that the root comes from as well."""
    return any(
        (parent := question.history.get(number)) is not None
        and parent.requirement == GRAD_IN_BACKWARD
        for number in ancestors(node)
    )


def _loop_of(name: str, node: Node) -> ast.stmt | None:
    """The loop that gives a variable its value, where no backward pass runs or nothing reads it."""
    source = node.source
    program = Program.of(source.filename) if source is not None else None
    if program is None:
        return None
    for assigned in reversed(program.assignments(name)):
        loop: ast.stmt | None = program.within(assigned, ast.For) or program.within(
            assigned, ast.While
        )
        here = program.within(assigned, ast.FunctionDef)
        if here is not None or loop is None:
            continue
        if not _differentiates(program, loop) or not _is_read(program, name):
            return loop
    return None


def _is_read(program: Program, name: str) -> bool:
    return any(
        isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)
        for node in ast.walk(program.tree)
    )


def _differentiates(program: Program, loop: ast.stmt) -> bool:
    """Whether a loop may run a backward pass: itself, or in a function of the program."""
    called = {called_name(node) for node in ast.walk(loop)}
    for function in ast.walk(program.tree):
        if isinstance(function, ast.FunctionDef) and function.name in called:
            called |= {called_name(node) for node in ast.walk(function)}
    return bool(called & {"backward", "step"})


def _single(space: Mapping[str, Any]) -> Iterator[tuple[str, Tensor]]:
    """The tensors that variables, attributes and items of dicts stand for, one by one."""
    for name, value in list(space.items())[:_MOST_VARIABLES]:
        if name.startswith("_") or name in ("In", "Out"):
            continue
        if issubclass(type(value), Tensor):
            yield name, value
        elif issubclass(type(value), dict):
            for key, held in list(dict.items(value))[:_MOST_ITEMS]:
                if issubclass(type(held), Tensor):
                    yield f"{name}[{key!r}]", held
        elif _is_users(value):
            for key, held in list(attributes(value).items())[:_MOST_ITEMS]:
                if issubclass(type(held), Tensor):
                    yield f"{name}.{key}", held


def _is_users(value: Any) -> bool:
    """Whether something is an object of a class that the user's program defines."""
    return type(value).__module__ == "__main__" and not issubclass(type(value), type)


def _containers(space: Mapping[str, Any]) -> Iterator[tuple[str, list[Tensor]]]:
    """Containers in variables and attributes with the tensors they hold, at any depth."""
    for name, value in list(space.items())[:_MOST_VARIABLES]:
        if name.startswith("_") or name in ("In", "Out"):
            continue
        if issubclass(type(value), dict) and "__builtins__" in value:
            continue  # another program's variables, held to be asked about
        if issubclass(type(value), _CONTAINERS):
            yield from _collected(name, value)
        elif _is_users(value):
            for key, held in list(attributes(value).items()):
                if issubclass(type(held), _CONTAINERS):
                    yield from _collected(f"{name}.{key}", held)


def _collected(path: str, value: Any) -> Iterator[tuple[str, list[Tensor]]]:
    """A container with its tensors; a dict of containers is several."""
    if issubclass(type(value), dict):
        inside = [key for key, item in dict.items(value) if issubclass(type(item), _CONTAINERS)]
        if inside and all(type(key) is str for key in inside):
            for key in inside:
                yield f"{path}[{key!r}]", list(_tensors(dict.get(value, key), 0))
            return
    yield path, list(_tensors(value, 0))


def _tensors(value: Any, depth: int) -> Iterator[Tensor]:
    if issubclass(type(value), Tensor):
        yield value
    elif depth < _DEEPEST and issubclass(type(value), _CONTAINERS):
        items = deque.__iter__(value) if issubclass(type(value), deque) else contents(value)
        for item in items:
            yield from _tensors(item, depth + 1)
    elif depth < _DEEPEST and _is_users(value):
        for item in list(attributes(value).values())[:_MOST_ITEMS]:
            yield from _tensors(item, depth + 1)


def _stored_at(item: Tensor, path: str) -> SourceSpan | None:
    """What puts results into the container, found by the last word of its name."""
    source = item.node.source
    program = Program.of(source.filename) if source is not None else None
    if program is None:
        return None
    last = path.partition("[")[0].rpartition(".")[2]
    stores = [node for node in ast.walk(program.tree) if _stores(node, last)]
    key = path.partition("[")[2].rstrip("]")
    keys = (key, key.replace("'", '"'))
    stores.sort(key=lambda node: not any(text in program.source(node) for text in keys))
    if stores:
        return program.span(stores[0])
    listed = [
        statement.value
        for statement in program.assignments(last)
        if isinstance(statement.value, ast.ListComp | ast.DictComp)
        or called_name(statement.value) in ("list", "tuple", "sorted", "dict")
    ]
    if listed:
        return program.span(listed[-1])
    # Filled where it has another name: by the only call there is that fills anything.
    calls = program.method_calls("append", "appendleft", "extend")
    return program.span(calls[0]) if len(calls) == 1 else None


def _stores(node: ast.AST, name: str) -> bool:
    """Whether a node puts something into a container with this name."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.attr in _STORING and _ends_with(node.func.value, name)
    if isinstance(node, ast.AugAssign):
        return isinstance(node.op, ast.Add) and _ends_with(node.target, name)
    if isinstance(node, ast.Assign):
        if isinstance(node.value, ast.BinOp) and isinstance(node.value.right, ast.List):
            return any(_ends_with(target, name) for target in node.targets)
        targets = [target for target in node.targets if isinstance(target, ast.Subscript)]
        return any(_ends_with(target.value, name) for target in targets)
    return False


def _ends_with(node: ast.expr, name: str) -> bool:
    while isinstance(node, ast.Subscript):
        node = node.value
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return _ends_with(node.func.value, name)  # `history.setdefault(key, []).append(loss)`
    if isinstance(node, ast.Attribute):
        return node.attr == name
    return isinstance(node, ast.Name) and node.id == name
