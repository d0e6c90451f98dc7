"""Tensors among the arguments: ranks, dtypes, masks, indices, classes."""

from __future__ import annotations

import functools
import math
from typing import Any

from gradviz.backends.ndarray import selection
from gradviz.dispatch.registry import get_default_device
from gradviz.errors import fail
from gradviz.ops import shapes
from gradviz.ops.spec import Row
from gradviz.tensor.base import TENSORS, Tensor
from gradviz.tensor.canon.layout import widths
from gradviz.tensor.canon.numbers import choice, scalar, whole_number

Shape = tuple[int, ...]


def tensor(operation: str, value: Any, *, lists: bool = False) -> Tensor:
    """The input of an operation on one tensor: arrays and numbers become constants."""
    made: Tensor = value
    if value.__class__ not in TENSORS:
        made = _general().as_operand(operation, value, get_default_device(), lists=lists)
    return made


def facts(*tensors: Any) -> list[Any]:
    """`(shape, dtype name)` of every tensor; None for an absent one."""
    found: list[Any] = []
    for value in tensors:
        if value is None:
            found.append(None)
        else:
            meta = value.node.meta
            found.append((meta.shape, meta.dtype_name))
    return found


def agree(row: Row, tensors: tuple[Any, ...], *attrs: Any) -> None:
    """Asks the shape rule of a row whose kernel would take what the operation doesn't.

    Raises:
        GradvizError: what the rule says.
    """
    if tensors[0].node.meta.device.backend.computes:  # recordings ask it anyway
        row.infer(*facts(*tensors), *attrs)


def nonempty(operation: str, dim: int | Shape | None, x: Tensor) -> None:
    """Refuses to look for an extreme among no elements."""
    shape = x.node.meta.shape
    if 0 not in shape:
        return
    over = range(len(shape)) if dim is None else (dim,) if isinstance(dim, int) else dim
    if any(shape[at] == 0 for at in over):
        raise fail(
            "invalid-argument",
            operation=operation,
            complaint=f"no elements to choose from in a tensor of shape {shape}",
            facts=(("operation", operation), ("shape", str(shape))),
            advice="Reduce a dimension that has elements.",
        )


def rank(operation: str, x: Tensor, wanted: int) -> None:
    """Refuses a tensor with another number of dimensions."""
    if x.ndim != wanted:
        raise fail(
            "invalid-argument",
            operation=operation,
            complaint=f"needs a tensor of {wanted} dimensions, not {x.ndim}",
            facts=(("operation", operation), ("shape", str(x.shape))),
            advice="Reshape it, or use `matmul`, which takes any.",
        )


def one_of_ranks(operation: str, x: Tensor, wanted: tuple[int, int], hint: str) -> None:
    """Refuses a tensor whose number of dimensions is none of two."""
    if x.ndim not in wanted:
        raise fail(
            "invalid-argument",
            operation=operation,
            complaint=f"an input of shape {x.shape} has {x.ndim} dimensions",
            facts=(("operation", operation), ("shape", str(x.shape))),
            advice=f"Give {wanted[0]} or {wanted[1]} dimensions. {hint}",
        )


def equal_batches(lhs: Tensor, rhs: Tensor) -> None:
    """Refuses batches that would have to be broadcast."""
    if lhs.shape[0] != rhs.shape[0]:
        raise shapes.mismatch(
            "bmm",
            lhs.shape,
            rhs.shape,
            f"the batches have {lhs.shape[0]} and {rhs.shape[0]} matrices.",
            "Use `matmul`, which repeats a batch of one.",
        )


def fits(operation: str, x: Tensor, target: Shape) -> None:
    """Refuses a tensor that is larger than what it is added to."""
    if shapes.broadcast(operation, x.shape, target) != target:
        raise shapes.mismatch(
            operation,
            x.shape,
            target,
            f"the tensor must broadcast to {target}.",
            "Give a tensor of the product's shape, or one with dimensions of size 1.",
        )


