"""Sliding windows, patches as columns and back, and channels as places."""

from __future__ import annotations

from typing import Any

from gradviz.ops import shapes
from gradviz.ops.convolution import Pairs, Shape, convolved
from gradviz.ops.infer import Fact
from gradviz.ops.spec import Sample, op


def _unfold(x: Fact, dim: int, size: int, step: int) -> Fact:
    length = x[0][dim]
    if size > length:
        raise shapes.mismatch(
            "unfold",
            x[0],
            (size,),
            f"a window of {size} elements doesn't fit into dimension {dim} of size {length}.",
            "Give a size of at most the dimension's.",
        )
    count = (length - size) // step + 1
    return (*x[0][:dim], count, *x[0][dim + 1 :], size), x[1]


def _places(
    name: str, sizes: Shape, kernel: Shape, stride: Shape, padding: Pairs, dilation: Shape
) -> Shape:
    """How many patches lie along both dimensions; refuses a kernel that doesn't fit."""
    places = convolved(sizes, kernel, stride, padding, dilation)
    if any(place < 1 for place in places):
        raise shapes.mismatch(
            name,
            sizes,
            kernel,
            f"the kernel with dilation {dilation} is larger than the input with its padding.",
            "Give a smaller kernel or more padding.",
        )
    return places


def _unfold4d(x: Fact, kernel_size: Shape, stride: Shape, padding: Pairs, dilation: Shape) -> Fact:
    if len(x[0]) not in (3, 4):
        raise shapes.mismatch(
            "unfold4d",
            x[0],
            kernel_size,
            "the input must be (batch, channels, height, width) or (channels, height, width).",
            "Add the missing dimension with `unsqueeze`.",
        )
    rows, columns = _places("unfold4d", x[0][-2:], kernel_size, stride, padding, dilation)
    made = x[0][-3] * kernel_size[0] * kernel_size[1]
    return (*x[0][:-3], made, rows * columns), x[1]


