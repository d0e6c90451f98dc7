"""Further names of PyTorch's: facts, tensors like one, quantiles, powers of matrices."""

from __future__ import annotations

import numpy as np
import pytest

import gradviz as gv
from tests.asserting import refused

X = np.random.default_rng(11).standard_normal((4, 5))


@pytest.mark.parametrize("how", ["linear", "lower", "higher", "nearest", "midpoint"])
@pytest.mark.parametrize("dim", [None, 0, 1, -1])
@pytest.mark.parametrize("keepdim", [False, True])
def test_quantiles_are_numpys(how: str, dim: int | None, keepdim: bool) -> None:
    shares = [0.0, 0.1, 0.25, 0.5, 0.9, 1.0]
    for q in (*shares, shares):
        found = gv.quantile(gv.tensor(X), q, dim, keepdim, interpolation=how)
        wanted = np.quantile(X, q, axis=dim, keepdims=keepdim, method=how)
        assert found.shape == wanted.shape
        assert np.allclose(found.numpy(), wanted)


def test_quantiles_have_slopes() -> None:
    x = gv.tensor(X, requires_grad=True)
    assert gv.gradcheck(lambda x: x.quantile(gv.tensor([0.3, 0.8]).tolist(), dim=1), x)
    assert gv.gradcheck(lambda x: x.quantile(0.55, interpolation="midpoint"), x)


def test_quantiles_of_lanes_with_nan_are_nan() -> None:
    x = X.copy()
    x[1, 2] = np.nan
    found = gv.quantile(gv.tensor(x), 0.2, dim=1).numpy()
    assert np.isnan(found).tolist() == [False, True, False, False]


@pytest.mark.parametrize(
    "call",
    [
        lambda: gv.quantile(gv.tensor(X), 25),
        lambda: gv.quantile(gv.tensor(X), [0.5, -0.1]),
        lambda: gv.quantile(gv.zeros(0), 0.5),
        lambda: gv.quantile(gv.tensor(X), 0.5, interpolation="between"),
        lambda: gv.tensor_split(gv.tensor(X), 0),
        lambda: gv.matrix_power(gv.tensor(X), 2),
    ],
)
def test_what_makes_no_sense_is_refused(call) -> None:
    refused(call, "invalid-argument")


@pytest.mark.parametrize(
    "parts", [1, 2, 3, 4, 7, [1, 3], [0, 5], [2, 2], [3, 1], [-1], [9], []], ids=str
)
@pytest.mark.parametrize("dim", [0, 1])
def test_parts_are_numpys(parts, dim: int) -> None:
    found = gv.tensor(X).tensor_split(parts, dim)
    wanted = np.array_split(X, parts, axis=dim)
    assert [part.tolist() for part in found] == [part.tolist() for part in wanted]


@pytest.mark.parametrize("n", [-3, -1, 0, 1, 2, 5, 8])
def test_powers_of_matrices_are_numpys(n: int) -> None:
    square = X[:, :4] + 3.0 * np.eye(4)
    found = gv.tensor(square).matrix_power(n)
    assert np.allclose(found.numpy(), np.linalg.matrix_power(square, n))
    batch = gv.tensor(np.stack([square, square.T]))
    assert np.allclose(batch.matrix_power(n).numpy()[1], np.linalg.matrix_power(square.T, n))


def test_powers_of_matrices_have_slopes() -> None:
    square = gv.tensor(X[:, :4] + 3.0 * np.eye(4), requires_grad=True)
    assert gv.gradcheck(lambda m: m.matrix_power(3), square)
    assert gv.gradcheck(lambda m: m.matrix_power(-2), square)


def test_new_tensors_are_like_one() -> None:
    like = gv.tensor([1.0], dtype=gv.float64, requires_grad=True)
    for made, values in (
        (like.new_zeros(2), [0.0, 0.0]),
        (like.new_ones((1, 2)), [[1.0, 1.0]]),
        (like.new_full([2], 3), [3.0, 3.0]),
        (like.new_tensor([1, 2]), [1.0, 2.0]),
    ):
        assert made.tolist() == values
        assert (made.dtype, made.device, made.requirement) == (gv.float64, like.device, "none")
    assert like.new_empty(3, 2).shape == (3, 2)
    assert like.new_ones(2, dtype=gv.int64).dtype == gv.int64
    assert str(like.new_zeros(1, device=gv.device("ndarray")).kind) == "NdArray"


def test_facts_have_pytorchs_names() -> None:
    x = gv.zeros(2, 3, dtype=gv.float16)
    assert (x.nelement(), x.element_size(), x.is_floating_point()) == (6, 2, True)
    assert not gv.is_floating_point(gv.arange(3))
    assert gv.is_same_size(x, gv.ones(2, 3))
    assert not x.is_same_size(gv.ones(3, 2))
    y = gv.arange(6.0, requires_grad=True)
    assert (y.view_as(x) * 2.0).sum().backward()[y].tolist() == [2.0] * 6


def test_they_are_recorded() -> None:
    captured = gv.capture(
        lambda x: (x.quantile(0.3, dim=0), x[:, :4].matrix_power(2), *x.tensor_split(2, 1)),
        gv.spec((4, 5), gv.float64),
    )
    found = [part.numpy() for part in captured.run(X)]
    assert np.allclose(found[0], np.quantile(X, 0.3, axis=0))
    assert np.allclose(found[1], X[:, :4] @ X[:, :4])
    assert np.array_equal(found[2], X[:, :3])
