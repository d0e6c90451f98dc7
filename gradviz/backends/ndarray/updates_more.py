"""The arithmetic of further optimizers and of gradient clipping, on arrays."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

Array = Any


def filled_like(value: Array, number: float) -> Array:
    """One number everywhere, in an array's shape and dtype."""
    return np.full(value.shape, number, value.dtype)


def divided_by_mean(
    gradient: Array, squares: Array, mean: Array | None, keep: float, eps: float
) -> Array:
    """A gradient over the root of the running mean of squares; the means move in place."""
    kind = squares.dtype.type
    np.multiply(squares, kind(keep), out=squares)
    np.add(squares, np.multiply(gradient, gradient) * kind(1.0 - keep), out=squares)
    spread = squares
    if mean is not None:
        np.add(mean, np.subtract(gradient, mean) * kind(1.0 - keep), out=mean)
        spread = squares - np.multiply(mean, mean)
    return np.divide(gradient, np.sqrt(spread) + kind(eps))


def divided_by_sum(gradient: Array, squares: Array, eps: float) -> Array:
    """A gradient over the root of the sum of squares, which grows in place."""
    np.add(squares, np.multiply(gradient, gradient), out=squares)
    return np.divide(gradient, np.sqrt(squares) + squares.dtype.type(eps))


def total_norm(gradients: list[Array], order: float) -> float:
    """The norm of all gradients taken as one vector, in float64."""
    sizes = [np.abs(np.asarray(g, np.float64)).reshape(-1) for g in gradients if g.size]
    if not sizes:
        return 0.0
    if order == math.inf:
        return float(max(size.max() for size in sizes))
    if order == 2.0:
        return math.sqrt(float(sum(np.dot(size, size) for size in sizes)))
    return float(sum(np.sum(size**order) for size in sizes) ** (1.0 / order))


def limited(gradient: Array, limit: float) -> Array:
    """A gradient with every element within a limit."""
    return np.clip(gradient, -limit, limit)
