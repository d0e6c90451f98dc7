"""Padding layers beyond PyTorch's numbers in `layers_more.json`: batches, captures, refusals."""

from __future__ import annotations

import numpy as np
import pytest

import gradviz as gv
from tests.asserting import refused

nn = gv.nn
KINDS = ["ZeroPad", "ConstantPad", "ReflectionPad", "ReplicationPad", "CircularPad"]
NUMPYS = {"ReflectionPad": "reflect", "ReplicationPad": "edge", "CircularPad": "wrap"}


def made(kind, rank, padding):
    options = {"value": 2.0} if kind == "ConstantPad" else {}
    return getattr(nn, f"{kind}{rank}d")(padding, **options)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rank", [1, 2, 3])
def test_borders_are_numpy_s(kind, rank):
    x = np.random.default_rng(rank).normal(size=(2, 3, *(4, 3, 5)[:rank])).astype(np.float32)
    pairs = [(1, 2), (2, 0), (1, 1)][:rank]
    padding = tuple(width for pair in reversed(pairs) for width in pair)
    options = {"mode": "constant", "constant_values": 2.0 if kind == "ConstantPad" else 0.0}
    if kind in NUMPYS:
        options = {"mode": NUMPYS[kind]}
    expected = np.pad(x, [(0, 0), (0, 0), *pairs], **options)
    layer = made(kind, rank, padding)
    np.testing.assert_array_equal(layer(x).numpy(), expected)
    np.testing.assert_array_equal(layer(x[0]).numpy(), expected[0])
    assert not layer.state_dict()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rank", [1, 2, 3])
def test_no_batch_stays_none(kind, rank):
    x = gv.ones(0, 3, *[4] * rank, requires_grad=True)
    out = made(kind, rank, 1)(x)
    assert out.shape == (0, 3, *[6] * rank)
    assert x.grad(out.sum().backward()).shape == x.shape


@pytest.mark.parametrize("kind", KINDS)
def test_the_batch_may_be_left_open(kind):
    layer = made(kind, 2, (1, 2, 0, 1))
    captured = gv.capture(layer, gv.spec(("batch", 3, 4, 5)))
    for batch in (0, 1, 3):
        x = gv.randn(batch, 3, 4, 5)
        np.testing.assert_array_equal(captured.run(x).numpy(), layer(x).numpy())


def test_layers_show_their_arguments():
    assert repr(nn.ReflectionPad1d(2)) == "ReflectionPad1d((2, 2))"
    assert repr(nn.ZeroPad2d((1, 2, 3, 4))) == "ZeroPad2d((1, 2, 3, 4))"
    assert repr(nn.ConstantPad1d(1, 0.5)) == "ConstantPad1d(padding=(1, 1), value=0.5)"


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: nn.ZeroPad1d((1, 2, 3)), "ZeroPad1d: padding is (1, 2, 3)"),
        (lambda: nn.ReflectionPad2d((1, 2)), "ReflectionPad2d: padding is (1, 2)"),
        (lambda: nn.CircularPad3d("1"), "CircularPad3d"),
        (lambda: nn.ReplicationPad1d(0.5), "ReplicationPad1d"),
        (lambda: nn.ConstantPad1d(1, "x"), "ConstantPad1d"),
        (lambda: nn.ZeroPad2d(1)(gv.ones(3)), "at most 1 dimensions"),
        (lambda: nn.ReflectionPad1d(1)(gv.ones(3)), "an input of shape (3,) has 1 dimensions"),
        (lambda: nn.CircularPad2d(1)(gv.ones(1, 1, 1, 1, 3)), "Give 3 or 4 dimensions."),
        (lambda: nn.ReflectionPad1d(3)(gv.ones(1, 3)), "a border of 3 in mode 'reflect'"),
        (lambda: nn.CircularPad1d(4)(gv.ones(1, 3)), "a border of 4 in mode 'circular'"),
        (lambda: nn.ReplicationPad1d(1)(gv.ones(1, 0)), "more than the 0 elements"),
        (lambda: nn.ConstantPad1d(-2, 0.0)(gv.ones(1, 3)), "cuts more than a tensor"),
    ],
)
def test_what_makes_no_sense_is_refused(call, words):
    refused(call, "invalid-argument", words)
