"""Kernels that NumPy has under no name of its own, or that we do better: arrays in, arrays out.

Every function here is found by the name a row gives as its `forward`; attributes are canonical.
"""

from __future__ import annotations

import math
from builtins import slice as builtin_slice
from typing import Any

import numpy as np

from gradviz.backends.ndarray.erf import erf as erf

Array = Any
Dims = tuple[int, ...]

where = np.where
isnan, isinf, isfinite = np.isnan, np.isinf, np.isfinite
_add_reduce = np.add.reduce
_max_reduce = np.maximum.reduce
_min_reduce = np.minimum.reduce


# --- elementwise -------------------------------------------------------------------------------
def pow_scalar(x: Array, exponent: float) -> Array:
    if exponent == 2:
        return np.multiply(x, x)
    return np.power(x, exponent)


def square(x: Array) -> Array:
    return np.multiply(x, x)


def rsqrt(x: Array) -> Array:
    return np.reciprocal(np.sqrt(x))


def frac(x: Array) -> Array:
    return x - np.trunc(x)


def fmod(lhs: Array, rhs: Array) -> Array:
    return np.fmod(lhs, rhs)


def sigmoid(x: Array) -> Array:
    # tanh saturates instead of overflowing.
    half = np.multiply(x, x.dtype.type(0.5))
    return np.tanh(half) * x.dtype.type(0.5) + x.dtype.type(0.5) if x.ndim == 0 else _sigmoid(half)


def _sigmoid(half: Array) -> Array:
    out = np.tanh(half, out=half)
    out *= 0.5
    out += 0.5
    return out


def logsigmoid(x: Array) -> Array:
    return np.minimum(x, 0) - np.log1p(np.exp(-np.abs(x)))


def relu(x: Array) -> Array:
    return np.maximum(x, 0)


def silu(x: Array) -> Array:
    return x * sigmoid(x)


def gelu(x: Array, approximate: str) -> Array:
    if approximate == "none":
        return 0.5 * x * (1.0 + erf(x * math.sqrt(0.5)))
    return 0.5 * x * (1.0 + np.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * x * x * x)))


def leaky_relu(x: Array, negative_slope: float) -> Array:
    return np.where(x > 0, x, x * negative_slope)


def elu(x: Array, alpha: float) -> Array:
    return np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0)))


def softplus(x: Array, beta: float, threshold: float) -> Array:
    scaled = x * beta
    soft = np.maximum(scaled, 0) + np.log1p(np.exp(-np.abs(scaled)))
    return np.where(scaled > threshold, x, soft / beta)


def clamp(x: Array, min: float | None, max: float | None) -> Array:
    return np.clip(x, min, max)


def inside(x: Array, min: float | None, max: float | None) -> Array:
    if min is None:
        return x <= max
    return x >= min if max is None else (x >= min) & (x <= max)


def masked_fill(x: Array, mask: Array, value: float) -> Array:
    return np.where(mask, np.asarray(value, dtype=x.dtype), x)


def cast(x: Array, dtype: Any) -> Array:
    return x.astype(dtype)


def ones_like(x: Array) -> Array:
    return np.ones_like(x)


def zeros_at(g: Array, index: Array) -> Array:
    return np.zeros(index.shape, g.dtype)


# --- softmax -----------------------------------------------------------------------------------
def softmax(x: Array, dim: int) -> Array:
    if x.ndim == 0:
        return np.ones_like(x)
    if x.size == 0:
        return x
    out = np.exp(x - _max_reduce(x, axis=dim, keepdims=True))
    out /= _add_reduce(out, axis=dim, keepdims=True)
    return out


def log_softmax(x: Array, dim: int) -> Array:
    if x.ndim == 0:
        return np.zeros_like(x)
    if x.size == 0:
        return x
    out = x - _max_reduce(x, axis=dim, keepdims=True)
    out -= np.log(_add_reduce(np.exp(out), axis=dim, keepdims=True))
    return out


def logsumexp(x: Array, dims: Dims, keepdim: bool) -> Array:
    top = _max_reduce(x, axis=dims, keepdims=True) if x.size else np.zeros(1, x.dtype)
    top = np.where(np.isfinite(top), top, x.dtype.type(0))
    out = np.log(_add_reduce(np.exp(x - top), axis=dims, keepdims=True)) + top
    return out if keepdim else out.reshape([n for at, n in enumerate(x.shape) if at not in dims])


# --- reductions --------------------------------------------------------------------------------
def sum(x: Array, dims: Dims, keepdim: bool) -> Array:
    return _add_reduce(x, axis=dims, keepdims=keepdim, dtype=x.dtype)


def mean(x: Array, dims: Dims, keepdim: bool) -> Array:
    return np.mean(x, axis=dims, keepdims=keepdim)


def prod(x: Array, dims: Dims, keepdim: bool) -> Array:
    return np.multiply.reduce(x, axis=dims, keepdims=keepdim, dtype=x.dtype)


