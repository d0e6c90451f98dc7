"""Further optimizers, schedulers and clipping: as PyTorch has them, and what they refuse."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import numpy as np
import pytest

import gradviz as gv
from tests.asserting import refused
from tests.optim.runs_more import CLIPPED, LOSSES, OPTIMIZERS, SCHEDULERS, start

TRUTHS = json.loads(Path(__file__).with_name("runs_more.json").read_text(encoding="utf-8"))


def optimizer(lr=0.2):
    return gv.optim.SGD([gv.nn.Parameter([0.0])], lr=lr)


def schedule(made, opt):
    return eval(made, {**vars(gv.optim), "opt": opt})


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("made", OPTIMIZERS)
def test_training_gives_pytorch_s_parameters(made, dtype):
    value, gradients = start()
    p = gv.nn.Parameter(value.astype(dtype))
    opt = eval("gv.optim." + made, {"gv": gv, "p": p})
    for gradient in gradients:
        opt.step((p * gv.tensor(gradient.astype(dtype))).sum().backward())
    tolerance = 1e-10 if dtype == "float64" else 1e-5
    np.testing.assert_allclose(
        p.numpy(), TRUTHS["optimizers"][made], rtol=tolerance, atol=tolerance
    )
    assert p.dtype == dtype


@pytest.mark.parametrize("made", OPTIMIZERS)
def test_an_optimizer_goes_on_where_its_state_was_saved(made):
    value, gradients = start()
    results = []
    for interrupted in (False, True):
        p = gv.nn.Parameter(value)
        opt = eval("gv.optim." + made, {"gv": gv, "p": p})
        for at, gradient in enumerate(gradients):
            if interrupted and at == 5:
                state = pickle.loads(pickle.dumps(opt.state_dict()))
                opt = eval("gv.optim." + made, {"gv": gv, "p": p})
                opt.load_state_dict(state)
            opt.step((p * gv.tensor(gradient)).sum().backward())
        results.append(p.numpy())
    np.testing.assert_array_equal(*results)


@pytest.mark.parametrize("made", SCHEDULERS)
def test_rates_are_pytorch_s(made):
    opt = optimizer()
    scheduler = schedule(made, opt)
    found = [opt.param_groups[0]["lr"]]
    for loss in LOSSES:
        if "Plateau" in made:
            scheduler.step(loss)
        else:
            scheduler.step()
        found.append(scheduler.get_last_lr()[0])
    np.testing.assert_allclose(found, TRUTHS["schedulers"][made], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("made", SCHEDULERS)
def test_a_scheduler_goes_on_where_its_state_was_saved(made):
    def run(interrupted):
        opt = optimizer()
        scheduler = schedule(made, opt)
        found = []
        for at, loss in enumerate(LOSSES):
            if interrupted and at == 4:
                state = scheduler.state_dict()
                rate = opt.param_groups[0]["lr"]
                opt = optimizer()
                scheduler = schedule(made, opt)
                scheduler.load_state_dict(state)
                opt.param_groups[0]["lr"] = rate
            scheduler.step(*([loss] if "Plateau" in made else []))
            found.append(opt.param_groups[0]["lr"])
        return found

    assert run(True) == run(False)


def test_a_group_that_comes_later_starts_from_its_own_rate():
    opt = optimizer(1.0)
    scheduler = gv.optim.ExponentialLR(opt, 0.5)
    opt.add_param_group({"params": [gv.nn.Parameter([1.0])], "lr": 4.0})
    scheduler.step()
    assert scheduler.get_last_lr() == [0.5, 2.0]


@pytest.mark.parametrize("at", range(len(CLIPPED)))
def test_clipping_by_norm_is_pytorch_s(at):
    limit, order = CLIPPED[at]
    _, gradients = start()
    leaves = [gv.nn.Parameter(np.zeros((3, 2))) for _ in range(2)]
    total = sum((leaf * gv.tensor(g)).sum() for leaf, g in zip(leaves, gradients, strict=False))
    grads = total.backward()
    norm, expected = TRUTHS["clipped"][at]
    assert gv.optim.clip_grad_norm(grads, limit, order) == pytest.approx(norm, rel=1e-12)
    for leaf, wanted in zip(leaves, expected, strict=True):
        np.testing.assert_allclose(grads[leaf].numpy(), wanted, rtol=1e-12)


def test_clipping_reaches_only_what_it_is_given():
    a, b = gv.nn.Parameter([3.0]), gv.nn.Parameter([5.0])
    grads = (a * a + b * b).sum().backward()
    old = grads[a]
    gv.optim.clip_grad_value(grads, 1.0, parameters=[a])
    assert (grads[a].tolist(), grads[b].tolist(), old.tolist()) == ([1.0], [10.0], [6.0])
    assert gv.optim.clip_grad_norm(grads, 0.5, parameters=b) == 10.0
    assert grads[b].numpy() == pytest.approx(0.5, abs=1e-5)
    assert gv.optim.clip_grad_norm(grads, 0.5, parameters=[]) == 0.0


def test_gradients_keep_their_dtype_when_clipped():
    p = gv.nn.Parameter(np.ones(3, np.float32))
    grads = (p * 100.0).sum().backward()
    gv.optim.clip_grad_norm(grads, 1.0)
    assert grads[p].dtype == np.float32


def test_a_norm_that_is_no_number_can_be_refused():
    p = gv.nn.Parameter([0.0])
    grads = (p * float("inf")).sum().backward()
    refused(
        lambda: gv.optim.clip_grad_norm(grads, 1.0, error_if_nonfinite=True), "invalid-argument"
    )


@pytest.mark.parametrize(
    "call",
    [
        lambda: gv.optim.RMSprop([gv.nn.Parameter([1.0])], alpha=1.0),
        lambda: gv.optim.RMSprop([gv.nn.Parameter([1.0])], momentum=-0.1),
        lambda: gv.optim.Adagrad([gv.nn.Parameter([1.0])], lr_decay=-1.0),
        lambda: gv.optim.StepLR(optimizer(), 0),
        lambda: gv.optim.StepLR("optimizer", 2),
        lambda: gv.optim.MultiStepLR(optimizer(), 1.5),
        lambda: gv.optim.LinearLR(optimizer(), start_factor=0.0),
        lambda: gv.optim.CosineAnnealingLR(optimizer(), 0),
        lambda: gv.optim.LambdaLR(optimizer(), 0.5),
        lambda: gv.optim.OneCycleLR(optimizer(), 0.1, 10, anneal_strategy="exp"),
        lambda: gv.optim.ReduceLROnPlateau(optimizer(), mode="less"),
        lambda: gv.optim.ReduceLROnPlateau(optimizer(), factor=1.5),
        lambda: gv.optim.ReduceLROnPlateau(optimizer()).step("loss"),
        lambda: gv.optim.StepLR(optimizer(), 2).load_state_dict({"gamma": 1.0}),
        lambda: gv.optim.ReduceLROnPlateau(optimizer()).load_state_dict({"best": 1.0}),
        lambda: gv.optim.clip_grad_norm(gv.ones(1), 1.0),
        lambda: gv.optim.clip_grad_norm((gv.nn.Parameter([1.0]) * 2.0).sum().backward(), -1.0),
        lambda: gv.optim.clip_grad_value((gv.nn.Parameter([1.0]) * 2.0).sum().backward(), 1.0, parameters=[1.0]),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(call):
    refused(call, "invalid-argument")
