"""Differences of programs, as data and as text."""

from __future__ import annotations

import gradviz as gv

S = gv.spec((4, 3))


def one(x: gv.Tensor) -> gv.Tensor:
    with gv.scope("head"):
        y = (x * 2.0).exp()
    return y.sum()


def other(x: gv.Tensor) -> gv.Tensor:
    with gv.scope("head"):
        y = (x * 2.0).relu().exp()
    return y.mean(dim=0)


def test_the_same_program() -> None:
    difference = gv.capture(one, S).diff(gv.capture(one, S))
    assert difference.same and not difference and str(difference) == "no difference"
    assert not difference.added and not difference.removed


def test_operations_that_come_and_go() -> None:
    difference = gv.capture(one, S).diff(gv.capture(other, S))
    assert difference and not difference.same
    assert [operation.op for operation in difference.added] == ["relu", "exp", "mean"]
    assert [operation.op for operation in difference.removed] == ["exp", "sum"]
    text = str(difference)
    assert "+ head: float32[4, 3] = relu(mul)" in text and "- float32[] = sum(" in text
    assert f"# {other.__code__.co_firstlineno + 2}:" in text
    assert "- (no name) float32[]" in text and "+ (no name) float32[3]" in text


def test_shapes_scopes_and_attributes_count() -> None:
    base = gv.capture(one, S)
    assert base.diff(gv.capture(one, gv.spec((5, 3))))
    assert base.diff(gv.capture(lambda x: (x * 2.0).exp().sum(), S))
    assert gv.capture(lambda x: x.sum(dim=0), gv.spec((3, 3))).diff(
        gv.capture(lambda x: x.sum(dim=1), gv.spec((3, 3)))
    )
    assert base.diff(gv.CapturedGraph.from_json(base.to_json())).same


def test_long_equal_stretches_are_left_out() -> None:
    def long(x: gv.Tensor, extra: bool) -> gv.Tensor:
        for n in range(40):
            x = x.sin() if extra and n == 20 else x.cos()
        return x

    text = str(gv.capture(lambda x: long(x, False), S).diff(gv.capture(lambda x: long(x, True), S)))
    assert text.count("...") == 2 and len(text.splitlines()) < 14
