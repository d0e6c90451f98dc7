"""Sizes that are symbols: whole polynomials such as `batch`, `2*batch` or `batch*time + 1`.

A symbol stands for any whole number from 0 up. Arithmetic with whole numbers stays symbolic as long
as the answer is a polynomial for every value; whatever needs the number itself is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final, NoReturn

from gradviz.errors import GradvizError, fail

Monomial = tuple[tuple[str, int], ...]
"""Symbols with their powers, sorted; empty for the constant part."""

NAME: Final = re.compile(r"[^\W\d]\w{0,63}")
MOST_TERMS: Final = 16
MOST_DEGREE: Final = 3
"""The highest power of one symbol that is kept."""
_FACTOR: Final = re.compile(r"(?:(\d{1,18})|([^\W\d]\w{0,63})(?:\^(\d))?)")


_as_large: ContextVar[bool] = ContextVar("gradviz_sizes_as_large", default=False)
_LARGE: Final = 2**20


@contextmanager
def taken_as_large() -> Iterator[None]:
    """Compares open sizes in a block as if they were large: for questions about likely mistakes."""
    token = _as_large.set(True)
    try:
        yield
    finally:
        _as_large.reset(token)


def _at_large(terms: Iterable[tuple[Monomial, int]]) -> int:
    """What a polynomial comes to where every symbol is large."""
    return sum(factor * _LARGE ** sum(power for _, power in name) for name, factor in terms)


class Size:
    """A size known as a polynomial of symbols.

    >>> from gradviz.ops.size import symbol
    >>> batch = symbol("batch")
    >>> 2 * batch + 1, (4 * batch) // 2, batch == 3
    (2*batch + 1, 2*batch, False)
    """

    __slots__ = ("terms",)

    def __init__(self, terms: tuple[tuple[Monomial, int], ...]) -> None:
        self.terms = terms

    # --- arithmetic ----------------------------------------------------------------------------
    def __add__(self, other: Any) -> Any:
        terms = _terms(other)
        return NotImplemented if terms is None else _made([*self.terms, *terms])

    __radd__ = __add__

    def __neg__(self) -> Any:
        return _made([(name, -factor) for name, factor in self.terms])

    def __sub__(self, other: Any) -> Any:
        terms = _terms(other)
        if terms is None:
            return NotImplemented
        return _made([*self.terms, *((name, -factor) for name, factor in terms)])

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __mul__(self, other: Any) -> Any:
        terms = _terms(other)
        if terms is None:
            return NotImplemented
        return _made([(_times(one, two), a * b) for one, a in self.terms for two, b in terms], self)

    __rmul__ = __mul__

    def __floordiv__(self, other: Any) -> Any:
        if not isinstance(other, int | Size) or isinstance(other, bool):
            return NotImplemented
        if isinstance(other, Size):
            if len(other.terms) != 1:
                self._refuse(f"{self} // {other}")
            (name, factor) = other.terms[0]
            parts = [(_over(mine, name), amount) for mine, amount in self.terms]
            if any(part is None or amount % factor for part, amount in parts):
                self._refuse(f"{self} // {other}")
            return _made([(part or (), amount // factor) for part, amount in parts])
        if other == 0:
            raise ZeroDivisionError("division by zero")
        if any(name and factor % other for name, factor in self.terms):
            self._refuse(f"{self} // {other}")
        return _made([(name, factor // other) for name, factor in self.terms])

    def __rfloordiv__(self, other: Any) -> Any:
        self._refuse(f"{other} // {self}")

    def __mod__(self, other: Any) -> Any:
        return self - (self // other) * other

    def __rmod__(self, other: Any) -> Any:
        self._refuse(f"{other} % {self}")

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, int | float | Size):
            self._refuse(f"{self} / {other}")
        return NotImplemented

    def __rtruediv__(self, other: Any) -> Any:
        self._refuse(f"{other} / {self}")

    def __pow__(self, other: Any) -> Any:
        if other != 2:
            self._refuse(f"{self} ** {other}")
        return self * self

    # --- comparison ----------------------------------------------------------------------------
    def __eq__(self, other: object) -> bool:
        """Whether both are the same polynomial; no symbol is known to equal a number."""
        if isinstance(other, Size):
            return self.terms == other.terms
        return False if isinstance(other, int) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.terms)

    def __lt__(self, other: Any) -> bool:
        if not isinstance(other, int | Size):
            return NotImplemented
        return not self._at_least(other, f"{self} < {other}")

    def __ge__(self, other: Any) -> bool:
        if not isinstance(other, int | Size):
            return NotImplemented
        return self._at_least(other, f"{self} >= {other}")

    def __gt__(self, other: Any) -> bool:
        if not isinstance(other, int | Size):
            return NotImplemented
        return self._at_least(other + 1, f"{self} > {other}")

    def __le__(self, other: Any) -> bool:
        if not isinstance(other, int | Size):
            return NotImplemented
        return not self._at_least(other + 1, f"{self} <= {other}")

    def _at_least(self, other: Any, text: str) -> bool:
        """Whether `self >= other` for every value of the symbols, or for none."""
        gap = self - other
        if isinstance(gap, int):
            return gap >= 0
        fixed = sum(factor for name, factor in gap.terms if not name)
        factors = [factor for name, factor in gap.terms if name]
        if fixed >= 0 and min(factors) >= 0:
            return True
        if not (fixed < 0 and max(factors) <= 0):
            if _as_large.get():
                return _at_large(gap.terms) >= 0
            self._refuse(text)
        return False

    # --- what needs the number -----------------------------------------------------------------
    def __bool__(self) -> bool:
        return self > 0

    def __index__(self) -> int:  # noqa: PLE0305 - it never returns
        self._refuse(str(self))

    def __int__(self) -> int:
        self._refuse(f"int({self})")

    def __float__(self) -> float:
        self._refuse(f"float({self})")

    def _refuse(self, text: str) -> NoReturn:
        raise needs_number(text, self)

    # --- values and text -----------------------------------------------------------------------
    @property
    def symbols(self) -> tuple[str, ...]:
        """The names it depends on, sorted."""
        return tuple(sorted({name for names, _ in self.terms for name, _ in names}))

    def at(self, values: Mapping[str, int]) -> int:
        """The number for given values of the symbols."""
        total = 0
        for names, factor in self.terms:
            for name, power in names:
                for _ in range(power):  # not a power: the value may be a symbol, too
                    factor *= values[name]  # noqa: PLW2901 - the product so far
            total += factor
        return total

    def __str__(self) -> str:
        text = ""
        for names, factor in self.terms:
            parts = [name if power == 1 else f"{name}^{power}" for name, power in names]
            if abs(factor) != 1 or not parts:
                parts.insert(0, str(abs(factor)))
            sign = ("-" if factor < 0 else "") if not text else " - " if factor < 0 else " + "
            text += sign + "*".join(parts)
        return text

    def __repr__(self) -> str:
        return str(self)


Length = int | Size


def symbol(name: str) -> Size:
    """The symbol of a name."""
    return Size(((((name, 1),), 1),))


def needs_number(text: str, size: Size) -> GradvizError:
    """The error of what can't be done without the number a symbol stands for."""
    names = " and ".join(f"`{name}`" for name in size.symbols)
    plural = len(size.symbols) > 1
    return fail(
        "capture-value-unavailable",
        reason=f"the number{'s' if plural else ''} that {names} stand{'' if plural else 's'} for "
        f"must be known for {text}; {'they were' if plural else 'it was'} left open when the input "
        "was described, so that the program runs with any.",
        facts=(("size", text),),
        advice=f"Capture with a number in place of {names}, or write the step so that it holds for "
        "every size: -1 in `reshape`, operations of tensors in place of loops and branches. A "
        "tensor can be added to, multiplied by or divided by the size itself.",
    )


