"""The recording backend: kernels infer shapes and dtypes and write operations down."""

from __future__ import annotations

import functools
import itertools
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from gradviz.backends.capture.deferred import Deferred, contents_of
from gradviz.backends.capture.dry import DryRun
from gradviz.backends.capture.host import run_operation
from gradviz.backends.ndarray.backend import kernel_of
from gradviz.core.context import call_site, current
from gradviz.core.dtype import name_of, named
from gradviz.core.kind import CAPTURE
from gradviz.core.shape import count
from gradviz.errors import fail
from gradviz.ir.graph import GraphIr, OperationIr, Status, TensorIr
from gradviz.ir.inference import infer
from gradviz.ops.size import Length
from gradviz.ops.spec import Row


class Symbol:
    """A value that isn't there: shape, dtype and the recording it belongs to."""

    __slots__ = ("array", "draw", "dtype", "id", "recording", "shape")

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
        self.draw: Callable[[], Any] | None = None
        """Draws the numbers that a run will draw, for a parameter, which needs some at once."""

    def settle(self) -> Any:
        """Draws the numbers now: a constant takes the place of the recorded draw."""
        assert self.draw is not None
        assert self.recording is not None
        self.array = self.draw()
        self.recording.settle(self.id, self.array)
        return self.array

    @classmethod
    def of(cls, array: Any) -> Symbol:
        """A constant of no program yet; it joins those that use it."""
        return cls(array.shape, array.dtype, None, -1, array)

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return len(self.shape)

    @property
    def contents(self) -> Any:
        """The array of a constant, made now where that was put off; None where there is none."""
        return contents_of(self.array)

    @property
    def size(self) -> Length:
        """Number of elements."""
        return count(self.shape)


class Recording:
    """One capture scope's program while it is written, and whether it still is."""

    def __init__(self, device_name: str, dry: DryRun | None = None) -> None:
        self.device_name = device_name
        self.dry = dry
        """The dry run that takes note of failures; then no operation is written down."""
        self.graph = GraphIr()
        self.open = True
        self.opened_at = call_site()
        self._next = itertools.count()
        self._numbers: dict[int, int] = {}
        self._kept: list[Any] = []
        self.lifted: dict[int, Any] = {}
        """The tensors that stand for outside parameters, by the parameter's node id."""
        self.quiet: dict[int, Symbol | None] | None = None
        """What was computed while gradients were off, and what stands for it where they are on."""
        self.learned: dict[int, None] = {}
        """Constants that are marked parameters made on the capture device, by number."""

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
        if self.dry is not None:
            return self.result(array.shape, array.dtype, array)
        number = self._numbers.get(id(array))
        if number is None:
            symbol = self.add(array.shape, array.dtype, name, "constant")
            number = self._numbers[id(array)] = symbol.id
            self._kept.append(array)  # its id must not be given to another array
            self.graph.constants[number] = array
        return Symbol(array.shape, array.dtype, self, number, array)

    def result(self, shape: tuple[Length, ...], dtype: Any, array: Any = None) -> Symbol:
        """A value of a dry run, which nothing is written down about."""
        return Symbol(shape, dtype, self, next(self._next), array)

    def settle(self, number: int, array: Any) -> None:
        """Makes a constant of a value that an operation would have made."""
        graph = self.graph
        graph.operations = [op for op in graph.operations if number not in op.outputs]
        graph.tensors[number] = replace(graph.tensors[number], status="constant")
        graph.constants[number] = array

    def rename(self, number: int, name: str) -> None:
        """Gives a value of the program a name."""
        if self.dry is None:
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

    def number_of(self, symbol: Symbol) -> int | None:
        """The number of a constant that was made outside; None where nothing has used it."""
        return self._numbers.get(id(symbol.array))

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


def dry_run() -> DryRun | None:
    """The dry run of this thread, where one is going on."""
    open_here = _active.recordings
    return open_here[-1].dry if open_here else None


def defers() -> bool:
    """Whether contents of new constants are made only when they are read."""
    open_here = recordings()
    return not open_here or open_here[-1].dry is not None


