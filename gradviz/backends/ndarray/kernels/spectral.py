"""Fourier transforms of real signals and their adjoints."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.backends.ndarray.widening import single

Array = Any
Dims = tuple[int, ...]


def rfft(x: Array, n: int, dim: int) -> Array:
    spectrum = np.fft.rfft(single(x), n, axis=dim)
    return np.stack((spectrum.real, spectrum.imag)).astype(x.dtype, copy=False)


def irfft(spectrum: Array, n: int, dim: int) -> Array:
    wide = single(spectrum)
    signal = np.fft.irfft(wide[0] + 1j * wide[1], n, axis=dim)
    return signal.astype(spectrum.dtype, copy=False)


def _inner(count: int, n: int, rank: int, dim: int, weight: float, dtype: Any) -> Array:
    """1 for the bins that a whole spectrum has once, `weight` for those it has twice."""
    factors = np.full(count, weight, dtype)
    factors[:1] = 1
    if n % 2 == 0:
        factors[n // 2 : n // 2 + 1] = 1
    return factors.reshape([-1 if at == dim else 1 for at in range(rank)])


def _fitted(x: Array, length: int, dim: int) -> Array:
    """Cut to a length along one dimension, or filled up with zeros."""
    have = x.shape[dim]
    if have >= length:
        return x[(slice(None),) * dim + (slice(length),)]
    widths = [(0, length - have) if at == dim else (0, 0) for at in range(x.ndim)]
    return np.pad(x, widths)


def rfft_backward(g: Array, shape: Dims, n: int, dim: int) -> Array:
    wide = single(g)
    weights = _inner(n // 2 + 1, n, wide.ndim - 1, dim, 0.5, wide.dtype)
    signal = irfft(wide * weights, n, dim) * n
    return _fitted(signal, shape[dim], dim).astype(g.dtype, copy=False)


def irfft_backward(g: Array, shape: Dims, n: int, dim: int) -> Array:
    wide = single(g)
    spectrum = rfft(wide, n, dim)
    spectrum *= _inner(n // 2 + 1, n, wide.ndim, dim, 2.0, wide.dtype) / n
    return _fitted(spectrum, shape[dim + 1], dim + 1).astype(g.dtype, copy=False)
