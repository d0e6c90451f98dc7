"""Gradients of gradients."""

from __future__ import annotations

import numpy as np
import pytest

import gradviz as gv

STRATEGIES = ["none", "balanced"]


@pytest.fixture(params=STRATEGIES)
def leaf(request):
    device = gv.device("ndarray").autodiff(checkpointing=request.param)
    return lambda data: gv.tensor(np.asarray(data, np.float64), device=device, requires_grad=True)


def test_gradients_are_tracked_and_the_graph_is_kept(leaf):
    x = leaf([2.0])
    y = x * x * x
    grads = y.backward(create_graph=True)
    g = x.grad(grads)
    assert g.requirement == "grad_in_backward" and gv.is_autodiff(g) and g.tolist() == [12.0]
    assert x.grad(g.backward()).tolist() == [12.0]


def test_the_first_graph_can_be_run_again(leaf):
    x = leaf([2.0])
    y = x * x * x
    y.backward(create_graph=True)
    assert y.backward()[x].tolist() == [12.0]


@pytest.mark.parametrize(
    ("function", "derivatives"),
    [
        (gv.sin, [np.cos, lambda x: -np.sin(x), lambda x: -np.cos(x), np.sin]),
        (gv.exp, [np.exp] * 4),
        (gv.log, [lambda x: 1 / x, lambda x: -1 / x**2, lambda x: 2 / x**3, lambda x: -6 / x**4]),
        (
            lambda x: x**4,
            [lambda x: 4 * x**3, lambda x: 12 * x**2, lambda x: 24 * x, lambda x: 24 + 0 * x],
        ),
        (
            gv.tanh,
            [
                lambda x: 1 - np.tanh(x) ** 2,
                lambda x: -2 * np.tanh(x) * (1 - np.tanh(x) ** 2),
                lambda x: (1 - np.tanh(x) ** 2) * (6 * np.tanh(x) ** 2 - 2),
            ],
        ),
        (
            gv.reciprocal,
            [lambda x: -1 / x**2, lambda x: 2 / x**3, lambda x: -6 / x**4, lambda x: 24 / x**5],
        ),
    ],
    ids=["sin", "exp", "log", "pow", "tanh", "reciprocal"],
)
def test_derivatives_to_the_third_and_beyond(leaf, function, derivatives):
    data = np.array([0.5, 1.0, 1.5])
    x = leaf(data)
    value = function(x)
    for derivative in derivatives:
        value = x.grad(value.sum().backward(create_graph=True))
        np.testing.assert_allclose(value.numpy(), derivative(data), rtol=1e-9)


def test_a_gradient_penalty(leaf):
    """The loss holds the norm of a gradient: its own gradient is checked by finite differences."""
    rng = np.random.default_rng(0)
    data, weights = rng.normal(size=(5, 3)), rng.normal(size=(3, 2))

    def penalised(w_value):
        x, w = leaf(data), leaf(w_value)
        out = (x @ w).tanh().sum()
        g = x.grad(out.backward(create_graph=True))
        loss = ((g * g).sum(dim=1).sqrt() - 1.0).square().mean()
        return loss, w

    loss, w = penalised(weights)
    got = w.grad(loss.backward()).numpy()
    for at in np.ndindex(*weights.shape):
        step = np.zeros_like(weights)
        step[at] = 1e-6
        up, down = penalised(weights + step)[0].item(), penalised(weights - step)[0].item()
        assert got[at] == pytest.approx((up - down) / 2e-6, rel=1e-5, abs=1e-8)


def test_hessian_vector_product(leaf):
    rng = np.random.default_rng(1)
    a = rng.normal(size=(4, 4))
    v = rng.normal(size=4)
    x = leaf(rng.normal(size=4))
    quadratic = (x * (gv.tensor(a) @ x)).sum()
    g = x.grad(quadratic.backward(create_graph=True))
    product = x.grad((g * gv.tensor(v)).sum().backward())
    np.testing.assert_allclose(product.numpy(), (a + a.T) @ v, rtol=1e-10)


def test_a_full_hessian(leaf):
    x = leaf([1.0, 2.0, 3.0])
    y = (x.prod() + (x * x).sum()).exp().log()
    g = x.grad(y.backward(create_graph=True))
    rows = [x.grad(g[at].backward(retain_graph=True)).tolist() for at in range(3)]
    np.testing.assert_allclose(rows, [[2.0, 3.0, 2.0], [3.0, 2.0, 1.0], [2.0, 1.0, 2.0]], rtol=1e-6)


def test_mixed_derivatives_of_two_leaves(leaf):
    x, y = leaf([2.0]), leaf([3.0])
    z = x**2 * y**3
    gx = x.grad(z.backward(create_graph=True))
    grads = gx.backward()
    assert grads[x].tolist() == [54.0] and grads[y].tolist() == [2 * 2.0 * 27.0]


def test_a_seed_that_is_tracked(leaf):
    """The vector-Jacobian product as a function of its vector."""
    x, v = leaf([1.0, 2.0]), leaf([3.0, 5.0])
    g = x.grad((x * x).backward(gradient=v, create_graph=True))
    grads = (g * g).sum().backward()
    np.testing.assert_allclose(grads[v].numpy(), 2 * (2 * np.array([1, 2])) ** 2 * np.array([3, 5]))


def test_gradients_of_linear_paths_are_not_tracked_but_plain_constants(leaf):
    x = leaf([2.0])
    g = x.grad((x * 3.0).backward(create_graph=True))
    assert g.tolist() == [3.0]
    with pytest.raises(gv.GradvizError):
        g.backward()


def test_learning_to_learn(leaf):
    """An update inside the graph: the loss after a step, differentiated by the step's length."""
    w, rate = leaf([3.0]), leaf([0.1])
    g = w.grad((w * w).sum().backward(create_graph=True))
    updated = w - rate * g
    loss = (updated * updated).sum()
    grads = loss.backward()
    assert grads[rate].item() == pytest.approx(2 * (3 - 0.6) * -6.0)
    assert grads[w].item() == pytest.approx(2 * (3 - 0.6) * (1 - 0.2))
