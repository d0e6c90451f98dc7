"""Updates against formulas written out independently."""

from __future__ import annotations

import numpy as np
import pytest

import gradviz as gv
from tests.optim import reference

SGD = [
    {},
    {"momentum": 0.9},
    {"momentum": 0.9, "dampening": 0.3},
    {"momentum": 0.9, "nesterov": True},
    {"weight_decay": 0.1},
    {"weight_decay": 0.1, "momentum": 0.5, "maximize": True},
]
ADAM = [
    {},
    {"betas": (0.5, 0.8), "eps": 1e-4},
    {"weight_decay": 0.1},
    {"amsgrad": True},
    {"amsgrad": True, "weight_decay": 0.05, "maximize": True},
]
CASES = [
    *[("SGD", reference.sgd, options) for options in SGD],
    *[("Adam", reference.adam, options) for options in ADAM],
    *[("AdamW", reference.adamw, options) for options in ADAM],
]
IDS = [f"{name} {options}" for name, _, options in CASES]


@pytest.mark.parametrize("shape", [(3, 4), (1,), (), (0, 2)], ids=str)
@pytest.mark.parametrize(("name", "formula", "options"), CASES, ids=IDS)
def test_update_equals_its_formula(name, formula, options, shape):
    rng = np.random.default_rng(4)
    start = np.asarray(rng.normal(size=shape))
    gradients = [np.asarray(rng.normal(size=shape)) for _ in range(12)]
    p = gv.nn.Parameter(start)
    opt = getattr(gv.optim, name)([p], lr=0.05, **options)
    for g in gradients:
        opt.step((p * gv.tensor(g)).sum().backward())
    np.testing.assert_allclose(p.numpy(), formula(start, gradients, 0.05, **options), rtol=1e-10)
    assert p.shape == shape and p.dtype == np.float64


@pytest.mark.parametrize(("name", "formula", "options"), CASES, ids=IDS)
def test_float32_stays_float32(name, formula, options):
    rng = np.random.default_rng(4)
    start = rng.normal(size=5).astype(np.float32)
    gradients = [rng.normal(size=5).astype(np.float32) for _ in range(12)]
    p = gv.nn.Parameter(start)
    opt = getattr(gv.optim, name)([p], lr=0.05, **options)
    for g in gradients:
        opt.step((p * gv.tensor(g)).sum().backward())
    assert p.dtype == np.float32 and p.prim.dtype == np.float32
    expected = formula(start.astype(float), [g.astype(float) for g in gradients], 0.05, **options)
    np.testing.assert_allclose(p.numpy(), expected, rtol=2e-5, atol=1e-6)
    kept = [v for v in opt.state.get(p, {}).values() if isinstance(v, np.ndarray)]
    assert all(array.dtype == np.float32 for array in kept)


def test_defaults_are_pytorchs():
    p = [gv.nn.Parameter([1.0])]
    assert gv.optim.SGD(p).defaults == {
        "lr": 1e-3,
        "momentum": 0.0,
        "dampening": 0.0,
        "weight_decay": 0.0,
        "nesterov": False,
        "maximize": False,
    }
    assert gv.optim.Adam(p).defaults == {
        "lr": 1e-3,
        "betas": (0.9, 0.999),
        "eps": 1e-8,
        "weight_decay": 0.0,
        "amsgrad": False,
        "maximize": False,
    }
    assert gv.optim.AdamW(p).defaults["weight_decay"] == 1e-2


def test_groups_have_their_own_options():
    a, b = gv.nn.Parameter([1.0]), gv.nn.Parameter([1.0])
    opt = gv.optim.SGD([{"params": a}, {"params": [b], "lr": 0.5}], lr=0.1)
    opt.step((a + b).sum().backward())
    assert a.item() == pytest.approx(0.9) and b.item() == pytest.approx(0.5)


def test_options_can_change_between_steps():
    p = gv.nn.Parameter([1.0])
    opt = gv.optim.SGD([p], lr=0.1)
    opt.param_groups[0]["lr"] = 0.5
    opt.step(p.sum().backward())
    assert p.tolist() == [0.5]


def test_gradients_and_old_arrays_stay_as_they_are():
    p = gv.nn.Parameter([1.0, 2.0])
    old = p.prim
    kept = (p * p * p).sum()
    grads = (p * p).sum().backward()
    before = grads[p].tolist()
    for opt in (
        gv.optim.SGD([p], lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.1),
        gv.optim.Adam([p], weight_decay=0.1, amsgrad=True),
        gv.optim.AdamW([p], maximize=True),
    ):
        opt.step(grads)
        opt.step(grads)
    assert grads[p].tolist() == before == [2.0, 4.0]
    assert old.tolist() == [1.0, 2.0] and p.prim is not old
    assert p.grad(kept.backward()).tolist() == [3.0, 12.0]


def test_an_update_never_writes_into_a_shared_gradient():
    p, q = gv.nn.Parameter([1.0]), gv.nn.Parameter([1.0])
    opt = gv.optim.SGD([p, q], lr=0.1, momentum=0.9)
    for _ in range(3):
        opt.step((p + q).sum().backward())
    assert p.tolist() == q.tolist()
    assert opt.state[p]["momentum_buffer"] is not opt.state[q]["momentum_buffer"]
