"""Layers and functions that draw numbers: what they draw, how they scale, when they leave alone."""

from __future__ import annotations

import numpy as np
import pytest

import gradviz as gv
from tests.asserting import refused

nn = gv.nn
LAYERS = {
    "Dropout1d": (lambda: nn.Dropout1d(0.25), (2, 3, 4)),
    "Dropout2d": (lambda: nn.Dropout2d(0.25), (2, 3, 4, 2)),
    "Dropout3d": (lambda: nn.Dropout3d(0.25), (2, 3, 4, 2, 2)),
    "AlphaDropout": (lambda: nn.AlphaDropout(0.25), (20,)),
    "RReLU": (lambda: nn.RReLU(0.1, 0.9), (20,)),
}


@pytest.mark.parametrize("name", LAYERS)
def test_the_seed_decides(name):
    make, shape = LAYERS[name]
    layer, x = make(), gv.linspace(-2, 1, 20) if len(shape) == 1 else gv.ones(50, *shape[1:])
    gv.manual_seed(5)
    first = layer(x).tolist()
    gv.manual_seed(5)
    assert layer(x).tolist() == first != layer(x).tolist()


@pytest.mark.parametrize("name", LAYERS)
def test_nothing_is_drawn_outside_training(name):
    make, shape = LAYERS[name]
    layer = make().eval()
    x = gv.randn(*shape)
    gv.manual_seed(1)
    out = layer(x)
    after = gv.rand(3).tolist()
    gv.manual_seed(1)
    assert gv.rand(3).tolist() == after
    expected = np.where(x.numpy() > 0, x.numpy(), 0.5 * x.numpy()) if name == "RReLU" else x.numpy()
    np.testing.assert_allclose(out.numpy(), expected, rtol=1e-6)


@pytest.mark.parametrize("name", LAYERS)
def test_captures_draw_what_layers_draw(name):
    make, shape = LAYERS[name]
    layer, x = make(), gv.randn(*shape)
    captured = gv.capture(layer, gv.spec(("batch", *shape[1:])))
    gv.manual_seed(9)
    expected = layer(x)
    gv.manual_seed(9)
    np.testing.assert_array_equal(captured.run(x).numpy(), expected.numpy())


@pytest.mark.parametrize("name", LAYERS)
def test_there_is_no_state_and_nothing_to_drop_in_nothing(name):
    make, shape = LAYERS[name]
    layer = make()
    assert not layer.state_dict()
    x = gv.ones(0, *shape[1:], requires_grad=True)
    out = layer(x)
    assert out.shape == x.shape == x.grad(out.sum().backward()).shape


@pytest.mark.parametrize(
    ("layer", "shape", "drawn"),
    [
        (nn.Dropout1d, (400, 10, 3), 2),
        (nn.Dropout1d, (4000, 3), 1),
        (nn.Dropout2d, (400, 10, 3, 2), 2),
        (nn.Dropout2d, (400, 10, 3), 2),
        (nn.Dropout3d, (400, 10, 3, 2, 2), 2),
        (nn.Dropout3d, (4000, 3, 2, 2), 1),
    ],
)
def test_whole_channels_are_dropped_and_the_others_scaled(layer, shape, drawn):
    gv.manual_seed(0)
    x = gv.ones(*shape, requires_grad=True)
    out = layer(0.25)(x)
    channels = out.numpy().reshape(int(np.prod(shape[:drawn])), -1)
    assert (channels == channels[:, :1]).all()
    np.testing.assert_allclose(np.unique(channels), [0.0, 4 / 3], rtol=1e-6)
    assert abs((channels[:, 0] == 0).mean() - 0.25) < 0.03
    np.testing.assert_allclose(x.grad(out.sum().backward()).numpy(), out.numpy())
    assert not layer(1.0)(x).numpy().any()
    assert layer(0.0)(x).tolist() == x.tolist()


@pytest.mark.parametrize("p", [0.1, 0.5, 0.8])
def test_alpha_dropout_keeps_mean_and_variance(p):
    gv.manual_seed(2)
    x = gv.randn(100_000, requires_grad=True)
    out = nn.AlphaDropout(p)(x)
    assert abs(out.mean().item()) < 0.02 and abs(out.std().item() - 1) < 0.02
    # What is dropped has one value, which selu approaches, scaled and moved like the rest.
    slopes = x.grad(out.sum().backward()).numpy()
    dropped = out.numpy()[slopes == 0]
    assert abs(len(dropped) / 100_000 - p) < 0.01
    np.testing.assert_allclose(dropped, dropped[0], rtol=1e-6)
    kept = slopes != 0
    scale = slopes[kept][0]
    np.testing.assert_allclose(slopes[kept], scale, rtol=1e-6)
    shift = out.numpy()[kept][0] - scale * x.numpy()[kept][0]
    limit = gv.selu(gv.tensor(-100.0)).item()
    np.testing.assert_allclose(dropped[0], scale * limit + shift, rtol=1e-4)


def test_alpha_dropout_of_all_leaves_zeros():
    assert nn.AlphaDropout(1.0)(gv.ones(3)).tolist() == [0.0] * 3
    assert nn.AlphaDropout(0.0)(gv.ones(3)).tolist() == [1.0] * 3