def parse(text: str) -> Length:
    """The size a text stands for, as `str` writes it; ValueError for anything else."""
    if len(text) > 512:
        raise ValueError("too long")
    terms: list[tuple[Monomial, int]] = []
    for part in re.sub(r"\s*([+-])\s*", r" \1", text.strip()).split():
        if terms and part[0] not in "+-":
            raise ValueError(f"{part!r} stands beside another term")
        sign = -1 if part[0] == "-" else 1
        name: Monomial = ()
        for factor in part.lstrip("+-").split("*"):
            match = _FACTOR.fullmatch(factor)
            if match is None:
                raise ValueError(f"{part!r} is no product of whole numbers and symbols")
            if match[1] is not None:
                sign *= int(match[1])
            else:
                name = _times(name, ((match[2], int(match[3] or 1)),))
        terms.append((name, sign))
    if not terms:
        raise ValueError("empty")
    found = _made(terms)
    if isinstance(found, Size) and not _small(found):
        raise ValueError("too many terms")
    return found


def symbols_of(shapes: Iterable[Iterable[Length]]) -> tuple[str, ...]:
    """The symbols that occur in shapes, sorted."""
    found: set[str] = set()
    for shape in shapes:
        for length in shape:
            if isinstance(length, Size):
                found.update(length.symbols)
    return tuple(sorted(found))


def _terms(value: Any) -> tuple[tuple[Monomial, int], ...] | None:
    if isinstance(value, Size):
        return value.terms
    if isinstance(value, int):
        return (((), int(value)),)
    try:
        return (((), int(value.__index__())),)
    except (AttributeError, TypeError):
        return None


def _times(one: Monomial, two: Monomial) -> Monomial:
    powers = dict(one)
    for name, power in two:
        powers[name] = powers.get(name, 0) + power
    return tuple(sorted((name, power) for name, power in powers.items() if power))


def _over(one: Monomial, two: Monomial) -> Monomial | None:
    powers = dict(one)
    for name, power in two:
        powers[name] = powers.get(name, 0) - power
    if any(power < 0 for power in powers.values()):
        return None
    return tuple(sorted((name, power) for name, power in powers.items() if power))


def _made(terms: list[tuple[Monomial, int]], asked: Size | None = None) -> Length:
    sums: dict[Monomial, int] = {}
    for name, factor in terms:
        sums[name] = sums.get(name, 0) + factor
    kept = [(name, factor) for name, factor in sums.items() if factor]
    if all(not name for name, _ in kept):
        return sum(factor for _, factor in kept)
    # Symbols first, the constant last, as one writes it.
    kept.sort(key=lambda term: (not term[0], term[0]))
    made = Size(tuple(kept))
    if asked is not None and not _small(made):
        raise needs_number("a size of such a high degree", made)
    return made


def _small(size: Size) -> bool:
    return len(size.terms) <= MOST_TERMS and all(
        power <= MOST_DEGREE for names, _ in size.terms for _, power in names
    )
