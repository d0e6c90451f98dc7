"""Arguments of sorting, scattering, transforms and the like."""

from __future__ import annotations

from typing import Any

from gradviz.dispatch.registry import get_default_device
from gradviz.errors import fail
from gradviz.ops import shapes
from gradviz.tensor.base import Tensor
from gradviz.tensor.canon.layout import sizes
from gradviz.tensor.canon.numbers import dim as one_dim
from gradviz.tensor.canon.numbers import scalar, whole_number, wrong_type
from gradviz.tensor.canon.operands import mask, tensor

__all__ = [
    "at_least",
    "beside",
    "expanded_mask",
    "index_vectors",
    "kth",
    "listed",
    "masked_source",
    "number_for",
    "positive",
    "positive_whole",
    "reduced_scatter",
    "tail",
    "top",
    "transform_length",
    "whole_from",
]


def top(operation: str, k: Any, dim: Any, x: Tensor) -> int:
    """How many elements to take of a dimension."""
    return _within(operation, k, dim, x, 0)


def kth(operation: str, k: Any, dim: Any, x: Tensor) -> int:
    """Which element of a dimension in order, counted from 1."""
    return _within(operation, k, dim, x, 1)


def _within(operation: str, k: Any, dim: Any, x: Tensor, least: int) -> int:
    at = one_dim(operation, dim, x)
    length = x.shape[at] if x.shape else 1
    count = whole_number(operation, "k", k)
    if not least <= count <= length:
        raise fail(
            "index-out-of-range",
            operation=operation,
            complaint=f"k is {count} and dimension {at} has {length} elements",
            facts=(("operation", operation), ("shape", str(x.shape))),
            advice=f"Choose k from {least} to {length}.",
        )
    return count


def number_for(operation: str, name: str, value: Any, x: Tensor) -> Any:
    """A number that the tensor's dtype can hold."""
    number = scalar(operation, name, value)
    if isinstance(number, float) and x.node.meta.category == "int":
        raise fail(
            "invalid-dtype",
            operation=operation,
            complaint=f"{name} {number} is no value of a {x.dtype.name} tensor",
            facts=(("operation", operation), ("dtype", x.dtype.name)),
            advice="Give a whole number, or convert the tensor with `.float()`.",
        )
    return number


def at_least(operation: str, name: str, value: Any, least: float) -> float:
    """A number that isn't below a limit."""
    number: float = scalar(operation, name, value)
    if not number >= least:
        raise fail(
            "invalid-argument",
            operation=operation,
            complaint=f"{name} is {number}",
            advice=f"Give a number of at least {least}.",
        )
    return number


def positive(operation: str, name: str, value: Any) -> float:
    """A number above 0."""
    number: float = scalar(operation, name, value)
    if not number > 0:
        raise fail(
            "invalid-argument",
            operation=operation,
            complaint=f"{name} is {number}",
            advice="Give a number above 0.",
        )
    return number


def whole_from(operation: str, name: str, value: Any, least: int) -> int:
    """A whole number that isn't below a limit."""
    number = whole_number(operation, name, value)
    at_least(operation, name, number, least)
    return number


def positive_whole(operation: str, name: str, value: Any) -> int:
    """A whole number above 0."""
    number = whole_number(operation, name, value)
    positive(operation, name, number)
    return number


def tail(operation: str, normalized_shape: Any, x: Tensor) -> tuple[int, ...]:
    """The last dimensions that a shape stands for, counted from the front."""
    wanted = sizes(operation, (normalized_shape,))
    count = len(wanted)
    shape = x.node.meta.shape
    if not count or shape[-count:] != wanted:
        raise shapes.mismatch(
            operation,
            shape,
            wanted,
            f"normalized_shape names the last dimensions; here they are {shape[-count:]}."
            if count
            else "normalized_shape is empty.",
            "Give the sizes of the input's last dimensions.",
        )
    return tuple(range(len(shape) - count, len(shape)))


def index_vectors(operation: str, indices: Any, x: Tensor) -> Tensor:
    """Index vectors along the last axis, each number checked against its dimension."""
    from gradviz.tensor.indexing import out_of_range, places

    found = places(operation, indices, get_default_device())
    if found.dtype.kind not in "iu":
        raise fail(
            "invalid-dtype",
            operation=operation,
            complaint=f"the indices are {found.dtype.name}, not integers",
            facts=(("operation", operation), ("index dtype", found.dtype.name)),
            advice="Convert them with `.long()`.",
        )
    depth = found.shape[-1] if found.shape else 0
    if found.device.is_capture or not 0 < depth <= x.ndim or not found.size:
        return found
    lowest = found.prim.reshape(-1, depth).min(0)
    highest = found.prim.reshape(-1, depth).max(0)
    for at, (low, high) in enumerate(zip(lowest, highest, strict=True)):
        if low < 0 or high >= x.shape[at]:
            wrong = int(low if low < 0 else high)
            raise out_of_range(operation, wrong, x.shape[at], at, 0)
    return found


def beside(operation: str, value: Any, x: Tensor) -> Any:
    """A parameter as a tensor that can be reshaped before it meets `x`.

    A recording takes parameters in as constants, but nothing that was computed from them outside.
    """
    from gradviz.tensor.general import moved

    made = tensor(operation, value)
    if x.device.is_capture and made.captured_as_constant and not made.device.is_capture:
        return moved(made, x.device)
    return made


def expanded_mask(operation: str, given: Any, x: Tensor) -> Any:
    """A mask of the tensor's own shape."""
    from gradviz.tensor import functions

    made = mask(operation, given, x)
    if made.shape == x.shape:
        return made
    if shapes.broadcast(operation, x.shape, made.shape) != x.shape:
        raise shapes.mismatch(
            operation,
            x.shape,
            made.shape,
            "the mask must broadcast to the tensor.",
            "Give a mask of the tensor's shape.",
        )
    return functions.expand(made, x.shape)


def masked_source(given: Any, chosen: Tensor, x: Tensor) -> Tensor:
    """As many values as the mask has places."""
    source = given if isinstance(given, Tensor) else tensor("masked_scatter", given, lists=True)
    if not chosen.device.is_capture:
        wanted = int(chosen.prim.sum())
        if wanted > source.size:
            raise shapes.mismatch(
                "masked_scatter",
                x.shape,
                source.shape,
                f"the mask has {wanted} places and the source {source.size} elements.",
                "Give at least one element for each place.",
            )
    return source


def listed(operation: str, tensors: Any) -> list[Tensor]:
    """A list of at least one tensor."""
    if not isinstance(tensors, list | tuple) or not tensors:
        raise wrong_type(
            operation,
            "needs a list or tuple of at least one tensor",
            f"Write `gv.{operation}([a, b])`.",
        )
    return [tensor(operation, part) for part in tensors]


def reduced_scatter(input: Any, dim: Any, index: Any, src: Any, reduce: Any) -> Any:
    """A scatter that adds or multiplies."""
    from gradviz.tensor import functions
    from gradviz.tensor.canon.numbers import choice

    how = choice("scatter", "reduce", reduce, ("add", "multiply"))
    if how == "add":
        return functions.scatter_add(input, dim, index, src)
    return functions.scatter_reduce(input, dim, index, src, "prod")


def transform_length(operation: str, n: Any, length: int) -> int:
    """The number of samples of a transform."""
    count = length if n is None else whole_number(operation, "n", n)
    if count < 1:
        raise fail(
            "invalid-argument",
            operation=operation,
            complaint=f"a signal of {count} samples has no spectrum",
            advice="Give n of at least 1.",
        )
    return count
