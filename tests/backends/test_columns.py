"""Columns of whole numbers, beside what plain Python says."""

from __future__ import annotations

import random

import numpy as np
import pytest

from gradviz.backends.ndarray import columns


def test_distinct_keys_come_in_the_order_they_are_met() -> None:
    first, which, counts = columns.distinct(np.array([7, 3, 7, 9, 3, 7]))
    assert first.tolist() == [0, 1, 3]
    assert which.tolist() == [0, 1, 0, 2, 1, 0]
    assert counts.tolist() == [3, 2, 1]
    assert columns.first_of(np.array([2, 0, 2]), 4).tolist() == [1, 3, 0, 3]


def test_layers_tell_what_stands_in_what() -> None:
    parents = columns.column([0, 0, 1, 0, 2, 1])
    assert [layer.tolist() for layer in columns.levels(parents)] == [[1, 3], [2, 5], [4]]
    assert columns.levels(columns.column([0])) == []
    counts = columns.column([0, 1, 1, 1, 1, 1])
    columns.add_up(counts, parents, columns.levels(parents))
    assert counts.tolist() == [5, 4, 2, 1, 1, 1]
    values = columns.column([0, 8, 0, 0, 0, 5])
    columns.inherit(values, parents, columns.levels(parents))
    assert values.tolist() == [0, 8, 8, 0, 8, 5]


@pytest.mark.parametrize("factor", [columns._ODD, np.uint64(0)], ids=["mixed", "all sums agree"])
def test_rows_are_alike_where_they_hold_the_same(
    factor: np.uint64, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(columns, "_ODD", factor)
    random.seed(3)
    rows = [[random.randrange(-2, 2) for _ in range(random.randrange(4))] for _ in range(200)]
    kinds = [random.randrange(2) for _ in rows]
    starts = np.cumsum([0, *map(len, rows)])
    values = columns.column([value for row in rows for value in row])
    asked = columns.column(range(0, 200, 2))
    found = columns.alike(values, starts, asked, columns.column(kinds)[asked]).tolist()
    same: dict[int, tuple[int, list[int]]] = {}
    for number, at in zip(found, range(0, 200, 2), strict=True):
        assert same.setdefault(number, (kinds[at], rows[at])) == (kinds[at], rows[at])
    assert len(same) == len({(kinds[at], *rows[at]) for at in range(0, 200, 2)})


def test_numbers_travel_in_the_first_type_that_holds_them() -> None:
    types = (("u1", 2**8), ("u2", 2**16))
    assert columns.narrow([1, 255], types) == ("u1", b"\x01\xff")
    assert columns.narrow([1, 256], types) == ("u2", b"\x01\x00\x00\x01")
    assert columns.narrow([], types) == ("u1", b"")


def test_stretches_that_repeat_are_found_with_their_period() -> None:
    place = columns.column([9, 8, *[1, 2, 3] * 40, 7, 6, *[4] * 50, 5])
    still = columns.zeros(len(place))
    assert columns.repeating(place, still, still, 20) == [(124, 174, 1), (2, 122, 3)]
    counted = columns.counting(len(place))
    assert columns.repeating(place, counted, still, 20) == [(124, 174, 1), (2, 122, 3)]
    random.seed(3)
    wild = columns.column([random.randrange(9) for _ in place])
    assert columns.repeating(place, wild, still, 20) == []
