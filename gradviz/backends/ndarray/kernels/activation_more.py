"""Further activations."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.backends.ndarray.blocks import select
from gradviz.backends.ndarray.kernels import elementwise
from gradviz.ops.constants import SELU_ALPHA, SELU_SCALE

Array = Any


def mish(x: Array) -> Array:
    return x * np.tanh(elementwise.softplus(x, 1.0, 20.0))


def softsign(x: Array) -> Array:
    return x / (1 + np.abs(x))


def tanhshrink(x: Array) -> Array:
    return x - np.tanh(x)


def hardsigmoid(x: Array) -> Array:
    return np.clip(x * (1.0 / 6.0) + 0.5, 0.0, 1.0)


def hardswish(x: Array) -> Array:
    return x * hardsigmoid(x)


def relu6(x: Array) -> Array:
    return np.clip(x, 0, 6)


def selu(x: Array) -> Array:
    low = (SELU_SCALE * SELU_ALPHA) * np.expm1(np.minimum(x, 0))
    return select(x > 0, x * SELU_SCALE, low)


def celu(x: Array, alpha: float) -> Array:
    return select(x > 0, x, alpha * np.expm1(np.minimum(x, 0) / alpha))


def hardtanh(x: Array, min_val: float, max_val: float) -> Array:
    return np.clip(x, min_val, max_val)


def hardshrink(x: Array, lambd: float) -> Array:
    return select(np.abs(x) <= lambd, x.dtype.type(0), x)


def softshrink(x: Array, lambd: float) -> Array:
    return shrink(x, lambd, lambd)


def shrink(x: Array, lambd: float, bias: float) -> Array:
    zero = select(np.isnan(x), x, x.dtype.type(0))
    return select(x > lambd, x - bias, select(x < -lambd, x + bias, zero))


def threshold(x: Array, threshold: float, value: float) -> Array:
    return select(x > threshold, x, np.asarray(value, x.dtype))


def prelu(x: Array, weight: Array) -> Array:
    return select(x > 0, x, x * weight)


def quiet_softmax(x: Array, dim: int) -> Array:
    if not x.ndim:
        return quiet_softmax(x.reshape(1), 0).reshape(())
    if not x.size:
        return x
    # The one is exp(0), which takes part in the shift like any other.
    top = np.maximum(np.maximum.reduce(x, axis=dim, keepdims=True), 0)
    out = np.exp(x - top)
    out /= np.add.reduce(out, axis=dim, keepdims=True) + np.exp(-top)
    return out
