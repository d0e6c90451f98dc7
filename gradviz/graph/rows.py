"""Groups as they are found, and which of them are worth showing."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from types import CodeType
from typing import Any, Final

from gradviz.backends.ndarray import columns
from gradviz.graph.groups import ROUND
from gradviz.graph.model import GROUP_KINDS
from gradviz.graph.table import Table

NOWHERE: Final = -1


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


class Rows:
    """Groups as they are found: scopes first, then the others.

    Attributes:
        labels: of each; the number of a round stands for "iteration" and that number.
        kinds: the position of each one's kind in `names`.
        parents: of each; row 0 stands for what is around all of them.
        names: the kinds met.
    """

    def __init__(self) -> None:
        self.labels: list[str | int] = [""]
        self.kinds = bytearray(1)
        self.parents = array("i", [NOWHERE])
        self.names = ["", *GROUP_KINDS]
        self._codes = {name: at for at, name in enumerate(self.names)}

    def add(self, label: str | int, kind: str, parent: int) -> int:
        """A new group."""
        code = self._codes.get(kind)
        if code is None:
            code = self.code(kind)
        self.labels.append(label)
        self.kinds.append(code)
        self.parents.append(parent)
        return len(self.labels) - 1

    def code(self, kind: str) -> int:
        """The position of a kind."""
        if kind not in self._codes:
            self._codes[kind] = len(self.names)
            self.names.append(kind)
        return self._codes[kind]

    def label(self, row: int) -> str:
        """The label of a row."""
        label = self.labels[row]
        return label if isinstance(label, str) else f"{ROUND}{label}"


def kept_of(rows: Rows, found: Any, table: Table, layers: Sequence[Any]) -> Any:
    """Of each row, itself where it is worth a group, else the row that takes what it holds.

    Worth a group is what holds more than one operation and less than what is around it. A loop has
    several rounds; a round that is nothing but a call, or a call that is nothing but a module, is
    known by that.

    Args:
        rows: the groups; those that say what is around them as well are named for both.
        found: the row of each node.
        table: the nodes.
        layers: the rows of each depth, outer ones first.
    """
    kinds, parents = columns.column(rows.kinds), columns.column(rows.parents)
    is_loop, is_round = kinds == rows.code("loop"), kinds == rows.code("iteration")
    is_call, is_cell = kinds == rows.code("function"), kinds == rows.code("cell")
    named = (kinds == rows.code("scope")) | (kinds == rows.code("module"))
    counts = columns.times(found[columns.column(table.computed) != 0], len(kinds))
    columns.add_up(counts, parents, layers)
    rounds = columns.times(parents[columns.positions(is_round & (counts > 0))], len(kinds))
    told = columns.zeros(len(kinds))  # whether a group inside says the same, and better
    same = (parents > 0) & (counts == counts[parents]) & (is_round[parents] | named)
    told[parents[columns.positions(same)]] = 1
    few = (counts <= 1) | (told > 0) | (is_loop & (rounds < 2)) | (is_round & (rounds[parents] < 2))
    kept = columns.counting(len(kinds))
    whole = columns.zeros(len(kinds))
    for layer in layers:
        around = kept[parents[layer]]
        whole[layer] = counts[layer] == counts[around]
        gone = (few[layer] | (whole[layer] > 0)) & ~named[layer]
        kept[layer[gone]] = around[gone]
    telling = (whole > 0) & (is_call | (is_loop & (rounds > 1)))
    telling &= (is_call | is_cell)[kept[parents]]
    for layer in layers if telling.any() else ():
        for row in columns.numbers(layer[telling[layer]]):
            _tell(rows, row, int(kept[parents[row]]))
    return kept


def _tell(rows: Rows, row: int, around: int) -> None:
    """Lets a box say what the one inside says that is all it holds, where that says more."""
    kinds, label = rows.kinds, rows.label(row)
    cell, call, loop = map(rows.code, ("cell", "function", "loop"))
    if kinds[row] == call and kinds[around] == cell:
        # A cell that is nothing but a call is known by that.
        rows.labels[around], kinds[around] = label, call
    elif kinds[row] == loop and kinds[around] in (call, cell):
        # A call that is nothing but a loop is one box that says both.
        name = f"{rows.label(around)} \u00b7 " if kinds[around] == call else ""
        rows.labels[around], kinds[around] = f"{name}{label}", loop
