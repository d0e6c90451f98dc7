"""Fourier transforms of real signals and their adjoints, as products with their matrices."""

from __future__ import annotations

import functools
from typing import Any

from gradviz.backends.ndarray import exchange
from gradviz.backends.ndarray.backend import kernel_of
from gradviz.onnx.builder import Builder
from gradviz.onnx.registry import writes
from gradviz.onnx.value import Value

Dims = tuple[int, ...]


def _apart(b: Builder, spectrum: Any, rank: int, dim: int) -> Any:
    """Real and imaginary parts one after the other along the bins."""
    real, imaginary = (b.Gather(spectrum, b.constant(at, "int64"), axis=0) for at in (0, 1))
    return b.Concat(real, imaginary, axis=dim)


def _together(b: Builder, parts: Any, bins: int, dim: int) -> Any:
    real, imaginary = b.slice(parts, dim, 0, bins), b.slice(parts, dim, bins, 2 * bins)
    return b.Concat(b.Unsqueeze(real, [0]), b.Unsqueeze(imaginary, [0]), axis=0)


def _to_spectrum(b: Builder, x: Value, bins: int, dim: int, kernel: Any) -> Any:
    (length,) = b.fixed((x.dims[dim],))
    matrix = exchange.spectrum_response(kernel, length, x.dtype)
    return _together(b, b.along(x, dim, x.rank, matrix), bins, dim)


def _to_signal(b: Builder, spectrum: Value, dim: int, kernel: Any) -> Any:
    (bins,) = b.fixed((spectrum.dims[dim + 1],))
    matrix = exchange.signal_response(kernel, bins, spectrum.dtype)
    rank = spectrum.rank - 1
    return b.along(_apart(b, spectrum, rank, dim), dim, rank, matrix)


@writes("rfft")
def rfft(b: Builder, x: Value, n: int, dim: int) -> Any:
    kernel = functools.partial(kernel_of(b.row), n=n, dim=1)
    return _to_spectrum(b, x, n // 2 + 1, dim, kernel)


@writes("irfft")
def irfft(b: Builder, spectrum: Value, n: int, dim: int) -> Any:
    return _to_signal(b, spectrum, dim, functools.partial(kernel_of(b.row), n=n, dim=1))


@writes("rfft_backward")
def rfft_backward(b: Builder, g: Value, shape: Dims, n: int, dim: int) -> Any:
    run, length = kernel_of(b.row), shape[dim]
    return _to_signal(b, g, dim, lambda rows: run(rows, (rows.shape[1], length), n, 1))


@writes("irfft_backward")
def irfft_backward(b: Builder, g: Value, shape: Dims, n: int, dim: int) -> Any:
    run, bins = kernel_of(b.row), shape[dim + 1]
    return _to_spectrum(b, g, bins, dim, lambda rows: run(rows, (2, rows.shape[0], bins), n, 1))
