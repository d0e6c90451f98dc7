"""Elementwise operations as steps that write into given memory.

A step computes exactly what the operation's kernel computes, function by function, so that results
are equal to the last bit; only where results go is different. No step writes over what it reads:
some of NumPy's vectorised functions take another path for overlapping arrays.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from gradviz.backends.ndarray.backend import kernel_of
from gradviz.ir.graph import OperationIr
from gradviz.ops.spec import table

_SINGLE: Final = ("float32", "float64")
_UNEVEN: Final = ("lgamma", "polygamma")
"""Operations whose kernels look at all elements together."""


@dataclass(frozen=True, slots=True)
class Step:
    """One call: of a ufunc with `out=`, or of a kernel that gives its own result.

    Attributes:
        call: the function.
        reads: places of the tensors it takes.
        writes: the place of its result.
        more: further arguments, behind the tensors.
        fills: whether it writes into given memory.
    """

    call: Callable[..., Any]
    reads: tuple[int, ...]
    writes: int
    more: tuple[Any, ...] = ()
    fills: bool = True


def can_run_in_blocks(operation: OperationIr) -> bool:
    """Whether an elementwise operation gives the same bits for parts as for the whole."""
    return operation.op not in _UNEVEN


def steps_of(
    operation: OperationIr,
    reads: tuple[int, ...],
    writes: int,
    dtype: str,
    scratch: Callable[[str], int],
) -> list[Step]:
    """The steps of an elementwise operation.

    Args:
        operation: the operation.
        reads: places of its inputs.
        writes: the place of its result.
        dtype: the dtype of its result, which is that of its inputs where a form of its own is used.
        scratch: makes a place for a value in between.
    """
    row = table[operation.op]
    kernel = kernel_of(row)
    attributes = tuple(value for _, value in operation.attributes)
    if isinstance(kernel, np.ufunc):
        return [Step(kernel, reads, writes, attributes)]
    if dtype in _SINGLE:
        if operation.op in _ROUNDING:
            return [Step(_ROUNDING[operation.op], reads, writes)]
        if operation.op in _FORMS:
            form = _Form(reads, writes, attributes, dtype, lambda: scratch(dtype))
            return getattr(form, operation.op)()  # type: ignore[no-any-return]
    return [Step(kernel, reads, writes, attributes, fills=False)]


class _Form:
    """Makes the steps of one operation."""

    __slots__ = ("attributes", "dtype", "reads", "scratch", "writes")

    def __init__(
        self,
        reads: tuple[int, ...],
        writes: int,
        attributes: tuple[Any, ...],
        dtype: str,
        scratch: Callable[[], int],
    ) -> None:
        self.reads = reads
        self.dtype = dtype
        self.writes = writes
        self.attributes = attributes
        self.scratch = scratch

    def sigmoid(self) -> list[Step]:
        one, two = self.scratch(), self.scratch()
        return [
            Step(np.negative, self.reads, one),
            Step(np.exp, (one,), two),
            Step(np.add, (two,), one, (np.array(1.0, self.dtype),)),
            Step(np.reciprocal, (one,), self.writes),
        ]

    def silu(self) -> list[Step]:
        gate = self.scratch()
        inner = _Form(self.reads, gate, (), self.dtype, self.scratch)
        return [*inner.sigmoid(), Step(np.multiply, (self.reads[0], gate), self.writes)]

    def relu(self) -> list[Step]:
        return [Step(np.maximum, self.reads, self.writes, (np.array(0.0, self.dtype),))]

    def square(self) -> list[Step]:
        return [Step(np.multiply, (self.reads[0], self.reads[0]), self.writes)]

    def pow_scalar(self) -> list[Step]:
        if self.attributes[0] == 2:
            return self.square()
        return [Step(np.power, self.reads, self.writes, self.attributes)]

    def rsqrt(self) -> list[Step]:
        root = self.scratch()
        return [Step(np.sqrt, self.reads, root), Step(np.reciprocal, (root,), self.writes)]


_FORMS: Final = ("sigmoid", "silu", "relu", "square", "pow_scalar", "rsqrt")
_ROUNDING: Final = {
    "floor": np.floor,
    "ceil": np.ceil,
    "trunc": np.trunc,
    "round": np.rint,
    "sign": np.sign,
}
