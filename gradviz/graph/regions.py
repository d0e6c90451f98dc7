"""Groups that nobody named: calls of functions, loops with their rounds, cells.

Nodes tell the instruction that made them, and the order in which they were made. From that, a run
is told again as far as it can be: which code was entered, where a loop began a new round. Scopes
and modules are known for certain, so every one of them is followed by itself, and what is found
nests in them and around them.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from types import CodeType
from typing import Final

from gradviz.graph.flow import ANEW, FORWARD, Flow, flow_of
from gradviz.graph.frames import Frame, Level
from gradviz.graph.groups import Groups
from gradviz.graph.nesting import parents_of
from gradviz.graph.repeats import repeat, stretches_of
from gradviz.graph.rows import NOWHERE, Rows, Spot
from gradviz.graph.statements import statements_calling
from gradviz.graph.table import Table
from gradviz.graph.view import label_of

MOST_LOOKED_AHEAD: Final = 500
"""Nodes that are looked through for what comes next in a piece of code."""


_FORWARDS: Final = frozenset({"forward", "__call__"})
"""Functions that a module's own group stands for."""


class Regions:
    """Tells a run again, node by node.

    Args:
        spots: where nodes were made, by place.
        scopes: the scopes and modules, outer ones first.
        sites: the call site of each module, by its number counted from 1, where it is known.
    """

    def __init__(
        self,
        spots: Sequence[Spot],
        scopes: Groups,
        sites: dict[int, tuple[CodeType | None, int]],
    ) -> None:
        self.spots = spots
        self.scopes = scopes
        self.sites = sites
        self.around = parents_of(scopes)
        self.rows = Rows()
        self.row_of: list[int] = [0] + [NOWHERE] * len(scopes)
        self.levels = [Level(0, 0, (None, NOWHERE))]
        # Steps that stay in their round, with the instruction they come to.
        self.known: dict[tuple[int, int, int], int] = {}
        self.places: Sequence[int] = ()
        self.found = array("q")
        self.opened: list[int] = []
        self.oldest = 0
        self.ahead = MOST_LOOKED_AHEAD
        self.callers: dict[int, Flow | None] = {}
        self.in_cells: dict[int, list[CodeType]] = {}
        self.now = 0

    def follow(self, table: Table) -> array[int]:
        """The row of each node of a table whose groups are the scopes."""
        self.table = table
        self.places = table.place
        for stretch in stretches_of(table):
            self.walk(len(self.found), stretch.start)
            repeat(self, stretch)
        self.walk(len(self.found), len(table))
        return self.found

    def walk(self, start: int, end: int) -> None:
        """Tells of the nodes between two positions, one by one."""
        append, known = self.found.append, self.known
        level = self.levels[-1]
        last = self.places[start - 1] if start else NOWHERE
        told = zip(self.places[start:end], self.table.group[start:end], strict=True)
        for at, (here, scope) in enumerate(told, start):
            if scope != level.scope:
                self.now = at
                level = self.enter(scope, here)
            frames = level.frames
            if frames:
                frame = frames[-1]
                # Almost every step was seen before and stays in its round.
                to = known.get((frame.number, frame.place, here))
                if to is not None:
                    frame.at = to
                    frame.place = last = here
                    append(frame.current)
                    continue
            self.now = at
            self.come(level, here, same=here == last and _are_results_of_one(self.table, at))
            last = here
            append(level.current)

    # --- scopes ----------------------------------------------------------------------------------
    def enter(self, scope: int, place: int) -> Level:
        """Closes the scopes that a node is not in, and opens those it is in."""
        if self.enter_again(scope, place):
            return self.levels[-1]
        path = [scope]
        while path[-1]:
            path.append(self.around[path[-1]])
        path.reverse()
        levels = self.levels
        common = 0
        for level, number in zip(levels, path, strict=False):
            if level.scope != number:
                break
            common += 1
        del levels[common:]
        for at in range(common, len(path)):
            inner = [self.scopes.kinds[number - 1] for number in path[at + 1 :]]
            self.open(path[at], place, inner)
        return levels[-1]

    def enter_again(self, scope: int, place: int) -> bool:
        """A scope that the next round of a loop opens: as `enter`, for the many of a long loop."""
        if len(self.levels) < 2:
            return False
        outer, level = self.levels[-2:]
        if self.around[scope] != outer.scope or level.block[0] != place or not outer.frames:
            return False
        frame, at = outer.frames[-1], level.block[1]
        fresh = self.row_of[scope] == NOWHERE and self.scopes.kinds[scope - 1] == "scope"
        if not fresh or frame.at != at or not frame.loops or frame.hidden:
            return False
        loop, row, _, count = frame.loops[-1]
        frame.current = self.round(row, count + 1)
        frame.loops[-1] = (loop, row, frame.current, count + 1)
        frame.place = NOWHERE
        level.scope = scope
        label = self.scopes.labels[scope - 1]
        self.opened.append(scope)
        level.row = self.row_of[scope] = self.rows.add(label, "scope", frame.current)
        first = level.frames[0]
        level.frames = [Frame(first.flow, level.row, first.skipped)]
        return True

    def open(self, number: int, place: int, inner: Sequence[str]) -> None:
        """Opens a scope or module where its first node says that it was; `inner` come after it."""
        outer, spot = self.levels[-1], self.spots[place]
        kind = self.scopes.kinds[number - 1]
        is_module = kind == "module"
        code, at = self.sites.get(number, (None, NOWHERE))
        skipped = 0
        if is_module:
            if code is None and spot.code is not None and not spot.direct:
                # A module of ours is called where the user's code is.
                top = outer.frames[-1].flow.code if outer.frames else None
                own = spot.code is top or spot.code is outer.entry[0]
                if not inner or own or not flow_of(spot.code).is_function:
                    code, at = spot.code, spot.at
        elif spot.code is not None and "module" not in inner:
            flow = flow_of(spot.code)
            block = flow.block(spot.at, len(inner))
            if block is None:
                # What is called first in the block has made the first node.
                running = [frame.flow for frame in outer.frames if len(frame.flow.blocks) == 1]
                if running:
                    flow = running[-1]
                    (block,) = flow.blocks
            if block is not None:
                code, at = flow.code, block
                skipped = len(flow.around(block))
        inside = code is outer.entry[0] and at == outer.entry[1]
        if code is not None and not inside:
            self.arrive(outer, code, at, again=True)
        if self.row_of[number] == NOWHERE:
            row = self.rows.add(self.scopes.labels[number - 1], kind, outer.current)
            self.row_of[number] = row
            self.opened.append(number)
            if code is None and outer.frames:
                outer.frames[-1].hide(row)
        level = Level(number, self.row_of[number], (code, at) if is_module else (None, NOWHERE))
        if not is_module and code is not None:
            # What goes on in a `with` block is the code around it, the loops around it too.
            level.frames.append(Frame(flow_of(code), level.row, skipped))
            level.block = (place, at)
        self.levels.append(level)

    # --- code ------------------------------------------------------------------------------------
    def come(self, level: Level, place: int, same: bool) -> None:
        """Moves on to the place of a node."""
        spot = self.spots[place]
        if spot.code is None or (spot.code is level.entry[0] and spot.at == level.entry[1]):
            return
        frame = level.frames[-1] if level.frames else None
        before = None if frame is None else (frame.current, frame.at, frame.place)
        # An instruction that calls something of ours may make many nodes at once.
        self.arrive(level, spot.code, spot.at, again=spot.direct and not same)
        top = level.frames[-1]
        if top is frame and before is not None:
            current, at, known = before
            if known != NOWHERE and current == top.current and at != top.at:
                self.known[top.number, known, place] = top.at
        top.place = place

    def arrive(self, level: Level, code: CodeType, at: int, *, again: bool) -> None:
        """Moves on to an instruction: in what runs, in what runs around it, or in a new call."""
        frames = level.frames
        flow = flow_of(code)
        for depth in range(len(frames) - 1, -1, -1):
            if frames[depth].flow is flow:
                if self.advance(frames[depth], at, again=again):
                    del frames[depth + 1 :]
                    return
                del frames[depth:]
                break
        self.call(level, flow)
        self.advance(level.frames[-1], at, again=False)

    def call(self, level: Level, flow: Flow, inside: tuple[Flow, ...] = ()) -> None:
        """Enters code anew; `inside` are those that are about to be entered from it."""
        frames, code = level.frames, flow.code
        if not flow.is_function:
            frames.clear()
            base = level.row
            if level.scope == 0:
                if level.cell[0] != code.co_filename:
                    label = self.rows.add(_cell(code.co_filename), "cell", level.row)
                    level.cell = (code.co_filename, label)
                base = level.cell[1]
            frames.append(Frame(flow, base))
            return
        # The innermost code that names it has called it; where none does, the innermost.
        callers = [frame for frame in frames if frame.flow.names(code)]
        if callers:
            caller = self.given_to(frames, callers[-1], code)
            del frames[frames.index(caller) + 1 :]
        while not callers and frames and _are_siblings(frames[-1].flow.code, code):
            frames.pop()
        if not callers:
            caller_flow = self.caller_of(code)
            # A function that nobody is known to have called may have been given what it calls.
            open_end = frames[0].flow.is_function if frames else False
            if caller_flow is None and not (
                open_end and any(frame.flow.calls_variables for frame in frames)
            ):
                caller_flow = self.called_by_cell(level, code)
            # Functions that name each other would be taken for each other's callers for ever.
            inside = (*inside, flow)
            running = [*(frame.flow for frame in frames), *inside]
            if caller_flow is not None and all(known is not caller_flow for known in running):
                self.call(level, caller_flow, inside)
        site = None
        if frames:
            caller = frames[-1]
            following = self.next_in(caller) if caller.flow.is_ambiguous(code) else None
            site = caller.flow.call_of(code, caller.at, following)
            if site is not None and not self.advance(caller, site, again=True):
                caller.at = site
        base = level.current
        is_named = not code.co_name.startswith("<") or code.co_name == "<lambda>"
        stands = level.scope and code.co_name in _FORWARDS
        if is_named and not stands:
            name = "lambda" if code.co_name == "<lambda>" else f"{code.co_name}()"
            base = self.rows.add(name, "function", base)
            if frames and site is None:
                frames[-1].hide(base)
        frames.append(Frame(flow, base))

    def given_to(self, frames: Sequence[Frame], caller: Frame, code: CodeType) -> Frame:
        """The code that has called another one: what names it, or what it was given to."""
        flow = caller.flow
        inner = [
            frame for frame in frames[frames.index(caller) + 1 :] if frame.flow.calls_variables
        ]
        if not inner or not flow.passes(code):
            return caller
        # Where it is called as well, that happens when what it was given to makes nothing more.
        if flow.calls(code) and self.next_in(inner[-1]) is None:
            return caller
        return inner[-1]

    def caller_of(self, code: CodeType) -> Flow | None:
        """The code that called another piece of code and makes its own first node only later."""
        known = self.callers.get(id(code))
        if known is None and id(code) not in self.callers:
            self.callers[id(code)] = None  # for good where there is none, and no caller of itself
            for place in self.places[self.now : self.now + MOST_LOOKED_AHEAD]:
                other = self.spots[place].code
                if other is not None and other is not code and flow_of(other).names(code):
                    known = self.callers[id(code)] = flow_of(other)
                    break
        return known

    def called_by_cell(self, level: Level, code: CodeType) -> Flow | None:
        """The statement of a cell that called it, where only one does; nothing else runs then."""
        found = self.in_cells.get(id(code))
        if found is None:
            found = self.in_cells[id(code)] = statements_calling(code.co_name)
        if found:
            level.frames.clear()
        return flow_of(found[0]) if len(found) == 1 else None

    def next_in(self, frame: Frame) -> int | None:
        """The next instruction of a piece of code that made a node, as far as it is near."""
        code = frame.flow.code
        for place in self.places[self.now : self.now + MOST_LOOKED_AHEAD]:
            spot = self.spots[place]
            if spot.code is code:
                return spot.at
        return None

    def advance(self, frame: Frame, at: int, *, again: bool) -> bool:
        """Moves on in one piece of code; False where it takes a new call to get there."""
        flow, before = frame.flow, frame.at
        frame.place = NOWHERE
        if before == at and not again:
            return True
        step = FORWARD if before == NOWHERE else flow.step(before, at)
        if step == ANEW:
            if flow.is_function:
                return False
            frame.loops.clear()
        hidden, frame.hidden = frame.hidden, []
        around = flow.around(at)[frame.skipped :]
        loops = frame.loops
        if step >= 0:
            step -= frame.skipped
        kept = 0
        for (loop, *_), now in zip(loops, around, strict=False):
            if loop is not now:
                break
            kept += 1
        if step >= 0 and kept > step:
            del loops[step + 1 :]
            loop, row, _, count = loops[step]
            moved = hidden and flow.is_called_in(loop.start, at)
            loops[step] = (loop, row, self.round(row, count + 1), count + 1)
            if moved:
                for child in hidden:
                    self.rows.parents[child] = loops[step][2]
                self.oldest = min(self.oldest, *hidden)
            kept = step + 1
        else:
            del loops[kept:]
        for loop in around[kept:]:
            parent = loops[-1][2] if loops else frame.base
            row = self.rows.add(flow.label(loop), "loop", parent)
            loops.append((loop, row, self.round(row, 1), 1))
        frame.at = at
        frame.current = loops[-1][2] if loops else frame.base
        return True

    def round(self, loop: int, number: int) -> int:
        """The row of a new round."""
        return self.rows.add(number, "iteration", loop)


def _are_siblings(one: CodeType, other: CodeType) -> bool:
    """Whether two functions were defined side by side in a third one."""
    around = one.co_qualname.rpartition("<locals>.")[0]
    return bool(around) and around == other.co_qualname.rpartition("<locals>.")[0]


def _cell(filename: str) -> str:
    """`cell [3]`, or the file's name."""
    label = label_of(filename)
    return f"cell {label[3:]}" if label.startswith("In [") else label


def _are_results_of_one(table: Table, at: int) -> bool:
    """Whether a node and the one before it come from the same inputs: two results of one call."""
    start, middle, end = table.first[at - 1 : at + 2]
    return start < middle and table.source[start:middle] == table.source[middle:end]
