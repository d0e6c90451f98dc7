"""Pooling as modules."""

from __future__ import annotations

from typing import Any, ClassVar

from gradviz.nn.module import Module
from gradviz.tensor import functions
from gradviz.tensor.base import Tensor


class _MaxPool(Module):
    """The largest element of every window."""

    rank: ClassVar[int]

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.dilation = dilation
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode

    def forward(self, input: Any) -> Any:
        """Shape (batch, channels, ...) to a smaller one; with indices `(values, indices)`."""
        pool = getattr(functions, f"max_pool{self.rank}d")
        return pool(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.dilation,
            self.ceil_mode,
            self.return_indices,
        )

    def extra_repr(self) -> str:
        """The arguments it was made with."""
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, "
            f"dilation={self.dilation}, ceil_mode={self.ceil_mode}"
        )


class MaxPool1d(_MaxPool):
    """The largest element of every window of one dimension; arguments as for `MaxPool2d`.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.MaxPool1d(2)(gv.tensor([[1.0, 3.0, 2.0, 0.0]])).tolist()
        [[3.0, 2.0]]
    """

    rank = 1


class MaxPool2d(_MaxPool):
    """The largest element of every window of two dimensions.

    Args:
        kernel_size: the size of the window: one number, or one for each dimension.
        stride: the step from window to window; the window's size where it is left out.
        padding: lowest values around the input on both sides.
        dilation: the step between elements of a window.
        return_indices: whether to give `(values, indices)`.
        ceil_mode: whether windows may hang over the end instead of leaving a rest out.

    Raises:
        GradvizError: `invalid-argument`, `shape-mismatch` when it is called.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.MaxPool2d(2)(gv.tensor([[[1.0, 3.0], [2.0, 0.0]]])).tolist()
        [[[3.0]]]
    """

    rank = 2


class MaxPool3d(_MaxPool):
    """The largest element of every window of three dimensions; arguments as for `MaxPool2d`.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.MaxPool3d(2)(gv.ones(1, 1, 4, 4, 4)).shape
        (1, 1, 2, 2, 2)
    """

    rank = 3


class _AvgPool(Module):
    """The mean of every window."""

    rank: ClassVar[int]

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override

    def forward(self, input: Any) -> Tensor:
        """Shape (batch, channels, ...) to a smaller one."""
        pool = getattr(functions, f"avg_pool{self.rank}d")
        out: Tensor = pool(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.ceil_mode,
            self.count_include_pad,
            self.divisor_override,
        )
        return out

    def extra_repr(self) -> str:
        """The arguments it was made with."""
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool1d(_AvgPool):
    """The mean of every window of one dimension; arguments as for `AvgPool2d`.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.AvgPool1d(2)(gv.tensor([[1.0, 3.0, 2.0, 0.0]])).tolist()
        [[2.0, 1.0]]
    """

    rank = 1


class AvgPool2d(_AvgPool):
    """The mean of every window of two dimensions.

    Args:
        kernel_size: the size of the window: one number, or one for each dimension.
        stride: the step from window to window; the window's size where it is left out.
        padding: zeros around the input on both sides.
        ceil_mode: whether windows may hang over the end instead of leaving a rest out.
        count_include_pad: whether padding counts as elements.
        divisor_override: what to divide by instead of the number of elements.

    Raises:
        GradvizError: `invalid-argument`, `shape-mismatch` when it is called.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.AvgPool2d(2)(gv.tensor([[[1.0, 3.0], [2.0, 0.0]]])).tolist()
        [[[1.5]]]
    """

    rank = 2


class AvgPool3d(_AvgPool):
    """The mean of every window of three dimensions; arguments as for `AvgPool2d`.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.AvgPool3d(2)(gv.ones(1, 1, 4, 4, 4)).shape
        (1, 1, 2, 2, 2)
    """

    rank = 3


class _Adaptive(Module):
    """As many windows as asked for, which share out the input evenly."""

    rank: ClassVar[int]

    def __init__(self, output_size: Any) -> None:
        super().__init__()
        self.output_size = output_size

    def extra_repr(self) -> str:
        """The arguments it was made with."""
        return f"output_size={self.output_size}"


class _AdaptiveAvgPool(_Adaptive):
    def forward(self, input: Any) -> Tensor:
        """Shape (batch, channels, ...) to (batch, channels, *output_size)."""
        pool = getattr(functions, f"adaptive_avg_pool{self.rank}d")
        out: Tensor = pool(input, self.output_size)
        return out


class AdaptiveAvgPool1d(_AdaptiveAvgPool):
    """Means of windows that share out one dimension; arguments as for `AdaptiveAvgPool2d`.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.AdaptiveAvgPool1d(2)(gv.tensor([[1.0, 3.0, 2.0, 0.0]])).tolist()
        [[2.0, 1.0]]
    """

    rank = 1


class AdaptiveAvgPool2d(_AdaptiveAvgPool):
    """Means of windows that share out two dimensions.

    Args:
        output_size: how many windows, one number or one for each dimension; None keeps one.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.AdaptiveAvgPool2d(1)(gv.ones(2, 3, 5, 7)).shape
        (2, 3, 1, 1)
    """

    rank = 2


class AdaptiveAvgPool3d(_AdaptiveAvgPool):
    """Means of windows that share out three dimensions; arguments as for `AdaptiveAvgPool2d`.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.AdaptiveAvgPool3d((1, None, 2))(gv.ones(1, 2, 4, 3, 4)).shape
        (1, 2, 1, 3, 2)
    """

    rank = 3


class _AdaptiveMaxPool(_Adaptive):
    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        super().__init__(output_size)
        self.return_indices = return_indices

    def forward(self, input: Any) -> Any:
        """Shape (batch, channels, ...) to (batch, channels, *output_size), with indices a pair."""
        pool = getattr(functions, f"adaptive_max_pool{self.rank}d")
        return pool(input, self.output_size, self.return_indices)


class AdaptiveMaxPool1d(_AdaptiveMaxPool):
    """Largest elements of windows that share out one dimension.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.AdaptiveMaxPool1d(2)(gv.tensor([[1.0, 3.0, 2.0, 0.0]])).tolist()
        [[3.0, 2.0]]
    """

    rank = 1


class AdaptiveMaxPool2d(_AdaptiveMaxPool):
    """Largest elements of windows that share out two dimensions.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.AdaptiveMaxPool2d(1)(gv.ones(2, 3, 5, 7)).shape
        (2, 3, 1, 1)
    """

    rank = 2


class AdaptiveMaxPool3d(_AdaptiveMaxPool):
    """Largest elements of windows that share out three dimensions.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.AdaptiveMaxPool3d(1)(gv.ones(1, 2, 4, 3, 4)).shape
        (1, 2, 1, 1, 1)
    """

    rank = 3
