"""Softmax over keys; rows of a matrix by index."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.backends.ndarray.kernels.adding import add_at
from gradviz.backends.ndarray.rows import row_sums, shift

Array = Any
Dims = tuple[int, ...]
_max_reduce = np.maximum.reduce
_row_products: Any = np.vecdot


def attention_weights(scores: Array, mask: Array | None, scale: float, causal: bool) -> Array:
    if scores.dtype == np.float16:
        wide = None if mask is None else mask.astype(np.float32)
        return attention_weights(scores.astype(np.float32), wide, scale, causal).astype(np.float16)
    out = np.multiply(scores, scores.dtype.type(scale))
    if not out.size:
        return out
    if mask is not None:
        out += mask
    later = None
    if causal:
        queries, keys = out.shape[-2:]
        later = np.arange(keys) > np.arange(queries)[:, None]
    top = shift(out, -1)
    if mask is not None:
        # A row that sees nothing has no largest score, and no weights to share out.
        top = np.where(np.isneginf(top), out.dtype.type(0), top)
    if later is not None and top.ndim:
        np.copyto(out, -np.inf, where=later)
        top = _max_reduce(out, axis=-1, keepdims=True)
        top = np.where(np.isneginf(top), out.dtype.type(0), top)
    out -= top
    np.exp(out, out=out)
    if later is not None:
        np.copyto(out, 0, where=later)
    total = row_sums(out)
    if mask is not None:
        np.copyto(total, 1, where=total == 0)
    out /= total
    return out


def attention_weights_backward(g: Array, p: Array, scale: float) -> Array:
    out = g - _row_products(g, p, keepdims=True)
    out *= p
    out *= out.dtype.type(scale)
    return out


def embedding(index: Array, weight: Array, padding_idx: int | None) -> Array:
    return np.take(weight, index, axis=0)


def embedding_backward(g: Array, index: Array, shape: Dims, padding_idx: int | None) -> Array:
    out = np.zeros(shape, g.dtype)
    add_at(out, index, g, 0)
    if padding_idx is not None:
        out[padding_idx] = 0
    return out
