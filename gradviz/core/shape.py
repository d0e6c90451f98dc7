"""Arithmetic on shapes."""

from __future__ import annotations


def count(shape: tuple[int, ...]) -> int:
    """Number of elements.

    >>> from gradviz.core.shape import count
    >>> count((2, 3)), count(()), count((0, 5))
    (6, 1, 0)
    """
    total = 1
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
