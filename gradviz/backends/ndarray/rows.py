"""Short rows and single numbers, for which NumPy's own ways take long."""

from __future__ import annotations

import math
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
    length = x.shape[-1]
    worthwhile = x.size >= _WORTHWHILE and 0 < length <= _LONGEST
    if not (worthwhile and x.flags.c_contiguous and x.dtype.char in "fd"):
        return _add_reduce(x, axis=-1, keepdims=True)
    total = np.dot(x.reshape(-1, length), _ones(length, x.dtype))
    return total.reshape((*x.shape[:-1], 1))


def sums_over_lead(x: Array, lead: int) -> Array | None:
    """The sum over the first dimensions, of shape `x.shape[lead:]`; None where that isn't quicker.

    A product with ones also keeps more digits than NumPy, which adds row after row.
    """
    if x.dtype.char not in "fd" or not 0 < lead < x.ndim:
        return None
    flags = x.flags
    if x.ndim == 2:
        if not flags.forc:
            return None
        rows, flat = x.shape[0], x
    elif flags.c_contiguous:
        rows = math.prod(x.shape[:lead])
        flat = x.reshape(rows, -1) if x.size else x
    else:
        return None
    if not x.size or rows > _MOST:
        return None
    total = np.dot(_ones(rows, x.dtype), flat)
    return total if x.ndim == 2 else total.reshape(x.shape[lead:])


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
