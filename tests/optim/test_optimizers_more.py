"""Adadelta, Adamax, NAdam, RAdam, Rprop, ASGD: shapes, dtypes, state, groups, refusals.

Their numbers are compared with PyTorch's in `test_runs_more.py`.
"""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import gradviz as gv
from tests.asserting import refused
from tests.optim.runs_more import OPTIMIZERS, start

NEW = ["Adadelta", "Adamax", "NAdam", "RAdam", "Rprop", "ASGD"]
WITHOUT_DECAY = ["Rprop"]


def named(name):
    return getattr(gv.optim, name)


def leaf(*values):
    return gv.tensor(list(values), requires_grad=True)


def trained(make, value, gradients):
    p = gv.nn.Parameter(value)
    opt = make([p])
    for gradient in gradients:
        opt.step((p * gv.tensor(gradient)).sum().backward())
    return p, opt.state.get(p, {})


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("made", [made for made in OPTIMIZERS if made.split("(")[0] in NEW])
def test_single_numbers_are_trained_as_in_a_vector_and_nothing_is_left_as_it_is(made, dtype):
    value, gradients = start()
    value, gradients = value.astype(dtype), [g.astype(dtype) for g in gradients]

    def make(ps):
        return eval("gv.optim." + made, {"gv": gv, "p": ps[0]})

    whole, _ = trained(make, value, gradients)
    one, kept = trained(make, value[1, 0], [np.asarray(g[1, 0]) for g in gradients])
    assert one.shape == () and isinstance(one.prim, np.ndarray) and one.prim.dtype == dtype
    np.testing.assert_allclose(one.numpy(), whole.numpy()[1, 0], rtol=1e-6)
    arrays = [array for array in kept.values() if not isinstance(array, int | float)]
    assert arrays and all(a.shape == () and a.dtype == dtype for a in arrays)
    empty, kept = trained(make, value[:0], [g[:0] for g in gradients])
    assert empty.shape == (0, 2) and empty.prim.dtype == dtype
    assert all(a.shape == (0, 2) for a in kept.values() if isinstance(a, np.ndarray))


@pytest.mark.parametrize("name", NEW)
def test_gradients_and_old_arrays_stay_as_they_are(name):
    p = gv.nn.Parameter([1.0, 2.0])
    old = p.prim
    options = {} if name in WITHOUT_DECAY else {"weight_decay": 0.1}
    opt = named(name)([p], lr=0.1, **options)
    grads = (p * p).sum().backward()
    arrays = []
    for _ in range(3):
        opt.step(grads)
        arrays.append((p.prim, p.tolist()))
    assert grads[p].tolist() == [2.0, 4.0] and old.tolist() == [1.0, 2.0]
    assert all(array.tolist() == values for array, values in arrays)
    kept = [value for value in opt.state[p].values() if isinstance(value, np.ndarray)]
    assert kept and not any(np.shares_memory(p.prim, value) for value in kept)
    assert not any(np.shares_memory(grads[p].prim, value) for value in kept)


@pytest.mark.parametrize("name", NEW)
def test_frozen_parameters_stay_and_keep_no_state(name):
    model = gv.nn.Sequential(gv.nn.Linear(2, 2), gv.nn.Linear(2, 2))
    frozen, trained = model[0].weight, model[1].weight
    opt = named(name)([frozen, trained], lr=0.1)
    grads = model(gv.ones(1, 2)).sum().backward()
    before = frozen.tolist(), trained.tolist()
    model[0].freeze()
    assert grads[frozen].numpy().any()
    opt.step(grads)
    assert frozen.tolist() == before[0] and frozen not in opt.state
    assert trained.tolist() != before[1] and trained in opt.state


@pytest.mark.parametrize("name", NEW)
def test_groups_step_by_their_own_rates(name):
    _, gradients = start()
    a, b, alone = (gv.nn.Parameter([1.0, -2.0]) for _ in range(3))
    both = named(name)([{"params": a, "lr": 0.3}, {"params": b}], lr=0.01)
    one = named(name)([alone], lr=0.3)
    for gradient in gradients:
        g = gv.tensor(gradient[0].astype(np.float32))
        both.step((a * g + b * g).sum().backward())
        one.step((alone * g).sum().backward())
    assert a.tolist() == alone.tolist()
    assert a.tolist() != b.tolist()


@pytest.mark.parametrize("name", NEW)
@pytest.mark.parametrize("how", [copy.deepcopy, lambda pair: pickle.loads(pickle.dumps(pair))])
def test_a_model_and_its_optimizer_are_copied_together(name, how):
    model = gv.nn.Linear(2, 1)
    opt = named(name)(model.parameters(), lr=0.1)
    inputs = gv.tensor([[1.0, 3.0]])
    for _ in range(7):
        opt.step((model(inputs) ** 2).sum().backward())
    twin, twin_opt = how((model, opt))
    before = model.weight.tolist()
    for m, o in ((twin, twin_opt), (model, opt)):
        for _ in range(2):
            o.step((m(inputs) ** 2).sum().backward())
    assert twin.weight.tolist() == model.weight.tolist() != before


