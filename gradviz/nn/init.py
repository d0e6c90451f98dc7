"""Initial values: functions of a shape that give a tensor, and with `_` of a parameter that set it.

`fan_in` and `fan_out` are read from a shape (out, in, ...) as in PyTorch.
"""

from __future__ import annotations

import math
from typing import Any

from gradviz.core.shape import count
from gradviz.errors import fail
from gradviz.nn.init_more import dirac as dirac
from gradviz.nn.init_more import dirac_ as dirac_
from gradviz.nn.init_more import eye as eye
from gradviz.nn.init_more import eye_ as eye_
from gradviz.nn.init_more import orthogonal as orthogonal
from gradviz.nn.init_more import orthogonal_ as orthogonal_
from gradviz.nn.init_more import sparse as sparse
from gradviz.nn.init_more import sparse_ as sparse_
from gradviz.nn.init_more import trunc_normal as trunc_normal
from gradviz.nn.init_more import trunc_normal_ as trunc_normal_
from gradviz.nn.initializing import set_values
from gradviz.nn.parameter import Parameter
from gradviz.tensor import creation
from gradviz.tensor.base import Tensor
from gradviz.tensor.creation.make import sizes

_GAINS = {
    "linear": 1.0,
    "identity": 1.0,
    "sigmoid": 1.0,
    "tanh": 5.0 / 3.0,
    "relu": math.sqrt(2.0),
    "selu": 0.75,
}


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """The factor by which initial values grow with an activation, as in PyTorch.

    Args:
        nonlinearity: 'linear', 'sigmoid', 'tanh', 'relu', 'leaky_relu' or 'selu'.
        param: the negative slope of 'leaky_relu', 0.01 where it is left out.

    Raises:
        GradvizError: `invalid-argument` for another name.

    Example:
        >>> import gradviz as gv
        >>> round(gv.nn.init.calculate_gain("relu"), 4)
        1.4142
    """
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else param
        return math.sqrt(2.0 / (1.0 + slope * slope))
    if nonlinearity not in _GAINS:
        raise fail(
            "invalid-argument",
            operation="calculate_gain",
            complaint=f"nonlinearity is {nonlinearity!r}",
            advice=f"Use one of {', '.join(map(repr, [*_GAINS, 'leaky_relu']))}.",
        )
    return _GAINS[nonlinearity]


def _fans(operation: str, shape: tuple[int, ...]) -> tuple[int, int]:
    if len(shape) < 2:
        raise fail(
            "invalid-argument",
            operation=operation,
            complaint=f"needs at least 2 dimensions, not the shape {shape}",
            reason="the numbers of inputs and outputs are read from the first two.",
            advice="Use `uniform` or `normal` for a vector.",
        )
    field = count(shape[2:])
    return shape[1] * field, shape[0] * field


def uniform(*size: Any, a: float = 0.0, b: float = 1.0, dtype: Any = None) -> Tensor:
    """Numbers drawn evenly from [a, b)."""
    return creation.uniform(*size, low=a, high=b, dtype=dtype)


def normal(*size: Any, mean: float = 0.0, std: float = 1.0, dtype: Any = None) -> Tensor:
    """Numbers of a normal distribution."""
    return creation.normal(*size, mean=mean, std=std, dtype=dtype)


def constant(*size: Any, val: float = 0.0, dtype: Any = None) -> Tensor:
    """One number everywhere."""
    wanted = "float32" if dtype is None else dtype
    return creation.full(sizes("constant", size), val, dtype=wanted)


def xavier_uniform(*size: Any, gain: float = 1.0, dtype: Any = None) -> Tensor:
    """Even numbers whose spread keeps the size of signals in both directions (Glorot).

    Args:
        *size: the shape, (out, in, ...).
        gain: a factor; see `calculate_gain`.
        dtype: the floating point dtype.

    Raises:
        GradvizError: `invalid-argument` for fewer than 2 dimensions.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.init.xavier_uniform(3, 2).shape
        (3, 2)
    """
    shape = sizes("xavier_uniform", size)
    fan_in, fan_out = _fans("xavier_uniform", shape)
    bound = gain * math.sqrt(6.0 / max(fan_in + fan_out, 1))
    return uniform(shape, a=-bound, b=bound, dtype=dtype)


def xavier_normal(*size: Any, gain: float = 1.0, dtype: Any = None) -> Tensor:
    """Normal numbers whose spread keeps the size of signals in both directions (Glorot)."""
    shape = sizes("xavier_normal", size)
    fan_in, fan_out = _fans("xavier_normal", shape)
    return normal(shape, std=gain * math.sqrt(2.0 / max(fan_in + fan_out, 1)), dtype=dtype)


