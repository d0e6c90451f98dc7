"""Making tensors."""

from __future__ import annotations

from gradviz.tensor.creation.constant import (
    arange,
    empty,
    eye,
    from_numpy,
    full,
    linspace,
    one_hot,
    ones,
    tensor,
    zeros,
)
from gradviz.tensor.creation.like import (
    empty_like,
    full_like,
    ones_like,
    rand_like,
    randn_like,
    zeros_like,
)
from gradviz.tensor.creation.random import (
    bernoulli,
    manual_seed,
    normal,
    rand,
    randn,
    uniform,
)

__all__ = [
    "arange",
    "bernoulli",
    "empty",
    "empty_like",
    "eye",
    "from_numpy",
    "full",
    "full_like",
    "linspace",
    "manual_seed",
    "normal",
    "one_hot",
    "ones",
    "ones_like",
    "rand",
    "rand_like",
    "randn",
    "randn_like",
    "tensor",
    "uniform",
    "zeros",
    "zeros_like",
]
