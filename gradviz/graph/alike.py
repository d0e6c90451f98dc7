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
    groups = sorted((group for group in entries if group is not None), key=lambda g: -depths[g])
    for group in (*groups, None):
        inside = []
        for entry in entries[group]:
            if isinstance(entry, int):
                forms[entry] = known.setdefault(op_of(entry), len(known))
            inside.append(forms[entry])
        if group is not None:
            form = (_DIGITS.sub("", labels[group]), *inside)
            forms[group] = known.setdefault(form, len(known))
    return forms


def gathered(
    entries: Sequence[Entry], forms: Mapping[Entry, int], apart: Callable[[Entry], bool]
) -> list[Entry | Alike]:
    """The parts, with those put together that only repeat the ones before them.

    Only what holds a group counts as a block; what is `apart` repeats nothing.
    """
    own = [-1 - at if apart(entry) else forms[entry] for at, entry in enumerate(entries)]
    found: list[Entry | Alike] = []
    at, count = 0, len(entries)
    while at < count:
        for period in range(1, LONGEST + 1):
            block = entries[at : at + period]
            if not any(isinstance(entry, str) for entry in block):
                continue  # and long chains of plain operations cost nothing
            end = at + period
            while end < count and own[end] == own[end - period]:
                end += 1
            times = (end - at) // period
            if times >= LEAST:
                rest = tuple(entries[at + period : at + times * period])
                found += [*block, Alike(rest, period)]
                at += times * period
                break
        else:
            found.append(entries[at])
            at += 1
    return found
