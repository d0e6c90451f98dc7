"""Tensors with random contents: one generator serves all."""

from __future__ import annotations

from typing import Any

from gradviz.backends.ndarray import fill
from gradviz.core.context import CallSite
from gradviz.errors import GradvizTypeError, fail
from gradviz.ops import shapes
from gradviz.tensor import canon, functions
from gradviz.tensor.base import Tensor
from gradviz.tensor.creation.make import created, make, renamed, sizes
from gradviz.tensor.creation.recorded import recorded, recording_device
from gradviz.tensor.data import dtype_of
from gradviz.tensor.general import cast
from gradviz.tensor.values import read


def manual_seed(seed: int) -> None:
    """Seeds the one generator that every random tensor comes from: the same seed, the same numbers.

    Example:
        >>> import gradviz as gv
        >>> gv.manual_seed(1); first = gv.rand(2).tolist()
        >>> gv.manual_seed(1); gv.rand(2).tolist() == first
        True
    """
    if not isinstance(seed, int) or isinstance(seed, bool):
        raise fail(
            "invalid-argument",
            operation="manual_seed",
            complaint=f"the seed must be an int, not {type(seed).__name__}",
            advice="Give a whole number.",
            error=GradvizTypeError,
        )
    if recording_device("capture") is not None:
        raise fail(
            "invalid-argument",
            operation="manual_seed",
            complaint="seeding can't be recorded",
            reason="a capture records draws and draws nothing; a seed set while recording would "
            "have no effect on any run.",
            advice="Seed before `run`.",
        )
    fill.seed(seed)


def rand(
    *size: Any,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    name: str | None = None,
) -> Tensor:
    """Random numbers, evenly distributed in [0, 1).

    Example:
        >>> import gradviz as gv
        >>> gv.rand(2, 3).shape
        (2, 3)
    """
    return drawn(
        "rand", fill.uniform, sizes("rand", size), (0.0, 1.0), dtype, device, requires_grad, name
    )


def randn(
    *size: Any,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    name: str | None = None,
) -> Tensor:
    """Random numbers of the standard normal distribution.

    Example:
        >>> import gradviz as gv
        >>> gv.randn(2, 3).shape
        (2, 3)
    """
    return drawn(
        "randn", fill.normal, sizes("randn", size), (0.0, 1.0), dtype, device, requires_grad, name
    )


def uniform(
    *size: Any,
    low: float = 0.0,
    high: float = 1.0,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    name: str | None = None,
) -> Tensor:
    """Random numbers, evenly distributed in [low, high).

    Example:
        >>> import gradviz as gv
        >>> gv.uniform(3, low=-1.0, high=0.0).shape
        (3,)
    """
    return drawn(
        "uniform",
        fill.uniform,
        sizes("uniform", size),
        (low, high),
        dtype,
        device,
        requires_grad,
        name,
    )


def normal(
    *size: Any,
    mean: float = 0.0,
    std: float = 1.0,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    name: str | None = None,
) -> Tensor:
    """Random numbers of a normal distribution.

    `gv.normal(mean, std)` with tensors draws one number for each of their elements. A draw is a
    constant: no gradient passes to its parameters; `mean + std * gv.randn_like(std)` keeps the
    path.

    Example:
        >>> import gradviz as gv
        >>> gv.normal(3, mean=5.0, std=0.0).tolist()
        [5.0, 5.0, 5.0]
    """
    if size and isinstance(size[0], Tensor):
        return _drawn_each(
            size[0], size[1] if len(size) > 1 else std, dtype, device, requires_grad, name
        )
    if len(size) == 2 and isinstance(size[1], Tensor):
        return _drawn_each(size[0], size[1], dtype, device, requires_grad, name)
    return drawn(
        "normal",
        fill.normal,
        sizes("normal", size),
        (mean, std),
        dtype,
        device,
        requires_grad,
        name,
    )


