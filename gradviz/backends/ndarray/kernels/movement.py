"""Movement: elements change place."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.backends.ndarray.rows import widened

Array = Any
Dims = tuple[int, ...]
_add_reduce: Any = np.add.reduce


def as_it_is(x: Array, function: str) -> Array:
    return x


def reshape(x: Array, shape: Dims) -> Array:
    return x.reshape(shape)


def permute(x: Array, dims: Dims) -> Array:
    return x.transpose(dims)


def transpose(x: Array, dim0: int, dim1: int) -> Array:
    return x.swapaxes(dim0, dim1) if x.ndim else x


def expand(x: Array, shape: Dims) -> Array:
    return widened(x, shape)


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
    out = np.pad(x, grown, constant_values=np.asarray(value, x.dtype)) if x.ndim else x
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
