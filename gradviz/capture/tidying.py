"""A program without what it doesn't need: equal operations once, and nothing nobody asks for."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import Any, Final

from gradviz.ir.graph import GraphIr, OperationIr

_SMALL: Final = 16
"""Elements up to which unnamed constants are compared by their contents."""


def tidied(graph: GraphIr) -> GraphIr:
    """The same program, shorter: its inputs and outputs, their order and their names stay."""
    same: dict[int, int] = {}
    firsts: dict[Hashable, int] = {}
    for number, array in graph.constants.items():
        known = graph.tensors[number]
        if known.name is None and array is not None and array.size <= _SMALL:
            first = firsts.setdefault((known.dtype, known.shape, array.tobytes()), number)
            if first != number:
                same[number] = first
    kept: list[OperationIr] = []
    seen: dict[Hashable, OperationIr] = {}
    for operation in graph.operations:
        inputs = tuple(same.get(number, number) for number in operation.inputs)
        key = (operation.op, inputs, _key(operation.attributes))
        before = seen.get(key)
        if before is not None and not _is_output(graph, operation):
            same.update(zip(operation.outputs, before.outputs, strict=True))
            continue
        made = replace(operation, inputs=inputs)
        seen.setdefault(key, made)
        kept.append(made)
    return _without_dead(graph, kept)


def _is_output(graph: GraphIr, operation: OperationIr) -> bool:
    """Whether an operation gives an output: outputs are values of their own."""
    return any(number in graph.outputs for number in operation.outputs)


def _key(value: Any) -> Hashable:
    """Something equal for equal attributes, and only for them."""
    if isinstance(value, tuple | list):
        return (type(value).__name__, *map(_key, value))
    if isinstance(value, slice):
        return ("slice", value.start, value.stop, value.step)
    if hasattr(value, "tobytes"):
        return (value.dtype.str, value.shape, value.tobytes())
    # 1, 1.0 and True are equal, and so are 0.0 and -0.0; as attributes they aren't.
    return (type(value).__name__, repr(value))


def _without_dead(graph: GraphIr, operations: list[OperationIr]) -> GraphIr:
    needed = set(graph.outputs)
    alive: list[OperationIr] = []
    for operation in reversed(operations):
        if needed.intersection(operation.outputs):
            alive.append(operation)
            needed.update(operation.inputs)
    alive.reverse()
    for operation in alive:
        needed.update(operation.outputs)
    needed.update(graph.inputs)
    return GraphIr(
        tensors={number: known for number, known in graph.tensors.items() if number in needed},
        operations=alive,
        constants={n: array for n, array in graph.constants.items() if n in needed},
        inputs=list(graph.inputs),
        outputs=list(graph.outputs),
    )
