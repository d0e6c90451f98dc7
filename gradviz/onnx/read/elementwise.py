"""Arithmetic, functions of one number, activations, comparisons and logic."""

from __future__ import annotations

import math
from typing import Any, Final

from gradviz.onnx.read.call import Call, as_dtype, like, rows
from gradviz.onnx.read.refusal import UnreadableError
from gradviz.onnx.read.registry import reads
from gradviz.onnx.read.tensors import dtype_of

UNARY: Final = {
    "Abs": "abs",
    "Acos": "acos",
    "Acosh": "acosh",
    "Asin": "asin",
    "Asinh": "asinh",
    "Atan": "atan",
    "Atanh": "atanh",
    "BitwiseNot": "bitwise_not",
    "Ceil": "ceil",
    "Cos": "cos",
    "Cosh": "cosh",
    "Det": "det",
    "Erf": "erf",
    "Exp": "exp",
    "Floor": "floor",
    "HardSwish": "hardswish",
    "IsNaN": "isnan",
    "Log": "log",
    "Mish": "mish",
    "Neg": "neg",
    "Not": "logical_not",
    "Reciprocal": "reciprocal",
    "Relu": "relu",
    "Round": "round",
    "Sigmoid": "sigmoid",
    "Sign": "sign",
    "Sin": "sin",
    "Sinh": "sinh",
    "Softsign": "softsign",
    "Sqrt": "sqrt",
    "Tan": "tan",
    "Tanh": "tanh",
}
"""Operations that are one row of one input."""
BINARY: Final = {
    "Add": "add",
    "And": "logical_and",
    "BitwiseAnd": "bitwise_and",
    "BitwiseOr": "bitwise_or",
    "BitwiseXor": "bitwise_xor",
    "Equal": "eq",
    "Greater": "gt",
    "GreaterOrEqual": "ge",
    "Less": "lt",
    "LessOrEqual": "le",
    "MatMul": "matmul",
    "Mul": "mul",
    "Or": "logical_or",
    "Sub": "sub",
    "Xor": "logical_xor",
}
"""Operations that are one row of two inputs."""


@reads(*UNARY)
def unary(c: Call) -> Any:
    return getattr(rows, UNARY[c.kind])(c.x)


@reads(*BINARY)
def binary(c: Call) -> Any:
    return getattr(rows, BINARY[c.kind])(c.tensor(0), c.tensor(1))


@reads("Identity")
def identity(c: Call) -> Any:
    return c.x


@reads("Dropout")
def dropout(c: Call) -> Any:
    if c.has(2) and c.number(2):
        raise UnreadableError("it drops at random, which a recorded program doesn't")
    return c.x, rows.eq(c.x, c.x) if len(c.wanted) > 1 and c.wanted[1] else None


@reads("Max", "Min", "Sum", "Mean")
def several(c: Call) -> Any:
    row = {"Max": rows.maximum, "Min": rows.minimum}.get(c.kind, rows.add)
    found = c.tensor(0)
    for at in range(1, len(c.items)):
        found = row(found, c.tensor(at))
    return rows.div(found, like(len(c.items), found)) if c.kind == "Mean" else found


@reads("Div")
def div(c: Call) -> Any:
    lhs, rhs = c.tensor(0), c.tensor(1)
    if lhs.dtype.kind == "f":
        return rows.div(lhs, rhs)
    # Whole numbers are cut off towards 0.
    return rows.floor_divide(rows.sub(lhs, rows.fmod(lhs, rhs)), rhs)


@reads("Mod")
def mod(c: Call) -> Any:
    return (rows.fmod if c.whole("fmod", 0) else rows.remainder)(c.tensor(0), c.tensor(1))


@reads("Pow")
def pow_(c: Call) -> Any:
    x = c.x
    if c.known(1):
        exponent = c.number(1)
        if exponent == 2 and x.dtype.kind == "f":
            return rows.square(x)
        if x.dtype.kind == "f":
            return rows.pow(x, like(exponent, x))
    exponent = c.tensor(1)
    if x.dtype.kind != "f" and exponent.dtype.kind == "f":
        return as_dtype(rows.pow(as_dtype(x, exponent.dtype.name), exponent), x.dtype.name)
    return rows.pow(x, as_dtype(exponent, x.dtype.name))


@reads("BitShift")
def bit_shift(c: Call) -> Any:
    left = c.text("direction") == "LEFT"
    row = rows.bitwise_left_shift if left else rows.bitwise_right_shift
    return row(c.tensor(0), c.tensor(1))