def floating(operation: str, x: Tensor) -> None:
    """Refuses whole numbers and bools."""
    if x.node.meta.category != "float":
        raise fail(
            "invalid-dtype",
            operation=operation,
            complaint=f"needs floating point numbers, not {x.dtype.name}",
            facts=(("operation", operation), ("dtype", x.dtype.name)),
            advice="Convert it with `.float()`.",
        )


def mask(operation: str, value: Any, like: Tensor | None = None) -> Tensor:
    """A bool tensor."""
    made: Tensor = value
    if value.__class__ not in TENSORS:
        device = get_default_device() if like is None else like.device
        made = _general().as_operand(operation, value, device, lists=True)
    if made.node.meta.category != "bool":
        raise fail(
            "invalid-dtype",
            operation=operation,
            complaint=f"the condition is {made.dtype.name}, not bool",
            facts=(("operation", operation), ("dtype", made.dtype.name)),
            advice="Compare it with something, or convert it with `.bool()`.",
        )
    return made


def fill_value(operation: str, value: Any, x: Tensor) -> Any:
    """A number that the tensor's dtype can hold: its whole part for whole numbers."""
    number = scalar(operation, "value", value)
    if isinstance(number, float) and x.node.meta.category == "int":
        if math.isfinite(number):
            return int(number)
        raise fail(
            "invalid-dtype",
            operation=operation,
            complaint=f"{number} is no value of a {x.dtype.name} tensor",
            facts=(("operation", operation), ("dtype", x.dtype.name)),
            advice="Give a whole number, or convert the tensor with `.float()`.",
        )
    return number


def clamped(input: Tensor, min: Any, max: Any) -> Tensor:
    """A clamp with a tensor for a limit; a tie leaves the gradient to the input, as in PyTorch."""
    from gradviz.tensor import composed

    result = input
    if min is not None:
        result = composed.where(result < min, min, result)
    return result if max is None else composed.where(result > max, max, result)


def whole(operation: str, index: Any, x: Tensor, dim: Any) -> Any:
    """An integer index tensor, its values checked and counted from the front."""
    at = shapes.dimension(operation, dim, x.ndim)
    return _indexing().checked_index(operation, index, x, at, negative=False)


@functools.cache
def _indexing() -> Any:
    """The module that checks indices; it needs this one first, and an import takes time."""
    from gradviz.tensor import indexing

    return indexing


@functools.cache
def _general() -> Any:
    """The module that brings operands together; it needs this one first."""
    from gradviz.tensor import general

    return general


def vector_index(operation: str, index: Any, x: Tensor, dim: Any) -> Any:
    """An integer index vector; PyTorch counts a single number as one."""
    from gradviz.tensor import functions

    checked = whole(operation, index, x, dim)
    return checked if checked.ndim else functions.reshape(checked, 1)


def source(operation: str, src: Any, index: Tensor, x: Tensor) -> Any:
    """The values of a scatter: one number serves every index."""
    from gradviz.tensor.creation import full

    if isinstance(src, Tensor):
        return src
    if isinstance(src, int | float):
        return full(index.shape, src, dtype=x.dtype, device=x.device)
    return tensor(operation, src)


def classes(operation: str, target: Any, scores: Tensor, ignore_index: Any) -> Any:
    """Integer classes, checked against the number of scores."""
    ignored = whole_number(operation, "ignore_index", ignore_index)
    goal = (
        target
        if isinstance(target, Tensor)
        else _general().as_operand(operation, target, scores.device, lists=True)
    )
    meta, shape = goal.node.meta, scores.node.meta.shape
    if meta.category != "int":
        raise fail(
            "invalid-dtype",
            operation=operation,
            complaint=f"the target is {meta.dtype_name}, not an integer",
            facts=(("operation", operation), ("target dtype", meta.dtype_name)),
            advice="Convert the classes with `.long()`; class probabilities go to `cross_entropy`.",
        )
    if not meta.device.backend.computes or not shape:
        return goal
    count = shape[1] if len(shape) > 1 else shape[0]
    if selection.all_below(goal.prim, count):
        return goal
    extremes = selection.extremes(goal.prim, without=ignored)
    if extremes is not None and (extremes[0] < 0 or extremes[1] >= count):
        wrong = extremes[0] if extremes[0] < 0 else extremes[1]
        raise fail(
            "index-out-of-range",
            operation=operation,
            complaint=f"class {wrong} is none of the {count} classes",
            facts=(("operation", operation), ("classes", str(count))),
            advice=f"Number the classes from 0 to {count - 1}.",
        )
    return goal


