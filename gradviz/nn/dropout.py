"""Dropout."""

from __future__ import annotations

from typing import Any

from gradviz.errors import fail
from gradviz.nn.module import Module
from gradviz.tensor import composed
from gradviz.tensor.base import Tensor


class Dropout(Module):
    """Zeros a random share of the elements while training, and scales the others up.

    Args:
        p: the share, in [0, 1].
        inplace: taken as in PyTorch, without effect: tensors never change.

    Raises:
        GradvizError: `invalid-argument` for a share outside.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.Dropout(0.5).eval()(gv.ones(2)).tolist()
        [1.0, 1.0]
    """

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if not 0.0 <= p <= 1.0:
            raise fail(
                "invalid-argument",
                operation="Dropout",
                complaint=f"p is {p}",
                advice="Give a share from 0 to 1.",
            )
        self.p = p

    def forward(self, input: Any) -> Tensor:
        """A tensor of the input's shape."""
        return composed.dropout(input, self.p, self.training)

    def extra_repr(self) -> str:
        """The arguments it was made with."""
        return f"p={self.p}"
