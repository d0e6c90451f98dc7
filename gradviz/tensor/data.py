"""From what users write to arrays: copies, dtypes, and clear refusals."""

from __future__ import annotations

from typing import Any

from gradviz.backends.ndarray.arrays import (
    array_of as array_of,
)
from gradviz.backends.ndarray.arrays import (
    dtype_of as dtype_of,
)
from gradviz.backends.ndarray.arrays import (
    is_number as is_number,
)


def shape_of(sizes: Any) -> tuple[int, ...]:
    """A shape from `2, 3` or `(2, 3)`."""
    if len(sizes) == 1 and not hasattr(sizes[0], "__index__"):
        sizes = sizes[0]
    return tuple(int(size.__index__()) for size in sizes)
