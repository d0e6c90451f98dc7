"""Random numbers of the one generator."""

from __future__ import annotations

from typing import Any

from gradviz.backends.ndarray import fill

Array = Any


def random(x: Array, distribution: str, first: Any, second: Any) -> Array:
    """Random numbers in the shape and dtype of an array, the same that creation would draw."""
    if distribution in ("bernoulli", "exponential"):
        return getattr(fill, distribution)(x.shape, first, x.dtype)
    if distribution in ("uniform", "normal", "integers"):
        return getattr(fill, distribution)(x.shape, first, second, x.dtype)
    raise ValueError(f"{distribution!r} is no distribution")
