"""Activations."""

from __future__ import annotations

import math
from typing import Any

from gradviz.ops.elementwise import HALF, unary
from gradviz.ops.infer import same
from gradviz.ops.spec import Sample, op

_SQRT_HALF = math.sqrt(0.5)
_INV_SQRT_2PI = 1.0 / math.sqrt(2.0 * math.pi)
_GELU_TANH = math.sqrt(2.0 / math.pi)
_GELU_CUBIC = 0.044715

unary(
    "relu",
    "max(x, 0); its gradient at 0 is 0.",
    lambda g, out, xp: xp.gate(g, out),
    promote="numeric",
    onnx="Relu",
)
unary(
    "silu",
    "x * sigmoid(x), also called swish.",
    lambda g, x, xp: _silu_gradient(g, x, xp.sigmoid(x)),
    promote="floating",
)
unary(
    "logsigmoid",
    "log(sigmoid(x)), without overflow.",
    lambda g, x, xp: g * xp.sigmoid(-x),
    promote="floating",
)


def _silu_gradient(g: Any, x: Any, s: Any) -> Any:
    return g * (s * (1.0 + x * (1.0 - s)))


def _total(values: Any, dim: int, xp: Any) -> Any:
    return xp.sum(values, (dim,) if values.ndim else (), True)


def _gelu_gradient(g: Any, x: Any, approximate: str, xp: Any) -> Any:
    if approximate == "none":
        cdf = 0.5 * (1.0 + xp.erf(x * _SQRT_HALF))
        return g * (cdf + x * _INV_SQRT_2PI * xp.exp(-0.5 * x * x))
    t = xp.tanh(_GELU_TANH * (x + _GELU_CUBIC * x * x * x))
    slope = _GELU_TANH * (1.0 + 3.0 * _GELU_CUBIC * x * x)
    return g * (0.5 * (1.0 + t) + 0.5 * x * (1.0 - t * t) * slope)


op(
    "gelu",
    "x",
    attrs="approximate",
    infer=same,
    doc="x times the normal distribution function of x; `approximate` is 'none' or 'tanh'.",
    vjp={"x": _gelu_gradient},
    elementwise=True,
    result="same",
    promote="floating",
    onnx="Gelu",
    samples=tuple(Sample(s.inputs, (how,)) for s in HALF for how in ("none", "tanh")),
)
op(
    "leaky_relu",
    "x",
    attrs="negative_slope",
    infer=same,
    doc="x where it is positive, `negative_slope` * x elsewhere.",
    vjp={"x": lambda g, x, negative_slope, xp: xp.where(x > 0.0, g, g * negative_slope)},
    elementwise=True,
    result="same",
    promote="floating",
    onnx="LeakyRelu",
    samples=tuple(Sample(s.inputs, (0.1,)) for s in HALF),
)
op(
    "elu",
    "x",
    attrs="alpha",
    infer=same,
    doc="x where it is positive, `alpha` * (exp(x) - 1) elsewhere.",
    vjp={"x": lambda g, x, alpha, xp: xp.where(x > 0.0, g, g * alpha * xp.exp(xp.minimum(x, 0.0)))},
    elementwise=True,
    result="same",
    promote="floating",
    onnx="Elu",
    samples=tuple(Sample(s.inputs, (1.0,)) for s in HALF),
)
op(
    "softplus",
    "x",
    attrs="beta threshold",
    infer=same,
    doc="log(1 + exp(beta x)) / beta, without overflow; linear above `threshold`.",
    vjp={
        "x": lambda g, x, beta, threshold, xp: xp.where(
            x * beta > threshold, g, g * xp.sigmoid(x * beta)
        )
    },
    elementwise=True,
    result="same",
    promote="floating",
    onnx="Softplus",
    samples=tuple(Sample(s.inputs, (b, 20.0)) for s in HALF for b in (1.0, 2.0)),
)
op(
    "softmax",
    "x",
    attrs="dim",
    infer=same,
    doc="exp(x) divided by its sum along `dim`, without overflow.",
    vjp={"x": lambda g, out, dim, xp: out * (g - _total(g * out, dim, xp))},
    result="same",
    promote="floating",
    onnx="Softmax",
    samples=(
        Sample(((2, 3),), (1,)),
        Sample(((2, 3),), (0,)),
        Sample(((0, 3),), (1,)),
        Sample(((2, 1),), (1,)),
        Sample(((),), (0,)),
    ),
)
op(
    "log_softmax",
    "x",
    attrs="dim",
    infer=same,
    doc="Logarithm of softmax along `dim`, without overflow.",
    vjp={"x": lambda g, out, dim, xp: g - xp.exp(out) * _total(g, dim, xp)},
    result="same",
    promote="floating",
    onnx="LogSoftmax",
    samples=(
        Sample(((2, 3),), (1,)),
        Sample(((2, 3),), (0,)),
        Sample(((0, 3),), (1,)),
        Sample(((2, 1),), (1,)),
        Sample(((),), (0,)),
    ),
)
