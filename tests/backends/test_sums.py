"""Sums over first and last dimensions: NumPy's numbers, whatever lies in memory and however."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from gradviz.backends.ndarray.kernels.reduction import mean, sum, sum_to, var
from gradviz.backends.ndarray.rows import add_up

SHAPES = [
    (3, 4),
    (8, 16, 7, 5),
    (2, 3, 500),
    (64, 10),
    (1, 5),
    (5, 1),
    (2, 3, 4),
    (700, 2, 3),
    (70_000, 2),
    (2, 0),
    (0, 2),
]


def _arrays(shape: tuple[int, ...], dtype: str) -> list[np.ndarray]:
    x = np.random.default_rng(5).integers(-9, 9, shape).astype(dtype)
    wide = np.concatenate([x, x], axis=-1)[..., : shape[-1]]
    return [x, np.asfortranarray(x), wide, np.broadcast_to(x[:1], shape), x[::-1]]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int32", "bool"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_sums_are_numpys(shape: tuple[int, ...], dtype: str) -> None:
    if dtype == "float16" and shape[0] > 1000:
        shape = (1000, *shape[1:])  # its largest number is 65,504
    for x in _arrays(shape, dtype):
        for count in range(1, x.ndim + 1):
            for dims, keep in itertools.product(
                itertools.combinations(range(x.ndim), count), (False, True)
            ):
                wanted = np.sum(
                    x, axis=dims, keepdims=keep, dtype=None if x.dtype.kind == "f" else "i8"
                )
                found = np.asarray(sum(x, dims, keep))
                assert found.shape == wanted.shape
                assert found.dtype == wanted.dtype
                assert np.array_equal(found, wanted)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_gradients_of_broadcasts_are_sums(shape: tuple[int, ...]) -> None:
    for x in _arrays(shape, "float32"):
        for lead in range(x.ndim):
            target = shape[lead:]
            assert np.array_equal(sum_to(x, target), x.sum(axis=tuple(range(lead))))
            narrow = (*target[:-1], 1)
            wanted = x.sum(axis=tuple(range(lead))).sum(axis=-1, keepdims=True)
            assert np.array_equal(sum_to(x, narrow), wanted)


def test_means_and_variances_of_columns_are_numpys() -> None:
    x = np.random.default_rng(6).standard_normal((300, 7)).astype(np.float32)
    for dim in (0, 1):
        assert np.allclose(mean(x, (dim,), False), x.mean(dim), atol=1e-6)
        assert np.allclose(var(x, (dim,), 1, False), x.var(dim, ddof=1), atol=1e-6)


def test_sums_of_many_rows_keep_more_digits_than_row_after_row() -> None:
    x = np.random.default_rng(7).random((60_000, 8)).astype(np.float32)
    exact = x.sum(axis=0, dtype=np.float64)
    found = add_up(x, (0,))
    assert np.abs(found - exact).max() < np.abs(x.sum(axis=0) - exact).max()


def test_infinities_and_nans_stay_in_their_column() -> None:
    x = np.zeros((20, 3), np.float32)
    x[4, 0], x[7, 1] = np.inf, np.nan
    assert str(sum(x, (0,), False).tolist()) == "[inf, nan, 0.0]"
