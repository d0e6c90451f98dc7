"""Matrix products."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.core.shape import count

Array = Any


_FEWEST, _FEW = 4, 64
"""Rows with which the weight may stand in front; fewer have a way of their own in the library."""
_SMALL = 1 << 18
"""Multiplications from which that pays."""

matmul = np.matmul


def _few_rows(x: Array, weight: Array) -> bool:
    """Whether there are so few rows that the product is quicker with the weight in front.

    The library packs the operand that is transposed, and packing a weight costs as much as
    multiplying it by few rows.
    """
    rows, columns = x.shape[0], weight.shape[0]
    few: bool = _FEWEST <= rows <= _FEW and 4 * rows <= columns
    return few and x.dtype.char == "f" == weight.dtype.char and rows * weight.size >= _SMALL


def linear(x: Array, weight: Array, bias: Array | None) -> Array:
    if x.ndim > 2 and weight.ndim == 2:
        # One large product is faster than one for each leading index.
        flat = linear(x.reshape(count(x.shape[:-1]), x.shape[-1]), weight, bias)
        return flat.reshape(*x.shape[:-1], weight.shape[0])
    if x.ndim == weight.ndim == 2 and _few_rows(x, weight):
        turned = np.matmul(weight, x.T).T
        return np.ascontiguousarray(turned) if bias is None else np.add(turned, bias, order="C")
    out = np.matmul(x, weight.swapaxes(-1, -2) if weight.ndim > 1 else weight)
    if bias is None:
        return out
    if out.ndim:
        out += bias
        return out
    return out + bias
