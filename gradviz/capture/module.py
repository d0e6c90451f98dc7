"""A captured program as a module: its learned constants are parameters, and calling it replays it.

Replaying goes through the operations of tensors, so that everything works on it that works on any
module: gradients, optimizers, hooks into pictures, recording it again.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from gradviz.core.context import Context, Scope, current, enter, leave
from gradviz.dispatch.registry import get_default_device
from gradviz.errors import GradvizError, fail
from gradviz.ir.graph import ABSENT, GraphIr
from gradviz.ir.stumbling import stumbled
from gradviz.nn.module import Module
from gradviz.nn.parameter import Buffer, Parameter
from gradviz.ops import symbolic
from gradviz.ops.size import Size
from gradviz.ops.spec import table
from gradviz.tensor.base import Tensor
from gradviz.tensor.general import as_operand, general, moved


@dataclass(frozen=True, slots=True)
class Step:
    """One operation to replay.

    Attributes:
        op: the row of the operation table.
        inputs: numbers of its inputs.
        outputs: numbers of its results.
        attributes: its other arguments in canonical form.
        scopes: labels of the scopes it was recorded in.
        done: numbers of values that nothing after it needs.
    """

    op: str
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    attributes: tuple[Any, ...]
    scopes: tuple[str, ...]
    done: tuple[int, ...]


class Section(Module):
    """Holds the parameters whose names begin with its own."""


class CapturedModule(Module):
    """A captured program with its constants as parameters and buffers.

    Made by `captured.to_module()`; parameters have the names of the program's constants.
    """

    def __init__(self, graph: GraphIr) -> None:
        super().__init__()
        self._steps = _steps(graph)
        self._inputs = tuple((number, graph.tensors[number].shape) for number in graph.inputs)
        self._outputs = tuple(graph.outputs)
        self._single = graph.single and len(graph.outputs) == 1
        self._places: dict[int, tuple[str, ...]] = {}
        learned = set(graph.parameters)
        for number, array in graph.constants.items():
            name = graph.tensors[number].name
            held: Any
            if number in learned:
                held = Parameter(array)
            else:
                held = Buffer(array, persistent=name is not None)
            self._places[number] = self._put(name or f"constant_{number}", held)

    def _put(self, name: str, held: Any) -> tuple[str, ...]:
        """Sets what a dotted name says, and returns where it is."""
        *sections, own = [_attribute(part) for part in name.split(".")]
        module: Module = self
        place = []
        for label in sections:
            found = vars(module).get(label)
            while not isinstance(found, Section | None):
                label += "_"  # noqa: PLW2901 - until it is free
                found = vars(module).get(label)
            if found is None:
                found = Section()
                setattr(module, label, found)
            module = found
            place.append(label)
        while own in vars(module):
            own += "_"
        setattr(module, own, held)
        return (*place, own)

    def forward(self, *inputs: Any) -> Any:
        """Replays the program.

        Args:
            inputs: a tensor or array for every input of the program.

        Returns:
            A tensor, or a tuple of tensors where the program has several outputs.

        Raises:
            GradvizError: `capture-boundary` for a missing or extra input; what the operations
                raise on inputs of other shapes than the program takes.
        """
        values = self._given(inputs)
        sizes = self._sizes(values)
        device = next((t.device for t in values.values()), get_default_device())
        for number, place in self._places.items():
            held: Any = self
            for label in place:
                held = getattr(held, label)
            # In a recording, what is computed of constants alone belongs to it, too.
            values[number] = moved(held, device) if device.is_capture else held
        scopes: dict[tuple[str, ...], Scope | None] = {(): current().scope}
        for step in self._steps:
            now = current()
            scope = _scope(step.scopes, scopes)
            token = enter(Context(now.grad_enabled, scope, now.code, now.lasti, now.quiet))
            try:
                results = _replayed(step, values, sizes)
            finally:
                leave(token)
            values.update(zip(step.outputs, results, strict=False))
            for number in step.done:
                values.pop(number, None)
        found = tuple(values[number] for number in self._outputs)
        return found[0] if self._single else found

    def _given(self, inputs: tuple[Any, ...]) -> dict[int, Any]:
        if len(inputs) != len(self._inputs):
            raise fail(
                "capture-boundary",
                boundary="input",
                name=str(min(len(inputs), len(self._inputs))),
                complaint=f"{len(inputs)} values for {len(self._inputs)} inputs",
                advice="Give one tensor for every input of the captured program.",
            )
        device = get_default_device()
        return {
            number: given if isinstance(given, Tensor) else as_operand("forward", given, device)
            for (number, _), given in zip(self._inputs, inputs, strict=True)
        }

    def _sizes(self, values: dict[int, Any]) -> dict[str, Any]:
        """What the sizes that are only names stand for in these inputs."""
        found: dict[str, Any] = {}
        for number, shape in self._inputs:
            given = values[number].shape
            for size, length in zip(shape, given, strict=False):
                if isinstance(size, Size) and str(size) in size.symbols:
                    found.setdefault(str(size), length)
        return found


def _steps(graph: GraphIr) -> tuple[Step, ...]:
    last: dict[int, int] = {}
    for at, operation in enumerate(graph.operations):
        for number in (*operation.inputs, *operation.outputs):
            last[number] = at
    kept = {ABSENT, *graph.outputs, *graph.constants}
    ends: dict[int, list[int]] = {}
    for number, at in last.items():
        if number not in kept:
            ends.setdefault(at, []).append(number)
    return tuple(
        Step(
            operation.op,
            operation.inputs,
            operation.outputs,
            tuple(value for _, value in operation.attributes),
            tuple(scope.label for scope in operation.scopes),
            tuple(ends.get(at, ())),
        )
        for at, operation in enumerate(graph.operations)
    )


def _replayed(step: Step, values: dict[int, Any], sizes: dict[str, Any]) -> tuple[Any, ...]:
    row = table[step.op]
    inputs: list[Any] = [None if n == ABSENT else values[n] for n in step.inputs]
    if row.variadic:
        fixed = len(row.inputs) - 1
        inputs = [*inputs[:fixed], inputs[fixed:]]
    try:
        result = general(row, inputs, symbolic.at(step.attributes, sizes))
    except GradvizError:
        raise
    except Exception as error:
        raise stumbled("forward", step.op, error, None) from error
    return result if isinstance(result, tuple) else (result,)


def _scope(labels: tuple[str, ...], known: dict[tuple[str, ...], Scope | None]) -> Scope | None:
    """The scope of a path, opened once for each call."""
    if labels not in known:
        known[labels] = Scope(labels[-1], "scope", _scope(labels[:-1], known))
    return known[labels]


def _attribute(part: str) -> str:
    """A part of a name as the name of an attribute that no module has of its own."""
    label = re.sub(r"\W", "_", part) or "_"
    return f"{label}_" if hasattr(CapturedModule, label) or label in _TAKEN else label


_TAKEN = ("training", "_steps", "_inputs", "_outputs", "_single", "_places")
