"""Matrix products."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.core.shape import count

Array = Any


matmul = np.matmul


def linear(x: Array, weight: Array, bias: Array | None) -> Array:
    if x.ndim > 2 and weight.ndim == 2:
        # One large product is faster than one for each leading index.
        flat = np.matmul(x.reshape(count(x.shape[:-1]), x.shape[-1]), weight.T)
        out = flat.reshape(*x.shape[:-1], weight.shape[0])
    else:
        out = np.matmul(x, weight.swapaxes(-1, -2) if weight.ndim > 1 else weight)
    if bias is None:
        return out
    if out.ndim:
        out += bias
        return out
    return out + bias
