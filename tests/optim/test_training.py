"""Whole trainings: they converge, and repeat with their seed."""

from __future__ import annotations

import gc

import numpy as np
import pytest

import gradviz as gv

X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], np.float32)
XOR = np.array([0, 1, 1, 0])


def xor(make, steps=200, seed=0, device="ndarray"):
    gv.manual_seed(seed)
    with gv.default_device(gv.device(device)):
        model = gv.nn.Sequential(gv.nn.Linear(2, 16), gv.nn.Tanh(), gv.nn.Linear(16, 2))
    opt = make(model.parameters())
    loss_of = gv.nn.CrossEntropyLoss()
    losses = []
    for _ in range(steps):
        loss = loss_of(model(X), XOR)
        opt.step(loss.backward())
        losses.append(loss.item())
    return model, losses


@pytest.mark.parametrize(
    "make",
    [
        lambda ps: gv.optim.SGD(ps, lr=0.5, momentum=0.9),
        lambda ps: gv.optim.SGD(ps, lr=0.5, momentum=0.9, nesterov=True),
        lambda ps: gv.optim.Adam(ps, lr=0.05),
        lambda ps: gv.optim.AdamW(ps, lr=0.05),
    ],
    ids=["sgd", "nesterov", "adam", "adamw"],
)
def test_xor_is_learned(make):
    model, losses = xor(make)
    assert losses[-1] < 0.05 < 0.3 < losses[0]
    assert model.valid()(gv.tensor(X)).argmax(dim=1).tolist() == XOR.tolist()


def test_the_same_seed_gives_the_same_numbers():
    def make(ps):
        return gv.optim.Adam(ps, lr=0.05)

    first, losses = xor(make, 30)
    second, again = xor(make, 30)
    assert losses == again
    for name, array in first.state_dict().items():
        np.testing.assert_array_equal(array, second.state_dict()[name])
    assert xor(make, 30, seed=1)[1] != losses


def test_checkpointing_gives_the_same_training():
    def make(ps):
        return gv.optim.SGD(ps, lr=0.5)

    plain = xor(make, 20)[1]
    balanced = xor(make, 20, device="autodiff(ndarray, checkpointing=balanced)")[1]
    assert plain == pytest.approx(balanced, rel=1e-6)


def test_dropout_training_repeats_with_its_seed():
    def run():
        gv.manual_seed(9)
        model = gv.nn.Sequential(gv.nn.Linear(2, 8), gv.nn.Dropout(0.3), gv.nn.Linear(8, 1))
        opt = gv.optim.SGD(model.parameters(), lr=0.1)
        for _ in range(10):
            opt.step(model(X).pow(2).mean().backward())
        return model.eval()(X).tolist()

    assert run() == run()


def test_least_squares_reaches_its_solution():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(50, 3)), rng.normal(size=(50, 1))
    layer = gv.nn.Linear(3, 1, bias=False, dtype="float64")
    opt = gv.optim.SGD(layer.parameters(), lr=0.2)
    for _ in range(300):
        opt.step(gv.mse_loss(layer(a), b).backward())
    np.testing.assert_allclose(
        layer.weight.numpy().T, np.linalg.lstsq(a, b, rcond=None)[0], rtol=1e-6
    )


def test_two_models_in_turn():
    gv.manual_seed(0)
    maker, judge = gv.nn.Linear(2, 2), gv.nn.Linear(2, 1)
    one, two = gv.optim.Adam(maker.parameters()), gv.optim.Adam(judge.parameters())
    for _ in range(3):
        fake = maker(gv.randn(4, 2))
        kept = maker.state_dict()["weight"].tolist()
        two.step(judge(fake.detach()).mean().backward())
        assert maker.state_dict()["weight"].tolist() == kept
        kept = judge.state_dict()["weight"].tolist()
        one.step((-judge(fake)).mean().backward())
        assert judge.state_dict()["weight"].tolist() == kept


def test_a_long_training_does_not_grow():
    gv.manual_seed(0)
    model = gv.nn.Linear(3, 1)
    opt = gv.optim.Adam(model.parameters())
    x, y = gv.randn(8, 3), gv.randn(8, 1)

    def run(steps):
        for _ in range(steps):
            opt.step(gv.mse_loss(model(x), y).backward())
        gc.collect()
        return len(gc.get_objects())

    run(50)
    before = run(50)
    assert abs(run(1000) - before) < 200
