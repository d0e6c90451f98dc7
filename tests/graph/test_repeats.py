"""Long loops that are told by what two of their rounds have in common."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import gradviz as gv
from gradviz.graph import regions, repeats
from gradviz.graph.graph import Graph

NEVER = 10**9


def w() -> gv.Tensor:
    return gv.full((2,), 0.5, requires_grad=True)


def helper(h: gv.Tensor, x: gv.Tensor) -> gv.Tensor:
    return (h * x).tanh()


def rounds() -> gv.Tensor:
    h = x = w()
    for _ in range(60):
        h = h * x
        h = h + x
    return h.sum()


def one_operation() -> gv.Tensor:
    h = w()
    for _ in range(90):
        h = h * 0.5
    return h.sum()


def same_inputs_twice() -> gv.Tensor:
    h = x = w()
    for _ in range(60):
        a, b = x * h, x * h
        h = a + b
    return h.sum()


def one_after_another() -> gv.Tensor:
    h = x = w()
    for _ in range(40):
        h = helper(h, x)
    for _ in range(40):
        h = h + x
    while h.node.id % 101:
        h = h * x
    return h.sum()


def nested() -> gv.Tensor:
    h = x = w()
    for _ in range(30):
        for _ in range(4):
            h = helper(h, x)
        h = h + x
    return h.sum()


def changing() -> gv.Tensor:
    h = x = w()
    for at in range(80):
        h = helper(h, x) if at % 3 else h + x
        if at > 50:
            h = h.exp().tanh()
    return h.sum()


def scopes() -> gv.Tensor:
    h = x = w()
    for at in range(50):
        with gv.scope(f"step {at}"):
            h = helper(h, x)
            with gv.scope("inside"):
                h = h + x
    return h.sum()


def modules() -> gv.Tensor:
    net = gv.nn.Sequential(gv.nn.Linear(2, 2), gv.nn.Tanh(), gv.nn.Linear(2, 2))
    total = x = w()
    for _ in range(40):
        total = total + net(x).mean()
    return total.sum()


PROGRAMS = (
    rounds,
    one_operation,
    same_inputs_twice,
    one_after_another,
    nested,
    changing,
    scopes,
    modules,
)


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many nodes were told of one by one; a loop counts as long from a few nodes on."""
    found: list[int] = []
    walk = regions.Regions.walk

    def counted(run: regions.Regions, start: int, end: int) -> None:
        found.append(end - start)
        walk(run, start, end)

    monkeypatch.setattr(regions.Regions, "walk", counted)
    monkeypatch.setattr(regions, "MOST_LOOKED_AHEAD", 6)
    return found


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_what_is_skipped_is_what_would_have_been_told(
    program: Callable[[], gv.Tensor], told: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    loss = program()
    monkeypatch.setattr(repeats, "LEAST", NEVER)
    expected: Graph = gv.graph(loss)
    assert sum(told) == len(expected)
    told.clear()
    monkeypatch.setattr(repeats, "LEAST", 10)
    graph = gv.graph(loss)
    assert graph.groups == expected.groups
    assert [node.group for node in graph] == [node.group for node in expected]
    assert sum(told) < len(graph) * 3 // 4  # and most of it was skipped
