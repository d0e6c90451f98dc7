"""Further random tensors: whole numbers, permutations, choices, waiting times."""

from __future__ import annotations

from typing import Any

from gradviz.backends.ndarray import fill
from gradviz.core.context import CallSite
from gradviz.errors import fail
from gradviz.tensor import canon
from gradviz.tensor.base import Tensor
from gradviz.tensor.creation.make import created, make, sizes
from gradviz.tensor.creation.random import drawn
from gradviz.tensor.creation.recorded import recorded, recording_device, refuse_recording
from gradviz.tensor.data import dtype_of
from gradviz.tensor.values import read


def exponential(
    *size: Any,
    rate: float = 1.0,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    name: str | None = None,
) -> Tensor:
    """Random numbers of an exponential distribution, whose mean is 1 / `rate`.

    Example:
        >>> import gradviz as gv
        >>> bool((gv.exponential(3) >= 0.0).all())
        True
    """
    speed = canon.positive("exponential", "rate", rate)
    shape = sizes("exponential", size)
    return drawn(
        "exponential", fill.exponential, shape, (speed,), dtype, device, requires_grad, name
    )


def randint(
    low: int,
    high: Any = None,
    size: Any = None,
    *,
    dtype: Any = None,
    device: Any = None,
    name: str | None = None,
) -> Tensor:
    """Random whole numbers from `low` up to, not including, `high`; `randint(high, size)` from 0.

    Args:
        low: the lowest number, or the end where `high` is left out.
        high: the end.
        size: the shape.
        dtype: the dtype, int64 where it is left out.
        device: the device.
        name: the name shown in pictures and messages.

    Raises:
        GradvizError: `invalid-argument` where there is no number to choose from.

    Example:
        >>> import gradviz as gv
        >>> gv.randint(5, 6, (2,)).tolist()
        [5, 5]
    """
    if size is None and high is not None and not hasattr(high, "__index__"):
        low, high, size = 0, low, high
    elif high is None:
        low, high = 0, low
    first = canon.whole_number("randint", "low", low)
    end = canon.whole_number("randint", "high", high)
    if first >= end:
        raise fail(
            "invalid-argument",
            operation="randint",
            complaint=f"no whole number lies from {first} up to, not including, {end}",
            advice="Give a higher end.",
        )
    shape = sizes("randint", () if size is None else (size,))
    wanted = dtype_of("int64" if dtype is None else dtype)
    target = recording_device(device)
    if target is not None:
        return recorded("randint", fill.integers, shape, [first, end], wanted, target, False, name)
    arguments = (shape, first, end, wanted)
    return created(
        "randint", fill.integers, arguments, shape, wanted, device, False, name, random=True
    )


def randperm(n: int, *, dtype: Any = None, device: Any = None, name: str | None = None) -> Tensor:
    """The whole numbers below `n` in random order.

    Example:
        >>> import gradviz as gv
        >>> gv.randperm(3).sort()[0].tolist()
        [0, 1, 2]
    """
    (count,) = sizes("randperm", (canon.whole_number("randperm", "n", n),))
    refuse_recording("randperm", device)
    wanted = dtype_of("int64" if dtype is None else dtype)
    return make(fill.permutation(count).astype(wanted), "randperm", device, False, name)


def multinomial(input: Any, num_samples: int, replacement: bool = False) -> Tensor:
    """Places drawn with the given chances.

    Args:
        input: shape (places,) or (rows, places): chances, which needn't add up to 1.
        num_samples: how many to draw from each row.
        replacement: whether a place can be drawn again.

    Raises:
        GradvizError: `invalid-argument` for negative chances, or fewer places than draws.

    Example:
        >>> import gradviz as gv
        >>> gv.multinomial(gv.tensor([0.0, 1.0]), 2, replacement=True).tolist()
        [1, 1]
    """
    name = "multinomial"
    count = canon.whole_number(name, "num_samples", num_samples)
    again = canon.flag(name, "replacement", replacement)
    with CallSite():
        x = canon.tensor(name, input)
        canon.floating(name, x)
        refuse_recording(name, x.device)
        if x.ndim not in (1, 2) or not x.size or count < 1:
            raise fail(
                "invalid-argument",
                operation=name,
                complaint=f"{count} draws from chances of shape {x.shape}",
                advice="Give one row of chances, or several, and draw at least once.",
            )
        array = fill.multinomial(read(x, name), count, again)
        if array is None:
            raise fail(
                "invalid-argument",
                operation=name,
                complaint="chances must be finite, not negative and not all 0"
                + ("" if again else f", and at least {count} of each row above 0"),
                advice="Give valid chances, or draw with replacement.",
            )
        return make(array, name, x.device, False, None)
