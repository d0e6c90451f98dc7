"""Which elementwise operations can run together, block by block.

The members of a group give results of one shape, and whatever they read from outside is there
before the first of them runs. So the whole group can run in the place of its first member, one
block of elements after the other, with everything between its operations staying in the cache.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from gradviz.ir.graph import GraphIr
from gradviz.ops.spec import table

MOST_MEMBERS: Final = 256


@dataclass(frozen=True, slots=True)
class FusionGroup:
    """Elementwise operations that run together.

    Attributes:
        members: positions of the operations in the program, in order.
        inputs: tensors that the group reads from outside.
        outputs: tensors it makes that are needed outside.
    """

    members: tuple[int, ...]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]


@dataclass(slots=True)
class _Open:
    members: list[int] = field(default_factory=list)
    made: set[int] = field(default_factory=set)


def fusion_groups(graph: GraphIr, *, least: int = 2) -> tuple[FusionGroup, ...]:
    """The groups of a program, in the order in which they run.

    Args:
        graph: the program.
        least: the fewest operations that count as a group.
    """
    made_at: dict[int, int] = {}
    latest: dict[object, _Open] = {}
    groups: list[_Open] = []
    for at, operation in enumerate(graph.operations):
        for number in operation.outputs:
            made_at[number] = at
        row = table[operation.op]
        if not row.elementwise or not row.pure or len(operation.outputs) != 1:
            continue
        shape = graph.tensors[operation.outputs[0]].shape
        group = latest.get(shape)
        if group is None or not _may_join(group, operation.inputs, made_at):
            group = latest[shape] = _Open()
            groups.append(group)
        group.members.append(at)
        group.made.update(operation.outputs)
    readers: dict[int, list[int]] = {}
    for at, operation in enumerate(graph.operations):
        for number in operation.inputs:
            readers.setdefault(number, []).append(at)
    return tuple(_closed(graph, group, readers) for group in groups if len(group.members) >= least)


def _may_join(group: _Open, inputs: tuple[int, ...], made_at: dict[int, int]) -> bool:
    if len(group.members) >= MOST_MEMBERS:
        return False
    first = group.members[0]
    return all(number in group.made or made_at.get(number, -1) < first for number in inputs)


def _closed(graph: GraphIr, group: _Open, readers: dict[int, list[int]]) -> FusionGroup:
    members = set(group.members)
    inputs: dict[int, None] = {}
    for at in group.members:
        inputs.update(dict.fromkeys(n for n in graph.operations[at].inputs if n >= 0))
    asked = set(graph.outputs)
    needed = {
        number
        for number in group.made
        if number in asked or any(at not in members for at in readers.get(number, ()))
    }
    return FusionGroup(
        tuple(group.members),
        tuple(number for number in inputs if number not in group.made),
        tuple(sorted(needed)),
    )
