"""Columns of whole numbers: what graphs of a million nodes are worked through with, all at once."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np


def column(values: Any) -> Any:
    """Whole numbers or flags as an array."""
    if isinstance(values, bytearray):
        return np.frombuffer(values, np.uint8)
    found = np.asarray(values)
    return found if len(found) and found.dtype == bool else found.astype(np.int64)


def same(first: Sequence[int], second: Sequence[int]) -> bool:
    """Whether two columns hold the same numbers."""
    return bool(np.array_equal(column(first), column(second)))


def zeros(count: int) -> Any:
    """A column of so many zeros."""
    return np.zeros(count, np.int64)


def stored(values: Any) -> array[int]:
    """A column as it is kept: its elements are Python's own whole numbers."""
    found = array("q")
    found.frombytes(np.ascontiguousarray(values, np.int64).tobytes())
    return found


def flags(mask: Any) -> bytes:
    """A mask as bytes, 0 or 1."""
    return bytes(mask.astype(np.uint8))


def again(counts: Any) -> Any:
    """Each position as often as its count says."""
    return np.repeat(np.arange(len(counts)), counts)


def times(keys: Any, count: int) -> Any:
    """How often each key below `count` comes."""
    return np.bincount(keys, minlength=count)


def add_up(counts: Any, parents: Any, layers: Sequence[Any]) -> None:
    """Adds to the count of each what those have that stand in it; changes `counts`."""
    for layer in reversed(layers):
        np.add.at(counts, parents[layer], counts[layer])


def filled(values: Iterable[int], count: int) -> Any:
    """A column of so many numbers that come one by one."""
    return np.fromiter(values, np.int64, count)


def positions(mask: Any) -> Any:
    """Where a mask holds."""
    return np.flatnonzero(mask)


def first_of(keys: Any, count: int) -> Any:
    """Of each key below `count`, where it stands first; the length of the column where nowhere."""
    found = np.full(count, len(keys), np.int64)
    # Of what is written to one place several times the last stays.
    found[keys[::-1]] = np.arange(len(keys) - 1, -1, -1)
    return found


def depths(parents: Any) -> Any:
    """How many others stand around each of what stands in one another; 0 is around all."""
    found = np.zeros(len(parents), np.int64)
    found[0] = -1
    around = parents
    while around.any():
        found += around > 0
        around = parents[around]
    return found


def levels(parents: Any) -> list[Any]:
    """Those of each depth, outer ones first, without the 0 around all."""
    found = depths(parents)
    order = np.argsort(found, kind="stable")[1:]
    bounds = [0, *np.cumsum(np.bincount(found[1:])).tolist()]
    return [order[start:end] for start, end in pairwise(bounds)]


def earliest(first: Any, parents: Any, layers: Sequence[Any]) -> None:
    """Lets what is around others begin where the first of them does; changes `first`."""
    for layer in reversed(layers):
        np.minimum.at(first, parents[layer], first[layer])


def inherit(values: Any, parents: Any, layers: Sequence[Any]) -> None:
    """Gives those that have no value, 0, that of what is around them; changes `values`."""
    for layer in layers:
        bare = layer[values[layer] == 0]
        values[bare] = values[parents[bare]]


def grouped(keys: Any, order: Any, count: int) -> tuple[Any, Any]:
    """Positions by key, within one key by `order`; and where each key begins, with the end."""
    found = np.lexsort((order, keys))
    starts = np.zeros(count + 1, np.int64)
    np.cumsum(np.bincount(keys, minlength=count), out=starts[1:])
    return found, starts


def joined(*columns: Any) -> Any:
    """Columns one after the other."""
    return np.concatenate(columns)


def counting(count: int) -> Any:
    """0, 1, 2 ..."""
    return np.arange(count)


def chosen(mask: Any, one: Any, other: Any) -> Any:
    """Of two columns the first where a mask holds, else the second."""
    return np.where(mask, one, other)


def distinct(keys: Any) -> tuple[Any, Any, Any]:
    """Where each different key stands first, in that order; which each is; how often it comes."""
    _, first, which, counts = np.unique(
        keys, return_index=True, return_inverse=True, return_counts=True
    )
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return first[order], rank[which], counts[order]


def holds(keys: Any, flags: Any, count: int) -> Any:
    """Of each key below `count`, whether any of its flags is set."""
    return np.bincount(keys[flags != 0], minlength=count) > 0


def found_in(keys: Any, known: Any) -> tuple[Any, Any]:
    """Which keys are among known ones, and as which of them; `known` is sorted and not empty."""
    at = np.minimum(np.searchsorted(known, keys), len(known) - 1)
    return known[at] == keys, at


