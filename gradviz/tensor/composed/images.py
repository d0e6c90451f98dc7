"""Operations on channels and windows of images, made of others."""

from __future__ import annotations

import math
from typing import Any

from gradviz.core.context import CallSite
from gradviz.errors import fail
from gradviz.ops import shapes
from gradviz.tensor import canon, functions
from gradviz.tensor.base import Tensor
from gradviz.tensor.composed.choice import where
from gradviz.tensor.composed.products import pow as power


def _with_channels(name: str, input: Any) -> Tensor:
    """A tensor of shape (batch, channels, ...)."""
    x = canon.tensor(name, input)
    if x.ndim < 3:
        raise fail(
            "invalid-argument",
            operation=name,
            complaint=f"an input of shape {x.shape} has {x.ndim} dimensions",
            facts=(("operation", name), ("shape", str(x.shape))),
            advice="Give at least 3: batch, channels and places.",
        )
    return x


def channel_shuffle(input: Any, groups: int) -> Tensor:
    """Channels dealt out anew: the first of every group, then the second of every group, and so on.

    The source is "ShuffleNet", Zhang et al. 2017.

    Args:
        input: shape (batch, channels, ...).
        groups: into how many groups channels are split.

    Raises:
        GradvizError: `invalid-argument` for groups that can't share the channels.

    Example:
        >>> import gradviz as gv
        >>> gv.channel_shuffle(gv.arange(4).reshape(1, 4, 1), 2).flatten().tolist()
        [0, 2, 1, 3]
    """
    name = "channel_shuffle"
    parts = canon.positive_whole(name, "groups", groups)
    with CallSite():
        x = _with_channels(name, input)
        batch, channels, *places = x.shape
        if channels % parts:
            raise fail(
                "invalid-argument",
                operation=name,
                complaint=f"{parts} groups can't share {channels} channels",
                facts=(("operation", name), ("shape", str(x.shape))),
                advice="Choose groups that divide the number of channels.",
            )
        split = functions.reshape(x, (batch, parts, channels // parts, *places))
        return functions.reshape(functions.transpose(split, 1, 2), x.shape)


def local_response_norm(
    input: Any, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0
) -> Tensor:
    """Divided by a power of the mean square of neighbouring channels, after Krizhevsky et al. 2012.

    x / (k + alpha * mean of x^2 over `size` channels)^beta, with zeros beyond the channels.

    Args:
        input: shape (batch, channels, ...), float.
        size: how many channels count as neighbours.
        alpha: the factor of the mean square.
        beta: the power.
        k: what is added to it.

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.local_response_norm(gv.ones(1, 1, 1), 1, alpha=3.0, beta=0.5).tolist()
        [[[0.5]]]
    """
    name = "local_response_norm"
    width = canon.positive_whole(name, "size", size)
    factor, exponent, least = (
        canon.scalar(name, what, value)
        for what, value in (("alpha", alpha), ("beta", beta), ("k", k))
    )
    with CallSite():
        x = _with_channels(name, input)
        canon.floating(name, x)
        # Channels as rows of an image, so that a pool takes their means.
        rows = functions.unsqueeze(functions.flatten(functions.square(x), 2, -1), 1)
        rows = functions.pad(rows, (0, 0, width // 2, (width - 1) // 2))
        means = functions.reshape(functions.avg_pool2d(rows, (width, 1), 1), x.shape)
        divisor = functions.add(functions.mul(means, factor), least)
        return functions.div(x, power(divisor, exponent))


def lp_pool1d(
    input: Any, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False
) -> Tensor:
    """The norm of every window over one dimension: the sum of x^p, to the power 1 / p.

    Args:
        input: shape (batch, channels, length), or without the batch, float.
        norm_type: the order p, not 0.
        kernel_size: the size of the window.
        stride: the step from window to window; the window's size where it is left out.
        ceil_mode: whether windows may hang over the end instead of leaving a rest out; as in
            PyTorch, such a window counts as if its mean filled it.

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.lp_pool1d(gv.tensor([[3.0, 4.0, 0.0, 2.0]]), 2, 2).tolist()
        [[5.0, 2.0]]
    """
    with CallSite():
        return _lp_pool("lp_pool1d", input, norm_type, kernel_size, stride, ceil_mode)


def lp_pool2d(
    input: Any, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False
) -> Tensor:
    """The norm of every window over two dimensions; arguments as for `lp_pool1d`.

    Args:
        input: shape (batch, channels, height, width), or without the batch, float.
        norm_type: the order p, not 0.
        kernel_size: the size of the window: one number, or one for each dimension.
        stride: the step from window to window; the window's size where it is left out.
        ceil_mode: whether windows may hang over the end instead of leaving a rest out.

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.lp_pool2d(gv.tensor([[[3.0, 0.0], [0.0, 4.0]]]), 2, 2).tolist()
        [[[5.0]]]
    """
    with CallSite():
        return _lp_pool("lp_pool2d", input, norm_type, kernel_size, stride, ceil_mode)


def _lp_pool(
    name: str, input: Any, norm_type: Any, kernel_size: Any, stride: Any, ceil_mode: Any
) -> Tensor:
    rank = int(name[-2])
    order = canon.scalar(name, "norm_type", norm_type)
    if not order or not math.isfinite(order):
        raise fail(
            "invalid-argument",
            operation=name,
            complaint=f"norm_type is {norm_type}",
            advice="Give an order other than 0; `max_pool` has that of infinity.",
        )
    kernel = canon.spatial.per_dim(name, "kernel_size", kernel_size, rank)
    x = canon.tensor(name, input)
    canon.floating(name, x)
    canon.one_of_ranks(name, x, (rank + 1, rank + 2), "Channels come first, or after a batch.")
    pool = getattr(functions, f"avg_pool{rank}d")
    means = pool(power(x, order), kernel, stride, 0, ceil_mode)
    sums = functions.mul(means, float(math.prod(kernel)))
    if order < 1:
        return power(sums, 1.0 / order)
    # A root has no slope at 0: such a window lets no gradient through.
    empty = functions.eq(sums, 0.0)
    return where(empty, 0.0, power(where(empty, 1.0, sums), 1.0 / order))


def max_unpool1d(
    input: Any,
    indices: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    output_size: Any = None,
) -> Tensor:
    """Maxima of a pool laid back to their places over one dimension, zeros elsewhere.

    Args:
        input: shape (batch, channels, length), or without the batch.
        indices: where the maxima stood, of the input's shape, as `max_pool1d` gives them.
        kernel_size: the size of the pool's window.
        stride: its step; the window's size where it is left out.
        padding: its padding.
        output_size: the size of what was pooled, or its whole shape; the smallest where it is left
            out.

    Raises:
        GradvizError: `shape-mismatch`, `invalid-argument`, `index-out-of-range`.

    Example:
        >>> import gradviz as gv
        >>> gv.max_unpool1d(gv.tensor([[3.0, 2.0]]), gv.tensor([[1, 2]]), 2).tolist()
        [[0.0, 3.0, 2.0, 0.0]]
    """
    with CallSite():
        return _max_unpool(
            "max_unpool1d", input, indices, kernel_size, stride, padding, output_size
        )


def max_unpool2d(
    input: Any,
    indices: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    output_size: Any = None,
) -> Tensor:
    """Maxima of a pool laid back to their places over two dimensions, zeros elsewhere.

    Args:
        input: shape (batch, channels, height, width), or without the batch.
        indices: where the maxima stood, counted through rows, of the input's shape, as
            `max_pool2d` gives them.
        kernel_size: the size of the pool's window: one number, or one for each dimension.
        stride: its step; the window's size where it is left out.
        padding: its padding.
        output_size: the sizes of what was pooled, or its whole shape; the smallest where it is
            left out.

    Raises:
        GradvizError: `shape-mismatch`, `invalid-argument`, `index-out-of-range`.

    Example:
        >>> import gradviz as gv
        >>> gv.max_unpool2d(gv.tensor([[[3.0]]]), gv.tensor([[[1]]]), 2).tolist()
        [[[0.0, 3.0], [0.0, 0.0]]]
    """
    with CallSite():
        return _max_unpool(
            "max_unpool2d", input, indices, kernel_size, stride, padding, output_size
        )


def _max_unpool(
    name: str,
    input: Any,
    indices: Any,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    output_size: Any,
) -> Tensor:
    from gradviz.tensor.creation import zeros

    rank = int(name[-2])
    kernel, step, border, _, _ = canon.spatial.max_pool(
        name, rank, kernel_size, stride, padding, 1, False
    )
    x, index = canon.tensor(name, input), canon.tensor(name, indices, lists=True)
    canon.one_of_ranks(name, x, (rank + 1, rank + 2), "Channels come first, or after a batch.")
    if index.shape != x.shape:
        raise shapes.mismatch(
            name, x.shape, index.shape, "each maximum has one place.", "Give indices of its shape."
        )
    places = x.shape[x.ndim - rank :]
    least = [
        (n - 1) * s - 2 * p + k for n, k, s, p in zip(places, kernel, step, border, strict=True)
    ]
    target = _unpooled(name, output_size, x.ndim, least, step)
    rows = x.shape[: x.ndim - rank]
    flat = zeros((*rows, math.prod(target)), dtype=x.dtype, device=x.device)
    laid = functions.scatter(
        flat, -1, functions.flatten(index, -rank, -1), functions.flatten(x, -rank, -1)
    )
    return functions.reshape(laid, (*rows, *target))


def _unpooled(
    name: str, given: Any, ndim: int, least: list[Any], step: tuple[int, ...]
) -> tuple[Any, ...]:
    """The sizes of what was pooled: a window less or more gives the same maxima."""
    if given is None:
        return tuple(least)
    sizes = canon.whole_numbers(name, "output_size", given)
    if len(sizes) == ndim:
        sizes = sizes[ndim - len(least) :]
    if len(sizes) != len(least) or any(
        abs(size - usual) >= s for size, usual, s in zip(sizes, least, step, strict=True)
    ):
        raise fail(
            "invalid-argument",
            operation=name,
            complaint=f"output_size is {given!r}",
            advice=f"Give sizes less than the stride away from {tuple(least)}, or the shape "
            "of what was pooled.",
        )
    return tuple(sizes)
