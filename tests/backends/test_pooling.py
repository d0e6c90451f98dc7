"""Gradients of pools whose windows lie side by side, against those by index."""

from __future__ import annotations

import numpy as np
import pytest

from gradviz.backends.ndarray.kernels import pooling


@pytest.mark.parametrize("seed", range(40))
def test_gradients_by_place_are_those_by_index(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rank = int(rng.integers(1, 4))
    kernel = tuple(int(n) for n in rng.integers(1, 4, rank))
    shape = (2, 3, *(int(n) for n in rng.integers(3, 9, rank)))
    x = rng.standard_normal(shape).astype(rng.choice(["f", "d"]))
    if seed % 2:
        x = np.maximum(np.round(x), 0)  # many are equal: the first in reading order counts
    # What 0 and 1 can't be multiplied by is put where it belongs all the same.
    special = {3: np.nan, 4: np.inf, 5: -np.inf}.get(seed % 8)
    if special is not None:
        x[0, 0].flat[0] = special
    none, one = (0,) * rank, (1,) * rank
    best = pooling.max_pool(x, kernel, kernel, none, one, False)
    g = rng.standard_normal(best.shape).astype(x.dtype)
    if seed % 8 == 6:
        g.flat[0] = np.inf
    indices = pooling.max_pool_indices(x, kernel, kernel, none, one, False)
    expected = pooling.pool_put(g, indices, x.shape, rank)
    found = pooling.max_pool_backward(g, x, kernel, kernel, none, one, False)
    np.testing.assert_array_equal(found, expected)
    assert found.dtype == expected.dtype
    fits = not np.isnan(best).any() and np.isfinite(g).all() and np.prod(kernel) <= 9
    assert (pooling._handed_back(g, x, kernel) is not None) == fits
