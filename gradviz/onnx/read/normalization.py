"""Normalisation, quantisation and losses."""

from __future__ import annotations

from typing import Any

from gradviz.onnx.read.call import Call, as_dtype, like, rows
from gradviz.onnx.read.refusal import UnreadableError
from gradviz.onnx.read.registry import reads
from gradviz.tensor.base import Tensor


@reads("BatchNormalization")
def batch_norm(c: Call) -> Any:
    if c.whole("training_mode", 0) or any(c.wanted[1:]):
        raise UnreadableError("it is in training mode")
    scale, bias, mean, var = (c.tensor(at) for at in (1, 2, 3, 4))
    for at in (3, 4):
        c.item(at).learned = False  # statistics of the data, which training doesn't change
    shape = (1, -1, *(1,) * (len(c.x.shape) - 2)) if len(c.x.shape) > 1 else (-1,)
    line = tuple(c.x.shape[1] if n == -1 else n for n in shape)

    def lined(x: Tensor) -> Any:
        return rows.reshape(x, line)

    rstd = rows.rsqrt(rows.add(lined(var), like(c.real("epsilon", 1e-5), var)))
    out = rows.mul(rows.sub(c.x, lined(mean)), rows.mul(rstd, lined(scale)))
    return rows.add(out, lined(bias))


def _channels(x: Tensor, values: Tensor) -> Any:
    return rows.reshape(values, (1, x.shape[1], *(1,) * (len(x.shape) - 2)))


@reads("InstanceNormalization")
def instance_norm(c: Call) -> Any:
    x = c.x
    dims = tuple(range(2, len(x.shape)))
    scale, bias = _channels(x, c.tensor(1)), _channels(x, c.tensor(2))
    return rows.instance_norm(x, scale, bias, dims, c.real("epsilon", 1e-5))


@reads("GroupNormalization")
def group_norm(c: Call) -> Any:
    x, groups = c.x, c.whole("num_groups")
    batch, channels, *space = x.shape
    split = rows.reshape(x, (batch, groups, channels // groups, *space))
    dims = tuple(range(2, len(split.shape)))
    own = channels // groups if c.opset >= 21 else 1

    def lined(at: int) -> Any:
        return rows.reshape(c.tensor(at), (groups, own, *(1,) * len(space)))

    out = rows.group_norm(split, lined(1), lined(2), dims, c.real("epsilon", 1e-5))
    return rows.reshape(out, tuple(x.shape))


@reads("LayerNormalization")
def layer_norm(c: Call) -> Any:
    if any(c.wanted[1:]):
        raise UnreadableError("it keeps its statistics")
    x = c.x
    axis = c.axis("axis", -1, len(x.shape))
    dims = tuple(range(axis, len(x.shape)))
    return rows.layer_norm(x, c.tensor(1), c.optional(2), dims, c.real("epsilon", 1e-5))


@reads("RMSNormalization")
def rms_norm(c: Call) -> Any:
    x = c.x
    axis = c.axis("axis", -1, len(x.shape))
    dims = tuple(range(axis, len(x.shape)))
    return rows.rms_norm(x, c.tensor(1), dims, c.real("epsilon", 1e-5))


@reads("LRN")
def lrn(c: Call) -> Any:
    x, many = c.x, c.whole("size")
    squares = rows.square(x)
    low, high = (many - 1) // 2, many // 2
    widths = ((0, 0), (low, high), *((0, 0),) * (len(x.shape) - 2))
    total = rows.sum(
        rows.unfold(rows.pad(squares, widths, 0.0), 1, many, 1), (len(x.shape),), False
    )
    share = rows.mul(total, c.real("alpha", 1e-4) / many)
    size = rows.pow(rows.add(share, c.real("bias", 1.0)), c.real("beta", 0.75))
    return rows.div(x, size)


# --- quantisation --------------------------------------------------------------------------------
_ENDS = {
    "int8": (-128, 127),
    "uint8": (0, 255),
    "int16": (-(2**15), 2**15 - 1),
    "uint16": (0, 2**16 - 1),
}


def _axis(c: Call, scale: Tensor, rank: int) -> int | None:
    if c.whole("block_size", 0) or len(scale.shape) > 1:
        raise UnreadableError("it quantises in blocks")
    return c.axis("axis", 1, rank) if scale.shape and rank > 1 else None


@reads("QuantizeLinear")
def quantize(c: Call) -> Any:
    x, scale = c.x, c.tensor(1)
    zero = c.optional(2)
    dtype = zero.dtype.name if zero is not None else "uint8"
    if dtype not in _ENDS:
        raise UnreadableError(f"it stores {dtype}")
    shift = as_dtype(zero, "int64") if zero is not None else _zeros(scale)
    axis = _axis(c, scale, len(x.shape))
    if axis is None:
        scale, shift = rows.reshape(scale, ()), rows.reshape(shift, ())
    return rows.quantize(as_dtype(x, scale.dtype.name), scale, shift, axis, *_ENDS[dtype], dtype)


@reads("DequantizeLinear")
def dequantize(c: Call) -> Any:
    x, scale = c.x, c.tensor(1)
    zero = c.optional(2)
    shift = as_dtype(zero, "int64") if zero is not None else _zeros(scale)
    axis = _axis(c, scale, len(x.shape))
    if axis is None:
        scale, shift = rows.reshape(scale, ()), rows.reshape(shift, ())
    return rows.dequantize(x, scale, shift, axis)


def _zeros(scale: Tensor) -> Any:
    return as_dtype(rows.mul(scale, 0.0), "int64")


# --- losses --------------------------------------------------------------------------------------
@reads("NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss")
def class_loss(c: Call) -> Any:
    x, target = c.x, as_dtype(c.tensor(1), "int64")
    how = (c.whole("ignore_index", -(2**31)), c.text("reduction", "mean"))
    if c.kind == "NegativeLogLikelihoodLoss":
        return rows.nll_loss(x, target, c.optional(2), *how)
    loss = rows.cross_entropy(x, target, c.optional(2), *how)
    logs = rows.log_softmax(x, 1) if len(c.wanted) > 1 and c.wanted[1] else None
    return loss[0] if isinstance(loss, tuple) else loss, logs
