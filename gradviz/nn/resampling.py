"""Resizing, patches and pixel shuffles as modules."""

from __future__ import annotations

from typing import Any

from gradviz.nn.linear import whole
from gradviz.nn.module import Module
from gradviz.tensor import composed, functions
from gradviz.tensor.base import Tensor


class Upsample(Module):
    """The input resized.

    Args:
        size: the spatial sizes of the result.
        scale_factor: or the sizes as multiples of the input's.
        mode: 'nearest', 'linear', 'bilinear', 'bicubic', 'trilinear' or 'area'.
        align_corners: whether the centres of the outermost elements keep their places.
        recompute_scale_factor: whether the scale is worked out anew from the rounded sizes.

    Raises:
        GradvizError: `invalid-argument`, `shape-mismatch` when it is called.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.Upsample(scale_factor=2)(gv.tensor([[[1.0, 2.0]]])).tolist()
        [[[1.0, 1.0, 2.0, 2.0]]]
    """

    def __init__(
        self,
        size: Any = None,
        scale_factor: Any = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:
        super().__init__()
        self.size = size
        self.scale_factor = scale_factor
        self.mode = mode
        self.align_corners = align_corners
        self.recompute_scale_factor = recompute_scale_factor

    def forward(self, input: Any) -> Tensor:
        """Shape (batch, channels, ...) to one of other spatial sizes."""
        return functions.interpolate(
            input,
            self.size,
            self.scale_factor,
            self.mode,
            self.align_corners,
            self.recompute_scale_factor,
        )

    def extra_repr(self) -> str:
        """The arguments it was made with."""
        how = f"size={self.size}" if self.size is not None else f"scale_factor={self.scale_factor}"
        return f"{how}, mode={self.mode!r}"


class UpsamplingNearest2d(Upsample):
    """An image resized: every place takes the nearest pixel.

    Args:
        size: height and width of the result.
        scale_factor: or both as multiples of the input's.

    Raises:
        GradvizError: `invalid-argument`, `shape-mismatch` when it is called.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.UpsamplingNearest2d(scale_factor=2)(gv.tensor([[[[1.0, 2.0]]]])).tolist()
        [[[[1.0, 1.0, 2.0, 2.0], [1.0, 1.0, 2.0, 2.0]]]]
    """

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, "nearest")


class UpsamplingBilinear2d(Upsample):
    """An image resized between its pixels; the corners stay where they are.

    Args:
        size: height and width of the result.
        scale_factor: or both as multiples of the input's.

    Raises:
        GradvizError: `invalid-argument`, `shape-mismatch` when it is called.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.UpsamplingBilinear2d((1, 3))(gv.tensor([[[[1.0, 2.0]]]])).tolist()
        [[[[1.0, 1.5, 2.0]]]]
    """

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, "bilinear", align_corners=True)


class Unfold(Module):
    """Patches of an image as columns: im2col.

    Args:
        kernel_size: the size of a patch: one number, or one for each dimension.
        dilation: the step between elements of a patch.
        padding: zeros around the image.
        stride: the step from patch to patch.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.Unfold(2)(gv.ones(1, 3, 4, 4)).shape
        (1, 12, 9)
    """

    def __init__(
        self, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input: Any) -> Tensor:
        """Shape (batch, channels, height, width) to (batch, channels * kernel, patches)."""
        return functions.unfold4d(input, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        """The arguments it was made with."""
        return (
            f"kernel_size={self.kernel_size}, dilation={self.dilation}, padding={self.padding}, "
            f"stride={self.stride}"
        )


class Fold(Module):
    """Columns laid back as patches of an image, overlaps added up: col2im.

    Args:
        output_size: height and width of the image.
        kernel_size: the size of a patch: one number, or one for each dimension.
        dilation: the step between elements of a patch.
        padding: how much is cut off around the image.
        stride: the step from patch to patch.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.Fold(4, 2)(gv.ones(1, 12, 9)).shape
        (1, 3, 4, 4)
    """

    def __init__(
        self,
        output_size: Any,
        kernel_size: Any,
        dilation: Any = 1,
        padding: Any = 0,
        stride: Any = 1,
    ) -> None:
        super().__init__()
        self.output_size = output_size
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input: Any) -> Tensor:
        """Shape (batch, channels * kernel, patches) to (batch, channels, height, width)."""
        return functions.fold4d(
            input, self.output_size, self.kernel_size, self.dilation, self.padding, self.stride
        )

    def extra_repr(self) -> str:
        """The arguments it was made with."""
        return (
            f"output_size={self.output_size}, kernel_size={self.kernel_size}, "
            f"dilation={self.dilation}, padding={self.padding}, stride={self.stride}"
        )


class PixelShuffle(Module):
    """Channels laid out as blocks of pixels.

    Args:
        upscale_factor: how many times higher and wider.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.PixelShuffle(2)(gv.ones(1, 8, 3, 3)).shape
        (1, 2, 6, 6)
    """

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor = upscale_factor

    def forward(self, input: Any) -> Tensor:
        """Shape (..., channels * factor^2, height, width) to a higher and wider one."""
        return functions.pixel_shuffle(input, self.upscale_factor)

    def extra_repr(self) -> str:
        """The arguments it was made with."""
        return f"upscale_factor={self.upscale_factor}"


class PixelUnshuffle(Module):
    """Blocks of pixels laid out as channels.

    Args:
        downscale_factor: how many times lower and narrower.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.PixelUnshuffle(2)(gv.ones(1, 2, 6, 6)).shape
        (1, 8, 3, 3)
    """

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        self.downscale_factor = downscale_factor

    def forward(self, input: Any) -> Tensor:
        """Shape (..., channels, height, width) to a lower and narrower one."""
        return functions.pixel_unshuffle(input, self.downscale_factor)

    def extra_repr(self) -> str:
        """The arguments it was made with."""
        return f"downscale_factor={self.downscale_factor}"


class ChannelShuffle(Module):
    """Channels dealt out anew: the first of every group, then the second of every group.

    Args:
        groups: into how many groups channels are split.

    Raises:
        GradvizError: `invalid-argument` for groups that can't share the channels.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.ChannelShuffle(2)(gv.arange(4).reshape(1, 4, 1)).flatten().tolist()
        [0, 2, 1, 3]
    """

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = whole("ChannelShuffle", "groups", groups, 1)

    def forward(self, input: Any) -> Tensor:
        """Shape (batch, channels, ...), to the same."""
        return composed.channel_shuffle(input, self.groups)

    def extra_repr(self) -> str:
        """The arguments it was made with."""
        return f"groups={self.groups}"
