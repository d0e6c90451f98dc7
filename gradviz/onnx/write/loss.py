"""Losses."""

from __future__ import annotations

from typing import Any

from gradviz.onnx.builder import Builder
from gradviz.onnx.registry import plain, writes
from gradviz.onnx.value import Value
from gradviz.onnx.write.activation import logsigmoid
from gradviz.onnx.write.elementwise import log1p
from gradviz.onnx.write.special import xlogy

Dims = tuple[int, ...]
_LOWEST = -100.0


def reduced(b: Builder, each: Any, reduction: str) -> Any:
    """Losses as they are, added up, or their mean."""
    if reduction == "none":
        return each
    return b.op("ReduceSum" if reduction == "sum" else "ReduceMean", each, keepdims=0)


@writes("mse_loss")
def mse_loss(b: Builder, x: Value, target: Value, reduction: str) -> Any:
    away = x - target
    return reduced(b, away * away, reduction)


@writes("l1_loss")
def l1_loss(b: Builder, x: Value, target: Value, reduction: str) -> Any:
    return reduced(b, b.Abs(x - target), reduction)


@writes("huber_loss")
def huber_loss(b: Builder, x: Value, target: Value, delta: float, reduction: str) -> Any:
    size = b.Abs(x - target)
    far = (size - 0.5 * delta) * delta
    return reduced(b, b.Where(size <= delta, size * size * 0.5, far), reduction)


@writes("smooth_l1_loss")
def smooth_l1_loss(b: Builder, x: Value, target: Value, beta: float, reduction: str) -> Any:
    size = b.Abs(x - target)
    if not beta:
        return reduced(b, size, reduction)
    near = size * size * (0.5 / beta)
    return reduced(b, b.Where(size < beta, near, size - 0.5 * beta), reduction)


@writes("binary_cross_entropy")
def binary_cross_entropy(
    b: Builder, x: Value, target: Value, weight: Value | None, reduction: str
) -> Any:
    yes, no = b.Max(b.Log(x), _LOWEST), b.Max(log1p(b, -x), _LOWEST)
    each = (target - 1.0) * no - target * yes
    return reduced(b, each if weight is None else each * weight, reduction)


@writes("binary_cross_entropy_with_logits")
def with_logits(
    b: Builder,
    x: Value,
    target: Value,
    weight: Value | None,
    pos_weight: Value | None,
    reduction: str,
) -> Any:
    soft: Any = -logsigmoid(b, x)
    if pos_weight is not None:
        soft = soft * ((pos_weight - 1.0) * target + 1.0)
    each = (1.0 - target) * x + soft
    return reduced(b, each if weight is None else each * weight, reduction)


@writes("kl_div")
def kl_div(b: Builder, x: Value, target: Value, log_target: bool, reduction: str) -> Any:
    if log_target:
        return reduced(b, b.Exp(target) * (target - x), reduction)
    return reduced(b, xlogy(b, target, target) - target * x, reduction)


@writes("nll_loss", "cross_entropy")
def class_loss(
    b: Builder,
    scores: Value,
    target: Value,
    weight: Value | None,
    ignore_index: int,
    reduction: str,
) -> Any:
    rank = len(scores.dims)
    x = scores if rank > 1 else b.Unsqueeze(scores, [0])
    at = target if rank > 1 else b.reshape(target, [1])
    at = b.cast(at, "int64") if at.dtype not in ("int32", "int64") else at
    share = None if weight is None else b.cast(weight, scores.dtype)
    out = plain(b, x, at, share, ignore_index=ignore_index, reduction=reduction)
    return b.reshape(out, ()) if rank == 1 and reduction == "none" else out


@writes("nll_loss_backward")
def nll_loss_backward(
    b: Builder,
    g: Value,
    target: Value,
    weight: Value | None,
    shape: Dims,
    ignore_index: int,
    reduction: str,
) -> Any:
    single = len(shape) == 1
    flat = b.reshape(target, [1]) if single else target
    spots = (1,) if single else tuple(target.dims)
    kept = ~b.Equal(flat, ignore_index)
    at = b.Where(kept, flat, b.constant(0, target.dtype))
    factor = b.cast(kept, g.dtype)
    if weight is not None:
        factor = factor * b.cast(b.Gather(weight, at, axis=0), g.dtype)
    scale = -factor
    if reduction == "none":
        scale = scale * (b.reshape(g, spots) if single else g)
    elif reduction == "sum":
        scale = scale * g
    else:
        scale = scale * (g / b.ReduceSum(factor, keepdims=0))
    # Weights of 0 make nan of the others only.
    scale = b.Where(kept, scale, b.constant(0.0, g.dtype))
    whole = b.full(0, g.dtype, (1, *shape) if single else shape)
    out = b.ScatterElements(whole, b.Unsqueeze(at, [1]), b.Unsqueeze(scale, [1]), axis=1)
    return b.reshape(out, shape) if single else out
