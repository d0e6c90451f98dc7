"""Builds the nodes of a model, and brings dtypes to what each of them takes."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from gradviz.backends.ndarray import exchange
from gradviz.core.shape import count
from gradviz.ir.graph import TensorIr
from gradviz.onnx.legal import REDUCED, fitting, signature
from gradviz.onnx.library import CODES, OPSETS, library
from gradviz.onnx.naming import Names
from gradviz.onnx.value import Value
from gradviz.ops.spec import Row

LOWEST, HIGHEST = -(2**63), 2**63 - 1
"""Ends of a slice that reach beyond any dimension."""


class InexpressibleError(Exception):
    """An operation that the format has no words for.

    Attributes:
        reason: why.
        opset: the version of the operator set that would do; None where none does.
    """

    def __init__(self, reason: str, opset: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.opset = opset


@dataclass(slots=True)
class Draft:
    """A node before it has its final names."""

    kind: str
    inputs: list[str]
    outputs: list[str]
    attributes: dict[str, Any]


class Builder:
    """Writes the nodes of one model; writers of rows are given it as `b`.

    Any operation of the format is a method: `b.Relu(x)`, `b.Softmax(x, axis=1)`. Numbers among its
    inputs become constants of the dtype that fits, lists of whole numbers become int64 vectors.
    """

    def __init__(self, opset: int) -> None:
        self.opset = opset
        self.onnx = library("to_onnx")
        self.values = Names()
        self.initializers: dict[str, Any] = {}
        self.row: Row
        """The row being written."""
        self.out: tuple[TensorIr, ...] = ()
        """What the operation being written gives."""
        self.drafts: list[Draft] = []
        """Its nodes so far."""
        self.symbols: dict[str, tuple[Value, int]] = {}
        """Where the sizes that have only a name can be read: an input and its dimension."""
        self._known: dict[Any, Value] = {}
        self._arrays: dict[str, Any] = {}
        self._count = 0

    def __getattr__(self, kind: str) -> Any:
        if not kind[:1].isupper():
            raise AttributeError(kind)
        return functools.partial(self.op, kind)

    # --- constants -----------------------------------------------------------------------------
    def constant(self, values: Any, dtype: str, shape: tuple[int, ...] = ()) -> Value:
        """A constant of plain numbers; equal ones are one."""
        return self.array(exchange.from_numbers(values, dtype, shape))

    def array(self, array: Any, name: str | None = None) -> Value:
        """A constant; one without a name is shared with its equals."""
        dtype, shape = array.dtype.name, tuple(array.shape)
        data = exchange.to_bytes(array)
        key = (dtype, shape, data)
        if name is None and key in self._known:
            return self._known[key]
        made = Value(self, self.values.claim(name or f"constant_{len(self._known)}"), dtype, shape)
        self.initializers[made.name] = self.onnx.TensorProto(
            name=made.name, data_type=CODES[dtype], dims=shape, raw_data=data
        )
        self._arrays[made.name] = array
        if name is None:
            self._known[key] = made
        return made

    def contents(self, value: Value) -> Any:
        """The array of a constant; None for anything else."""
        return self._arrays.get(value.name)

    def ints(self, values: Sequence[int]) -> Value:
        """A vector of whole numbers."""
        return self.constant(list(values), "int64", (len(values),))

    # --- sizes ---------------------------------------------------------------------------------
    def extent(self, size: Any) -> Value:
        """A size as a vector of one number, read where it is only known by name."""
        if isinstance(size, int):
            return self.ints([size])
        total: Any = None
        for names, factor in size.terms:
            product: Any = None
            for name in (name for name, power in names for _ in range(power)):
                read = self._read(name)
                product = read if product is None else product * read
            part = self.ints([factor]) if product is None else product
            if product is not None and factor != 1:
                part = product * self.ints([factor])
            total = part if total is None else total + part
        return self._made(total)

    def number(self, size: Any, dtype: str) -> Value:
        """A size as one number to compute with."""
        if isinstance(size, int):
            return self.constant(size, dtype)
        return self.cast(self._made(self.op("Squeeze", self.extent(size), [0])), dtype)

    def _read(self, name: str) -> Value:
        """What a symbol stands for when the model runs."""
        known = self.symbols.get(name)
        if known is None:
            raise InexpressibleError(f"no input has the size {name} by itself to read it from")
        value, axis = known
        return self._made(self.op("Gather", self.op("Shape", value), [axis], axis=0))

    def shape(self, sizes: Sequence[Any]) -> Value:
        """A shape as a vector."""
        if all(isinstance(size, int) for size in sizes):
            return self.ints(sizes)
        parts = [self.extent(size) for size in sizes]
        return self._made(self.op("Concat", *parts, axis=0)) if len(parts) > 1 else parts[0]

    def fixed(self, sizes: Sequence[Any]) -> tuple[int, ...]:
        """Sizes that must be known when the file is written."""
        if all(isinstance(size, int) for size in sizes):
            return tuple(sizes)
        raise InexpressibleError("it needs sizes that are numbers, and one is only a name here")

    # --- nodes ---------------------------------------------------------------------------------
    def op(self, kind: str, *inputs: Any, outputs: int = 1, to: str = "", **attributes: Any) -> Any:
        """Adds a node.

        Args:
            kind: the operation of the format.
            inputs: values; numbers, lists of whole numbers, or None for one left out.
            outputs: how many results there are.
            to: the dtype of the result, where no input says it.
            attributes: its attributes; those that are None are left out.

        Returns:
            The result, or a tuple of them.
        """
        try:
            types = signature(kind, self.opset)
        except LookupError:
            raise InexpressibleError(f"{kind} needs a later opset", self._since(kind)) from None
        bound: dict[str, str] = {}
        for at, item in enumerate(inputs):
            if isinstance(item, Value):
                bound.setdefault(types.variable(at), item.dtype)
        first = next((item.dtype for item in inputs if isinstance(item, Value)), to)
        reducing = bool(attributes.get("reduction")) and kind.startswith("Scatter")
        used = {
            name: self._fitting(kind, dtype, types, name, reducing) for name, dtype in bound.items()
        }
        names: list[str] = []
        for at, item in enumerate(inputs):
            variable = types.variable(at)
            names.append(self._input(item, used.get(variable, first)))
        while names and not names[-1]:
            names.pop()
        made = []
        for at in range(outputs):
            variable = types.outputs[min(at, len(types.outputs) - 1)]
            dtype = used.get(variable) or to or self._only(types.allowed.get(variable)) or first
            made.append(Value(self, self._temporary(), dtype))
        given = {name: value for name, value in attributes.items() if value is not None}
        self.drafts.append(Draft(kind, names, [value.name for value in made], given))
        results = tuple(
            self.cast(value, bound.get(types.outputs[min(at, len(types.outputs) - 1)], value.dtype))
            for at, value in enumerate(made)
        )
        return results if outputs > 1 else results[0]

    def _fitting(
        self, kind: str, dtype: str, types: Any, variable: str, reducing: bool = False
    ) -> str:
        allowed = types.allowed.get(variable)
        if reducing and variable == "T":
            allowed &= REDUCED
        found = dtype if allowed is None else fitting(dtype, allowed)
        if found is None:
            raise InexpressibleError(f"{kind} doesn't take {dtype}")
        return found

    def _only(self, allowed: frozenset[str] | None) -> str | None:
        return next(iter(allowed)) if allowed is not None and len(allowed) == 1 else None

    def _since(self, kind: str) -> int | None:
        """The first version of the operator set that has an operation."""
        for opset in range(self.opset + 1, OPSETS[-1] + 1):
            with suppress(LookupError):
                signature(kind, opset)
                return opset
        return None

    def _input(self, item: Any, dtype: str) -> str:
        if item is None:
            return ""
        if isinstance(item, list | tuple):
            return self.ints(item).name
        if not isinstance(item, Value):
            return self.constant(item, dtype).name
        return self.cast(item, dtype).name

    def _temporary(self) -> str:
        self._count += 1
        return f"\0{self._count}"  # no name of anybody's

    def cast(self, value: Value, dtype: str) -> Value:
        """The value in another dtype."""
        if value.dtype == dtype:
            return value
        made = Value(self, self._temporary(), dtype, value.shape)
        draft = Draft("Cast", [value.name], [made.name], {"to": CODES[dtype]})
        self.drafts.append(draft)
        return made

    # --- what many writers need ----------------------------------------------------------------
    def reduce(self, kind: str, x: Value, dims: Sequence[int], keepdim: bool = True) -> Value:
        """A reduction over dimensions; over none it changes nothing."""
        if not dims:
            return x
        flag = int(keepdim)
        if kind == "ReduceSum" or self.opset >= 18:
            return self._made(self.op(kind, x, list(dims), keepdims=flag))
        return self._made(self.op(kind, x, axes=list(dims), keepdims=flag))

    def reshape(self, x: Value, sizes: Sequence[Any]) -> Value:
        """The same elements in another shape."""
        zero = any(size == 0 for size in sizes if isinstance(size, int))
        made = self.op("Reshape", x, self.shape(sizes), allowzero=1 if zero else None)
        made.shape = tuple(sizes)
        return self._made(made)

    def flat(self, x: Value) -> Value:
        """The elements as a vector."""
        return self._made(self.op("Reshape", x, [-1]))

    def transpose(self, x: Value, order: Sequence[int]) -> Value:
        """The dimensions in another order."""
        if list(order) == list(range(len(order))):
            return x
        return self._made(self.op("Transpose", x, perm=list(order)))

    def full(self, value: Any, dtype: str, sizes: Sequence[Any]) -> Value:
        """One number everywhere."""
        number = self.constant(value, dtype)
        return self._made(self.op("Expand", number, self.shape(sizes))) if sizes else number

    def slice(self, x: Value, axis: int, start: int, end: int, step: int = 1) -> Value:
        """A part of one dimension."""
        steps = [step] if step != 1 else None
        return self._made(self.op("Slice", x, [start], [end], [axis], steps))

    def along(self, x: Value, axis: int, rank: int, matrix: Any) -> Value:
        """A linear map of one dimension: `x @ matrix` with that dimension last."""
        factor = self.array(matrix)
        if axis == rank - 1:
            return self._made(self.op("MatMul", x, factor))
        order = [at for at in range(rank) if at != axis] + [axis]
        back = [order.index(at) for at in range(rank)]
        moved = self.op("MatMul", self.transpose(x, order), factor)
        return self.transpose(moved, back)

    def _made(self, value: Any) -> Value:
        made: Value = value
        return made


def size_of(shape: Sequence[Any]) -> int:
    """How many elements a shape of whole numbers has."""
    return count(tuple(shape))
