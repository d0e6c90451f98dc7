"""Statistics of arrays: every dtype, every size, numbers that overflow when squared, nan and inf."""

from __future__ import annotations

import math

import numpy as np
import pytest

from gradviz.backends.ndarray.statistics import BLOCK, describe, grid


@pytest.mark.parametrize(
    "dtype", ["float16", "float32", "float64", "int8", "int64", "uint8", "bool"]
)
def test_agrees_with_numpy_in_double_precision(dtype: str) -> None:
    values = (np.random.default_rng(0).normal(size=(7, 31)) * 20).astype(dtype)
    exact = values.astype(np.float64)
    found = describe(values)
    assert (found.count, found.finite, found.zeros) == (217, 217, int((exact == 0).sum()))
    assert (found.low, found.high) == (exact.min(), exact.max())
    assert found.mean == pytest.approx(exact.mean(), rel=1e-12)
    assert found.std == pytest.approx(exact.std(), rel=1e-12)
    assert found.norm == pytest.approx(math.sqrt((exact**2).sum()), rel=1e-12)
    assert sum(found.bins) == 217


def test_the_histogram_is_numpys() -> None:
    values = np.random.default_rng(1).normal(size=10_000)
    found = describe(values, 25)
    assert found.bins == tuple(np.histogram(values, 25)[0])
    assert found.edges == (values.min(), values.max())


def test_small_ranges_of_whole_numbers_have_a_bin_each() -> None:
    found = describe(np.array([3, 5, 5, 4, 3, 3], np.uint8))
    assert found.whole and found.bins == (3, 1, 2) and found.edges == (2.5, 5.5)
    assert describe(np.array([True, False, True])).bins == (1, 2)
    assert not describe(np.array([0, 1000])).whole


def test_many_blocks_are_one_array() -> None:
    values = np.random.default_rng(2).normal(3.0, 2.0, BLOCK * 2 + 17).astype(np.float32)
    found = describe(values)
    assert found.count == values.size == sum(found.bins)
    assert found.mean == pytest.approx(values.astype(np.float64).mean(), rel=1e-9)
    assert found.std == pytest.approx(values.astype(np.float64).std(), rel=1e-9)


@pytest.mark.parametrize("size", [1e308, 1e-300, 5e-324, 1.0])
def test_sums_neither_overflow_nor_vanish(size: float) -> None:
    found = describe(np.array([size, -size, size, size]))
    assert found.mean == pytest.approx(size / 2, rel=1e-9, abs=5e-324)
    assert found.norm == (pytest.approx(2 * size, rel=1e-9) if size < 1e308 else math.inf)
    assert found.std == pytest.approx(size * math.sqrt(0.75), rel=1e-9, abs=5e-324)


def test_float16_is_not_summed_in_float16() -> None:
    found = describe(np.full(100_000, 60_000.0, np.float16))
    assert (
        found.mean == 60_000 and found.std == 0 and found.norm == pytest.approx(60_000 * 1e5**0.5)
    )


def test_nans_and_infinities_are_counted_apart() -> None:
    found = describe(np.array([np.nan, np.inf, -np.inf, -np.inf, 0.0, 2.0], np.float32))
    assert (found.count, found.finite, found.zeros) == (6, 2, 1)
    assert (found.nans, found.above, found.below) == (1, 1, 2)
    assert (found.low, found.high, found.mean) == (0.0, 2.0, 1.0)


@pytest.mark.parametrize("values", [np.zeros((0, 3)), np.array([np.nan, np.inf])])
def test_nothing_finite(values: np.ndarray) -> None:
    found = describe(values)
    assert (
        found.finite == 0 and found.bins == () and math.isnan(found.mean) and math.isnan(found.norm)
    )


def test_broadcast_arrays_are_not_written_out() -> None:
    wide = np.broadcast_to(np.array([1.0, 3.0]), (10**9, 2))  # 16 GB if it were copied
    found = describe(wide)
    assert (
        found.count == 2 * 10**9 and found.mean == 2.0 and found.bins[0] == found.bins[-1] == 10**9
    )
    assert found.norm == pytest.approx(math.sqrt(10e9))


def test_numbers_and_views_are_arrays_too() -> None:
    assert describe(np.float32(3.0)).mean == 3.0
    assert describe(np.arange(12.0).reshape(3, 4)[:, ::2].T).mean == 5.0


# --- grids ---------------------------------------------------------------------------------------
def test_a_small_slice_is_exact() -> None:
    values = np.arange(24.0).reshape(2, 3, 4)
    assert (grid(values, (1, 2), (1, 0, 0), 8).cells == values[1]).all()
    assert (grid(values, (2, 1), (0, 0, 0), 8).cells == values[0].T).all()
    assert (grid(values, (0,), (0, 2, 3), 8).cells == values[:, 2, 3][None]).all()
    assert grid(np.float32(7.0), (), (), 8).cells.tolist() == [[7.0]]


def test_large_slices_are_averaged() -> None:
    values = np.arange(30.0).reshape(5, 6)
    found = grid(values, (0, 1), (0, 0), 3)
    assert found.steps == (2, 2) and not found.sampled
    assert found.cells[0, 0] == values[:2, :2].mean() and found.cells[2, 2] == values[4:, 4:].mean()


def test_one_nan_among_many_is_seen() -> None:
    values = np.zeros((100, 100))
    values[57, 3] = np.nan
    values[90, 90] = -np.inf
    cells = grid(values, (0, 1), (0, 0), 10).cells
    assert np.isnan(cells[5, 0]) and cells[9, 9] == -np.inf and np.isfinite(cells).sum() == 98


def test_huge_slices_are_sampled_and_say_so() -> None:
    found = grid(np.broadcast_to(np.float32(1.0), (100_000, 3)), (0, 1), (0, 0), 48)
    assert found.sampled and found.cells.shape[0] <= 48 and (found.cells == 1.0).all()
    assert found.steps[0] * found.cells.shape[0] >= 100_000
