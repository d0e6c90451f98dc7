"""Groups as they are found, and which of them are worth showing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import compress
from types import CodeType
from typing import Final

from gradviz.graph.model import NAMED
from gradviz.graph.nesting import depths_of
from gradviz.graph.table import Table

NOWHERE: Final = -1
_ABOUT_CODE: Final = frozenset({"function", "cell"})


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a node was made.

    Attributes:
        code, at: the user's code and the instruction in it.
        direct: whether the instruction itself made it, not something that it called.
    """

    code: CodeType | None
    at: int
    direct: bool


@dataclass(slots=True)
class Rows:
    """Groups as they are found: scopes first, then the others.

    Attributes:
        labels, kinds, parents: of each; row 0 stands for what is around all of them.
    """

    labels: list[str] = field(default_factory=lambda: [""])
    kinds: list[str] = field(default_factory=lambda: [""])
    parents: list[int] = field(default_factory=lambda: [NOWHERE])

    def add(self, label: str, kind: str, parent: int) -> int:
        """A new group."""
        self.labels.append(label)
        self.kinds.append(kind)
        self.parents.append(parent)
        return len(self.labels) - 1


def outer_first(parents: Sequence[int]) -> Sequence[int]:
    """Rows but the first, so that what is around them comes before them."""
    count = len(parents)
    if all(map(int.__lt__, parents[1:], range(1, count))):
        return range(1, count)
    return sorted(range(1, count), key=depths_of(parents).__getitem__)


def kept_of(rows: Rows, found: Sequence[int], table: Table) -> list[int]:
    """Of each row, itself where it is worth a group, else the row that takes what it holds.

    Worth a group is what holds more than one operation and less than what is around it. A loop has
    several rounds; a round that is nothing but a call, or a call that is nothing but a module, is
    known by that.
    """
    kinds, parents = rows.kinds, rows.parents
    order = outer_first(parents)
    counts = [0] * len(kinds)
    for row in compress(found, table.computed):
        counts[row] += 1
    rounds = [0] * len(kinds)
    told = bytearray(len(kinds))  # whether a group inside says the same, and better
    for row in reversed(order):
        parent, kind = parents[row], kinds[row]
        counts[parent] += counts[row]
        rounds[parent] += kind == "iteration" and counts[row] > 0
    for row in order:
        parent, kind = parents[row], kinds[row]
        same = parent and counts[row] == counts[parent]
        if same and (kinds[parent] == "iteration" or kind in NAMED):
            told[parent] = 1
    kept = list(range(len(kinds)))
    for row in order:
        kind = kinds[row]
        if kind in NAMED:
            continue
        around = kept[parents[row]]
        whole = counts[row] == counts[around]
        if kind == "function" and whole and kinds[around] == "cell":
            # A cell that is nothing but a call is known by that.
            rows.labels[around], kinds[around] = rows.labels[row], "function"
        if kind == "loop" and whole and rounds[row] > 1 and kinds[around] in _ABOUT_CODE:
            # A call that is nothing but a loop is one box that says both.
            name = f"{rows.labels[around]} \u00b7 " if kinds[around] == "function" else ""
            rows.labels[around], kinds[around] = f"{name}{rows.labels[row]}", "loop"
        if (
            counts[row] <= 1
            or told[row]
            or whole
            or (kind == "loop" and rounds[row] < 2)
            or (kind == "iteration" and rounds[parents[row]] < 2)
        ):
            kept[row] = around
    return kept
