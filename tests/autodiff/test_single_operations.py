"""Behaviours of single operations."""

from __future__ import annotations

import numpy as np
import pytest

import gradviz as gv


def test_no_nan_and_no_overflow(leaf):
    x = leaf([0.0, -0.0])
    assert x.grad(x.abs().backward()).tolist() == [0.0, 0.0]
    s = leaf([-90.0, 90.0])
    out = s.sigmoid()
    assert out.numpy()[0] == pytest.approx(0.0, abs=1e-30)
    assert np.isfinite(s.grad(out.backward()).numpy()).all()
    t = leaf([-300.0])
    out = gv.logsigmoid(t)
    assert out.tolist() == [-300.0] and t.grad(out.backward()).tolist() == [1.0]


def test_prod_has_its_true_gradient_at_zeros(leaf):
    x = leaf([2.0, 0.0, 3.0])
    assert x.grad(x.prod().backward()).tolist() == [0.0, 6.0, 0.0]
    y = leaf([[0.0, 0.0, 3.0], [1.0, 2.0, 3.0]])
    assert y.grad(y.prod(dim=1).backward()).tolist() == [[0.0, 0.0, 0.0], [6.0, 3.0, 2.0]]


def test_an_all_false_mask(leaf):
    x = leaf([1.0, 2.0])
    none = x.masked_select(x > 10.0)
    assert none.shape == (0,) and x.grad(none.sum().backward()).tolist() == [0.0, 0.0]


def test_parts_of_unequal_size(leaf):
    a, b, c = leaf([1.0, 2.0]), leaf([1.0], grad=False), leaf([3.0, 4.0, 5.0])
    out = gv.cat([a, b, c]) * gv.arange(6)
    grads = out.backward()
    assert (
        grads[a].tolist() == [0.0, 1.0] and grads[c].tolist() == [3.0, 4.0, 5.0] and b not in grads
    )


def test_slices_with_a_step(leaf):
    x = leaf([[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]])
    out = x[::-1, ::2]
    assert out.tolist() == [[5.0, 7.0], [1.0, 3.0]]
    assert x.grad((out * gv.tensor([[1.0, 2.0], [3.0, 4.0]])).backward()).tolist() == [
        [3.0, 0.0, 4.0, 0.0],
        [1.0, 0.0, 2.0, 0.0],
    ]
