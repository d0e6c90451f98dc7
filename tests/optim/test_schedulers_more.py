"""Cycles, restarts and combined schedulers: as PyTorch has them, their state, what they refuse."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import numpy as np
import pytest

import gradviz as gv
from tests.asserting import refused
from tests.optim.runs_more import CYCLES, GROUPED, LOSSES, SCHEDULERS

TRUTHS = json.loads(Path(__file__).with_name("runs_more.json").read_text(encoding="utf-8"))


def optimizer(lr=0.2):
    return gv.optim.SGD([gv.nn.Parameter([0.0])], lr=lr)


def schedule(made, opt):
    return eval(made, {**vars(gv.optim), "opt": opt})


def momentum(group):
    return group["betas"][0] if "betas" in group else group.get("momentum", 0.0)


def rates(scheduler, epochs):
    found = [scheduler.get_last_lr()[0]]
    for _ in range(epochs):
        scheduler.step()
        found.append(scheduler.get_last_lr()[0])
    return found


@pytest.mark.parametrize("at", range(len(CYCLES)))
def test_rates_and_momentum_of_cycles_are_pytorch_s(at):
    optimizer, made = CYCLES[at]
    opt = eval("gv.optim." + optimizer, {"gv": gv, "p": gv.nn.Parameter([0.0])})
    others = {k: v for k, v in opt.param_groups[0].items() if k not in ("lr", "momentum", "betas")}
    scheduler, found = schedule(made, opt), []
    for _ in LOSSES:
        group = opt.param_groups[0]
        found.append([group["lr"], momentum(group)])
        scheduler.step()
    np.testing.assert_allclose(found, TRUTHS["cycled"][at], rtol=1e-12)
    assert others.items() <= opt.param_groups[0].items()


@pytest.mark.parametrize("made", GROUPED)
def test_rates_of_groups_are_pytorch_s(made):
    ps = [gv.nn.Parameter([0.0]) for _ in range(2)]
    opt = gv.optim.SGD([{"params": ps[:1]}, {"params": ps[1:], "lr": 0.5}], lr=0.2)
    scheduler, found = schedule(made, opt), []
    for _ in LOSSES:
        found.append(scheduler.get_last_lr())
        scheduler.step()
    np.testing.assert_allclose(found, TRUTHS["grouped"][made], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("made", SCHEDULERS)
def test_the_state_of_a_scheduler_is_plain_data(made):
    scheduler = schedule(made, optimizer())
    state = scheduler.state_dict()
    assert json.loads(json.dumps(state)) == pickle.loads(pickle.dumps(state)) == state
    assert "optimizer" not in str(state) and "lambda" not in str(state)


def test_schedulers_that_are_stepped_in_turn_keep_what_the_others_did():
    made = "ConstantLR(opt, 0.1, 2)", "ExponentialLR(opt, 0.9)"
    opt = optimizer()
    both = [schedule(each, opt) for each in made]
    found = [opt.param_groups[0]["lr"]]
    for _ in LOSSES:
        for each in both:
            each.step()
        found.append(opt.param_groups[0]["lr"])
    truth = TRUTHS["schedulers"][f"ChainedScheduler([{', '.join(made)}])"]
    np.testing.assert_allclose(found, truth, rtol=1e-9)


def test_a_rate_that_is_set_by_hand_is_changed_by_the_same_share():
    opt = optimizer(1.0)
    scheduler = gv.optim.StepLR(opt, 2, gamma=0.5)
    scheduler.step()
    opt.param_groups[0]["lr"] = 0.3
    assert rates(scheduler, 3) == [0.3, 0.15, 0.15, 0.075]


def test_a_lone_scheduler_is_free_of_rounding():
    # A product of 40 shares would be off in a dozen of these epochs.
    scheduler = gv.optim.ExponentialLR(optimizer(0.2), 0.13)
    assert rates(scheduler, 40) == [0.2 * 0.13**epoch for epoch in range(41)]


def test_the_first_rate_outlives_a_scheduler():
    opt = optimizer(1.0)
    rates(gv.optim.ExponentialLR(opt, 0.5), 3)
    assert opt.param_groups[0]["initial_lr"] == 1.0
    again = gv.optim.SGD([gv.nn.Parameter([0.0])], lr=1.0)
    again.load_state_dict(opt.state_dict())
    assert gv.optim.LambdaLR(again, lambda epoch: 0.25).get_last_lr() == [0.25]


def test_a_group_that_comes_later_goes_by_the_last_function_and_limits():
    opt = optimizer(1.0)
    by_function = gv.optim.MultiplicativeLR(opt, [lambda epoch: 0.5])
    opt.add_param_group({"params": [gv.nn.Parameter([1.0])], "lr": 4.0})
    by_function.step()
    assert by_function.get_last_lr() == [0.5, 2.0]
    opt = optimizer(1.0)
    cyclic = gv.optim.CyclicLR(opt, 0.0, 1.0, step_size_up=2)
    opt.add_param_group({"params": [gv.nn.Parameter([1.0])], "lr": 0.5})
    cyclic.step()
    assert cyclic.get_last_lr() == [0.5, 0.75]
    np.testing.assert_allclose([group["momentum"] for group in opt.param_groups], 0.85)


def test_a_restart_may_be_asked_for_by_epoch():
    truth = TRUTHS["schedulers"]["CosineAnnealingWarmRestarts(opt, T_0=2, T_mult=2, eta_min=0.03)"]
    scheduler = gv.optim.CosineAnnealingWarmRestarts(optimizer(), 2, 2, eta_min=0.03)
    for epoch in (12, 2, 0, 5, 6, 7):
        scheduler.step(epoch)
        assert scheduler.get_last_lr()[0] == pytest.approx(truth[epoch], rel=1e-12)
        assert scheduler.last_epoch == epoch
    scheduler.step()
    assert scheduler.get_last_lr()[0] == pytest.approx(truth[8], rel=1e-12)
    scheduler.step(1.5)
    assert (scheduler.T_cur, scheduler.T_i, scheduler.last_epoch) == (1.5, 2, 1)
    refused(lambda: scheduler.step(-1), "invalid-argument", "epoch")


def test_a_restart_at_a_power_is_at_the_top():
    # Logarithms would put epoch 364 = 1 + 3 + ... + 243 one restart too low.
    scheduler = gv.optim.CosineAnnealingWarmRestarts(optimizer(), 1, 3)
    scheduler.step(364)
    assert (scheduler.T_cur, scheduler.T_i) == (0, 729) and scheduler.get_last_lr() == [0.2]


def test_sequences_can_stand_in_sequences():
    opt = optimizer(1.0)
    inner = gv.optim.SequentialLR(
        opt, [gv.optim.ConstantLR(opt, 0.5, 9), gv.optim.ExponentialLR(opt, 0.5)], [1]
    )
    chained = gv.optim.ChainedScheduler(
        [gv.optim.ConstantLR(opt, 0.25, 1), gv.optim.ConstantLR(opt, 0.5, 2)]
    )
    outer = gv.optim.SequentialLR(opt, [chained, inner, chained], [3, 6])
    assert rates(outer, 8) == [0.125, 0.5, 1.0, 0.5, 1.0, 0.5, 0.125, 0.5, 1.0]


def test_restarts_begin_anew_when_their_turn_comes_again():
    opt = optimizer(1.0)
    falls = gv.optim.CosineAnnealingWarmRestarts(opt, 2, 2)
    halved = gv.optim.ConstantLR(opt, 0.5, 9)
    found = rates(gv.optim.SequentialLR(opt, [falls, halved, falls], [4, 5]), 8)
    once = gv.optim.CosineAnnealingWarmRestarts(optimizer(1.0), 2, 2)
    again = rates(once, 3)
    assert found == [*again, 0.5, *again, once.step() or once.get_last_lr()[0]][:9]


def test_a_first_scheduler_may_be_left_out_by_its_milestone():
    opt = optimizer(1.0)
    both = [gv.optim.ConstantLR(opt, 0.5), gv.optim.ExponentialLR(opt, 0.5)]
    assert rates(gv.optim.SequentialLR(opt, both, [0]), 2) == [1.0, 0.5, 0.25]


def test_a_check_of_a_training_step_leaves_the_parts_of_a_scheduler_alone():
    model = gv.nn.Linear(2, 1)
    opt = gv.optim.SGD(model.parameters(), lr=1.0)
    parts = [gv.optim.StepLR(opt, 1), gv.optim.ExponentialLR(opt, 0.5)]
    scheduler = gv.optim.SequentialLR(opt, parts, [3])
    parts.clear()

    def step(x):
        opt.step(model(x).sum().backward())
        scheduler.step()

    before = scheduler.state_dict()
    assert gv.check(step, gv.spec((3, 2))).ok
    assert scheduler.state_dict() == before and opt.param_groups[0]["lr"] == 1.0
    scheduler.step()
    assert scheduler.get_last_lr() == [0.1]


def test_a_state_that_doesn_t_fit_changes_nothing():
    def make(first, second):
        opt = optimizer()
        return gv.optim.SequentialLR(opt, [first(opt), second(opt)], [2])

    def constant(opt):
        return gv.optim.ConstantLR(opt)

    def falling(opt):
        return gv.optim.ExponentialLR(opt, 0.5)

    scheduler, other = make(constant, constant), make(constant, falling)
    other.step()
    before = scheduler.state_dict()
    refused(lambda: scheduler.load_state_dict(other.state_dict()), "invalid-argument", "ConstantLR")
    one = gv.optim.SequentialLR(scheduler.optimizer, [constant(scheduler.optimizer)], [])
    refused(lambda: scheduler.load_state_dict(one.state_dict()), "invalid-argument", "2")
    refused(lambda: scheduler.load_state_dict([]), "invalid-argument", "SequentialLR")
    assert scheduler.state_dict() == before


def step_lr(opt=None):
    return gv.optim.StepLR(optimizer() if opt is None else opt, 2)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda opt: gv.optim.ConstantLR(opt, 1.5), ["factor is 1.5"]),
        (lambda opt: gv.optim.ConstantLR(opt, -0.5), ["factor"]),
        (lambda opt: gv.optim.ConstantLR(opt, 0.5, -1), ["total_iters"]),
        (lambda opt: gv.optim.ConstantLR([opt]), ["no optimizer"]),
        (lambda opt: gv.optim.PolynomialLR(opt, 0), ["total_iters"]),
        (lambda opt: gv.optim.PolynomialLR(opt, 5, -1.0), ["power"]),
        (lambda opt: gv.optim.MultiplicativeLR(opt, 0.5), ["can't be called"]),
        (lambda opt: gv.optim.MultiplicativeLR(opt, [abs, abs]), ["2 values", "1 groups"]),
        (lambda opt: gv.optim.MultiplicativeLR(3, abs), ["no optimizer"]),
        (lambda opt: gv.optim.LambdaLR(opt, []), ["0 values"]),
        (lambda opt: gv.optim.CosineAnnealingWarmRestarts(opt, 0), ["T_0"]),
        (lambda opt: gv.optim.CosineAnnealingWarmRestarts(opt, 1, 0), ["T_mult"]),
        (lambda opt: gv.optim.CosineAnnealingWarmRestarts(opt, 1.5), ["T_0"]),
        (lambda opt: gv.optim.CosineAnnealingWarmRestarts(opt, 1, 1, "a"), ["eta_min"]),
        (lambda opt: gv.optim.CyclicLR(opt, 0.1, 0.2, 0), ["step_size_up"]),
        (lambda opt: gv.optim.CyclicLR(opt, 0.1, 0.2, 1, 0), ["step_size_down"]),
        (lambda opt: gv.optim.CyclicLR(opt, 0.1, 0.2, mode="square"), ["mode", "triangular2"]),
        (lambda opt: gv.optim.CyclicLR(opt, 0.1, 0.2, scale_mode="epoch"), ["scale_mode"]),
        (lambda opt: gv.optim.CyclicLR(opt, 0.1, 0.2, scale_fn=2.0), ["scale_fn"]),
        (lambda opt: gv.optim.CyclicLR(opt, -0.1, 0.2), ["base_lr"]),
        (lambda opt: gv.optim.CyclicLR(opt, 0.1, [0.2, 0.3]), ["max_lr", "2 values"]),
        (lambda opt: gv.optim.CyclicLR("opt", 0.1, 0.2), ["no optimizer"]),
        (lambda opt: gv.optim.CyclicLR(gv.optim.Rprop(opt.parameters()), 0.1, 0.2), ["Rprop", "cycle_momentum=False"]),
        (lambda opt: gv.optim.CyclicLR(gv.optim.Adam(opt.parameters()), 0.1, 0.2, max_momentum=1.0), ["betas[0]"]),
        (lambda opt: gv.optim.SequentialLR(opt, [], []), ["no schedulers"]),
        (lambda opt: gv.optim.SequentialLR(opt, [step_lr(opt)], [2]), ["milestones", "0 changes"]),
        (lambda opt: gv.optim.SequentialLR(opt, [step_lr(opt) for _ in range(3)], [3, 2]), ["rising"]),
        (lambda opt: gv.optim.SequentialLR(opt, [step_lr(opt), step_lr(opt)], [1.5]), ["milestones"]),
        (lambda opt: gv.optim.SequentialLR(opt, [step_lr(opt), step_lr()], [2]), ["another optimizer"]),
        (lambda opt: gv.optim.SequentialLR(opt, [gv.optim.ReduceLROnPlateau(opt)], []), ["ReduceLROnPlateau"]),
        (lambda opt: gv.optim.ChainedScheduler([]), ["no schedulers"]),
        (lambda opt: gv.optim.ChainedScheduler(7), ["int"]),
        (lambda opt: gv.optim.ChainedScheduler([step_lr(opt), step_lr()]), ["another optimizer"]),
        (lambda opt: gv.optim.ChainedScheduler([step_lr()], opt), ["another optimizer"]),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused_and_leaves_the_rates(call, words):
    opt = optimizer()
    refused(lambda: call(opt), "invalid-argument", *words)
    assert opt.param_groups[0]["lr"] == 0.2 and opt.param_groups[0]["momentum"] == 0.0
