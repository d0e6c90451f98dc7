"""Values added up at chosen places, against `numpy.add.at`."""

from __future__ import annotations

import numpy as np
import pytest

from gradviz.backends.ndarray.kernels.adding import add_along, add_at

SHAPES = [((50, 3), 0), ((7,), 0), ((4, 50), 1), ((3, 20, 300), 1), ((20, 300), 0), ((2, 3, 9), -1)]


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
@pytest.mark.parametrize(("shape", "dim"), SHAPES)
@pytest.mark.parametrize("picks", [(0,), (6,), (500,), (4, 5)])
def test_slices_are_added_in_the_order_given(
    shape: tuple[int, ...], dim: int, picks: tuple[int, ...], dtype: str
) -> None:
    rng = np.random.default_rng(1)
    dim %= len(shape)
    index = rng.integers(-shape[dim], shape[dim], picks)
    given = (*shape[:dim], *picks, *shape[dim + 1 :])
    values = (rng.standard_normal(given) * 100).astype(dtype)
    found = (rng.standard_normal(shape) * 100).astype(dtype)
    expected = found.copy()
    np.add.at(expected, (*(slice(None),) * dim, index), values)
    add_at(found, index, values, dim)
    assert (found == expected).all()


@pytest.mark.parametrize(("shape", "dim"), [((0, 3), 1), ((3, 0), 0), ((2, 0, 3), 0), ((0,), 0)])
def test_nothing_is_added_to_nothing(shape: tuple[int, ...], dim: int) -> None:
    index = np.array([0] * min(shape[dim], 1))
    given = (*shape[:dim], len(index), *shape[dim + 1 :])
    found = np.zeros(shape)
    add_at(found, index, np.ones(given), dim)
    assert found.shape == shape


@pytest.mark.parametrize("dim", [0, 1, 2])
def test_elements_are_added_along_a_dimension(dim: int) -> None:
    rng = np.random.default_rng(2)
    found = rng.standard_normal((6, 7, 8))
    index = rng.integers(-6, 6, (5, 6, 7))
    values = rng.standard_normal(index.shape)
    expected = found.copy()
    places: list[np.ndarray] = list(np.ogrid[0:5, 0:6, 0:7])
    places[dim] = index
    np.add.at(expected, tuple(places), values)
    add_along(found, index, values, dim)
    assert (found == expected).all()


@pytest.mark.parametrize("add", [add_at, add_along])
@pytest.mark.parametrize("wrong", [5, -6])
def test_a_place_outside_is_refused_before_anything_is_added(add: object, wrong: int) -> None:
    assert callable(add)
    out = np.zeros((3, 5))
    index = np.array([0, wrong]) if add is add_at else np.array([[0, wrong]])
    with pytest.raises(IndexError, match=f"index {wrong} is out of bounds for axis 1"):
        add(out, index, np.ones((3, 2)) if add is add_at else np.ones((1, 2)), 1)
    assert not out.any()