@pytest.mark.parametrize("name", NEW)
def test_the_state_of_another_shape_is_refused(name):
    p, q = gv.nn.Parameter([1.0]), gv.nn.Parameter([1.0, 2.0])
    opt, other = named(name)([p]), named(name)([q])
    opt.step((p * p).sum().backward())
    refused(lambda: other.load_state_dict(opt.state_dict()), "invalid-argument", "shape")
    refused(lambda: gv.optim.SGD([p]).load_state_dict(opt.state_dict()), "invalid-argument")


def test_rprop_waits_where_a_sign_has_turned():
    p = leaf(0.0, 0.0)
    opt = gv.optim.Rprop([p], lr=1.0, etas=(0.5, 2.0))
    found = []
    for signs in ([1.0, 3.0], [1.0, -3.0], [1.0, -3.0], [0.0, -3.0]):
        opt.step((p * gv.tensor(signs)).sum().backward())
        found.append(p.tolist())
    assert found == [[-1.0, -1.0], [-3.0, -1.0], [-7.0, -0.5], [-7.0, 0.5]]


def test_asgd_averages_from_the_second_step_after_t0_on():
    p = leaf(0.0)
    opt = gv.optim.ASGD([p], lr=1.0, lambd=0.0, t0=2.0)
    found = []
    for _ in range(5):
        opt.step(p.sum().backward())
        found.append(float(opt.state[p]["ax"][0]))
    assert found == [-1.0, -2.0, -3.0, -4.0, -4.5] and p.tolist() == [-5.0]


def test_asgd_s_average_is_the_value_to_the_bit_before_it_begins():
    p = gv.nn.Parameter([0.0])
    opt = gv.optim.ASGD([p], lr=1.0)
    opt.step((p * 1e9).sum().backward())
    p.replace([0.1])
    opt.step((p * 0.5).sum().backward())
    assert opt.state[p]["ax"].tolist() == p.tolist()


def test_a_rate_that_is_changed_reaches_asgd_one_step_later():
    p = leaf(0.0)
    opt = gv.optim.ASGD([p], lr=1.0, lambd=0.0)
    found = []
    for rate in (1.0, 0.5, 0.25):
        opt.param_groups[0]["lr"] = rate
        opt.step(p.sum().backward())
        found.append(p.item())
    assert found == [-1.0, -2.0, -2.5]


def test_defaults_are_pytorch_s():
    p = [leaf(1.0)]
    adam = {"betas": (0.9, 0.999), "eps": 1e-8, "weight_decay": 0.0, "maximize": False}
    expected = {
        "Adadelta": {"lr": 1.0, "rho": 0.9, "eps": 1e-6, "weight_decay": 0.0, "maximize": False},
        "Adamax": {"lr": 2e-3, **adam},
        "NAdam": {"lr": 2e-3, **adam, "momentum_decay": 4e-3, "decoupled_weight_decay": False},
        "RAdam": {"lr": 1e-3, **adam, "decoupled_weight_decay": False},
        "Rprop": {"lr": 1e-2, "etas": (0.5, 1.2), "step_sizes": (1e-6, 50.0), "maximize": False},
        "ASGD": {"lr": 1e-2, "lambd": 1e-4, "alpha": 0.75, "t0": 1e6, "weight_decay": 0.0,
                 "maximize": False},
    }  # fmt: skip
    assert {name: named(name)(p).defaults for name in NEW} == expected


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        *[(name, {"lr": -0.1}, ["lr is -0.1"]) for name in NEW],
        *[(n, {"weight_decay": -1.0}, ["weight_decay"]) for n in NEW if n not in WITHOUT_DECAY],
        *[(n, {"betas": (0.9, 1.0)}, ["betas[1]"]) for n in ("Adamax", "NAdam", "RAdam")],
        *[(n, {"betas": (0.9,)}, ["betas", "two"]) for n in ("Adamax", "NAdam", "RAdam")],
        *[(n, {"eps": -1.0}, ["eps"]) for n in ("Adadelta", "Adamax", "NAdam", "RAdam")],
        ("Adadelta", {"rho": 1.1}, ["rho is 1.1", "at most 1"]),
        ("Adadelta", {"rho": -0.1}, ["rho"]),
        ("NAdam", {"momentum_decay": -1.0}, ["momentum_decay"]),
        ("Rprop", {"etas": (0.0, 1.2)}, ["etas", "between 0 and 1"]),
        ("Rprop", {"etas": (1.2, 0.5)}, ["etas"]),
        ("Rprop", {"etas": 0.5}, ["etas", "two"]),
        ("Rprop", {"etas": ("a", 2.0)}, ["etas[0]"]),
        ("Rprop", {"step_sizes": (2.0, 1.0)}, ["step_sizes", "shortest"]),
        ("Rprop", {"step_sizes": (-1.0, 1.0)}, ["step_sizes[0]"]),
        ("ASGD", {"lambd": -1.0}, ["lambd"]),
        ("ASGD", {"alpha": "a"}, ["alpha"]),
        ("ASGD", {"t0": -1.0}, ["t0"]),
    ],
)
def test_options_that_make_no_sense_are_refused(name, options, words):
    refused(lambda: named(name)([leaf(1.0)], **options), "invalid-argument", name, *words)
    refused(lambda: named(name)([{"params": [leaf(1.0)], **options}]), "invalid-argument", name)


def test_rprop_has_no_weight_decay():
    refused(
        lambda: gv.optim.Rprop([{"params": [leaf(1.0)], "weight_decay": 0.1}]),
        "invalid-argument",
        "weight_decay",
    )
