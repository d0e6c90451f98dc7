"""What repeats among the parts of a graph: blocks of the same form, one after the other."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

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


def forms_of(
    entries: Sequence[Sequence[Entry]],
    depths: Sequence[int],
    groups: Sequence[GraphGroup],
    ops: Sequence[int],
) -> list[int]:
    """A number for every group; groups with the same number have the same form.

    Args:
        entries: what stands in each group; groups are counted from 1.
        depths: how deep each group is.
        groups: the groups; numbers in their names don't count.
        ops: of each node, a number for its operation.
    """
    stems = {label: _DIGITS.sub("", label) for label in {group.label for group in groups}}
    known: dict[object, int] = {}
    forms = [0] * len(entries)
    # The operations' numbers and those of groups are told apart by their sign.
    for group in sorted(range(1, len(entries)), key=depths.__getitem__, reverse=True):
        inside = [ops[entry] if entry >= 0 else forms[~entry] for entry in entries[group]]
        form = (stems[groups[group - 1].label], *inside)
        forms[group] = -1 - known.setdefault(form, len(known))
    return forms


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
