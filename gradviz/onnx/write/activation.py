"""Activations."""

from __future__ import annotations

import math
from typing import Any

from gradviz.onnx.builder import Builder
from gradviz.onnx.registry import plain, writes
from gradviz.onnx.value import Value


@writes("silu")
def silu(b: Builder, x: Value) -> Any:
    return x * b.Sigmoid(x)


def logsigmoid(b: Builder, x: Value) -> Any:
    """log of the logistic function, without overflow."""
    return -b.Softplus(-x)


@writes("logsigmoid")
def write_logsigmoid(b: Builder, x: Value) -> Any:
    return logsigmoid(b, x)


@writes("gelu")
def gelu(b: Builder, x: Value, approximate: str) -> Any:
    if b.opset >= 20 and x.dtype == "float32":
        return plain(b, x, approximate=approximate)
    if approximate == "none":
        return x * 0.5 * (b.Erf(x * math.sqrt(0.5)) + 1.0)
    return x * 0.5 * (b.Tanh((x + x * x * x * 0.044715) * math.sqrt(2.0 / math.pi)) + 1.0)


@writes("leaky_relu")
def leaky_relu(b: Builder, x: Value, negative_slope: float) -> Any:
    return plain(b, x, alpha=float(negative_slope))


@writes("elu")
def elu(b: Builder, x: Value, alpha: float) -> Any:
    return plain(b, x, alpha=float(alpha))


def softplus(b: Builder, x: Value, beta: float, threshold: float) -> Any:
    """log(1 + exp(beta x)) / beta, and x itself beyond the threshold."""
    scaled = x if beta == 1 else x * beta
    soft = b.Softplus(scaled) if beta == 1 else b.Softplus(scaled) / beta
    # Far out the two are the same number.
    return soft if threshold >= 20 else b.Where(scaled > float(threshold), x, soft)


@writes("softplus")
def write_softplus(b: Builder, x: Value, beta: float, threshold: float) -> Any:
    return softplus(b, x, beta, threshold)


@writes("softmax", "log_softmax")
def softmax(b: Builder, x: Value, dim: int) -> Any:
    if not x.rank:
        return b.constant(1.0 if b.row.name == "softmax" else 0.0, x.dtype)
    return plain(b, x, axis=dim)


@writes("quiet_softmax")
def quiet_softmax(b: Builder, x: Value, dim: int) -> Any:
    # The one below the line is exp(0), which takes part in the shift like any other.
    top = b.Max(b.reduce("ReduceMax", x, [dim]) if x.rank else x, 0.0)
    out = b.Exp(x - top)
    total = b.reduce("ReduceSum", out, [dim]) if x.rank else out
    return out / (total + b.Exp(-top))


@writes("mish")
def mish(b: Builder, x: Value) -> Any:
    return x * b.Tanh(b.Softplus(x))


@writes("softsign")
def softsign(b: Builder, x: Value) -> Any:
    return b.Softsign(x)


@writes("tanhshrink")
def tanhshrink(b: Builder, x: Value) -> Any:
    return x - b.Tanh(x)


@writes("hardsigmoid")
def hardsigmoid(b: Builder, x: Value) -> Any:
    return b.HardSigmoid(x, alpha=1.0 / 6.0, beta=0.5)


@writes("hardswish")
def hardswish(b: Builder, x: Value) -> Any:
    return b.HardSwish(x)


@writes("relu6")
def relu6(b: Builder, x: Value) -> Any:
    return b.Clip(x, 0, 6)


@writes("selu")
def selu(b: Builder, x: Value) -> Any:
    return b.Selu(x)


@writes("celu")
def celu(b: Builder, x: Value, alpha: float) -> Any:
    if x.dtype == "float32":
        return b.Celu(x, alpha=float(alpha))
    return b.Elu(x / alpha, alpha=1.0) * alpha


@writes("hardtanh")
def hardtanh(b: Builder, x: Value, min_val: float, max_val: float) -> Any:
    return b.Clip(x, min_val, max_val)


@writes("hardshrink")
def hardshrink(b: Builder, x: Value, lambd: float) -> Any:
    return b.Shrink(x, lambd=float(lambd), bias=0.0)


@writes("softshrink")
def softshrink(b: Builder, x: Value, lambd: float) -> Any:
    return b.Shrink(x, lambd=float(lambd), bias=float(lambd))


@writes("shrink")
def shrink(b: Builder, x: Value, lambd: float, bias: float) -> Any:
    return b.Shrink(x, lambd=float(lambd), bias=float(bias))


@writes("threshold")
def threshold(b: Builder, x: Value, threshold: float, value: float) -> Any:
    return b.Where(x > threshold, x, b.constant(value, x.dtype))


@writes("prelu")
def prelu(b: Builder, x: Value, weight: Value) -> Any:
    if weight.rank <= x.rank:
        return plain(b, x, weight)
    return b.Where(x > 0.0, x, x * weight)
