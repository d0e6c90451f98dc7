"""What the bytecode of a piece of code tells about the order in which it ran.

Of an operation only the instruction is known that it came from. Whether a second one came later in
the same round, or from a new round of a loop, or from a new call altogether, is a question of what
is reached from where without going back.
"""

from __future__ import annotations

import ast
import dis
import re
import sys
import textwrap
from bisect import bisect_left, bisect_right
from types import CodeType
from typing import Final

from gradviz.core.source import line_text, span
from gradviz.graph.loops import LEAVES, Loop, loops_of

FORWARD: Final = -1
"""The second position is reached from the first without going back."""

ANEW: Final = -2
"""It isn't reached at all: the code was entered anew."""

LONGEST_LABEL: Final = 60

_OPTIMIZED: Final = 1  # the flag of code objects of functions
_ALWAYS: Final = frozenset({"JUMP_FORWARD", "JUMP_ABSOLUTE"})
_TURNING: Final = frozenset(dis.hasjrel) | {
    dis.opmap[name] for name in LEAVES | _ALWAYS if name in dis.opmap
}
_WHILE: Final = re.compile(r"\s*while\b")


class Flow:
    """The loops of a piece of code, and what is reached from where.

    Args:
        code: the code; held as long as this is.
    """

    def __init__(self, code: CodeType) -> None:
        self.code = code
        self.instructions = list(dis.get_instructions(code))
        self._at = {item.offset: number for number, item in enumerate(self.instructions)}
        self._offsets = list(self._at)
        self.loops = loops_of(code, self.instructions)
        self._heads = {loop.start for loop in self.loops}
        self._around: dict[int, tuple[Loop, ...]] = {}
        self._turns = self._find_turns()
        self._turn_offsets = list(self._turns)
        self._last_back = max(
            (at for at, ways in self._turns.items() if min(ways, default=at + 1) <= at), default=-1
        )
        self._steps: dict[tuple[int, int], int] = {}
        self._calls: dict[int, list[int]] = {}
        self._labels: dict[Loop, str] = {}
        self._blocks: list[int] | None = None
        self._calls_variables: bool | None = None

    @property
    def calls_variables(self) -> bool:
        """Whether it is a function that calls what it was given, whatever that may be."""
        if self._calls_variables is None:
            self._calls_variables = self.is_function and any(
                item.opname.startswith(_VARIABLE) and self._is_called(number)
                for number, item in enumerate(self.instructions)
            )
        return self._calls_variables

    def passes(self, code: CodeType) -> bool:
        """Whether it names another piece of code without calling it, as an argument does."""
        return any(not self._is_called(self._at[at]) for at in self._calls_of(code))

    def calls(self, code: CodeType) -> bool:
        """Whether it calls another piece of code by its name."""
        return any(self._is_called(self._at[at]) for at in self._calls_of(code))

    def _is_called(self, number: int) -> bool:
        """Whether what an instruction loads is what a call is about to call."""
        item = self.instructions[number]
        if item.opname == "LOAD_METHOD":
            return True
        if item.opname in _FLAGGED and (item.arg or 0) & 1:
            return True
        beside = number + 1 if _NULL_BEHIND else number - 1
        return (
            0 <= beside < len(self.instructions) and self.instructions[beside].opname == "PUSH_NULL"
        )

    @property
    def is_function(self) -> bool:
        """Whether it is the code of a function, not of a module, a cell or a class body."""
        return bool(self.code.co_flags & _OPTIMIZED)

    def around(self, at: int) -> tuple[Loop, ...]:
        """The loops that an instruction stands in, outermost first."""
        known = self._around.get(at)
        if known is None:
            known = self._around[at] = tuple(loop for loop in self.loops if at in loop)
        return known

    def step(self, before: int, after: int) -> int:
        """How one instruction came after another: the depth of the loop that began a new round.

        `FORWARD` where none did, `ANEW` where it takes a new call. An instruction that comes after
        itself takes a new round or a new call.
        """
        known = self._steps.get((before, after))
        if known is None:
            known = self._steps[before, after] = self._step(self._exact(before), self._exact(after))
        return known

    def _exact(self, at: int) -> int:
        """The instruction at a position: a call in progress stands behind its own."""
        number = bisect_right(self._offsets, at)
        return self._offsets[number - 1] if number else at

    def _step(self, before: int, after: int) -> int:
        if self.leads(before, after):
            return FORWARD
        shared = [
            depth for depth, loop in enumerate(self.around(before)) if loop in self.around(after)
        ]
        return shared[-1] if shared else ANEW

    def leads(self, start: int, end: int) -> bool:
        """Whether an instruction is reached from another one without going back."""
        # Code that begins beyond the end leads nowhere near it, unless something leads back there.
        limit = max(end, self._last_back)
        waiting = [start + 1]
        entered: dict[int, int] = {}  # turns, with the earliest place that led to each
        while waiting:
            place = waiting.pop()
            number = bisect_left(self._turn_offsets, place - 1)
            if number == len(self._turn_offsets):
                return place <= end  # straight on to the end of the code
            turn = self._turn_offsets[number]
            if place <= end <= turn:
                return True
            if entered.get(turn, place + 1) > place:
                entered[turn] = place
                waiting += [way for way in self._turns[turn] if way <= limit]
        return False

    def _find_turns(self) -> dict[int, list[int]]:
        """The instructions after which it may not go straight on, and where it does, in order."""
        found: dict[int, list[int]] = {}
        for number, item in enumerate(self.instructions):
            if item.opcode in _TURNING:
                found[item.offset] = self._next(number)
        return found

    def _next(self, at: int) -> list[int]:
        """Where it may go after an instruction, without going back."""
        item = self.instructions[at]
        found = []
        backward = "BACKWARD" in item.opname
        if backward and item.argval not in self._heads:
            # To no new round: what handles an exception goes on behind what was tried.
            return [item.argval]
        if item.opcode in dis.hasjrel and not backward:
            found.append(item.argval)
        head = self._at.get(item.argval) if backward else None
        if head is not None and self.instructions[head].opname == "FOR_ITER":
            # Behind the last round a loop ends where it would begin another one.
            found.append(self.instructions[head].argval)
        elif item.opname not in LEAVES and item.opname not in _ALWAYS:
            found += [after.offset for after in self.instructions[at + 1 : at + 2]]
        return found

    def names(self, code: CodeType) -> bool:
        """Whether it names another piece of code, as what calls it does."""
        return bool(self._calls_of(code))

    def _calls_of(self, code: CodeType) -> list[int]:
        known = self._calls.get(id(code))
        if known is None:
            known = self._calls[id(code)] = [
                item.offset
                for item in self.instructions
                if (item.argval is code and code.co_name.startswith("<"))
                or (item.opname in _NAMING and item.argval == code.co_name)
            ]
        return known

    def call_of(self, code: CodeType, after: int, before: int | None) -> int | None:
        """The instruction that most likely called another piece of code; None where none is named.

        Args:
            code: what was called.
            after: the instruction that ran last. A call in the same loop is taken before one that
                comes later, and that before one that came earlier.
            before: the instruction known to run next, where there is one.
        """
        found = self._calls_of(code)
        if len(found) <= 1:
            return found[0] if found else None
        if before is not None:
            leading = [at for at in found if self.step(at, before) == FORWARD]
            inner = self.around(before)[-1:]
            found = [at for at in leading if self.around(at)[-1:] == inner] or leading or found
        now = self._exact(after)
        for loop in reversed(self.around(after)):
            inside = [at for at in found if at in loop]
            if inside:
                return next((at for at in inside if self.leads(now, at)), inside[0])
        return next((at for at in found if self.leads(now, at)), found[0])

    def is_ambiguous(self, code: CodeType) -> bool:
        """Whether it names another piece of code in several places."""
        return len(self._calls_of(code)) > 1

    @property
    def blocks(self) -> list[int]:
        """The `with` statements that open scopes."""
        if self._blocks is None:
            # The name of what is entered stands shortly before.
            self._blocks = [
                item.offset
                for number, item in enumerate(self.instructions)
                if item.opname in _WITH
                and any(
                    before.argval == "scope"
                    for before in self.instructions[max(number - 14, 0) : number]
                )
            ]
        return self._blocks

    def block(self, at: int, back: int) -> int | None:
        """The `with` statement that opened a scope around an instruction.

        Args:
            at: the instruction.
            back: how many such statements stand inside the one that is asked for.
        """
        number = bisect_left(self.blocks, at) - 1 - back
        return self.blocks[number] if number >= 0 else None

    def is_called_in(self, start: int, end: int) -> bool:
        """Whether anything is called between two instructions."""
        return any(
            item.opname.startswith("CALL") and start <= item.offset < end
            for item in self.instructions
        )

    def label(self, loop: Loop) -> str:
        """`for i in range(3)`, as far as the source is there."""
        if loop not in self._labels:
            self._labels[loop] = self._label(loop)
        return self._labels[loop]

    def _label(self, loop: Loop) -> str:
        at = self._at[loop.start]
        head = self.instructions[at]
        if head.opname != "FOR_ITER":
            return _clipped(self._while_of(loop))
        whole = span(self.code, head.offset)
        target = span(self.code, self.instructions[at + 1].offset)
        if whole is None or target is None or not whole.text or not target.text:
            return "for"
        return _clipped(_header(whole.text, target.text))

    def _while_of(self, loop: Loop) -> str:
        lines = [
            item.positions.lineno
            for item in self.instructions
            if item.offset in loop and item.positions is not None and item.positions.lineno
        ]
        first = min(lines, default=0)
        for line in range(first, max(self.code.co_firstlineno, first - 50) - 1, -1):
            text = line_text(self.code.co_filename, line)
            if _WHILE.match(text):
                return text.strip().rstrip(":")
        return "while"


