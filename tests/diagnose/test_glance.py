"""Gradients of large graphs: a glance finds what a look at every step finds."""

from __future__ import annotations

from importlib import import_module

import pytest

import gradviz as gv
from gradviz.autodiff.engine import reachable
from gradviz.diagnose.glance import stays_ordinary

finite = import_module("gradviz.diagnose.rules.finite")
glance = import_module("gradviz.diagnose.glance")


def leaf(*values: float) -> gv.Tensor:
    return gv.tensor(list(values), requires_grad=True)


def root_at_zero() -> gv.Tensor:
    return gv.sqrt(leaf(0.0, 1.0)).sum()


def quotient_by_zero() -> gv.Tensor:
    return (leaf(1.0, 1.0) / leaf(0.0, 2.0)).sum()


def infinity_that_is_masked() -> gv.Tensor:
    x = leaf(0.0, 1.0)
    return gv.where(x > 0.5, gv.log(x), x).sum()


def infinite_factor() -> gv.Tensor:
    return (leaf(1.0, 2.0) * gv.tensor([float("inf"), 1.0])).sum()


def growth_of_the_gradient_alone() -> gv.Tensor:
    h = leaf(1.0, 2.0)
    for _ in range(60):
        h = h * 10.0 - h.detach() * 9.5
    return h.sum()


def overflow_in_one_step() -> gv.Tensor:
    return (gv.tanh(leaf(1.0) * 1e30) * 1e30 * leaf(1e-20)).sum()


BAD = [root_at_zero, quotient_by_zero, infinity_that_is_masked, infinite_factor]


@pytest.mark.parametrize("make", [*BAD, growth_of_the_gradient_alone])
def test_large_graphs_show_gradients_that_are_not_finite(
    make: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    loss = make()  # type: ignore[operator]
    exact = [problem.slug for problem in gv.diagnose(loss).problems]
    assert "non-finite-gradient" in exact
    monkeypatch.setattr(finite, "LARGE", 0)
    monkeypatch.setattr(glance, "MOST_STEPS", 40)  # the growth shows long before it overflows
    assert "non-finite-gradient" in [problem.slug for problem in gv.graph(loss).problems]


def test_a_step_that_may_overflow_is_worth_a_look() -> None:
    loss = overflow_in_one_step()
    assert not stays_ordinary(loss.node, reachable(loss.node))


def test_ordinary_training_graphs_are_told_by_a_glance() -> None:
    w, h = leaf(0.5, 0.25), leaf(1.0, 2.0)
    for _ in range(200):
        h = gv.tanh(h * w) + h
    loss = gv.layer_norm(h, (2,)).mean()
    assert stays_ordinary(loss.node, reachable(loss.node))


def recomputed(start: float, times: int) -> gv.Tensor:
    h = gv.tensor([start, 2.0], device=gv.device("ndarray").autodiff("balanced")).require_grad()
    w = h
    for _ in range(times):
        h = gv.tanh(h * w) + gv.exp(h * 0.1)
    return h.sum()


def test_what_is_recomputed_is_told_by_a_glance_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    loss = recomputed(0.5, 50)
    assert stays_ordinary(loss.node, reachable(loss.node))
    monkeypatch.setattr(glance, "MOST_RECOMPUTED", 10)
    assert not stays_ordinary(loss.node, reachable(loss.node))  # too much to recompute for it
    assert "non-finite-gradient" not in [problem.slug for problem in gv.graph(loss).problems]


@pytest.mark.parametrize("large", [0, 10**9])
def test_gradients_that_are_not_finite_are_found_where_values_are_recomputed(
    large: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    x = gv.tensor([0.0, 1.0], device=gv.device("ndarray").autodiff("balanced")).require_grad()
    monkeypatch.setattr(finite, "LARGE", large)
    for loss in (gv.sqrt(x * 1.0).sum(), (gv.exp(x * 800.0) * 0.5).sum(), (x / (x * 2.0)).sum()):
        slugs = [problem.slug for problem in gv.graph(loss).problems]
        assert slugs == [problem.slug for problem in gv.diagnose(loss).problems]
        assert "non-finite-gradient" in slugs
