"""Kernels that NumPy has under no name of its own, or that we do better: arrays in, arrays out.

A row finds its kernel by the name it gives as its `forward`; attributes are canonical.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradviz.backends.ndarray.kernels import (
    elementwise,
    indexing,
    linear,
    loss,
    movement,
    reduction,
    softmax,
)
from gradviz.backends.ndarray.kernels.more import MORE
from gradviz.backends.ndarray.kernels.spatial import SPATIAL

FAMILIES = (elementwise, softmax, reduction, movement, indexing, linear, loss, *MORE, *SPATIAL)


def find(name: str) -> Callable[..., Any] | None:
    """The kernel of a name; None where NumPy's own function serves."""
    for family in FAMILIES:
        kernel: Callable[..., Any] | None = getattr(family, name, None)
        if kernel is not None:
            return kernel
    return None
