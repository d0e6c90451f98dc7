"""Dropout."""

from __future__ import annotations

from typing import Any

from gradviz.errors import fail
from gradviz.nn.module import Module
from gradviz.tensor import composed
from gradviz.tensor.base import Tensor


class _Dropout(Module):
    """Drops a random share of something while training."""

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if not 0.0 <= p <= 1.0:
            raise fail(
                "invalid-argument",
                operation=type(self).__name__,
                complaint=f"p is {p}",
                advice="Give a share from 0 to 1.",
            )
        self.p = p

    def extra_repr(self) -> str:
        """The arguments it was made with."""
        return f"p={self.p}"


class Dropout(_Dropout):
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

    def forward(self, input: Any) -> Tensor:
        """A tensor of the input's shape."""
        return composed.dropout(input, self.p, self.training)


class Dropout1d(_Dropout):
    """Zeros a random share of whole channels while training, and scales the others up.

    Args:
        p: the share, in [0, 1].
        inplace: taken as in PyTorch, without effect: tensors never change.

    Raises:
        GradvizError: `invalid-argument` for a share outside, or an input of another number of
            dimensions.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.Dropout1d(0.5).eval()(gv.ones(1, 2)).tolist()
        [[1.0, 1.0]]
    """

    def forward(self, input: Any) -> Tensor:
        """Shape (batch, channels, length) or (channels, length), to the same."""
        return composed.dropout1d(input, self.p, self.training)


class Dropout2d(_Dropout):
    """Zeros a random share of whole channels while training, and scales the others up.

    Args:
        p: the share, in [0, 1].
        inplace: taken as in PyTorch, without effect: tensors never change.

    Raises:
        GradvizError: `invalid-argument` for a share outside, or an input of another number of
            dimensions.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.Dropout2d(0.5).eval()(gv.ones(1, 1, 1, 2)).tolist()
        [[[[1.0, 1.0]]]]
    """

    def forward(self, input: Any) -> Tensor:
        """Shape (batch, channels, height, width) or (batch, channels, length), to the same."""
        return composed.dropout2d(input, self.p, self.training)


class Dropout3d(_Dropout):
    """Zeros a random share of whole channels while training, and scales the others up.

    Args:
        p: the share, in [0, 1].
        inplace: taken as in PyTorch, without effect: tensors never change.

    Raises:
        GradvizError: `invalid-argument` for a share outside, or an input of another number of
            dimensions.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.Dropout3d(0.5).eval()(gv.ones(1, 1, 1, 1, 2)).tolist()
        [[[[[1.0, 1.0]]]]]
    """

    def forward(self, input: Any) -> Tensor:
        """Shape (batch, channels, depth, height, width), or without the batch, to the same."""
        return composed.dropout3d(input, self.p, self.training)


class AlphaDropout(_Dropout):
    """Sets a random share to what `SELU` has far below 0 while training; mean and variance stay.

    The source is "Self-Normalizing Neural Networks", Klambauer et al. 2017.

    Args:
        p: the share, in [0, 1].
        inplace: taken as in PyTorch, without effect: tensors never change.

    Raises:
        GradvizError: `invalid-argument` for a share outside.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.AlphaDropout(0.5).eval()(gv.ones(2)).tolist()
        [1.0, 1.0]
    """

    def forward(self, input: Any) -> Tensor:
        """A tensor of the input's shape."""
        return composed.alpha_dropout(input, self.p, self.training)
