"""The NumPy backend: kernels are NumPy's own functions or those of `kernels`."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.backends.ndarray import kernels
from gradviz.core import dtype as dtypes
from gradviz.core.heap import keep_freed
from gradviz.core.kind import NDARRAY
from gradviz.ops.spec import Row, table

keep_freed(lambda size: np.empty(size, np.uint8))

for _name in dtypes.NAMES:
    dtypes.register(_name, np.dtype(_name))

# A logarithm of 0 is -inf here, as in PyTorch: the diagnosis names nans and infinities with their
# cause, which NumPy's warnings, pointing into this package, can't.
warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"gradviz\.|<gradviz")


class Namespace:
    """Kernels on arrays by row name; looked up once, then plain attributes."""

    def __getattr__(self, name: str) -> Any:
        row = table.get(name)
        found = _own(name) if row is None else kernel_of(row)
        setattr(self, name, found)
        return found


def kernel_of(row: Row) -> Callable[..., Any]:
    """The kernel of a row: ours where we have one, otherwise NumPy's function of that name."""
    own = kernels.find(row.forward)
    found: Callable[..., Any] = own if own is not None else getattr(np, row.forward)
    return found


def _own(name: str) -> Callable[..., Any]:
    """A kernel that only formulas ask for."""
    found = kernels.find(name)
    if found is None:
        raise AttributeError(name)
    return found


class NdArrayBackend:
    """Values are NumPy arrays (or NumPy scalars where an operation gives one)."""

    kind = NDARRAY
    computes = True
    namespace = Namespace()

    def kernel(self, row: Row) -> Callable[..., Any]:
        """The kernel of a row."""
        return kernel_of(row)

    def facts(self, value: Any) -> tuple[tuple[int, ...], Any]:
        """Shape and dtype of an array."""
        return value.shape, value.dtype

    def constant(self, array: Any) -> Any:
        """The array itself."""
        return array
