"""Dropout in its forms, and what else draws numbers while a model trains."""

from __future__ import annotations

import math
from typing import Any

from gradviz.core.context import CallSite
from gradviz.errors import fail
from gradviz.tensor import canon, functions
from gradviz.tensor.base import Tensor
from gradviz.tensor.composed.choice import where

_SELU_FLOOR = -1.7580993408473766
"""What `selu` approaches far below 0: -scale * alpha."""


def _share(name: str, p: Any) -> float:
    """A share to drop."""
    share: float = canon.scalar(name, "p", p)
    if not 0.0 <= share <= 1.0:
        raise fail(
            "invalid-argument",
            operation=name,
            complaint=f"p is {p}",
            advice="Give a share from 0 to 1.",
        )
    return share


def _kept(x: Tensor, share: float, sizes: Any) -> Tensor:
    """Ones for what stays and zeros for what is dropped, drawn in a shape that broadcasts."""
    from gradviz.tensor.creation import bernoulli

    return bernoulli(sizes, p=1.0 - share, dtype=x.dtype, device=x.device)


def _dropped(name: str, x: Tensor, share: float, training: Any, sizes: Any) -> Tensor:
    """Zeros in place of a share; what is drawn has a shape of its own."""
    if not canon.flag(name, "training", training) or share == 0.0:
        return x
    canon.floating(name, x)
    if share == 1.0:
        return functions.mul(x, 0.0)
    mask = _kept(x, share, sizes)
    return functions.mul(functions.mul(x, mask), 1.0 / (1.0 - share))


def dropout(input: Any, p: float = 0.5, training: bool = True) -> Tensor:
    """Zeros a random share `p` of the elements and scales the others by 1 / (1 - p).

    Args:
        input: a tensor.
        p: the share, in [0, 1].
        training: False returns the input as it is.

    Raises:
        GradvizError: `invalid-argument` for a share outside [0, 1].

    Example:
        >>> import gradviz as gv
        >>> gv.dropout(gv.ones(3), training=False).tolist()
        [1.0, 1.0, 1.0]
    """
    share = _share("dropout", p)
    with CallSite():
        x = canon.tensor("dropout", input)
        return _dropped("dropout", x, share, training, x.shape)


def dropout1d(input: Any, p: float = 0.5, training: bool = True) -> Tensor:
    """Zeros a random share `p` of whole channels and scales the others by 1 / (1 - p).

    Args:
        input: shape (batch, channels, length) or (channels, length), float.
        p: the share, in [0, 1].
        training: False returns the input as it is.

    Raises:
        GradvizError: `invalid-argument` for a share outside [0, 1], or another number of
            dimensions.

    Example:
        >>> import gradviz as gv
        >>> gv.dropout1d(gv.ones(1, 2), p=1.0).tolist()
        [[0.0, 0.0]]
    """
    with CallSite():
        return _channels_dropped("dropout1d", input, p, training, {2: 1, 3: 2})


def dropout2d(input: Any, p: float = 0.5, training: bool = True) -> Tensor:
    """Zeros a random share `p` of whole channels and scales the others by 1 / (1 - p).

    Args:
        input: shape (batch, channels, height, width), or (batch, channels, length) as in PyTorch,
            float.
        p: the share, in [0, 1].
        training: False returns the input as it is.

    Raises:
        GradvizError: `invalid-argument` for a share outside [0, 1], or another number of
            dimensions.

    Example:
        >>> import gradviz as gv
        >>> gv.dropout2d(gv.ones(1, 1, 1, 2), p=1.0).tolist()
        [[[[0.0, 0.0]]]]
    """
    with CallSite():
        return _channels_dropped("dropout2d", input, p, training, {3: 2, 4: 2})


def dropout3d(input: Any, p: float = 0.5, training: bool = True) -> Tensor:
    """Zeros a random share `p` of whole channels and scales the others by 1 / (1 - p).

    Args:
        input: shape (batch, channels, depth, height, width), or without the batch, float.
        p: the share, in [0, 1].
        training: False returns the input as it is.

    Raises:
        GradvizError: `invalid-argument` for a share outside [0, 1], or another number of
            dimensions.

    Example:
        >>> import gradviz as gv
        >>> gv.dropout3d(gv.ones(1, 1, 1, 2), p=1.0).tolist()
        [[[[0.0, 0.0]]]]
    """
    with CallSite():
        return _channels_dropped("dropout3d", input, p, training, {4: 1, 5: 2})


def _channels_dropped(
    name: str, input: Any, p: Any, training: Any, leading: dict[int, int]
) -> Tensor:
    """Dropout of channels; `leading` has how many dimensions are drawn for, by rank."""
    share = _share(name, p)
    x = canon.tensor(name, input)
    low, high = leading
    canon.one_of_ranks(name, x, (low, high), "`dropout` takes any.")
    drawn = leading[x.ndim]
    sizes = (*x.shape[:drawn], *(1,) * (x.ndim - drawn))
    return _dropped(name, x, share, training, sizes)


