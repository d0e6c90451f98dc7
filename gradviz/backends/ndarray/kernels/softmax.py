"""Softmax and its like."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.backends.ndarray.rows import row_sums

Array = Any
Dims = tuple[int, ...]
_add_reduce: Any = np.add.reduce
_max_reduce: Any = np.maximum.reduce


def softmax(x: Array, dim: int) -> Array:
    if x.ndim == 0:
        return np.exp(x - x)
    if x.size == 0:
        return x
    out = np.exp(x - _max_reduce(x, axis=dim, keepdims=True))
    out /= _sums(out, dim)
    return out


def _sums(x: Array, dim: int) -> Array:
    """The sums along a dimension, which stays with size 1."""
    return row_sums(x) if dim == x.ndim - 1 else _add_reduce(x, axis=dim, keepdims=True)


def log_softmax(x: Array, dim: int) -> Array:
    if x.ndim == 0:
        return x - x
    if x.size == 0:
        return x
    out = x - _max_reduce(x, axis=dim, keepdims=True)
    out -= np.log(_sums(np.exp(out), dim))
    return out


def logsumexp(x: Array, dims: Dims, keepdim: bool) -> Array:
    top = _max_reduce(x, axis=dims, keepdims=True) if x.size else np.zeros(1, x.dtype)
    top = np.where(np.isfinite(top), top, x.dtype.type(0))
    out = np.log(_add_reduce(np.exp(x - top), axis=dims, keepdims=True)) + top
    return out if keepdim else out.reshape([n for at, n in enumerate(x.shape) if at not in dims])
