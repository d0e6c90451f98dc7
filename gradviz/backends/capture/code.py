"""A plan written out as one Python function, so that a run does nothing but call NumPy.

The text holds names of places only; functions, attributes and sizes reach it through its namespace,
so nothing of a program becomes code.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from gradviz.backends.capture.group import BlockGroup
from gradviz.backends.capture.units import Call, Product

if TYPE_CHECKING:
    from gradviz.backends.capture.plan import Plan


def written(plan: Plan) -> Callable[..., Any]:
    """The function of a plan: `(inputs, constants, buffers) -> outputs`."""
    return _Writer(plan).function()


class _Writer:
    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._scope: dict[str, Any] = {"matmul": np.matmul, "add": np.add, "empty": np.empty}
        self._lines: list[str] = []
        self._in_order: set[int] = set()
        """Tensors whose elements are known to lie one behind the other."""

    def function(self) -> Callable[..., Any]:
        plan, graph = self._plan, self._plan.graph
        head = [f"{self._names(graph.inputs)}= inputs"] if graph.inputs else []
        head += [f"v{number} = constants[{number}]" for number in graph.constants]
        if plan.places:
            head.append("full = buffers.full")
            head += [f"b{number} = full[{number}]" for number in plan.places]
        for unit in plan.units:
            if isinstance(unit, BlockGroup):
                self._group(unit)
            elif isinstance(unit, Product):
                self._product(unit)
            else:
                self._call(unit)
            if unit.dead:
                self._lines.append(" = ".join(f"v{number}" for number in unit.dead) + " = None")
        body = [*head, *self._lines, f"return [{self._names(graph.outputs)}]"]
        source = "def run(inputs, constants, buffers):\n" + "".join(f"    {x}\n" for x in body)
        exec(compile(source, "<gradviz:plan>", "exec"), self._scope)  # noqa: S102 - ours alone
        made: Callable[..., Any] = self._scope["run"]
        return made

    def _names(self, numbers: tuple[int, ...] | list[int]) -> str:
        return "".join(f"v{number}, " for number in numbers)

    def _held(self, value: Any) -> str:
        """The name under which the function finds a value."""
        name = f"o{len(self._scope)}"
        self._scope[name] = value
        return name

    def _result(self, number: int) -> str:
        """Where a result is written: a buffer, or memory of its own."""
        if number in self._plan.places:
            return f"b{number}"
        tensor = self._plan.graph.tensors[number]
        shape, dtype = self._held(tensor.shape), self._held(np.dtype(tensor.dtype))
        self._lines.append(f"v{number} = empty({shape}, {dtype})")
        return f"v{number}"

    def _product(self, unit: Product) -> None:
        number = unit.outputs[0]
        self._in_order.add(number)
        x, weight = (f"v{given}" for given in unit.reads[:2])
        if unit.flattens:
            self._lines.append(f"v{number} = {self._held(unit.product)}({self._arguments(unit)})")
            return
        out = self._result(number)
        if unit.operation.op == "linear":
            weight += ".T"
        self._lines.append(f"matmul({x}, {weight}, out={out})")
        if len(unit.reads) > 2 and unit.reads[2] >= 0:
            self._lines.append(f"add({out}, v{unit.reads[2]}, out={out})")
        if out != f"v{number}":
            self._lines.append(f"v{number} = {out}")

    def _arguments(self, unit: Product) -> str:
        out = self._result(unit.outputs[0])
        given = ["None" if number < 0 else f"v{number}" for number in unit.reads]
        return ", ".join([*given, out])

    def _group(self, unit: BlockGroup) -> None:
        doubtful = [number for number in unit.reads if number not in self._in_order]
        fallback = self._held(unit.one_by_one)
        before = self._lines
        self._lines = []
        outs = [self._result(number) for number in unit.outputs]
        places = [f"v{number}" for number in unit.reads] + outs
        if unit.single:
            self._steps(unit, places)
        else:
            self._lines.append(f"{self._held(unit.in_blocks)}([{', '.join(places)}], buffers)")
        for number, out in zip(unit.outputs, outs, strict=True):
            if out != f"v{number}":
                self._lines.append(f"v{number} = {out}")
        fast, self._lines = self._lines, before
        if not doubtful:
            self._in_order.update(unit.outputs)
            self._lines += fast
            return
        test = " and ".join(f"v{number}.flags.c_contiguous" for number in doubtful)
        given = "".join(f"v{number}, " for number in unit.reads)
        self._lines.append(f"if {test}:")
        self._lines += [f"    {line}" for line in fast]
        self._lines.append("else:")
        self._lines.append(f"    {self._names(unit.outputs)}= {fallback}(({given}), buffers)")

    def _steps(self, unit: BlockGroup, places: list[str]) -> None:
        if unit.scratch_of:
            name = f"m{len(self._scope)}"
            self._lines.append(f"{name} = buffers.middle[{self._held(unit)}]")
            places = places + [f"{name}_{at}" for at in range(len(unit.scratch_of))]
            self._lines.append(
                "".join(f"{name}_{at}, " for at in range(len(unit.scratch_of))) + f"= {name}"
            )
        outside = len(unit.reads) + len(unit.outputs)
        for step in unit.steps:
            given = [places[at] for at in step.reads] + [self._held(item) for item in step.more]
            call, to = self._held(step.call), places[step.writes]
            if step.fills:
                self._lines.append(f"{call}({', '.join(given)}, out={to})")
            elif step.writes < outside:
                self._lines.append(f"{to}[...] = {call}({', '.join(given)})")
            else:
                self._lines.append(f"{to} = {call}({', '.join(given)})")

    def _call(self, unit: Call) -> None:
        given = ["None" if number < 0 else f"v{number}" for number in unit.reads]
        if unit.row.variadic:
            fixed = len(unit.row.inputs) - 1
            given = [*given[:fixed], f"[{', '.join(given[fixed:])}]"]
        given += [self._held(value) for value in unit.attributes]
        call = f"{self._held(unit.kernel)}({', '.join(given)})"
        if len(unit.outputs) == 1 and not unit.row.kept:
            self._lines.append(f"v{unit.outputs[0]} = {call}")
            return
        kept = "".join("_, " for _ in unit.row.kept)
        self._lines.append(f"{self._names(unit.outputs)}{kept}= {call}")
