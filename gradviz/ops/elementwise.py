"""Elementwise arithmetic and functions."""

from __future__ import annotations

import math
from typing import Any

from gradviz.ops.infer import broadcast, same
from gradviz.ops.spec import Formula, Promote, Sample, op

HALF = (Sample(((3, 2),)), Sample(((),)), Sample(((0, 3),)), Sample(((2, 1, 3),)))
PAIRS = (
    Sample(((2, 3), (2, 3))),
    Sample(((2, 3), (3,))),
    Sample(((2, 1), (1, 3))),
    Sample(((), (2,))),
    Sample(((0, 3), (1, 3))),
    Sample(((1,), (2, 3, 1))),
)


def within(samples: tuple[Sample, ...], low: float, high: float) -> tuple[Sample, ...]:
    """The same samples with values drawn from a domain."""
    return tuple(Sample(s.inputs, s.attrs, low, high, s.differentiable) for s in samples)


def unary(
    name: str,
    doc: str,
    vjp: Formula | None,
    *,
    forward: str | None = None,
    promote: Promote = "float",
    domain: tuple[float, float] = (-2.0, 2.0),
    zero_gradient: bool = False,
    formula: str = "",
    onnx: str | None = None,
) -> None:
    """A row of one input whose result has the same shape."""
    op(
        name,
        "x",
        infer=same,
        doc=doc,
        forward=forward,
        vjp={} if vjp is None else {"x": vjp},
        elementwise=True,
        result="same",
        promote=promote,
        zero_gradient=zero_gradient,
        formula=formula,
        onnx=onnx,
        samples=within(HALF, *domain),
    )


def binary(
    name: str,
    doc: str,
    lhs: Formula | None,
    rhs: Formula | None,
    *,
    forward: str | None = None,
    promote: Promote = "common",
    domain: tuple[float, float] = (-2.0, 2.0),
    formula: str = "",
    onnx: str | None = None,
) -> None:
    """A row of two inputs that broadcast."""
    vjp = {} if lhs is None else {"lhs": lhs}
    if rhs is not None:
        vjp["rhs"] = rhs
    op(
        name,
        "lhs rhs",
        infer=broadcast(name),
        doc=doc,
        forward=forward,
        vjp=vjp,
        elementwise=True,
        result="same",
        promote=promote,
        formula=formula,
        onnx=onnx,
        samples=within(PAIRS, *domain),
    )


def _tie(g: Any, lhs: Any, rhs: Any, xp: Any, wins: Any) -> Any:
    return xp.where(lhs == rhs, g * 0.5, xp.where(wins, g, 0.0))


