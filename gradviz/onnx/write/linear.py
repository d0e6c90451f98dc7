"""Matrix products and linear algebra."""

from __future__ import annotations

from typing import Any

from gradviz.onnx.builder import Builder
from gradviz.onnx.registry import plain, refuses, writes
from gradviz.onnx.value import Value

refuses("ONNX can't solve systems of equations", "inv", "solve", "cholesky")


@writes("linear")
def linear(b: Builder, x: Value, weight: Value, bias: Value | None) -> Any:
    flat = x.rank == 2 and weight.rank == 2
    if flat and x.is_float and (bias is None or bias.rank <= 2):
        return plain(b, x, weight, bias, transB=1)
    order = list(range(weight.rank))
    if weight.rank > 1:
        order[-2:] = order[:-3:-1]
    out = b.MatMul(x, b.transpose(weight, order))
    return out if bias is None else out + bias


@writes("cross")
def cross(b: Builder, lhs: Value, rhs: Value, dim: int) -> Any:
    def turned(x: Value, order: list[int]) -> Any:
        return b.Gather(x, order, axis=dim)

    ahead, behind = [1, 2, 0], [2, 0, 1]
    return turned(lhs, ahead) * turned(rhs, behind) - turned(lhs, behind) * turned(rhs, ahead)


@writes("det")
def det(b: Builder, x: Value) -> Any:
    return b.Det(x)


@writes("slogdet")
def slogdet(b: Builder, x: Value) -> Any:
    found = b.Det(x)
    return b.Log(b.Abs(found)), b.Sign(found)
