"""What optimizers take, keep, refuse and leave alone."""

from __future__ import annotations

import copy
import gc
import pickle
import weakref

import numpy as np
import pytest

import gradviz as gv
from gradviz.optim.registry import live_optimizers
from tests.asserting import refused

EVERY = [gv.optim.SGD, gv.optim.Adam, gv.optim.AdamW]


def leaf(*values):
    return gv.tensor(list(values), requires_grad=True)


# --- what it takes -------------------------------------------------------------------------------
@pytest.mark.parametrize("optimizer", EVERY)
def test_step_updates_in_place_and_returns_nothing(optimizer):
    model = gv.nn.Linear(2, 1)
    objects, nodes = list(model.parameters()), [p.node for p in model.parameters()]
    before = model.state_dict()
    opt = optimizer(model.parameters(), lr=0.1)
    assert opt.step(model(gv.ones(1, 2)).sum().backward()) is None
    assert all(a is b for a, b in zip(objects, model.parameters(), strict=True))
    assert nodes == [p.node for p in model.parameters()]
    assert all(p.is_require_grad and p.is_leaf for p in model.parameters())
    assert model.state_dict()["weight"].tolist() != before["weight"].tolist()


def test_bare_leaves_are_updated_too():
    w = leaf(1.0, 2.0)
    gv.optim.SGD([w], lr=0.5).step((w * w).sum().backward())
    assert w.tolist() == [0.0, 0.0] and w.requirement == "grad"


def test_named_parameters_keep_their_names():
    model = gv.nn.Linear(2, 1)
    opt = gv.optim.SGD(model.named_parameters(), lr=0.1)
    assert opt.param_groups[0]["param_names"] == ["weight", "bias"]
    assert opt.parameters()[0] is model.weight
    assert len(gv.optim.SGD(dict(model.named_parameters()), lr=0.1).parameters()) == 2


def test_groups_hold_every_option():
    a, b = leaf(1.0), leaf(2.0)
    opt = gv.optim.SGD([{"params": [a], "lr": 1.0}, {"params": [b]}], lr=0.1, momentum=0.5)
    assert [group["lr"] for group in opt.param_groups] == [1.0, 0.1]
    assert [group["momentum"] for group in opt.param_groups] == [0.5, 0.5]
    c = leaf(3.0)
    opt.add_param_group({"params": c, "momentum": 0.0})
    assert len(opt.param_groups) == 3 and opt.param_groups[2]["params"][0] is c


# --- what it leaves alone ------------------------------------------------------------------------
def test_parameters_without_a_gradient_stay():
    a, b = leaf(1.0), leaf(2.0)
    opt = gv.optim.Adam([a, b], lr=0.1)
    for _ in range(3):
        opt.step((a * 2.0).sum().backward())
    assert b.tolist() == [2.0] and b not in opt.state and a in opt.state


def test_nothing_is_recorded():
    w = leaf(1.0)
    opt = gv.optim.Adam([w], lr=0.1)
    grads = (w * w).sum().backward(create_graph=True)
    opt.step(grads)
    assert w.requirement == "grad" and w.node.parents == ()
    assert isinstance(w.prim, np.ndarray)


def test_step_takes_replaced_and_tracked_gradients():
    w = leaf(1.0)
    grads = (w * w).sum().backward()
    w.grad_replace(grads, gv.tensor([10.0]))
    gv.optim.SGD([w], lr=0.1).step(grads)
    assert w.tolist() == [0.0]


