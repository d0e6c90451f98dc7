"""Softmax over keys."""

from __future__ import annotations

import math
from typing import Any

from gradviz.backends.ndarray import exchange
from gradviz.onnx.builder import Builder
from gradviz.onnx.registry import writes
from gradviz.onnx.value import Value


@writes("attention_weights")
def attention_weights(
    b: Builder, scores: Value, mask: Value | None, scale: float, causal: bool
) -> Any:
    out: Any = scores if scale == 1 else scores * scale
    if mask is not None:
        out = out + mask
    nothing = b.constant(-math.inf, scores.dtype)
    if causal:
        queries, keys = _positions(b, scores.dims[-2]), _positions(b, scores.dims[-1])
        later = keys > b.Unsqueeze(queries, [1])
        out = b.Where(later, nothing, out)
    weights = b.Softmax(out, axis=-1)
    if mask is None:
        return weights
    # A row that sees nothing has no weights to share out.
    blind = b.Equal(b.reduce("ReduceMax", out, [scores.rank - 1]), nothing)
    return b.Where(blind, b.constant(0.0, scores.dtype), weights)


def _positions(b: Builder, size: Any) -> Any:
    if isinstance(size, int):
        return b.array(exchange.numbers_up_to(size))
    end = b.Squeeze(b.extent(size), [0])
    return b.Range(b.constant(0, "int64"), end, 1)
