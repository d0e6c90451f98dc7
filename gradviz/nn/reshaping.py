"""Modules that change the shape alone."""

from __future__ import annotations

from typing import Any

from gradviz.nn.module import Module
from gradviz.tensor import functions
from gradviz.tensor.base import Tensor


class Flatten(Module):
    """Dimensions made one, all but the first where nothing is said.

    Args:
        start_dim: the first of them.
        end_dim: the last of them.

    Raises:
        GradvizError: `dimension-out-of-range`, `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.Flatten()(gv.ones(2, 3, 4)).shape
        (2, 12)
    """

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim = start_dim
        self.end_dim = end_dim

    def forward(self, input: Any) -> Tensor:
        """The same elements with fewer dimensions."""
        return functions.flatten(input, self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        """The arguments it was made with."""
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    """One dimension made several.

    Args:
        dim: the dimension.
        unflattened_size: the sizes it is split into; their product is its own size.

    Raises:
        GradvizError: `dimension-out-of-range`, `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.Unflatten(1, (3, 4))(gv.ones(2, 12)).shape
        (2, 3, 4)
    """

    def __init__(self, dim: int, unflattened_size: tuple[int, ...]) -> None:
        super().__init__()
        self.dim = dim
        self.unflattened_size = tuple(unflattened_size)

    def forward(self, input: Any) -> Tensor:
        """The same elements with more dimensions."""
        return functions.unflatten(input, self.dim, self.unflattened_size)

    def extra_repr(self) -> str:
        """The arguments it was made with."""
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"
