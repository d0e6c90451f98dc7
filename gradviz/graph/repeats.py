"""Long loops: what a round has done, the next ones do as well, and needn't be told one by one.

While the places at which nodes were made repeat, and the scopes with them, a run is in the same
state after every period, but for the rows and scopes that were added since. Where that was so after
two periods in a row, it stays so for as long as the places go on like that.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from gradviz.backends.ndarray import columns
from gradviz.graph.frames import Frame, Level
from gradviz.graph.table import Table

if TYPE_CHECKING:
    from gradviz.graph.regions import Regions

LEAST: Final = 2000
"""Nodes of a stretch that is worth it."""

MOST_TRIED: Final = 6
"""Periods after which a run that isn't in the same state again is told node by node."""

_MOST_INPUTS: Final = 4


@dataclass(frozen=True, slots=True)
class Stretch:
    """Nodes that were made in the same places, `period` after `period`."""

    start: int
    end: int
    period: int


def stretches_of(table: Table) -> list[Stretch]:
    """The long stretches of a graph in which places and scopes repeat, in order."""
    if len(table) < LEAST:
        return []
    place, scope = columns.column(table.place), columns.column(table.group)
    found = columns.repeating(place, scope, _twins(table, place), LEAST)
    return [Stretch(*bounds) for bounds in sorted(found)]


def _twins(table: Table, place: Any) -> Any:
    """Of each node whether it and the one before are of one place and come from the same inputs.

    With many inputs that is left open: a number that no other node has.
    """
    first, source = columns.column(table.first), columns.column(table.source)
    found = columns.zeros(len(place))
    at = columns.positions(place[1:] == place[:-1]) + 1
    if len(at):
        before, here = first[at] - first[at - 1], first[at + 1] - first[at]
        same = (before == here) & (before > 0)
        for number in range(_MOST_INPUTS):
            have = columns.positions(same & (here > number))
            pair = source[first[at[have]] + number], source[first[at[have] - 1] + number]
            same[have] = pair[0] == pair[1]
        found[at] = columns.chosen(same & (here > _MOST_INPUTS), -at, same)
    return found


@dataclass(frozen=True, slots=True)
class State:
    """What runs, as it was at some time.

    Attributes:
        known: how much had been found out that changes what is done.
        fixed: what has to be the same after a period.
        rows: rows that may have been added since.
        scopes: scopes that may have been opened since.
        counts: rounds.
        hidden: of each frame, the rows that wait to be put into its next round.
    """

    known: int
    fixed: list[object]
    rows: list[int]
    scopes: list[int]
    counts: list[int]
    hidden: list[list[int]]


def state_of(levels: Sequence[Level], known: int) -> State:
    """The state of what runs now."""
    fixed: list[object] = []
    rows: list[int] = []
    counts: list[int] = []
    scopes: list[int] = []
    hidden: list[list[int]] = []
    for level in levels:
        code, at = level.entry
        fixed += [id(code), at, level.cell[0], level.block, len(level.frames)]
        scopes.append(level.scope)
        rows += [level.row, level.cell[1]]
        for frame in level.frames:
            fixed += [frame.number, frame.at, frame.place, frame.skipped, len(frame.loops)]
            rows += [frame.base, frame.current]
            hidden.append(list(frame.hidden))
            for loop, row, current, count in frame.loops:
                fixed.append(loop)
                rows += [row, current]
                counts.append(count)
    return State(known, fixed, rows, scopes, counts, hidden)


def repeat(run: Regions, stretch: Stretch) -> None:
    """Tells of nodes in places that repeat: what two periods have in common, the next ones too."""
    before: _Period | None = None
    for _ in range(MOST_TRIED):
        start, rows, scopes = len(run.found), len(run.rows.labels), len(run.opened)
        if start + 2 * stretch.period + run.ahead > stretch.end:
            return
        run.oldest = rows
        run.walk(start, start + stretch.period)
        known = len(run.known) + len(run.callers) + len(run.in_cells)
        now = _Period(start, rows, run.opened[scopes:], run.oldest, state_of(run.levels, known))
        if before is not None and _skip(run, stretch, before, now):
            return
        before = now


@dataclass(frozen=True, slots=True)
class _Period:
    """What was told of a period.

    Attributes:
        start, rows: where its nodes and its rows begin.
        opened: the scopes that were opened in it.
        oldest: the oldest row that was put elsewhere, or `rows`.
        state: the state at its end.
    """

    start: int
    rows: int
    opened: list[int]
    oldest: int
    state: State


