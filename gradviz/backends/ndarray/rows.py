"""Short rows and single numbers, for which NumPy's own ways take long."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

Array = Any
Dims = tuple[int, ...]

_NEAR = 60.0
"""Exponentials of numbers this close together neither overflow nor vanish beside each other."""
_WORTHWHILE = 512
"""Elements from which a product with ones is quicker than a plain sum."""
_add_reduce: Any = np.add.reduce
_LONGEST = 4096
"""Longer rows are summed in pairs, which keeps more digits than a product with ones."""
_MOST = 1 << 16
"""Rows from which keeping as many ones doesn't pay."""


@lru_cache(maxsize=256)
def _ones(length: int, dtype: Any) -> Array:
    return np.ones(length, dtype)


def numbers(length: int) -> Array:
    """0 to length - 1, to pick one element of each row by; not to be changed."""
    return _few(length) if length <= _LONGEST else np.arange(length)


@lru_cache(maxsize=64)
def _few(length: int) -> Array:
    made = np.arange(length)
    made.flags.writeable = False
    return made


def widened(x: Array, shape: tuple[int, ...]) -> Array:
    """`np.broadcast_to`, which takes five times as long for a single number."""
    if x.ndim:
        return np.broadcast_to(x, shape)
    made: Array = np.ndarray(shape, x.dtype, np.asarray(x), 0, (0,) * len(shape))
    made.flags.writeable = False
    return made


def row_sums(x: Array) -> Array:
    """The sum of every row, in a last dimension of size 1."""
    return add_up(x, (x.ndim - 1,), keepdims=True)


def add_up(x: Array, dims: Dims, keepdims: bool = False) -> Array:
    """The sum over dimensions, each named once; a product with ones where that is quicker.

    Over first dimensions it also keeps more digits than NumPy, which adds row after row.
    """
    plan = _as_product(x.shape, dims, keepdims, x.dtype)
    if plan is None or not x.flags.c_contiguous:
        return _add_reduce(x, axis=dims, keepdims=keepdims)
    left, right, shape = plan
    if right is not None:
        x = np.dot(x.reshape(-1, len(right)), right)
    if left is not None:
        x = np.dot(left, x.reshape(len(left), -1))
    return x.reshape(shape)


@lru_cache(maxsize=256)
def _as_product(
    shape: Dims, dims: Dims, keepdims: bool, dtype: Any
) -> tuple[Array | None, Array | None, Dims] | None:
    """Ones for the first and for the last dimensions summed over, and the shape of the sum.

    None where there are others between, and where a plain sum is as quick or keeps more digits.
    """
    if dtype.char not in "fd" or not dims or math.prod(shape) < _WORTHWHILE:
        return None
    lead, end = 0, len(shape)
    while lead in dims:
        lead += 1
    while end - 1 in dims and end > lead:
        end -= 1
    rows, columns = math.prod(shape[:lead]), math.prod(shape[end:])
    among = lead + len(shape) - end == len(dims) < len(shape)
    if not among or rows > _MOST or columns > _LONGEST:
        return None
    left = _ones(rows, dtype) if lead else None
    right = _ones(columns, dtype) if end < len(shape) else None
    kept = [1 if at in dims else n for at, n in enumerate(shape) if keepdims or at not in dims]
    return left, right, tuple(kept)


def shift(x: Array, axis: int) -> Array:
    """What to subtract before exponentials: the largest number where all lie close together.

    Otherwise the largest of each lane along `axis`.
    """
    if not x.size:
        return np.zeros((), x.dtype)
    if x.dtype.char in "fd":
        if x.size <= _LONGEST:  # where the extremes stand is told with less ado
            top, low = x.item(x.argmax()), x.item(x.argmin())
        else:
            top, low = np.maximum.reduce(x, axis=None), np.minimum.reduce(x, axis=None)
        if top - low < _NEAR:
            return x.dtype.type(top)
    return np.maximum.reduce(x, axis=axis, keepdims=True)
