"""A program compiled for execution."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gradviz.backends.capture.group import BlockGroup
from gradviz.backends.capture.plan import Plan
from gradviz.capture.running import Runner
from gradviz.errors import fail
from gradviz.ir.graph import GraphIr


class CompiledGraph:
    """A plan for a captured program: bare arrays, reused buffers, elementwise work in blocks.

    It may be run by several threads at once, and gives results to the last bit as eager execution
    does. `str()` tells its steps.
    """

    def __init__(self, graph: GraphIr, sizes: Mapping[str, int] | None = None) -> None:
        self.graph = graph.copy()
        self.sizes = dict(sizes or {})
        wanted = set(self.graph.symbols)
        if set(self.sizes) != wanted:
            names = sorted(wanted.symmetric_difference(self.sizes))
            raise fail(
                "capture-boundary",
                boundary="size",
                name=names[0],
                complaint="is missing" if names[0] in wanted else "is unknown",
                reason=f"a plan is made for numbers; the program leaves open "
                f"{', '.join(sorted(wanted)) or 'no size'}.",
                advice="Give a number for each size that was left open: `compile(batch=64)`.",
            )
        for name, size in self.sizes.items():
            if type(size) is not int or size < 0:
                raise fail(
                    "capture-boundary",
                    boundary="size",
                    name=name,
                    complaint=f"{size!r} is no size",
                    advice="Give a whole number from 0 up.",
                )
        self._runner = Runner(self.sizes)
        self.plan: Plan = self._runner.plan(
            self.graph, {name: self.sizes[name] for name in sorted(self.sizes)}
        )

    def run(self, *values: Any) -> Any:
        """Executes the plan; see `CapturedGraph.run`.

        Raises:
            GradvizError: `capture-boundary` for inputs that don't fit, or of other sizes.
        """
        return self._runner.run(self.graph, values)

    __call__ = run

    @property
    def buffer_bytes(self) -> int:
        """Bytes of memory that one run uses besides its inputs, outputs and small results."""
        return self.plan.buffer_bytes

    def __str__(self) -> str:
        plan = self.plan
        lines = []
        for at, unit in enumerate(plan.units):
            places = sorted({plan.places[n] for n in unit.outputs if n in plan.places})
            into = f" into buffer {', '.join(map(str, places))}" if places else ""
            if isinstance(unit, BlockGroup):
                names = ", ".join(operation.op for operation in unit.operations)
                sizes = "x".join(map(str, unit.shape))
                blocks = -(-unit.total // unit.block)
                lines.append(f"{at}: {sizes} in {blocks} blocks: {names}{into}")
            else:
                lines.append(f"{at}: {unit.operation.op}{into}")
        lines.append(f"{len(plan.sizes)} buffers, {plan.buffer_bytes} bytes with scratch space")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"CompiledGraph({len(self.plan.units)} steps, {self.buffer_bytes} bytes of buffers)"