# --- what it refuses -----------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("params", "text"),
    [
        (list, "no parameters"),
        (lambda: iter(()), "no parameters"),
        (lambda: gv.nn.ReLU().parameters(), "no parameters"),
        (lambda: [{"params": []}], "no parameters"),
        (lambda: leaf(1.0), "single tensor"),
        (lambda: gv.nn.Linear(1, 1), "`module.parameters()`"),
        (lambda: gv.nn.Linear(1, 1).parameters, "Call it"),
        (lambda: [gv.nn.Linear(1, 1)], "`module.parameters()`"),
        (lambda: [np.ones(2)], "ndarray"),
        (lambda: [1.0], "float"),
        (lambda: 3, "int"),
        (lambda: [gv.ones(2)], "kind NdArray"),
        (lambda: [gv.ones(2, device="capture")], "kind Capture"),
        (lambda: [leaf(1.0) * 2.0], "result of `mul`"),
        (lambda: [gv.tensor([1]).autodiff()], "int64"),
        (lambda: [{"lr": 0.1}], "'params'"),
        (lambda: [{"params": [leaf(1.0)], "rate": 0.1}], "'rate'"),
        (lambda: [("a", leaf(1.0)), leaf(2.0)], "names"),
    ],
)
@pytest.mark.parametrize("optimizer", EVERY)
def test_refused_parameters(optimizer, params, text):
    refused(lambda: optimizer(params(), lr=0.1), "invalid-argument", text)


def test_a_parameter_given_twice_is_refused():
    a = leaf(1.0)
    refused(lambda: gv.optim.SGD([a, a], lr=0.1), "invalid-argument")
    opt = gv.optim.SGD([a], lr=0.1)
    refused(lambda: opt.add_param_group({"params": [a]}), "invalid-argument")
    refused(lambda: opt.add_param_group([a]), "invalid-argument")
    assert len(opt.param_groups) == 1


@pytest.mark.parametrize(
    ("optimizer", "options"),
    [
        (gv.optim.SGD, {"lr": -0.1}),
        (gv.optim.SGD, {"lr": "0.1"}),
        (gv.optim.SGD, {"lr": float("nan")}),
        (gv.optim.SGD, {"lr": True}),
        (gv.optim.SGD, {"momentum": -1.0}),
        (gv.optim.SGD, {"weight_decay": -1.0}),
        (gv.optim.SGD, {"nesterov": True}),
        (gv.optim.SGD, {"nesterov": True, "momentum": 0.9, "dampening": 0.1}),
        (gv.optim.Adam, {"betas": (0.9, 1.0)}),
        (gv.optim.Adam, {"betas": 0.9}),
        (gv.optim.Adam, {"eps": -1.0}),
        (gv.optim.AdamW, {"lr": -1.0}),
    ],
    ids=lambda v: v.__name__ if isinstance(v, type) else str(v),
)
def test_refused_options(optimizer, options):
    refused(lambda: optimizer([leaf(1.0)], **options), "invalid-argument")
    refused(lambda: optimizer([{"params": [leaf(1.0)], **options}]), "invalid-argument")


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (lambda w, loss: None, "loss.backward()"),
        (lambda w, loss: loss, "opt.step(loss.backward())"),
        (lambda w, loss: w.grad(loss.backward()), "Tensor"),
        (lambda w, loss: {w: 1.0}, "dict"),
        (lambda w, loss: lambda: loss, "function"),
    ],
)
@pytest.mark.parametrize("optimizer", EVERY)
def test_step_refuses_what_is_no_gradients(optimizer, given, text):
    w = leaf(1.0)
    opt = optimizer([w], lr=0.1)
    with pytest.raises(TypeError):
        opt.step(given(w, (w * w).sum()))
    refused(lambda: opt.step(given(w, (w * w).sum())), "invalid-argument", text)
    assert w.tolist() == [1.0] and opt.state == {}


def test_there_is_no_zero_grad():
    opt = gv.optim.SGD([leaf(1.0)], lr=0.1)
    assert not hasattr(opt, "zero_grad")
    with pytest.raises(AttributeError, match="nothing to zero"):
        opt.zero_grad()


def test_a_subclass_says_only_its_own_update():
    class Sign(gv.optim.Optimizer):
        def __init__(self, params, lr):
            super().__init__(params, {"lr": lr, "weight_decay": 0.0, "maximize": False})

        def update(self, value, gradient, state, group):
            state["steps"] = state.get("steps", 0) + 1
            return value - np.float32(group["lr"]) * np.sign(gradient)

    w = leaf(1.0, -1.0)
    opt = Sign([w], lr=0.5)
    opt.step((w * w).sum().backward())
    assert w.tolist() == [0.5, -0.5] and opt.state[w] == {"steps": 1}


