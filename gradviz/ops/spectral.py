"""Fourier transforms of real signals; spectra are pairs of real tensors, stacked in front."""

from __future__ import annotations

from gradviz.ops.infer import Fact
from gradviz.ops.spec import Sample, op


def _spectrum(x: Fact, n: int, dim: int) -> Fact:
    return (2, *x[0][:dim], n // 2 + 1, *x[0][dim + 1 :]), x[1]


def _signal(x: Fact, n: int, dim: int) -> Fact:
    shape = x[0][1:]
    return (*shape[:dim], n, *shape[dim + 1 :]), x[1]


_LENGTHS = ((4, 4), (5, 5), (4, 6), (5, 3), (1, 1), (2, 7))
op(
    "rfft",
    "x",
    attrs="n dim",
    promote="floating",
    memory_bound=False,
    infer=_spectrum,
    vjp={"x": lambda g, x_shape, n, dim, xp: xp.rfft_backward(g, x_shape, n, dim)},
    doc="The spectrum of a real signal: real parts, then imaginary parts.",
    formula="X_k = sum_t x_t exp(-2 pi i k t / n)",
    samples=(
        *(Sample(((2, have),), (n, 1)) for have, n in _LENGTHS),
        Sample(((4, 3),), (4, 0)),
    ),
)
op(
    "rfft_backward",
    "g",
    attrs="shape n dim",
    memory_bound=False,
    infer=lambda g, shape, n, dim: (shape, g[1]),
    vjp={"g": lambda g, n, dim, xp: xp.rfft(g, n, dim)},
    doc="The adjoint of rfft.",
    samples=tuple(Sample(((2, 2, n // 2 + 1),), ((2, have), n, 1)) for have, n in _LENGTHS),
)
op(
    "irfft",
    "spectrum",
    attrs="n dim",
    promote="floating",
    memory_bound=False,
    infer=_signal,
    vjp={
        "spectrum": lambda g, spectrum_shape, n, dim, xp: xp.irfft_backward(
            g, spectrum_shape, n, dim
        )
    },
    doc="The real signal of a spectrum: the inverse of rfft.",
    samples=(
        *(Sample(((2, 2, have),), (n, 1)) for have, n in ((3, 4), (3, 5), (4, 4), (2, 6), (1, 1))),
        Sample(((2, 3, 2),), (4, 0)),
    ),
)
op(
    "irfft_backward",
    "g",
    attrs="shape n dim",
    memory_bound=False,
    infer=lambda g, shape, n, dim: (shape, g[1]),
    vjp={"g": lambda g, n, dim, xp: xp.irfft(g, n, dim)},
    doc="The adjoint of irfft.",
    samples=tuple(
        Sample(((2, n),), ((2, 2, have), n, 1)) for have, n in ((3, 4), (3, 5), (4, 4), (2, 6))
    ),
)
