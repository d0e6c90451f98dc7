"""Reading values out of tensors, and what can't be read or written."""

from __future__ import annotations

from typing import Any

from gradviz.backends.capture.backend import dry_run
from gradviz.backends.ndarray import arrays
from gradviz.core.context import call_site
from gradviz.core.source import span
from gradviz.errors import GradvizError, GradvizTypeError, fail
from gradviz.tensor import escapes
from gradviz.tensor.base import Tensor, refusals

_OF_UNKNOWN_SIZE = ("mask", "nonzero", "masked_select", "argwhere", "unique", "bincount")
"""What asks for values because the size of its result depends on them."""


def read(tensor: Tensor, operation: str) -> Any:
    """The array of a tensor, not to be changed or given away.

    Raises:
        GradvizError: `capture-value-unavailable` for a captured tensor without contents.
    """
    prim = tensor.prim
    if tensor.device.is_capture:
        symbol = prim
        prim = symbol.contents
        if prim is None and operation == "Parameter" and symbol.draw is not None:
            # A module made inside of a capture: its parameters are constants of the recording.
            prim = symbol.settle()
        if prim is None:
            run = dry_run()
            if run is None:
                raise unavailable(tensor, operation)
            return run.inside(unavailable(tensor, operation), tensor.shape, tensor.dtype)
    return prim


def _seen(tensor: Tensor, operation: str) -> Any:
    """The array of a tensor as the user's code sees it; in a dry run there may be a stand-in."""
    if not tensor.device.is_capture:
        return tensor.prim
    run = dry_run()
    if run is None or tensor.prim.array is not None:
        return read(tensor, operation)
    return run.stand_in(unavailable(tensor, operation), operation, tensor.shape, tensor.dtype)


def unavailable(tensor: Tensor, operation: str) -> GradvizError:
    """The error of reading a captured result."""
    made = tensor.node.source
    advice = (
        "Return the tensor from the captured function and call `run` on the graph for its value."
    )
    if operation in ("bool", "len", "iter"):
        advice = (
            "Python can't branch on a recorded value: use `gv.where(condition, a, b)`; `&`, `|` "
            "and `~` for `and`, `or` and `not`; `gv.maximum` for `max`; or decide before capturing."
        )
    elif operation == "one_hot":
        advice = "Say how many classes there are: `gv.one_hot(x, num_classes)`."
    elif operation in _OF_UNKNOWN_SIZE:
        advice = (
            "The size of the result must be known: keep all elements, with `gv.where(mask, x, "
            "0.0)` or a product with `mask.float()`."
        )
    elif operation == "__array__":
        advice = (
            "A NumPy function needs numbers: use the operation of gradviz, which is recorded (`gv."
            "sin(x)`, `x.sum()`)."
        )
    elif operation == "tensor":
        advice = "It is a tensor already: use it as it is, or `x.detach()` to cut its gradient."
    elif operation in ("int", "float", "index", "item", "repeat_interleave"):
        advice = (
            "Pass the number to the captured function as a Python number, or compute with tensors "
            "only."
        )
    return fail(
        "capture-value-unavailable",
        reason=f"`{operation}` asks for numbers, but a recording has shapes and dtypes only.",
        facts=(
            ("operation", operation),
            ("kind", str(tensor.kind)),
            ("shape", str(tensor.shape)),
            ("dtype", str(tensor.dtype)),
        ),
        advice=advice,
        cause=span(*call_site()) if made is None else None,
        nodes=(tensor.node.id,),
    )


def numpy(self: Tensor) -> Any:
    """The values as a NumPy array, a copy.

    Returns:
        An array of the tensor's shape and dtype; changing it leaves the tensor as it is.

    Raises:
        GradvizError: `capture-value-unavailable` on a captured result.

    Example:
        >>> import gradviz as gv
        >>> gv.tensor([1.0, 2.0]).numpy()
        array([1., 2.], dtype=float32)
    """
    array = arrays.array_of(_seen(self, "numpy"), None)
    escapes.note(self, "numpy")
    return array


def item(self: Tensor) -> Any:
    """The only element as a Python number.

    Raises:
        GradvizError: `invalid-argument` with more or fewer than one element;
            `capture-value-unavailable` on a captured result.

    Example:
        >>> import gradviz as gv
        >>> gv.tensor([3.0]).item()
        3.0
    """
    value = _single(self, "item")
    escapes.note(self, "item")
    return value


def _single(tensor: Tensor, operation: str) -> Any:
    array = _seen(tensor, operation)
    if array.size != 1:
        raise fail(
            "invalid-argument",
            operation=operation,
            complaint=f"needs a tensor with one element, not {array.size}",
            facts=(("operation", operation), ("shape", str(tensor.shape))),
            advice="Pick one element, or reduce with `.sum()`, `.mean()`, `.any()` or `.all()`.",
        )
    return array.item()


def tolist(self: Tensor) -> Any:
    """The values as nested lists of Python numbers.

    Example:
        >>> import gradviz as gv
        >>> gv.ones(2, 2).tolist()
        [[1.0, 1.0], [1.0, 1.0]]
    """
    values = _seen(self, "tolist").tolist()
    escapes.note(self, "tolist")
    return values


def as_array(self: Tensor, dtype: Any = None, copy: bool | None = None) -> Any:
    """NumPy's protocol: `np.asarray(t)`; always a copy."""
    if copy is False:
        raise ValueError("a tensor never shares its memory: leave copy=False out")
    array = arrays.array_of(_seen(self, "__array__"), None)
    escapes.note(self, "numpy")
    return array if dtype is None else array.astype(dtype)


def as_float(self: Tensor) -> float:
    """The only element as a float."""
    value = float(_single(self, "float"))
    escapes.note(self, "float")
    return value


def as_int(self: Tensor) -> int:
    """The only element as an int."""
    value = int(_single(self, "int"))
    escapes.note(self, "int")
    return value


def as_index(self: Tensor) -> int:
    """The only element of an integer tensor as an index."""
    if self.dtype.kind not in "iub":
        raise _type_error("index", f"a {self.dtype} tensor is no index")
    return int(_single(self, "index"))


def as_bool(self: Tensor) -> bool:
    """Whether the only element is true."""
    return bool(_single(self, "bool"))


def _type_error(operation: str, complaint: str) -> GradvizError:
    return fail(
        "invalid-argument", operation=operation, complaint=complaint, error=GradvizTypeError
    )


def _setitem(tensor: Tensor, _index: Any, _value: Any) -> GradvizError | None:
    error = fail(
        "in-place-on-tensor",
        reason="a graph may have saved these values for its gradients, so they never change.",
        facts=(("operation", "x[i] = v"), ("kind", str(tensor.kind)), ("shape", str(tensor.shape))),
        advice="Write `x = x.slice_assign(index, values)` for a new tensor, or "
        "`x = gv.where(mask, value, x)` where the index is a mask.",
        nodes=(tensor.node.id,),
    )
    run = dry_run() if tensor.device.is_capture else None
    if run is None:
        return error
    run.note(error)
    return None


def _no_length(_tensor: Tensor) -> GradvizError:
    return _type_error("len", "a tensor without dimensions has no length")


def _no_iteration(_tensor: Tensor) -> GradvizError:
    return _type_error("iter", "a tensor without dimensions can't be iterated over")


refusals.update(setitem=_setitem, len=_no_length, iter=_no_iteration)
Tensor.numpy = numpy
Tensor.item = item
Tensor.tolist = tolist
Tensor.__array__ = as_array
Tensor.__float__ = as_float
Tensor.__int__ = as_int
Tensor.__index__ = as_index
Tensor.__bool__ = as_bool
