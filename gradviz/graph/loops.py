"""The loops of a piece of bytecode, and what of it stands elsewhere although it belongs to them.

Since Python 3.12 what handles an exception stands behind all other code, also where its `try` or
`with` stands in a loop. So a loop is a stretch of instructions, and the handlers of what is in it.
"""

from __future__ import annotations

import dis
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from types import CodeType
from typing import Final

LEAVES: Final = frozenset({"RETURN_VALUE", "RETURN_CONST", "RAISE_VARARGS", "RERAISE"})
_ALWAYS: Final = frozenset({"JUMP_FORWARD", "JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT"})

Stretch = tuple[int, int]
"""Where instructions begin, and the last of them."""


@dataclass(frozen=True, slots=True)
class Loop:
    """Instructions that are gone through again and again.

    Attributes:
        start, end: the stretch from where a round begins to where the next one does.
        handlers: stretches behind all others that handle what is raised in the loop.
    """

    start: int
    end: int
    handlers: tuple[Stretch, ...] = ()

    def __contains__(self, at: int) -> bool:
        return self.start <= at <= self.end or any(
            first <= at <= last for first, last in self.handlers
        )


@dataclass(frozen=True, slots=True)
class _Guarded:
    """Instructions whose exceptions are handled at a place."""

    start: int
    end: int
    handler: int


def loops_of(code: CodeType, instructions: Sequence[dis.Instruction]) -> list[Loop]:
    """The loops of a piece of code, outer ones first."""
    heads = {item.offset: item.argval for item in instructions if item.opname == "FOR_ITER"}
    rounds = [
        (item.argval, item.offset)
        for item in instructions
        if "BACKWARD" in item.opname and ("NO_INTERRUPT" not in item.opname or item.argval in heads)
    ]
    if not rounds:
        return []
    table = list(_guarded(code))
    aside = _aside(instructions) if table else instructions[-1].offset + 1
    ends: dict[int, int] = {}
    numbers = {item.offset: at for at, item in enumerate(instructions)} if heads else {}
    for head, back in rounds:
        end = back
        if head < aside <= back:
            # From a handler: to the next round, or on to what stands behind that which was tried.
            tried = [t.end for t in table if head <= t.start < aside <= t.handler <= back]
            if not tried:
                continue
            end = max(tried)
        if head in heads and head < back < heads[head]:
            # What a `break` stands behind may come after the last way back.
            end = instructions[numbers[heads[head]] - 1].offset
        ends[head] = max(end, ends.get(head, -1))
    found = [Loop(head, end) for head, end in ends.items()]
    handlers = sorted({t.handler for t in table if t.handler >= aside})
    last = instructions[-1].offset
    stretches = [(begin, after - 1) for begin, after in pairwise([*handlers, last + 1])]
    for stretch in stretches:
        tried = [t.start for t in table if t.handler == stretch[0] and t.start < stretch[0]]
        found = [
            Loop(loop.start, loop.end, (*loop.handlers, stretch))
            if tried and loop.start < aside and all(at in loop for at in tried)
            else loop
            for loop in found
        ]
    return sorted(found, key=lambda loop: (loop.start, -loop.end))


def _aside(instructions: Sequence[dis.Instruction]) -> int:
    """Behind what is reached without an exception: what stands there handles some."""
    numbers = {item.offset: at for at, item in enumerate(instructions)}
    jumps = {*dis.hasjrel, *dis.hasjabs}
    reached = bytearray(len(instructions))
    waiting = [0]
    while waiting:
        at = waiting.pop()
        while at < len(instructions) and not reached[at]:
            reached[at] = 1
            item = instructions[at]
            if item.opcode in jumps and item.argval in numbers:
                waiting.append(numbers[item.argval])
            if item.opname in LEAVES or item.opname in _ALWAYS:
                break
            at += 1
    return instructions[reached.rindex(1)].offset + 1


def _guarded(code: CodeType) -> Iterator[_Guarded]:
    """The code's table of exception handlers; its numbers are spelled in groups of six bits."""
    numbers: list[int] = []
    value = 0
    for byte in code.co_exceptiontable:
        value = (value << 6) | (byte & 63)
        if not byte & 64:
            numbers.append(value)
            value = 0
    for at in range(0, len(numbers) - 3, 4):
        start, length, handler, _ = numbers[at : at + 4]
        yield _Guarded(2 * start, 2 * (start + length) - 2, 2 * handler)
