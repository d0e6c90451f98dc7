"""Quantization."""

from __future__ import annotations

from typing import Any

from gradviz.onnx.builder import Builder
from gradviz.onnx.registry import plain, writes
from gradviz.onnx.value import Value
from gradviz.onnx.write.elementwise import limits

Dims = tuple[int, ...]
_GRIDS = ("int8", "uint8")
"""What the format's own operations store."""


def _lined(b: Builder, x: Value, shape: Dims, axis: int | None) -> Any:
    """One number for each slice along an axis, so that it broadcasts."""
    if axis is None:
        return x
    return b.reshape(x, [n if at == axis else 1 for at, n in enumerate(shape)])


def _places(b: Builder, x: Value, scale: Value, zero_point: Value, axis: int | None) -> Any:
    wide = b.cast(_lined(b, scale, x.dims, axis), x.dtype)
    return b.Round(x / wide) + b.cast(_lined(b, zero_point, x.dims, axis), x.dtype)


def _fits(zero_point: Value, dtype: str) -> bool:
    """Whether what stands for 0 is a constant that the stored dtype holds, as the format asks."""
    array = zero_point.builder.contents(zero_point)
    if array is None:
        return False
    low, high = limits(dtype)
    return all(low <= number <= high for number in array.reshape(-1).tolist())


@writes("quantize")
def quantize(
    b: Builder,
    x: Value,
    scale: Value,
    zero_point: Value,
    axis: int | None,
    low: int,
    high: int,
    dtype: str,
) -> Any:
    whole = dtype in _GRIDS and (low, high) == limits(dtype) and x.dtype == "float32"
    if whole and _fits(zero_point, dtype):
        return plain(b, x, b.cast(scale, x.dtype), b.cast(zero_point, dtype), axis=axis)
    return b.cast(b.Clip(_places(b, x, scale, zero_point, axis), low, high), dtype)


@writes("dequantize")
def dequantize(b: Builder, x: Value, scale: Value, zero_point: Value, axis: int | None) -> Any:
    if x.dtype in _GRIDS and scale.dtype == "float32" and _fits(zero_point, x.dtype):
        return plain(b, x, scale, b.cast(zero_point, x.dtype), axis=axis)
    shifted = b.cast(x, "int64") - b.cast(_lined(b, zero_point, x.dims, axis), "int64")
    return b.cast(shifted, scale.dtype) * _lined(b, scale, x.dims, axis)


@writes("fake_quantize")
def fake_quantize(
    b: Builder, x: Value, scale: Value, zero_point: Value, axis: int | None, low: int, high: int
) -> Any:
    places = b.Clip(_places(b, x, scale, zero_point, axis), low, high)
    shift = b.cast(_lined(b, zero_point, x.dims, axis), x.dtype)
    return (places - shift) * b.cast(_lined(b, scale, x.dims, axis), x.dtype)


@writes("on_grid")
def on_grid(
    b: Builder, x: Value, scale: Value, zero_point: Value, axis: int | None, low: int, high: int
) -> Any:
    places = _places(b, x, scale, zero_point, axis)
    return (places >= float(low)) & (places <= float(high))


@writes("channelwise")
def channelwise(b: Builder, x: Value, shape: Dims, axis: int | None) -> Any:
    return _lined(b, x, shape, axis)
