"""`gv.check`: the same problems from a dry run, which computes and allocates nothing."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

import gradviz as gv
from tests.asserting import refused


def slugs(report) -> list[str]:
    return [p.slug for p in report.problems if p.severity != "note"]


def line(x, w, b):
    return ((x @ w + b) ** 2).mean()


SHAPES = (gv.spec((4, 3)), gv.spec((3, 1)), gv.spec((1,)))


@pytest.mark.parametrize("wrt", [1, -2, "w", [1, 2], ["w", "b"], [1, "b"], (1, 2), None])
def test_arguments_by_position_and_by_name(wrt) -> None:
    report = gv.check(line, *SHAPES, wrt=wrt)
    # Without `wrt`, no example is marked and nothing can get a gradient.
    assert report.ok is (wrt is not None), report


def test_examples_say_what_gets_a_gradient() -> None:
    w = gv.tensor([[1.0], [2.0]], requires_grad=True)
    assert gv.check(lambda x, w: (x @ w).sum(), np.ones((3, 2), np.float32), w).ok
    assert gv.check(lambda x, w: (x @ w).sum(), np.ones((3, 2), np.float32), w, wrt=w).ok
    dead = gv.check(lambda x, w: (x @ w.detach()).sum(), np.ones((3, 2), np.float32), w)
    assert "path-cut-detach" in slugs(dead)


def test_modules_and_parameters() -> None:
    net = gv.nn.Sequential(gv.nn.Linear(3, 2), gv.nn.Tanh(), gv.nn.Linear(2, 1))
    x = gv.spec((4, 3))
    assert gv.check(lambda x: net(x).mean(), x, wrt=net).ok
    assert gv.check(lambda x: net(x).mean(), x, wrt=[net[0].weight, net[2]]).ok
    report = gv.check(lambda x: net[0](x).mean(), x, wrt=net)
    assert slugs(report) == ["leaf-not-reached"] * 2
    assert {p.reason.split("`")[1] for p in report} == {"2.weight", "2.bias"}
    cut = gv.check(lambda x: net[2](net[0](x).detach()).mean(), x, wrt=net)
    assert set(slugs(cut)) == {"path-cut-detach"}


def test_a_frozen_module() -> None:
    net = gv.nn.Linear(3, 1).freeze()
    report = gv.check(
        lambda x, w: (net(x) * w).mean(), gv.spec((4, 3)), gv.spec((1,)), wrt=["w", net]
    )
    assert slugs(report) == ["parameter-frozen"]


@pytest.mark.parametrize(
    ("fn", "slug"),
    [
        (lambda x, w: (x @ w.detach()).sum(), "path-cut-detach"),
        (lambda x, w: (x @ w).argmax(), "untracked-root"),
        (lambda x, w: (x @ w).round().sum(), "path-cut-non-differentiable"),
        (lambda x, w: x.sum(), "leaf-not-reached"),
        (lambda x, w: x @ w, "non-scalar-root"),
        (lambda x, w: ((x @ w) - x[:, 0]).sum(), "suspicious-broadcast"),
        (lambda x, w: (w @ x.T @ w.T).sum(), "shape-mismatch"),
        (lambda x, w: (x @ w).sum() if (x @ w).sum().item() else w, "capture-value-unavailable"),
        (lambda x, w: (x @ w).sum() if (x @ w).sum() > 0 else w, "capture-value-unavailable"),
        (lambda x, w: gv.tensor((x @ w).numpy()).sum(), "capture-value-unavailable"),
        (
            lambda x, w: (x @ w).sum().require_grad(),
            "can-t-convert-a-non-leaf-tensor-into-a-tracked-ten",
        ),
        (
            lambda x, w: (x @ w + gv.tensor([1.0]).to(gv.device("ndarray"))).sum(),
            "cannot-move-from-capture",
        ),
    ],
)
def test_problems_are_found_without_a_value(fn, slug: str) -> None:
    report = gv.check(fn, gv.spec((4, 3)), gv.spec((3, 1)), wrt="w")
    assert slug in slugs(report), report
    problem = next(p for p in report.problems if p.slug == slug)
    assert problem.cause is not None or problem.where is not None
    assert str(report)


def test_no_grad_inside() -> None:
    def quiet(x, w):
        with gv.no_grad():
            h = x @ w
        return (h * w.sum()).sum()

    report = gv.check(quiet, gv.spec((4, 3)), gv.spec((3, 1)), wrt="w")
    assert report.ok and [p.slug for p in report] == ["path-cut-no-grad"]


def test_several_roots() -> None:
    assert gv.check(lambda w: (w.sum(), {"b": w.mean()}), gv.spec((2,)), wrt=0).ok
    mixed = gv.check(lambda w: [w.sum(), w.detach().sum()], gv.spec((2,)), wrt=0)
    assert slugs(mixed) == ["untracked-root"]


@pytest.mark.parametrize(
    ("fn", "wrt", "match"),
    [
        (lambda w: 3.0, 0, "no tensor"),
        (lambda w: None, 0, "no tensor"),
        (lambda w: w.sum(), "z", "wrt names no argument"),
        (lambda w: w.sum(), 5, "wrt names no argument"),
        (lambda w: w.sum(), True, "wrt names no argument"),
    ],
)
def test_questions_that_make_no_sense(fn, wrt, match: str) -> None:
    refused(lambda: gv.check(fn, gv.spec((2,)), wrt=wrt), "invalid-argument", match)


def test_other_errors_of_the_function_get_through_and_leave_nothing_open() -> None:
    with pytest.raises(ZeroDivisionError):
        gv.check(lambda w: 1 / 0, gv.spec((2,)), wrt=0)
    assert gv.check(lambda w: w.sum(), gv.spec((2,)), wrt=0).ok
    assert gv.ones(1).kind == "NdArray"


def test_nothing_of_the_size_of_the_data_is_allocated() -> None:
    def stack(x, *weights):
        for w in weights:
            x = (x @ w).relu()
        return x.mean()

    big = gv.spec((30_000, 30_000))
    tracemalloc.start()
    try:
        report = gv.check(stack, gv.spec((8, 30_000)), *[big] * 9, wrt=list(range(1, 10)))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert report.ok, report
    assert peak < 20 * 2**20


def test_the_examples_stay_as_they_are() -> None:
    w = gv.tensor([1.0, 2.0], requires_grad=True)
    plain = gv.tensor([1.0, 2.0])
    gv.check(lambda a, b: (a * b).sum(), w, plain, wrt=[0, 1])
    assert plain.requirement == "none" and plain.kind == "NdArray"
    assert (w * 2.0).sum().backward()[w].tolist() == [2.0, 2.0]
