"""Matrix products."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = Any


matmul = np.matmul


def _no_rows(x: Array) -> Array:
    """An empty input as a matrix: -1 can't be worked out without elements."""
    rows = 1
    for length in x.shape[:-1]:
        rows *= length
    return x.reshape(rows, x.shape[-1])


def linear(x: Array, weight: Array, bias: Array | None) -> Array:
    if x.ndim > 2 and weight.ndim == 2:
        # One large product is faster than one for each leading index.
        flat = np.matmul(x.reshape(-1, x.shape[-1]) if x.size else _no_rows(x), weight.T)
        out = flat.reshape(*x.shape[:-1], weight.shape[0])
    else:
        out = np.matmul(x, weight.swapaxes(-1, -2) if weight.ndim > 1 else weight)
    if bias is None:
        return out
    if out.ndim:
        out += bias
        return out
    return out + bias
