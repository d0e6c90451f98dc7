"""Arrays from what users give: copies, dtypes, and clear refusals."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.core import dtype as dtypes
from gradviz.errors import GradvizError, fail
from gradviz.ops.size import Size, needs_number

_DEFAULTS = {
    "f": np.dtype("float32"),
    "i": np.dtype("int64"),
    "u": np.dtype("int64"),
    "b": np.dtype("bool"),
}


def is_number(value: Any) -> bool:
    """Whether a value is a Python or NumPy number."""
    if isinstance(value, np.generic):
        return value.dtype.kind in "fiub"
    return isinstance(value, int | float)


def dtype_of(wanted: Any) -> Any:
    """The dtype object of a name, a NumPy dtype or a Python type.

    Raises:
        GradvizError: `invalid-dtype`.
    """
    if wanted is float:
        return np.dtype("float32")
    try:
        dtype = np.dtype(wanted)
    except TypeError:
        dtype = None
    if dtype is None or not dtypes.is_supported(dtype):
        raise fail(
            "invalid-dtype",
            operation="dtype",
            complaint=f"{wanted!r} is no dtype of a tensor",
            advice=f"Use one of {', '.join(dtypes.NAMES)}.",
        )
    # One object for each dtype: `newbyteorder` makes a new one, and identity is what is compared.
    return dtypes.named(dtypes.name_of(dtype))


def array_of(data: Any, dtype: Any, *, operation: str = "tensor", allow_lists: bool = True) -> Any:
    """A fresh array with the contents of `data`; Python floats become float32, ints int64."""
    if data.__class__ is np.ndarray and dtype is None:
        known = dtypes.canonical(data.dtype)
        if known is not None:
            return np.array(data, dtype=known)
    if isinstance(data, Size):
        raise needs_number(f"{data} as a number in `{operation}`", data)
    usable = allow_lists or is_number(data) or hasattr(data, "__array__")
    typed = isinstance(data, np.ndarray | np.generic)
    if not typed and (isinstance(data, str | bytes) or not usable):
        raise _not_a_tensor(operation, data)
    array: Any
    try:
        array = np.array(data)
    except GradvizError:  # what was asked for its elements knows better
        raise
    except (ValueError, TypeError) as error:
        raise fail(
            "invalid-argument",
            operation=operation,
            complaint="the data isn't a regular array of numbers",
            reason=str(error).splitlines()[0],
            advice="Give nested lists whose rows have equal lengths.",
        ) from None
    typed = isinstance(data, np.ndarray | np.generic) or hasattr(data, "__array__")
    if array.dtype.kind not in "fiub":
        if isinstance(data, int) and not isinstance(data, bool):
            raise fail(
                "invalid-argument",
                operation=operation,
                complaint=f"{data} doesn't fit into any integer dtype",
                advice="Give a float: it has the range, if not every digit.",
            )
        unknown = array.dtype == object and not isinstance(data, np.ndarray)
        raise _not_a_tensor(operation, data) if unknown else _bad_dtype(operation, array)
    if dtype is not None:
        return _cast(array, dtype, operation)
    if typed:
        if not dtypes.is_supported(array.dtype):
            raise _bad_dtype(operation, array)
        native = dtypes.named(dtypes.name_of(array.dtype))
        return array.astype(native, copy=False)
    if array.size == 0:
        return array.astype(np.float32)
    # A list that holds NumPy scalars or arrays keeps their dtype where that is not the default.
    return array.astype(_DEFAULTS[array.dtype.kind])


def _cast(array: Any, dtype: Any, operation: str) -> Any:
    dtype = dtype_of(dtype)
    if array.dtype.kind in "iu" and dtype.kind in "iu" and array.size:
        limits = np.iinfo(dtype)
        if int(array.min()) < limits.min or int(array.max()) > limits.max:
            raise OverflowError(f"{operation}: a value doesn't fit into {dtype.name}")
    return array.astype(dtype, copy=False)


def _bad_dtype(operation: str, array: Any) -> Exception:
    return fail(
        "invalid-dtype",
        operation=operation,
        complaint=f"{array.dtype} is no dtype of a tensor",
        advice=f"Use one of {', '.join(dtypes.NAMES)}.",
    )


def _not_a_tensor(operation: str, data: Any) -> Exception:
    return fail(
        "not-a-tensor",
        operation=operation,
        complaint=f"a {type(data).__name__} is no tensor",
        advice="Give a tensor, an array or a number; `gv.tensor(...)` makes one of nested lists.",
    )
