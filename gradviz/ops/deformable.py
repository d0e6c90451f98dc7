"""Deformable convolution: every element of a patch is read at its own shifted place."""

from __future__ import annotations

from typing import Any

from gradviz.ops import shapes
from gradviz.ops.convolution import Shape, convolved
from gradviz.ops.infer import Fact
from gradviz.ops.resampling import towards_places
from gradviz.ops.spec import Sample, op

_FLAT = (0, 0)


def _expected(x: Shape, kernel: Shape, stride: Shape, padding: Shape, dilation: Shape) -> Shape:
    pairs = tuple((p, p) for p in padding)
    return convolved(x[-2:], kernel, stride, pairs, dilation)


def _deform(
    x: Fact,
    offset: Fact,
    weight: Fact,
    mask: Fact | None,
    bias: Fact | None,
    stride: Shape,
    padding: Shape,
    dilation: Shape,
) -> Fact:
    name = "deform_conv2d"
    if len(x[0]) != 4 or len(weight[0]) != 4 or not weight[0][1] or x[0][1] % weight[0][1]:
        raise shapes.mismatch(
            name,
            x[0],
            weight[0],
            "the input must be (batch, channels, height, width), and its channels a multiple of "
            "the weight's second dimension.",
            "Give a weight of shape (out_channels, channels / groups, height, width).",
        )
    groups = x[0][1] // weight[0][1]
    if weight[0][0] % groups:
        raise shapes.mismatch(
            name,
            x[0],
            weight[0],
            f"the weight's output channels can't be shared out over {groups} groups.",
            f"Give a weight whose first dimension is a multiple of {groups}.",
        )
    sizes = _expected(x[0], weight[0][2:], stride, padding, dilation)
    area = weight[0][2] * weight[0][3]
    channels = offset[0][1] if len(offset[0]) == 4 else 0
    shared = channels // (2 * area)
    if (
        not shared
        or channels % (2 * area)
        or x[0][1] % shared
        or offset[0] != (x[0][0], channels, *sizes)
        or min(sizes) < 1
    ):
        raise shapes.mismatch(
            name,
            x[0],
            offset[0],
            f"the offset must be (batch, groups * {2 * area}, {sizes[0]}, {sizes[1]}): a vertical "
            "and a horizontal shift for each element of the kernel, at each place of the result.",
            "Give an offset for the sizes that the result has.",
        )
    if mask is not None and mask[0] != (x[0][0], shared * area, *sizes):
        raise shapes.mismatch(
            name,
            offset[0],
            mask[0],
            f"the mask must be {(x[0][0], shared * area, *sizes)}: half as many channels as the "
            "offset.",
            "Give a factor for each element of the kernel, at each place of the result.",
        )
    if bias is not None and bias[0] != weight[0][:1]:
        raise shapes.mismatch(
            name,
            weight[0],
            bias[0],
            f"the bias must have one number for each of {weight[0][0]} output channels.",
            f"Give a bias of shape ({weight[0][0]},).",
        )
    return (x[0][0], weight[0][0], *sizes), x[1]