def prod_backward(g: Array, x: Array, out: Array, dims: Dims, keepdim: bool) -> Array:
    """Gradient of a product: the product of the other elements, exact where elements are 0."""
    zeros = x == 0
    wide = spread(np.asarray(g), x.shape, dims, keepdim)
    if not zeros.any():
        return wide * spread(np.asarray(out), x.shape, dims, keepdim) / x
    solid = np.where(zeros, x.dtype.type(1), x)
    others = np.multiply.reduce(solid, axis=dims, keepdims=True)
    holes = np.add.reduce(zeros, axis=dims, keepdims=True, dtype=np.int64)
    without = np.where(holes == 0, others / solid, np.where((holes == 1) & zeros, others, 0))
    return wide * without.astype(x.dtype)


def amax(x: Array, dims: Dims, keepdim: bool) -> Array:
    return _max_reduce(x, axis=dims, keepdims=keepdim)


def amin(x: Array, dims: Dims, keepdim: bool) -> Array:
    return _min_reduce(x, axis=dims, keepdims=keepdim)


def var(x: Array, dims: Dims, correction: float, keepdim: bool) -> Array:
    return np.var(x, axis=dims, ddof=correction, keepdims=keepdim)


def std(x: Array, dims: Dims, correction: float, keepdim: bool) -> Array:
    return np.std(x, axis=dims, ddof=correction, keepdims=keepdim)


def any(x: Array, dims: Dims, keepdim: bool) -> Array:
    return np.any(x, axis=dims, keepdims=keepdim)


def all(x: Array, dims: Dims, keepdim: bool) -> Array:
    return np.all(x, axis=dims, keepdims=keepdim)


def argmax(x: Array, dim: int | None, keepdim: bool) -> Array:
    return np.asarray(np.argmax(x, axis=dim if x.ndim else None, keepdims=keepdim))


def argmin(x: Array, dim: int | None, keepdim: bool) -> Array:
    return np.asarray(np.argmin(x, axis=dim if x.ndim else None, keepdims=keepdim))


def max_dim(x: Array, dim: int, keepdim: bool) -> tuple[Array, Array]:
    indices = argmax(x, dim, keepdim)
    return pick(x, indices, dim, keepdim), indices


def min_dim(x: Array, dim: int, keepdim: bool) -> tuple[Array, Array]:
    indices = argmin(x, dim, keepdim)
    return pick(x, indices, dim, keepdim), indices


def pick(x: Array, indices: Array, dim: int, keepdim: bool) -> Array:
    if x.ndim == 0:
        return x
    wide = indices if keepdim else np.expand_dims(indices, dim)
    out = np.take_along_axis(x, wide, dim)
    return out if keepdim else np.squeeze(out, dim)


def put_back(g: Array, indices: Array, shape: Dims, dim: int, keepdim: bool) -> Array:
    if not shape:
        return g
    out = np.zeros(shape, g.dtype)
    wide = indices if keepdim else np.expand_dims(indices, dim)
    np.put_along_axis(out, wide, g if keepdim else np.expand_dims(g, dim), dim)
    return out


def spread(g: Array, shape: Dims, dims: Dims, keepdim: bool) -> Array:
    if not keepdim and g.ndim and dims:
        g = g.reshape([1 if at in dims else n for at, n in enumerate(shape)])
    return np.broadcast_to(g, shape)


def sum_to(g: Array, shape: Dims) -> Array:
    if g.shape == shape:
        return g
    lead = g.ndim - len(shape)
    dims = tuple(range(lead)) + tuple(
        lead + at for at, n in enumerate(shape) if n == 1 and g.shape[lead + at] != 1
    )
    return _add_reduce(g, axis=dims, keepdims=True).reshape(shape)


def cumsum(x: Array, dim: int) -> Array:
    return np.cumsum(x, axis=dim if x.ndim else None, dtype=x.dtype).reshape(x.shape)


# --- movement ----------------------------------------------------------------------------------
def reshape(x: Array, shape: Dims) -> Array:
    return x.reshape(shape)


def permute(x: Array, dims: Dims) -> Array:
    return x.transpose(dims)


def transpose(x: Array, dim0: int, dim1: int) -> Array:
    return x.swapaxes(dim0, dim1) if x.ndim else x


def expand(x: Array, shape: Dims) -> Array:
    return np.broadcast_to(x, shape)


def repeat(x: Array, counts: Dims) -> Array:
    return np.tile(x, counts)


def fold_repeats(g: Array, shape: Dims, counts: Dims) -> Array:
    sizes = (1,) * (len(counts) - len(shape)) + tuple(shape)
    split = [n for pair in zip(counts, sizes, strict=True) for n in pair]
    return _add_reduce(g.reshape(split), axis=tuple(range(0, len(split), 2))).reshape(shape)


def flip(x: Array, dims: Dims) -> Array:
    return np.flip(x, dims)


def roll(x: Array, shifts: Dims, dims: Dims) -> Array:
    return np.roll(x, shifts, dims)


