"""Reductions and their adjoints."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradviz.backends.ndarray.rows import add_up, widened
from gradviz.backends.ndarray.selection import along
from gradviz.backends.ndarray.widening import sum_dtype

Array = Any
Dims = tuple[int, ...]
_add_reduce: Any = np.add.reduce
_multiply_reduce: Any = np.multiply.reduce
_max_reduce: Any = np.maximum.reduce
_min_reduce: Any = np.minimum.reduce


def sum(x: Array, dims: Dims, keepdim: bool) -> Array:
    if x.dtype.kind == "f":
        return add_up(x, dims, keepdim)
    return _add_reduce(x, axis=dims, keepdims=keepdim, dtype=sum_dtype(x))


def mean(x: Array, dims: Dims, keepdim: bool) -> Array:
    if x.size == 0 and _length(x, dims) == 0:
        # nan, as in PyTorch, and without NumPy's warning, which points into NumPy.
        return _add_reduce(x, axis=dims, keepdims=keepdim) * x.dtype.type(math.nan)
    if x.dtype.char not in "fd":
        return np.mean(x, axis=dims, keepdims=keepdim)
    # What NumPy's own does, without the Python around it.
    return _divided(add_up(x, dims, keepdim), _length(x, dims))


def _divided(total: Array, count: float) -> Array:
    """A fresh sum divided by a number, in its own memory."""
    return np.divide(total, count, out=total) if isinstance(total, np.ndarray) else total / count


def _length(x: Array, dims: Dims) -> int:
    """How many elements go into one result."""
    return math.prod(x.shape[at] for at in dims)


def prod(x: Array, dims: Dims, keepdim: bool) -> Array:
    return _multiply_reduce(x, axis=dims, keepdims=keepdim, dtype=sum_dtype(x))


def prod_backward(g: Array, x: Array, out: Array, dims: Dims, keepdim: bool) -> Array:
    """Gradient of a product: the product of the other elements, exact where elements are 0."""
    zeros = x == 0
    wide = spread(np.asarray(g), x.shape, dims, keepdim)
    if not zeros.any():
        return wide * spread(np.asarray(out), x.shape, dims, keepdim) / x
    solid = np.where(zeros, x.dtype.type(1), x)
    others = _multiply_reduce(solid, axis=dims, keepdims=True)
    holes = _add_reduce(zeros, axis=dims, keepdims=True, dtype=np.int64)
    without = np.where(holes == 0, others / solid, np.where((holes == 1) & zeros, others, 0))
    return wide * without.astype(x.dtype)


def norm(x: Array, p: float, dims: Dims, keepdim: bool) -> Array:
    size = np.abs(x)
    if p in (math.inf, -math.inf):
        return (_max_reduce if p > 0 else _min_reduce)(size, axis=dims, keepdims=keepdim)
    if p == 0:
        return _add_reduce(size != 0, axis=dims, keepdims=keepdim, dtype=x.dtype)
    if p == 1:
        return _add_reduce(size, axis=dims, keepdims=keepdim)
    if p == 2:
        return np.sqrt(add_up(np.multiply(x, x), dims, keepdim))
    return np.power(_add_reduce(np.power(size, p), axis=dims, keepdims=keepdim), 1.0 / p)


def amax(x: Array, dims: Dims, keepdim: bool) -> Array:
    return _max_reduce(x, axis=dims, keepdims=keepdim)


def amin(x: Array, dims: Dims, keepdim: bool) -> Array:
    return _min_reduce(x, axis=dims, keepdims=keepdim)


def var(x: Array, dims: Dims, correction: float, keepdim: bool) -> Array:
    if _length(x, dims) <= correction or x.size == 0:
        # Too few elements: nan or inf, as in PyTorch, and without NumPy's warnings.
        with np.errstate(all="ignore"):
            away = x - mean(x, dims, keepdim=True)
            squares = add_up(np.multiply(away, away), dims, keepdim)
            return np.divide(squares, x.dtype.type(0.0))
    if x.dtype.char not in "fd":
        return np.var(x, axis=dims, ddof=correction, keepdims=keepdim)
    count = _length(x, dims)
    away = x - mean(x, dims, keepdim=True)
    np.multiply(away, away, out=away)
    return _divided(add_up(away, dims, keepdim), count - correction)


def std(x: Array, dims: Dims, correction: float, keepdim: bool) -> Array:
    return np.sqrt(var(x, dims, correction, keepdim))


def any(x: Array, dims: Dims, keepdim: bool) -> Array:
    return np.any(x, axis=dims, keepdims=keepdim)


def all(x: Array, dims: Dims, keepdim: bool) -> Array:
    return np.all(x, axis=dims, keepdims=keepdim)


def argmax(x: Array, dim: int | None, keepdim: bool) -> Array:
    return np.asarray(x.argmax(axis=dim if x.ndim else None, keepdims=keepdim))


def argmin(x: Array, dim: int | None, keepdim: bool) -> Array:
    return np.asarray(x.argmin(axis=dim if x.ndim else None, keepdims=keepdim))


def max_dim(x: Array, dim: int, keepdim: bool) -> tuple[Array, Array]:
    indices = argmax(x, dim, keepdim)
    return pick(x, indices, dim, keepdim), indices


def min_dim(x: Array, dim: int, keepdim: bool) -> tuple[Array, Array]:
    indices = argmin(x, dim, keepdim)
    return pick(x, indices, dim, keepdim), indices


def pick(x: Array, indices: Array, dim: int, keepdim: bool) -> Array:
    if x.ndim == 0:
        return x
    wide = indices if keepdim else np.expand_dims(indices, dim)
    out = x[along(wide, dim)]
    return out if keepdim else out.squeeze(dim)


def put_back(g: Array, indices: Array, shape: Dims, dim: int, keepdim: bool) -> Array:
    if not shape:
        return g
    out = np.zeros(shape, g.dtype)
    wide = indices if keepdim else np.expand_dims(indices, dim)
    out[along(wide, dim)] = g if keepdim else np.expand_dims(g, dim)
    return out


def spread(g: Array, shape: Dims, dims: Dims, keepdim: bool) -> Array:
    if not keepdim and g.ndim and dims:
        g = g.reshape([1 if at in dims else n for at, n in enumerate(shape)])
    return widened(g, shape)


def sum_to(g: Array, shape: Dims) -> Array:
    if g.shape == shape:
        return g
    lead = g.ndim - len(shape)
    dims = tuple(range(lead)) + tuple(
        lead + at for at, n in enumerate(shape) if n == 1 and g.shape[lead + at] != 1
    )
    return add_up(g, dims).reshape(shape)


def cumsum(x: Array, dim: int) -> Array:
    return np.cumsum(x, axis=dim if x.ndim else None, dtype=sum_dtype(x)).reshape(x.shape)
