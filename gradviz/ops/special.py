"""Further elementwise functions: logarithms of sums, special functions, mixtures of tensors."""

from __future__ import annotations

import math

from gradviz.ops.elementwise import HALF, binary, unary
from gradviz.ops.infer import broadcast, broadcast_bool, same
from gradviz.ops.spec import Given, Ints, Sample, op

_LOG2 = math.log(2.0)
_TRIPLES = (
    Sample(((2, 3), (2, 3), (2, 3))),
    Sample(((3,), (2, 3), ())),
    Sample(((2, 1), (1, 3), (2, 3))),
    Sample(((0, 3), (3,), (1, 3))),
)

binary(
    "logaddexp",
    "log(exp(lhs) + exp(rhs)), without overflow.",
    lambda g, lhs, rhs, xp: g * xp.sigmoid(lhs - rhs),
    lambda g, lhs, rhs, xp: g * xp.sigmoid(rhs - lhs),
    promote="floating",
)
binary(
    "logaddexp2",
    "log2(2^lhs + 2^rhs), without overflow.",
    lambda g, lhs, rhs, xp: g * xp.sigmoid((lhs - rhs) * _LOG2),
    lambda g, lhs, rhs, xp: g * xp.sigmoid((rhs - lhs) * _LOG2),
    promote="floating",
)
binary(
    "xlogy",
    "lhs * log(rhs), and 0 where `lhs` is 0.",
    lambda g, lhs, rhs, xp: xp.where((lhs == 0.0) & (rhs <= 0.0), 0.0, g * xp.log(rhs)),
    lambda g, lhs, rhs: g * lhs / rhs,
    promote="float",
    domain=(0.5, 2.0),
)
binary(
    "copysign",
    "The size of `lhs` with the sign of `rhs`.",
    lambda g, lhs, out, xp: xp.where(lhs == 0.0, 0.0, g * (xp.sign(lhs) * xp.sign(out))),
    lambda g: g * 0.0,
    promote="float",
)
binary(
    "heaviside",
    "0 below zero, 1 above it, `rhs` at it; no gradient.",
    None,
    None,
    promote="numeric",
)
binary(
    "fmax",
    "The larger of two elements, a number rather than nan.",
    lambda g, lhs, rhs, xp: xp.where((lhs >= rhs) | xp.isnan(rhs), g, 0.0),
    lambda g, lhs, rhs, xp: xp.where((lhs >= rhs) | xp.isnan(rhs), 0.0, g),
)
binary(
    "fmin",
    "The smaller of two elements, a number rather than nan.",
    lambda g, lhs, rhs, xp: xp.where((lhs <= rhs) | xp.isnan(rhs), g, 0.0),
    lambda g, lhs, rhs, xp: xp.where((lhs <= rhs) | xp.isnan(rhs), 0.0, g),
)
for _name, _doc in (
    ("gcd", "Greatest common divisor of two whole numbers."),
    ("lcm", "Least common multiple of two whole numbers."),
):
    op(
        _name,
        "lhs rhs",
        infer=broadcast(_name),
        doc=_doc,
        elementwise=True,
        result="same",
        promote="whole",
        samples=(
            Sample((Ints((2, 3), 9), Ints((3,), 9))),
            Sample((Given([12, 18]), Given([8, 27]))),
        ),
    )
op(
    "signbit",
    "x",
    infer=broadcast_bool("signbit"),
    doc="Whether the sign is negative, that of -0.0 and nan too.",
    elementwise=True,
    result="bool",
    samples=HALF,
)
unary("deg2rad", "Degrees in radians.", lambda g: g * (math.pi / 180.0))
unary("rad2deg", "Radians in degrees.", lambda g: g * (180.0 / math.pi))
unary(
    "sinc",
    "sin(pi x) / (pi x), and 1 at 0.",
    lambda g, x, out, xp: (
        g * xp.where(x == 0.0, 0.0, (xp.cos(x * math.pi) - out) / xp.where(x == 0.0, 1.0, x))
    ),
)
unary(
    "erfc",
    "1 - erf(x), exact where that is tiny.",
    lambda g, x, xp: g * (-2.0 / math.sqrt(math.pi)) * xp.exp(-(x * x)),
    formula="d erfc(x)/dx = -2/sqrt(pi) exp(-x^2)",
)
unary(
    "erfinv",
    "Inverse of the error function.",
    lambda g, out, xp: g * (math.sqrt(math.pi) / 2.0) * xp.exp(out * out),
    domain=(-0.9, 0.9),
)
unary(
    "lgamma",
    "Logarithm of the absolute value of the gamma function.",
    lambda g, x, xp: g * xp.polygamma(x, 0),
    domain=(0.3, 3.0),
)
op(
    "polygamma",
    "x",
    attrs="n",
    infer=same,
    doc="The n-th derivative of the logarithmic derivative of the gamma function.",
    vjp={"x": lambda g, x, n, xp: g * xp.polygamma(x, n + 1)},
    elementwise=True,
    result="same",
    promote="float",
    samples=tuple(Sample(s.inputs, (n,), 0.3, 3.0) for s in HALF[:3] for n in (0, 1, 2)),
)
op(
    "nan_to_num",
    "x",
    attrs="nan posinf neginf",
    infer=same,
    doc="Numbers in the place of nan and infinities; None takes the dtype's largest.",
    vjp={"x": lambda g, x, xp: xp.where(xp.isfinite(x), g, 0.0)},
    elementwise=True,
    result="same",
    samples=(
        *(Sample(s.inputs, (0.0, None, None)) for s in HALF),
        Sample(
            (Given([1.0, math.nan, math.inf, -math.inf], "float64"),),
            (2.0, 3.0, 4.0),
            differentiable=False,
        ),
    ),
)
op(
    "lerp",
    "x end weight",
    infer=broadcast("lerp"),
    doc="A mixture: `x` for weight 0, `end` for weight 1.",
    formula="x + weight (end - x)",
    vjp={
        "x": lambda g, weight: g - g * weight,
        "end": lambda g, weight: g * weight,
        "weight": lambda g, x, end: g * (end - x),
    },
    elementwise=True,
    result="same",
    promote="floating",
    samples=_TRIPLES,
)
op(
    "addcmul",
    "x tensor1 tensor2",
    attrs="value",
    infer=broadcast("addcmul"),
    doc="x + value * tensor1 * tensor2.",
    vjp={
        "x": lambda g: g,
        "tensor1": lambda g, tensor2, value: g * (tensor2 * value),
        "tensor2": lambda g, tensor1, value: g * (tensor1 * value),
    },
    elementwise=True,
    result="same",
    promote="numeric",
    samples=tuple(Sample(s.inputs, (0.5,)) for s in _TRIPLES),
)
op(
    "addcdiv",
    "x tensor1 tensor2",
    attrs="value",
    infer=broadcast("addcdiv"),
    doc="x + value * tensor1 / tensor2.",
    vjp={
        "x": lambda g: g,
        "tensor1": lambda g, tensor2, value: g * value / tensor2,
        "tensor2": lambda g, tensor1, tensor2, value: -g * value * tensor1 / (tensor2 * tensor2),
    },
    elementwise=True,
    result="same",
    promote="floating",
    samples=tuple(Sample(s.inputs, (0.5,), 0.5, 2.0) for s in _TRIPLES),
)
unary(
    "logit",
    "log(x / (1 - x)), the inverse of sigmoid.",
    lambda g, x: g / (x * (1.0 - x)),
    domain=(0.1, 0.9),
)
