"""Matrix products."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = Any


matmul = np.matmul


def linear(x: Array, weight: Array, bias: Array | None) -> Array:
    out = np.matmul(x, weight.swapaxes(-1, -2) if weight.ndim > 1 else weight)
    if bias is None:
        return out
    if out.ndim:
        out += bias
        return out
    return out + bias
