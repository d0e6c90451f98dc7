"""Running a program: what is given for its inputs, plans for its sizes, and what can go wrong."""

from __future__ import annotations

import sys
from typing import Any, Final

from gradviz.autodiff.node import NONE, Origin, new_leaf
from gradviz.backends.capture.deferred import contents_of
from gradviz.backends.capture.host import borrowed, is_array
from gradviz.backends.capture.plan import Plan
from gradviz.backends.capture.units import FailedOperation
from gradviz.core.context import current
from gradviz.core.dtype import category, named
from gradviz.core.meta import Meta
from gradviz.dispatch.registry import device
from gradviz.errors import GradvizError, fail
from gradviz.ir.binding import bound
from gradviz.ir.graph import GraphIr, OperationIr, TensorIr
from gradviz.ir.host import host
from gradviz.ir.stumbling import stumbled
from gradviz.ops.size import Size
from gradviz.ops.spec import table
from gradviz.tensor.base import Tensor, wrap
from gradviz.tensor.data import array_of
from gradviz.tensor.failing import explain
from gradviz.tensor.values import read

RUN: Final = Origin("captured.run")
_MOST_PLANS: Final = 8
_FITTING: Final = {
    "bool": ("bool",),
    "int": ("bool", "int"),
    "float": ("bool", "int", "float"),
}
"""Which plain numbers an input takes: those that stay what they are."""
_SORTS: Final = {"bool": "truth values", "int": "whole numbers", "float": "fractions"}
_NDARRAY: Final = device("ndarray")


class Runner:
    """Runs one program, with a plan for every combination of sizes it meets."""

    __slots__ = ("_plans", "_ready", "_sizes")

    def __init__(self, sizes: dict[str, int] | None = None) -> None:
        """Runs with any sizes, or with these only."""
        self._sizes = sizes
        self._plans: dict[Any, tuple[list[OperationIr], Plan]] = {}
        self._ready: _Ready | None = None

    def run(self, graph: GraphIr, values: tuple[Any, ...]) -> Any:
        """The outputs for these inputs: a tensor, or a tuple of tensors."""
        ready = self._ready
        arrays = None if ready is None else ready.arrays(graph, values)
        if arrays is None:
            ensure_constants(graph)
            arrays, sizes = fed(graph, values)
            if self._sizes is not None and sizes != self._sizes:
                raise _other_sizes(sizes, self._sizes)
            plan = self.plan(graph, sizes)
            ready = _Ready(graph, arrays, plan)
        assert ready is not None
        try:
            results = ready.plan.run(arrays, graph.constants)
        except FailedOperation as error:
            ensure_constants(graph)
            raise _failure(error) from None
        except MemoryError:
            needed = ready.plan.buffer_bytes
            raise fail(
                "invalid-argument",
                operation="run",
                complaint=f"not enough memory for {needed} bytes of buffers and for the outputs",
                reason="the program was asked for larger results than this machine can hold.",
                advice="Run it with fewer or smaller inputs.",
            ) from None
        if ready is not self._ready:
            ready.metas = [_NDARRAY.meta_of(array) for array in results]
            self._ready = ready
        # Two frames up: `run` of a program called this, the user called that.
        frame, context = sys._getframe(2), current()
        code, lasti = frame.f_code, frame.f_lasti
        tensors = [
            wrap(array, new_leaf(RUN, meta, NONE, code, lasti, context))
            for array, meta in zip(results, ready.metas, strict=True)
        ]
        return tensors[0] if len(tensors) == 1 and graph.single else tuple(tensors)

    def plan(self, graph: GraphIr, sizes: dict[str, int]) -> Plan:
        """The plan for these sizes of the program as it is now."""
        asked = (*sizes.values(), *graph.inputs, -1, *graph.outputs)
        known = self._plans.get(asked)
        # Operations never change, so the same ones in the same order are the same program.
        if known is not None and known[0] == graph.operations:
            return known[1]
        for number, array in graph.constants.items():
            if array is not None:
                graph.constants[number] = contents_of(array)
        made = Plan(bound(graph, sizes) if sizes else graph)
        if len(self._plans) >= _MOST_PLANS:
            self._plans.clear()
        self._plans[asked] = (list(graph.operations), made)
        return made


class _Ready:
    """What the last run was like: the next one is mostly the same, and checked in one look."""

    __slots__ = ("_inputs", "_operations", "_outputs", "_wanted", "metas", "plan")

    def __init__(self, graph: GraphIr, arrays: list[Any], plan: Plan) -> None:
        self.plan = plan
        self.metas: list[Meta] = []
        self._operations = list(graph.operations)
        self._inputs = list(graph.inputs)
        self._outputs = list(graph.outputs)
        self._wanted = [(array.shape, array.dtype) for array in arrays]

    def arrays(self, graph: GraphIr, values: tuple[Any, ...]) -> list[Any] | None:
        """The inputs' arrays where program, shapes and dtypes are those of the last run."""
        if (
            len(values) != len(self._wanted)
            or graph.operations != self._operations
            or graph.inputs != self._inputs
            or graph.outputs != self._outputs
        ):
            return None
        found: list[Any] = []
        for value, (shape, dtype) in zip(values, self._wanted, strict=True):
            array = value.prim if value.__class__ is Tensor else value
            if not is_array(array) or array.shape != shape or array.dtype is not dtype:
                return None
            if value.__class__ is Tensor and value.node.meta.device.is_capture:
                return None
            found.append(array)
        return found


