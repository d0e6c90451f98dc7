"""Shapes and dtypes of an operation's results, worked out by its row; symbols are carried on.

A row's shape rule is plain arithmetic on whole numbers. For sizes that are symbols it is asked
twice, with two very large numbers in place of each symbol: every answer that is a polynomial of the
symbols can be read back from its digits in that base, and an answer for which the two disagree (or
whose digits are not small) depends on the number itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from gradviz.core import dtype as dtypes
from gradviz.errors import GradvizError
from gradviz.ops.size import MOST_DEGREE, Length, Size, needs_number, symbol, symbols_of
from gradviz.ops.spec import Row, table

if TYPE_CHECKING:
    from gradviz.ir.graph import GraphIr, OperationIr

Fact = tuple[tuple[Length, ...], str]

BASES: Final = (2**40, 2**40 + 1)
"""Numbers that stand for a symbol: neighbours, so that no remainder is the same for both."""
_DIGIT: Final = 2**30
"""Factors of symbols are smaller than this."""
_MOST_SYMBOLS: Final = 6


class Contradiction(ValueError):  # noqa: N818 - not an error users see: it becomes one with a place
    """What a row's rule stumbles over."""


def results_of(graph: GraphIr, operation: OperationIr) -> list[Fact]:
    """Shape and dtype of every result, from the tensors an operation reads.

    Raises:
        GradvizError: what the row's rule objects to, or `capture-value-unavailable` where the
            number behind a symbol would be needed.
        Contradiction: where the rule stumbles, over attributes that are none.
    """
    facts = [
        None if number < 0 else (graph.tensors[number].shape, graph.tensors[number].dtype)
        for number in operation.inputs
    ]
    attributes = tuple(value for _, value in operation.attributes)
    try:
        return infer(table[operation.op], facts, attributes)
    except GradvizError:
        raise
    except Exception as error:  # attributes that are none make a rule stumble anywhere
        said = (str(error).splitlines() or [""])[0][:200]
        raise Contradiction(f"{type(error).__name__}: {said}") from None


def infer(row: Row, facts: list[Fact | None], attributes: tuple[Any, ...]) -> list[Fact]:
    """Shape and dtype of every result of a row."""
    names = sorted({*symbols_of(f[0] for f in facts if f is not None), *_symbols_in(attributes)})
    if not names:
        return _asked(row, facts, attributes)
    if len(names) > _MOST_SYMBOLS:
        raise Contradiction(f"{len(names)} symbols in one operation")
    answers = []
    for base in BASES:
        numbers = numbers_for(names, base)
        plain = [None if f is None else (at(f[0], numbers), f[1]) for f in facts]
        try:
            answers.append(_asked(row, plain, at(attributes, numbers)))
        except GradvizError as error:
            raise _in_symbols(error, row, facts, names) from None
    found = []
    for one, two in zip(*answers, strict=True):
        shape = []
        for first, second in zip(one[0], two[0], strict=True):
            size = read_back(first, names, BASES[0])
            if size is None or size != read_back(second, names, BASES[1]):
                raise needs_number(f"a size of the result of {row.name}", _one_of(names))
            shape.append(size)
        found.append((tuple(shape), one[1]))
    return found


def _asked(row: Row, facts: list[Any], attributes: tuple[Any, ...]) -> list[Any]:
    inferred = row.infer(*facts, *attributes)
    results = inferred if isinstance(inferred, list) else [inferred]
    for shape, dtype in results:
        if dtype not in dtypes.NAMES or not all(type(size) is int for size in shape):
            raise Contradiction("its attributes don't fit")
    return results


def _in_symbols(
    error: GradvizError, row: Row, facts: list[Fact | None], names: list[str]
) -> Exception:
    """What a rule says of large numbers, said of the symbols they stand for."""
    from gradviz.errors import fail

    shapes = [str(fact[0]) for fact in facts if fact is not None]
    problem = error.problem
    symbols = ", ".join(names)
    if problem.slug != "shape-mismatch":
        return error
    return fail(
        "shape-mismatch",
        operation=row.name,
        lhs=shapes[0],
        rhs=shapes[-1],
        reason=f"with {symbols} left open, {' and '.join(shapes)} don't fit for every size.",
        facts=(("operation", row.name), ("shapes", " and ".join(shapes))),
        advice="Use the same symbol for sizes that are equal, or capture with numbers.",
    )


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
    symbols = [symbol(name) for name in names]
    while value:
        digit = value % base
        if digit > base // 2:
            digit -= base
        if not -_DIGIT < digit < _DIGIT:
            return None
        if digit:
            part: Any = digit
            powers = place
            for item in symbols:
                for _ in range(powers % (MOST_DEGREE + 1)):
                    part = part * item
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
        return slice(
            replaced(value.start, change),
            replaced(value.stop, change),
            replaced(value.step, change),
        )
    return value


def _symbols_in(value: Any) -> set[str]:
    found: set[str] = set()

    def note(size: Size) -> Size:
        found.update(size.symbols)
        return size

    replaced(value, note)
    return found


def _one_of(names: list[str]) -> Size:
    total: Any = symbol(names[0])
    for name in names[1:]:
        total = total * symbol(name)
    return total  # type: ignore[no-any-return]
