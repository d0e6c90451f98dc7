"""The error function, which NumPy lacks."""

from __future__ import annotations

from typing import Any

import numpy as np

# W. J. Cody, "Rational Chebyshev approximation for the error function",
# Mathematics of Computation 23 (1969): three intervals, relative error near 1e-16.
_SMALL_P = (
    3.16112374387056560e00,
    1.13864154151050156e02,
    3.77485237685302021e02,
    3.20937758913846947e03,
    1.85777706184603153e-1,
)
_SMALL_Q = (
    2.36012909523441209e01,
    2.44024637934444173e02,
    1.28261652607737228e03,
    2.84423683343917062e03,
)
_MIDDLE_P = (
    5.64188496988670089e-1,
    8.88314979438837594e00,
    6.61191906371416295e01,
    2.98635138197400131e02,
    8.81952221241769090e02,
    1.71204761263407058e03,
    2.05107837782607147e03,
    1.23033935479799725e03,
    2.15311535474403846e-8,
)
_MIDDLE_Q = (
    1.57449261107098347e01,
    1.17693950891312499e02,
    5.37181101862009858e02,
    1.62138957456669019e03,
    3.29079923573345963e03,
    4.36261909014324716e03,
    3.43936767414372164e03,
    1.23033935480374942e03,
)
_LARGE_P = (
    3.05326634961232344e-1,
    3.60344899949804439e-1,
    1.25781726111229246e-1,
    1.60837851487422766e-2,
    6.58749161529837803e-4,
    1.63153871373020978e-2,
)
_LARGE_Q = (
    2.56852019228982242e00,
    1.87295284992346725e00,
    5.27905102951428412e-1,
    6.05183413124413191e-2,
    2.33520497626869185e-3,
)
_INV_SQRT_PI = 0.56418958354775628695


def _ratio(x: Any, p: tuple[float, ...], q: tuple[float, ...]) -> Any:
    """Cody's nested form: the last coefficient of p leads."""
    upper = p[-1] * x
    lower = x
    for above, below in zip(p[: len(q) - 1], q[:-1], strict=True):
        upper = (upper + above) * x
        lower = (lower + below) * x
    return (upper + p[len(q) - 1]) / (lower + q[-1])


def erf(x: Any) -> Any:
    """Error function of every element; computed in float64, returned in the dtype of `x`."""
    values = np.asarray(x)
    wide = values.astype(np.float64)
    size = np.abs(wide)
    capped = np.minimum(size, 6.0)  # erf is 1 to the last bit beyond
    square = capped * capped
    small = wide * _ratio(np.minimum(square, 0.25), _SMALL_P, _SMALL_Q)
    middle = 1.0 - np.exp(-square) * _ratio(np.clip(capped, 0.46875, 4.0), _MIDDLE_P, _MIDDLE_Q)
    inverse = 1.0 / np.maximum(square, 16.0)
    tail = (_INV_SQRT_PI - inverse * _ratio(inverse, _LARGE_P, _LARGE_Q)) / np.maximum(capped, 4.0)
    large = 1.0 - np.exp(-square) * tail
    outer = np.copysign(np.where(size <= 4.0, middle, large), wide)
    result = np.where(size <= 0.46875, small, outer)
    return np.where(np.isnan(wide), wide, result).astype(values.dtype)


def erfc(x: Any) -> Any:
    """1 - erf(x) of every element, exact where it is tiny; computed in float64."""
    values = np.asarray(x)
    wide = values.astype(np.float64)
    size = np.abs(wide)
    capped = np.minimum(size, 27.0)  # beyond, erfc is below the smallest number
    square = capped * capped
    decay = np.exp(-square)
    middle = decay * _ratio(np.clip(capped, 0.46875, 4.0), _MIDDLE_P, _MIDDLE_Q)
    inverse = 1.0 / np.maximum(square, 16.0)
    tail = (_INV_SQRT_PI - inverse * _ratio(inverse, _LARGE_P, _LARGE_Q)) / np.maximum(capped, 4.0)
    outer = np.where(size <= 4.0, middle, decay * tail)
    outer = np.where(wide < 0.0, 2.0 - outer, outer)
    small = 1.0 - wide * _ratio(np.minimum(square, 0.25), _SMALL_P, _SMALL_Q)
    result = np.where(size <= 0.46875, small, outer)
    return np.where(np.isnan(wide), wide, result).astype(values.dtype)
