"""Comparisons, logic and bits."""

from __future__ import annotations

from typing import Any

from gradviz.onnx.builder import Builder
from gradviz.onnx.registry import writes
from gradviz.onnx.value import Value
from gradviz.onnx.write.elementwise import remainder


@writes("ne")
def ne(b: Builder, lhs: Value, rhs: Value) -> Any:
    return ~b.Equal(lhs, rhs)


@writes("logical_and", "logical_or", "logical_xor")
def logical(b: Builder, lhs: Value, rhs: Value) -> Any:
    kind = b.row.name.removeprefix("logical_").capitalize()
    return b.op(kind, b.cast(lhs, "bool"), b.cast(rhs, "bool"))


@writes("logical_not")
def logical_not(b: Builder, x: Value) -> Any:
    return ~b.cast(x, "bool")


def _never(b: Builder, x: Value) -> Any:
    return ~b.Equal(x, x)


@writes("isnan")
def isnan(b: Builder, x: Value) -> Any:
    return b.IsNaN(x) if x.is_float else _never(b, x)


@writes("isinf")
def isinf(b: Builder, x: Value) -> Any:
    return b.IsInf(x) if x.is_float else _never(b, x)


@writes("isfinite")
def isfinite(b: Builder, x: Value) -> Any:
    return ~(b.IsNaN(x) | b.IsInf(x)) if x.is_float else b.Equal(x, x)


@writes("bitwise_and", "bitwise_or", "bitwise_xor")
def bitwise(b: Builder, lhs: Value, rhs: Value) -> Any:
    kind = b.row.name.removeprefix("bitwise_").capitalize()
    return b.op(kind if lhs.dtype == "bool" else f"Bitwise{kind}", lhs, rhs)


@writes("bitwise_not")
def bitwise_not(b: Builder, x: Value) -> Any:
    return ~x if x.dtype == "bool" else b.BitwiseNot(x)


@writes("bitwise_left_shift")
def left_shift(b: Builder, lhs: Value, rhs: Value) -> Any:
    if lhs.dtype.startswith("uint"):
        return b.BitShift(lhs, rhs, direction="LEFT")
    return lhs * b.Pow(2, rhs)


@writes("bitwise_right_shift")
def right_shift(b: Builder, lhs: Value, rhs: Value) -> Any:
    if lhs.dtype.startswith("uint"):
        return b.BitShift(lhs, rhs, direction="RIGHT")
    power = b.Pow(2, rhs)
    return (lhs - remainder(b, lhs, power)) / power
