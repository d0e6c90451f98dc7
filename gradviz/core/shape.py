"""Arithmetic on shapes."""

from __future__ import annotations

from typing import Any


def count(shape: tuple[Any, ...]) -> int:
    """Number of elements; symbolic where a size is.

    >>> from gradviz.core.shape import count
    >>> count((2, 3)), count(()), count((0, 5))
    (6, 1, 0)
    """
    total: int = 1
    for length in shape:
        total *= length
    return total


def inverse(order: tuple[int, ...]) -> tuple[int, ...]:
    """The order of dimensions that undoes another.

    >>> from gradviz.core.shape import inverse
    >>> inverse((2, 0, 1))
    (1, 2, 0)
    """
    return tuple(sorted(range(len(order)), key=order.__getitem__))