def _drawn_each(
    mean: Any, std: Any, dtype: Any, device: Any, requires_grad: bool, name: str | None
) -> Tensor:
    """A draw with a mean and a deviation for each element."""
    given = [value for value in (mean, std) if isinstance(value, Tensor)]
    if any(_is_recorded(value) for value in given):
        with CallSite():
            middle, scale = (
                cast(value, "float64") if isinstance(value, Tensor) else value
                for value in (mean, std)
            )
            shape = shapes.broadcast("normal", *(tensor.shape for tensor in given))
            where = next(value.device for value in given if _is_recorded(value))
            draw = drawn("normal", fill.normal, shape, (0.0, 1.0), "float64", where, False, None)
            made = functions.add(functions.mul(draw, scale), middle).detach()
            wanted = given[0].dtype if dtype is None else dtype_of(dtype)
            return renamed(cast(made, wanted.name), name)
    center, spread = (
        read(value, "normal")
        if isinstance(value, Tensor)
        else canon.scalar("normal", "a parameter", value)
        for value in (mean, std)
    )
    shape = shapes.broadcast("normal", *(tensor.shape for tensor in given))
    wanted = given[0].dtype if dtype is None else dtype_of(dtype)
    array = fill.normal(shape, center, spread, wanted)
    target = given[0].device if device is None else device
    return make(array, "normal", target, requires_grad, name, tuple(given))


def _is_recorded(value: Tensor) -> bool:
    """Whether only a run will know the values."""
    return value.device.is_capture and value.prim.array is None


def _even(like: Tensor) -> Tensor:
    """Evenly distributed numbers from 0 to 1 of a tensor's shape."""
    shape, device = like.shape, like.device
    return drawn("uniform", fill.uniform, shape, (0.0, 1.0), "float64", device, False, None)


def _check_chances(p: Any) -> None:
    if not fill.all_between(p, 0.0, 1.0):
        raise fail(
            "invalid-argument",
            operation="bernoulli",
            complaint="a probability lies outside 0 to 1",
            advice="Give probabilities from 0 to 1.",
        )


def bernoulli(
    *size: Any,
    p: float = 0.5,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    name: str | None = None,
) -> Tensor:
    """Random zeros and ones; `gv.bernoulli(probabilities)` draws each with its own probability.

    Example:
        >>> import gradviz as gv
        >>> gv.bernoulli(3, p=1.0).tolist()
        [1.0, 1.0, 1.0]
    """
    if len(size) == 1 and isinstance(size[0], Tensor):
        if _is_recorded(size[0]):
            with CallSite():
                level = cast(size[0], "float64")
                under = functions.lt(_even(level), level)
                wanted = size[0].dtype if dtype is None else dtype_of(dtype)
                return renamed(cast(under, wanted.name), name)
        chances = read(size[0], "bernoulli")
        wanted = chances.dtype if dtype is None else dtype_of(dtype)
        target = size[0].device if device is None else device
        _check_chances(chances)
        return make(
            fill.bernoulli(chances.shape, chances, wanted),
            "bernoulli",
            target,
            requires_grad,
            name,
            (size[0],),
        )
    _check_chances(canon.scalar("bernoulli", "p", p))
    return drawn(
        "bernoulli",
        fill.bernoulli,
        sizes("bernoulli", size),
        (p,),
        dtype,
        device,
        requires_grad,
        name,
    )


def drawn(
    operation: str,
    draw: Any,
    shape: tuple[int, ...],
    parameters: tuple[Any, ...],
    dtype: Any,
    device: Any,
    requires_grad: bool,
    name: str | None,
) -> Tensor:
    """Random numbers of a distribution with these parameters."""
    numbers = [canon.scalar(operation, "a parameter", value) for value in parameters]
    wanted = dtype_of("float32" if dtype is None else dtype)
    target = recording_device(device)
    if target is not None:
        return recorded(operation, draw, shape, numbers, wanted, target, requires_grad, name)
    return created(
        operation,
        draw,
        (shape, *numbers, wanted),
        shape,
        wanted,
        device,
        requires_grad,
        name,
        random=True,
    )
