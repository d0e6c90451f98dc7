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
