"""Further elementwise functions."""

from __future__ import annotations

import math
from typing import Any

from gradviz.onnx.builder import Builder
from gradviz.onnx.registry import refuses, writes
from gradviz.onnx.value import Value
from gradviz.onnx.write.elementwise import LARGEST, log1p, negative

refuses("runtimes draw from generators of their own; `model.eval()` leaves dropout out", "random")


@writes("logaddexp")
def logaddexp(b: Builder, lhs: Value, rhs: Value) -> Any:
    gap = b.Abs(lhs - rhs)
    # Of two equal infinities the difference is no number.
    soft = b.Where(b.Equal(lhs, rhs), math.log(2.0), log1p(b, b.Exp(-gap)))
    return b.Max(lhs, rhs) + soft


@writes("logaddexp2")
def logaddexp2(b: Builder, lhs: Value, rhs: Value) -> Any:
    gap = b.Abs(lhs - rhs)
    halved = log1p(b, b.Exp(gap * -math.log(2.0))) * (1.0 / math.log(2.0))
    return b.Max(lhs, rhs) + b.Where(b.Equal(lhs, rhs), 1.0, halved)


def xlogy(b: Builder, lhs: Value, rhs: Value) -> Any:
    """x log y, which is 0 where x is."""
    zero = b.And(b.Equal(lhs, 0.0), b.Not(b.IsNaN(rhs)))
    return lhs * b.Log(b.Where(zero, b.constant(1.0, rhs.dtype), rhs))


@writes("xlogy")
def write_xlogy(b: Builder, lhs: Value, rhs: Value) -> Any:
    return xlogy(b, lhs, rhs)


@writes("copysign")
def copysign(b: Builder, lhs: Value, rhs: Value) -> Any:
    size = b.Abs(lhs)
    return b.Where(negative(b, rhs), -size, size)


@writes("heaviside")
def heaviside(b: Builder, lhs: Value, rhs: Value) -> Any:
    step = b.Where(b.Equal(lhs, 0), rhs, b.cast(lhs > 0, lhs.dtype))
    return b.Where(b.IsNaN(lhs), lhs, step) if lhs.is_float else step


@writes("fmax", "fmin")
def extreme(b: Builder, lhs: Value, rhs: Value) -> Any:
    best = b.op("Max" if b.row.name == "fmax" else "Min", lhs, rhs)
    if lhs.is_whole:
        return best
    return b.Where(b.IsNaN(lhs), rhs, b.Where(b.IsNaN(rhs), lhs, best))


@writes("signbit")
def signbit(b: Builder, x: Value) -> Any:
    return negative(b, x)


@writes("deg2rad")
def deg2rad(b: Builder, x: Value) -> Any:
    return x * (math.pi / 180.0)


@writes("rad2deg")
def rad2deg(b: Builder, x: Value) -> Any:
    return x * (180.0 / math.pi)


@writes("sinc")
def sinc(b: Builder, x: Value) -> Any:
    one = b.constant(1.0, x.dtype)
    zero = b.Equal(x, 0.0)
    angle = b.Where(zero, one, x * math.pi)
    return b.Where(zero, one, b.Sin(angle) / angle)


@writes("erfc")
def erfc(b: Builder, x: Value) -> Any:
    return 1.0 - b.Erf(x)


@writes("logit")
def logit(b: Builder, x: Value) -> Any:
    return b.Log(x / (1.0 - x))


@writes("nan_to_num")
def nan_to_num(b: Builder, x: Value, nan: float, posinf: float | None, neginf: float | None) -> Any:
    if x.is_whole:
        return x
    high = LARGEST[x.dtype] if posinf is None else posinf
    low = -LARGEST[x.dtype] if neginf is None else neginf
    solid = b.Where(b.IsNaN(x), b.constant(nan, x.dtype), x)
    solid = b.Where(b.Equal(x, math.inf), b.constant(high, x.dtype), solid)
    return b.Where(b.Equal(x, -math.inf), b.constant(low, x.dtype), solid)


@writes("lerp")
def lerp(b: Builder, x: Value, end: Value, weight: Value) -> Any:
    return x + weight * (end - x)


@writes("addcmul")
def addcmul(b: Builder, x: Value, tensor1: Value, tensor2: Value, value: float) -> Any:
    product = tensor1 * tensor2
    return x + (product if value == 1 else product * value)


@writes("addcdiv")
def addcdiv(b: Builder, x: Value, tensor1: Value, tensor2: Value, value: float) -> Any:
    return x + (tensor1 if value == 1 else tensor1 * value) / tensor2
