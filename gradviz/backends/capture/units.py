"""The units of a plan: single operations, and matrix products that are written into buffers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gradviz.backends.capture.host import run_operation
from gradviz.backends.ndarray.backend import kernel_of
from gradviz.ir.graph import OperationIr
from gradviz.ops.spec import table

if TYPE_CHECKING:
    from gradviz.backends.capture.plan import Buffers


class FailedOperation(Exception):  # noqa: N818 - not an error users see: it becomes one with a place
    """What an operation's kernel raised, and which one it was."""

    def __init__(self, operation: OperationIr, inputs: list[Any]) -> None:
        super().__init__(operation.op)
        self.operation = operation
        self.inputs = inputs


class Call:
    """One operation by its kernel."""

    __slots__ = ("attributes", "dead", "kernel", "operation", "outputs", "reads", "row")

    def __init__(self, operation: OperationIr) -> None:
        self.operation = operation
        self.row = table[operation.op]
        self.kernel = kernel_of(self.row)
        self.attributes = tuple(value for _, value in operation.attributes)
        self.reads = operation.inputs
        self.outputs = operation.outputs
        self.dead: tuple[int, ...] = ()

    def run(self, values: dict[int, Any], buffers: Buffers) -> None:
        """Computes the results and puts them among the values."""
        inputs = [None if number < 0 else values[number] for number in self.reads]
        try:
            if self.row.variadic:
                result = run_operation(self.row, inputs, self.attributes, self.kernel)
            else:
                result = self.kernel(*inputs, *self.attributes)
        except Exception as error:
            raise FailedOperation(self.operation, inputs) from error
        if len(self.outputs) == 1 and not self.row.kept:
            values[self.outputs[0]] = result[0] if result.__class__ is tuple else result
        else:
            values.update(zip(self.outputs, result, strict=not self.row.kept))


class Product(Call):
    """A matrix product into a buffer."""

    __slots__ = ("dtype", "flattens", "shape")

    def __init__(
        self, operation: OperationIr, shape: tuple[int, ...], dtype: str, flattens: bool
    ) -> None:
        super().__init__(operation)
        self.shape = shape
        self.dtype = np.dtype(dtype)
        self.flattens = flattens
        """Whether one large product takes the place of one for each leading index."""

    def run(self, values: dict[int, Any], buffers: Buffers) -> None:
        """Computes the product in the buffer, or in new memory where there is none."""
        number = self.outputs[0]
        out = buffers.full.get(number)
        if out is None:
            out = np.empty(self.shape, self.dtype)
        inputs = [None if given < 0 else values[given] for given in self.reads]
        try:
            values[number] = self.product(*inputs, out)
        except Exception as error:
            raise FailedOperation(self.operation, inputs) from error

    def product(self, x: Any, weight: Any, *more: Any) -> Any:
        """The product in the last argument; `more` may begin with a bias."""
        out = more[-1]
        if self.operation.op == "matmul":
            return np.matmul(x, weight, out=out)
        if self.flattens:
            np.matmul(x.reshape(-1, x.shape[-1]), weight.T, out=out.reshape(-1, self.shape[-1]))
        else:
            np.matmul(x, weight.T, out=out)
        if more[0] is not None:
            np.add(out, more[0], out=out)
        return out
