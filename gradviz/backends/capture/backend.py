"""The recording backend: kernels infer shapes and dtypes and write operations down."""

from __future__ import annotations

import itertools
import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.backends.capture.host import run_operation
from gradviz.core.context import call_site, current
from gradviz.core.dtype import name_of, named
from gradviz.core.kind import CAPTURE
from gradviz.core.shape import count
from gradviz.errors import fail
from gradviz.ir.graph import GraphIr, OperationIr, Status, TensorIr
from gradviz.ir.inference import infer
from gradviz.ops.size import Length
from gradviz.ops.spec import Row, table


class Symbol:
    """A value that isn't there: shape, dtype and the recording it belongs to."""

    __slots__ = ("array", "dtype", "id", "recording", "shape")

    def __init__(
        self,
        shape: tuple[Any, ...],
        dtype: Any,
        recording: Recording | None,
        number: int,
        array: Any = None,
    ) -> None:
        self.shape = shape
        self.dtype = dtype
        self.recording = recording
        self.id = number
        self.array = array
        """The contents of a constant; None where nothing can be read."""

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return len(self.shape)

    @property
    def size(self) -> Length:
        """Number of elements."""
        return count(self.shape)


class Recording:
    """One capture scope's program while it is written, and whether it still is."""

    def __init__(self, device_name: str) -> None:
        self.device_name = device_name
        self.graph = GraphIr()
        self.open = True
        self.opened_at = call_site()
        self._next = itertools.count()
        self._numbers: dict[int, int] = {}
        self._kept: list[Any] = []
        self.lifted: dict[int, Any] = {}
        """The tensors that stand for outside parameters, by the parameter's node id."""

    def add(
        self,
        shape: tuple[Length, ...],
        dtype: Any,
        name: str | None = None,
        status: Status = "computed",
    ) -> Symbol:
        """A new value of the program."""
        number = next(self._next)
        self.graph.tensors[number] = TensorIr(number, shape, name_of(dtype), name, status)
        return Symbol(shape, dtype, self, number)

    def input(self, shape: tuple[Length, ...], dtype: Any, name: str | None) -> Symbol:
        """A value that the caller of the program gives."""
        made = self.add(shape, dtype, name, "input")
        self.graph.inputs.append(made.id)
        return made

    def constant(self, array: Any, name: str | None = None) -> Symbol:
        """A value with contents; the same array gives the same value."""
        number = self._numbers.get(id(array))
        if number is None:
            symbol = self.add(array.shape, array.dtype, name, "constant")
            number = self._numbers[id(array)] = symbol.id
            self._kept.append(array)  # its id must not be given to another array
            self.graph.constants[number] = array
        return Symbol(array.shape, array.dtype, self, number, array)

    def rename(self, number: int, name: str) -> None:
        """Gives a value of the program a name."""
        self.graph.rename(number, name)

    def adopt(self, symbol: Symbol) -> int:
        """The number of a symbol in this program; a constant made elsewhere comes along."""
        if symbol.recording is self:
            return symbol.id
        if symbol.array is not None:
            return self.constant(symbol.array).id
        if symbol.recording is None or not symbol.recording.open:
            raise scope_closed(symbol.recording)
        raise fail(
            "capture-boundary",
            boundary="input",
            name=f"%{symbol.id}",
            complaint="it belongs to another capture scope",
            reason="every scope records its own program; handles don't cross from one to the "
            "other.",
            advice="Bring the value in with `scope.input(...)`, or capture both in one scope.",
        )

    def close(self) -> None:
        """No more operations are taken."""
        self.open = False


def scope_closed(recording: Recording | None) -> Exception:
    """The error of a handle used after its scope."""
    from gradviz.core.source import span

    cause = None
    if recording is not None:
        cause = span(*recording.opened_at)
    return fail(
        "capture-scope-closed",
        reason="its program was finished when the scope ended; nothing can be added to it.",
        facts=(("kind", "Capture"),),
        advice="Use the tensor inside the scope, or call the captured graph's `run` for values.",
        cause=cause,
    )


