"""Normalisation."""

from __future__ import annotations

from typing import Any

from gradviz.onnx.builder import Builder
from gradviz.onnx.registry import writes
from gradviz.onnx.value import Value

Dims = tuple[int, ...]


def _ones(b: Builder, x: Value, dims: Dims) -> Any:
    sizes = b.fixed([x.dims[at] for at in dims])
    return b.constant([1.0], x.dtype, (1,)) if not sizes else b.full(1.0, x.dtype, sizes)


@writes("layer_norm")
def layer_norm(
    b: Builder, x: Value, weight: Value | None, bias: Value | None, dims: Dims, eps: float
) -> Any:
    trailing = tuple(range(x.rank - len(dims), x.rank))
    fits = all(
        item is None or item.dims == tuple(x.dims[at] for at in dims) for item in (weight, bias)
    )
    if tuple(dims) != trailing or not dims or not fits:
        return affine(b, x, weight, bias, dims, eps)[0]
    scale = _ones(b, x, dims) if weight is None else weight
    return b.LayerNormalization(x, scale, bias, axis=dims[0] - x.rank, epsilon=float(eps))


def affine(
    b: Builder, x: Value, weight: Value | None, bias: Value | None, dims: Dims, eps: float
) -> tuple[Any, Any, Any]:
    """Elements less their mean, over their deviation, scaled and shifted; mean; 1 / deviation."""
    mean = b.reduce("ReduceMean", x, dims)
    away = x - mean
    spread = b.reduce("ReduceMean", away * away, dims) + eps
    rstd = b.Reciprocal(b.Sqrt(spread))
    out = away * rstd
    if weight is not None:
        out = out * weight
    if bias is not None:
        out = out + bias
    return out, mean, rstd


@writes("batch_norm")
def batch_norm(
    b: Builder, x: Value, weight: Value | None, bias: Value | None, dims: Dims, eps: float
) -> Any:
    return affine(b, x, weight, bias, dims, eps)


@writes("instance_norm", "group_norm")
def own_norm(
    b: Builder, x: Value, weight: Value | None, bias: Value | None, dims: Dims, eps: float
) -> Any:
    return affine(b, x, weight, bias, dims, eps)[0]


@writes("rms_norm")
def rms_norm(b: Builder, x: Value, weight: Value | None, dims: Dims, eps: float) -> Any:
    size = b.reduce("ReduceMean", x * x, dims) + eps
    out = x * b.Reciprocal(b.Sqrt(size))
    return out if weight is None else out * weight