@reads("IsInf")
def is_inf(c: Call) -> Any:
    x = c.x
    high, low = c.whole("detect_positive", 1), c.whole("detect_negative", 1)
    if high and low:
        return rows.isinf(x)
    if not high and not low:
        return rows.ne(x, x) if x.dtype.kind != "f" else rows.logical_not(rows.eq(x, x))
    return rows.eq(x, math.inf if high else -math.inf)


@reads("Cast")
def cast(c: Call) -> Any:
    return as_dtype(c.x, dtype_of(c.whole("to", 0)))


@reads("CastLike")
def cast_like(c: Call) -> Any:
    return as_dtype(c.x, c.tensor(1).dtype.name)


@reads("Where")
def where(c: Call) -> Any:
    return rows.where(c.tensor(0), c.tensor(1), c.tensor(2))


@reads("Clip")
def clip(c: Call) -> Any:
    x = c.x
    if "min" in c.attributes or "max" in c.attributes:
        return rows.clamp(x, c.real("min"), c.real("max"))
    ends = [(at, c.has(at)) for at in (1, 2)]
    if all(c.known(at) for at, there in ends if there):
        low, high = (like(c.number(at), x) if there else None for at, there in ends)
        return x if low is None and high is None else rows.clamp(x, low, high)
    if c.has(1):
        x = rows.maximum(x, c.tensor(1))
    return rows.minimum(x, c.tensor(2)) if c.has(2) else x


# --- activations ---------------------------------------------------------------------------------
@reads("Softplus")
def softplus(c: Call) -> Any:
    return rows.softplus(c.x, 1.0, 50.0)


@reads("Gelu")
def gelu(c: Call) -> Any:
    return rows.gelu(c.x, c.text("approximate", "none"))


@reads("Elu")
def elu(c: Call) -> Any:
    return rows.elu(c.x, c.real("alpha", 1.0))


@reads("Celu")
def celu(c: Call) -> Any:
    return rows.celu(c.x, c.real("alpha", 1.0))


@reads("Selu")
def selu(c: Call) -> Any:
    alpha, gamma = (
        c.real("alpha", 1.67326319217681884765625),
        c.real("gamma", 1.05070102214813232421875),
    )
    if abs(alpha - 1.6732632) < 1e-5 and abs(gamma - 1.0507010) < 1e-5:
        return rows.selu(c.x)
    return rows.mul(rows.elu(c.x, alpha), gamma)


@reads("LeakyRelu")
def leaky_relu(c: Call) -> Any:
    return rows.leaky_relu(c.x, c.real("alpha", 0.01))


@reads("ThresholdedRelu")
def thresholded_relu(c: Call) -> Any:
    return rows.threshold(c.x, c.real("alpha", 1.0), 0.0)


@reads("HardSigmoid")
def hard_sigmoid(c: Call) -> Any:
    alpha, beta = c.real("alpha", 0.2), c.real("beta", 0.5)
    if abs(alpha - 1 / 6) < 1e-6 and beta == 0.5:
        return rows.hardsigmoid(c.x)
    return rows.clamp(rows.add(rows.mul(c.x, alpha), beta), 0.0, 1.0)


@reads("Shrink")
def shrink(c: Call) -> Any:
    return rows.shrink(c.x, c.real("lambd", 0.5), c.real("bias", 0.0))


@reads("PRelu")
def prelu(c: Call) -> Any:
    return rows.prelu(c.tensor(0), c.tensor(1))


@reads("Swish")
def swish(c: Call) -> Any:
    alpha = c.real("alpha", 1.0)
    return rows.mul(c.x, rows.sigmoid(c.x if alpha == 1 else rows.mul(c.x, alpha)))


@reads("Softmax", "LogSoftmax")
def softmax(c: Call) -> Any:
    row = rows.softmax if c.kind == "Softmax" else rows.log_softmax
    x = c.x
    rank = len(x.shape)
    if c.opset >= 13:
        return row(x, c.axis("axis", -1, rank))
    # Once all dimensions from the axis on were one.
    axis = c.axis("axis", 1, rank)
    if axis == rank - 1:
        return row(x, axis)
    flat = (*x.shape[:axis], math.prod(x.shape[axis:]))
    return rows.reshape(row(rows.reshape(x, flat), axis), tuple(x.shape))
