"""Memory of gradients is used again only where nobody can see it; products are computed again."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

import gradviz as gv
from gradviz.autodiff.node import history
from gradviz.autodiff.steps import IN_PLACE_FROM

LARGE = 2 * IN_PLACE_FROM
ND = gv.device("ndarray")


def numbers(seed, size=LARGE):
    return np.random.default_rng(seed).uniform(0.5, 2.0, size).astype(np.float32)


def leaves(*seeds, size=LARGE):
    return [gv.tensor(numbers(seed)[:size], requires_grad=True) for seed in seeds]


def shared(x, w):
    """A result that three others use."""
    h = x / w
    return h * w + h * x + h


PROGRAMS = {
    "chain": lambda x, w: ((x * w) * w + w).exp() / x,
    "one tensor twice": lambda x, w: (x * x) * (x * x) - w,
    "shared results": shared,
    "sums on both sides": lambda x, w: (x + w) * (x + w) + (x - w) * x,
    "logarithms": lambda x, w: ((x * w).log() * w).exp() * x,
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_large_gradients_are_those_of_small_parts(program):
    x, w = leaves(0, 1)
    grads = program(x, w).sum().backward()
    step = IN_PLACE_FROM // 4
    parts = []
    for at in range(0, LARGE, step):
        a, b = (gv.tensor(numbers(s)[at : at + step], requires_grad=True) for s in (0, 1))
        found = program(a, b).sum().backward()
        parts.append((found[a].numpy(), found[b].numpy()))
    np.testing.assert_array_equal(grads[x].numpy(), np.concatenate([p for p, _ in parts]))
    np.testing.assert_array_equal(grads[w].numpy(), np.concatenate([p for _, p in parts]))


def test_the_gradient_given_is_left_as_it_is():
    x, w = leaves(0, 1)
    given = np.full(LARGE, 3.0, np.float32)
    kept = gv.tensor(given)
    grads = (x * w).backward(gradient=kept)
    assert (kept.numpy() == 3.0).all() and (given == 3.0).all()
    np.testing.assert_array_equal(grads[x].numpy(), given * w.numpy())


def test_retained_gradients_stay():
    x, w = leaves(0, 1)
    h = x * w
    h.retain_grad()
    y = h * w
    y.retain_grad()
    grads = (y * x).sum().backward()
    np.testing.assert_array_equal(grads[y].numpy(), x.numpy())
    np.testing.assert_array_equal(grads[h].numpy(), x.numpy() * w.numpy())


def test_a_graph_that_is_retained_gives_the_same_again():
    x, w = leaves(0, 1)
    loss = (PROGRAMS["shared results"](x, w)).sum()
    first = loss.backward(retain_graph=True)
    second = loss.backward()
    np.testing.assert_array_equal(first[x].numpy(), second[x].numpy())
    np.testing.assert_array_equal(first[w].numpy(), second[w].numpy())


def test_tracked_gradients_are_the_same():
    x, w = leaves(0, 1)
    loss = PROGRAMS["chain"](x, w).sum()
    tracked = loss.backward(create_graph=True)
    np.testing.assert_allclose(tracked[x].numpy(), loss.backward()[x].numpy(), rtol=1e-6)


def test_broadcast_operands_keep_shapes_and_values():
    x = gv.tensor(numbers(0).reshape(64, -1), requires_grad=True)
    w = gv.tensor(numbers(1)[:1], requires_grad=True)
    grads = ((x * w) * w).sum().backward()
    assert grads[w].shape == (1,)
    np.testing.assert_allclose(grads[x].numpy(), np.full(x.shape, w.item() ** 2), rtol=1e-6)
    np.testing.assert_allclose(grads[w].item(), 2 * w.item() * x.numpy().sum(), rtol=1e-4)


def test_wider_factors_do_not_lose_digits():
    x = gv.tensor(numbers(0).astype(np.float16), requires_grad=True)
    w = gv.tensor(numbers(1).astype(np.float64), requires_grad=True)
    grads = (x * w).sum().backward()
    assert grads[x].dtype == gv.float16 and grads[w].dtype == gv.float64
    np.testing.assert_array_equal(grads[x].numpy(), w.numpy().astype(np.float16))


# --- products are computed again -----------------------------------------------------------------
def deep(strategy, layers=16, width=64, batch=256):
    """A deep network's leaves and loss on a device of the strategy."""
    device = ND.autodiff(checkpointing=strategy)
    rng = np.random.default_rng(3)
    weights = [
        gv.tensor(
            (rng.standard_normal((width, width)) / 8).astype(np.float32),
            device=device,
            requires_grad=True,
        )
        for _ in range(layers)
    ]
    x = gv.tensor(rng.standard_normal((batch, width)).astype(np.float32), device=device)

    def forward():
        h = x
        for at, weight in enumerate(weights):
            h = gv.linear(h, weight) if at % 2 else h @ weight.transpose(0, 1)
            h = gv.relu(h)
        return h.sum()

    return weights, forward


def held(strategy):
    """Bytes that a deep network's graph keeps alive."""
    _, forward = deep(strategy)
    forward()
    tracemalloc.start()
    loss = forward()
    found = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert loss.is_tracked
    return found


def test_balanced_keeps_half_of_a_deep_network():
    assert held("balanced") < 0.62 * held("none")


def test_balanced_gives_the_same_bits():
    found = []
    for strategy in ("none", "balanced"):
        weights, forward = deep(strategy)
        grads = forward().backward()
        found.append([grads[w].numpy().tobytes() for w in weights])
    assert found[0] == found[1]


def test_every_other_product_is_computed_once_more(monkeypatch):
    weights, forward = deep("balanced")
    loss = forward()
    products = [node for node in history(loss.node) if node.op in ("linear", "matmul")]
    again = [node for node in products if type(node.saved).__name__ == "Redo"]
    # Those that are redone alternate with those that are kept.
    assert len(again) == len(weights) // 2 and len(products) == len(weights)
    calls = []
    namespace = ND.backend.namespace
    for name in ("linear", "matmul"):
        kernel = getattr(namespace, name)

        def counted(*arguments, kernel=kernel, name=name):
            calls.append(name)
            return kernel(*arguments)

        monkeypatch.setattr(namespace, name, counted)
    loss.backward()
    # One product for each gradient (the first layer's input needs none), and those redone.
    assert len(calls) == 2 * len(weights) - 1 + len(again)
