"""Gradient programs and dry runs where a size was left open."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradviz as gv

OPEN = gv.spec(("batch", 3))
FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "sum": lambda x: (x * x).sum(),
    "mean": lambda x: (x.tanh() ** 2).mean(),
    "mean of a dimension": lambda x: (x.mean(dim=0) ** 2).sum() + (x.mean(dim=1) ** 2).mean(),
    "spread": lambda x: x.std(dim=1).sum() + x.var(),
    "losses": lambda x: gv.mse_loss(x, x * x) + gv.huber_loss(x, x.sin()) + gv.l1_loss(x, x.exp()),
    "divided by a size": lambda x: (x * x).sum() / x.shape[0],
    "divergence": lambda x: gv.kl_div(
        gv.log_softmax(x, dim=1), gv.softmax(x * x, dim=1), reduction="batchmean"
    ),
    "batch norm": lambda x: (
        (gv.batch_norm(x, None, None, training=True) * gv.arange(3.0)).square().mean()
    ),
    "products": lambda x: x.prod(dim=0).mean() + x.prod(),
    "picked": lambda x: x[gv.arange(x.shape[0]), x.argmax(1)].square().mean(),
    "softmax": lambda x: (gv.softmax(x, dim=1) ** 2).sum(),
    "shapes": lambda x: (x.reshape(-1) ** 2).sum() + (x.T @ x).mean(),
    "slices": lambda x: gv.cat([x[:, :1] * 2.0, x[:, 1:]], dim=1).square().mean() + x[0].sum(),
    "extremes": lambda x: x.max(dim=0)[0].sum() + x.amax(dim=1).mean(),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_one_gradient_program_serves_every_size(name: str) -> None:
    fn = FUNCTIONS[name]
    program = gv.capture(fn, OPEN).backward()
    assert str(program.outputs[0].shape) == "(batch, 3)"
    for size in (2, 5):
        array = np.random.default_rng(size).normal(size=(size, 3)).astype(np.float32)
        x = gv.tensor(array, requires_grad=True)
        expected = fn(x).backward()[x].numpy()
        np.testing.assert_allclose(program.run(array).numpy(), expected, rtol=1e-5, atol=1e-6)


def test_a_layer_and_a_given_gradient() -> None:
    net = gv.nn.Sequential(gv.nn.Linear(3, 4), gv.nn.LayerNorm(4), gv.nn.GELU())
    program = gv.capture(net, OPEN).backward(gradient="input", with_outputs=True)
    array = np.ones((2, 3), np.float32)
    seed = np.arange(8, dtype=np.float32).reshape(2, 4)
    x = gv.tensor(array, requires_grad=True)
    out = net(x)
    grads = out.backward(gradient=seed)
    found = program.run(array, seed)
    wanted = [out, grads[x], *(grads[p] for p in net.parameters())]
    for got, expected in zip(found, wanted, strict=True):
        np.testing.assert_allclose(got.numpy(), expected.numpy(), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("fn", "slugs"),
    [
        (lambda x, y, m: gv.mse_loss(m(x), y), ["suspicious-broadcast"]),
        (lambda x, y, m: gv.mse_loss(m(x), y[:, None]), []),
        (lambda x, y, m: m(x).detach().sum() + y.sum(), ["untracked-root", "path-cut-detach"]),
        (lambda x, y, m: m(x), ["non-scalar-root"]),
        (lambda x, y, m: m(x @ gv.ones(4, 3)).mean(), ["shape-mismatch"]),
        (lambda x, y, m: m(x).mean() * x.mean().item(), ["capture-value-unavailable"]),
    ],
)
def test_dry_runs(fn: Callable[..., Any], slugs: list[str]) -> None:
    model = gv.nn.Linear(3, 1)
    report = gv.check(lambda x, y: fn(x, y, model), OPEN, gv.spec(("batch",)), wrt=model)
    assert [p.slug for p in report if p.severity != "note"] == slugs
