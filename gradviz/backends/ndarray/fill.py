"""Arrays with contents: constants, sequences, random numbers."""

from __future__ import annotations

import copy
import functools
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

Shape = tuple[int, ...]

_lock = threading.Lock()
# Made when first used: importing NumPy's random module takes a third of the time NumPy takes.
_generator: list[Any] = []


class _Own(threading.local):
    """The generator of numbers that were settled before, in the thread that makes them."""

    generator: Any = None


_own = _Own()


def _random() -> Any:
    """The one generator."""
    if _own.generator is not None:
        return _own.generator
    if not _generator:
        _generator.append(np.random.default_rng())
    return _generator[0]


def full(shape: Shape, value: Any, dtype: Any) -> Any:
    if value.__class__ is int and not value:
        return np.zeros(shape, dtype)
    return np.full(shape, value, dtype)


def eye(rows: int, columns: int, dtype: Any) -> Any:
    return np.eye(rows, columns, dtype=dtype)


def arange(start: Any, end: Any, step: Any, dtype: Any) -> Any:
    return np.arange(start, end, step).astype(dtype)


def linspace(start: float, end: float, steps: int, dtype: Any) -> Any:
    return np.linspace(start, end, steps).astype(dtype)


def all_between(values: Any, low: float, high: float) -> bool:
    """Whether all numbers lie within [low, high]."""
    return bool(np.all((np.asarray(values) >= low) & (np.asarray(values) <= high)))


def seed(number: int) -> None:
    """Starts the one generator anew."""
    with _lock:
        _generator[:] = [np.random.default_rng(number % (1 << 64))]


def uniform(shape: Shape, low: float, high: float, dtype: Any) -> Any:
    with _lock:
        return (
            (low + (high - low) * _random().random(shape)).astype(dtype)
            if shape
            else np.asarray(low + (high - low) * _random().random(), dtype)
        )


def normal(shape: Shape, mean: float, std: float, dtype: Any) -> Any:
    with _lock:
        return np.asarray(mean + std * _random().standard_normal(shape), dtype)


def bernoulli(shape: Shape, p: Any, dtype: Any) -> Any:
    with _lock:
        return np.asarray(_random().random(shape) < p, dtype)


def one_hot(classes: Any, count: int) -> Any:
    """None where a class lies outside."""
    size = int(classes.max()) + 1 if count < 0 and classes.size else max(count, 0)
    if classes.size and (int(classes.min()) < 0 or int(classes.max()) >= size):
        return None
    made = np.zeros((*classes.shape, size), np.int64)
    if classes.size:
        np.put_along_axis(made, np.expand_dims(classes, -1), 1, -1)
    return made


def permutation(count: int) -> Any:
    """The numbers below `count` in random order."""
    with _lock:
        return _random().permutation(count)


def later(create: Callable[..., Any], random: bool, *arguments: Any) -> Callable[[], Any]:
    """`create(*arguments)` to be called at any time: random numbers are settled now, by a seed."""
    if not random:
        return functools.partial(create, *arguments)
    with _lock:
        start = int(_random().integers(1 << 63))

    def make() -> Any:
        _own.generator = np.random.default_rng(start)
        try:
            return create(*arguments)
        finally:
            _own.generator = None

    return make


@contextmanager
def preserved() -> Iterator[None]:
    """Puts the generator's state back at the end of a block."""
    with _lock:
        before = _random()
        _generator[:] = [copy.deepcopy(before)]
    try:
        yield
    finally:
        with _lock:
            _generator[:] = [before]


def cosine_window(length: int, periodic: bool, coefficients: tuple[float, ...], dtype: Any) -> Any:
    """An alternating sum of cosines: the windows of Hann, Hamming and Blackman."""
    if length == 1:
        return np.ones(1, dtype)
    angles = np.arange(length) * (2.0 * np.pi / max(length if periodic else length - 1, 1))
    parts = [c * (-1) ** k * np.cos(k * angles) for k, c in enumerate(coefficients)]
    return np.asarray(sum(parts), dtype)


def exponential(shape: Shape, rate: float, dtype: Any) -> Any:
    """Random numbers of an exponential distribution."""
    with _lock:
        return np.asarray(_random().exponential(1.0 / rate, shape), dtype)


def integers(shape: Shape, low: int, high: int, dtype: Any) -> Any:
    """Random whole numbers from `low` up to, not including, `high`."""
    with _lock:
        return np.asarray(_random().integers(low, high, shape), dtype)


def multinomial(chances: Any, count: int, again: bool) -> Any:
    """Places drawn by chances from every row; None where that can't be done."""
    rows = np.atleast_2d(chances).astype(np.float64)
    total = rows.sum(axis=1, keepdims=True)
    enough = again or (np.count_nonzero(rows, axis=1) >= count).all()
    if not (np.isfinite(rows).all() and (rows >= 0).all() and (total > 0).all() and enough):
        return None
    with _lock:
        if again:
            ends = np.cumsum(rows / total, axis=1)
            draws = _random().random((rows.shape[0], count))
            found = (draws[:, :, None] >= ends[:, None, :]).sum(axis=2)
            # Rounding may leave the last end below 1: the last place with a chance takes the rest.
            last = rows.shape[1] - 1 - np.argmax(rows[:, ::-1] > 0, axis=1)
            found = np.minimum(found, last[:, None])
        else:
            # The first to be hit by independent clocks that run as fast as the chances say.
            with np.errstate(divide="ignore"):
                clocks = _random().exponential(1.0, rows.shape) / rows
            found = np.argsort(clocks, axis=1)[:, :count]
    return found.astype(np.int64).reshape(*chances.shape[:-1], count)
