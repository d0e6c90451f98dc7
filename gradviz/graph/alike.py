"""What repeats among the parts of a graph: blocks of the same form, one after the other."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

Entry = int | str
"""A node's number or a group's id, as it stands in the group around it."""

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
    entries: Mapping[str | None, Sequence[Entry]],
    depths: Mapping[str, int],
    labels: Mapping[str, str],
    op_of: Callable[[int], str],
) -> dict[Entry, int]:
    """A number for every part; parts with the same number have the same form.

    Args:
        entries: what stands in each group.
        depths: how deep each group is.
        labels: what groups are called; numbers in names don't count.
        op_of: a node's operation.
    """
    known: dict[object, int] = {}
    forms: dict[Entry, int] = {}
    stems = {label: _DIGITS.sub("", label) for label in set(labels.values())}
    groups = sorted((group for group in entries if group is not None), key=lambda g: -depths[g])
    for group in (*groups, None):
        inside = entries[group]
        for entry in inside:
            if isinstance(entry, int):
                forms[entry] = known.setdefault(op_of(entry), len(known))
        if group is not None:
            form = (stems[labels[group]], *map(forms.__getitem__, inside))
            forms[group] = known.setdefault(form, len(known))
    return forms


def gathered(
    entries: Sequence[Entry], forms: Mapping[Entry, int], apart: Callable[[Entry], bool]
) -> list[Entry | Alike]:
    """The parts, with those put together that only repeat the ones before them.

    Only what holds a group counts as a block; what is `apart` repeats nothing.
    """
    if len(entries) < LEAST:
        return list(entries)
    own = [-1 - at if apart(entry) else forms[entry] for at, entry in enumerate(entries)]
    found: list[Entry | Alike] = []
    at, count = 0, len(entries)
    next_group = -1
    while at < count:
        if next_group < at:
            # Long chains of plain operations cost nothing.
            next_group = at
            while next_group < count and not isinstance(entries[next_group], str):
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
