"""Making tensors."""

from __future__ import annotations

from typing import Any

from gradviz.autodiff.node import NONE, Origin, new_leaf
from gradviz.backends.ndarray import fill
from gradviz.core.context import call_site, current
from gradviz.dispatch.registry import device as device_named
from gradviz.dispatch.registry import get_default_device
from gradviz.errors import GradvizTypeError, fail
from gradviz.tensor.autodiff import require_grad as mark
from gradviz.tensor.base import Tensor, wrap
from gradviz.tensor.data import array_of, dtype_of, is_number, shape_of
from gradviz.tensor.values import read

_origins: dict[str, Origin] = {}


def _make(array: Any, origin: str, device: Any, requires_grad: bool, name: str | None) -> Tensor:
    """A leaf with an array's contents."""
    target = get_default_device() if device is None else device_named(device)
    if requires_grad and not target.is_autodiff:
        if target.is_capture:
            raise fail(
                "capture-tensors-do-not-support-autodiff",
                reason="`requires_grad=True` on the capture device: a recording has no values to "
                "differentiate.",
                facts=(("operation", origin), ("device", str(target))),
                advice="Leave `requires_grad` out, or create the tensor on another device.",
            )
        target = target.autodiff()
    code, lasti = call_site()
    row = _origins.setdefault(origin, Origin(origin))
    node = new_leaf(row, target.meta(array.shape, array.dtype), NONE, code, lasti, current())
    made = wrap(target.backend.constant(array), node)
    if name is not None:
        if not isinstance(name, str):
            raise fail(
                "invalid-argument",
                operation=origin,
                error=GradvizTypeError,
                complaint=f"name must be text, not {type(name).__name__}",
                advice="Give a string.",
            )
        node.more().name = name
    return mark(made) if requires_grad else made


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
        requires_grad: marks the tensor as a leaf that gets gradients, on the device's autodiff form.
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

        escapes.note(data, "tensor", None)
    return _make(array, "tensor", device, requires_grad, name)


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
    return _make(
        array_of(array, None, operation="from_numpy", allow_lists=False),
        "from_numpy",
        device,
        requires_grad,
        name,
    )


def _sizes(operation: str, size: tuple[Any, ...]) -> tuple[int, ...]:
    try:
        shape = shape_of(size)
    except (TypeError, AttributeError):
        shape = (-1,)
    if any(n < 0 for n in shape):
        raise fail(
            "invalid-argument",
            operation=operation,
            complaint=f"{size!r} is no shape",
            advice=f"Write `gv.{operation}(2, 3)` or `gv.{operation}((2, 3))`.",
        )
    return shape


