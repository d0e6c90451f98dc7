"""Order: sorting, the largest few, medians, places in a sorted list."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = Any

_FEW = 8
"""Below one in so many elements, the largest are cheaper to find than to sort out."""


def argsort(x: Array, dim: int, descending: bool) -> Array:
    if not x.ndim:
        return np.zeros((), np.int64)
    if not descending:
        return np.argsort(x, axis=dim, kind="stable")
    # Sorted backwards and turned around, so that equal elements keep their order.
    backwards = np.argsort(np.flip(x, dim), axis=dim, kind="stable")
    return x.shape[dim] - 1 - np.flip(backwards, dim)


def sort(x: Array, dim: int, descending: bool) -> tuple[Array, Array]:
    indices = argsort(x, dim, descending)
    return (np.take_along_axis(x, indices, dim) if x.ndim else x), indices


def topk(x: Array, k: int, dim: int, largest: bool) -> tuple[Array, Array]:
    if not x.ndim:
        return x, np.zeros((), np.int64)
    lead = (slice(None),) * dim
    length = x.shape[dim]
    if 0 < k <= length // _FEW:
        # Only the chosen few are put in order, first by place, so that equal ones keep theirs.
        at = length - k if largest else k - 1
        parts = np.argpartition(x, at, axis=dim)
        few = np.sort(parts[(*lead, slice(at, None) if largest else slice(k))], axis=dim)
        order = argsort(np.take_along_axis(x, few, dim), dim, largest)
        indices = np.take_along_axis(few, order, dim)
    else:
        indices = argsort(x, dim, largest)[(*lead, slice(k))]
    return np.take_along_axis(x, indices, dim), indices


def kthvalue(x: Array, k: int, dim: int, keepdim: bool) -> tuple[Array, Array]:
    if not x.ndim:
        return x, np.zeros((), np.int64)
    order = argsort(x, dim, False)
    return _chosen(x, order[(slice(None),) * dim + (slice(k - 1, k),)], dim, keepdim)


def median_dim(x: Array, dim: int, keepdim: bool) -> tuple[Array, Array]:
    if not x.ndim:
        return x, np.zeros((), np.int64)
    order = argsort(x, dim, False)
    length = x.shape[dim]
    at = np.full([1 if axis == dim else n for axis, n in enumerate(x.shape)], (length - 1) // 2)
    if x.dtype.kind == "f":
        # What isn't a number sorts last and makes the median none, too.
        strange = np.isnan(x).sum(axis=dim, keepdims=True)
        at = np.where(strange > 0, length - strange, at)
    return _chosen(x, np.take_along_axis(order, at, dim), dim, keepdim)


def median_all(x: Array) -> Array:
    values, _ = median_dim(x.reshape(-1), 0, False)
    return values


def _chosen(x: Array, indices: Array, dim: int, keepdim: bool) -> tuple[Array, Array]:
    values = np.take_along_axis(x, indices, dim)
    if keepdim:
        return values, indices
    return np.squeeze(values, dim), np.squeeze(indices, dim)


def searchsorted(sequence: Array, x: Array, right: bool) -> Array:
    side: Any = "right" if right else "left"
    if sequence.ndim == 1:
        return np.asarray(np.searchsorted(sequence, x, side))
    rows = sequence.reshape(-1, sequence.shape[-1])
    wanted = x.reshape(rows.shape[0], -1)
    found = np.empty(wanted.shape, np.int64)
    for at, row in enumerate(rows):
        found[at] = np.searchsorted(row, wanted[at], side)
    return found.reshape(x.shape)
