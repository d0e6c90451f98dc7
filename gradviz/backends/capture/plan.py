"""A compiled plan: a program's operations on bare arrays, with memory that is used again.

- Elementwise operations that can run together do so block by block: what lies between them stays in
  the cache, and never becomes an array of full size.
- Results of such groups and of matrix products are written into buffers, which serve again as soon
  as nothing that may look into them is needed any more; a plan keeps them from run to run.
- What a run returns is memory of its own.
- Every thread that runs takes a set of buffers for itself.

A plan computes with the same functions on the same numbers in the same order as eager execution, so
results are equal to the last bit. Where arrays lie in memory in another way than planned for (a
transposed input, say), a group falls back to its operations one by one, as eager execution does.
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from gradviz.backends.capture.code import written
from gradviz.backends.capture.group import BlockGroup
from gradviz.backends.capture.lowering import can_run_in_blocks
from gradviz.backends.capture.units import Call, Product
from gradviz.core.shape import count
from gradviz.ir.fusion import fusion_groups
from gradviz.ir.graph import GraphIr, OperationIr
from gradviz.ir.passes import dead_code, shared

MOST_KEPT_BYTES: Final = 2**29
"""Bytes of buffers that a plan keeps from run to run; larger ones are given back."""
MOST_KEPT_SETS: Final = 4
"""Sets of buffers that a plan keeps, for threads that run it at once."""
MOST_WRITTEN: Final = 50_000
"""Units that are written out as a function; of longer programs each is asked to run."""
_SMALLEST: Final = 2048
"""Elements below which a buffer brings nothing."""
_FRESH: Final = frozenset(
    (
        "sum mean prod var std amax amin argmax argmin any all norm logsumexp "
        "softmax log_softmax matmul linear conv1d conv2d conv3d layer_norm random cat stack"
    ).split()
)
"""Operations whose results never look into the memory of their inputs, elements given."""


_VIEWS: Final = frozenset(
    (
        "expand reshape flatten unflatten squeeze unsqueeze permute transpose slice detach unfold"
    ).split()
)
"""Operations whose results look into the memory of their inputs."""


@functools.cache
def physical_memory() -> int:
    """Bytes of memory this machine has; as many as there can be where that isn't known."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return sys.maxsize


class Buffers:
    """One set of memory: raw buffers, and the arrays that are laid over them."""

    __slots__ = ("full", "middle", "raw", "scratch")

    def __init__(self, plan: Plan) -> None:
        self.raw = [np.empty(size, np.uint8) for size in plan.sizes]
        self.full: dict[int, Any] = {}
        for number, at in plan.places.items():
            tensor = plan.graph.tensors[number]
            dtype = np.dtype(tensor.dtype)
            size = count(tensor.shape) * dtype.itemsize
            self.full[number] = self.raw[at][:size].view(dtype).reshape(tensor.shape)
        self.scratch = [np.empty(plan.scratch_bytes, np.uint8) for _ in range(plan.scratch)]
        self.middle = {group: group.middle(self.scratch, group.block) for group in plan.groups}
        """What lies between a group's operations, for whole blocks."""


