"""GraphIr: a recorded program as data."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import CodeType
from typing import Any

from gradviz.core.context import Context, origin
from gradviz.core.source import SourceSpan, span


@dataclass(frozen=True, slots=True)
class TensorIr:
    """One value of the program: its number, shape, dtype name and the user's name for it."""

    id: int
    shape: tuple[int, ...]
    dtype: str
    name: str | None = None

    def __str__(self) -> str:
        label = f"%{self.id}" if self.name is None else f"%{self.id}:{self.name}"
        return f"{label} {self.dtype}[{', '.join(map(str, self.shape))}]"


@dataclass(frozen=True, slots=True)
class OperationIr:
    """One recorded operation: `outputs = op(inputs, **attributes)`; -1 is an absent input."""

    op: str
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    attributes: tuple[tuple[str, Any], ...] = ()
    place: tuple[CodeType | None, int, Context] | None = field(default=None, compare=False)

    @property
    def source(self) -> SourceSpan | None:
        """The user's expression that was recorded."""
        if self.place is None:
            return None
        return span(*origin(*self.place))


@dataclass(slots=True)
class GraphIr:
    """A program: operations in order, over tensors addressed by number."""

    tensors: dict[int, TensorIr] = field(default_factory=dict)
    operations: list[OperationIr] = field(default_factory=list)
    constants: dict[int, Any] = field(default_factory=dict)
    inputs: list[int] = field(default_factory=list)
    outputs: list[int] = field(default_factory=list)

    def __str__(self) -> str:
        lines = ["inputs:"]
        lines += [f"  {self.tensors[number]}" for number in self.inputs]
        if self.constants:
            lines.append("constants:")
            lines += [f"  {self.tensors[number]}" for number in self.constants]
        lines.append("operations:")
        for operation in self.operations:
            left = ", ".join(str(self.tensors[number]) for number in operation.outputs)
            given = [f"%{number}" if number >= 0 else "None" for number in operation.inputs]
            given += [f"{name}={value!r}" for name, value in operation.attributes]
            source = operation.source
            note = (
                ""
                if source is None
                else f"    # {source.text.splitlines()[0] if source.text else source}"
            )
            lines.append(f"  {left} = {operation.op}({', '.join(given)}){note}")
        lines.append("outputs:")
        lines += [f"  {self.tensors[number]}" for number in self.outputs]
        return "\n".join(lines)
