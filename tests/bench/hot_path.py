"""What an operation costs beside the bare NumPy ufunc: `python -m tests.bench.hot_path`.

A chain of multiplications and additions on 8 float32 numbers, with and without tracking. The figures
to reach are 4 for the forward pass, 9 for forward and backward together, and 16 where a plain tensor is
lifted beside a tracked one.
"""

from __future__ import annotations

import numpy as np

import gradviz as gv
from tests.bench.timing import ratios

LENGTH = 1000
FORWARD, BOTH, LIFTED = 4.0, 9.0, 16.0


def measure(rounds: int = 60) -> dict[str, float]:
    """Ratios to the bare ufunc chain."""
    start = np.full(8, 0.999, np.float32)
    factor = np.full(8, 1.0001, np.float32)
    x, w = gv.tensor(start, requires_grad=True), gv.tensor(factor, requires_grad=True)
    plain_x, plain_w = gv.tensor(start), gv.tensor(factor)

    def ufunc() -> object:
        h = start
        for _ in range(LENGTH // 2):
            h = np.multiply(h, factor)
            h = np.add(h, factor)
        return h

    def chain(h: gv.Tensor, other: object) -> gv.Tensor:
        for _ in range(LENGTH // 2):
            h = h * other
            h = h + other
        return h

    def lifted() -> None:
        for _ in range(LENGTH):
            x * plain_w

    def independent() -> None:
        for _ in range(LENGTH):
            x * w

    return ratios(
        {
            "ufunc": ufunc,
            "forward, independent": independent,
            "forward, chain": lambda: chain(x, w),
            "forward and backward": lambda: chain(x, w).backward(),
            "forward and backward, numbers": lambda: chain(x, 0.999).backward(),
            "forward, a plain tensor beside": lifted,
            "untracked": lambda: chain(plain_x, plain_w),
        },
        "ufunc",
        rounds,
    )


if __name__ == "__main__":
    for name, ratio in measure().items():
        print(f"{name:32s} {ratio:6.2f} x the ufunc")
    print(f"to reach: forward {FORWARD}, forward and backward {BOTH}, lifted {LIFTED}")
