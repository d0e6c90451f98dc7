"""Adding, copying and reducing into chosen places."""

from __future__ import annotations

from builtins import slice as builtin_slice
from typing import Any

import numpy as np

from gradviz.backends.ndarray.kernels.adding import add_at
from gradviz.backends.ndarray.selection import along
from gradviz.core.shape import count

Array = Any
Dims = tuple[int, ...]


def _at(index: Array, dim: int) -> tuple[Any, ...]:
    return (*((builtin_slice(None),) * dim), index.reshape(-1))


def index_add(x: Array, index: Array, source: Array, dim: int) -> Array:
    out = np.array(x)
    if not x.ndim:
        return out + source.reshape(-1).sum(dtype=x.dtype)
    add_at(out, index.reshape(-1), source, dim)
    return out


def index_copy(x: Array, index: Array, source: Array, dim: int) -> Array:
    out = np.array(x)
    if not x.ndim:
        return source.reshape(()) if index.size else out
    out[_at(index, dim)] = source
    return out


def index_fill(x: Array, index: Array, dim: int, value: float) -> Array:
    out = np.array(x)
    if not x.ndim:
        return np.full_like(out, value) if index.size else out
    out[_at(index, dim)] = value
    return out


def masked_scatter(x: Array, mask: Array, source: Array) -> Array:
    out = np.array(x)
    wanted = int(np.count_nonzero(mask))
    if wanted > source.size:
        raise ValueError(f"the mask asks for {wanted} elements and the source has {source.size}")
    out[mask] = source.reshape(-1)[:wanted]
    return out


def masked_scatter_backward(g: Array, mask: Array, shape: Dims) -> Array:
    taken = g[mask]
    out = np.zeros(count(shape), g.dtype)
    out[: taken.size] = taken
    return out.reshape(shape)


_INTO = {"prod": np.multiply, "amax": np.maximum, "amin": np.minimum}
_ND = {"add": np.add, "mul": np.multiply, "min": np.minimum, "max": np.maximum}


def scatter_reduce(
    x: Array, index: Array, source: Array, dim: int, reduce: str, include_self: bool
) -> Array:
    out = np.array(x)
    if not index.size:
        return out
    if not x.ndim:
        wide = scatter_reduce(
            x.reshape(1), index.reshape(1), source.reshape(1), 0, reduce, include_self
        )
        return wide.reshape(())
    places = along(index, dim)
    given = source[tuple(builtin_slice(n) for n in index.shape)]
    if not include_self:
        out[places] = _neutral(reduce, x.dtype)
    _INTO.get(reduce, np.add).at(out, places, given)
    if reduce == "mean":
        counts = np.ones(x.shape, np.int64)
        if not include_self:
            counts[places] = 0
        np.add.at(counts, places, 1)
        whole = x.dtype.kind in "iu"
        out = (out // counts if whole else out / counts).astype(x.dtype)
    return out


def _neutral(reduce: str, dtype: Any) -> Any:
    """What changes nothing in a reduction."""
    if reduce == "prod":
        return 1
    if reduce in ("sum", "mean"):
        return 0
    if dtype.kind == "b":
        return reduce == "amin"
    if dtype.kind == "f":
        return -np.inf if reduce == "amax" else np.inf
    ends = np.iinfo(dtype)
    return ends.min if reduce == "amax" else ends.max


def _vectors(indices: Array) -> tuple[Array, ...]:
    return tuple(np.moveaxis(indices, -1, 0))


def gather_nd(x: Array, indices: Array) -> Array:
    return x[_vectors(indices)] if indices.shape[-1] else _repeated(x, indices)


def _repeated(x: Array, indices: Array) -> Array:
    return np.broadcast_to(x, (*indices.shape[:-1], *x.shape)).copy()


def gather_nd_backward(g: Array, indices: Array, shape: Dims) -> Array:
    return scatter_nd(np.zeros(shape, g.dtype), indices, g, "add")


def scatter_nd(x: Array, indices: Array, values: Array, reduce: str) -> Array:
    out = np.array(x)
    places = _vectors(indices) if indices.shape[-1] else (Ellipsis,)
    if reduce == "assign":
        out[places] = values if indices.shape[-1] else values.reshape(-1, *x.shape)[-1]
    elif indices.shape[-1]:
        _ND[reduce].at(out, places, values)
    else:
        for value in values.reshape(-1, *x.shape):
            out = _ND[reduce](out, value)
    return out