def kaiming_uniform(
    *size: Any,
    a: float = 0.0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    dtype: Any = None,
) -> Tensor:
    """Even numbers whose spread keeps the size of signals through rectifiers (He).

    Args:
        *size: the shape, (out, in, ...).
        a: the negative slope of 'leaky_relu'.
        mode: 'fan_in' keeps the size forward, 'fan_out' backward.
        nonlinearity: the activation that follows; see `calculate_gain`.
        dtype: the floating point dtype.

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.init.kaiming_uniform(3, 2, nonlinearity="relu").shape
        (3, 2)
    """
    shape = sizes("kaiming_uniform", size)
    bound = math.sqrt(3.0) * _kaiming("kaiming_uniform", shape, a, mode, nonlinearity)
    return uniform(shape, a=-bound, b=bound, dtype=dtype)


def kaiming_normal(
    *size: Any,
    a: float = 0.0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    dtype: Any = None,
) -> Tensor:
    """Normal numbers whose spread keeps the size of signals through rectifiers (He)."""
    shape = sizes("kaiming_normal", size)
    std = _kaiming("kaiming_normal", shape, a, mode, nonlinearity)
    return normal(shape, std=std, dtype=dtype)


def _kaiming(
    operation: str, shape: tuple[int, ...], a: float, mode: str, nonlinearity: str
) -> float:
    fans = dict(zip(("fan_in", "fan_out"), _fans(operation, shape), strict=True))
    if mode not in fans:
        raise fail(
            "invalid-argument",
            operation=operation,
            complaint=f"mode is {mode!r}",
            advice="Use 'fan_in' or 'fan_out'.",
        )
    return calculate_gain(nonlinearity, a) / math.sqrt(max(fans[mode], 1))


def uniform_(tensor: Parameter, a: float = 0.0, b: float = 1.0) -> Parameter:
    """Gives a parameter numbers drawn evenly from [a, b), and returns it."""
    return set_values(tensor, "uniform_", uniform, a=a, b=b)  # type: ignore[no-any-return]


def normal_(tensor: Parameter, mean: float = 0.0, std: float = 1.0) -> Parameter:
    """Gives a parameter numbers of a normal distribution, and returns it."""
    return set_values(tensor, "normal_", normal, mean=mean, std=std)  # type: ignore[no-any-return]


def constant_(tensor: Parameter, val: float) -> Parameter:
    """Gives a parameter one number everywhere, and returns it."""
    return set_values(tensor, "constant_", constant, val=val)  # type: ignore[no-any-return]


def zeros_(tensor: Parameter) -> Parameter:
    """Gives a parameter zeros, and returns it."""
    return set_values(tensor, "zeros_", constant, val=0.0)  # type: ignore[no-any-return]


def ones_(tensor: Parameter) -> Parameter:
    """Gives a parameter ones, and returns it."""
    return set_values(tensor, "ones_", constant, val=1.0)  # type: ignore[no-any-return]


def xavier_uniform_(tensor: Parameter, gain: float = 1.0) -> Parameter:
    """Gives a parameter the values of `xavier_uniform`, and returns it."""
    return set_values(tensor, "xavier_uniform_", xavier_uniform, gain=gain)  # type: ignore[no-any-return]


def xavier_normal_(tensor: Parameter, gain: float = 1.0) -> Parameter:
    """Gives a parameter the values of `xavier_normal`, and returns it."""
    return set_values(tensor, "xavier_normal_", xavier_normal, gain=gain)  # type: ignore[no-any-return]


def kaiming_uniform_(
    tensor: Parameter, a: float = 0.0, mode: str = "fan_in", nonlinearity: str = "leaky_relu"
) -> Parameter:
    """Gives a parameter the values of `kaiming_uniform`, and returns it."""
    options = {"a": a, "mode": mode, "nonlinearity": nonlinearity}
    return set_values(tensor, "kaiming_uniform_", kaiming_uniform, **options)  # type: ignore[no-any-return]


def kaiming_normal_(
    tensor: Parameter, a: float = 0.0, mode: str = "fan_in", nonlinearity: str = "leaky_relu"
) -> Parameter:
    """Gives a parameter the values of `kaiming_normal`, and returns it."""
    options = {"a": a, "mode": mode, "nonlinearity": nonlinearity}
    return set_values(tensor, "kaiming_normal_", kaiming_normal, **options)  # type: ignore[no-any-return]
