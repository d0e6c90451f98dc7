"""Shape, dtype and device of a tensor as one interned object.

Two tensors with the same meta need neither promotion nor broadcasting nor a look at their devices:
one identity check replaces three comparisons on the hot path. Interning is best effort: equal metas
that are not identical take the general path to the same result.
"""

from __future__ import annotations

from typing import Any

from gradviz.core.dtype import category, name_of, named
from gradviz.core.shape import count


class Meta:
    """What is known of a tensor without its values."""

    __slots__ = (
        "_bool",
        "category",
        "device",
        "dtype",
        "dtype_name",
        "floats",
        "ints",
        "shape",
        "table",
    )

    def __init__(self, shape: tuple[int, ...], dtype: Any, device: Any) -> None:
        self.shape = shape
        self.dtype_name = name_of(dtype)
        # Equal dtypes needn't be one object; here they are, so that a look at identity is enough.
        self.dtype = named(self.dtype_name)
        self.device = device
        self.category = category(dtype)
        self.table: Any = device.table(self.category)
        self._bool: Meta | None = None
        # Tensors of the Python numbers met beside tensors of this meta.
        self.floats: dict[float, Any] = {}
        self.ints: dict[int, Any] = {}

    @property
    def size(self) -> int:
        """Number of elements."""
        return count(self.shape)

    @property
    def bool_meta(self) -> Meta:
        """The same shape and device with bool elements: what a comparison gives."""
        if self._bool is None:
            self._bool = self.device.meta(self.shape, named("bool"))
        return self._bool

    def __repr__(self) -> str:
        return f"Meta({self.shape}, {self.dtype.name}, {self.device})"
