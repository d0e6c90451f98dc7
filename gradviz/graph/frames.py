"""What runs while a run is told again: pieces of code, and the scopes they run in."""

from __future__ import annotations

from types import CodeType

from gradviz.graph.flow import Flow
from gradviz.graph.loops import Loop
from gradviz.graph.rows import NOWHERE


class Frame:
    """A piece of code that is running.

    Attributes:
        flow: what its bytecode tells.
        base: the row of the call, or of what is around it.
        at: the instruction that ran last, `NOWHERE` before the first.
        place: the place of the node made last.
        loops: the loops it is in, each with the rows of the loop and of the round, and a count.
        hidden: rows of what it called from an unknown place since then.
        skipped: loops around all of it that are told of elsewhere.
    """

    __slots__ = ("at", "base", "current", "flow", "hidden", "loops", "number", "place", "skipped")

    def __init__(self, flow: Flow, base: int, skipped: int = 0) -> None:
        self.flow = flow
        self.number = id(flow)
        self.skipped = skipped
        self.base = base
        self.current = base
        self.at = NOWHERE
        self.place = NOWHERE
        self.loops: list[tuple[Loop, int, int, int]] = []
        self.hidden: list[int] = []

    def hide(self, row: int) -> None:
        """Notes what was called from somewhere."""
        self.hidden.append(row)
        self.place = NOWHERE


class Level:
    """A scope or module that is open, with the code that runs in it.

    Attributes:
        scope: its number, 0 for what is around all of them.
        row: its row.
        entry: where it was opened: the code and the instruction, as far as it is known.
        frames: the code that runs in it, innermost last.
        cell: around all scopes, the file that runs and its row.
        block: of a scope, the place of its first node and the statement that opened it.
    """

    __slots__ = ("block", "cell", "entry", "frames", "row", "scope")

    def __init__(self, scope: int, row: int, entry: tuple[CodeType | None, int]) -> None:
        self.scope = scope
        self.row = row
        self.entry = entry
        self.frames: list[Frame] = []
        self.cell: tuple[str, int] = ("", 0)
        self.block = (NOWHERE, NOWHERE)

    @property
    def current(self) -> int:
        """The row of what is running now."""
        return self.frames[-1].current if self.frames else self.row
