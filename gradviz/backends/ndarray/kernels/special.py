"""Further elementwise functions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradviz.backends.ndarray import gamma
from gradviz.backends.ndarray.erf import erf, erfc

__all__ = ["erfc"]

Array = Any

lgamma = gamma.lgamma
polygamma = gamma.polygamma


def xlogy(lhs: Array, rhs: Array) -> Array:
    zero = lhs == 0
    out = lhs * np.log(np.where(zero & ~np.isnan(rhs), 1, rhs))
    return out.astype(np.result_type(lhs, rhs), copy=False)


def heaviside(lhs: Array, rhs: Array) -> Array:
    if lhs.dtype.kind == "f":
        return np.heaviside(lhs, rhs)
    return np.where(lhs == 0, rhs, lhs > 0).astype(lhs.dtype)


def signbit(x: Array) -> Array:
    return np.signbit(x) if x.dtype.kind == "f" else np.asarray(x < 0)


def deg2rad(x: Array) -> Array:
    return x * (math.pi / 180.0)


def rad2deg(x: Array) -> Array:
    return x * (180.0 / math.pi)


def sinc(x: Array) -> Array:
    return np.asarray(np.sinc(x), x.dtype)


def erfinv(x: Array) -> Array:
    """Winitzki's estimate, then Newton's method, of third order."""
    wide = np.asarray(x, np.float64)
    size = np.minimum(np.abs(wide), 1.0 - 1e-17)
    logs = np.log1p(-size * size)
    part = 2.0 / (math.pi * 0.147) + 0.5 * logs
    y = np.sqrt(np.sqrt(part * part - logs / 0.147) - part)
    for _ in range(3):
        # Near 1 the difference of the complements keeps the digits that erf has lost.
        gap = np.where(size > 0.5, (1.0 - size) - erfc(y), erf(y) - size)
        step = gap * (math.sqrt(math.pi) / 2.0) * np.exp(y * y)
        y = y - step / (1.0 + y * step)
    y = np.where(np.abs(wide) == 1.0, np.inf, np.where(np.abs(wide) > 1.0, np.nan, y))
    return np.copysign(y, wide).astype(x.dtype)


def logit(x: Array) -> Array:
    return np.log(x / (1 - x))


def nan_to_num(x: Array, nan: float, posinf: float | None, neginf: float | None) -> Array:
    if x.dtype.kind != "f":
        return x
    return np.nan_to_num(x, nan=nan, posinf=posinf, neginf=neginf)


def lerp(x: Array, end: Array, weight: Array) -> Array:
    return x + weight * (end - x)


def addcmul(x: Array, tensor1: Array, tensor2: Array, value: float) -> Array:
    return x + tensor1 * tensor2 * x.dtype.type(value)


def addcdiv(x: Array, tensor1: Array, tensor2: Array, value: float) -> Array:
    return x + tensor1 * value / tensor2
