"""Work on large arrays in blocks that stay in the processor's cache.

A formula of many operations reads and writes memory once for each of them when it runs on a whole
large array, and once in all when it runs block by block.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np

Array = Any

_BLOCK: Final = 1 << 15
"""Elements of a block."""
_SELECT_FROM: Final = 8192
"""Elements from which a selection by bits is faster than one that branches."""
_BITS: Final = {2: np.int16, 4: np.int32, 8: np.int64}
"""Whole numbers as wide as the elements that are selected by their bits."""


def blockwise(x: Array, compute: Callable[[Array, Array], None]) -> Array:
    """A new array like `x`, filled by `compute(part of x, part of the result)`."""
    if x.flags.f_contiguous and not x.flags.c_contiguous:
        return blockwise(x.T, compute).T
    out = np.empty(x.shape, x.dtype)
    given, result = x.reshape(-1), out.reshape(-1)
    for part in _slices(given.size):
        compute(given[part], result[part])
    return out


def select(condition: Array, x: Array, y: Array) -> Array:
    """`numpy.where` without a branch for each element: conditions at random are never guessed."""
    if (
        condition.__class__ is not np.ndarray
        or condition.size < _SELECT_FROM
        or condition.dtype != bool
        or not condition.flags.c_contiguous
    ):
        return np.where(condition, x, y)
    dtype = np.result_type(x, y)
    bits = _BITS.get(dtype.itemsize)
    first, second = _alike(x, dtype, condition), _alike(y, dtype, condition)
    if bits is None or first is None or second is None:
        return np.where(condition, x, y)
    first, second = first.view(bits), second.view(bits)
    # Bytes of 0 and -1 become words without and with every bit.
    flags = condition.reshape(-1).view(np.int8)
    if not second.ndim and not second:
        return _masked(flags, first).view(dtype).reshape(condition.shape)
    out = np.empty(condition.shape, dtype)
    result = out.reshape(-1).view(bits)
    for part in _slices(flags.size):
        mask = np.negative(flags[part]).astype(bits)
        a = first[part] if first.ndim else first
        b = second[part] if second.ndim else second
        target = np.bitwise_xor(a, b, out=result[part])
        target &= mask
        target ^= b
    return out


def where_nonzero(x: Array, values: Array) -> Array:
    """Values where `x`, a maximum with 0, isn't 0 (as nan isn't), and zeros where it is.

    In single and double precision such a maximum is never -0, which has a bit as other numbers do.
    """
    plain = x.dtype.char not in "fd" or values.dtype != x.dtype
    if plain or values.__class__ is not np.ndarray:
        return select(x != 0, values, 0)
    bits = _BITS[x.dtype.itemsize]
    given, kept = x.view(bits), values.view(bits)
    wanted = None
    if given.size > 2 * _BLOCK and given.flags.c_contiguous:
        wanted = _alike(kept, bits, given)
    if wanted is None:
        words = _spread_bits(given, None)
        words &= kept
        return words.view(x.dtype)
    words = np.empty(given.shape, bits)
    flat, lane = words.reshape(-1), given.reshape(-1)
    for part in _slices(flat.size):
        _spread_bits(lane[part], flat[part])
        flat[part] &= wanted[part] if wanted.ndim else wanted
    return words.view(x.dtype)


def _spread_bits(x: Array, out: Array | None) -> Array:
    """-1 where a whole number has any bit, 0 elsewhere."""
    words = np.negative(x, out)
    words |= x
    words >>= 8 * x.dtype.itemsize - 1
    return words


def _masked(flags: Array, bits: Array) -> Array:
    """Bits where the flags are 1, none elsewhere."""
    if flags.size <= 2 * _BLOCK:
        words: Array = np.negative(flags).astype(bits.dtype)
        words &= bits
        return words
    out = np.empty(flags.shape, bits.dtype)
    for part in _slices(flags.size):
        np.copyto(out[part], np.negative(flags[part]))
        out[part] &= bits[part] if bits.ndim else bits
    return out


def _alike(x: Array, dtype: Any, condition: Array) -> Array | None:
    """The elements in one row, or a scalar of that dtype; None where they decide the shape."""
    if getattr(x, "ndim", 0) == 0:
        return np.asarray(x, dtype)
    if x.dtype != dtype or x.shape != condition.shape:
        return None
    # The gradient of a sum is one number seen everywhere.
    return x.reshape(-1) if any(x.strides) else x[(0,) * x.ndim].reshape(())


def _slices(size: int) -> Iterator[slice]:
    return (slice(start, start + _BLOCK) for start in range(0, size, _BLOCK))
