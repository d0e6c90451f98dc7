"""Running products, extremes and sums of exponentials, and their adjoints."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.backends.ndarray.widening import sum_dtype

Array = Any


def cumprod(x: Array, dim: int) -> Array:
    if not x.ndim:
        return x.astype(sum_dtype(x))
    return np.cumprod(x, axis=dim, dtype=sum_dtype(x))


def _total_from(values: Array, dim: int) -> Array:
    """At each place the sum of what stands there and after it."""
    return np.flip(np.cumsum(np.flip(values, dim), axis=dim, dtype=values.dtype), dim)


def cumprod_backward(g: Array, x: Array, out: Array, dim: int) -> Array:
    """Before a lane's first zero the usual quotient, at it the product without it, after it 0."""
    if not x.ndim:
        return g
    zeros = x == 0
    if not zeros.any():
        return _total_from(g * out, dim) / x
    one = x.dtype.type(1)
    seen = np.cumsum(zeros, axis=dim)
    first = zeros & (seen == 1)
    without = np.cumprod(np.where(first, one, x), axis=dim)
    before = _total_from(g * out, dim) / np.where(zeros, one, x)
    at_first = _total_from(g * without, dim)
    return np.where(first, at_first, np.where(seen == 0, before, x.dtype.type(0)))


def _running(x: Array, dim: int, best: Any) -> tuple[Array, Array]:
    if not x.ndim:
        return x, np.zeros((), np.int64)
    values = best.accumulate(x, axis=dim)
    hits = x == values
    if x.dtype.kind == "f":
        hits |= np.isnan(x)
    shape = [-1 if axis == dim else 1 for axis in range(x.ndim)]
    places = np.where(hits, np.arange(x.shape[dim]).reshape(shape), 0)
    return values, np.maximum.accumulate(places, axis=dim)


def cummax(x: Array, dim: int) -> tuple[Array, Array]:
    return _running(x, dim, np.maximum)


def cummin(x: Array, dim: int) -> tuple[Array, Array]:
    return _running(x, dim, np.minimum)


def logcumsumexp(x: Array, dim: int) -> Array:
    return np.logaddexp.accumulate(x, axis=dim) if x.ndim else x


def logcumsumexp_backward(g: Array, x: Array, out: Array, dim: int) -> Array:
    """exp(x_i) times the sum over j >= i of g_j exp(-out_j), in logarithms for either sign of g."""
    if not x.ndim:
        return g
    parts = []
    for part in (np.maximum(g, 0), np.maximum(-g, 0)):
        with np.errstate(divide="ignore"):
            logs = np.flip(np.log(part) - out, dim)
        parts.append(np.exp(np.flip(logcumsumexp(logs, dim), dim) + x))
    return parts[0] - parts[1]
