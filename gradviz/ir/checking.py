"""What makes a program: the rules that `GraphIr.validate` checks, in this order.

1. Every tensor has its number as key, sizes that are none below zero, a known dtype, and the status
   that inputs, constants and operations give it.
   Sizes that are left open are those of inputs.
2. Inputs and outputs are known tensors, each named once; inputs are not computed in the program.
3. Every operation is a row of the table with the right number of inputs, outputs and attributes;
   it reads only what is there already, and makes what isn't.
4. The row's own inference gives the shapes and dtypes that the results are said to have.
5. Every output is there at the end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NoReturn

from gradviz.core import dtype as dtypes
from gradviz.errors import GradvizError, fail
from gradviz.ir.host import host
from gradviz.ir.inference import Contradiction, results_of
from gradviz.ir.values import MOST_DIMENSIONS, MOST_ELEMENTS
from gradviz.ops.size import NAME, Size
from gradviz.ops.spec import Row, table
from gradviz.ops.symbolic import symbols_in

if TYPE_CHECKING:
    from gradviz.core.source import SourceSpan
    from gradviz.ir.graph import GraphIr, OperationIr, TensorIr

_FEW: Final = 5
_DIMENSIONS: Final = ("dim", "dims", "dim0", "dim1", "axis")
_REPEATED: Final = ("kernel_size", "dilation", "output_padding")
_LENGTHS: Final = ("n", "stride", "padding", "step")
MOST_REPEATED: Final = 2**20
"""The largest window: kernels do something for each of its elements, whatever the shapes are."""
MOST_LONG: Final = 2**28
"""The largest length that kernels may have to make room for."""


def check(graph: GraphIr) -> None:
    """Raises the error of the first rule that a program breaks."""
    for number, tensor in graph.tensors.items():
        _tensor(number, tensor)
    made_by: dict[int, int] = {}
    for at, operation in enumerate(graph.operations):
        for number in operation.outputs:
            made_by.setdefault(number, at)
    _boundary(graph, "input", graph.inputs)
    _boundary(graph, "output", graph.outputs)
    for number in graph.inputs:
        if number in made_by:
            _refuse_boundary(graph, "input", number, "is produced within the graph")
        if number in graph.constants:
            _refuse_boundary(graph, "input", number, "is a constant of the graph")
    _names(graph)
    for number, array in graph.constants.items():
        _constant(graph, number, array)
    for number in graph.parameters:
        if number not in graph.constants:
            _refuse(f"parameter %{number} is no constant")
    _open_sizes(graph)
    known = {*graph.inputs, *graph.constants}
    for number in known:
        wanted = "input" if number not in graph.constants else "constant"
        if graph.tensors[number].status != wanted:
            _refuse(f"tensor %{number} is said to be {graph.tensors[number].status}")
    for at, operation in enumerate(graph.operations):
        _operation(graph, at, operation, known, made_by)
        known.update(operation.outputs)
    for number, tensor in graph.tensors.items():
        if number not in known:
            _refuse(f"tensor {tensor} is never defined")
    for number in graph.outputs:
        if number not in known:
            _refuse_boundary(graph, "output", number, "does not survive the graph")


def _tensor(number: int, tensor: TensorIr) -> None:
    label = f"tensor %{number}"
    if type(number) is not int or number < 0 or tensor.id != number:
        _refuse(f"{label} has the number {tensor.id}")
    if tensor.dtype not in dtypes.NAMES:
        _refuse(f"{label} has no known dtype: {tensor.dtype}")
    if not isinstance(tensor.shape, tuple) or len(tensor.shape) > MOST_DIMENSIONS:
        _refuse(f"{label} has no shape of at most {MOST_DIMENSIONS} dimensions")
    total = 1
    for size in tensor.shape:
        if isinstance(size, Size):
            if not all(NAME.fullmatch(name) for name in size.symbols):
                _refuse(f"{label} has the size {size}, whose symbol is no name")
        elif type(size) is not int or size < 0:
            _refuse(f"{label} has the size {size!r}")
        else:
            total *= max(size, 1)
    if total > MOST_ELEMENTS:
        _refuse(f"{label} has {total} elements, more than {MOST_ELEMENTS}")


def _boundary(graph: GraphIr, boundary: str, numbers: list[int]) -> None:
    seen: set[int] = set()
    for number in numbers:
        if number in seen:
            _refuse_boundary(graph, boundary, number, "is declared twice")
        seen.add(number)
        if number not in graph.tensors:
            _refuse_boundary(graph, boundary, number, "is unknown")


def _names(graph: GraphIr) -> None:
    names = [graph.tensors[number].name for number in graph.inputs]
    for at, name in enumerate(names):
        if name is not None and name in names[:at]:
            _refuse_boundary(graph, "input", graph.inputs[at], f"has a name, {name}, that is taken")


def _open_sizes(graph: GraphIr) -> None:
    """Sizes that are left open are those of inputs: a run has no other way to know them."""
    given = set(graph.symbols)
    for tensor in graph.tensors.values():
        if unknown := symbols_in(tensor.shape) - given:
            _refuse(f"tensor %{tensor.id} has the size {min(unknown)}, which no input has")
    for at, operation in enumerate(graph.operations):
        if operation.attributes and (unknown := symbols_in(operation.attributes) - given):
            label = f"operation {at} ({operation.op[:80]})"
            _refuse(f"{label} has the size {min(unknown)}, which no input has", operation.source)


def _constant(graph: GraphIr, number: int, array: Any) -> None:
    tensor = graph.tensors.get(number)
    if tensor is None:
        _refuse(f"constant %{number} is unknown")
    if array is None:
        return
    shape, dtype = host().facts(array)
    if (shape, dtype) != (tensor.shape, tensor.dtype):
        _refuse(f"constant {tensor} holds an array of shape {shape} and dtype {dtype}")


def _operation(
    graph: GraphIr, at: int, operation: OperationIr, known: set[int], made_by: dict[int, int]
) -> None:
    label = f"operation {at} ({operation.op[:80]})"
    row = table.get(operation.op)
    if row is None:
        _refuse(f"{label} is unknown", operation.source)
    _arity(row, operation, label)
    for number in operation.inputs:
        if number < 0 or number in known:
            continue
        if number in made_by:
            when = "makes it itself" if made_by[number] == at else "is made later"
            _refuse(
                f"{label} reads %{number}, which {when}: a cycle, or operations out of order"
                if when == "is made later"
                else f"{label} reads its own result %{number}: a cycle",
                operation.source,
            )
        if number not in graph.tensors:
            _refuse(f"{label} reads %{number}, which is undefined", operation.source)
        _refuse_boundary(
            graph, "input", number, f"is read by {label} and undeclared", operation.source
        )
    for number in operation.outputs:
        if number in known or operation.outputs.count(number) > 1:
            _refuse(f"{label} makes %{number}, which is there already", operation.source)
        if number not in graph.tensors:
            _refuse(f"{label} makes %{number}, which is undefined", operation.source)
        if graph.tensors[number].status != "computed":
            _refuse(f"tensor %{number} is computed, not {graph.tensors[number].status}")
    _dimensions(graph, operation, label)
    _amounts(operation, label)
    _inferred(graph, operation, label)


def _dimensions(graph: GraphIr, operation: OperationIr, label: str) -> None:
    """Numbers of dimensions, which rules of results that keep their shape don't look at."""
    ranks = [len(graph.tensors[number].shape) for number in operation.inputs if number >= 0]
    for name, value in operation.attributes:
        if name == "shape" and isinstance(value, tuple):
            ranks.append(len(value))
    limit = 1 + max(ranks, default=0)
    for name, value in operation.attributes:
        if name not in _DIMENSIONS or value is None:
            continue
        for dim in value if isinstance(value, tuple) else (value,):
            if type(dim) is not int or not -limit <= dim < limit:
                _refuse(f"{label}: {dim!r} is no dimension ({name})", operation.source)


