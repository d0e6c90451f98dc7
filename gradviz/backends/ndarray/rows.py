"""Short rows and single numbers, for which NumPy's own ways take long."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

Array = Any

_NEAR = 60.0
"""Exponentials of numbers this close together neither overflow nor vanish beside each other."""
_WORTHWHILE = 512
"""Elements from which a product with ones is quicker than a plain sum."""
_add_reduce: Any = np.add.reduce
_LONGEST = 4096
"""Longer rows are summed in pairs, which keeps more digits than a product with ones."""


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
    length = x.shape[-1]
    worthwhile = x.size >= _WORTHWHILE and 0 < length <= _LONGEST
    if not (worthwhile and x.flags.c_contiguous and x.dtype.char in "fd"):
        return _add_reduce(x, axis=-1, keepdims=True)
    total = np.dot(x.reshape(-1, length), _ones(length, x.dtype))
    return total.reshape((*x.shape[:-1], 1))


def shift(x: Array, axis: int) -> Array:
    """What to subtract before exponentials: the largest number where all lie close together.

    Otherwise the largest of each lane along `axis`.
    """
    if not x.size:
        return np.zeros((), x.dtype)
    if x.dtype.char in "fd":
        top = np.maximum.reduce(x, axis=None)
        if top - np.minimum.reduce(x, axis=None) < _NEAR:
            return top
    return np.maximum.reduce(x, axis=axis, keepdims=True)
