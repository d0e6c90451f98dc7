"""The arithmetic of further optimizers and of gradient clipping, on arrays."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradviz.backends.ndarray.updates import gathered

Array = Any


def filled_like(value: Array, number: float) -> Array:
    """One number everywhere, in an array's shape and dtype."""
    return np.full(value.shape, number, value.dtype)


def divided_by_mean(
    gradient: Array, squares: Array, mean: Array | None, keep: float, eps: float
) -> Array:
    """A gradient over the root of the running mean of squares; the means move in place."""
    gathered(squares, np.multiply(gradient, gradient), keep, 1.0 - keep)
    spread = squares
    if mean is not None:
        np.add(mean, np.subtract(gradient, mean) * mean.dtype.type(1.0 - keep), out=mean)
        spread = squares - np.multiply(mean, mean)
    return over_root(gradient, spread, eps)


def divided_by_sum(gradient: Array, squares: Array, eps: float) -> Array:
    """A gradient over the root of the sum of squares, which grows in place."""
    np.add(squares, np.multiply(gradient, gradient), out=squares)
    return over_root(gradient, squares, eps)


def over_root(value: Array, squares: Array, eps: float) -> Array:
    """`value / (sqrt(squares) + eps)`."""
    return np.divide(value, np.sqrt(squares) + squares.dtype.type(eps))


def both_gathered(gradient: Array, mean: Array, squares: Array, betas: Any) -> None:
    """The running means of gradients and of their squares, which move in place."""
    gathered(mean, gradient, betas[0], 1.0 - betas[0])
    gathered(squares, np.multiply(gradient, gradient), betas[1], 1.0 - betas[1])


def mixed(first: Array, weight: float, second: Array, other_weight: float) -> Array:
    """`weight * first + other_weight * second`."""
    kind = first.dtype.type
    return np.multiply(first, kind(weight)) + np.multiply(second, kind(other_weight))


def over_largest(gradient: Array, mean: Array, largest: Array, betas: Any, eps: float) -> Array:
    """The running mean of gradients over the largest of late, which fades; both move in place."""
    kind = largest.dtype.type
    gathered(mean, gradient, betas[0], 1.0 - betas[0])
    np.multiply(largest, kind(betas[1]), out=largest)
    np.maximum(largest, np.abs(gradient) + kind(eps), out=largest)
    return np.divide(mean, largest)


def in_own_units(gradient: Array, squares: Array, steps: Array, keep: float, eps: float) -> Array:
    """Adadelta's step: a gradient in units of past steps over past gradients.

    Args:
        gradient: the gradient, which stays as it is.
        squares: the running mean of squared gradients; moves in place.
        steps: the running mean of squared steps; moves in place.
        keep: how much of both means is kept.
        eps: what keeps both roots from being 0.
    """
    floor = squares.dtype.type(eps)
    gathered(squares, np.multiply(gradient, gradient), keep, 1.0 - keep)
    step = np.sqrt(steps + floor) / np.sqrt(squares + floor) * gradient
    gathered(steps, np.multiply(step, step), keep, 1.0 - keep)
    return step


def by_sign(gradient: Array, before: Array, lengths: Array, etas: Any, limits: Any) -> Array:
    """Rprop's step: a length for each element, with the sign of its gradient.

    Args:
        gradient: the gradient, which stays as it is.
        before: the last gradient, 0 where its sign had just turned; replaced in place.
        lengths: the length for each element; change in place.
        etas: what lengths are multiplied by where the sign has turned, and where it has stayed.
        limits: the shortest and the longest length.
    """
    kind = lengths.dtype.type
    agreement = np.multiply(gradient, before)
    turned = agreement < 0
    factors = np.where(turned, kind(etas[0]), np.where(agreement > 0, kind(etas[1]), kind(1.0)))
    np.multiply(lengths, factors, out=lengths)
    np.clip(lengths, kind(limits[0]), kind(limits[1]), out=lengths)
    # An element whose sign has turned was moved too far: it waits for one step.
    before[...] = np.where(turned, kind(0.0), gradient)
    return np.multiply(np.sign(before), lengths)


def averaged(average: Array, value: Array, share: float) -> None:
    """Moves an average, in place, by a share of the way to a value."""
    if share == 1.0:
        average[...] = value  # to the bit
    else:
        np.add(average, np.subtract(value, average) * average.dtype.type(share), out=average)


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
