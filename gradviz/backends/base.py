"""What a backend must offer.

A new one is one module with a class like this and a line in the registry.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from gradviz.core.kind import Kind
from gradviz.ops.spec import Row


class Backend(Protocol):
    """Values of one sort, and the kernels that compute on them."""

    kind: Kind
    computes: bool
    """Whether there are values; a recording backend has none."""

    def kernel(self, row: Row) -> Callable[..., Any]:
        """The kernel of a row: values and canonical attributes in, value or values out."""
        ...

    def facts(self, value: Any) -> tuple[tuple[int, ...], Any]:
        """Shape and dtype of a value."""
        ...

    def constant(self, array: Any) -> Any:
        """A value with an array's contents."""
        ...

    @property
    def namespace(self) -> Any:
        """The kernels by row name, for the formulas of backward."""
        ...