def _other_sizes(given: dict[str, int], planned: dict[str, int]) -> GradvizError:
    name = next(name for name in given if given[name] != planned[name])
    return fail(
        "capture-boundary",
        boundary="size",
        name=name,
        complaint=f"{given[name]} given, planned for {planned[name]}",
        advice="Compile for this size, too, or use `captured.run`, which plans for each.",
    )


def fed(graph: GraphIr, values: tuple[Any, ...]) -> tuple[list[Any], dict[str, int]]:
    """The inputs as arrays, and the sizes they give to the program's symbols."""
    if len(values) != len(graph.inputs):
        raise fail(
            "capture-boundary",
            boundary="input",
            name=_label(graph, min(len(values), len(graph.inputs))),
            complaint=f"{len(values)} values for {len(graph.inputs)} inputs",
            advice="Give one value for every input of the captured function.",
        )
    arrays: list[Any] = []
    sizes: dict[str, tuple[int, str]] = {}
    later: list[tuple[str, Any, TensorIr]] = []
    for at, (value, number) in enumerate(zip(values, graph.inputs, strict=True)):
        wanted = graph.tensors[number]
        name = _label(graph, at)
        array = _array(value, name, wanted)
        arrays.append(array)
        if array.shape != wanted.shape:
            _match(name, array.shape, wanted, sizes)
            later.append((name, array, wanted))
    numbers = {symbol: size for symbol, (size, _) in sizes.items()}
    for name, array, wanted in later:
        for size, given in zip(wanted.shape, array.shape, strict=True):
            if isinstance(size, Size) and (
                any(symbol not in numbers for symbol in size.symbols) or size.at(numbers) != given
            ):
                raise _misfit(name, array.shape, wanted)
    return arrays, {symbol: numbers[symbol] for symbol in sorted(numbers)}


def _label(graph: GraphIr, at: int) -> str:
    """The name of an input, or its position where it has none."""
    name = graph.tensors[graph.inputs[at]].name if at < len(graph.inputs) else None
    return name or str(at)


def _array(value: Any, name: str, wanted: TensorIr) -> Any:
    array = borrowed(value.prim if isinstance(value, Tensor) else value)
    if array is None:
        plain = read(value, "run") if isinstance(value, Tensor) else value
        array = array_of(plain, None, operation="run")
    if array.dtype.name == wanted.dtype:
        return array
    if isinstance(value, Tensor) or hasattr(value, "dtype"):
        raise fail(
            "capture-boundary",
            boundary="input",
            name=name,
            complaint=f"dtype {array.dtype.name} given, {wanted.dtype} captured",
            advice=f"Convert the value to {wanted.dtype} first.",
        )
    if category(array.dtype) not in _FITTING[category(named(wanted.dtype))]:
        raise fail(
            "capture-boundary",
            boundary="input",
            name=name,
            complaint=f"{_SORTS[category(array.dtype)]} given, {wanted.dtype} captured",
            advice=f"Give values that {wanted.dtype} can hold.",
        )
    return array.astype(wanted.dtype)


def _match(
    name: str, given: tuple[int, ...], wanted: TensorIr, sizes: dict[str, tuple[int, str]]
) -> None:
    """Notes what a shape says of symbols."""
    if len(given) != len(wanted.shape):
        raise _misfit(name, given, wanted)
    for size, number in zip(wanted.shape, given, strict=True):
        if not isinstance(size, Size):
            if size != number:
                raise _misfit(name, given, wanted)
        elif str(size) in size.symbols:  # a symbol by itself
            known = sizes.setdefault(str(size), (number, name))
            if known[0] != number:
                raise fail(
                    "capture-boundary",
                    boundary="input",
                    name=name,
                    complaint=f"`{size}` is {number} here and {known[0]} in {known[1]}",
                    advice=f"Give inputs that agree on `{size}`.",
                )


def _misfit(name: str, given: tuple[int, ...], wanted: TensorIr) -> GradvizError:
    return fail(
        "capture-boundary",
        boundary="input",
        name=name,
        complaint=f"shape {given} given, {wanted.shape} captured",
        advice="Give a value of the captured shape, or capture again with this one; a size that "
        'may vary gets a name: `gv.spec(("batch", 3))`.',
    )


def ensure_constants(graph: GraphIr, operation: str = "run") -> None:
    """Refuses a program some of whose constants are only referred to."""
    for array in graph.constants.values():
        if array is None:
            break
    else:
        return
    missing = [number for number, array in graph.constants.items() if array is None]
    if missing:
        names = [graph.tensors[number].name or f"%{number}" for number in missing[:5]]
        raise fail(
            "invalid-program",
            operation=operation,
            complaint=f"constants without contents: {', '.join(names)}",
            reason="the program was read from a text that only refers to them.",
            advice="Give their arrays: `from_json(text, constants={name: array})`.",
        )


def _failure(failed: FailedOperation) -> BaseException:
    """What a kernel raised, in the operation's own terms and with the recorded expression."""
    operation = failed.operation
    cause = failed.__cause__
    if not isinstance(cause, Exception):
        return failed
    row = table[operation.op]
    tensors: list[Any] = [
        None if array is None else _tensor(host().as_array(array)) for array in failed.inputs
    ]
    if row.variadic:
        fixed = len(row.inputs) - 1
        tensors = [*tensors[:fixed], tensors[fixed:]]
    error = explain(cause, row, tensors, tuple(value for _, value in operation.attributes))
    if isinstance(error, GradvizError):
        error.blame(operation.source)
        return error
    # What no kernel says of tensors: the attributes of a program from elsewhere.
    return stumbled("run", operation.op, cause, operation.source)


def _tensor(array: Any) -> Tensor:
    return wrap(array, new_leaf(RUN, _NDARRAY.meta_of(array), NONE, None, -1, current()))
