"""Dtypes to compute in where an array's own would lose digits or overflow."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = Any


def single(x: Array) -> Array:
    """Half precision as single, for libraries that don't take it; everything else as it is."""
    return x.astype(np.float32) if x.dtype == np.float16 else x


def sum_dtype(x: Array) -> Any:
    """The dtype to accumulate in: small whole numbers and bools would overflow."""
    return x.dtype if x.dtype.kind == "f" else np.int64