def _fold4d(
    x: Fact, output_size: Shape, kernel_size: Shape, stride: Shape, padding: Pairs, dilation: Shape
) -> Fact:
    area = kernel_size[0] * kernel_size[1]
    if len(x[0]) not in (2, 3) or x[0][-2] % area:
        raise shapes.mismatch(
            "fold4d",
            x[0],
            kernel_size,
            f"the input must be (batch, channels * {area}, patches) or the same without the batch.",
            "Give columns as `unfold4d` makes them.",
        )
    rows, columns = _places("fold4d", output_size, kernel_size, stride, padding, dilation)
    if x[0][-1] != rows * columns:
        raise shapes.mismatch(
            "fold4d",
            x[0],
            output_size,
            f"the output size holds {rows} x {columns} patches, the input has {x[0][-1]}.",
            "Give the size that the columns were made of.",
        )
    return (*x[0][:-2], x[0][-2] // area, *output_size), x[1]


def _shuffled(x: Fact, factor: int) -> Fact:
    if len(x[0]) < 3 or x[0][-3] % factor**2:
        raise shapes.mismatch(
            "pixel_shuffle",
            x[0],
            (factor, factor),
            f"the channels, third from the end, must be a multiple of {factor**2}.",
            "Give an input of shape (..., channels, height, width).",
        )
    *lead, channels, height, width = x[0]
    return (*lead, channels // factor**2, height * factor, width * factor), x[1]


def _unshuffled(x: Fact, factor: int) -> Fact:
    if len(x[0]) < 3 or x[0][-1] % factor or x[0][-2] % factor:
        raise shapes.mismatch(
            "pixel_unshuffle",
            x[0],
            (factor, factor),
            f"height and width must be multiples of {factor}.",
            "Give an input of shape (..., channels, height, width).",
        )
    *lead, channels, height, width = x[0]
    return (*lead, channels * factor**2, height // factor, width // factor), x[1]


op(
    "unfold",
    "x",
    attrs="dim size step",
    checked=True,
    infer=_unfold,
    vjp={
        "x": lambda g, x_shape, dim, size, step, xp: xp.unfold_backward(g, x_shape, dim, size, step)
    },
    doc="Windows of `size` elements along one dimension, `step` apart, in a new last dimension.",
    samples=(
        Sample(((2, 7),), (1, 3, 2)),
        Sample(((5, 2),), (0, 2, 1)),
        Sample(((4,),), (0, 4, 3)),
        Sample(((0, 3),), (1, 2, 1)),
    ),
)
op(
    "unfold_backward",
    "g",
    attrs="shape dim size step",
    infer=lambda g, shape, dim, size, step: (shape, g[1]),
    vjp={"g": lambda g, dim, size, step, xp: xp.unfold(g, dim, size, step)},
    doc="Overlapping windows added up: the adjoint of unfold.",
    samples=(
        Sample(((2, 3, 3),), ((2, 7), 1, 3, 2)),
        Sample(((4, 2, 2),), ((5, 2), 0, 2, 1)),
        Sample(((2, 2, 5),), ((2, 8), 1, 5, 3)),
        Sample(((2, 2, 5),), ((8, 2), 0, 5, 3)),
    ),
)
_PATCHES = (
    (((2, 2, 4, 5),), ((2, 3), (1, 1), ((0, 0), (0, 0)), (1, 1))),
    (((1, 2, 5, 5),), ((2, 2), (2, 1), ((1, 1), (0, 1)), (2, 1))),
    (((3, 4, 4),), ((2, 2), (2, 2), ((0, 0), (0, 0)), (1, 1))),
    (((0, 1, 3, 3),), ((2, 2), (1, 1), ((0, 0), (0, 0)), (1, 1))),
)
op(
    "unfold4d",
    "x",
    attrs="kernel_size stride padding dilation",
    checked=True,
    infer=_unfold4d,
    vjp={
        "x": lambda g, x_shape, kernel_size, stride, padding, dilation, xp: xp.fold4d(
            g, x_shape[-2:], kernel_size, stride, padding, dilation
        )
    },
    doc="Patches of an image as columns, (batch, channels * kernel, patches): im2col.",
    samples=tuple(Sample(inputs, attrs) for inputs, attrs in _PATCHES),
)
op(
    "fold4d",
    "x",
    attrs="output_size kernel_size stride padding dilation",
    checked=True,
    promote="numeric",
    infer=_fold4d,
    vjp={
        "x": lambda g, kernel_size, stride, padding, dilation, xp: xp.unfold4d(
            g, kernel_size, stride, padding, dilation
        )
    },
    doc="Columns laid back as patches of an image, overlaps added up: col2im.",
    onnx="Col2Im",
    samples=tuple(
        Sample((_unfold4d((inputs[0], "float64"), *attrs)[0],), (inputs[0][-2:], *attrs))
        for inputs, attrs in _PATCHES
    ),
)


def _back(name: str) -> Any:
    return lambda g, factor, xp: getattr(xp, name)(g, factor)


op(
    "pixel_shuffle",
    "x",
    attrs="factor",
    checked=True,
    infer=_shuffled,
    vjp={"x": _back("pixel_unshuffle")},
    doc="Channels laid out as blocks of pixels, `factor` times higher and wider.",
    onnx="DepthToSpace",
    samples=(Sample(((1, 8, 2, 3),), (2,)), Sample(((4, 1, 2),), (2,))),
)
op(
    "pixel_unshuffle",
    "x",
    attrs="factor",
    checked=True,
    infer=_unshuffled,
    vjp={"x": _back("pixel_shuffle")},
    doc="Blocks of pixels laid out as channels, `factor` times lower and narrower.",
    onnx="SpaceToDepth",
    samples=(Sample(((1, 2, 4, 6),), (2,)), Sample(((1, 2, 4),), (2,))),
)
