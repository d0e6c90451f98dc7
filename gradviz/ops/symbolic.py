"""Rules on whole numbers, asked about symbols.

A shape rule is plain arithmetic on whole numbers. For sizes that are symbols it is asked twice,
with two very large numbers in place of each symbol: every answer that is a polynomial of the
symbols can be read back from its digits in that base, and an answer for which the two disagree (or
whose digits are not small) depends on the number itself, and is refused.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from gradviz.errors import GradvizError
from gradviz.ops.size import MOST_DEGREE, Length, Size, needs_number, symbol

BASES: Final = (2**40, 2**40 + 1)
"""Numbers that stand for a symbol: neighbours, so that no remainder is the same for both."""
_DIGIT: Final = 2**30
"""Factors of symbols are smaller than this."""
_LARGE: Final = re.compile(r"\d{12,}")
_MOST_SYMBOLS: Final = 6


def aware(rule: Callable[..., Any]) -> Callable[..., Any]:
    """A shape rule that can be asked about symbols, too."""

    @functools.wraps(rule)
    def asked(*arguments: Any) -> Any:
        for argument in arguments:
            if argument.__class__ is tuple and holds_symbol(argument):
                return through(rule, *arguments)
        return rule(*arguments)

    return asked


def holds_symbol(value: tuple[Any, ...]) -> bool:
    """Whether a size inside is a symbol."""
    for item in value:
        kind = item.__class__
        if kind is Size or (kind is tuple and holds_symbol(item)):
            return True
        if kind is slice and holds_symbol((item.start, item.stop, item.step)):
            return True
    return False


def through(rule: Callable[..., Any], *arguments: Any) -> Any:
    """What a rule answers for arguments that hold symbols.

    Raises:
        GradvizError: what the rule objects to, in terms of the symbols;
            `capture-value-unavailable` where the answer depends on their numbers.
    """
    names = sorted(symbols_in(arguments))
    if not names or len(names) > _MOST_SYMBOLS:
        return rule(*arguments)
    answers = []
    for base in BASES:
        numbers = numbers_for(names, base)
        try:
            answers.append(rule(*at(arguments, numbers)))
        except GradvizError as error:
            raise _in_symbols(error, names, base) from None
        except OverflowError:
            raise _dependent(rule, names) from None
    return _merged(rule, answers[0], answers[1], names)


def _merged(rule: Callable[..., Any], one: Any, two: Any, names: list[str]) -> Any:
    if isinstance(one, tuple | list):
        if not isinstance(two, tuple | list) or len(one) != len(two):
            raise _dependent(rule, names)
        return type(one)(_merged(rule, a, b, names) for a, b in zip(one, two, strict=True))
    if type(one) is not int or type(two) is not int:
        if one != two:
            raise _dependent(rule, names)
        return one
    size = read_back(one, names, BASES[0])
    if size is None or size != read_back(two, names, BASES[1]):
        raise _dependent(rule, names)
    return size


def _dependent(rule: Callable[..., Any], names: list[str]) -> GradvizError:
    total: Any = symbol(names[0])
    for name in names[1:]:
        total = total * symbol(name)
    return needs_number("the shape of a result", total)


def _in_symbols(error: GradvizError, names: list[str], base: int) -> GradvizError:
    """What a rule says of large numbers, said of the symbols they stand for."""

    def named(match: re.Match[str]) -> str:
        found = read_back(int(match[0]), names, base)
        return match[0] if found is None else str(found)

    def said(text: str) -> str:
        return _LARGE.sub(named, text)

    problem = error.problem
    reason = problem.reason
    if problem.slug == "shape-mismatch":
        listed = " and ".join(f"`{name}`" for name in names)
        reason += f" A size left open, such as {listed}, fits only itself."
    changed = replace(
        problem,
        message=said(problem.message),
        reason=said(reason),
        facts=tuple((label, said(text)) for label, text in problem.facts),
        advice=said(problem.advice),
    )
    return type(error)(changed)


# --- numbers for symbols and back ----------------------------------------------------------------
def numbers_for(names: list[str], base: int) -> dict[str, int]:
    """A number for every symbol, such that polynomials of them can be told apart."""
    numbers, number = {}, base
    for name in names:
        numbers[name] = number
        number = number ** (MOST_DEGREE + 1)
    return numbers


def read_back(value: int, names: list[str], base: int) -> Length | None:
    """The polynomial that a number stands for; None where it is none with small factors."""
    if -_DIGIT < value < _DIGIT:
        return value
    total: Any = 0
    place = 0
    while value:
        digit = value % base
        if digit > base // 2:
            digit -= base
        if not -_DIGIT < digit < _DIGIT:
            return None
        if digit:
            part: Any = digit
            powers = place
            for name in names:
                for _ in range(powers % (MOST_DEGREE + 1)):
                    part = part * symbol(name)
                powers //= MOST_DEGREE + 1
            if powers:
                return None
            total = total + part
        value = (value - digit) // base
        place += 1
    return total  # type: ignore[no-any-return]


def at(value: Any, numbers: Mapping[str, int]) -> Any:
    """A value with numbers in place of its symbols, inside tuples and slices too."""
    return replaced(value, lambda size: size.at(numbers))


def replaced(value: Any, change: Callable[[Size], Any]) -> Any:
    """A value with something in place of its symbolic sizes, inside tuples and slices too."""
    if isinstance(value, Size):
        return change(value)
    if isinstance(value, tuple):
        return tuple(replaced(item, change) for item in value)
    if isinstance(value, list):
        return [replaced(item, change) for item in value]
    if isinstance(value, slice):
        parts = (value.start, value.stop, value.step)
        return slice(*(replaced(part, change) for part in parts))
    return value


def symbols_in(value: Any) -> set[str]:
    """The names of all symbols inside a value."""
    found: set[str] = set()

    def note(size: Size) -> Size:
        found.update(size.symbols)
        return size

    replaced(value, note)
    return found
