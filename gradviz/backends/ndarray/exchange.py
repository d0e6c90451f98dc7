"""Arrays as the bytes that files of other programs hold, and places as tables of numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = Any


def to_bytes(array: Array) -> bytes:
    """The elements in reading order, lowest byte first."""
    solid = np.ascontiguousarray(array)
    data: bytes = solid.astype(solid.dtype.newbyteorder("<"), copy=False).tobytes()
    return data


def from_bytes(data: bytes, dtype: str, shape: tuple[int, ...]) -> Array:
    """A fresh array of elements written as `to_bytes` does.

    Raises:
        ValueError: where there are too few or too many bytes.
    """
    stored = np.dtype(dtype).newbyteorder("<")
    return np.frombuffer(data, stored).reshape(shape).astype(dtype)


def from_numbers(values: Any, dtype: str, shape: tuple[int, ...]) -> Array:
    """A fresh array of plain numbers.

    Raises:
        ValueError, OverflowError: where they don't fit.
    """
    return np.array(values, dtype).reshape(shape)


def from_bits(values: Any, stored: str, dtype: str, shape: tuple[int, ...]) -> Array:
    """A fresh array of elements whose bits are written as whole numbers."""
    return np.array(values, stored).view(dtype).reshape(shape)


def places(shape: tuple[int, ...], index: tuple[Any, ...]) -> Array:
    """Where the elements that an index takes lie in the array laid flat."""
    count = int(np.prod(shape, dtype=np.int64))
    return np.arange(count, dtype=np.int64).reshape(shape)[index]


def numbers_up_to(count: int) -> Array:
    """0, 1, 2 ..."""
    return np.arange(count, dtype=np.int64)


def response(kernel: Any, length: int, dtype: str) -> Array:
    """The matrix of a linear map of the last dimension: what it makes of each unit vector."""
    return np.ascontiguousarray(kernel(np.eye(length, dtype=dtype)))


def at_rest(kernel: Any, shape: tuple[int, ...], dtype: str, *attributes: Any) -> Array:
    """What a kernel makes of zeros."""
    return np.asarray(kernel(np.zeros(shape, dtype), *attributes))


def shares_of(pool: Any, lengths: tuple[int, ...], area: int, dtype: str) -> Array:
    """By what to multiply the mean over a whole window, to make of it what a pooling answers.

    Among ones a pooling gives the part of what it counts that isn't border; so does the mean over
    the window and its border, whose divisor is known.
    """
    ones = np.ones((1, 1, *lengths), dtype)
    inside = pool(ones, divisor_override=1)
    return np.asarray(pool(ones) / (inside / area), dtype)


def spectrum_response(kernel: Any, length: int, dtype: str) -> Array:
    """The matrix of a map from signals to spectra, real parts before imaginary ones."""
    real, imaginary = kernel(np.eye(length, dtype=dtype))
    return np.ascontiguousarray(np.concatenate((real, imaginary), axis=1))


def signal_response(kernel: Any, bins: int, dtype: str) -> Array:
    """The matrix of a map from spectra to signals, real parts before imaginary ones."""
    unit, none = np.eye(bins, dtype=dtype), np.zeros((bins, bins), dtype)
    rows = [kernel(np.stack(parts)) for parts in ((unit, none), (none, unit))]
    return np.ascontiguousarray(np.concatenate(rows))
