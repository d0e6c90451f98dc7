"""The logarithm of the gamma function and its derivatives, which NumPy lacks."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

# Stirling's series: B_2k / (2k (2k - 1)), and the Bernoulli numbers B_2k themselves.
_BERNOULLI = (
    1.0 / 6.0,
    -1.0 / 30.0,
    1.0 / 42.0,
    -1.0 / 30.0,
    5.0 / 66.0,
    -691.0 / 2730.0,
    7.0 / 6.0,
    -3617.0 / 510.0,
    43867.0 / 798.0,
)
_FAR = 12.0
"""From here on the series are exact to the last digits."""
_STEPS = 12


def lgamma(x: Any) -> Any:
    """log|gamma(x)| of every element, computed in float64, returned in the dtype of `x`."""
    values = np.asarray(x)
    wide = values.astype(np.float64)
    mirrored = wide < 0.5
    result = _log_gamma(np.where(mirrored, 1.0 - wide, wide))
    # gamma(x) gamma(1 - x) = pi / sin(pi x)
    sine = np.abs(np.sin(math.pi * np.where(mirrored, wide - np.floor(wide), 0.5)))
    result = np.where(mirrored, np.log(math.pi) - np.log(sine) - result, result)
    result = np.where(np.isinf(wide), np.inf, result)
    return np.asarray(result, values.dtype)


def _log_gamma(x: Any) -> Any:
    """For x of at least one half: Stirling's series, moved far out by gamma(x + 1) = x gamma(x)."""
    product = np.ones_like(x)
    far = np.array(x)
    for _ in range(_STEPS):
        near = far < _FAR
        product = np.where(near, product * far, product)
        far = np.where(near, far + 1.0, far)
    inverse = 1.0 / far
    square = inverse * inverse
    series = np.zeros_like(far)
    for k in range(len(_BERNOULLI), 0, -1):
        series = series * square + _BERNOULLI[k - 1] / (2 * k * (2 * k - 1))
    half = 0.5 * math.log(2.0 * math.pi)
    return (far - 0.5) * np.log(far) - far + half + series * inverse - np.log(product)


_HIGHEST = 170
"""The largest number whose factorial float64 holds."""


def polygamma(x: Any, n: int) -> Any:
    """The n-th derivative of digamma, computed in float64, returned in the dtype of `x`."""
    values = np.asarray(x)
    wide = values.astype(np.float64)
    if n == 0:
        mirrored = wide < 0.5
        result = _digamma(np.where(mirrored, 1.0 - wide, wide))
        part = np.where(mirrored, wide - np.floor(wide), 0.5)
        with np.errstate(divide="ignore"):
            turned = result - math.pi / np.tan(math.pi * part)
            # Both sides of a pole differ, but 0 has a sign that says which one is meant.
            pole = np.where(wide == 0.0, -1.0 / wide, np.nan)
        result = np.where(mirrored, np.where(part == 0.0, pole, turned), result)
    elif n == 1:
        # psi'(x) + psi'(1 - x) = (pi / sin(pi x))^2
        mirrored = wide < 0.5
        result = _zeta(2, np.where(mirrored, 1.0 - wide, wide))
        sine = np.sin(math.pi * np.where(mirrored, wide - np.floor(wide), 0.5))
        with np.errstate(divide="ignore"):
            result = np.where(mirrored, np.square(math.pi / sine) - result, result)
    elif n > _HIGHEST:
        raise OverflowError(f"derivatives of digamma beyond order {_HIGHEST} leave float64")
    else:
        result = (-1.0) ** (n + 1) * math.factorial(n) * _zeta(n + 1, wide)
    return np.asarray(result, values.dtype)


def _digamma(x: Any) -> Any:
    """For x of at least one half: digamma(x) = digamma(x + 1) - 1 / x, far out a series."""
    shift = np.zeros_like(x)
    far = np.array(x)
    for _ in range(_STEPS):
        near = far < _FAR
        shift = np.where(near, shift - 1.0 / far, shift)
        far = np.where(near, far + 1.0, far)
    square = 1.0 / (far * far)
    series = np.zeros_like(far)
    for k in range(len(_BERNOULLI), 0, -1):
        series = (series + _BERNOULLI[k - 1] / (2 * k)) * square
    return np.log(far) - 0.5 / far - series + shift


def _zeta(s: int, x: Any) -> Any:
    """Hurwitz's sum of (x + k)^-s: the first terms, and Euler and Maclaurin's rest."""
    total = np.zeros_like(x)
    for k in range(_STEPS):
        total = total + (x + k) ** -float(s)
    far = x + _STEPS
    total = total + far ** (1.0 - s) / (s - 1.0) + 0.5 * far ** -float(s)
    term = s * far ** (-s - 1.0)
    for k, bernoulli in enumerate(_BERNOULLI, 1):
        total = total + term * (bernoulli / math.factorial(2 * k))
        term = term * ((s + 2 * k - 1) * (s + 2 * k)) / (far * far)
    # Left of the origin the terms change sign in ways this sum doesn't follow.
    return np.where(x > 0.0, total, np.nan)
