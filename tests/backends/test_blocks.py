"""Work in blocks: the same numbers as in one piece, whatever lies in memory and however."""

from __future__ import annotations

import math

import numpy as np
import pytest

from gradviz.backends.ndarray.blocks import blockwise, select, where_nonzero
from gradviz.backends.ndarray.erf import erf, erfc
from gradviz.backends.ndarray.kernels.elementwise import relu

DTYPES = ("float16", "float32", "float64", "int16", "int64")


def _random(*shape: int) -> np.ndarray:
    return np.random.default_rng(3).standard_normal(shape)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", [0, 5, 8192, 100_001])
def test_select_is_where(dtype: str, size: int) -> None:
    x, y = (_random(size) * 9).astype(dtype), (_random(size)[::-1] * 7).astype(dtype)
    chosen = select(x > y, x, y)
    assert chosen.dtype == x.dtype
    assert (chosen == np.where(x > y, x, y)).all()


def test_select_keeps_every_bit() -> None:
    special = np.array([np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-45], np.float32)
    x = np.resize(special, 20_000)
    y = np.roll(x, 3)
    mask = np.random.default_rng(0).random(x.size) > 0.5
    assert select(mask, x, y).tobytes() == np.where(mask, x, y).tobytes()


@pytest.mark.parametrize("other", [0, 2.5, np.float32(2.5), np.array(-1.0)])
def test_select_takes_scalars_on_either_side(other: object) -> None:
    x = _random(100, 200).astype(np.float32)
    for pair in ((x, other), (other, x)):
        chosen, expected = select(x > 0, *pair), np.where(x > 0, *pair)
        assert chosen.dtype == expected.dtype
        assert (chosen == expected).all()


def test_select_of_views_and_broadcast_parts() -> None:
    x = _random(300, 200).astype(np.float32)
    mask = x > 0
    once = np.broadcast_to(np.float32(3), x.shape)
    for first in (once, x.T.copy().T, x[:1], x[:, :1]):
        assert (select(mask, first, x) == np.where(mask, first, x)).all()
    assert (select(mask.T, x.T, once.T) == np.where(mask.T, x.T, once.T)).all()
    assert (select(mask[:, :1], x, once) == np.where(mask[:, :1], x, once)).all()


def test_blocks_follow_the_order_of_memory() -> None:
    def double(part: np.ndarray, out: np.ndarray) -> None:
        np.multiply(part, 2, out=out)

    x = _random(300, 400)
    for given in (x, x.T, x[::3, ::-2], x[:0], x[3, 4]):
        assert (blockwise(np.asarray(given), double) == given * 2).all()
        assert blockwise(np.asarray(given), double).shape == np.shape(given)


@pytest.mark.parametrize(
    ("dtype", "units"), [("float32", 4), ("float64", 16)], ids=["float32", "float64"]
)
def test_erf_is_exact_to_a_few_units_in_the_last_place(dtype: str, units: int) -> None:
    x = np.concatenate([np.linspace(-6, 6, 40_001), np.logspace(-30, 0, 5_000)]).astype(dtype)
    expected = np.array([math.erf(value) for value in x.tolist()])
    unit = np.spacing(np.abs(expected).astype(dtype)).astype(np.float64)
    assert (np.abs(erf(x) - expected) <= units * unit).all()


def test_erfc_is_exact_where_it_is_tiny() -> None:
    x = np.linspace(-6, 26, 40_001)
    expected = np.array([math.erfc(value) for value in x.tolist()])
    assert np.allclose(erfc(x), expected, rtol=1e-12, atol=0)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_erf_at_the_ends(dtype: str) -> None:
    ends = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 30.0, -30.0], dtype)
    assert np.array_equal(erf(ends), [np.nan, 1, -1, 0, 0, 1, -1], equal_nan=True)
    assert np.signbit(erf(ends)[4])
    assert np.array_equal(erfc(ends), [np.nan, 0, 2, 1, 1, 0, 2], equal_nan=True)
    assert (np.abs(erf(_random(10_000).astype(dtype) * 9)) <= 1).all()


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("shape", [(), (0,), (7,), (64, 33), (70_000,), (300, 251)], ids=str)
def test_the_gate_of_a_relu_lets_through_where_it_isnt_0(dtype: str, shape: tuple) -> None:
    out = np.maximum(np.asarray(_random(*shape), dtype), 0)
    values = np.asarray(_random(*shape)[::-1] if shape else 2.5, dtype)
    layouts = [(out, values), (out.T, values.T), (np.asfortranarray(out), values)]
    layouts.append((out, np.broadcast_to(np.asarray(3, dtype), shape)))
    for gate, given in layouts:
        found = where_nonzero(gate, given)
        assert found.dtype == given.dtype
        assert np.array_equal(found, np.where(gate > 0, given, 0))


def test_the_gate_of_a_relu_is_open_at_nan_and_stops_infinities() -> None:
    special = np.array([np.nan, -np.nan, 0.0, np.inf, 1e-45, 2.0], np.float32)
    for repeats in (1, 20_000):
        out, values = np.tile(special, repeats), np.full(6 * repeats, np.inf, np.float32)
        found = where_nonzero(out, values).reshape(repeats, 6)
        assert (found == [np.inf, np.inf, 0.0, np.inf, np.inf, np.inf]).all()


@pytest.mark.parametrize("size", [*range(1, 40), 70_000])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_no_zero_that_a_relu_gives_opens_its_gate(size: int, dtype: str) -> None:
    out = np.asarray(relu(np.full(size, -0.0, dtype)))
    assert dtype == "float16" or not np.signbit(out).any()
    assert not where_nonzero(out, np.ones(size, dtype)).any()