def audible(symbol: Symbol | None) -> Symbol | None:
    """A value where gradients are on again: what was computed without them has none."""
    recording = None if symbol is None else symbol.recording
    if symbol is None or recording is None or not recording.quiet:
        return symbol
    if symbol.id not in recording.quiet:
        return symbol
    made = recording.quiet[symbol.id]
    if made is None:
        made = recording.quiet[symbol.id] = stopped(symbol)
    return made


def stopped(symbol: Symbol) -> Symbol:
    """The same value, through which no gradient passes: a program says where one was cut."""
    recording = symbol.recording
    if symbol.array is not None or recording is None or not recording.open:
        return symbol  # constants have no gradient, and a closed program takes nothing more
    if recording.dry is not None:
        return symbol
    made = recording.add(symbol.shape, symbol.dtype)
    recording.graph.operations.append(
        OperationIr("detach", (symbol.id,), (made.id,), (), (*call_site(), current()))
    )
    return made


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
        return Symbol.of(array)

    def kernel(self, row: Row) -> Callable[..., Any]:
        """Infers and records instead of computing."""
        count = len(row.inputs)
        names = [attr.name for attr in row.attrs]

        def record(*arguments: Any) -> Any:
            inputs = list(arguments[:count])
            if row.variadic:
                inputs[-1:] = inputs[-1]
            attributes = arguments[count:]
            symbols = [symbol for symbol in inputs if symbol is not None]
            if not recordings() and is_deferred(symbols):
                return _computed_later(row, inputs, attributes)
            recording = _recording_of(symbols)
            facts = [None if s is None else (s.shape, name_of(s.dtype)) for s in inputs]
            if recording.dry is not None:
                return _tried(recording, recording.dry, row, inputs, facts, attributes)
            context = current()
            if context.grad_enabled and recording.quiet is not None and row.name != "detach":
                inputs = [audible(symbol) for symbol in inputs]
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
                    (frame.f_code, frame.f_lasti, context),
                )
            )
            if not context.grad_enabled:
                recording.quiet = recording.quiet or {}
                recording.quiet.update((symbol.id, None) for symbol in made)
            return _given(row, made)

        return record


def _tried(
    recording: Recording,
    dry: DryRun,
    row: Row,
    inputs: list[Any],
    facts: list[Any],
    attributes: tuple[Any, ...],
) -> Any:
    """The results of an operation in a dry run: shapes and dtypes, and nothing is kept."""
    dry.count()
    for symbol in inputs:
        if symbol is not None and symbol.array is None:
            recording.adopt(symbol)
    results = dry.inferred(infer, row, facts, attributes)
    return _given(row, [recording.result(shape, named(dtype)) for shape, dtype in results])


def _given(row: Row, made: list[Symbol]) -> Any:
    """Results in the form in which a kernel gives them."""
    if row.kept:
        # What only formulas ask for is part of no program.
        return (*made, *(None for _ in row.kept))
    return made[0] if len(made) == 1 else tuple(made)


def is_deferred(symbols: list[Symbol]) -> bool:
    """Whether all of these are constants, and the contents of one are yet to be made."""
    if any(symbol.array is None for symbol in symbols):
        return False
    return any(symbol.array.__class__ is Deferred for symbol in symbols)


def _computed_later(row: Row, inputs: list[Any], attributes: tuple[Any, ...]) -> Any:
    """Results of an operation on constants, computed when somebody reads them."""
    facts = [None if s is None else (s.shape, name_of(s.dtype)) for s in inputs]
    arrays = [None if symbol is None else symbol.array for symbol in inputs]
    known: list[Any] = []

    def part(at: int) -> Any:
        if not known:
            given = [contents_of(array) for array in arrays]
            result = run_operation(row, given, attributes, kernel_of(row))
            known.extend(result if isinstance(result, tuple) else (result,))
        return np.asarray(known[at])

    made = []
    for at, (shape, dtype) in enumerate(infer(row, facts, attributes)):
        array = Deferred(shape, named(dtype), functools.partial(part, at))
        made.append(Symbol.of(array))
    return _given(row, made)


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
