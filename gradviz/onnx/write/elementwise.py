"""Arithmetic, roundings, exponentials and casts."""

from __future__ import annotations

import math
from typing import Any

from gradviz.onnx.builder import Builder, InexpressibleError
from gradviz.onnx.registry import plain, writes
from gradviz.onnx.value import Value

_LIMITS = {
    f"{sign}int{bits}": ((0, 2**bits - 1) if sign else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1))
    for sign in ("", "u")
    for bits in (8, 16, 32, 64)
}
"""The smallest and the largest number of every dtype of whole numbers."""
LARGEST = {"float16": 65504.0, "float32": 3.4028234663852886e38, "float64": 1.7976931348623157e308}
"""The largest number of every floating point dtype."""


def limits(dtype: str) -> tuple[int, int]:
    """The smallest and the largest number of a dtype of whole numbers."""
    return _LIMITS[dtype]


def negative(b: Builder, x: Value) -> Value:
    """Whether numbers have a minus sign, that of a negative zero included."""
    below = x < 0
    return below | (b.Reciprocal(x) < 0.0) if x.is_float else below


def log1p(b: Builder, x: Value) -> Value:
    """log(1 + x) with all its digits near 0."""
    if x.dtype == "float64":
        # The runtime has no hyperbolic functions of this width. What is lost when 1 is added is
        # lost in the logarithm and in the difference alike.
        grown = x + 1.0
        gap = grown - 1.0
        flat = b.Or(b.Equal(gap, 0.0), b.IsInf(grown))
        part = x / b.Where(flat, b.constant(1.0, x.dtype), gap)
        return _chosen(b.Where(flat, x, b.Log(grown) * part))
    near = b.Atanh(x / (x + 2.0)) * 2.0
    return _chosen(b.Where(b.Abs(x) < 0.5, near, b.Log(x + 1.0)))


def expm1(b: Builder, x: Value) -> Value:
    """exp(x) - 1 with all its digits near 0."""
    return _chosen((b.Exp(x) + 1.0) * b.Tanh(x * 0.5))


def trunc(b: Builder, x: Value) -> Value:
    """The part before the point."""
    return x if x.is_whole else _chosen(b.Sign(x) * b.Floor(b.Abs(x)))


def _chosen(value: Any) -> Value:
    made: Value = value
    return made


@writes("sub")
def sub(b: Builder, lhs: Value, rhs: Value) -> Value:
    return lhs - rhs


@writes("floor", "ceil", "round")
def rounding(b: Builder, x: Value) -> Value:
    return _chosen(plain(b, x)) if x.is_float else x


@writes("sign")
def sign(b: Builder, x: Value) -> Value:
    return x if x.dtype == "bool" else _chosen(plain(b, x))


@writes("trunc")
def write_trunc(b: Builder, x: Value) -> Value:
    return trunc(b, x)


@writes("frac")
def frac(b: Builder, x: Value) -> Value:
    return x - trunc(b, x)


@writes("relu")
def relu(b: Builder, x: Value) -> Value:
    # The runtime has no kernel for long whole numbers.
    return _chosen(b.Relu(x) if x.is_float else b.Max(x, 0))


@writes("square")
def square(b: Builder, x: Value) -> Value:
    return x * x


@writes("pow_scalar")
def pow_scalar(b: Builder, x: Value, exponent: float) -> Value:
    if exponent == 2:
        return x * x
    whole = x.is_whole and exponent == int(exponent)
    return _chosen(b.Pow(x, b.constant(exponent, "int64") if whole else exponent))


@writes("expm1")
def write_expm1(b: Builder, x: Value) -> Value:
    return expm1(b, x)


@writes("log1p")
def write_log1p(b: Builder, x: Value) -> Value:
    return log1p(b, x)


@writes("exp2")
def exp2(b: Builder, x: Value) -> Value:
    return _chosen(b.Pow(2.0, x) if x.dtype != "float16" else b.Exp(x * math.log(2.0)))