_WITH: Final = frozenset({"BEFORE_WITH", "LOAD_SPECIAL"})
_FLAGGED: Final = {"LOAD_GLOBAL"} | ({"LOAD_ATTR"} if sys.version_info >= (3, 12) else set())
_NULL_BEHIND: Final = sys.version_info >= (3, 13)
"""What a call calls has a flag in the instruction that loads it, or another one beside that."""

_VARIABLE: Final = ("LOAD_FAST", "LOAD_DEREF", "BINARY_SUBSCR")
_NAMING: Final = frozenset(
    {"LOAD_GLOBAL", "LOAD_NAME", "LOAD_FAST", "LOAD_DEREF", "LOAD_CLOSURE", "LOAD_ATTR"}
    | {"LOAD_METHOD", "LOAD_FAST_BORROW", "LOAD_FROM_DICT_OR_DEREF"}
)


def _header(text: str, target: str) -> str:
    """The head of a loop from what its first instruction stands for: all of it, or its iterable."""
    try:
        tree = ast.parse(textwrap.dedent(text))
        wanted = ast.unparse(ast.parse(target))
    except (SyntaxError, ValueError):
        return f"for {target} in {text}" if "\n" not in text else f"for {target}"
    for node in ast.walk(tree):
        if isinstance(node, ast.For | ast.AsyncFor | ast.comprehension):
            found = ast.unparse(node.target)
            if found.strip("()") == wanted.strip("()"):
                return f"for {found.strip('()')} in {ast.unparse(node.iter)}"
    return f"for {target} in {text}"


def _clipped(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_LABEL else line[: LONGEST_LABEL - 1] + "\u2026"


_flows: dict[int, Flow] = {}
_MOST_FLOWS: Final = 512


def flow_of(code: CodeType) -> Flow:
    """What the bytecode tells; worked out once for each code object."""
    # By identity: equal code of two cells stands in two places.
    known = _flows.get(id(code))
    if known is None:
        if len(_flows) >= _MOST_FLOWS:
            _flows.clear()
        known = _flows[id(code)] = Flow(code)
    return known
