"""The arithmetic of optimizers on arrays.

Parameters get fresh arrays, because graphs may have saved the old ones; an optimizer's own state is
its own and changes in place.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

Array = Any


_BLOCK = 16_384
"""Elements that are worked on together."""


def zeros_like(value: Array) -> Array:
    """Zeros of an array's shape and dtype, contiguous."""
    return np.zeros(value.shape, value.dtype)


def copied(value: Array) -> Array:
    """A fresh, contiguous array, also of a single number, that can change in place."""
    return np.array(value, order="C")


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


def adapted(
    value: Array,
    gradient: Array,
    mean: Array,
    squares: Array,
    largest: Array | None,
    rate: float,
    step: int,
    betas: Any,
    eps: float,
) -> Array:
    """Adam's step: the mean of gradients over the root of that of their squares, both unbiased.

    Args:
        value: the parameter, which stays as it is.
        gradient: its gradient, which stays as it is.
        mean: the running mean of gradients; moves in place.
        squares: the running mean of their squares; moves in place.
        largest: the largest `squares` so far, to divide by instead; moves in place.
        rate: the length of a step.
        step: the number of this step, from 1.
        betas: how much of both means is kept.
        eps: what keeps the divisor from being 0.
    """
    kind = value.dtype.type
    keep, keep_squares = kind(betas[0]), kind(betas[1])
    take, take_squares = kind(1.0 - betas[0]), kind(1.0 - betas[1])
    root_bias = kind(math.sqrt(1.0 - betas[1] ** step))
    length, floor = kind(-rate / (1.0 - betas[0] ** step)), kind(eps)
    out = np.empty(value.shape, value.dtype)
    flat = [_flat(array) for array in (value, gradient, mean, squares, out)]
    top = flat[3] if largest is None else _flat(largest)
    scratch = np.empty(min(_BLOCK, out.size), value.dtype)
    # Block by block, so that a dozen passes over large arrays stay within the cache.
    for start in range(0, out.size, _BLOCK):
        x, g, m, v, new = (array[start : start + _BLOCK] for array in flat)
        t = top[start : start + _BLOCK]
        temporary = scratch[: len(x)]
        np.multiply(m, keep, out=m)
        np.add(m, np.multiply(g, take, out=temporary), out=m)
        np.multiply(v, keep_squares, out=v)
        np.multiply(g, g, out=temporary)
        np.add(v, np.multiply(temporary, take_squares, out=temporary), out=v)
        if largest is not None:
            np.maximum(t, v, out=t)
        np.divide(np.sqrt(t, out=temporary), root_bias, out=temporary)
        np.divide(m, np.add(temporary, floor, out=temporary), out=new)
        np.add(np.multiply(new, length, out=new), x, out=new)
    return out


def _flat(array: Array) -> Array:
    """One dimension; a view of the optimizer's own arrays, which are contiguous."""
    return np.ascontiguousarray(array).reshape(-1)


def shrunk(value: Array, factor: float) -> Array:
    """`factor * value`, in the dtype of the value."""
    return np.multiply(value, value.dtype.type(factor))
