"""Slopes by differences, and what it takes to ask for derivatives element by element."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = Any


def units(shape: tuple[int, ...], dtype: Any) -> Iterator[Array]:
    """For every element an array with a 1 there and zeros elsewhere."""
    for place in np.ndindex(*shape):
        array = np.zeros(shape, dtype)
        array[place] = 1
        yield array


def by_differences(
    compute: Callable[[Array], list[Array]],
    array: Array,
    shapes: list[tuple[int, ...]],
    eps: float,
) -> list[Array]:
    """The slopes of results by every element of an array, of shape `result.shape + array.shape`.

    Args:
        compute: the results for an array in the place of this one.
        array: where to take the slopes.
        shapes: the shapes of the results.
        eps: how far to go to either side.
    """
    columns: list[list[Array]] = []
    for place in np.ndindex(*array.shape):
        after, before = np.array(array), np.array(array)
        after[place] += eps
        before[place] -= eps
        # What was rounded away of the step is no part of it.
        width = after[place] - before[place]
        pairs = zip(compute(after), compute(before), strict=True)
        columns.append([np.asarray((high - low) / width) for high, low in pairs])
    return [
        np.stack([column[at] for column in columns], axis=-1).reshape(shape + array.shape)
        if columns
        else np.zeros(shape + array.shape)
        for at, shape in enumerate(shapes)
    ]


@dataclass(frozen=True, slots=True)
class Miss:
    """The element in which two arrays differ most.

    Attributes:
        place: where it stands.
        found: the number there.
        expected: what it is compared with.
    """

    place: tuple[int, ...]
    found: float
    expected: float


def worst(found: Array, expected: Array, atol: float, rtol: float) -> Miss | None:
    """Where arrays differ most beyond a tolerance; None where they don't."""
    room = atol + rtol * np.abs(expected)
    over = np.abs(found - expected) - room
    same = (found == expected) | (np.isnan(found) & np.isnan(expected))
    over = np.where(same, -np.inf, np.where(np.isnan(over), np.inf, over))
    if not over.size or over.max() <= 0:
        return None
    place = tuple(int(at) for at in np.unravel_index(int(over.argmax()), over.shape))
    return Miss(place, float(found[place]), float(expected[place]))
