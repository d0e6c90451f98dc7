"""Adding values up at chosen places, where a place may be chosen more than once.

`numpy.add.at` is quick for one row of elements and one index only, so the others are told in its
terms. Values are added in the order they are given.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from gradviz.core.shape import count

Array = Any

_BLOCK: Final = 1 << 15
"""Elements whose places are written out at once."""
_LONG_ROW: Final = 256
"""Elements from which a row is added with a call of its own."""


def add_at(out: Array, index: Array, values: Array, dim: int) -> None:
    """Adds slices of `values` to those of a contiguous `out` that `index` picks along `dim`.

    Args:
        out: (*before, length, *after).
        index: whole numbers of any shape; negative ones count from the end.
        values: (*before, *index.shape, *after).
        dim: the dimension that is picked from.

    Raises:
        IndexError: where an index lies outside; nothing was added.
    """
    length, after = out.shape[dim], count(out.shape[dim + 1 :])
    places = _places(index, length, dim).reshape(-1)
    if not values.size:  # NumPy can't work out sizes of -1 among no elements
        return
    before = count(out.shape[:dim])
    if before > 1:
        places = (np.arange(0, before * length, length)[:, None] + places).reshape(-1)
    _add_rows(out.reshape(-1, after), places, values.reshape(-1, after))


def add_along(out: Array, index: Array, values: Array, dim: int) -> None:
    """Adds each of `values` to a contiguous `out` at the place along `dim` that `index` picks.

    The index has as many dimensions as `out`, and the values have its shape.

    Raises:
        IndexError: where an index lies outside; nothing was added.
    """
    places: Array = 0
    step = 1
    for axis in range(out.ndim - 1, -1, -1):
        if axis == dim:
            at = _places(index, out.shape[dim], dim)
        else:
            at = np.arange(index.shape[axis]).reshape(-1, *(1,) * (out.ndim - axis - 1))
        places = places + at * step
        step *= out.shape[axis]
    np.add.at(out.reshape(-1), places.reshape(-1), values.reshape(-1))


def _places(index: Array, length: int, dim: int) -> Array:
    if not index.size:
        return index.astype(np.int64)
    for value in (index.min(), index.max()):
        if not -length <= value < length:
            raise IndexError(f"index {value} is out of bounds for axis {dim} with size {length}")
    return index % length if index.min() < 0 else index.astype(np.int64, copy=False)


def _add_rows(out: Array, places: Array, rows: Array) -> None:
    width = out.shape[1]
    if width >= _LONG_ROW:
        for place, row in zip(places.tolist(), rows, strict=True):
            target = out[place]
            np.add(target, row, out=target)
        return
    flat, columns = out.reshape(-1), np.arange(width)
    step = max(_BLOCK // max(width, 1), 1)
    for start in range(0, len(places), step):
        part = slice(start, start + step)
        elements = places[part, None] * width + columns
        np.add.at(flat, elements.reshape(-1), rows[part].reshape(-1))
