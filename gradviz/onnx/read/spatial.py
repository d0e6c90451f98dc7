"""Convolutions, pools and resampling."""

from __future__ import annotations

import math
from typing import Any

from gradviz.onnx.read.call import Call, is_open, rows, solid
from gradviz.onnx.read.movement import known
from gradviz.onnx.read.refusal import UnreadableError
from gradviz.onnx.read.registry import reads
from gradviz.ops.pooling import pooled
from gradviz.tensor.base import Tensor

Dims = tuple[int, ...]
Pairs = tuple[tuple[int, int], ...]


def _rank(c: Call) -> int:
    rank = len(c.x.shape) - 2
    if rank not in (1, 2, 3):
        raise UnreadableError(f"it works on {rank} dimensions of space")
    return rank


def _each(c: Call, name: str, rank: int, default: int = 1) -> Dims:
    values = c.integers(name, (default,) * rank)
    if len(values) != rank or min(values) < default:
        raise UnreadableError(f"its {name} are {list(values)[:8]}")
    return tuple(values)


def _pads(c: Call, rank: int, kernel: Dims, stride: Dims, dilation: Dims) -> Pairs:
    auto = c.text("auto_pad", "NOTSET")
    if auto in ("NOTSET", ""):
        pads = c.integers("pads", (0,) * (2 * rank))
        if len(pads) != 2 * rank or min(pads) < 0:
            raise UnreadableError(f"its pads are {list(pads)[:8]}")
        return tuple(zip(pads[:rank], pads[rank:], strict=True))
    if auto == "VALID":
        return ((0, 0),) * rank
    found = []
    for n, k, s, d in zip(c.x.shape[2:], kernel, stride, dilation, strict=True):
        n = solid(n, "its border")  # noqa: PLW2901 - the same size as a number
        total = max((-(-n // s) - 1) * s + (k - 1) * d + 1 - n, 0)
        small = total // 2
        found.append((small, total - small) if auto == "SAME_UPPER" else (total - small, small))
    return tuple(found)


@reads("Conv")
def conv(c: Call) -> Any:
    rank = _rank(c)
    weight = c.tensor(1)
    stride, dilation = _each(c, "strides", rank), _each(c, "dilations", rank)
    pads = _pads(c, rank, tuple(weight.shape[2:]), stride, dilation)
    row = getattr(rows, f"conv{rank}d")
    return row(c.x, weight, c.optional(2), stride, pads, dilation, c.whole("group", 1))


@reads("ConvTranspose")
def conv_transpose(c: Call) -> Any:
    rank = _rank(c)
    weight = c.tensor(1)
    stride, dilation = _each(c, "strides", rank), _each(c, "dilations", rank)
    extra = _each(c, "output_padding", rank, 0)
    kernel = tuple(weight.shape[2:])
    wanted = c.integers("output_shape")
    if wanted is not None or c.text("auto_pad", "NOTSET") not in ("NOTSET", "", "VALID"):
        pads = _transposed_pads(c, wanted, kernel, stride, dilation, extra)
    else:
        pads = _pads(c, rank, kernel, stride, dilation)
    row = getattr(rows, f"conv_transpose{rank}d")
    return row(c.x, weight, c.optional(2), stride, pads, extra, dilation, c.whole("group", 1))


def _transposed_pads(
    c: Call, wanted: Dims | None, kernel: Dims, stride: Dims, dilation: Dims, extra: Dims
) -> Pairs:
    """The border that makes the result as large as it is asked to be."""
    rank = len(kernel)
    sizes = wanted[-rank:] if wanted is not None else None
    upper = c.text("auto_pad", "NOTSET") == "SAME_UPPER"
    found = []
    for at, (n, k, s, d, e) in enumerate(
        zip(c.x.shape[2:], kernel, stride, dilation, extra, strict=True)
    ):
        n = solid(n, "its border")  # noqa: PLW2901 - the same size as a number
        length = sizes[at] if sizes is not None else n * s
        total = s * (n - 1) + e + (k - 1) * d + 1 - length
        small = total // 2
        found.append((small, total - small) if upper else (total - small, small))
    return tuple(found)


@reads("DeformConv")
def deform_conv(c: Call) -> Any:
    rank = _rank(c)
    stride, dilation = _each(c, "strides", rank), _each(c, "dilations", rank)
    weight = c.tensor(1)
    pads = _pads(c, rank, tuple(weight.shape[2:]), stride, dilation)
    if rank != 2 or any(low != high for low, high in pads):
        raise UnreadableError("its border isn't the same on both sides")
    return rows.deform_conv2d(
        c.x,
        c.tensor(2),
        weight,
        c.optional(4),
        c.optional(3),
        stride,
        tuple(low for low, _ in pads),
        dilation,
    )


# --- pools ---------------------------------------------------------------------------------------
def _bordered(x: Tensor, pads: Pairs, value: float) -> Any:
    return rows.pad(x, ((0, 0), (0, 0), *pads), value)


def _is_rounded_up(x: Tensor, kernel: Dims, stride: Dims, pads: Pairs, dilation: Dims) -> bool:
    """Whether a border only makes room for the windows that rounding up counts."""
    for n, k, s, (low, high), d in zip(x.shape[2:], kernel, stride, pads, dilation, strict=True):
        if is_open((n,)) or 2 * low > k or high < low:
            return False
        if pooled(n, k, s, low, d, True) != (n + low + high - d * (k - 1) - 1) // s + 1:
            return False
    return True


@reads("MaxPool")
def max_pool(c: Call) -> Any:
    rank = _rank(c)
    x = c.x
    kernel = _each(c, "kernel_shape", rank)
    stride, dilation = _each(c, "strides", rank), _each(c, "dilations", rank)
    pads = _pads(c, rank, kernel, stride, dilation)
    indices = len(c.wanted) > 1 and c.wanted[1]
    even = all(low == high and 2 * low <= k for (low, high), k in zip(pads, kernel, strict=True))
    ceil = bool(c.whole("ceil_mode", 0))
    if not even and not ceil and _is_rounded_up(x, kernel, stride, pads, dilation):
        pads, even, ceil = tuple((low, low) for low, _ in pads), True, True
    if not even:
        if indices or x.dtype.kind != "f":
            raise UnreadableError("its border isn't the same on both sides")
        x, pads = _bordered(x, pads, -math.inf), ((0, 0),) * rank
    how = (kernel, stride, tuple(low for low, _ in pads), dilation, ceil)
    out = getattr(rows, f"max_pool{rank}d")(x, *how)
    if not indices:
        return out
    if c.whole("storage_order", 0):
        raise UnreadableError("it counts columns first")
    # The format counts through the whole tensor.
    planes, plane = math.prod(x.shape[:2]), math.prod(x.shape[2:])
    starts = known([at * plane for at in range(planes)], x)
    places = rows.max_pool_indices(x, *how)
    line = rows.reshape(starts, (*x.shape[:2], *(1,) * rank))
    return out, rows.add(places, line)


@reads("AveragePool")
def average_pool(c: Call) -> Any:
    rank = _rank(c)
    x = c.x
    kernel = _each(c, "kernel_shape", rank)
    stride, dilation = _each(c, "strides", rank), _each(c, "dilations", rank)
    if any(d != 1 for d in dilation):
        raise UnreadableError("it averages over windows with holes")
    pads = _pads(c, rank, kernel, stride, dilation)
    border, ceil = bool(c.whole("count_include_pad", 0)), bool(c.whole("ceil_mode", 0))
    row = getattr(rows, f"avg_pool{rank}d")
    even = all(low == high and 2 * low <= k for (low, high), k in zip(pads, kernel, strict=True))
    if even:
        return row(x, kernel, stride, tuple(low for low, _ in pads), ceil, border, None)
    none = (0,) * rank
    out = row(_bordered(x, pads, 0.0), kernel, stride, none, ceil, True, None)
    if border:
        return out
    ones = rows.add(rows.mul(rows.slice(x, (slice(0, 1), slice(0, 1))), 0.0), 1.0)
    return rows.div(out, row(_bordered(ones, pads, 0.0), kernel, stride, none, ceil, True, None))


@reads("GlobalAveragePool", "GlobalMaxPool")
def global_pool(c: Call) -> Any:
    row = rows.mean if c.kind == "GlobalAveragePool" else rows.amax
    return row(c.x, tuple(range(2, len(c.x.shape))), True)


# --- resampling ----------------------------------------------------------------------------------
@reads("GridSample")
def grid_sample(c: Call) -> Any:
    mode = c.text("mode", "linear" if c.opset >= 20 else "bilinear")
    mode = {"linear": "bilinear", "cubic": "bicubic"}.get(mode, mode)
    border = c.text("padding_mode", "zeros")
    return rows.grid_sample(c.x, c.tensor(1), mode, border, bool(c.whole("align_corners", 0)))


@reads("Col2Im")
def col2im(c: Call) -> Any:
    size, kernel = c.ints(1), c.ints(2)
    rank = len(size)
    if rank != 2 or len(kernel) != 2:
        raise UnreadableError(f"it works on {rank} dimensions of space")
    pads = c.integers("pads", (0,) * (2 * rank))
    pairs = tuple(zip(pads[:rank], pads[rank:], strict=True))
    stride, dilation = _each(c, "strides", rank), _each(c, "dilations", rank)
    return rows.fold4d(c.x, size, kernel, stride, pairs, dilation)