# --- state ---------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "make",
    [
        lambda ps: gv.optim.SGD(ps, lr=0.1, momentum=0.9),
        lambda ps: gv.optim.Adam(ps, lr=0.1, amsgrad=True),
        lambda ps: gv.optim.AdamW(ps, lr=0.1),
    ],
)
def test_state_round_trip_continues_where_it_was(make):
    rng = np.random.default_rng(0)
    gradients = [rng.normal(size=3).astype(np.float32) for _ in range(8)]

    def run(p, opt, part):
        for g in part:
            opt.step((p * gv.tensor(g)).sum().backward())

    p = gv.nn.Parameter([1.0, 2.0, 3.0])
    opt = make([p])
    run(p, opt, gradients[:4])
    q = gv.nn.Parameter(p.numpy())
    twin = make([q])
    twin.load_state_dict(opt.state_dict())
    run(p, opt, gradients[4:])
    run(q, twin, gradients[4:])
    assert p.tolist() == q.tolist()


def test_state_is_a_copy_with_numbers_for_parameters():
    a, b = leaf(1.0), leaf(2.0)
    opt = gv.optim.SGD([{"params": [a]}, {"params": [b], "lr": 0.5}], lr=0.1, momentum=0.9)
    opt.step((a + b).sum().backward())
    state = opt.state_dict()
    assert [group["params"] for group in state["param_groups"]] == [[0], [1]]
    state["state"][0]["momentum_buffer"][:] = 99.0
    assert opt.state[a]["momentum_buffer"].tolist() == [1.0]


@pytest.mark.parametrize(
    "spoil",
    [
        lambda s: s.pop("state"),
        lambda s: s["param_groups"].append({"params": [1]}),
        lambda s: s["param_groups"][0].update(params=[0, 1]),
        lambda s: s["param_groups"][0].pop("momentum"),
        lambda s: s["param_groups"][0].update(lr=-1.0),
        lambda s: s["state"].update({5: {}}),
        lambda s: s["state"].update({0: {"momentum_buffer": np.zeros(7)}}),
    ],
)
def test_a_failed_load_changes_nothing(spoil):
    w = leaf(1.0)
    opt = gv.optim.SGD([w], lr=0.1, momentum=0.9)
    opt.step(w.sum().backward())
    state = opt.state_dict()
    spoil(state)
    refused(lambda: opt.load_state_dict(state), "invalid-argument")
    refused(lambda: opt.load_state_dict(None), "invalid-argument")
    assert opt.param_groups[0]["lr"] == 0.1 and opt.state[w]["momentum_buffer"].tolist() == [1.0]


@pytest.mark.parametrize("how", [copy.deepcopy, lambda pair: pickle.loads(pickle.dumps(pair))])
def test_a_model_and_its_optimizer_are_copied_together(how):
    model = gv.nn.Linear(2, 1)
    opt = gv.optim.Adam(model.parameters(), lr=0.1)
    opt.step(model(gv.ones(1, 2)).sum().backward())
    twin, twin_opt = how((model, opt))
    assert all(a is b for a, b in zip(twin.parameters(), twin_opt.parameters(), strict=True))
    before = model.weight.tolist()
    for m, o in ((twin, twin_opt), (model, opt)):
        o.step(m(gv.ones(1, 2)).sum().backward())
    assert twin.weight.tolist() == model.weight.tolist() != before
    assert any(known is twin_opt for known in live_optimizers())


# --- bookkeeping ---------------------------------------------------------------------------------
def test_registry_knows_live_optimizers_only():
    opt = gv.optim.SGD([leaf(1.0)], lr=0.1)
    assert any(known is opt for known in live_optimizers())
    gone = weakref.ref(opt)
    del opt
    gc.collect()
    assert gone() is None


def test_an_optimizer_knows_where_it_was_made():
    from gradviz.core.source import span

    opt = gv.optim.SGD([leaf(1.0)], lr=0.1)
    assert span(*opt.made_at).text == "gv.optim.SGD([leaf(1.0)], lr=0.1)"


def test_representation_lists_the_options():
    text = repr(gv.optim.SGD([leaf(1.0)], lr=0.1))
    assert text.startswith("SGD (\nParameter Group 0\n    dampening: 0.0\n    lr: 0.1\n")
