"""A program as text: a listing with shapes, scopes and the lines that were recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gradviz.ir.graph import GraphIr, OperationIr

_LONGEST_VALUE = 200


def listing(graph: GraphIr) -> str:
    """The whole program; operations of one scope stand under its path."""
    lines = ["inputs:"]
    lines += [f"  {graph.tensors[number]}" for number in graph.inputs]
    if graph.constants:
        lines.append("constants:")
        lines += [f"  {graph.tensors[number]}" for number in graph.constants]
    lines.append("operations:")
    shown: tuple[Any, ...] = ()
    for operation in graph.operations:
        path = operation.scopes
        serials = tuple(scope.serial for scope in path)
        if serials != shown:
            for depth, scope in enumerate(path):
                if serials[: depth + 1] != shown[: depth + 1]:
                    lines.append(f"  {'  ' * depth}{scope.label}:")
            shown = serials
        lines.append("  " + "  " * len(path) + statement(graph, operation))
    lines.append("outputs:")
    lines += [f"  {graph.tensors[number]}" for number in graph.outputs]
    return "\n".join(lines)


def statement(graph: GraphIr, operation: OperationIr) -> str:
    """One operation as a line, with its source behind it."""
    left = ", ".join(str(graph.tensors[number]) for number in operation.outputs)
    given = [f"%{number}" if number >= 0 else "None" for number in operation.inputs]
    given += attributes_text(operation)
    line = f"{left} = {operation.op}({', '.join(given)})"
    source = operation.source
    if source is None:
        return line
    text = source.text.splitlines()[0] if source.text else str(source)
    return f"{line}    # {source.line}: {text}" if source.text else f"{line}    # {text}"


def attributes_text(operation: OperationIr) -> list[str]:
    """The attributes as Python writes arguments."""
    return [f"{name}={_short(value)}" for name, value in operation.attributes]


def _short(value: Any) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= _LONGEST_VALUE else text[: _LONGEST_VALUE - 1] + "\u2026"
