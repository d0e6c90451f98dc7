"""Normalisation and its adjoints."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.backends.ndarray.kernels.reduction import sum_to
from gradviz.backends.ndarray.rows import add_up
from gradviz.core.shape import count

Array = Any
Dims = tuple[int, ...]
_row_products: Any = np.vecdot


def _count(x: Array, dims: Dims) -> int:
    if dims == (x.ndim - 1,):
        return x.shape[-1] or 1
    return max(count(tuple([x.shape[at] for at in dims])), 1)


def _total(lhs: Array, rhs: Array, dims: Dims) -> Array:
    """The sum of products over `dims`, which stay with size 1, without a temporary."""
    if dims == (lhs.ndim - 1,):
        return _row_products(lhs, rhs, keepdims=True)
    axes = list(range(lhs.ndim))
    kept = [at for at in axes if at not in dims]
    sums = np.einsum(lhs, axes, rhs, axes, kept)
    return sums.reshape([1 if at in dims else n for at, n in enumerate(lhs.shape)])


def _summed_to(values: Array, factors: Array, shape: Dims) -> Array:
    """The sum of products down to a shape."""
    if values.ndim == 2 and shape == values.shape[1:]:
        return np.einsum("ij,ij->j", values, factors)
    return sum_to(values * factors, shape)


def _narrow(x: Array) -> bool:
    """Whether sums of squares would overflow or lose digits in the dtype."""
    return bool(x.dtype == np.float16)


def _as(x: Array | None, dtype: Any) -> Array | None:
    return None if x is None else x.astype(dtype)


def normalize_affine(
    x: Array, weight: Array | None, bias: Array | None, dims: Dims, eps: float
) -> tuple[Array, Array, Array]:
    if _narrow(x):
        wide = normalize_affine(
            x.astype(np.float32), _as(weight, np.float32), _as(bias, np.float32), dims, eps
        )
        out, mean, rstd = (part.astype(x.dtype) for part in wide)
        return out, mean, rstd
    count = _count(x, dims)
    mean = add_up(x, dims, keepdims=True)
    mean /= count
    out = x - mean
    rstd = _total(out, out, dims)
    rstd /= count
    rstd += eps
    np.sqrt(rstd, out=rstd)
    np.reciprocal(rstd, out=rstd)
    out *= rstd
    if weight is not None:
        out *= weight
    if bias is not None:
        out += bias
    return out, mean, rstd


def normalize_backward(
    g: Array, x: Array, weight: Array | None, mean: Array, rstd: Array, dims: Dims, eps: float
) -> Array:
    count = _count(x, dims)
    hat = x - mean
    hat *= rstd
    if weight is not None:
        g = g * weight
    shift = add_up(g, dims, keepdims=True) / count
    hat *= _total(g, hat, dims) / -count
    hat += g
    hat -= shift
    hat *= rstd
    return hat


def normalize_backward_weight(
    g: Array, x: Array, mean: Array, rstd: Array, shape: Dims, dims: Dims, eps: float
) -> Array:
    hat = x - mean
    hat *= rstd
    return _summed_to(g, hat, shape)


def rms_norm(x: Array, weight: Array | None, dims: Dims, eps: float) -> tuple[Array, Array]:
    if _narrow(x):
        out, rstd = rms_norm(x.astype(np.float32), _as(weight, np.float32), dims, eps)
        return out.astype(x.dtype), rstd.astype(x.dtype)
    rstd = _total(x, x, dims)
    rstd /= _count(x, dims)
    rstd += eps
    np.sqrt(rstd, out=rstd)
    np.reciprocal(rstd, out=rstd)
    out = x * rstd
    if weight is not None:
        out *= weight
    return out, rstd


def rms_norm_backward(
    g: Array, x: Array, weight: Array | None, rstd: Array, dims: Dims, eps: float
) -> Array:
    if weight is not None:
        g = g * weight
    hat = x * rstd
    hat *= _total(g, hat, dims) / -_count(x, dims)
    hat += g
    hat *= rstd
    return hat


def rms_norm_backward_weight(
    g: Array, x: Array, rstd: Array, shape: Dims, dims: Dims, eps: float
) -> Array:
    return _summed_to(g, x * rstd, shape)
