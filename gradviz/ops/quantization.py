"""Quantization: numbers as small whole numbers on an even grid, for all or for each channel."""

from __future__ import annotations

from typing import Any

from gradviz.ops import shapes
from gradviz.ops.infer import Fact
from gradviz.ops.spec import Given, Ints, Sample, op


def _grids(name: str, x: Fact, scale: Fact, zero_point: Fact, axis: int | None) -> None:
    """One scale and zero point, or one of both for each channel."""
    channels = 1 if axis is None else x[0][axis]
    wanted = () if axis is None else (channels,)
    for part in (scale, zero_point):
        if part[0] != wanted:
            raise shapes.mismatch(
                name,
                x[0],
                part[0],
                "one scale and zero point serve the whole tensor."
                if axis is None
                else f"dimension {axis} has {channels} channels, each with its own.",
                f"Give scales and zero points of shape {wanted}.",
            )


def _quantized(
    x: Fact, scale: Fact, zero_point: Fact, axis: int | None, low: int, high: int, dtype: str
) -> Fact:
    _grids("quantize", x, scale, zero_point, axis)
    return x[0], dtype


def _dequantized(x: Fact, scale: Fact, zero_point: Fact, axis: int | None) -> Fact:
    _grids("dequantize", x, scale, zero_point, axis)
    return x[0], scale[1]


def _faked(x: Fact, scale: Fact, zero_point: Fact, axis: int | None, low: int, high: int) -> Fact:
    _grids("fake_quantize", x, scale, zero_point, axis)
    return x


_ONE = Given(0.1, "float64"), Given(3)
_CHANNELS = Given([0.1, 0.2, 0.05], "float64"), Given([0, 3, -2])
op(
    "quantize",
    "x scale zero_point",
    attrs="axis low high dtype",
    fixed="scale zero_point",
    checked=True,
    promote="floating",
    infer=_quantized,
    doc="The nearest places on a grid, as whole numbers from `low` to `high`; no gradient passes.",
    formula="clamp(round(x / scale) + zero_point, low, high)",
    onnx="QuantizeLinear",
    samples=(
        Sample(((2, 3), *_ONE), (None, -128, 127, "int8")),
        Sample(((2, 3), *_CHANNELS), (1, 0, 255, "uint8")),
    ),
)
op(
    "dequantize",
    "x scale zero_point",
    attrs="axis",
    fixed="x zero_point",
    checked=True,
    promote="floating",
    infer=_dequantized,
    vjp={
        "scale": lambda g, x, zero_point, scale_shape, scale_dtype, axis, xp: xp.sum(
            g * xp.cast(x - xp.channelwise(zero_point, x.shape, axis), scale_dtype),
            tuple(at for at in range(g.ndim) if at != axis),
            False,
        )
    },
    doc="The numbers that places on a grid stand for.",
    formula="(x - zero_point) * scale",
    onnx="DequantizeLinear",
    samples=(
        Sample((Ints((2, 3), 20, -20), (), Given(3)), (None,)),
        Sample((Ints((2, 3), 20, -20), (3,), Given([0, 3, -2])), (1,)),
        Sample((Ints((3, 2), 20, -20), (3,), Given([0, 3, -2])), (0,)),
    ),
)


def _straight(
    g: Any, x: Any, scale: Any, zero_point: Any, axis: Any, low: int, high: int, xp: Any
) -> Any:
    return xp.where(xp.on_grid(x, scale, zero_point, axis, low, high), g, 0.0)


op(
    "fake_quantize",
    "x scale zero_point",
    attrs="axis low high",
    fixed="scale zero_point",
    checked=True,
    promote="floating",
    infer=_faked,
    vjp={"x": _straight},
    doc="What quantizing and dequantizing leaves of numbers; the gradient passes straight through.",
    formula="d/dx = 1 where x lies on the grid, 0 beyond its ends",
    samples=(
        # Steps, whose differences say nothing of the gradient that is passed on instead.
        Sample(((2, 3), *_ONE), (None, -8, 7), differentiable=False),
        Sample(((2, 3), *_CHANNELS), (1, 0, 15), differentiable=False),
    ),
)
op(
    "on_grid",
    "x scale zero_point",
    attrs="axis low high",
    fixed="scale zero_point",
    infer=lambda x, scale, zero_point, axis, low, high: (x[0], "bool"),
    doc="Whether numbers lie between the ends of a grid.",
    samples=(
        Sample(((2, 3), *_ONE), (None, -8, 7)),
        Sample(((2, 3), *_CHANNELS), (1, 0, 15)),
    ),
)
op(
    "channelwise",
    "x",
    attrs="shape axis",
    infer=lambda x, shape, axis: (
        x[0] if axis is None else tuple(n if at == axis else 1 for at, n in enumerate(shape)),
        x[1],
    ),
    vjp={"x": lambda g, x_shape, xp: xp.reshape(g, x_shape)},
    doc="One number for each channel, reshaped to broadcast along it.",
    samples=(Sample(((3,),), ((2, 3), 1)), Sample(((),), ((2, 3), None))),
)
