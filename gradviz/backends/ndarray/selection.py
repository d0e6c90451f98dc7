"""Masks and indices as arrays."""

from __future__ import annotations

from typing import Any

import numpy as np


def positions(mask: Any) -> tuple[Any, ...]:
    """Where a mask is true: one integer array for each of its dimensions."""
    return tuple(np.nonzero(mask)) if mask.ndim else tuple(np.nonzero(mask.reshape(1)))


def extremes(index: Any, without: int | None = None) -> tuple[int, int] | None:
    """The smallest and largest index, one value left out of account; None where none is left."""
    if without is not None:
        index = np.asarray(index)[np.asarray(index) != without]
    if index.size == 0:
        return None
    return int(index.min()), int(index.max())


def wrapped(index: Any, length: int) -> Any:
    """Negative indices counted from the front."""
    return np.where(index < 0, index + length, index)
