"""Matrix products and attention."""

from __future__ import annotations

import math
from typing import Any

from gradviz.onnx.read.call import Call, as_dtype, like, rows
from gradviz.onnx.read.refusal import UnreadableError
from gradviz.onnx.read.registry import reads
from gradviz.tensor.base import Tensor
from gradviz.tensor.composed import einsum as einsum_of
from gradviz.tensor.creation import full


@reads("Gemm")
def gemm(c: Call) -> Any:
    x, weight, bias = c.tensor(0), c.tensor(1), c.optional(2)
    if len(x.shape) != 2 or len(weight.shape) != 2:
        raise UnreadableError("its inputs are no matrices")
    if c.whole("transA", 0):
        x = rows.transpose(x, 0, 1)
    alpha, beta = c.real("alpha", 1.0), c.real("beta", 1.0)
    if bias is not None and beta != 1:
        bias = rows.mul(bias, like(beta, bias))
    plain = bias is None or (len(bias.shape) == 1 and alpha == 1)
    if c.whole("transB", 0) and plain:
        out = rows.linear(x, weight, bias if alpha == 1 else None)
    else:
        right = rows.transpose(weight, 0, 1) if c.whole("transB", 0) else weight
        out = rows.matmul(x, right)
        plain = False
    if alpha != 1:
        out = rows.mul(out, like(alpha, out))
    return out if bias is None or (plain and alpha == 1) else rows.add(out, bias)


@reads("Einsum")
def einsum(c: Call) -> Any:
    return einsum_of(c.text("equation"), *c.tensors)


@reads("Attention")
def attention(c: Call) -> Any:
    """Scaled dot products; heads lie in a dimension of their own or one after the other."""
    if c.has(4) or c.has(5) or c.real("softcap", 0.0) or any(c.wanted[1:]):
        raise UnreadableError("it keeps or caps more than plain attention does")
    query, key, value = c.tensor(0), c.tensor(1), c.tensor(2)
    flat = len(query.shape) == 3
    if flat:
        heads, own = c.whole("q_num_heads", 0), c.whole("kv_num_heads", 0)
        query, key, value = _apart(query, heads), _apart(key, own), _apart(value, own)
    if query.shape[1] != key.shape[1]:
        times = query.shape[1] // key.shape[1]
        key, value = _repeated(key, times), _repeated(value, times)
    scale = c.real("scale") or 1.0 / math.sqrt(query.shape[3])
    scores = rows.matmul(query, rows.transpose(key, 2, 3))
    mask = c.optional(3)
    if mask is not None and mask.dtype.kind == "b":
        dtype = scores.dtype.name
        nothing = full((), -math.inf, dtype=dtype, device=scores.device)
        mask = rows.where(mask, full((), 0.0, dtype=dtype, device=scores.device), nothing)
    weights = rows.attention_weights(scores, mask, scale, bool(c.whole("is_causal", 0)))
    out = rows.matmul(as_dtype(weights, value.dtype.name), value)
    if not flat:
        return out
    batch, many, length, width = out.shape
    return rows.reshape(rows.transpose(out, 1, 2), (batch, length, many * width))


def _apart(x: Tensor, heads: int) -> Any:
    batch, length, width = x.shape
    if heads < 1:
        raise UnreadableError("it doesn't say how many heads it has")
    return rows.transpose(rows.reshape(x, (batch, length, heads, width // heads)), 1, 2)


def _repeated(x: Tensor, times: int) -> Any:
    batch, heads, length, width = x.shape
    wide = rows.expand(
        rows.unsqueeze(x, (batch, heads, 1, length, width)), (batch, heads, times, length, width)
    )
    return rows.reshape(wide, (batch, heads * times, length, width))