def _filled(
    operation: str,
    shape: tuple[int, ...],
    value: Any,
    dtype: Any,
    device: Any,
    requires_grad: bool,
    name: str | None,
) -> Tensor:
    wanted = dtype_of("float32" if dtype is None else dtype)
    return _make(fill.full(shape, value, wanted), operation, device, requires_grad, name)


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
    return _filled("zeros", _sizes("zeros", size), 0, dtype, device, requires_grad, name)


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
    return _filled("ones", _sizes("ones", size), 1, dtype, device, requires_grad, name)


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
    return _filled("empty", _sizes("empty", size), 0, dtype, device, requires_grad, name)


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
    value = fill_value.item() if hasattr(fill_value, "item") else fill_value
    if not is_number(value):
        raise fail(
            "invalid-argument",
            operation="full",
            complaint=f"fill_value must be a number, not {type(value).__name__}",
            advice="Give a Python number.",
            error=GradvizTypeError,
        )
    if dtype is None:
        dtype = (
            "bool" if isinstance(value, bool) else "int64" if isinstance(value, int) else "float32"
        )
    shape = _sizes("full", (size,) if not hasattr(size, "__index__") else (size,))
    return _filled("full", shape, value, dtype, device, requires_grad, name)


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
    rows, columns = _sizes("eye", (n, n if m is None else m))
    return _make(
        fill.eye(rows, columns, dtype_of("float32" if dtype is None else dtype)),
        "eye",
        device,
        requires_grad,
        name,
    )


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
    """Evenly spaced numbers from start up to, not including, end; int64 for ints, float32 for floats.

    Example:
        >>> import gradviz as gv
        >>> gv.arange(1, 4).tolist()
        [1, 2, 3]
    """
    if end is None:
        start, end = 0, start
    if step == 0 or (end - start) * step < 0:
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
    return _make(
        fill.arange(start, end, step, dtype_of(dtype)), "arange", device, requires_grad, name
    )


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
    (count,) = _sizes("linspace", (steps,))
    return _make(
        fill.linspace(start, end, count, dtype_of("float32" if dtype is None else dtype)),
        "linspace",
        device,
        requires_grad,
        name,
    )


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
    return _random(
        "rand", fill.uniform, _sizes("rand", size), (0.0, 1.0), dtype, device, requires_grad, name
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
    return _random(
        "randn", fill.normal, _sizes("randn", size), (0.0, 1.0), dtype, device, requires_grad, name
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
    return _random(
        "uniform",
        fill.uniform,
        _sizes("uniform", size),
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

    Example:
        >>> import gradviz as gv
        >>> gv.normal(3, mean=5.0, std=0.0).tolist()
        [5.0, 5.0, 5.0]
    """
    return _random(
        "normal",
        fill.normal,
        _sizes("normal", size),
        (mean, std),
        dtype,
        device,
        requires_grad,
        name,
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
        chances = read(size[0], "bernoulli")
        wanted = chances.dtype if dtype is None else dtype_of(dtype)
        target = size[0].device if device is None else device
        return _make(
            fill.bernoulli(chances.shape, chances, wanted), "bernoulli", target, requires_grad, name
        )
    return _random(
        "bernoulli",
        fill.bernoulli,
        _sizes("bernoulli", size),
        (p,),
        dtype,
        device,
        requires_grad,
        name,
    )


def _random(
    operation: str,
    draw: Any,
    shape: tuple[int, ...],
    parameters: tuple[Any, ...],
    dtype: Any,
    device: Any,
    requires_grad: bool,
    name: str | None,
) -> Tensor:
    wanted = dtype_of("float32" if dtype is None else dtype)
    return _make(draw(shape, *parameters, wanted), operation, device, requires_grad, name)


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

    Example:
        >>> import gradviz as gv
        >>> gv.one_hot(gv.tensor([0, 2]), 3).tolist()
        [[1, 0, 0], [0, 0, 1]]
    """
    classes = t if isinstance(t, Tensor) else tensor(t)
    if classes.dtype.kind not in "iu":
        raise fail(
            "invalid-dtype",
            operation="one_hot",
            complaint=f"the classes are {classes.dtype.name}, not integers",
            advice="Convert them with `.long()`.",
        )
    array = read(classes, "one_hot")
    made = fill.one_hot(array, num_classes)
    if made is None:
        raise fail(
            "index-out-of-range",
            operation="one_hot",
            complaint=f"a class lies outside 0 to {num_classes - 1}",
            advice="Give enough classes.",
        )
    if dtype is not None:
        made = made.astype(dtype_of(dtype))
    return _make(made, "one_hot", classes.device if device is None else device, requires_grad, name)


def _like(input: Any, dtype: Any, device: Any) -> tuple[tuple[int, ...], Any, Any]:
    source: Tensor = input if isinstance(input, Tensor) else tensor(input)
    return (
        source.shape,
        source.dtype if dtype is None else dtype,
        source.device if device is None else device,
    )


def zeros_like(
    input: Any,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    name: str | None = None,
) -> Tensor:
    """Zeros in the shape, dtype and device of another tensor.

    Example:
        >>> import gradviz as gv
        >>> gv.zeros_like(gv.tensor([1, 2])).tolist()
        [0, 0]
    """
    shape, dtype, device = _like(input, dtype, device)
    return _filled("zeros_like", shape, 0, dtype, device, requires_grad, name)


def ones_like(
    input: Any,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    name: str | None = None,
) -> Tensor:
    """Ones in the shape, dtype and device of another tensor.

    Example:
        >>> import gradviz as gv
        >>> gv.ones_like(gv.tensor([5.0])).tolist()
        [1.0]
    """
    shape, dtype, device = _like(input, dtype, device)
    return _filled("ones_like", shape, 1, dtype, device, requires_grad, name)


def empty_like(
    input: Any,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    name: str | None = None,
) -> Tensor:
    """A tensor in the shape, dtype and device of another; its contents don't matter.

    Example:
        >>> import gradviz as gv
        >>> gv.empty_like(gv.tensor([5.0])).shape
        (1,)
    """
    shape, dtype, device = _like(input, dtype, device)
    return _filled("empty_like", shape, 0, dtype, device, requires_grad, name)


def full_like(
    input: Any,
    fill_value: Any,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    name: str | None = None,
) -> Tensor:
    """One value in the shape, dtype and device of another tensor.

    Example:
        >>> import gradviz as gv
        >>> gv.full_like(gv.tensor([5.0]), 2.0).tolist()
        [2.0]
    """
    shape, dtype, device = _like(input, dtype, device)
    return full(
        shape, fill_value, dtype=dtype, device=device, requires_grad=requires_grad, name=name
    )


def rand_like(
    input: Any,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    name: str | None = None,
) -> Tensor:
    """Random numbers in [0, 1) in the shape, dtype and device of another tensor.

    Example:
        >>> import gradviz as gv
        >>> gv.rand_like(gv.zeros(3)).shape
        (3,)
    """
    shape, dtype, device = _like(input, dtype, device)
    return rand(shape, dtype=dtype, device=device, requires_grad=requires_grad, name=name)


def randn_like(
    input: Any,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    name: str | None = None,
) -> Tensor:
    """Standard normal random numbers in the shape, dtype and device of another tensor.

    Example:
        >>> import gradviz as gv
        >>> gv.randn_like(gv.zeros(3)).shape
        (3,)
    """
    shape, dtype, device = _like(input, dtype, device)
    return randn(shape, dtype=dtype, device=device, requires_grad=requires_grad, name=name)


CREATION = (
    tensor,
    from_numpy,
    zeros,
    ones,
    empty,
    full,
    eye,
    arange,
    linspace,
    manual_seed,
    rand,
    randn,
    uniform,
    normal,
    bernoulli,
    one_hot,
    zeros_like,
    ones_like,
    empty_like,
    full_like,
    rand_like,
    randn_like,
)
