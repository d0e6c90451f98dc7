"""Arguments of convolutions, pools and resampling: one number serves every spatial dimension."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, TypeVar

from gradviz.core.context import CallSite
from gradviz.errors import fail
from gradviz.ops import shapes
from gradviz.tensor.base import Tensor
from gradviz.tensor.canon.numbers import choice, flag, scalar, whole_number, wrong_type
from gradviz.tensor.canon.operands import tensor

F = TypeVar("F", bound=Callable[..., Any])
Shape = tuple[int, ...]
Pairs = tuple[tuple[int, int], ...]
_MODES = {
    1: ("nearest", "nearest-exact", "linear", "area"),
    2: ("nearest", "nearest-exact", "bilinear", "bicubic", "area"),
    3: ("nearest", "nearest-exact", "trilinear", "area"),
}


def per_dim(operation: str, name: str, value: Any, rank: int, least: int = 1) -> Shape:
    """One whole number for each spatial dimension."""
    if isinstance(value, list | tuple):
        found = tuple(whole_number(operation, name, item) for item in value)
        if len(found) == 1:
            found *= rank
    else:
        found = (whole_number(operation, name, value),) * rank
    if len(found) != rank or any(number < least for number in found):
        raise fail(
            "invalid-argument",
            operation=operation,
            complaint=f"{name} is {value!r}",
            advice=f"Give one whole number of at least {least}, or one for each of {rank} spatial "
            "dimensions.",
        )
    return found


def _remembered(function: F) -> F:
    """Answers known arguments at once; lists, which can't be looked up, are worked out anew."""
    known = functools.lru_cache(maxsize=256, typed=True)(function)

    @functools.wraps(function)
    def answer(*arguments: Any) -> Any:
        try:
            return known(*arguments)
        except TypeError:
            return function(*arguments)

    return answer  # type: ignore[return-value]


def convolution(
    operation: str,
    rank: int,
    weight: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    groups: Any,
) -> tuple[Shape, Pairs, Shape, int]:
    """Stride, padding as pairs, dilation and groups of a convolution."""
    kernel = tuple(getattr(weight, "shape", ()))[2:] if isinstance(padding, str) else ()
    return _convolution(operation, rank, kernel, stride, padding, dilation, groups)