def alpha_dropout(input: Any, p: float = 0.5, training: bool = False) -> Tensor:
    """Sets a random share `p` to what `selu` has far below 0, and keeps mean 0 and variance 1.

    Everything is scaled and moved so that inputs of mean 0 and variance 1 keep both, after
    "Self-Normalizing Neural Networks", Klambauer et al. 2017, section "Alpha dropout".

    Args:
        input: a tensor, float.
        p: the share, in [0, 1].
        training: False returns the input as it is.

    Raises:
        GradvizError: `invalid-argument` for a share outside [0, 1].

    Example:
        >>> import gradviz as gv
        >>> gv.alpha_dropout(gv.ones(2)).tolist(), gv.alpha_dropout(gv.ones(1), 1.0, True).tolist()
        ([1.0, 1.0], [0.0])
    """
    name = "alpha_dropout"
    share = _share(name, p)
    with CallSite():
        x = canon.tensor(name, input)
        if not canon.flag(name, "training", training) or share in (0.0, 1.0):
            return _dropped(name, x, share, training, x.shape)
        canon.floating(name, x)
        scale = 1.0 / math.sqrt((1.0 - share) * (1.0 + share * _SELU_FLOOR**2))
        shift = -scale * share * _SELU_FLOOR
        mask: Any = _kept(x, share, x.shape)
        floor = (1.0 - mask) * (scale * _SELU_FLOOR) + shift
        return functions.add(functions.mul(x, mask * scale), floor)


def rrelu(
    input: Any, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False
) -> Tensor:
    """x where it is positive, x times a random slope elsewhere.

    Each element draws its own slope in training; otherwise all have the middle one. The source is
    "Empirical Evaluation of Rectified Activations in Convolutional Network", Xu et al. 2015.

    Args:
        input: a tensor, float.
        lower: the lowest slope.
        upper: the highest slope.
        training: whether slopes are drawn.

    Raises:
        GradvizError: `invalid-argument` where the lowest slope is above the highest.

    Example:
        >>> import gradviz as gv
        >>> gv.rrelu(gv.tensor([-4.0, 2.0]), 0.25, 0.75).tolist()
        [-2.0, 2.0]
    """
    from gradviz.tensor.creation import uniform

    name = "rrelu"
    low, high = slopes(name, lower, upper)
    with CallSite():
        x = canon.tensor(name, input)
        canon.floating(name, x)
        if not canon.flag(name, "training", training):
            return functions.leaky_relu(x, (low + high) / 2.0)
        drawn = uniform(x.shape, low=low, high=high, dtype=x.dtype, device=x.device)
        return functions.mul(x, where(functions.gt(x, 0.0), 1.0, drawn))


def slopes(name: str, lower: Any, upper: Any) -> tuple[float, float]:
    """The limits of random slopes.

    Raises:
        GradvizError: `invalid-argument` where the lower one is above the other, or not finite.
    """
    low, high = canon.scalar(name, "lower", lower), canon.scalar(name, "upper", upper)
    if not -math.inf < low <= high < math.inf:
        raise fail(
            "invalid-argument",
            operation=name,
            complaint=f"lower is {lower} and upper is {upper}",
            advice="Give a lower slope that isn't above the upper one.",
        )
    return low, high


def gumbel_softmax(
    logits: Any, tau: float = 1.0, hard: bool = False, eps: float = 1e-10, dim: int = -1
) -> Tensor:
    """A draw among choices with the chances of a softmax, through which gradients flow.

    Softmax of the scores with Gumbel noise, over a temperature; after "Categorical
    Reparameterization with Gumbel-Softmax", Jang et al. 2016.

    Args:
        logits: scores of any shape, float.
        tau: the temperature: the lower, the closer a draw comes to a single choice.
        hard: whether the single choice is given, with the gradient of the soft one.
        eps: taken as in PyTorch, without effect.
        dim: the dimension of choices.

    Raises:
        GradvizError: `invalid-argument` for a temperature that isn't above 0;
            `dimension-out-of-range`.

    Example:
        >>> import gradviz as gv
        >>> gv.gumbel_softmax(gv.tensor([0.0, 100.0]), hard=True).tolist()
        [0.0, 1.0]
    """
    from gradviz.tensor.creation import arange
    from gradviz.tensor.randomness import exponential

    name = "gumbel_softmax"
    temperature = canon.positive(name, "tau", tau)
    single = canon.flag(name, "hard", hard)
    canon.scalar(name, "eps", eps)
    with CallSite():
        scores = canon.tensor(name, logits)
        canon.floating(name, scores)
        at = canon.existing_dim(name, dim, scores)
        waiting = exponential(scores.shape, dtype=scores.dtype, device=scores.device)
        noisy = functions.sub(scores, functions.log(waiting))
        soft: Any = functions.softmax(functions.div(noisy, temperature), at)
        if not single:
            return soft  # type: ignore[no-any-return]
        choices = arange(scores.shape[at], device=scores.device)
        choices = functions.reshape(choices, (-1, *(1,) * (scores.ndim - at - 1)))
        chosen: Any = functions.eq(functions.argmax(soft, at, True), choices).to(dtype=soft.dtype)
        result: Tensor = chosen - soft.detach() + soft
        return result
