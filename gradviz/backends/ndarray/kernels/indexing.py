"""Indexing and selection."""

from __future__ import annotations

from builtins import slice as builtin_slice
from typing import Any

import numpy as np

from gradviz.backends.ndarray.kernels.adding import add_along, add_at
from gradviz.backends.ndarray.selection import along

Array = Any
Dims = tuple[int, ...]
_add_reduce: Any = np.add.reduce


def slice(x: Array, index: tuple[Any, ...]) -> Array:
    return x[index]


def slice_backward(g: Array, shape: Dims, index: tuple[Any, ...]) -> Array:
    out = np.zeros(shape, g.dtype)
    out[index] = g
    return out


def slice_assign(x: Array, values: Array, index: tuple[Any, ...]) -> Array:
    out = np.array(x)
    out[index] = values
    return out


def slice_fill(x: Array, index: tuple[Any, ...], value: float) -> Array:
    out = np.array(x)
    out[index] = value
    return out


def index(x: Array, index: tuple[Any, ...]) -> Array:
    return x[index]


def index_backward(g: Array, shape: Dims, index: tuple[Any, ...]) -> Array:
    out = np.zeros(shape, g.dtype)
    np.add.at(out, index, g)
    return out


def gather(x: Array, index: Array, dim: int) -> Array:
    return x[along(index, dim)] if x.ndim else x.reshape(1)[index]


def gather_backward(g: Array, index: Array, shape: Dims, dim: int) -> Array:
    out = np.zeros(shape, g.dtype)
    if not shape:
        return out + _add_reduce(g, axis=None)
    add_along(out, index, g, dim)
    return out


def scatter(x: Array, index: Array, values: Array, dim: int) -> Array:
    out = np.array(x)
    if not x.ndim:
        return values.reshape(()) if index.size else out
    out[along(index, dim)] = values[tuple(builtin_slice(n) for n in index.shape)]
    return out


def scatter_add(x: Array, index: Array, values: Array, dim: int) -> Array:
    out = np.array(x)
    if not x.ndim:
        return out + values if index.size else out
    add_along(out, index, values[tuple(builtin_slice(n) for n in index.shape)], dim)
    return out


def take(x: Array, index: Array, dim: int) -> Array:
    return np.take(x, index, axis=dim) if x.ndim else np.take(x, index)


def index_select(x: Array, index: Array, dim: int) -> Array:
    return np.take(x, index.reshape(-1), axis=dim) if x.ndim else x


def take_backward(g: Array, index: Array, shape: Dims, dim: int) -> Array:
    out = np.zeros(shape, g.dtype)
    if not shape:
        return out + _add_reduce(g, axis=None)
    add_at(out, index, g, dim)
    return out


def tril(x: Array, diagonal: int) -> Array:
    return np.tril(x, diagonal)


def triu(x: Array, diagonal: int) -> Array:
    return np.triu(x, diagonal)