def pad(x: Array, widths: tuple[tuple[int, int], ...], value: float) -> Array:
    grown = tuple((max(a, 0), max(b, 0)) for a, b in widths)
    out = np.pad(x, grown, constant_values=value) if x.ndim else x
    cut = tuple(
        slice(max(-a, 0), size - max(-b, 0)) for (a, b), size in zip(widths, out.shape, strict=True)
    )
    return out[cut]


def unpad(g: Array, shape: Dims, widths: tuple[tuple[int, int], ...]) -> Array:
    return pad(g, tuple((-a, -b) for a, b in widths), 0)


def cat(tensors: list[Array], dim: int) -> Array:
    solid = [t for t in tensors if t.shape != (0,)] or tensors
    return np.concatenate(solid, axis=dim)


def stack(tensors: list[Array], dim: int) -> Array:
    return np.stack(tensors, axis=dim)


# --- indexing ----------------------------------------------------------------------------------
def slice(x: Array, index: tuple[Any, ...]) -> Array:
    return x[index]


def slice_backward(g: Array, shape: Dims, index: tuple[Any, ...]) -> Array:
    out = np.zeros(shape, g.dtype)
    out[index] = g
    return out


def slice_assign(x: Array, values: Array, index: tuple[Any, ...]) -> Array:
    out = x.copy()
    out[index] = values
    return out


def slice_fill(x: Array, index: tuple[Any, ...], value: float) -> Array:
    out = x.copy()
    out[index] = value
    return out


def index(x: Array, index: tuple[Any, ...]) -> Array:
    return x[index]


def index_backward(g: Array, shape: Dims, index: tuple[Any, ...]) -> Array:
    out = np.zeros(shape, g.dtype)
    np.add.at(out, index, g)
    return out


def _along(index: Array, dim: int) -> tuple[Array, ...]:
    """Open index arrays that address `index`'s own positions, with `index` itself along `dim`."""
    grids = list(np.ogrid[tuple(builtin_slice(n) for n in index.shape)])
    grids[dim] = index
    return tuple(grids)


def gather(x: Array, index: Array, dim: int) -> Array:
    return x[_along(index, dim)] if x.ndim else x.reshape(1)[index]


def gather_backward(g: Array, index: Array, shape: Dims, dim: int) -> Array:
    out = np.zeros(shape, g.dtype)
    if not shape:
        return out + g
    np.add.at(out, _along(index, dim), g)
    return out


def scatter(x: Array, index: Array, values: Array, dim: int) -> Array:
    out = x.copy()
    out[_along(index, dim)] = values[tuple(builtin_slice(n) for n in index.shape)]
    return out


def scatter_add(x: Array, index: Array, values: Array, dim: int) -> Array:
    out = x.copy()
    np.add.at(out, _along(index, dim), values[tuple(builtin_slice(n) for n in index.shape)])
    return out


def take(x: Array, index: Array, dim: int) -> Array:
    return np.take(x, index, axis=dim) if x.ndim else np.take(x, index)


def take_backward(g: Array, index: Array, shape: Dims, dim: int) -> Array:
    out = np.zeros(shape, g.dtype)
    np.add.at(out, (builtin_slice(None),) * dim + (index,), g)
    return out


def tril(x: Array, diagonal: int) -> Array:
    return np.tril(x, diagonal)


def triu(x: Array, diagonal: int) -> Array:
    return np.triu(x, diagonal)


# --- linear ------------------------------------------------------------------------------------
matmul = np.matmul


def linear(x: Array, weight: Array, bias: Array | None) -> Array:
    out = np.matmul(x, weight.swapaxes(-1, -2) if weight.ndim > 1 else weight)
    if bias is None:
        return out
    if out.ndim:
        out += bias
        return out
    return out + bias


# --- losses ------------------------------------------------------------------------------------
def nll_loss(
    log_probs: Array, target: Array, weight: Array | None, ignore_index: int, reduction: str
) -> Array:
    scores = log_probs.reshape(1, -1) if log_probs.ndim == 1 else log_probs
    flat = target.reshape((1,) if log_probs.ndim == 1 else target.shape)
    kept, at, factor = _classes(flat, weight, ignore_index, scores.dtype)
    picked = np.take_along_axis(scores, np.expand_dims(at, 1), 1).squeeze(1)
    losses = -picked * factor
    if reduction == "none":
        return losses.reshape(target.shape)
    total = _add_reduce(losses, axis=None)
    return total if reduction == "sum" else total / _norm(factor, kept, scores.dtype)


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
        scale = scale * (g / _norm(factor, kept, g.dtype))
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


def _norm(factor: Array, kept: Array, dtype: Any) -> Array:
    return dtype.type(_add_reduce(factor, axis=None))


def _loss(each: Array, reduction: str) -> Array:
    if reduction == "none":
        return each
    total = _add_reduce(each, axis=None)
    return total if reduction == "sum" else total / max(each.size, 1) if each.size else total * math.nan


def mse_loss(x: Array, target: Array, reduction: str) -> Array:
    difference = x - target
    return _loss(np.multiply(difference, difference), reduction)


def l1_loss(x: Array, target: Array, reduction: str) -> Array:
    return _loss(np.abs(x - target), reduction)
