"""Constants whose contents are made when somebody reads them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.core.shape import count


class Deferred:
    """An array that isn't there yet: its shape, its dtype, and how to make it.

    A module of billions of parameters can be built of these, recorded, looked at and checked. It
    stands where an array would, and becomes one where NumPy asks for it.
    """

    __slots__ = ("_array", "_make", "dtype", "shape")

    def __init__(self, shape: tuple[Any, ...], dtype: Any, make: Callable[[], Any]) -> None:
        self.shape = shape
        self.dtype = dtype
        self._make: Callable[[], Any] | None = make
        self._array: Any = None

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        return count(self.shape)

    def contents(self) -> Any:
        """The array, made on the first call."""
        if self._make is not None:
            self._array = self._make()
            self._make = None
        return self._array

    def tobytes(self) -> bytes:
        """The array's bytes."""
        found: bytes = self.contents().tobytes()
        return found

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(self.contents(), dtype=dtype, copy=True if copy is None else copy)

    def __repr__(self) -> str:
        return f"<contents of {self.dtype}{list(self.shape)}, made when they are read>"


def contents_of(array: Any) -> Any:
    """The array itself, made now where it was deferred."""
    return array.contents() if array.__class__ is Deferred else array
