"""Masks and indices as arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.backends.ndarray.rows import numbers

_lowest: Any = np.minimum.reduce
_highest: Any = np.maximum.reduce
_UNSIGNED = {size: np.dtype(f"uint{8 * size}") for size in (1, 2, 4, 8)}


def positions(mask: Any) -> tuple[Any, ...]:
    """Where a mask is true: one integer array for each of its dimensions."""
    return tuple(np.nonzero(mask)) if mask.ndim else tuple(np.nonzero(mask.reshape(1)))


def extremes(index: Any, without: int | None = None) -> tuple[int, int] | None:
    """The smallest and largest index, one value left out of account; None where none is left."""
    if without is not None:
        index = np.asarray(index)[np.asarray(index) != without]
    if index.size == 0:
        return None
    return int(_lowest(index, axis=None)), int(_highest(index, axis=None))


def all_below(index: Any, length: int) -> bool:
    """Whether every index lies in [0, length)."""
    if index.dtype.kind == "i":
        # Read without their signs, negative numbers are larger than any size.
        index = index.view(_UNSIGNED[index.dtype.itemsize])
    return not index.size or bool(_highest(index, axis=None) < length)


def along(index: Any, dim: int) -> tuple[Any, ...]:
    """Open index arrays that address `index`'s own positions, with `index` itself along `dim`."""
    rank = index.ndim
    return tuple(
        [
            index if at == dim else numbers(n).reshape((n,) + (1,) * (rank - at - 1))
            for at, n in enumerate(index.shape)
        ]
    )


def wrapped(index: Any, length: int) -> Any:
    """Negative indices counted from the front."""
    return np.where(index < 0, index + length, index)