def filled(input: Tensor, mask: Tensor, value: Tensor) -> Tensor:
    """A fill whose value is a tensor without dimensions, and may be tracked."""
    from gradviz.tensor import composed

    if value.shape:
        raise shapes.mismatch(
            "masked_fill",
            input.shape,
            value.shape,
            "the value must be one number.",
            "Use `gv.where(mask, values, x)` for a tensor of values.",
        )
    if value.dtype.kind == "f" and input.dtype.kind != "f":
        raise fail(
            "invalid-dtype",
            operation="masked_fill",
            complaint=f"a {value.dtype.name} tensor is no value of a {input.dtype.name} tensor",
            facts=(("operation", "masked_fill"), ("dtype", input.dtype.name)),
            advice="Convert one of them, for instance with `.float()`.",
        )
    return composed.where(mask, value.to(dtype=input.dtype), input)


def clampable(input: Tensor, min: Any, max: Any) -> Tensor:
    """A tensor of a dtype that can hold the limits: whole numbers become float32 beside floats."""
    from gradviz.tensor.autodiff import to_dtype

    category = input.node.meta.category
    if category == "float":
        return input
    if isinstance(min, float) or isinstance(max, float):
        return to_dtype(input, "float32")
    return to_dtype(input, "int64") if category == "bool" else input


def matrices(operation: str, x: Tensor) -> None:
    """Refuses a tensor without rows and columns."""
    if x.ndim < 2:
        raise fail(
            "invalid-argument",
            operation=operation,
            complaint=f"needs a tensor of at least 2 dimensions, not {x.ndim}",
            facts=(("operation", operation), ("shape", str(x.shape))),
            advice="Give a matrix, or a batch of matrices.",
        )


def norm_order(operation: str, p: Any) -> float:
    """The order of a norm."""
    if isinstance(p, str) and p in ("fro", "inf", "-inf"):
        return 2.0 if p == "fro" else float(p)
    return float(scalar(operation, "p", p))


def rolled(input: Tensor, shifts: Any) -> Tensor:
    """A roll over all dimensions as one row."""
    from gradviz.tensor import functions

    flat = functions.roll(functions.flatten(input), shifts, 0)
    return functions.reshape(flat, input.shape)


_BORDERS: dict[str, tuple[str, Any]] = {
    "reflect": ("smaller than the dimension", lambda at, n: n - 1 - abs(n - 1 - abs(at))),
    "replicate": ("possible", lambda at, n: min(max(at, 0), n - 1)),
    "circular": ("at most the size of the dimension", lambda at, n: at % n),
}


PAD_MODES = ("constant", *_BORDERS)


def padded(input: Tensor, pad: Any, mode: Any) -> Tensor:
    """A border of the tensor's own elements."""
    from gradviz.tensor import functions

    how = choice("pad", "mode", mode, PAD_MODES)
    wording, place = _BORDERS[how]
    result = input
    for at, (before, after) in enumerate(widths(input, pad)):
        if not (before or after):
            continue
        length, cut = input.shape[at], (0, 0)
        if how == "circular":  # what is cut off doesn't come in again at the other end
            cut = max(-before, 0), max(-after, 0)
            length -= sum(cut)
        limit = {"reflect": length - 1, "circular": length}.get(how, max(before, after))
        if max(before, after) > limit or not length:
            raise fail(
                "invalid-argument",
                operation="pad",
                complaint=f"a border of {max(before, after)} in mode {how!r} needs more than the "
                f"{length} elements of dimension {at}",
                facts=(("operation", "pad"), ("shape", str(input.shape))),
                advice=f"Choose a border that is {wording}.",
            )
        ends = range(-before - cut[0], length + after + cut[1])
        index = [cut[0] + place(n, length) for n in ends]
        result = functions.index_select(result, at, index)
    return result
