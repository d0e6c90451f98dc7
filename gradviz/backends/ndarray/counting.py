"""Results whose shape depends on values: places, distinct elements, counts."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = Any


def positions(x: Array) -> Array:
    """One row of indices for each element that isn't 0."""
    if not x.ndim:
        return np.zeros((int(x != 0), 0), np.int64)
    return np.argwhere(x)


def columns(places: Array) -> list[Array]:
    """One vector of indices for each dimension."""
    return [np.ascontiguousarray(places[:, at]) for at in range(places.shape[1])]


def distinct(x: Array) -> tuple[Array, Array, Array]:
    """Distinct elements in order, which of them each element is, and how often each occurs."""
    values, inverse, counts = np.unique(x, return_inverse=True, return_counts=True)
    return values, inverse.reshape(x.shape).astype(np.int64), counts.astype(np.int64)


def counts(x: Array, least: int) -> Array:
    """How often each whole number occurs."""
    return np.bincount(x, minlength=least).astype(np.int64)


def zeros(length: int, like: Array) -> Array:
    """A vector of zeros to add elements of `like` to."""
    return np.zeros(length, like.dtype)