def test_slopes_are_drawn_evenly_for_each_element():
    gv.manual_seed(3)
    x = (
        gv.cat([gv.full((20_000,), -2.0), gv.full((5,), 3.0), gv.zeros(5)])
        .autodiff()
        .require_grad()
    )
    out = nn.RReLU(0.1, 0.5)(x)
    slopes = x.grad(out.sum().backward()).numpy()
    np.testing.assert_allclose(out.numpy(), slopes * x.numpy(), rtol=1e-6)
    negative = slopes[:20_000]
    assert 0.1 <= negative.min() < 0.11 < 0.49 < negative.max() <= 0.5
    assert abs(negative.mean() - 0.3) < 0.005
    assert (slopes[20_000:20_005] == 1).all() and (slopes[20_005:] <= 0.5).all()


@pytest.mark.parametrize("hard", [False, True])
def test_gumbel_softmax_draws_with_the_chances_of_softmax(hard):
    gv.manual_seed(4)
    chances = np.array([0.1, 0.2, 0.7])
    logits = gv.tensor(np.log(chances)).expand(20_000, 3)
    out = gv.gumbel_softmax(logits, 0.5, hard).numpy()
    np.testing.assert_allclose(out.sum(1), 1.0, rtol=1e-6)
    shares = np.bincount(out.argmax(1), minlength=3) / len(out)
    np.testing.assert_allclose(shares, chances, atol=0.015)
    largest = out.max(1)
    assert np.allclose(largest, 1.0) == hard


@pytest.mark.parametrize("dim", [0, 1, -1])
def test_a_hard_choice_has_the_gradient_of_the_soft_one(dim):
    weights = gv.randn(3, 4, 2)
    found = []
    for hard in (False, True):
        gv.manual_seed(6)
        logits = gv.linspace(-1, 1, 24).reshape(3, 4, 2).autodiff().require_grad()
        out = gv.gumbel_softmax(logits, 2.0, hard, dim=dim)
        np.testing.assert_allclose(out.numpy().sum(dim), 1.0, rtol=1e-6)
        found.append((out.numpy(), logits.grad((out * weights).sum().backward()).numpy()))
    (soft, gradient), (single, same) = found
    np.testing.assert_array_equal(gradient, same)
    assert np.abs(gradient).max() > 0
    np.testing.assert_array_equal(single.argmax(dim), soft.argmax(dim))
    np.testing.assert_allclose(np.sort(single, dim).max(dim), 1.0, rtol=1e-6)


def test_a_lower_temperature_comes_closer_to_one_choice():
    spread = []
    for tau in (0.1, 1.0, 10.0):
        gv.manual_seed(7)
        spread.append(gv.gumbel_softmax(gv.zeros(1000, 4), tau).max(1)[0].mean().item())
    assert spread[0] > 0.9 > spread[1] > 0.5 > 0.35 > spread[2]


def test_layers_show_their_arguments():
    assert repr(nn.Dropout2d(0.2)) == "Dropout2d(p=0.2)"
    assert repr(nn.AlphaDropout()) == "AlphaDropout(p=0.5)"
    assert repr(nn.RReLU(0.25, 0.5)) == "RReLU(lower=0.25, upper=0.5)"


@pytest.mark.parametrize(
    ("call", "slug", "words"),
    [
        (lambda: nn.Dropout1d(1.5), "invalid-argument", "Dropout1d: p is 1.5"),
        (lambda: nn.AlphaDropout(-0.1), "invalid-argument", "AlphaDropout: p is -0.1"),
        (lambda: gv.dropout3d(gv.ones(1, 1, 1, 1), 2.0), "invalid-argument", "dropout3d: p is 2.0"),
        (lambda: gv.alpha_dropout(gv.ones(1), 2.0), "invalid-argument", "alpha_dropout: p is 2.0"),
        (lambda: nn.Dropout1d()(gv.ones(3)), "invalid-argument", "Give 2 or 3 dimensions"),
        (lambda: nn.Dropout2d()(gv.ones(3, 4)), "invalid-argument", "Give 3 or 4 dimensions"),
        (lambda: nn.Dropout3d()(gv.ones(3, 4, 5)), "invalid-argument", "Give 4 or 5 dimensions"),
        (lambda: nn.Dropout2d()(gv.arange(8).reshape(1, 2, 2, 2)), "invalid-dtype", "dropout2d"),
        (lambda: nn.AlphaDropout()(gv.arange(3)), "invalid-dtype", "alpha_dropout"),
        (lambda: nn.RReLU(0.5, 0.1), "invalid-argument", "lower is 0.5 and upper is 0.1"),
        (lambda: gv.rrelu(gv.ones(1), 0.5, 0.1), "invalid-argument", "rrelu: lower is 0.5"),
        (lambda: gv.rrelu(gv.ones(1), 0.1, float("inf")), "invalid-argument", "upper is inf"),
        (lambda: gv.gumbel_softmax(gv.ones(2), 0.0), "invalid-argument", "tau is 0.0"),
        (lambda: gv.gumbel_softmax(gv.ones(2), dim=1), "dimension-out-of-range", "1"),
        (lambda: nn.Softmax2d()(gv.ones(2, 2)), "invalid-argument", "Give 3 or 4 dimensions"),
    ],
)
def test_what_makes_no_sense_is_refused(call, slug, words):
    refused(call, slug, words)
