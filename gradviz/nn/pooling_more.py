"""Pools of norms, and pools undone, as modules."""

from __future__ import annotations

from typing import Any, ClassVar

from gradviz.nn.module import Module
from gradviz.tensor import composed
from gradviz.tensor.base import Tensor


class _LPPool(Module):
    """The norm of every window."""

    rank: ClassVar[int]

    def __init__(
        self, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False
    ) -> None:
        super().__init__()
        self.norm_type = norm_type
        self.kernel_size = kernel_size
        self.stride = stride
        self.ceil_mode = ceil_mode

    def forward(self, input: Any) -> Tensor:
        """Shape (batch, channels, ...), or without the batch, to a smaller one."""
        pool = getattr(composed, f"lp_pool{self.rank}d")
        out: Tensor = pool(input, self.norm_type, self.kernel_size, self.stride, self.ceil_mode)
        return out

    def extra_repr(self) -> str:
        """The arguments it was made with."""
        return (
            f"norm_type={self.norm_type}, kernel_size={self.kernel_size}, stride={self.stride}, "
            f"ceil_mode={self.ceil_mode}"
        )


class LPPool1d(_LPPool):
    """The norm of every window of one dimension: the sum of x^p, to the power 1 / p.

    Args:
        norm_type: the order p, not 0.
        kernel_size: the size of the window.
        stride: the step from window to window; the window's size where it is left out.
        ceil_mode: whether windows may hang over the end instead of leaving a rest out.

    Raises:
        GradvizError: `invalid-argument` when it is called.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.LPPool1d(2, 2)(gv.tensor([[3.0, 4.0, 0.0, 2.0]])).tolist()
        [[5.0, 2.0]]
    """

    rank = 1


class LPPool2d(_LPPool):
    """The norm of every window of two dimensions; arguments as for `LPPool1d`.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.LPPool2d(2, 2)(gv.tensor([[[3.0, 0.0], [0.0, 4.0]]])).tolist()
        [[[5.0]]]
    """

    rank = 2


class _MaxUnpool(Module):
    """Maxima laid back to their places."""

    rank: ClassVar[int]

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding

    def forward(self, input: Any, indices: Any, output_size: Any = None) -> Tensor:
        """Maxima and where they stood, of one shape, to the shape of what was pooled."""
        unpool = getattr(composed, f"max_unpool{self.rank}d")
        out: Tensor = unpool(
            input, indices, self.kernel_size, self.stride, self.padding, output_size
        )
        return out

    def extra_repr(self) -> str:
        """The arguments it was made with."""
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class MaxUnpool1d(_MaxUnpool):
    """Maxima of a pool of one dimension laid back to their places, zeros elsewhere.

    Args:
        kernel_size: the size of the pool's window.
        stride: its step; the window's size where it is left out.
        padding: its padding.

    Raises:
        GradvizError: `shape-mismatch`, `invalid-argument`, `index-out-of-range` when it is called.

    Example:
        >>> import gradviz as gv
        >>> pool = gv.nn.MaxPool1d(2, return_indices=True)
        >>> gv.nn.MaxUnpool1d(2)(*pool(gv.tensor([[1.0, 3.0, 2.0, 0.0]]))).tolist()
        [[0.0, 3.0, 2.0, 0.0]]
    """

    rank = 1


class MaxUnpool2d(_MaxUnpool):
    """Maxima of a pool of two dimensions laid back to their places; arguments as for `MaxUnpool1d`.

    Example:
        >>> import gradviz as gv
        >>> pool = gv.nn.MaxPool2d(2, return_indices=True)
        >>> gv.nn.MaxUnpool2d(2)(*pool(gv.tensor([[[1.0, 3.0], [2.0, 0.0]]]))).tolist()
        [[[0.0, 3.0], [0.0, 0.0]]]
    """

    rank = 2
