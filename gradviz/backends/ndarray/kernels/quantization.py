"""Quantization."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = Any
Dims = tuple[int, ...]


def channelwise(x: Array, shape: Dims, axis: int | None) -> Array:
    if axis is None:
        return x
    return x.reshape([n if at == axis else 1 for at, n in enumerate(shape)])


def _places(x: Array, scale: Array, zero_point: Array, axis: int | None) -> Array:
    scale = channelwise(scale, x.shape, axis).astype(x.dtype)
    return np.rint(x / scale) + channelwise(zero_point, x.shape, axis)


def quantize(
    x: Array, scale: Array, zero_point: Array, axis: int | None, low: int, high: int, dtype: str
) -> Array:
    return np.clip(_places(x, scale, zero_point, axis), low, high).astype(dtype)


def dequantize(x: Array, scale: Array, zero_point: Array, axis: int | None) -> Array:
    shifted = x.astype(np.int64) - channelwise(zero_point, x.shape, axis)
    return np.asarray(shifted.astype(scale.dtype) * channelwise(scale, x.shape, axis))


def fake_quantize(
    x: Array, scale: Array, zero_point: Array, axis: int | None, low: int, high: int
) -> Array:
    places = np.clip(_places(x, scale, zero_point, axis), low, high)
    wide = channelwise(scale, x.shape, axis)
    return ((places - channelwise(zero_point, x.shape, axis)) * wide).astype(x.dtype)


def on_grid(
    x: Array, scale: Array, zero_point: Array, axis: int | None, low: int, high: int
) -> Array:
    places = _places(x, scale, zero_point, axis)
    return np.asarray((places >= low) & (places <= high))