class _Active(threading.local):
    """The open recordings of one thread; a thread that ends takes them along."""

    def __init__(self) -> None:
        self.recordings: list[Recording] = []


_active = _Active()


def recordings() -> list[Recording]:
    """The open recordings of this thread, innermost last."""
    return _active.recordings


class CaptureBackend:
    """Values are symbols."""

    kind = CAPTURE
    computes = False
    namespace = None

    def facts(self, value: Any) -> tuple[tuple[Any, ...], Any]:
        """Shape and dtype of a symbol."""
        return value.shape, value.dtype

    def constant(self, array: Any) -> Symbol:
        """A symbol with contents; it joins a program when an operation uses it."""
        open_here = recordings()
        if open_here:
            return open_here[-1].constant(array)
        return Symbol(array.shape, array.dtype, None, -1, array)

    def stopped(self, symbol: Symbol) -> Symbol:
        """The same value, through which no gradient passes: a program says where one was cut."""
        recording = symbol.recording
        if symbol.array is not None or recording is None or not recording.open:
            return symbol  # constants have no gradient, and a closed program takes nothing more
        made = recording.add(symbol.shape, symbol.dtype)
        recording.graph.operations.append(
            OperationIr("detach", (symbol.id,), (made.id,), (), (*call_site(), current()))
        )
        return made

    def kernel(self, row: Row) -> Callable[..., Any]:
        """Infers and records instead of computing."""
        count = len(row.inputs)
        names = [attr.name for attr in row.attrs]

        def record(*arguments: Any) -> Any:
            inputs = list(arguments[:count])
            if row.variadic:
                inputs[-1:] = inputs[-1]
            attributes = arguments[count:]
            recording = _recording_of([symbol for symbol in inputs if symbol is not None])
            facts = [None if s is None else (s.shape, name_of(s.dtype)) for s in inputs]
            results = infer(row, facts, attributes)
            numbers = tuple(-1 if s is None else recording.adopt(s) for s in inputs)
            made = [recording.add(shape, named(dtype)) for shape, dtype in results]
            # Frames: this one, the table's function, the public one, the user's.
            frame = sys._getframe(3)
            recording.graph.operations.append(
                OperationIr(
                    row.name,
                    numbers,
                    tuple(symbol.id for symbol in made),
                    tuple(zip(names, attributes, strict=True)),
                    (frame.f_code, frame.f_lasti, current()),
                )
            )
            if row.kept:
                # What only formulas ask for is part of no program.
                return (*made, *(None for _ in row.kept))
            return made[0] if len(made) == 1 else tuple(made)

        return record


def _recording_of(symbols: list[Symbol]) -> Recording:
    """The program an operation on these symbols belongs to."""
    for symbol in symbols:
        recording = symbol.recording
        if recording is not None and symbol.array is None:
            if not recording.open:
                raise scope_closed(recording)
            return recording
    open_here = recordings()
    if open_here:
        return open_here[-1]
    for symbol in symbols:
        if symbol.recording is not None:
            raise scope_closed(symbol.recording)
    raise fail(
        "capture-scope-closed",
        reason="operations on capture tensors are recorded into a scope, and none is open here.",
        facts=(("kind", "Capture"),),
        advice="Work inside `with gv.capture_scope() as scope:` or call `gv.capture(fn, ...)`.",
    )


def replay(graph: GraphIr, arrays: list[Any], kernel_of: Callable[[Row], Any]) -> list[Any]:
    """Runs a program on arrays and returns its outputs' arrays."""
    values: dict[int, Any] = dict(graph.constants)
    values.update(zip(graph.inputs, arrays, strict=True))
    for operation in graph.operations:
        row = table[operation.op]
        inputs = [None if number < 0 else values[number] for number in operation.inputs]
        attributes = tuple(value for _, value in operation.attributes)
        result = run_operation(row, inputs, attributes, kernel_of(row))
        results = result if isinstance(result, tuple) else (result,)
        values.update(zip(operation.outputs, results, strict=not row.kept))
    return [np.asarray(values[number]) for number in graph.outputs]
