"""Tensors with given contents."""

from __future__ import annotations

import math
from typing import Any

from gradviz.backends.ndarray import fill
from gradviz.core.context import CallSite
from gradviz.errors import fail
from gradviz.ops.size import Size
from gradviz.ops.symbolic import holds_symbol
from gradviz.tensor import canon, functions
from gradviz.tensor.base import Tensor
from gradviz.tensor.creation.make import contents, created, filled, make, renamed, sizes
from gradviz.tensor.data import array_of, dtype_of
from gradviz.tensor.general import cast
from gradviz.tensor.values import read


def tensor(
    data: Any,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    name: str | None = None,
) -> Tensor:
    """A tensor with a copy of the data.

    Args:
        data: a number, nested lists, an array or a tensor. Python floats become float32, ints
            int64; an array keeps its dtype.
        dtype: the dtype or its name.
        device: the device or its name; the default device where it is left out.
        requires_grad: marks the tensor as a leaf that gets gradients, on the autodiff device.
        name: the name shown in pictures and messages.

    Raises:
        GradvizError: `invalid-dtype`, `invalid-argument`, `not-a-tensor`;
            `require-grad-on-non-float` for marked integers.

    Example:
        >>> import gradviz as gv
        >>> gv.tensor([1.0, 2.0], requires_grad=True).kind
        Autodiff(NdArray)
    """
    source = read(data, "tensor") if isinstance(data, Tensor) else data
    try:
        array = array_of(source, dtype)
    except OverflowError as error:
        raise fail(
            "invalid-argument",
            operation="tensor",
            complaint=str(error).partition(": ")[2] or str(error),
            advice="Use a wider dtype.",
        ) from None
    if isinstance(data, Tensor):
        from gradviz.tensor import escapes

        escapes.note(data, "tensor")
    return make(array, "tensor", device, requires_grad, name)


def from_numpy(
    array: Any, *, device: Any = None, requires_grad: bool = False, name: str | None = None
) -> Tensor:
    """A tensor with a copy of a NumPy array, of its dtype.

    Example:
        >>> import gradviz as gv
        >>> import numpy as np
        >>> gv.from_numpy(np.ones(2)).dtype.name
        'float64'
    """
    return make(
        array_of(array, None, operation="from_numpy", allow_lists=False),
        "from_numpy",
        device,
        requires_grad,
        name,
    )


def zeros(
    *size: Any,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    name: str | None = None,
) -> Tensor:
    """Zeros, float32 where no dtype is given.

    Example:
        >>> import gradviz as gv
        >>> gv.zeros(2).tolist()
        [0.0, 0.0]
    """
    return filled("zeros", sizes("zeros", size), 0, dtype, device, requires_grad, name)


def ones(
    *size: Any,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    name: str | None = None,
) -> Tensor:
    """Ones, float32 where no dtype is given.

    Example:
        >>> import gradviz as gv
        >>> gv.ones((1, 2)).tolist()
        [[1.0, 1.0]]
    """
    return filled("ones", sizes("ones", size), 1, dtype, device, requires_grad, name)


def empty(
    *size: Any,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    name: str | None = None,
) -> Tensor:
    """A tensor of a shape whose contents don't matter (zeros here, so that runs repeat).

    Example:
        >>> import gradviz as gv
        >>> gv.empty(2, 3).shape
        (2, 3)
    """
    return filled("empty", sizes("empty", size), 0, dtype, device, requires_grad, name)


def full(
    size: Any,
    fill_value: Any,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    name: str | None = None,
) -> Tensor:
    """One value everywhere; the dtype follows the value where none is given.

    Example:
        >>> import gradviz as gv
        >>> gv.full((2,), 7).tolist()
        [7, 7]
    """
    value = canon.scalar("full", "fill_value", fill_value)
    if dtype is None:
        dtype = (
            "bool" if isinstance(value, bool) else "int64" if isinstance(value, int) else "float32"
        )
    shape = sizes("full", (size,))
    return filled("full", shape, value, dtype, device, requires_grad, name)


def eye(
    n: int,
    m: int | None = None,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    name: str | None = None,
) -> Tensor:
    """Ones on the diagonal, zeros elsewhere.

    Example:
        >>> import gradviz as gv
        >>> gv.eye(2).tolist()
        [[1.0, 0.0], [0.0, 1.0]]
    """
    rows, columns = sizes("eye", (n, n if m is None else m))
    wanted = dtype_of("float32" if dtype is None else dtype)
    shape, arguments = (rows, columns), (rows, columns, wanted)
    if holds_symbol(shape) and not requires_grad:
        with CallSite():
            down, along = (arange(size, device=device) for size in shape)
            made = cast(functions.eq(functions.unsqueeze(down, 1), along), wanted.name)
            return renamed(made, name)
    return created("eye", fill.eye, arguments, shape, wanted, device, requires_grad, name)


