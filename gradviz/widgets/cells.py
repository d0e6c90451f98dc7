"""Which notebook cell a piece of code came from.

The kernel compiles each cell under a file name of its own making. This module remembers, for each
such name, the cell's id (JupyterLab tells it with each execution), its number and its text.
Nothing here needs IPython until `track` is given a running one.
"""

from __future__ import annotations

import sys
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, Final

from gradviz.core.source import cell_number

MOST_CELLS: Final = 4096
"""Cells that are remembered; the oldest are forgotten."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell as it was run: its id where the front end told it, its number, its text."""

    id: str | None
    number: int
    source: str


_cells: OrderedDict[str, Cell] = OrderedDict()
_tracked: list[Any] = []


def cell_of(filename: str) -> str | None:
    """The id of the notebook cell that was compiled under this name."""
    cell = _cells.get(filename)
    return None if cell is None else cell.id


def source_of(filename: str) -> str | None:
    """The cell's text as it was typed: its magics untranslated, unlike those in `linecache`."""
    cell = _cells.get(filename)
    return None if cell is None else cell.source


def label_of(filename: str) -> str:
    """What to call a file in front of people: `In [3]` for a cell, its last part for a file."""
    number = _number_in_shell(filename)
    if number is None and filename in _cells:
        number = str(_cells[filename].number)
    if number is not None:
        return f"In [{number}]"
    return PurePath(filename).name or filename


def remember(filename: str, cell: Cell) -> None:
    """Notes what was compiled under a name; the same text run again replaces the earlier run."""
    _cells[filename] = cell
    _cells.move_to_end(filename)
    while len(_cells) > MOST_CELLS:
        _cells.popitem(last=False)


def forget() -> None:
    """Drops everything remembered."""
    _cells.clear()


def track(shell: Any) -> None:
    """Starts to remember the cells an IPython shell runs; a second call changes nothing."""
    if any(shell is known for known, _ in _tracked):
        return

    def before_cell(info: Any) -> None:
        _remember_run(shell, info.raw_cell, getattr(info, "cell_id", None))

    shell.events.register("pre_run_cell", before_cell)
    _tracked.append((shell, before_cell))
    _remember_present(shell)


def untrack(shell: Any) -> None:
    """Stops what `track` started."""
    for entry in [entry for entry in _tracked if entry[0] is shell]:
        shell.events.unregister("pre_run_cell", entry[1])
        _tracked.remove(entry)


def running() -> str | None:
    """The id of the cell that is running, where the front end told it."""
    ipython = sys.modules.get("IPython")
    shell: Any = None if ipython is None else ipython.get_ipython()
    try:
        found = shell.kernel.get_parent()["metadata"].get("cellId")
    except (AttributeError, KeyError, TypeError):
        return None
    return found if isinstance(found, str) else None


def _remember_run(shell: Any, raw: object, cell_id: object) -> None:
    if not isinstance(raw, str):
        return
    cell = Cell(cell_id if isinstance(cell_id, str) else None, shell.execution_count, raw)
    try:
        transformed = shell.transform_cell(raw)
        # Some versions of IPython count the run before they announce it, others after.
        for number in (cell.number, cell.number - 1):
            remember(shell.compile.get_code_name(raw, transformed, number), cell)
    except Exception:  # a cell that can't be translated can't be compiled under a name either
        return


def _remember_present(shell: Any) -> None:
    """The cell that is running while tracking starts: its beginning was missed."""
    try:
        parent = shell.kernel.get_parent()
        raw = parent["content"]["code"]
        cell_id = parent["metadata"].get("cellId")
    except (AttributeError, KeyError, TypeError):
        return  # a terminal, or a front end that tells nothing
    _remember_run(shell, raw, cell_id)


def _number_in_shell(filename: str) -> str | None:
    """The number IPython gave a cell: the shell knows it best, also of cells never tracked."""
    for shell in [shell for shell, _ in _tracked] or [None]:
        number = cell_number(filename, shell)
        if number is not None:
            return number
    return None
