"""Elementwise operations that run together, block by block."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from gradviz.backends.capture.lowering import Step, steps_of
from gradviz.backends.capture.units import Call
from gradviz.core.shape import count
from gradviz.ir.fusion import FusionGroup
from gradviz.ir.graph import GraphIr, OperationIr

if TYPE_CHECKING:
    from gradviz.backends.capture.plan import Buffers

BLOCK_BYTES: Final = 2**17
"""Bytes of one value of a block: 32,768 numbers of float32, a fraction of a core's cache."""
_EXACT: Final = (
    np.add,
    np.subtract,
    np.multiply,
    np.true_divide,
    np.maximum,
    np.minimum,
    np.negative,
    np.absolute,
)
"""Functions that give the same bits where they write over what they read."""
_WIDEST_ROW: Final = 8
"""Blocks that a row may be long where a group has to go row by row."""


class BlockGroup:
    """A group of elementwise operations with a place for every value.

    Places are numbered: what is read from outside, then the results needed outside, then what lies
    between, which has one of a few scratch buffers for as long as it is needed.
    """

    __slots__ = (
        "block",
        "dead",
        "dtypes",
        "flat",
        "members",
        "operations",
        "outputs",
        "reads",
        "row_size",
        "scratch",
        "scratch_bytes",
        "scratch_of",
        "shape",
        "single",
        "sliced",
        "steps",
        "total",
    )

    def __init__(self, graph: GraphIr, operations: list[OperationIr], group: FusionGroup) -> None:
        self.operations = operations
        self.reads = group.inputs
        self.outputs = group.outputs
        self.dead: tuple[int, ...] = ()
        self.shape: tuple[int, ...] = graph.tensors[operations[0].outputs[0]].shape  # type: ignore[assignment]
        self.dtypes = [np.dtype(graph.tensors[number].dtype) for number in self.outputs]
        shapes: list[Any] = [graph.tensors[number].shape for number in self.reads]
        self.flat = all(shape == self.shape or count(shape) == 1 for shape in shapes)
        """Whether the group may go through all elements in a row."""
        self.sliced = [
            shape == self.shape
            if self.flat
            else len(shape) == len(self.shape) and shape[0] == self.shape[0] != 1
            for shape in shapes
        ]
        """Which of the values from outside are taken block by block; others are taken whole."""
        self.row_size = 1 if self.flat else count(self.shape[1:])
        self._plan(graph)

    @classmethod
    def planned(
        cls, graph: GraphIr, operations: list[OperationIr], group: FusionGroup
    ) -> BlockGroup | None:
        """The group, or None where running it in blocks would bring nothing."""
        made = cls(graph, operations, group)
        if made.scratch_bytes > _WIDEST_ROW * BLOCK_BYTES * made.block:
            return None
        if made.single and not any(step.fills for step in made.steps):
            return None
        return made

    def _plan(self, graph: GraphIr) -> None:
        place = {number: at for at, number in enumerate((*self.reads, *self.outputs))}
        first = len(place)
        kinds: list[Any] = []

        def scratch(dtype: str) -> int:
            kinds.append(np.dtype(dtype))
            return first + len(kinds) - 1

        steps: list[Step] = []
        for operation in self.operations:
            (number,) = operation.outputs
            dtype = graph.tensors[number].dtype
            if number not in place:
                place[number] = scratch(dtype)
            reads = tuple(place[given] for given in operation.inputs)
            steps += steps_of(operation, reads, place[number], dtype, scratch)
        self.steps = steps
        widest = max((kind.itemsize for kind in [*kinds, *self.dtypes]), default=1)
        rows = max(BLOCK_BYTES // (widest * self.row_size), 1)
        self.total = count(self.shape) if self.flat else self.shape[0]
        """Elements, or rows, that the group goes through."""
        self.block = min(rows, self.total)
        self.single = self.block >= self.total
        self.scratch_bytes = self.block * self.row_size * widest
        self._assign(first, kinds)

    def _assign(self, first: int, kinds: list[Any]) -> None:
        """Gives the values in between scratch buffers, each for as long as it is needed."""
        holders: dict[int, frozenset[int]] = {}
        for step in self.steps:
            if step.fills:
                holders[step.writes] = frozenset((step.writes,))
            else:  # a kernel's result may be its input, or look into it
                none: frozenset[int] = frozenset()
                holders[step.writes] = none.union(*(holders.get(at, none) for at in step.reads))
        last: dict[int, int] = {}
        for at, step in enumerate(self.steps):
            for number in (*step.reads, step.writes):
                for holder in holders.get(number, ()):
                    last[holder] = at
        free: list[int] = []
        busy: list[tuple[int, int]] = []
        self.scratch_of: list[tuple[int, Any] | None] = [None] * len(kinds)
        self.scratch = 0
        for at, step in enumerate(self.steps):
            for item in [item for item in busy if item[0] < at]:
                busy.remove(item)
                free.append(item[1])
            slot = step.writes - first
            if slot < 0 or not step.fills or self.scratch_of[slot] is not None:
                continue
            if not free:
                free.append(self.scratch)
                self.scratch += 1
            buffer = free.pop()
            self.scratch_of[slot] = (buffer, kinds[slot])
            busy.append((last[step.writes], buffer))

    def may_write_over(self, given: int, result: int) -> bool:
        """Whether a result may go where one of the inputs lies: block by block, after its use."""
        at, to = self.reads.index(given), len(self.reads) + self.outputs.index(result)
        if not (self.flat and self.sliced[at]):
            return False
        written = [n for n, step in enumerate(self.steps) if step.writes == to]
        if len(written) != 1:
            return False
        for n, step in enumerate(self.steps):
            if at not in step.reads:
                continue
            exact = step.fills and step.call in _EXACT
            if n > written[0] or (n == written[0] and not exact):
                return False
        # What looks into the input may be read later than the input itself.
        return all(step.fills for step in self.steps)

    # --- running -------------------------------------------------------------------------------
    def run(self, values: dict[int, Any], buffers: Buffers) -> None:
        """Computes the group's results and puts them among the values."""
        given = tuple(values[number] for number in self.reads)
        values.update(zip(self.outputs, self.one_by_one(given, buffers), strict=True))

    def in_blocks(self, given: list[Any], buffers: Buffers) -> None:
        """Computes the results, which stand behind what is read, block by block."""
        total, block = self.total, self.block
        sliced = [*self.sliced, *([True] * len(self.outputs))]
        if self.flat:
            given = [
                array.reshape(-1) if cut else array.reshape(())
                for array, cut in zip(given, sliced, strict=True)
            ]
        middle = buffers.middle[self]
        for start in range(0, total, block):
            end = min(start + block, total)
            if end - start < block:
                middle = self.middle(buffers.scratch, end - start)
            held = [
                array[start:end] if cut else array for array, cut in zip(given, sliced, strict=True)
            ]
            self._run_steps(held + middle)

    def _run_steps(self, held: list[Any]) -> None:
        """Runs the steps on arrays for all places."""
        outside = len(self.reads) + len(self.outputs)
        for step in self.steps:
            reads = step.reads
            if not step.fills:
                made = step.call(*[held[at] for at in reads], *step.more)
                if step.writes < outside:
                    held[step.writes][...] = made
                else:
                    held[step.writes] = made
            elif len(reads) == 2 and not step.more:
                step.call(held[reads[0]], held[reads[1]], out=held[step.writes])
            elif len(reads) == 1 and not step.more:
                step.call(held[reads[0]], out=held[step.writes])
            else:
                step.call(*[held[at] for at in reads], *step.more, out=held[step.writes])

    def middle(self, scratch: list[Any], rows: int) -> list[Any]:
        """The arrays for what lies between, of so many rows."""
        made: list[Any] = []
        shape = (rows,) if self.flat else (rows, *self.shape[1:])
        if self.single:
            shape = self.shape
        for item in self.scratch_of:
            if item is None:
                made.append(None)
                continue
            buffer, dtype = item
            size = rows * self.row_size * dtype.itemsize
            made.append(scratch[buffer][:size].view(dtype).reshape(shape))
        return made

    def one_by_one(self, given: tuple[Any, ...], buffers: Buffers) -> tuple[Any, ...]:
        """The results as eager execution computes them, in memory of their own."""
        values = dict(zip(self.reads, given, strict=True))
        for operation in self.operations:
            Call(operation).run(values, buffers)
        return tuple(values[number] for number in self.outputs)
