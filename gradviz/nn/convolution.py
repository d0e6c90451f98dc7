"""Convolutions as modules."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from gradviz.errors import fail
from gradviz.nn.linear import whole
from gradviz.nn.module import Module
from gradviz.nn.parameter import Parameter
from gradviz.tensor import canon, functions
from gradviz.tensor.base import Tensor
from gradviz.tensor.creation import uniform

_BORDERS = ("zeros", "reflect", "replicate", "circular")


class _Convolution(Module):
    """What all convolutions share: their sizes, and parameters drawn as in PyTorch."""

    rank: ClassVar[int]
    weight: Parameter
    bias: Parameter | None

    def _prepare(
        self,
        channels: tuple[Any, Any],
        kernel_size: Any,
        stride: Any,
        dilation: Any,
        groups: Any,
        bias: bool,
        device: Any,
        dtype: Any,
        *,
        transposed: bool = False,
    ) -> None:
        name = type(self).__name__
        self.in_channels = whole(name, "in_channels", channels[0], 1)
        self.out_channels = whole(name, "out_channels", channels[1], 1)
        self.groups = whole(name, "groups", groups, 1)
        self.kernel_size = canon.spatial.per_dim(name, "kernel_size", kernel_size, self.rank)
        self.stride = canon.spatial.per_dim(name, "stride", stride, self.rank)
        self.dilation = canon.spatial.per_dim(name, "dilation", dilation, self.rank)
        for word, count in (("in_channels", self.in_channels), ("out_channels", self.out_channels)):
            if count % self.groups:
                raise fail(
                    "invalid-argument",
                    operation=name,
                    complaint=f"{word} is {count}, which {self.groups} groups can't share",
                    advice="Give channels that are multiples of the groups.",
                )
        first, second = self.out_channels, self.in_channels
        if transposed:
            first, second = second, first
        shape = (first, second // self.groups, *self.kernel_size)
        # Kaiming's rule with a = sqrt(5) comes down to this bound.
        bound = 1.0 / math.sqrt(math.prod(shape[1:]))
        options = {"low": -bound, "high": bound, "device": device, "dtype": dtype}
        self.weight = Parameter(uniform(*shape, **options))
        self.bias = Parameter(uniform(self.out_channels, **options)) if bias else None

    def extra_repr(self) -> str:
        """The arguments it was made with."""
        parts = [
            f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}",
            f"stride={self.stride}",
        ]
        plain = (0,) * self.rank
        for name, usual in (
            ("padding", plain),
            ("output_padding", plain),
            ("dilation", (1,) * self.rank),
            ("groups", 1),
            ("padding_mode", "zeros"),
        ):
            value = getattr(self, name, usual)
            if value != usual:
                parts.append(f"{name}={value!r}")
        if self.bias is None:
            parts.append("bias=False")
        return ", ".join(parts)


class _Forward(_Convolution):
    """A convolution of any rank."""

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        channels = (in_channels, out_channels)
        self._prepare(channels, kernel_size, stride, dilation, groups, bias, device, dtype)
        name = type(self).__name__
        self.padding_mode = canon.choice(name, "padding_mode", padding_mode, _BORDERS)
        _, pairs, _, _ = canon.spatial.convolution(
            name, self.rank, self.weight, self.stride, padding, self.dilation, self.groups
        )
        self.padding = padding if isinstance(padding, str) else self._readable(pairs)
        # `pad` begins with the last dimension.
        self._widths = tuple(width for pair in reversed(pairs) for width in pair)

    def _readable(self, pairs: Any) -> Any:
        even = all(before == after for before, after in pairs)
        return tuple(before for before, _ in pairs) if even else pairs

    def forward(self, input: Any) -> Tensor:
        """Shape (batch, in_channels, ...) to (batch, out_channels, ...), or without the batch."""
        padding = self.padding
        if self.padding_mode != "zeros" and any(self._widths):
            input, padding = functions.pad(input, self._widths, self.padding_mode), 0
        convolve = getattr(functions, f"conv{self.rank}d")
        out: Tensor = convolve(
            input, self.weight, self.bias, self.stride, padding, self.dilation, self.groups
        )
        return out


class Conv1d(_Forward):
    """Convolution over one dimension.

    Weight and bias are drawn evenly from within 1 / sqrt(in_channels / groups * kernel), as in
    PyTorch.

    Args:
        in_channels: channels of the input.
        out_channels: channels of the result.
        kernel_size: the size of the window.
        stride: the step from window to window.
        padding: elements added on both sides, a pair (before, after), 'valid' or 'same'.
        dilation: the step between elements of a window.
        groups: into how many groups channels are divided that don't see each other.
        bias: whether something is added.
        padding_mode: what is added: 'zeros', 'reflect', 'replicate' or 'circular'.
        device: where the parameters live; the default device's autodiff form where it is left out.
        dtype: their floating point dtype; float32 where it is left out.

    Raises:
        GradvizError: `invalid-argument`; `shape-mismatch` for an input of other channels.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.Conv1d(2, 3, 3, padding=1)(gv.ones(1, 2, 5)).shape
        (1, 3, 5)
    """

    rank = 1


class Conv2d(_Forward):
    """Convolution over two dimensions.

    Weight and bias are drawn evenly from within 1 / sqrt(in_channels / groups * kernel), as in
    PyTorch.

    Args:
        in_channels: channels of the input.
        out_channels: channels of the result.
        kernel_size: the size of the window: one number, or one for each dimension.
        stride: the step from window to window, likewise.
        padding: elements added on both sides, likewise; pairs (before, after), 'valid' or 'same'.
        dilation: the step between elements of a window, likewise.
        groups: into how many groups channels are divided that don't see each other.
        bias: whether something is added.
        padding_mode: what is added: 'zeros', 'reflect', 'replicate' or 'circular'.
        device: where the parameters live; the default device's autodiff form where it is left out.
        dtype: their floating point dtype; float32 where it is left out.

    Raises:
        GradvizError: `invalid-argument`; `shape-mismatch` for an input of other channels.

    Example:
        >>> import gradviz as gv
        >>> layer = gv.nn.Conv2d(3, 8, kernel_size=3, padding=1)
        >>> layer(gv.ones(1, 3, 6, 6)).shape, layer.weight.shape
        ((1, 8, 6, 6), (8, 3, 3, 3))
    """

    rank = 2


class Conv3d(_Forward):
    """Convolution over three dimensions; the arguments are those of `Conv2d`.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.Conv3d(1, 2, 2)(gv.ones(1, 1, 3, 3, 3)).shape
        (1, 2, 2, 2, 2)
    """

    rank = 3


class _Transposed(_Convolution):
    """A transposed convolution of any rank."""

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Any = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        name, channels = type(self).__name__, (in_channels, out_channels)
        canon.choice(name, "padding_mode", padding_mode, ("zeros",))
        self._prepare(
            channels, kernel_size, stride, dilation, groups, bias, device, dtype, transposed=True
        )
        self.padding = canon.spatial.per_dim(name, "padding", padding, self.rank, 0)
        self.output_padding = canon.spatial.per_dim(
            name, "output_padding", output_padding, self.rank, 0
        )

    def forward(self, input: Any, output_size: Any = None) -> Tensor:
        """Shape (batch, in_channels, ...) to (batch, out_channels, ...), or without the batch.

        With `output_size` the output padding is worked out that gives these spatial sizes.
        """
        extra = self.output_padding
        if output_size is not None:
            extra = self._extra(tuple(getattr(input, "shape", ())), output_size)
        lay = getattr(functions, f"conv_transpose{self.rank}d")
        out: Tensor = lay(
            input,
            self.weight,
            self.bias,
            self.stride,
            self.padding,
            extra,
            self.groups,
            self.dilation,
        )
        return out

    def _extra(self, shape: tuple[int, ...], output_size: Any) -> tuple[int, ...]:
        wanted = tuple(output_size)[-self.rank :]
        least = [
            (n - 1) * s - 2 * p + d * (k - 1) + 1
            for n, s, p, d, k in zip(
                shape[-self.rank :],
                self.stride,
                self.padding,
                self.dilation,
                self.kernel_size,
                strict=True,
            )
        ]
        extra = tuple(size - low for size, low in zip(wanted, least, strict=True))
        if any(not 0 <= e < s for e, s in zip(extra, self.stride, strict=True)):
            raise fail(
                "invalid-argument",
                operation=type(self).__name__,
                complaint=f"output_size {tuple(output_size)} can't be reached from {shape}",
                advice=f"Give sizes from {tuple(least)} on, less than a stride larger.",
            )
        return extra


class ConvTranspose1d(_Transposed):
    """Transposed convolution over one dimension; the arguments are those of `ConvTranspose2d`.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.ConvTranspose1d(2, 3, 4, stride=2, padding=1)(gv.ones(1, 2, 5)).shape
        (1, 3, 10)
    """

    rank = 1


class ConvTranspose2d(_Transposed):
    """Transposed convolution over two dimensions: every element lays its multiple of the weight.

    Args:
        in_channels: channels of the input.
        out_channels: channels of the result.
        kernel_size: the size of the window: one number, or one for each dimension.
        stride: how far apart windows are laid, likewise.
        padding: how many elements are cut off on both sides, likewise.
        output_padding: how much longer the result gets at its end, likewise.
        groups: into how many groups channels are divided that don't see each other.
        bias: whether something is added.
        dilation: the step between elements of a window.
        padding_mode: 'zeros', the only one there is.
        device: where the parameters live; the default device's autodiff form where it is left out.
        dtype: their floating point dtype; float32 where it is left out.

    Raises:
        GradvizError: `invalid-argument`; `shape-mismatch` for an input of other channels.

    Example:
        >>> import gradviz as gv
        >>> layer = gv.nn.ConvTranspose2d(2, 3, kernel_size=2, stride=2)
        >>> layer(gv.ones(1, 2, 3, 3)).shape, layer.weight.shape
        ((1, 3, 6, 6), (2, 3, 2, 2))
    """

    rank = 2


class ConvTranspose3d(_Transposed):
    """Transposed convolution over three dimensions; the arguments are those of `ConvTranspose2d`.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.ConvTranspose3d(1, 2, 2)(gv.ones(1, 1, 2, 2, 2)).shape
        (1, 2, 3, 3, 3)
    """

    rank = 3