binary(
    "add",
    "Sum of two tensors, element by element.",
    lambda g: g,
    lambda g: g,
    onnx="Add",
)
binary(
    "sub",
    "Difference of two tensors, element by element.",
    lambda g: g,
    lambda g: -g,
    forward="subtract",
    promote="numeric",
    onnx="Sub",
)
binary(
    "mul",
    "Product of two tensors, element by element.",
    lambda g, rhs: g * rhs,
    lambda g, lhs: g * lhs,
    forward="multiply",
    onnx="Mul",
)
binary(
    "div",
    "Quotient of two tensors, element by element; integers are divided as float32.",
    lambda g, rhs: g / rhs,
    lambda g, lhs, rhs: -g * lhs / (rhs * rhs),
    forward="true_divide",
    promote="float",
    domain=(0.5, 2.0),
    onnx="Div",
)
binary(
    "pow",
    "`lhs` to the power of `rhs`, element by element.",
    lambda g, lhs, rhs, xp: xp.where(rhs == 0.0, 0.0, g * rhs * lhs ** (rhs - 1.0)),
    lambda g, lhs, rhs, out, xp: xp.where((lhs == 0.0) & (rhs >= 0.0), 0.0, g * out * xp.log(lhs)),
    forward="power",
    promote="numeric",
    domain=(0.5, 2.0),
    onnx="Pow",
)
binary(
    "maximum",
    "The larger of two elements; on a tie both get half of the gradient.",
    lambda g, lhs, rhs, xp: _tie(g, lhs, rhs, xp, lhs > rhs),
    lambda g, lhs, rhs, xp: _tie(g, lhs, rhs, xp, rhs > lhs),
    onnx="Max",
)
binary(
    "minimum",
    "The smaller of two elements; on a tie both get half of the gradient.",
    lambda g, lhs, rhs, xp: _tie(g, lhs, rhs, xp, lhs < rhs),
    lambda g, lhs, rhs, xp: _tie(g, lhs, rhs, xp, rhs < lhs),
    onnx="Min",
)
binary(
    "remainder",
    "Remainder of a division, with the sign of the divisor (Python's `%`).",
    lambda g: g,
    lambda g, lhs, rhs, xp: -g * xp.floor(lhs / rhs),
    promote="numeric",
    domain=(0.6, 1.9),
)
binary(
    "fmod",
    "Remainder of a division, with the sign of the dividend (C's `fmod`).",
    lambda g: g,
    lambda g, lhs, rhs, xp: -g * xp.trunc(lhs / rhs),
    promote="numeric",
    domain=(0.6, 1.9),
)
binary("floor_divide", "Quotient rounded down.", None, None, promote="numeric", domain=(0.5, 2.0))
binary(
    "atan2",
    "Angle of the point (rhs, lhs) in radians.",
    lambda g, lhs, rhs: g * rhs / (lhs * lhs + rhs * rhs),
    lambda g, lhs, rhs: -g * lhs / (lhs * lhs + rhs * rhs),
    forward="arctan2",
    promote="float",
    domain=(0.5, 2.0),
)
binary(
    "hypot",
    "Length of the hypotenuse: sqrt(lhs^2 + rhs^2).",
    lambda g, lhs, out: g * lhs / out,
    lambda g, rhs, out: g * rhs / out,
    promote="floating",
    domain=(0.5, 2.0),
)

op(
    "pow_scalar",
    "x",
    attrs="exponent",
    infer=same,
    doc="`x` to the power of a number.",
    vjp={
        "x": lambda g, x, exponent: (
            g * 0.0
            if exponent == 0
            else g * (2.0 * x)
            if exponent == 2
            else g * (exponent * x ** (exponent - 1))
        )
    },
    elementwise=True,
    result="same",
    samples=tuple(Sample(((2, 3),), (e,), 0.5, 2.0) for e in (0, 1, 2, 3, -1, 0.5, 2.5)),
    onnx="Pow",
)

