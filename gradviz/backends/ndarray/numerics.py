"""Questions about arrays' values."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from typing import Any, Final

import numpy as np


def quiet() -> AbstractContextManager[Any]:
    """No floating point warnings inside the block."""
    return np.errstate(all="ignore")


def finite(array: Any) -> bool:
    """Whether every element is neither infinite nor nan."""
    return bool(np.isfinite(array).all())


def all_zero(array: Any) -> bool:
    """Whether there are elements and all of them are 0."""
    values = np.asarray(array)
    return bool(values.size and not values.any())


def largest(array: Any) -> float:
    """The largest absolute value; 0 without elements."""
    values = np.asarray(array)
    return float(np.abs(values).max()) if values.size else 0.0


def smallest_step(array: Any) -> float:
    """The distance from 1 to the next number of an array's type."""
    return float(np.finfo(array.dtype).eps)


def ones(shape: tuple[int, ...], dtype: Any) -> Any:
    """Ones."""
    return np.ones(shape, dtype)


def at_first_bad(bad: Any, *others: Any) -> list[float]:
    """The values of other arrays where the first one is first infinite or nan."""
    values = np.asarray(bad)
    flat = int(np.argmax(~np.isfinite(values)))
    at = np.unravel_index(flat, values.shape)
    found = []
    for other in others:
        try:
            found.append(float(np.broadcast_to(other, values.shape)[at]))
        except ValueError:
            found.append(float(np.asarray(other).ravel()[0]))
    return found


def zero_columns(array: Any) -> tuple[int, int]:
    """How many columns (along the last dimension) hold zeros only, and how many there are."""
    values = np.asarray(array).reshape(-1, array.shape[-1])
    dead = ~values.any(axis=0)
    return int(dead.sum()), int(dead.size)


def first(array: Any) -> float:
    """The first element as a number."""
    return float(np.asarray(array).reshape(-1)[0])


_SMALL: Final = 4096
"""Elements up to which arrays are looked at together."""


def holds_floats(value: Any) -> bool:
    """Whether something is an array of floating point numbers."""
    return isinstance(value, np.ndarray | np.generic) and value.dtype.kind == "f"


def magnitude(arrays: Iterable[Any]) -> float:
    """The largest absolute value in many arrays; infinite where any element isn't finite."""
    found = 0.0
    for bunch in _bunches(arrays):
        high = float(np.abs(bunch).max())
        found = max(found, high) if math.isfinite(high) else math.inf
    return found


def _bunches(arrays: Iterable[Any]) -> Iterator[Any]:
    """The elements of many arrays, small ones put together: a look costs more than an element."""
    small: list[Any] = []
    size = 0
    for array in arrays:
        if array.size >= _SMALL:
            yield array
        elif array.size:
            small.append(array.ravel())
            size += array.size
            if size >= _SMALL * 16:
                yield np.concatenate(small)
                small, size = [], 0
    if small:
        yield np.concatenate(small)


def largest_number(array: Any) -> float:
    """The largest finite number of an array's type."""
    return float(np.finfo(array.dtype).max)