def alike(values: Any, starts: Any, rows: Any, kinds: Any) -> Any:
    """Numbers for rows of numbers: the same for rows of one kind that hold the same numbers.

    Args:
        values: the numbers of all rows, one row after the other.
        starts: where each row begins, and the end of the last.
        rows: the rows asked about.
        kinds: the kind of each of them.
    """
    begin, size = starts[rows], starts[rows + 1] - starts[rows]
    ends = np.cumsum(size)
    offset = np.arange(int(ends[-1]) if len(rows) else 0) - np.repeat(ends - size, size)
    own = values[np.repeat(begin, size) + offset]
    powers = np.cumprod(np.full(int(size.max(initial=0)), _ODD, np.uint64), dtype=np.uint64)
    scattered = (own.astype(np.uint64) + _ODD) * powers[offset]
    scattered ^= scattered >> np.uint64(29)
    sums = np.zeros(len(rows), np.uint64)
    full = size > 0
    sums[full] = np.add.reduceat(scattered, (ends - size)[full]) if full.any() else 0
    sums = (sums * _ODD + kinds.astype(np.uint64)) * _ODD + size.astype(np.uint64)
    _, first, which = np.unique(sums, return_index=True, return_inverse=True)
    # Sums may agree by chance: each row is compared with the first of its number.
    like = first[which]
    same = (size[like] == size) & (kinds[like] == kinds)
    if same.all():
        other = values[np.repeat(begin[like], size) + offset]
        if (other == own).all():
            return which
    known: dict[object, int] = {}
    told = zip(kinds.tolist(), begin.tolist(), (begin + size).tolist(), strict=True)
    return np.array(
        [known.setdefault((kind, *values[a:b].tolist()), len(known)) for kind, a, b in told],
        np.int64,
    )


_ODD = np.uint64(0x9E3779B97F4A7C15)


def narrow(values: Any, types: Iterable[tuple[str, int]]) -> tuple[str, bytes]:
    """Numbers in the first type that holds them, little-endian, and that type."""
    array = column(values)
    highest = int(array.max()) if len(array) else 0
    code = next(code for code, end in types if highest < end)
    return code, array.astype(f"<{code}").tobytes()


def rises(values: Any) -> bool:
    """Whether every number is greater than the one before it."""
    return bool((values[1:] > values[:-1]).all())


def numbers(values: Any) -> list[int]:
    """A column as whole numbers of Python's."""
    found: list[int] = values.tolist()
    return found


def runs(keys: Any) -> Iterator[tuple[int, int]]:
    """Where stretches of equal numbers begin and end."""
    turns = np.flatnonzero(keys[1:] != keys[:-1]) + 1
    return pairwise([0, *turns.tolist(), len(keys)])


def repeating(place: Any, scope: Any, twin: Any, least: int) -> list[tuple[int, int, int]]:
    """Stretches of at least so many in which places repeat, as `(start, end, period)`.

    Scopes go on by the same number from one period to the next.
    """
    taken = np.zeros(len(place), bool)
    found: list[tuple[int, int, int]] = []
    for period in _periods(place):
        if len(place) < 3 * period:
            continue
        same = (place[period:] == place[:-period]) & (twin[period:] == twin[:-period])
        step = scope[period:] - scope[:-period]
        same = same[:-period] & same[period:] & (step[period:] == step[:-period])
        turns = np.flatnonzero(np.diff(same, prepend=False, append=False))
        for start, last in zip(turns[::2].tolist(), turns[1::2].tolist(), strict=True):
            end = last + 2 * period
            if end - start >= least + 4 * period and not taken[start:end].any():
                taken[start:end] = True
                found.append((start, end, period))
    return found


_WINDOW = 4096
_MOST_WINDOWS = 8
_MOST_PERIODS = 24


def _periods(place: Any) -> list[int]:
    """What may be periods: distances between nodes of one place, in samples of a long column."""
    last = max(len(place) - _WINDOW, 0)
    starts = sorted({last * at // (_MOST_WINDOWS - 1) for at in range(_MOST_WINDOWS)})
    counts = np.zeros(_WINDOW, np.int64)
    for start in starts:
        window = place[start : start + _WINDOW]
        order = np.argsort(window, kind="stable")
        for back in (1, 2, 3):
            same = window[order[back:]] == window[order[:-back]]
            counts += np.bincount((order[back:] - order[:-back])[same], minlength=_WINDOW)
    often = np.argsort(-counts, kind="stable")[:_MOST_PERIODS]
    return sorted(often[counts[often] > 2].tolist())


def line(start: int, step: int, times: int) -> Any:
    """So many numbers after `start`, each `step` from the one before."""
    return start + step * np.arange(1, times + 1)


def continued(values: Sequence[int], steps: Sequence[int], times: int, code: str) -> bytes:
    """What follows after a row of numbers of which each moves on by its step, again and again."""
    rows = np.asarray(values)[None, :] + np.arange(1, times + 1)[:, None] * np.asarray(steps)
    return bytes(rows.astype(code))


def goes_on(moves: Any, step: int) -> bool:
    """Whether numbers are 0 or `step`, and every `step` of them like those before."""
    return bool(np.isin(moves, (0, step)).all() and (moves[step:] == moves[:-step]).all())
