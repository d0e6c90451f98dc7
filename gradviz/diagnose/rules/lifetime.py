"""Rules about what stays alive: tracked results of finished rounds that hold their graphs."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Any, Final

from gradviz.autodiff.node import GRAD_IN_BACKWARD
from gradviz.core.source import SourceSpan
from gradviz.diagnose.program import Program
from gradviz.diagnose.question import Question
from gradviz.errors.problem import Problem
from gradviz.graph.names import attributes, contents
from gradviz.tensor.base import Tensor

_MOST_VARIABLES: Final = 2000
_FEWEST: Final = 2
_CONTAINERS: Final = (list, tuple, dict)


def retained(question: Question) -> list[Problem]:
    """Lists and dicts that collect tracked results of round after round, unused by the root."""
    found = []
    for path, items in _containers(question.space):
        kept = [
            item
            for item in items
            if issubclass(type(item), Tensor)
            and item.node.requirement == GRAD_IN_BACKWARD
            and item.node.id not in question.history
        ]
        places = {(item.node.code, item.node.lasti) for item in kept}
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
    """Variables that add up tracked results over several backward passes."""
    found = []
    for name, value in list(question.space.items())[:_MOST_VARIABLES]:
        if (
            name.startswith("_")
            or not issubclass(type(value), Tensor)
            or value.node.id in question.history
        ):
            continue
        if value.node.requirement != GRAD_IN_BACKWARD:
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
    """Variables with tracked results that no backward pass and no root uses: a note."""
    found = []
    for name, value in list(question.space.items())[:_MOST_VARIABLES]:
        if name.startswith("_") or not issubclass(type(value), Tensor):
            continue
        node = value.node
        if node.requirement != GRAD_IN_BACKWARD or node.id in question.history or node.consumed:
            continue
        if _passes(value):
            continue
        found.append(
            question.problem(
                "never-differentiated",
                f"`{name}` was recorded for a backward pass, and none has used it.",
                node=node,
                cause=node.source,
                advice="Compute what is only looked at inside `gv.no_grad()`.",
                severity="note",
                count=1,
            )
        )
    return found


def _containers(space: Mapping[str, Any]) -> Iterator[tuple[str, list[Any]]]:
    for name, value in list(space.items())[:_MOST_VARIABLES]:
        if name.startswith("_") or name in ("In", "Out"):
            continue
        if issubclass(type(value), _CONTAINERS):
            yield name, contents(value)
        elif type(value).__module__ == "__main__" and not issubclass(type(value), type):
            for key, held in list(attributes(value).items()):
                if issubclass(type(held), _CONTAINERS):
                    yield f"{name}.{key}", contents(held)


def _stored_at(item: Tensor, path: str) -> SourceSpan | None:
    """The statement that puts results into the container, found by the last part of its name."""
    source = item.node.source
    program = Program.of(source.filename) if source is not None else None
    if program is None:
        return None
    last = path.rpartition(".")[2]
    for node in ast.walk(program.tree):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in ("append", "insert", "extend", "add")
            and _ends_with(node.func.value, last)
        ):
            return program.span(node)
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Subscript) and _ends_with(target.value, last):
                    return program.span(node)
    return None


def _ends_with(node: ast.expr, name: str) -> bool:
    if isinstance(node, ast.Attribute):
        return node.attr == name
    return isinstance(node, ast.Name) and node.id == name
