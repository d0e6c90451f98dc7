"""Arrays of initial values that a single draw doesn't give."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradviz.backends.ndarray import fill

Array = Any
Shape = tuple[int, ...]

_PLAIN_DRAWS = 0.3
"""From which share of draws within the limits on plain draws are repeated until they fit."""


def dirac(shape: Shape, groups: int, dtype: Any) -> Array:
    """Ones that let a convolution of a shape (out, in, ...) pass its input on, channel by channel.

    Args:
        shape: the shape; `out` is a multiple of `groups`.
        groups: the number of groups, each of which passes on its own channels.
        dtype: the dtype.
    """
    made: Array = np.zeros(shape, dtype)
    if made.size:
        channels = np.arange(min(shape[0] // groups, shape[1]))
        middle = tuple(size // 2 for size in shape[2:])
        for first in range(0, shape[0], shape[0] // groups):
            made[(first + channels, channels, *middle)] = 1
    return made


def orthogonal(shape: Shape, gain: float, dtype: Any) -> Array:
    """A random matrix (out, the rest) with orthonormal rows or columns, the fewer; times a gain.

    The signs of the triangle make the distribution even: Mezzadri, "How to Generate Random Matrices
    from the Classical Compact Groups" (2007).
    """
    if not math.prod(shape):
        return np.zeros(shape, dtype)
    rows, columns = shape[0], math.prod(shape[1:])
    drawn = fill.normal((max(rows, columns), min(rows, columns)), 0.0, 1.0, np.dtype(np.float64))
    made, triangle = np.linalg.qr(drawn)
    made *= np.copysign(1.0, np.diagonal(triangle))
    return np.asarray(gain * (made.T if rows < columns else made), dtype).reshape(shape)


def sparse(shape: Shape, zeros: int, std: float, dtype: Any) -> Array:
    """Normal numbers with zeros at random places: as many in every column of a matrix."""
    made = fill.normal(shape, 0.0, std, dtype)
    order = np.argsort(fill.uniform(shape, 0.0, 1.0, np.dtype(np.float64)), axis=0)
    np.put_along_axis(made, order[:zeros], 0, axis=0)
    return made


def trunc_normal(shape: Shape, mean: float, std: float, a: float, b: float, dtype: Any) -> Array:
    """Numbers of a normal distribution, of which only those within [a, b] are taken."""
    low, high = (a - mean) / std, (b - mean) / std
    made = np.empty(math.prod(shape), np.float64)
    pending = np.arange(made.size)
    within = (math.erf(high / math.sqrt(2.0)) - math.erf(low / math.sqrt(2.0))) / 2.0
    while pending.size:
        if within > _PLAIN_DRAWS:
            values = fill.normal((pending.size,), mean, std, made.dtype)
            taken = (values >= a) & (values <= b)
        else:
            values, taken = _proposed(pending.size, mean, std, (a, low), (b, high))
        made[pending[taken]] = values[taken]
        pending = pending[~taken]
    # What was computed from an edge may round to the other side of the limits.
    return np.asarray(np.clip(made, a, b), dtype).reshape(shape)


def _proposed(
    count: int, mean: float, std: float, lower: tuple[float, float], upper: tuple[float, float]
) -> tuple[Array, Array]:
    """Draws where few normal ones would fit, and which to take.

    They are drawn from the curve that falls from the likeliest value as the normal one does there:
    Robert, "Simulation of Truncated Normal Variables" (1995).

    Args:
        count: how many.
        mean: the mean of the normal distribution.
        std: its deviation.
        lower: the lower limit, and its distance from the mean in deviations.
        upper: the upper limit, and its distance.
    """
    (a, low), (b, high) = lower, upper
    width = high - low
    evenly = fill.uniform((count,), 0.0, 1.0, np.dtype(np.float64))
    if low <= 0.0 <= high:
        values = a + (b - a) * evenly
        distance = (values - mean) / std
    else:
        edge, tilt, side = (a, low, 1.0) if low > 0.0 else (b, -high, -1.0)
        distance = -np.log1p(evenly * math.expm1(-tilt * width)) / tilt
        values = edge + side * std * distance
    chance = np.exp(-0.5 * distance * distance)
    return values, fill.uniform((count,), 0.0, 1.0, np.dtype(np.float64)) <= chance
