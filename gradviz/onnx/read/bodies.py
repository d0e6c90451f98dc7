"""Graphs inside nodes: the branches and bodies of control flow, checked as the outer graph is."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from typing import Any, Final

from gradviz.onnx.read.refusal import UnreadableError, shortened
from gradviz.onnx.read.tensors import array_of, dtype_of

_GRAPH: Final = 5
"""The format's code for an attribute that is a graph."""


@dataclass(frozen=True, slots=True)
class Body:
    """A graph inside a node.

    Attributes:
        inputs: names of what it is given.
        outputs: names of what it gives.
        constants: arrays by name.
        nodes: those that its outputs need, in an order in which they can run.
        used: names that anything in it reads.
        declared: dtypes and shapes that it says its outputs have; None where it doesn't.
    """

    inputs: list[str]
    outputs: list[str]
    constants: dict[str, Any]
    nodes: list[Any]
    used: frozenset[str]
    declared: list[tuple[str, tuple[int, ...]] | None]


def graphs_in(node: Any) -> list[Any]:
    """The graphs among a node's attributes."""
    return [item.g for item in node.attribute if item.type == _GRAPH]


def needs(node: Any) -> list[str]:
    """What a node reads: its inputs, and what graphs inside it take from around them."""
    return [*node.input, *(name for graph in graphs_in(node) for name in taken(graph))]


def taken(graph: Any) -> list[str]:
    """Names that a graph inside a node doesn't make itself."""
    made = {item.name for item in (*graph.input, *graph.initializer)}
    made.update(name for node in graph.node for name in node.output)
    read = [name for node in graph.node for name in needs(node)]
    read += [item.name for item in graph.output]
    return [name for name in dict.fromkeys(read) if name and name not in made]


def body_of(node: Any, name: str, around: Container[str]) -> Body:
    """A graph of a node.

    Args:
        node: the node.
        name: the attribute that holds the graph.
        around: names that are known around the node.

    Raises:
        UnreadableError: for a graph that is none.
    """
    found = next((i.g for i in node.attribute if i.name == name and i.type == _GRAPH), None)
    if found is None:
        raise UnreadableError(f"it has no {name}")
    if found.sparse_initializer:
        raise UnreadableError(f"its {name} has sparse constants")
    constants = {item.name: array_of(item) for item in found.initializer}
    inputs = [item.name for item in found.input]
    outputs = [item.name for item in found.output]
    if len({*inputs, *constants}) != len(inputs) + len(found.initializer) or not outputs:
        raise UnreadableError(f"its {name} names values twice, or gives none")
    given = {*inputs, *constants, *(item for item in taken(found) if item in around)}
    nodes = ordered(found.node, given, [(item, f"the output {item}") for item in outputs])
    used = frozenset([*outputs, *(value for item in nodes for value in needs(item))])
    declared = [_declared(item) for item in found.output]
    return Body(inputs, outputs, constants, nodes, used, declared)


def _declared(item: Any) -> tuple[str, tuple[int, ...]] | None:
    kind = item.type.tensor_type
    if not kind.HasField("shape") or any(not dim.HasField("dim_value") for dim in kind.shape.dim):
        return None
    return dtype_of(kind.elem_type), tuple(int(dim.dim_value) for dim in kind.shape.dim)


def ordered(nodes: Any, given: set[str], outputs: list[tuple[str, str]]) -> list[Any]:
    """The nodes that outputs need, each after those it needs itself.

    Args:
        nodes: all nodes of a graph.
        given: names of what is there before.
        outputs: names of the outputs, and what to call each.

    Raises:
        UnreadableError: for values that are made twice or never, and for cycles.
    """
    maker: dict[str, int] = {}
    for at, node in enumerate(nodes):
        for output in node.output:
            if output in maker or output in given:
                raise UnreadableError(f"the value {shortened(output)} is made twice")
            if output:
                maker[output] = at
    done: dict[int, bool] = {}
    order: list[Any] = []
    stack: list[tuple[int, bool]] = []

    def ask(value: str, of: str) -> None:
        if not value or value in given:
            return
        at = maker.get(value)
        if at is None:
            what = f"the value {shortened(value)}, which nothing makes"
            raise UnreadableError(f"{shortened(of)} needs {what}")
        if done.get(at) is False:
            raise UnreadableError(f"{shortened(of)} needs what depends on it: there is a cycle")
        if at not in done:
            stack.append((at, False))

    for output, label in outputs:
        ask(output, label)
        while stack:
            at, finished = stack.pop()
            if finished:
                done[at] = True
                order.append(nodes[at])
                continue
            if at in done:
                continue
            done[at] = False
            stack.append((at, True))
            for value in needs(nodes[at]):
                ask(value, title(nodes[at]))
    return order


def title(node: Any) -> str:
    """What to call a node in messages."""
    own = f" {shortened(node.name, 60)}" if node.name else ""
    return f"the node{own} ({shortened(node.op_type, 40)})"
