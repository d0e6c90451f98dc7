"""From what users write to arrays: copies, dtypes, and clear refusals."""

from __future__ import annotations

from gradviz.backends.ndarray.arrays import (
    array_of as array_of,
)
from gradviz.backends.ndarray.arrays import (
    dtype_of as dtype_of,
)
from gradviz.backends.ndarray.arrays import (
    is_number as is_number,
)