class Plan:
    """A program ready to run."""

    def __init__(self, graph: GraphIr) -> None:
        """Plans a program whose sizes are numbers; it must not be changed any more."""
        self.graph = dead_code(shared(graph)[0])[0]
        self.units = self._units()
        self.sizes: list[int] = []
        """Bytes of every buffer."""
        self.places: dict[int, int] = {}
        """Tensors that are kept in buffers, and in which."""
        self._place()
        fresh = {
            number
            for unit in self.units
            if isinstance(unit, BlockGroup | Product) or unit.operation.op in _FRESH
            for number in unit.outputs
        }
        self._doubtful = [at for at, n in enumerate(self.graph.outputs) if n not in fresh]
        """Positions of outputs that may look into other memory."""
        groups = [unit for unit in self.units if isinstance(unit, BlockGroup)]
        self.groups = tuple(groups)
        self.scratch = max((group.scratch for group in groups), default=0)
        self.scratch_bytes = max((group.scratch_bytes for group in groups), default=0)
        self._largest = max(map(self._bytes_of, self.units), default=0)
        self.buffer_bytes = sum(self.sizes) + self.scratch * self.scratch_bytes
        """Bytes of one set of buffers, which a run takes."""
        self._function = written(self) if len(self.units) <= MOST_WRITTEN else self._by_units
        self._free: list[Buffers] = []
        self._most_kept = min(MOST_KEPT_SETS, MOST_KEPT_BYTES // max(self.buffer_bytes, 1))

    def run(self, arrays: list[Any], constants: Mapping[int, Any]) -> list[Any]:
        """The outputs for these inputs, in memory of their own.

        Raises:
            FailedOperation: what a kernel raised.
        """
        if self._largest > physical_memory():
            # Said before the machine has begun to swap: a program may come from anywhere.
            raise MemoryError
        graph = self.graph
        try:
            buffers = self._free.pop()
        except IndexError:
            buffers = Buffers(self)
        try:
            results = self._function(arrays, constants, buffers)
        except Exception:
            self._by_units(arrays, constants, buffers)
            raise
        found = [np.asarray(value) for value in results]
        if self._doubtful:
            # Memory that somebody else holds: inputs, constants, and what is used again.
            others = [*arrays, *(constants[number] for number in graph.constants), *buffers.raw]
            for at in self._doubtful:
                mine = [*others, *found[:at], *found[at + 1 :]]
                if any(np.may_share_memory(found[at], other) for other in mine):
                    found[at] = found[at].copy(order="K")
        if len(self._free) < self._most_kept:
            self._free.append(buffers)
        return found

    def _by_units(
        self, arrays: list[Any], constants: Mapping[int, Any], buffers: Buffers
    ) -> list[Any]:
        """Runs unit by unit, so that what fails is told with its operation."""
        values: dict[int, Any] = {number: constants[number] for number in self.graph.constants}
        values.update(zip(self.graph.inputs, arrays, strict=True))
        for unit in self.units:
            unit.run(values, buffers)
            for number in unit.dead:
                del values[number]
        return [values[number] for number in self.graph.outputs]

    # --- planning ------------------------------------------------------------------------------
    def _units(self) -> list[Call | BlockGroup]:
        graph = self.graph
        at_first: dict[int, BlockGroup] = {}
        grouped: set[int] = set()
        for group in fusion_groups(graph, least=1):
            members = [graph.operations[at] for at in group.members]
            shape = graph.tensors[members[0].outputs[0]].shape
            # Calls of kernels on blocks bring nothing for an operation alone.
            if count(shape) < _SMALLEST or not all(map(can_run_in_blocks, members)):
                continue
            made = BlockGroup.planned(graph, members, group)
            if made is not None:
                at_first[group.members[0]] = made
                grouped.update(group.members)
        units: list[Call | BlockGroup] = []
        for at, operation in enumerate(graph.operations):
            if at in at_first:
                units.append(at_first[at])
            elif at not in grouped:
                units.append(self._call(operation))
        self._note_dead(units)
        return units

    def _bytes_of(self, unit: Call | BlockGroup) -> int:
        """Bytes of the largest result that a unit makes; of views, which take none, nothing."""
        if isinstance(unit, Call) and unit.operation.op in _VIEWS:
            return 0
        tensors = [self.graph.tensors[number] for number in unit.outputs]
        return max(count(item.shape) * np.dtype(item.dtype).itemsize for item in tensors)

    def _call(self, operation: OperationIr) -> Call:
        if operation.op in ("matmul", "linear"):
            tensors = self.graph.tensors
            shapes = [tensors[number].shape for number in operation.inputs[:2]]
            result = tensors[operation.outputs[0]]
            plain = operation.op == "matmul" or len(shapes[1]) == 2
            if result.dtype in ("float32", "float64") and plain and min(map(len, shapes)) >= 2:
                flattens = operation.op == "linear" and len(shapes[0]) > 2
                return Product(operation, result.shape, result.dtype, flattens)  # type: ignore[arg-type]
        return Call(operation)

    def _note_dead(self, units: list[Call | BlockGroup]) -> None:
        """Which values each unit is the last to read."""
        needed = set(self.graph.outputs)
        for unit in reversed(units):
            touched = {number for number in (*unit.reads, *unit.outputs) if number >= 0}
            unit.dead = tuple(touched - needed)
            needed |= touched

    def _place(self) -> None:
        """Which results are written into which buffers."""
        graph = self.graph
        roots: dict[int, frozenset[int]] = {}
        for unit in self.units:
            own = isinstance(unit, BlockGroup | Product)
            seen: frozenset[int] = frozenset()
            if not own and unit.operation.op not in _FRESH:  # type: ignore[union-attr]
                seen = seen.union(*(roots.get(number, seen) for number in unit.reads))
            for number in unit.outputs:
                roots[number] = frozenset((number,)) if own else seen
        escaping = frozenset[int]().union(
            *(roots.get(number, frozenset[int]()) for number in graph.outputs)
        )
        last: dict[int, int] = {}
        for at, unit in enumerate(self.units):
            for number in (*unit.reads, *unit.outputs):
                for root in roots.get(number, ()):
                    last[root] = at
        free: list[int] = []
        until: list[tuple[int, int]] = []
        for at, unit in enumerate(self.units):
            for end, place in [item for item in until if item[0] < at]:
                until.remove((end, place))
                free.append(place)
            if not isinstance(unit, BlockGroup | Product):
                continue
            for number in unit.outputs:
                tensor = graph.tensors[number]
                size = count(tensor.shape) * np.dtype(tensor.dtype).itemsize
                if number in escaping or not size:
                    continue
                over = None
                if isinstance(unit, BlockGroup):
                    over = self._written_over(unit, number, last, at, until)
                place = self._buffer(free, size) if over is None else over
                self.places[number] = place
                until.append((last[number], place))

    def _written_over(
        self,
        group: BlockGroup,
        number: int,
        last: dict[int, int],
        at: int,
        until: list[tuple[int, int]],
    ) -> int | None:
        """The buffer of an input that a result may take over, because nobody needs it any more."""
        for given in group.reads:
            place = self.places.get(given)
            if place is None or last[given] != at or not group.may_write_over(given, number):
                continue
            same = self.graph.tensors[given].dtype == self.graph.tensors[number].dtype
            if same and (at, place) in until:
                until.remove((at, place))
                return place
        return None

    def _buffer(self, free: list[int], size: int) -> int:
        """A buffer that is free, grown where it is too small, or a new one."""
        if free:
            fitting = [place for place in free if self.sizes[place] >= size]
            place = (
                min(fitting, key=self.sizes.__getitem__)
                if fitting
                else max(free, key=self.sizes.__getitem__)
            )
            free.remove(place)
            self.sizes[place] = max(self.sizes[place], size)
            return place
        self.sizes.append(size)
        return len(self.sizes) - 1