def _skip(run: Regions, stretch: Stretch, before: _Period, now: _Period) -> bool:
    """Tells of the periods after two that were alike; False where they weren't."""
    rows, scopes, period = run.rows, run.scopes, stretch.period
    old, new = before.state, now.state
    if now.oldest < now.rows or old.known != new.known or old.fixed != new.fixed:
        return False
    start, count = now.start + period, len(rows.labels)
    added, times = count - now.rows, (stretch.end - run.ahead - now.start) // period - 1
    steps = [b - a for a, b in zip(before.opened, now.opened, strict=False)]
    opened = steps[0] if steps else 0
    here = slice(now.start, start)
    nodes = moved(run.found[before.start : now.start], run.found[here], added)
    group = run.table.group
    inside = moved(group[before.start : now.start], group[here], opened)
    parents = moved(rows.parents[before.rows : now.rows], rows.parents[now.rows :], added)
    waiting = [_later(a, b, added, times) for a, b in zip(old.hidden, new.hidden, strict=False)]
    held, open_ = moved(old.rows, new.rows, added), moved(old.scopes, new.scopes, opened)
    if (
        nodes is None
        or inside is None
        or parents is None
        or held is None
        or None in waiting
        or open_ is None
        or rows.kinds[before.rows : now.rows] != rows.kinds[now.rows :]
        or len(before.opened) != len(now.opened)
        or any(step != opened for step in steps)
        or any(run.row_of[b] - run.row_of[b - opened] != added for b in now.opened)
        or (now.opened and not _alike(run, min(now.opened), max(now.opened), opened, times))
    ):
        return False
    made = {run.row_of[scope]: scope for scope in now.opened}
    labels: list[str | int] = [""] * (added * times)
    for at in range(added):
        label, last = rows.labels[now.rows + at], rows.labels[before.rows + at]
        scope = made.get(now.rows + at)
        if scope is not None:
            labels[at::added] = scopes.labels[scope - 1 + opened :: opened][:times]
        elif isinstance(label, int) and isinstance(last, int):
            labels[at::added] = columns.numbers(columns.line(label, label - last, times))
        elif label == last:
            labels[at::added] = [label] * times
        else:
            return False
    rows.labels += labels
    rows.kinds += rows.kinds[now.rows : count] * times
    rows.parents.frombytes(columns.continued(rows.parents[now.rows : count], parents, times, "i"))
    run.found.frombytes(columns.continued(run.found[here], nodes, times, "q"))
    for scope in now.opened:
        line = columns.line(run.row_of[scope], added, times)
        last_scope = scope + opened * times
        run.row_of[scope + opened : last_scope + 1 : opened] = columns.numbers(line)
    frames = (frame for level in run.levels for frame in level.frames)
    for frame, later in zip(frames, waiting, strict=True):
        frame.hidden = later or []
    counts = [b - a for a, b in zip(old.counts, new.counts, strict=True)]
    advance(run.levels, *([step * times for step in each] for each in (held, open_, counts)))
    return True


def _later(old: list[int], new: list[int], by: int, times: int) -> list[int] | None:
    """The rows that wait after so many periods more; None where no period is like another."""
    steps = moved(old, new, by)
    if steps is not None:
        return [at + step * times for at, step in zip(new, steps, strict=True)]
    tail = new[len(old) :]
    if new[: len(old)] != old or moved(old[-len(tail) :], tail, by) != [by] * len(tail):
        return None
    return [*new, *array("q", columns.continued(tail, [by] * len(tail), times, "q"))]


def _alike(run: Regions, first: int, last: int, step: int, times: int) -> bool:
    """Whether the scopes that follow are like those of a period before them."""
    scopes, end = run.scopes, last + step * times
    if step < 1 or end > len(scopes.numbers):
        return False
    later, earlier = slice(first - 1, end), slice(first - 1 - step, end - step)
    around = columns.column(scopes.around)
    moves = around[later] - around[earlier]
    return (
        scopes.kinds[later] == scopes.kinds[earlier]
        and columns.goes_on(moves, step)
        and [run.sites.get(at) for at in range(first, end + 1)]
        == [run.sites.get(at) for at in range(first - step, end + 1 - step)]
    )


def moved(before: Sequence[int], after: Sequence[int], by: int) -> list[int] | None:
    """By how much each number moves in a period: not at all or `by`; None where one does not."""
    steps = [new - old for old, new in zip(before, after, strict=False)]
    alike = len(before) == len(after) and all(step in (0, by) for step in steps)
    return steps if alike else None


def advance(
    levels: Sequence[Level], rows: Sequence[int], scopes: Sequence[int], counts: Sequence[int]
) -> None:
    """Moves the state of what runs on by what is given for each of its numbers."""
    row, scope, count = iter(rows), iter(scopes), iter(counts)
    for level in levels:
        level.scope += next(scope)
        level.row += next(row)
        level.cell = (level.cell[0], level.cell[1] + next(row))
        for frame in level.frames:
            frame.base += next(row)
            frame.current += next(row)
            _advance_loops(frame, row, count)


def _advance_loops(frame: Frame, row: Any, count: Any) -> None:
    frame.loops = [
        (loop, at + next(row), current + next(row), many + next(count))
        for loop, at, current, many in frame.loops
    ]
