"""What is written of a program, and in which larger pieces where the format has a name for one.

Batch normalization with known statistics is recorded as the arithmetic it is. Written as the one
node it stands for, a network reads as it was built, and runtimes fold it into the convolution.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gradviz.ir.graph import GraphIr, OperationIr
from gradviz.onnx.builder import Builder
from gradviz.ops.size import Size


@dataclass(frozen=True, slots=True)
class Piece:
    """One operation to write, or several that are written as one.

    Attributes:
        operation: the operation, of several the last.
        inputs: numbers of what it needs.
        write: how it is written; None for the way of its row.
        name: what its node is called; "" for the name of its row.
    """

    operation: OperationIr
    inputs: tuple[int, ...]
    write: Callable[..., Any] | None = None
    name: str = ""


def pieces(graph: GraphIr) -> list[Piece]:
    """The operations that an output depends on, as they are written."""
    found = _Patterns(graph)
    wanted = set(graph.outputs)
    kept = []
    for operation in reversed(graph.operations):
        if wanted.isdisjoint(operation.outputs):
            continue
        piece = (
            found.batch_norm(operation)
            or found.amount(operation)
            or Piece(operation, operation.inputs)
        )
        wanted.update(piece.inputs)
        kept.append(piece)
    return kept[::-1]


class _Patterns:
    """Looks for operations that belong together."""

    def __init__(self, graph: GraphIr) -> None:
        self.graph = graph
        self.maker = {number: item for item in graph.operations for number in item.outputs}
        self.uses = Counter(number for item in graph.operations for number in item.inputs)
        self.uses.update(graph.outputs)

    def batch_norm(self, operation: OperationIr) -> Piece | None:
        """`(x - mean) * (1 / sqrt(var + eps) * weight) + bias`, all but `x` constants."""
        shift = self._lined(operation.inputs[1]) if operation.op == "add" else None
        scaled = self._made(operation.inputs[0], "mul") if shift is not None else None
        if scaled is None:
            return None
        away = self._made(scaled.inputs[0], "sub")
        factor = self._made(scaled.inputs[1], "mul")
        mean = self._lined(away.inputs[1]) if away is not None else None
        if away is None or factor is None or mean is None:
            return None
        x = away.inputs[0]
        for at in (0, 1):
            rstd = self._made(factor.inputs[at], "rsqrt", once=False)
            weight = self._lined(factor.inputs[1 - at])
            spread = self._made(rstd.inputs[0], "add", once=False) if rstd is not None else None
            if spread is None or weight is None:
                continue
            var, eps = self._lined(spread.inputs[0]), self._number(spread.inputs[1])
            if var is None or eps is None:
                continue
            parts = (weight, shift, mean, var)
            if self._fit(x, operation.outputs[0], parts):
                return Piece(operation, (x, *parts), _writer(eps), "batch_norm")  # type: ignore[arg-type]
        return None

    def amount(self, operation: OperationIr) -> Piece | None:
        """The sum of as many ones as a size that was left open says: that size."""
        ones = self._made(operation.inputs[0], "expand", once=False) if operation.inputs else None
        if operation.op != "sum" or ones is None or self._number(ones.inputs[0]) != 1:
            return None
        shape = self.graph.tensors[ones.outputs[0]].shape
        made = self.graph.tensors[operation.outputs[0]]
        if made.shape or len(shape) != 1 or not isinstance(shape[0], Size):
            return None
        return Piece(operation, (), _size(shape[0], made.dtype), "size")

    def _made(self, number: int, op: str, *, once: bool = True) -> OperationIr | None:
        """What makes a value, where it is an operation of a name whose result is used once."""
        found = self.maker.get(number)
        if found is None or found.op != op or (once and self.uses[number] != 1):
            return None
        return found

    def _lined(self, number: int) -> int | None:
        """The constant vector that a value lays along dimension 1."""
        found = self.maker.get(number)
        if found is None or found.op != "reshape" or found.inputs[0] not in self.graph.constants:
            return None
        vector = found.inputs[0]
        shape = self.graph.tensors[vector].shape
        laid = self.graph.tensors[number].shape
        if len(shape) != 1 or len(laid) < 2 or laid[1] != shape[0]:
            return None
        return vector if all(n == 1 for at, n in enumerate(laid) if at != 1) else None

    def _number(self, number: int) -> float | None:
        array = self.graph.constants.get(number)
        return float(array.item()) if array is not None and array.size == 1 else None

    def _fit(self, x: int, out: int, parts: tuple[int | None, ...]) -> bool:
        tensors = self.graph.tensors
        given = tensors[x]
        if given.shape != tensors[out].shape or len(given.shape) < 2:
            return False
        return all(
            part is not None
            and tensors[part].dtype == given.dtype
            and tensors[part].shape == (given.shape[1],)
            for part in parts
        )


def _size(size: Size, dtype: str) -> Callable[..., Any]:
    def write(b: Builder) -> Any:
        return b.number(size, dtype)

    return write


def _writer(eps: float) -> Callable[..., Any]:
    def write(b: Builder, x: Any, *parts: Any) -> Any:
        return b.BatchNormalization(x, *parts, epsilon=eps)

    return write
