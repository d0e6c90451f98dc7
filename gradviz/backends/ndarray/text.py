"""Arrays as text."""

from __future__ import annotations

from typing import Any

import numpy as np


def full(array: Any, prefix: str) -> str:
    """All of an array, or its corners where it is large."""
    return np.array2string(
        np.asarray(array), separator=", ", prefix=prefix, precision=4, threshold=200, edgeitems=3
    )


def short(array: Any, limit: int) -> str:
    """An array on one line."""
    values = np.asarray(array)
    with np.printoptions(precision=4, threshold=6, edgeitems=2, linewidth=10_000, suppress=True):
        shown = " ".join(np.array2string(values, separator=", ").split())
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"
