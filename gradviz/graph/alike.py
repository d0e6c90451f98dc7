"""What repeats among the parts of a graph: blocks of the same form, one after the other."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from gradviz.backends.ndarray import columns
from gradviz.graph.groups import ROUND, Groups
from gradviz.graph.record import GraphGroup

Entry = int
"""What stands in a group: a node is its position, a group the complement (`~`) of its own."""

LONGEST: Final = 8
"""Parts that may repeat together."""

LEAST: Final = 3
"""How often something stands there before it is told once."""

_DIGITS: Final = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Alike:
    """Parts that repeat the `period` parts before them."""

    parts: tuple[Entry, ...]
    period: int

    @property
    def times(self) -> int:
        """How often they repeat them."""
        return len(self.parts) // self.period


def stems_of(groups: Iterable[GraphGroup]) -> list[int]:
    """Of each group, and of what is around all, a number for its name without numbers in it."""
    known: dict[str, int] = {"": 0}
    labels: Sequence[str | int] = (
        groups.labels if isinstance(groups, Groups) else [group.label for group in groups]
    )
    stems: dict[str | int, int] = {}
    for label in set(labels):
        name = label if isinstance(label, str) else ROUND
        stems[label] = known.setdefault(_DIGITS.sub("", name), len(known))
    return [0, *map(stems.__getitem__, labels)]


def forms_of(entries: Any, starts: Any, layers: Sequence[Any], stems: Any, ops: Any) -> Any:
    """A number for every entry; those of one group with the same number have the same form.

    Args:
        entries: what stands in the groups, group by group; groups are counted from 1.
        starts: where the entries of each group begin, and the end.
        layers: the groups of each depth, outer ones first.
        stems: of each group, a number for its name.
        ops: of each node, a number for its operation.
    """
    forms = columns.zeros(len(starts) - 1)
    groups = entries < 0
    # The operations' numbers and those of groups are told apart by their sign.
    inside = columns.chosen(groups, 0, ops[columns.chosen(groups, 0, entries)])
    where = columns.zeros(len(starts) - 1) - 1
    where[~entries[groups]] = columns.positions(groups)
    known = 0
    for layer in reversed(layers):
        found = columns.alike(inside, starts, layer, stems[layer])
        forms[layer] = -1 - known - found
        known += len(layer)
        full = layer[where[layer] >= 0]
        inside[where[full]] = forms[full]
    return inside


def gathered(entries: Sequence[Entry], own: Sequence[int]) -> list[Entry | Alike]:
    """The parts, with those put together that only repeat the ones before them.

    Only what holds a group counts as a block.

    Args:
        entries: the parts.
        own: the form of each; of what repeats nothing, a number that no other has.
    """
    if len(entries) < LEAST:
        return list(entries)
    found: list[Entry | Alike] = []
    at, count = 0, len(entries)
    next_group = -1
    while at < count:
        if next_group < at:
            # Long chains of plain operations cost nothing.
            next_group = at
            while next_group < count and entries[next_group] >= 0:
                next_group += 1
        for period in range(max(next_group - at, 0) + 1, LONGEST + 1):
            end = at + period
            while end < count and own[end] == own[end - period]:
                end += 1
            times = (end - at) // period
            if times >= LEAST:
                rest = tuple(entries[at + period : at + times * period])
                found += [*entries[at : at + period], Alike(rest, period)]
                at += times * period
                break
        else:
            found.append(entries[at])
            at += 1
    return found
