"""The arithmetic of optimizers on arrays.

Parameters get fresh arrays, because graphs may have saved the old ones; an optimizer's own state is
its own and changes in place.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

Array = Any


def zeros_like(value: Array) -> Array:
    """Zeros of an array's shape and dtype."""
    return np.zeros_like(value)


def copied(value: Array) -> Array:
    """A fresh array, also of a single number, that can change in place."""
    return np.array(value)


def is_array(value: Any) -> bool:
    """Whether a value is an array."""
    return isinstance(value, np.ndarray)


def moved(value: Array, step: Array, rate: float) -> Array:
    """`value - rate * step`, in the dtype of the value."""
    out = np.multiply(step, value.dtype.type(-rate), dtype=value.dtype)
    return np.add(value, out, out=out) if isinstance(out, np.ndarray) else np.asarray(value + out)


def decayed(gradient: Array, value: Array, decay: float) -> Array:
    """The gradient with that of a penalty on squared values added."""
    out = np.multiply(value, value.dtype.type(decay))
    return np.add(gradient, out, out=out) if isinstance(out, np.ndarray) else gradient + out


def negated(gradient: Array) -> Array:
    """The gradient of the opposite goal."""
    return np.negative(gradient)


def gathered(velocity: Array, gradient: Array, momentum: float, weight: float) -> None:
    """`velocity = momentum * velocity + weight * gradient`, in place."""
    np.multiply(velocity, velocity.dtype.type(momentum), out=velocity)
    if weight == 1.0:
        np.add(velocity, gradient, out=velocity)
    else:
        np.add(velocity, np.multiply(gradient, velocity.dtype.type(weight)), out=velocity)


def ahead(gradient: Array, velocity: Array, momentum: float) -> Array:
    """Nesterov's look ahead: the gradient with the next stretch of the velocity added."""
    return gradient + velocity * velocity.dtype.type(momentum)


def averaged(mean: Array, gradient: Array, beta: float) -> None:
    """Moves a running mean towards a gradient by `1 - beta`, in place."""
    np.add(mean, np.multiply(np.subtract(gradient, mean), mean.dtype.type(1.0 - beta)), out=mean)


def averaged_squares(mean: Array, gradient: Array, beta: float) -> None:
    """`mean = beta * mean + (1 - beta) * gradient^2`, in place."""
    np.multiply(mean, mean.dtype.type(beta), out=mean)
    squares = np.multiply(gradient, gradient)
    np.add(mean, np.multiply(squares, mean.dtype.type(1.0 - beta)), out=mean)


def raised(largest: Array, value: Array) -> None:
    """Keeps the larger of two arrays, in place."""
    np.maximum(largest, value, out=largest)


def adapted(
    value: Array, mean: Array, squares: Array, rate: float, step: int, betas: Any, eps: float
) -> Array:
    """Adam's step: the mean of gradients over the root of that of their squares, unbiased."""
    beta1, beta2 = betas
    kind = value.dtype.type
    root = np.sqrt(squares)
    root = np.add(np.divide(root, kind(math.sqrt(1.0 - beta2**step))), kind(eps))
    return moved(value, np.divide(mean, root), rate / (1.0 - beta1**step))


def shrunk(value: Array, factor: float) -> Array:
    """`factor * value`, in the dtype of the value."""
    return np.multiply(value, value.dtype.type(factor))
