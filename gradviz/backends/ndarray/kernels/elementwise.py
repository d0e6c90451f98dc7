"""Elementwise arithmetic, activations, limits and casts."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradviz.backends.ndarray.blocks import select, where_nonzero
from gradviz.backends.ndarray.erf import erf as erf

Array = Any

where = select
isnan, isinf, isfinite = np.isnan, np.isinf, np.isfinite


def gate(g: Array, out: Array) -> Array:
    """`g` where the result of a relu isn't 0, 0 elsewhere."""
    return where_nonzero(out, g)


def pow_scalar(x: Array, exponent: float) -> Array:
    if exponent == 2:
        return np.multiply(x, x)
    return np.power(x, exponent)


def square(x: Array) -> Array:
    return np.multiply(x, x)


def rsqrt(x: Array) -> Array:
    return np.reciprocal(np.sqrt(x))


def frac(x: Array) -> Array:
    return x - np.trunc(x)


def floor(x: Array) -> Array:
    return np.floor(x) if x.dtype.kind == "f" else x


def ceil(x: Array) -> Array:
    return np.ceil(x) if x.dtype.kind == "f" else x


def trunc(x: Array) -> Array:
    return np.trunc(x) if x.dtype.kind == "f" else x


def round(x: Array) -> Array:
    return np.rint(x) if x.dtype.kind == "f" else x


def sign(x: Array) -> Array:
    return x if x.dtype.kind == "b" else np.sign(x)


def _whole_divisor(rhs: Array) -> Array:
    # NumPy answers 0; PyTorch, and we, refuse.
    if rhs.dtype.kind in "iub" and not np.all(rhs):
        raise ZeroDivisionError("whole numbers can't be divided by 0")
    return rhs


def fmod(lhs: Array, rhs: Array) -> Array:
    return np.fmod(lhs, _whole_divisor(rhs))


def remainder(lhs: Array, rhs: Array) -> Array:
    return np.remainder(lhs, _whole_divisor(rhs))


def floor_divide(lhs: Array, rhs: Array) -> Array:
    return np.floor_divide(lhs, _whole_divisor(rhs))


def sigmoid(x: Array) -> Array:
    # exp overflows to infinity for large negative numbers, and 1 / inf is the 0 that is meant;
    # half precision would overflow, and lose digits, much too early.
    if x.dtype == np.float16:
        return sigmoid(x.astype(np.float32)).astype(np.float16)
    out = np.exp(-x)
    out += 1.0
    return np.reciprocal(out)


def logsigmoid(x: Array) -> Array:
    return np.minimum(x, 0) - np.log1p(np.exp(-np.abs(x)))


def relu(x: Array) -> Array:
    return np.maximum(x, 0)


def silu(x: Array) -> Array:
    return x * sigmoid(x)


def gelu(x: Array, approximate: str) -> Array:
    if approximate == "none":
        out = erf(x * math.sqrt(0.5))
    else:
        out = np.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * x * x * x))
    out += 1.0
    out *= 0.5 * x
    return out


def leaky_relu(x: Array, negative_slope: float) -> Array:
    return select(x > 0, x, x * negative_slope)


def elu(x: Array, alpha: float) -> Array:
    return select(x > 0, x, alpha * np.expm1(np.minimum(x, 0)))


def softplus(x: Array, beta: float, threshold: float) -> Array:
    scaled = x * beta
    soft = np.maximum(scaled, 0) + np.log1p(np.exp(-np.abs(scaled)))
    return select(scaled > threshold, x, soft / beta)


def clamp(x: Array, min: float | None, max: float | None) -> Array:
    if x.dtype.kind in "iu":
        ends = np.iinfo(x.dtype)
        min = None if min is None else sorted((ends.min, int(min), ends.max))[1]
        max = None if max is None else sorted((ends.min, int(max), ends.max))[1]
    return np.clip(x, min, max)


def inside(x: Array, min: float | None, max: float | None) -> Array:
    if min is None:
        return x <= max
    return x >= min if max is None else (x >= min) & (x <= max)


def masked_fill(x: Array, mask: Array, value: float) -> Array:
    return select(mask, np.asarray(value, dtype=x.dtype), x)


def cast(x: Array, dtype: Any) -> Array:
    return x.astype(dtype)


def zeros_at(g: Array, index: Array) -> Array:
    return np.zeros(index.shape, g.dtype)