@writes("log2")
def log2(b: Builder, x: Value) -> Value:
    return _chosen(b.Log(x)) * (1.0 / math.log(2.0))


@writes("log10")
def log10(b: Builder, x: Value) -> Value:
    return _chosen(b.Log(x)) * (1.0 / math.log(10.0))


@writes("rsqrt")
def rsqrt(b: Builder, x: Value) -> Value:
    return _chosen(b.Reciprocal(b.Sqrt(x)))


def remainder(b: Builder, lhs: Value, rhs: Value) -> Value:
    """What a division leaves, with the sign of the divisor."""
    if lhs.is_whole:
        return _chosen(b.Mod(lhs, rhs))
    rest = _chosen(b.Mod(lhs, rhs, fmod=1))
    wrong = b.And(b.Not(b.Equal(rest, 0.0)), b.Xor(rest < 0.0, rhs < 0.0))
    return _chosen(b.Where(wrong, rest + rhs, rest))


@writes("remainder")
def write_remainder(b: Builder, lhs: Value, rhs: Value) -> Value:
    return remainder(b, lhs, rhs)


@writes("fmod")
def fmod(b: Builder, lhs: Value, rhs: Value) -> Value:
    return _chosen(b.Mod(lhs, rhs, fmod=1))


@writes("floor_divide")
def floor_divide(b: Builder, lhs: Value, rhs: Value) -> Value:
    whole = (lhs - remainder(b, lhs, rhs)) / rhs
    if lhs.is_whole:
        return whole
    return _chosen(b.Where(b.Equal(rhs, 0.0), lhs / rhs, b.Round(whole)))


@writes("atan2")
def atan2(b: Builder, lhs: Value, rhs: Value) -> Value:
    below = negative(b, lhs)
    slope = b.Atan(lhs / rhs)
    turned = slope + b.Where(below, -math.pi, b.constant(math.pi, lhs.dtype))
    quarter = b.Where(lhs > 0.0, math.pi / 2, b.constant(-math.pi / 2, lhs.dtype))
    # On the axis through 0 a zero has only its sign to say where it points.
    flat = b.Where(negative(b, rhs), b.constant(math.pi, lhs.dtype), b.constant(0.0, lhs.dtype))
    level = b.Where(below, -flat, flat)
    upright = b.Where(b.Equal(lhs, 0.0), level, quarter)
    return _chosen(b.Where(rhs > 0.0, slope, b.Where(rhs < 0.0, turned, upright)))


@writes("hypot")
def hypot(b: Builder, lhs: Value, rhs: Value) -> Value:
    left, right = b.Abs(lhs), b.Abs(rhs)
    # Scaled by the longer side, so that squares don't overflow.
    longer, shorter = b.Max(left, right), b.Min(left, right)
    ratio = shorter / b.Where(b.Equal(longer, 0.0), b.constant(1.0, lhs.dtype), longer)
    return _chosen(longer * b.Sqrt(ratio * ratio + 1.0))


@writes("cast", "cast_discrete")
def cast(b: Builder, x: Value, dtype: Any) -> Value:
    wanted = b.out[0].dtype
    if x.is_float and wanted == "uint64":
        raise InexpressibleError("casts of floating point numbers to uint64 differ by machine")
    return b.cast(x, wanted)


@writes("where")
def where(b: Builder, condition: Value, x: Value, other: Value) -> Value:
    return _chosen(plain(b, condition, x, other))


@writes("masked_fill")
def masked_fill(b: Builder, x: Value, mask: Value, value: float) -> Value:
    return _chosen(b.Where(mask, b.constant(value, x.dtype), x))


@writes("clamp")
def clamp(b: Builder, x: Value, min: float | None, max: float | None) -> Value:
    if x.is_whole:
        low, high = limits(x.dtype)
        min = None if min is None else sorted((low, int(min), high))[1]
        max = None if max is None else sorted((low, int(max), high))[1]
    if min is not None and max is not None and min > max:
        min = max  # as NumPy does, whatever a runtime makes of it
    return _chosen(b.Clip(x, min, max))
