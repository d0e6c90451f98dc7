"""Losses."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

Array = Any
Dims = tuple[int, ...]
_add_reduce: Any = np.add.reduce


def nll_loss(
    log_probs: Array, target: Array, weight: Array | None, ignore_index: int, reduction: str
) -> Array:
    scores = log_probs.reshape(1, -1) if log_probs.ndim == 1 else log_probs
    flat = target.reshape((1,) if log_probs.ndim == 1 else target.shape)
    _, at, factor = _classes(flat, weight, ignore_index, scores.dtype)
    picked = np.take_along_axis(scores, np.expand_dims(at, 1), 1).squeeze(1)
    losses = -picked * factor
    if reduction == "none":
        return losses.reshape(target.shape)
    total = _add_reduce(losses, axis=None)
    return total if reduction == "sum" else total / _norm(factor, scores.dtype)


def nll_loss_backward(
    g: Array,
    target: Array,
    weight: Array | None,
    shape: Dims,
    ignore_index: int,
    reduction: str,
) -> Array:
    flat = target.reshape((1,) if len(shape) == 1 else target.shape)
    kept, at, factor = _classes(flat, weight, ignore_index, g.dtype)
    scale = -factor
    if reduction == "none":
        scale = scale * g.reshape(flat.shape)
    elif reduction == "sum":
        scale = scale * g
    else:
        scale = scale * (g / _norm(factor, g.dtype))
    scale = np.where(kept, scale, 0).astype(g.dtype)  # 0 weights make nan of the others only
    out = np.zeros((1, *shape) if len(shape) == 1 else shape, g.dtype)
    np.put_along_axis(out, np.expand_dims(at, 1), np.expand_dims(scale, 1), 1)
    return out.reshape(shape)


def _classes(
    target: Array, weight: Array | None, ignore_index: int, dtype: Any
) -> tuple[Array, Array, Array]:
    """Which targets count, their classes (0 where ignored) and the factor of each."""
    kept = target != ignore_index
    at = np.where(kept, target, 0)
    factor = kept.astype(dtype)
    if weight is not None:
        factor = factor * weight[at].astype(dtype)
    return kept, at, factor


def _norm(factor: Array, dtype: Any) -> Array:
    return dtype.type(_add_reduce(factor, axis=None))


def _loss(each: Array, reduction: str) -> Array:
    if reduction == "none":
        return each
    total = _add_reduce(each, axis=None)
    return (
        total
        if reduction == "sum"
        else total / max(each.size, 1)
        if each.size
        else total * math.nan
    )


def mse_loss(x: Array, target: Array, reduction: str) -> Array:
    difference = x - target
    return _loss(np.multiply(difference, difference), reduction)


def l1_loss(x: Array, target: Array, reduction: str) -> Array:
    return _loss(np.abs(x - target), reduction)