class _Layout:
    """Sizes that the formulas share: samples, groups, channels, the kernel's area and places."""

    def __init__(self, x_shape: Shape, offset_shape: Shape, weight_shape: Shape) -> None:
        self.batch, self.channels = x_shape[:2]
        self.area = weight_shape[2] * weight_shape[3]
        self.groups = self.channels // weight_shape[1]
        self.shared = offset_shape[1] // (2 * self.area)
        self.places = offset_shape[2] * offset_shape[3]
        self.made = weight_shape[0] // self.groups
        self.parts = (self.batch * self.shared, self.channels // self.shared)
        """The input with channels that share an offset together."""
        self.image = (*self.parts, *x_shape[2:])
        self.columns = (*self.parts, self.area * self.places)
        self.patches = (self.batch, self.groups, weight_shape[1] * self.area, self.places)


def _sampled(
    x: Any, offset: Any, at: _Layout, kernel: Shape, places: tuple[Shape, ...], xp: Any
) -> Any:
    """The patches' elements."""
    coords = xp.deform_coords(offset, kernel, *places)
    return xp.sample_at(xp.reshape(x, at.image), coords, _FLAT, "linear", "zeros")


def _masked(columns: Any, mask: Any, at: _Layout, xp: Any) -> Any:
    if mask is None:
        return columns
    return columns * xp.reshape(mask, (at.parts[0], 1, at.area * at.places))


def _towards_columns(g: Any, weight: Any, at: _Layout, xp: Any) -> Any:
    """The gradient of the masked columns."""
    matrix = xp.reshape(weight, (at.groups, at.made, at.patches[2]))
    given = xp.reshape(g, (at.batch, at.groups, at.made, at.places))
    return xp.reshape(xp.matmul(xp.transpose(matrix, 1, 2), given), at.columns)


def _x(
    g: Any,
    offset: Any,
    weight: Any,
    mask: Any,
    x_shape: Shape,
    stride: Shape,
    padding: Shape,
    dilation: Shape,
    xp: Any,
) -> Any:
    at = _Layout(x_shape, offset.shape, weight.shape)
    coords = xp.deform_coords(offset, weight.shape[2:], stride, padding, dilation)
    columns = _masked(_towards_columns(g, weight, at, xp), mask, at, xp)
    put = xp.sample_put(columns, coords, at.image, _FLAT, "linear", "zeros")
    return xp.reshape(put, x_shape)


def _offset(
    g: Any,
    x: Any,
    offset: Any,
    weight: Any,
    mask: Any,
    stride: Shape,
    padding: Shape,
    dilation: Shape,
    xp: Any,
) -> Any:
    at = _Layout(x.shape, offset.shape, weight.shape)
    coords = xp.deform_coords(offset, weight.shape[2:], stride, padding, dilation)
    columns = _masked(_towards_columns(g, weight, at, xp), mask, at, xp)
    image = xp.reshape(x, at.image)
    d = towards_places(columns, image, coords, _FLAT, "linear", "zeros", xp)
    return _towards_offset(d, offset.shape, weight.shape[2:], xp)


def _towards_offset(g: Any, offset_shape: Shape, kernel_size: Shape, xp: Any) -> Any:
    """From places (x, y) to the layout of offsets, where the vertical shift comes first."""
    area = kernel_size[0] * kernel_size[1]
    shared = offset_shape[1] // (2 * area)
    split = xp.reshape(xp.flip(g, (2,)), (offset_shape[0] * shared, area, *offset_shape[2:], 2))
    return xp.reshape(xp.permute(split, (0, 1, 4, 2, 3)), offset_shape)


def _weight(
    g: Any,
    x: Any,
    offset: Any,
    mask: Any,
    weight_shape: Shape,
    stride: Shape,
    padding: Shape,
    dilation: Shape,
    xp: Any,
) -> Any:
    at = _Layout(x.shape, offset.shape, weight_shape)
    sampled = _sampled(x, offset, at, weight_shape[2:], (stride, padding, dilation), xp)
    columns = xp.reshape(_masked(sampled, mask, at, xp), at.patches)
    given = xp.reshape(g, (at.batch, at.groups, at.made, at.places))
    each = xp.matmul(given, xp.transpose(columns, 2, 3))
    return xp.reshape(xp.sum(each, (0,), False), weight_shape)


def _mask(
    g: Any,
    x: Any,
    offset: Any,
    weight: Any,
    mask_shape: Shape,
    stride: Shape,
    padding: Shape,
    dilation: Shape,
    xp: Any,
) -> Any:
    at = _Layout(x.shape, offset.shape, weight.shape)
    sampled = _sampled(x, offset, at, weight.shape[2:], (stride, padding, dilation), xp)
    d = xp.sum(_towards_columns(g, weight, at, xp) * sampled, (1,), False)
    return xp.reshape(d, mask_shape)


_OFFSETS = {"low": -0.9, "high": 0.85}
op(
    "deform_conv2d",
    "x offset weight mask? bias?",
    attrs="stride padding dilation",
    checked=True,
    promote="floating",
    memory_bound=False,
    infer=_deform,
    vjp={
        "x": _x,
        "offset": _offset,
        "weight": _weight,
        "mask": _mask,
        "bias": lambda g, xp: xp.sum(xp.sum(g, (2, 3), False), (0,), False),
    },
    doc="Convolution whose patches are read at shifted places, one shift for each of their "
    "elements.",
    formula="y[p] = sum over k of weight[k] mask[k, p] x(p stride + k dilation - padding + "
    "offset[k, p])",
    onnx="DeformConv",
    samples=(
        Sample(
            ((1, 2, 4, 4), (1, 8, 3, 3), (2, 2, 2, 2), (1, 4, 3, 3), (2,)),
            ((1, 1), (0, 0), (1, 1)),
            **_OFFSETS,  # type: ignore[arg-type]
        ),
        Sample(
            ((2, 2, 3, 4), (2, 16, 2, 3), (2, 1, 2, 2), None, None),
            ((2, 1), (1, 0), (1, 1)),
            **_OFFSETS,  # type: ignore[arg-type]
        ),
    ),
)
op(
    "deform_coords",
    "offset",
    attrs="kernel_size stride padding dilation",
    promote="floating",
    infer=lambda offset, kernel_size, *_: (
        (
            offset[0][0] * (offset[0][1] // (2 * kernel_size[0] * kernel_size[1])),
            kernel_size[0] * kernel_size[1] * offset[0][2] * offset[0][3],
            2,
        ),
        offset[1],
    ),
    vjp={"offset": _towards_offset},
    doc="The places, (x, y) counted in elements, that a deformable convolution reads.",
    samples=(Sample(((2, 16, 2, 3),), ((2, 2), (1, 1), (0, 1), (1, 2))),),
)