@_remembered
def _convolution(
    operation: str,
    rank: int,
    kernel: Shape,
    stride: Any,
    padding: Any,
    dilation: Any,
    groups: Any,
) -> tuple[Shape, Pairs, Shape, int]:
    steps = per_dim(operation, "stride", stride, rank)
    gaps = per_dim(operation, "dilation", dilation, rank)
    shared = whole_number(operation, "groups", groups)
    _at_least_one(operation, "groups", shared)
    if isinstance(padding, str):
        how = choice(operation, "padding", padding, ("same", "valid"))
        if how == "valid":
            return steps, ((0, 0),) * rank, gaps, shared
        if any(step != 1 for step in steps) or len(kernel) != rank:
            raise fail(
                "invalid-argument",
                operation=operation,
                complaint=f"padding 'same' and stride {stride} don't go together",
                advice="Use stride 1, or give the padding in numbers.",
            )
        total = [d * (k - 1) for k, d in zip(kernel, gaps, strict=True)]
        return steps, tuple((n // 2, n - n // 2) for n in total), gaps, shared
    return steps, _pairs(operation, padding, rank), gaps, shared


def _at_least_one(operation: str, name: str, value: int) -> None:
    if value < 1:
        raise fail(
            "invalid-argument",
            operation=operation,
            complaint=f"{name} is {value}",
            advice="Give a whole number of at least 1.",
        )


def _pairs(operation: str, padding: Any, rank: int) -> Pairs:
    """Padding as `(before, after)` for each dimension; PyTorch's numbers pad both sides alike."""
    if isinstance(padding, list | tuple) and any(isinstance(p, list | tuple) for p in padding):
        sides = [per_dim(operation, "padding", pair, 2, 0) for pair in padding]
        if len(sides) != rank:
            per_dim(operation, "padding", padding, rank, 0)
        return tuple((pair[0], pair[1]) for pair in sides)
    return tuple((p, p) for p in per_dim(operation, "padding", padding, rank, 0))


@_remembered
def transposed(
    operation: str,
    rank: int,
    stride: Any,
    padding: Any,
    output_padding: Any,
    groups: Any,
    dilation: Any,
) -> tuple[Shape, Pairs, Shape, Shape, int]:
    """Stride, padding, output padding, dilation and groups of a transposed convolution."""
    shared = whole_number(operation, "groups", groups)
    _at_least_one(operation, "groups", shared)
    return (
        per_dim(operation, "stride", stride, rank),
        _pairs(operation, padding, rank),
        per_dim(operation, "output_padding", output_padding, rank, 0),
        per_dim(operation, "dilation", dilation, rank),
        shared,
    )


def deformable(stride: Any, padding: Any, dilation: Any) -> tuple[Shape, Shape, Shape]:
    """Stride, padding and dilation of a deformable convolution."""
    name = "deform_conv2d"
    return (
        per_dim(name, "stride", stride, 2),
        per_dim(name, "padding", padding, 2, 0),
        per_dim(name, "dilation", dilation, 2),
    )


@_remembered
def max_pool(
    operation: str,
    rank: int,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    ceil_mode: Any,
) -> tuple[Shape, Shape, Shape, Shape, bool]:
    """The arguments of a maximum pool; the stride is the window's size where it is left out."""
    kernel = per_dim(operation, "kernel_size", kernel_size, rank)
    return (
        kernel,
        _stride(operation, stride, kernel),
        per_dim(operation, "padding", padding, rank, 0),
        per_dim(operation, "dilation", dilation, rank),
        flag(operation, "ceil_mode", ceil_mode),
    )


def _stride(operation: str, stride: Any, kernel: Shape) -> Shape:
    if stride is None or (isinstance(stride, list | tuple) and not stride):
        return kernel
    return per_dim(operation, "stride", stride, len(kernel))


def max_pool_with_indices(
    operation: str,
    input: Any,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    ceil_mode: Any,
) -> Any:
    """The largest elements, and where they stand."""
    from gradviz.tensor import functions
    from gradviz.tensor.general import general, row_of

    rank = int(operation[-2])
    found = max_pool(operation, rank, kernel_size, stride, padding, dilation, ceil_mode)
    with CallSite():
        x = tensor(operation, input)
        values = getattr(functions, operation)(x, *found)
        return values, general(row_of("max_pool_indices"), [x], found)


@_remembered
def avg_pool(
    operation: str,
    rank: int,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    ceil_mode: Any,
    count_include_pad: Any,
    divisor_override: Any = None,
) -> tuple[Shape, Shape, Shape, bool, bool, int | None]:
    """The arguments of an average pool; the stride is the window's size where it is left out."""
    kernel = per_dim(operation, "kernel_size", kernel_size, rank)
    divisor = None
    if divisor_override is not None:
        divisor = whole_number(operation, "divisor_override", divisor_override)
        _at_least_one(operation, "divisor_override", abs(divisor))
    return (
        kernel,
        _stride(operation, stride, kernel),
        per_dim(operation, "padding", padding, rank, 0),
        flag(operation, "ceil_mode", ceil_mode),
        flag(operation, "count_include_pad", count_include_pad),
        divisor,
    )


def adaptive(operation: str, rank: int, output_size: Any, x: Tensor) -> tuple[Shape]:
    """How many windows to share out; None keeps a dimension."""
    if not isinstance(output_size, list | tuple):
        output_size = (output_size,) * rank
    if len(output_size) == rank and x.ndim >= rank:
        output_size = tuple(
            have if wanted is None else wanted
            for wanted, have in zip(output_size, x.shape[x.ndim - rank :], strict=True)
        )
    return (per_dim(operation, "output_size", output_size, rank),)


def adaptive_max_with_indices(operation: str, input: Any, output_size: Any) -> Any:
    """The largest elements of shares, and where they stand."""
    from gradviz.tensor import functions
    from gradviz.tensor.general import general, row_of

    with CallSite():
        x = tensor(operation, input)
        found = adaptive(operation, int(operation[-2]), output_size, x)
        values = getattr(functions, operation)(x, *found)
        return values, general(row_of("adaptive_max_indices"), [x], found)


def patches(
    operation: str, kernel_size: Any, dilation: Any, padding: Any, stride: Any
) -> tuple[Shape, Shape, Pairs, Shape]:
    """Kernel, stride, padding and dilation of patches of an image."""
    return (
        per_dim(operation, "kernel_size", kernel_size, 2),
        per_dim(operation, "stride", stride, 2),
        _pairs(operation, padding, 2),
        per_dim(operation, "dilation", dilation, 2),
    )


def window(x: Tensor, dimension: Any, size: Any, step: Any) -> tuple[int, int, int]:
    """Dimension, size and step of sliding windows."""
    at = shapes.dimension("unfold", dimension, x.ndim)
    if not x.ndim:
        raise fail(
            "invalid-argument",
            operation="unfold",
            complaint="a tensor without dimensions has no windows",
            advice="Give a tensor of at least one dimension.",
        )
    length = whole_number("unfold", "size", size)
    _at_least_one("unfold", "size", length)
    stride = whole_number("unfold", "step", step)
    _at_least_one("unfold", "step", stride)
    return at, length, stride


def factor(operation: str, name: str, value: Any) -> tuple[int]:
    """By how much images grow."""
    number = whole_number(operation, name, value)
    _at_least_one(operation, name, number)
    return (number,)


def resized(
    x: Tensor,
    size: Any,
    scale_factor: Any,
    mode: Any,
    align_corners: Any,
    recompute_scale_factor: Any,
) -> tuple[Shape, str, bool, tuple[float | None, ...]]:
    """Sizes, mode, corners and scales of an interpolation."""
    rank = x.ndim - 2
    how = choice("interpolate", "mode", mode, _MODES.get(rank, _MODES[2]))
    sizes, scales = _target(x, size, scale_factor)
    corners = align_corners is not None and flag("interpolate", "align_corners", align_corners)
    if align_corners is not None and how.startswith(("nearest", "area")):
        raise fail(
            "invalid-argument",
            operation="interpolate",
            complaint=f"align_corners has no meaning for mode {how!r}",
            advice="Leave it out, or choose a linear or cubic mode.",
        )
    if recompute_scale_factor:
        scales = (None,) * len(sizes)
    return sizes, how, corners, scales


def _target(x: Tensor, size: Any, scale_factor: Any) -> tuple[Shape, tuple[float | None, ...]]:
    """The sizes an interpolation gives, and the scales where they were given instead."""
    rank = max(x.ndim - 2, 1)
    if (size is None) == (scale_factor is None):
        raise fail(
            "invalid-argument",
            operation="interpolate",
            complaint="needs either a size or a scale_factor",
            advice="Give one of them.",
        )
    if size is not None:
        return per_dim("interpolate", "size", size, rank), (None,) * rank
    given = scale_factor if isinstance(scale_factor, list | tuple) else (scale_factor,) * rank
    scales = tuple(float(scalar("interpolate", "scale_factor", item)) for item in given)
    if len(scales) != rank or not all(0 < scale < math.inf for scale in scales):
        raise wrong_type(
            "interpolate",
            f"scale_factor is {scale_factor!r}",
            f"Give one number above 0, or one for each of {rank} spatial dimensions.",
        )
    sizes = tuple(
        math.floor(length * scale) for length, scale in zip(x.shape[2:], scales, strict=False)
    )
    return per_dim("interpolate", "scale_factor * size", sizes, rank), scales


def area(input: Tensor, size: Any, scale_factor: Any) -> Any:
    """An interpolation by means of shares: the adaptive average pool."""
    from gradviz.tensor import functions

    sizes, _ = _target(input, size, scale_factor)
    with CallSite():
        return getattr(functions, f"adaptive_avg_pool{len(sizes)}d")(input, sizes)
