"""Passes: what makes a program shorter without changing what it computes, each with a report.

A pass takes a program and gives another one; inputs, outputs, their order and their names stay.

- `dead_code` removes operations and constants that no output needs.
- `folded` computes what depends on constants alone.
- `shared` computes what is computed twice only once.
- `fusion_groups` (in `gradviz.ir.fusion`) tells which elementwise operations run together.

Random numbers are drawn as often as before: such operations are neither removed nor shared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Final

from gradviz.core.shape import count
from gradviz.ir.fusion import FusionGroup, fusion_groups
from gradviz.ir.graph import GraphIr, OperationIr
from gradviz.ir.host import host
from gradviz.ir.keys import key
from gradviz.ops.size import Size
from gradviz.ops.spec import table

LARGEST_FOLDED: Final = 2**16
"""Elements up to which a result that depends on constants alone is kept instead of computed."""
_SMALL: Final = 64
"""Elements up to which unnamed constants are compared by their contents."""
_MOST_NAMED: Final = 6


@dataclass(frozen=True, slots=True)
class PassReport:
    """What a pass did.

    Attributes:
        name: the pass.
        done: what it did, in words.
        operations: the operations it removed or joined, as they were.
    """

    name: str
    done: str
    operations: tuple[OperationIr, ...] = ()

    def __str__(self) -> str:
        return f"{self.name}: {self.done}"


@dataclass(frozen=True, slots=True)
class Optimized:
    """A program after all passes.

    Attributes:
        graph: the program.
        reports: what each pass did, in order.
        groups: its elementwise operations that run together.
    """

    graph: GraphIr
    reports: tuple[PassReport, ...]
    groups: tuple[FusionGroup, ...]

    def __str__(self) -> str:
        return "\n".join([*map(str, self.reports), str(self.graph)])


def optimize(graph: GraphIr) -> Optimized:
    """All passes, one after the other."""
    reports: list[PassReport] = []
    made = graph
    for step in (dead_code, folded, shared, dead_code):
        made, report = step(made)
        if report.operations or step is not dead_code or not reports:
            reports.append(report)
    groups = fusion_groups(made)
    joined = tuple(made.operations[at] for group in groups for at in group.members)
    text = f"{_counted(len(groups), 'group')} of elementwise operations"
    if groups:
        text += ", " + ", ".join(str(len(group.members)) for group in groups[:_MOST_NAMED])
        text += " operations" if len(groups) <= _MOST_NAMED else " ... operations"
    reports.append(PassReport("fusion", text, joined))
    return Optimized(made, tuple(reports), groups)


def dead_code(graph: GraphIr) -> tuple[GraphIr, PassReport]:
    """The program without operations and constants that no output needs."""
    needed = set(graph.outputs)
    alive: list[OperationIr] = []
    dead: list[OperationIr] = []
    for operation in reversed(graph.operations):
        if needed.intersection(operation.outputs) or not _pure(operation):
            alive.append(operation)
            needed.update(operation.inputs)
        else:
            dead.append(operation)
    alive.reverse()
    dead.reverse()
    made = _with(graph, alive)
    lost = len(graph.constants) - len(made.constants)
    done = f"{_counted(len(dead), 'operation')} removed{_named(dead)}"
    if lost:
        done += f", {_counted(lost, 'constant')} with them"
    return made, PassReport("dead code", done, tuple(dead))


def folded(graph: GraphIr, *, largest: int = LARGEST_FOLDED) -> tuple[GraphIr, PassReport]:
    """The program with constants in place of small results that depend on constants alone.

    Named constants, which are a module's parameters and buffers, stay what they are: giving a
    program other parameters must have its effect.
    """
    values: dict[int, Any] = {
        number: array
        for number, array in graph.constants.items()
        if array is not None and graph.tensors[number].name is None
    }
    made = graph.copy()
    kept, gone = [], []
    outputs = set(graph.outputs)
    for operation in graph.operations:
        results = None
        if _pure(operation) and _foldable(graph, operation, values, outputs, largest):
            inputs = [None if number < 0 else values[number] for number in operation.inputs]
            try:
                results = host().compute(operation, inputs)
            except Exception:  # what can't be computed fails in a run, where it belongs
                results = None
        if results is None:
            kept.append(operation)
            continue
        gone.append(operation)
        for number, value in zip(operation.outputs, results, strict=True):
            # Not copied: how an array lies in memory decides in which order it is summed.
            values[number] = made.constants[number] = host().as_array(value)
            made.tensors[number] = replace(made.tensors[number], status="constant")
    made.operations = kept
    done = f"{_counted(len(gone), 'operation')} computed in advance{_named(gone)}"
    return _with(made, kept), PassReport("constant folding", done, tuple(gone))


def shared(graph: GraphIr) -> tuple[GraphIr, PassReport]:
    """The program with equal operations on equal inputs, and equal small constants, once each."""
    same: dict[int, int] = {}
    firsts: dict[Hashable, int] = {}
    for number, array in graph.constants.items():
        tensor = graph.tensors[number]
        small = array is not None and count(tensor.shape) <= _SMALL
        if tensor.name is None and small and number not in graph.outputs:
            first = firsts.setdefault((tensor.dtype, key(array)), number)
            if first != number:
                same[number] = first
    kept: list[OperationIr] = []
    gone: list[OperationIr] = []
    seen: dict[Hashable, OperationIr] = {}
    for operation in graph.operations:
        inputs = tuple(same.get(number, number) for number in operation.inputs)
        known = (operation.op, inputs, key(operation.attributes))
        before = seen.get(known) if _pure(operation) else None
        # Outputs are values of their own: they stay, even where they are equal to others.
        if before is not None and not set(graph.outputs).intersection(operation.outputs):
            same.update(zip(operation.outputs, before.outputs, strict=True))
            gone.append(operation)
            continue
        made = operation if inputs == operation.inputs else replace(operation, inputs=inputs)
        seen.setdefault(known, made)
        kept.append(made)
    merged = sum(number in graph.constants for number in same)
    done = f"{_counted(len(gone), 'operation')} computed once instead of again{_named(gone)}"
    if merged:
        done += f", {_counted(merged, 'constant')} joined with equal ones"
    return _with(graph, kept), PassReport("common subexpressions", done, tuple(gone))


def _with(graph: GraphIr, operations: list[OperationIr]) -> GraphIr:
    """The program with other operations, and the tensors these need."""
    needed = {*graph.inputs, *graph.outputs}
    for operation in operations:
        needed.update(operation.inputs)
        needed.update(operation.outputs)
    made = graph.copy()
    made.operations = operations
    made.tensors = {number: item for number, item in graph.tensors.items() if number in needed}
    made.constants = {number: item for number, item in graph.constants.items() if number in needed}
    made.parameters = [number for number in graph.parameters if number in needed]
    return made


def _pure(operation: OperationIr) -> bool:
    return table[operation.op].pure


def _foldable(
    graph: GraphIr,
    operation: OperationIr,
    values: dict[int, Any],
    outputs: set[int],
    largest: int,
) -> bool:
    if any(number >= 0 and number not in values for number in operation.inputs):
        return False
    for number in operation.outputs:
        tensor = graph.tensors[number]
        if number in outputs or any(isinstance(size, Size) for size in tensor.shape):
            return False
        if count(tensor.shape) > largest:
            return False
    return True


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _named(operations: Iterable[OperationIr]) -> str:
    found = Counter(operation.op for operation in operations)
    if not found:
        return ""
    parts = [name if n == 1 else f"{name} x{n}" for name, n in found.most_common(_MOST_NAMED)]
    return f" ({', '.join(parts)}{', ...' if len(found) > _MOST_NAMED else ''})"
