"""Further losses."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.backends.ndarray.blocks import select
from gradviz.backends.ndarray.kernels.elementwise import logsigmoid
from gradviz.backends.ndarray.kernels.loss import _classes, _loss, _norm
from gradviz.backends.ndarray.kernels.special import xlogy
from gradviz.backends.ndarray.rows import numbers, row_sums, shift
from gradviz.ops.constants import LOWEST_LOG

Array = Any
Dims = tuple[int, ...]
_add_reduce = np.add.reduce


def _weighed(each: Array, weight: Array | None, reduction: str) -> Array:
    return _loss(each if weight is None else each * weight, reduction)


def binary_cross_entropy(x: Array, target: Array, weight: Array | None, reduction: str) -> Array:
    if x.size and (x.min() < 0 or x.max() > 1):
        raise ValueError("probabilities must lie in [0, 1]; sigmoid makes them of scores")
    yes, no = np.maximum(np.log(x), LOWEST_LOG), np.maximum(np.log1p(-x), LOWEST_LOG)
    return _weighed((target - 1) * no - target * yes, weight, reduction)


def binary_cross_entropy_with_logits(
    x: Array, target: Array, weight: Array | None, pos_weight: Array | None, reduction: str
) -> Array:
    soft = -logsigmoid(x)
    if pos_weight is not None:
        soft *= 1 + (pos_weight - 1) * target
    return _weighed((1 - target) * x + soft, weight, reduction)


def huber_loss(x: Array, target: Array, delta: float, reduction: str) -> Array:
    size = np.abs(x - target)
    near = 0.5 * size * size
    return _loss(select(size <= delta, near, delta * (size - 0.5 * delta)), reduction)


def smooth_l1_loss(x: Array, target: Array, beta: float, reduction: str) -> Array:
    size = np.abs(x - target)
    if not beta:
        return _loss(size, reduction)
    return _loss(select(size < beta, 0.5 * size * size / beta, size - 0.5 * beta), reduction)


def kl_div(x: Array, target: Array, log_target: bool, reduction: str) -> Array:
    if log_target:
        return _loss(np.exp(target) * (target - x), reduction)
    return _loss(xlogy(target, target) - target * x, reduction)


def _ignores(classes: Array, ignore_index: int) -> bool:
    """Whether any class is the ignored one; no other is below 0."""
    if ignore_index < 0:
        return bool(classes.size) and bool(classes.item(classes.argmin()) < 0)
    return bool((classes == ignore_index).any())


def cross_entropy(
    x: Array, target: Array, weight: Array | None, ignore_index: int, reduction: str
) -> tuple[Array, Array]:
    scores = x.reshape(1, -1) if x.ndim == 1 else x
    flat = target.reshape((1,) if x.ndim == 1 else target.shape)
    top = shift(scores, 1)
    parts = scores - top
    np.exp(parts, out=parts)
    lse = row_sums(parts).reshape(flat.shape) if scores.ndim == 2 else _add_reduce(parts, axis=1)
    # Kept relative to the shift: added up, large scores would swallow its digits.
    np.log(lse, out=lse)
    shifts = top.squeeze(1) if top.ndim else top
    if weight is None and scores.ndim == 2 and not _ignores(flat, ignore_index):
        losses = lse - (scores[numbers(flat.size), flat] - shifts)
        factor = None
    else:
        kept, at, factor = _classes(flat, weight, ignore_index, scores.dtype)
        picked = np.take_along_axis(scores, np.expand_dims(at, 1), 1).squeeze(1)
        # What is ignored is 0 even where its scores aren't numbers.
        losses = np.where(kept, (lse - (picked - shifts)) * factor, scores.dtype.type(0))
    kept_lse = lse.reshape(target.shape)
    if reduction == "none":
        return losses.reshape(target.shape), kept_lse
    total = _add_reduce(losses, axis=None)
    if reduction == "sum":
        return total, kept_lse
    count = losses.size if factor is None else _norm(factor, scores.dtype)
    return total / (count if factor is not None else scores.dtype.type(count)), kept_lse


def cross_entropy_backward(
    g: Array,
    x: Array,
    target: Array,
    weight: Array | None,
    lse: Array,
    ignore_index: int,
    reduction: str,
) -> Array:
    flat = target.reshape((1,) if x.ndim == 1 else target.shape)
    scores = x.reshape(1, -1) if x.ndim == 1 else x
    out = scores - shift(scores, 1)
    out -= lse.reshape(flat.shape[0], 1, *flat.shape[1:])
    np.exp(out, out=out)
    if weight is None and scores.ndim == 2 and not _ignores(flat, ignore_index):
        out[numbers(flat.size), flat] -= 1
        scale = g / out.dtype.type(flat.size) if reduction == "mean" else g
        out *= scale.reshape(-1, 1) if reduction == "none" else scale
        return out.reshape(x.shape)
    kept, at, factor = _classes(flat, weight, ignore_index, scores.dtype)
    places = np.expand_dims(at, 1)
    np.put_along_axis(out, places, np.take_along_axis(out, places, 1) - 1, 1)
    if reduction == "none":
        factor = factor * g.reshape(flat.shape)
    else:
        factor = factor * (g if reduction == "sum" else g / _norm(factor, scores.dtype))
    out *= np.expand_dims(factor, 1)
    np.copyto(out, 0, where=np.expand_dims(~kept, 1))
    return out.reshape(x.shape)
