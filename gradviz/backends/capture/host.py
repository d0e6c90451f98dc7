"""What recorded programs need of NumPy: contents of constants, and computing one operation."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.backends.capture.deferred import Deferred, contents_of
from gradviz.backends.ndarray.backend import kernel_of
from gradviz.core import dtype as dtypes
from gradviz.ir.graph import OperationIr
from gradviz.ir.host import register
from gradviz.ops.spec import Row, table


class NumPyHost:
    """NumPy's answers."""

    def is_array(self, value: Any) -> bool:
        """Whether a value is an array or a NumPy scalar of a supported dtype."""
        return isinstance(value, np.ndarray | np.generic | Deferred) and dtypes.is_supported(
            value.dtype
        )

    def as_array(self, value: Any) -> Any:
        """The value itself where it is an array; the array of a scalar."""
        return np.asarray(value)

    def copied(self, value: Any) -> Any:
        """An array of its own with the contents of `value`."""
        return np.array(value)

    def facts(self, array: Any) -> tuple[tuple[int, ...], str]:
        """Shape and dtype name of an array."""
        return tuple(array.shape), str(array.dtype.name)

    def encode(self, array: Any) -> bytes:
        """Its elements in C order, little-endian."""
        plain = np.asarray(array)
        return plain.astype(plain.dtype.newbyteorder("<"), copy=False).tobytes()

    def decode(self, data: bytes, shape: tuple[int, ...], dtype: str) -> Any:
        """The read-only array of such bytes."""
        kind = np.dtype(dtype)
        if dtype == "bool" and data.translate(None, b"\x00\x01"):
            raise ValueError("a truth value is neither 0 nor 1")
        array = np.frombuffer(data, kind.newbyteorder("<")).reshape(shape)
        # An array of its own: aligned, in the machine's byte order.
        made = array.astype(kind)
        made.flags.writeable = False
        return made

    def compute(self, operation: OperationIr, inputs: list[Any]) -> tuple[Any, ...]:
        """The results of an operation on arrays."""
        row = table[operation.op]
        attributes = tuple(value for _, value in operation.attributes)
        given = [contents_of(array) for array in inputs]
        result = run_operation(row, given, attributes, kernel_of(row))
        results = result if isinstance(result, tuple) else (result,)
        return results[: len(operation.outputs)]


def is_array(value: Any) -> bool:
    """Whether a value is an array itself, and not something that one can be made of."""
    return value.__class__ is np.ndarray


def borrowed(value: Any) -> Any:
    """An array as it is, for reading only; None for anything that has to be converted first."""
    known = value.__class__ is np.ndarray and dtypes.canonical(value.dtype) is value.dtype
    return value if known else None


def run_operation(row: Row, inputs: list[Any], attributes: tuple[Any, ...], kernel: Any) -> Any:
    """Runs one recorded operation on arrays."""
    if row.variadic:
        fixed = len(row.inputs) - 1
        inputs = [*inputs[:fixed], inputs[fixed:]]
    return kernel(*inputs, *attributes)


register(NumPyHost())
