"""The error function, which NumPy lacks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from gradviz.backends.ndarray.blocks import blockwise

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
_SMALL: Final = 0.46875
"""Up to here erf itself is a ratio; beyond, its complement is."""
_FAR: Final = 4.0

# atanh(erf(x)) / x as a polynomial in x * x, fitted to erf's relative error on [0, 4] by least
# squares, weighted anew in turns; tanh forgives the polynomial's error where erf is flat.
_SINGLE = (
    1.12837925e00,
    1.02769865e-01,
    -1.95289570e-04,
    -6.14836887e-04,
    8.45959740e-05,
    -4.79447049e-06,
    2.75621226e-08,
    5.42213897e-09,
)


def _ratio(x: Any, p: tuple[float, ...], q: tuple[float, ...]) -> Any:
    """Cody's nested form: the last coefficient of p leads."""
    upper = p[-1] * x
    lower = x
    for above, below in zip(p[: len(q) - 1], q[:-1], strict=True):
        upper = (upper + above) * x
        lower = (lower + below) * x
    return (upper + p[len(q) - 1]) / (lower + q[-1])


def erf(x: Any) -> Any:
    """Error function of every element; float32 is good to 4 units in the last place."""
    values = np.asarray(x)
    return blockwise(values, _erf_single if values.dtype.itemsize <= 4 else _erf_double)


def erfc(x: Any) -> Any:
    """1 - erf(x) of every element, exact where it is tiny; computed in float64."""
    return blockwise(np.asarray(x), _erfc_double)


def _erf_single(x: Any, out: Any) -> None:
    single = np.clip(x, -_FAR, _FAR, dtype=np.float32)
    square = single * single
    bent = square * np.float32(_SINGLE[-1])
    for coefficient in _SINGLE[-2:0:-1]:
        bent += np.float32(coefficient)
        bent *= square
    bent += np.float32(_SINGLE[0])
    bent *= single
    np.tanh(bent, out=out, casting="same_kind")


def _erf_double(x: Any, out: Any) -> None:
    _in_intervals(x, out, _erf_small, lambda part: np.copysign(1.0 - _tail(np.abs(part)), part))


def _erfc_double(x: Any, out: Any) -> None:
    _in_intervals(x, out, lambda part: 1.0 - _erf_small(part), _erfc_far)


def _erfc_far(x: Any) -> Any:
    tail = _tail(np.abs(x))
    return np.where(x < 0.0, 2.0 - tail, tail)


def _in_intervals(x: Any, out: Any, near: Callable[[Any], Any], far: Callable[[Any], Any]) -> None:
    """`near` of the small elements and `far` of the others, each computed for its own alone."""
    close = np.abs(x) <= _SMALL
    for where, formula in ((close, near), (~close, far)):
        out[where] = formula(x[where].astype(np.float64))


def _erf_small(x: Any) -> Any:
    return x * _ratio(x * x, _SMALL_P, _SMALL_Q)


def _tail(size: Any) -> Any:
    """erfc of positive numbers that are not small."""
    size = np.minimum(size, 28.0)  # from there on it is 0
    decay = np.exp(-size * size)
    out = decay * _ratio(np.minimum(size, _FAR), _MIDDLE_P, _MIDDLE_Q)
    large = size > _FAR
    if large.any():
        reach = size[large]
        inverse = 1.0 / (reach * reach)
        part = _INV_SQRT_PI - inverse * _ratio(inverse, _LARGE_P, _LARGE_Q)
        out[large] = decay[large] * part / reach
    return out