def arange(
    start: Any,
    end: Any = None,
    step: Any = 1,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    name: str | None = None,
) -> Tensor:
    """Evenly spaced numbers from start up to, not including, end; float32 where one is a float.

    Example:
        >>> import gradviz as gv
        >>> gv.arange(1, 4).tolist()
        [1, 2, 3]
    """
    if end is None:
        start, end = 0, start
    if holds_symbol((start, end, step)) and not requires_grad:
        return _counted_off(start, end, step, dtype_of(dtype or "int64"), device, name)
    start, end, step = (
        canon.scalar("arange", label, value)
        for label, value in (("start", start), ("end", end), ("step", step))
    )
    if not step or not (end - start) * step >= 0:
        raise fail(
            "invalid-argument",
            operation="arange",
            complaint=f"no step of {step} leads from {start} to {end}",
            advice="Give a step that leads from start to end.",
        )
    if dtype is None:
        dtype = (
            "float32" if any(isinstance(part, float) for part in (start, end, step)) else "int64"
        )
    wanted = dtype_of(dtype)
    length = contents("arange", math.ceil, (end - start) / step)
    shape, arguments = (length,), (start, end, step, wanted)
    return created("arange", fill.arange, arguments, shape, wanted, device, requires_grad, name)


def _counted_off(
    start: Any, end: Any, step: Any, dtype: Any, device: Any, name: str | None
) -> Tensor:
    """Evenly spaced whole numbers, as many as a run will ask for: ones, added up."""
    start, step = (
        value if isinstance(value, Size) else canon.whole_number("arange", label, value)
        for label, value in (("start", start), ("step", step))
    )
    with CallSite():
        ones = filled("arange", (-((start - end) // step),), 1, "int64", device, False, None)
        made = functions.sub(functions.cumsum(ones, 0), 1)
        made = made if step == 1 else functions.mul(made, step)
        made = made if start == 0 else functions.add(made, start)
        return renamed(cast(made, dtype.name), name)


def linspace(
    start: float,
    end: float,
    steps: int,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    name: str | None = None,
) -> Tensor:
    """`steps` evenly spaced numbers from start to end, both included.

    Example:
        >>> import gradviz as gv
        >>> gv.linspace(0.0, 1.0, 3).tolist()
        [0.0, 0.5, 1.0]
    """
    (count,) = sizes("linspace", (canon.whole_number("linspace", "steps", steps),))
    first, last = canon.scalar("linspace", "start", start), canon.scalar("linspace", "end", end)
    wanted = dtype_of("float32" if dtype is None else dtype)
    shape, arguments = (count,), (first, last, count, wanted)
    return created("linspace", fill.linspace, arguments, shape, wanted, device, requires_grad, name)


def one_hot(
    t: Any,
    num_classes: int = -1,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    name: str | None = None,
) -> Tensor:
    """One dimension more, with a one at every class and zeros elsewhere; int64 as in PyTorch.

    Args:
        t: integer classes of any shape.
        num_classes: the size of the new dimension; -1 takes the largest class plus one.
        dtype: another dtype for the result.
        device: another device.
        requires_grad: as for `tensor`; needs a floating point dtype.
        name: the name shown in pictures and messages.

    Example:
        >>> import gradviz as gv
        >>> gv.one_hot(gv.tensor([0, 2]), 3).tolist()
        [[1, 0, 0], [0, 0, 1]]
    """
    classes = canon.tensor("one_hot", t, lists=True)
    count = canon.whole_number("one_hot", "num_classes", num_classes)
    if classes.dtype.kind not in "iu":
        raise fail(
            "invalid-dtype",
            operation="one_hot",
            complaint=f"the classes are {classes.dtype.name}, not integers",
            advice="Convert them with `.long()`.",
        )
    if count > 0 and classes.device.is_capture and classes.prim.array is None:
        return _one_hot_recorded(classes, count, dtype)
    array = read(classes, "one_hot")
    made = fill.one_hot(array, count) if count >= -1 and (array.size or count > -1) else None
    if made is None:
        raise fail(
            "index-out-of-range",
            operation="one_hot",
            complaint=f"a class lies outside 0 to {count - 1}"
            if count >= 0
            else "the number of classes can't be worked out",
            advice="Give enough classes.",
        )
    if dtype is not None:
        made = made.astype(dtype_of(dtype))
    target = classes.device if device is None else device
    return make(made, "one_hot", target, requires_grad, name, (classes,))


def _one_hot_recorded(classes: Tensor, count: int, dtype: Any) -> Tensor:
    """The same as operations on classes that have no values yet; one outside has no one."""
    with CallSite():
        places = arange(count, dtype=classes.dtype, device=classes.device)
        same: Tensor = classes.unsqueeze(-1) == places
        return cast(same, dtype_of("int64" if dtype is None else dtype).name)
