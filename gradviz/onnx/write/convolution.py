"""Convolutions and the gradient of their weight."""

from __future__ import annotations

from typing import Any

from gradviz.backends.ndarray import exchange
from gradviz.backends.ndarray.backend import kernel_of
from gradviz.onnx.builder import Builder, InexpressibleError
from gradviz.onnx.registry import plain, writes
from gradviz.onnx.value import Value
from gradviz.onnx.write.movement import padded

Dims = tuple[int, ...]
Pairs = tuple[tuple[int, int], ...]


def pads_of(widths: Pairs) -> list[int]:
    """Borders as the format lists them: all beginnings, then all ends."""
    return [lo for lo, _ in widths] + [hi for _, hi in widths]


def _floating(x: Value) -> None:
    if x.is_whole:
        raise InexpressibleError("ONNX convolves floating point numbers only")


def _given(b: Builder, x: Value, rank: int) -> tuple[Any, bool]:
    """What is convolved over some dimensions, as a batch, and whether it was one."""
    _floating(x)
    batched = x.rank == rank + 2
    return (x if batched else b.Unsqueeze(x, [0])), batched


@writes("conv1d", "conv2d", "conv3d")
def conv(
    b: Builder,
    x: Value,
    weight: Value,
    bias: Value | None,
    stride: Dims,
    padding: Pairs,
    dilation: Dims,
    groups: int,
) -> Any:
    rank = weight.rank - 2
    given, batched = _given(b, x, rank)
    if any(lo < 0 or hi < 0 for lo, hi in padding):
        given, padding = padded(b, given, ((0, 0), (0, 0), *padding)), ((0, 0),) * rank
    out = plain(
        b,
        given,
        weight,
        bias,
        kernel_shape=list(weight.dims[2:]),
        strides=list(stride),
        pads=pads_of(padding),
        dilations=list(dilation),
        group=groups,
    )
    return out if batched else b.Squeeze(out, [0])


@writes("conv_transpose1d", "conv_transpose2d", "conv_transpose3d")
def conv_transpose(
    b: Builder,
    x: Value,
    weight: Value,
    bias: Value | None,
    stride: Dims,
    padding: Pairs,
    output_padding: Dims,
    dilation: Dims,
    groups: int,
) -> Any:
    rank = weight.rank - 2
    given, batched = _given(b, x, rank)
    plain_padding = all(lo >= 0 and hi >= 0 for lo, hi in padding)
    # Room beyond the last patch, and negative borders, are laid on afterwards.
    behind = plain_padding and all(
        extra < max(s, d) for extra, s, d in zip(output_padding, stride, dilation, strict=True)
    )
    pads = padding if behind else ((0, 0),) * rank
    out = plain(
        b,
        given,
        weight,
        bias if behind else None,
        kernel_shape=list(weight.dims[2:]),
        strides=list(stride),
        pads=pads_of(pads),
        output_padding=list(output_padding) if behind else None,
        dilations=list(dilation),
        group=groups,
    )
    if not behind:
        widths = tuple(
            (-lo, extra - hi) for (lo, hi), extra in zip(padding, output_padding, strict=True)
        )
        out = padded(b, out, ((0, 0), (0, 0), *widths))
        if bias is not None:
            out = out + b.reshape(bias, [-1, *(1,) * rank])
    return out if batched else b.Squeeze(out, [0])


@writes("conv_weight_backward")
def conv_weight_backward(
    b: Builder,
    x: Value,
    dout: Value,
    shape: Dims,
    stride: Dims,
    padding: Pairs,
    dilation: Dims,
    groups: int,
) -> Any:
    # The gradient is a convolution itself: samples take the place of channels, and strides that
    # of dilations.
    _floating(x)
    rank = len(shape) - 2
    if x.rank == rank + 1:
        x, dout = _batched(b, x), _batched(b, dout)
    sizes: tuple[Any, ...] = x.dims
    batch, channels = sizes[:2]
    if isinstance(batch, int) and not batch:
        return b.full(0, x.dtype, shape)
    inner = channels // groups
    given = b.reshape(x, (batch, groups, inner, *sizes[2:]))
    space = list(range(3, 3 + rank))
    given = b.transpose(given, [2, 1, 0, *space])
    given = b.reshape(given, (inner, groups * batch, *sizes[2:]))
    given = padded(b, given, ((0, 0), (0, 0), *padding))
    kernel = b.transpose(dout, [1, 0, *range(2, 2 + rank)])
    out = b.Conv(
        given,
        kernel,
        kernel_shape=list(dout.dims[2:]),
        strides=list(dilation),
        dilations=list(stride),
        group=groups,
    )
    axes = list(range(2, 2 + rank))
    out = b.Slice(out, [0] * rank, list(shape[2:]), axes)
    return b.transpose(out, [1, 0, *axes])


def _batched(b: Builder, x: Value) -> Value:
    made: Value = b.Unsqueeze(x, [0])
    made.shape = (1, *x.dims)
    return made


@writes("deform_coords")
def deform_coords(
    b: Builder, offset: Value, kernel_size: Dims, stride: Dims, padding: Dims, dilation: Dims
) -> Any:
    batch, channels, height, width = b.fixed(offset.dims)
    area = kernel_size[0] * kernel_size[1]
    groups = channels // (2 * area)
    split = b.reshape(offset, (batch * groups, area, 2, height, width))
    # Columns before rows, as in a grid.
    moved = b.Gather(b.transpose(split, [0, 1, 3, 4, 2]), [1, 0], axis=4)
    own = b.reshape(moved, (batch * groups, area * height * width, 2))
    still = (1, 2 * area, height, width)
    how = (kernel_size, stride, padding, dilation)
    return own + b.array(exchange.at_rest(kernel_of(b.row), still, offset.dtype, *how))


@writes("deform_conv2d")
def deform_conv2d(
    b: Builder,
    x: Value,
    offset: Value,
    weight: Value,
    mask: Value | None,
    bias: Value | None,
    stride: Dims,
    padding: Dims,
    dilation: Dims,
) -> Any:
    area = weight.dims[2] * weight.dims[3]
    return plain(
        b,
        x,
        weight,
        offset,
        bias,
        mask,
        kernel_shape=list(weight.dims[2:]),
        strides=list(stride),
        pads=[*padding, *padding],
        dilations=list(dilation),
        group=x.dims[1] // weight.dims[1],
        offset_group=offset.dims[1] // (2 * area),
    )