def _amounts(operation: OperationIr, label: str) -> None:
    """Numbers that kernels work through, or make room for, whatever the shapes say."""
    for name, value in operation.attributes:
        if name not in _REPEATED and name not in _LENGTHS:
            continue
        limit = MOST_REPEATED if name in _REPEATED else MOST_LONG
        pending = [value]
        while pending:
            item = pending.pop()
            if isinstance(item, tuple):
                pending += item
            elif type(item) is int and not -limit <= item <= limit:
                _refuse(f"{label}: {item} is too large ({name})", operation.source)


def _arity(row: Row, operation: OperationIr, label: str) -> None:
    given, least = len(operation.inputs), len(row.inputs)
    if given < least or (given > least and not row.variadic):
        wanted = f"{least} or more" if row.variadic else f"{least}"
        _refuse(f"{label} has {given} inputs instead of {wanted}", operation.source)
    for at, number in enumerate(operation.inputs):
        item = row.inputs[min(at, least - 1)]
        if number < 0 and not (number == -1 and item.optional):
            _refuse(f"{label} lacks its input {item.name}", operation.source)
    results = 1 + len(row.extra_results)
    if len(operation.outputs) != results:
        _refuse(
            f"{label} has {len(operation.outputs)} results instead of {results}", operation.source
        )
    names = [name for name, _ in operation.attributes]
    wanted_names = [attr.name for attr in row.attrs]
    if names != wanted_names:
        _refuse(
            f"{label} has the attributes {names[:_FEW]} instead of {wanted_names}",
            operation.source,
        )


def _inferred(graph: GraphIr, operation: OperationIr, label: str) -> None:
    try:
        results = results_of(graph, operation)
    except GradvizError as error:
        text = str(error.problem.message)
        raise fail(
            "invalid-program",
            operation="validate",
            complaint=f"{label} can't be: {text}",
            reason=error.problem.reason,
            cause=operation.source,
        ) from None
    except Contradiction as error:
        _refuse(f"{label} can't be: {error}", operation.source)
    for number, (shape, dtype) in zip(operation.outputs, results, strict=True):
        said = graph.tensors[number]
        if (said.shape, said.dtype) != (shape, dtype):
            sizes = ", ".join(map(str, shape))
            _refuse(f"{label} gives {dtype}[{sizes}], which is said to be {said}", operation.source)


def _refuse(complaint: str, source: SourceSpan | None = None) -> NoReturn:
    raise fail("invalid-program", operation="validate", complaint=complaint, cause=source)


def _refuse_boundary(
    graph: GraphIr,
    boundary: str,
    number: int,
    complaint: str,
    source: SourceSpan | None = None,
) -> NoReturn:
    tensor = graph.tensors.get(number)
    name = (None if tensor is None else tensor.name) or f"%{number}"
    raise fail(
        "capture-boundary",
        boundary=boundary,
        name=name,
        complaint=complaint,
        reason=f"{boundary} {name} {complaint}.",
        advice="Declare every input and output once: inputs are given, outputs are there at the "
        "end.",
        cause=source,
    )