unary(
    "neg",
    "Negative of every element.",
    lambda g: -g,
    forward="negative",
    promote="numeric",
    onnx="Neg",
)
unary(
    "abs",
    "Absolute value of every element; its gradient at 0 is 0.",
    lambda g, x, xp: g * xp.sign(x),
    promote="numeric",
    onnx="Abs",
)
unary("exp", "e to the power of every element.", lambda g, out: g * out, onnx="Exp")
unary("expm1", "exp(x) - 1, exact near 0.", lambda g, out: g * (out + 1.0))
unary(
    "exp2",
    "2 to the power of every element.",
    lambda g, out: g * (out * math.log(2.0)),
)
unary(
    "log", "Natural logarithm of every element.", lambda g, x: g / x, domain=(0.3, 3.0), onnx="Log"
)
unary("log2", "Logarithm to base 2.", lambda g, x: g / (x * math.log(2.0)), domain=(0.3, 3.0))
unary("log10", "Logarithm to base 10.", lambda g, x: g / (x * math.log(10.0)), domain=(0.3, 3.0))
unary("log1p", "log(1 + x), exact near 0.", lambda g, x: g / (x + 1.0), domain=(-0.5, 2.0))
unary(
    "sqrt",
    "Square root of every element.",
    lambda g, out: g / (2.0 * out),
    domain=(0.3, 3.0),
    onnx="Sqrt",
)
unary(
    "rsqrt",
    "1 / sqrt(x).",
    lambda g, out: g * (-0.5 * out * out * out),
    domain=(0.3, 3.0),
)
unary(
    "reciprocal",
    "1 / x.",
    lambda g, out: -g * (out * out),
    domain=(0.3, 3.0),
    onnx="Reciprocal",
)
unary("square", "x * x.", lambda g, x: g * (2.0 * x), promote="numeric")
unary("sin", "Sine, of radians.", lambda g, x, xp: g * xp.cos(x), onnx="Sin")
unary("cos", "Cosine, of radians.", lambda g, x, xp: -g * xp.sin(x), onnx="Cos")
unary(
    "tan",
    "Tangent, of radians.",
    lambda g, out: g * (1.0 + out * out),
    domain=(-1.2, 1.2),
    onnx="Tan",
)
unary(
    "asin",
    "Inverse sine, in radians.",
    lambda g, x, xp: g * xp.rsqrt(1.0 - x * x),
    forward="arcsin",
    domain=(-0.9, 0.9),
    onnx="Asin",
)
unary(
    "acos",
    "Inverse cosine, in radians.",
    lambda g, x, xp: -g * xp.rsqrt(1.0 - x * x),
    forward="arccos",
    domain=(-0.9, 0.9),
    onnx="Acos",
)
unary(
    "atan",
    "Inverse tangent, in radians.",
    lambda g, x: g / (1.0 + x * x),
    forward="arctan",
    onnx="Atan",
)
unary("sinh", "Hyperbolic sine.", lambda g, x, xp: g * xp.cosh(x), onnx="Sinh")
unary("cosh", "Hyperbolic cosine.", lambda g, x, xp: g * xp.sinh(x), onnx="Cosh")
unary(
    "tanh",
    "Hyperbolic tangent.",
    lambda g, out: g * (1.0 - out * out),
    formula="d tanh(x)/dx = 1 - tanh(x)^2",
    onnx="Tanh",
)
unary(
    "asinh",
    "Inverse hyperbolic sine.",
    lambda g, x, xp: g * xp.rsqrt(x * x + 1.0),
    forward="arcsinh",
    onnx="Asinh",
)
unary(
    "acosh",
    "Inverse hyperbolic cosine.",
    lambda g, x, xp: g * xp.rsqrt(x * x - 1.0),
    forward="arccosh",
    domain=(1.2, 3.0),
    onnx="Acosh",
)
unary(
    "atanh",
    "Inverse hyperbolic tangent.",
    lambda g, x: g / (1.0 - x * x),
    forward="arctanh",
    domain=(-0.8, 0.8),
    onnx="Atanh",
)
unary(
    "erf",
    "Error function.",
    lambda g, x, xp: g * (2.0 / math.sqrt(math.pi)) * xp.exp(-(x * x)),
    formula="d erf(x)/dx = 2/sqrt(pi) exp(-x^2)",
    onnx="Erf",
)
for _name, _doc in (
    ("sign", "-1, 0 or 1 by the sign; its gradient is zero everywhere."),
    ("floor", "The next lower whole number; its gradient is zero everywhere."),
    ("ceil", "The next higher whole number; its gradient is zero everywhere."),
    ("round", "The nearest whole number, halves to even; its gradient is zero everywhere."),
    ("trunc", "The whole part; its gradient is zero everywhere."),
):
    unary(
        _name,
        _doc,
        lambda g: g * 0.0,
        promote="none" if _name == "sign" else "numeric",
        domain=(0.1, 0.4),
        zero_gradient=True,
        onnx=_name.capitalize() if _name != "trunc" else None,
    )
unary(
    "frac", "The part after the decimal point.", lambda g: g, promote="floating", domain=(0.1, 0.4)
)
unary(
    "sigmoid",
    "1 / (1 + exp(-x)), without overflow.",
    lambda g, out: g * (out * (1.0 - out)),
    formula="d sigmoid(x)/dx = sigmoid(x) (1 - sigmoid(x))",
    onnx="Sigmoid",
)
