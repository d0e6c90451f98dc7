"""Operations on inputs that aren't ready made: the second call takes what the first found out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradviz as gv
from gradviz.tensor import escapes
from gradviz.tensor.plans import plans


def _tensors() -> dict[str, gv.Tensor]:
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((3, 4)).astype(np.float32)
    return {
        "tracked": gv.tensor(rows, requires_grad=True, name="tracked"),
        "plain": gv.tensor(rows + 1),
        "wide": gv.tensor(rows, dtype="float64"),
        "mask": gv.tensor(rows > 0),
        "whole": gv.tensor(np.arange(12).reshape(3, 4)),
        "small": gv.tensor(np.array([100, 1, 2], np.int8)),
        "index": gv.tensor([2, 0]),
        "square": gv.tensor(rng.standard_normal((4, 4)).astype(np.float32), requires_grad=True),
    }


CALLS: dict[str, Callable[..., Any]] = {
    "lifted": lambda t: t["tracked"] * t["plain"],
    "lifted on the left": lambda t: t["plain"] - t["tracked"],
    "promoted": lambda t: t["tracked"] * t["wide"],
    "whole and float": lambda t: t["tracked"] + t["whole"],
    "product": lambda t: t["plain"] @ t["square"],
    "layer": lambda t: gv.linear(t["plain"], t["square"]),
    "layer with bias": lambda t: gv.linear(t["plain"], t["square"], t["square"][0]),
    "chosen": lambda t: gv.where(t["mask"], t["tracked"], t["plain"]),
    "chosen, or a number": lambda t: gv.where(t["mask"], t["tracked"], 2.5),
    "chosen, or a whole number": lambda t: gv.where(t["mask"], t["tracked"], 3),
    "chosen, or nothing": lambda t: gv.where(t["mask"], t["tracked"], 0.0),
    "a number that overflows": lambda t: gv.where(t["small"] > 1, t["small"], 300),
    "a float beside whole numbers": lambda t: gv.where(t["mask"], t["whole"], 0.5),
    "joined": lambda t: gv.cat([t["tracked"], t["plain"], t["tracked"]]),
    "stacked": lambda t: gv.stack([t["plain"], t["tracked"]], 1),
    "picked": lambda t: t["tracked"][t["index"]],
    "largest": lambda t: t["tracked"].max(1)[0],
    "classes": lambda t: gv.nll_loss(t["tracked"], t["index"].reshape(2)[[0, 1, 1]]),
}


def _line(tensor: gv.Tensor) -> int:
    source = tensor.node.source
    assert source is not None
    return source.line


def _facts(made: gv.Tensor) -> tuple[Any, ...]:
    """Everything of a result that mustn't depend on whether it was made before."""
    parents = [
        (parent.op, parent.meta, parent.requirement, parent.attrs, [p.op for p in parent.parents])
        for parent in made.node.parents
        if parent.op != "absent"
    ]
    return made.kind, made.node.op, made.node.meta, made.requirement, _line(made), parents


@pytest.mark.parametrize("call", CALLS.values(), ids=list(CALLS))
def test_the_second_call_gives_what_the_first_gave(call: Callable[..., Any]) -> None:
    tensors = _tensors()
    plans.clear()
    first = call(tensors)
    planned = dict(plans)
    second = call(tensors)
    np.testing.assert_array_equal(first.numpy(), second.numpy())
    assert _facts(first) == _facts(second)
    assert dict(plans) == planned
    if first.is_tracked:
        one, two = first.sum().backward(), second.sum().backward()
        for name in ("tracked", "square"):
            if tensors[name] in one:
                np.testing.assert_array_equal(
                    one[tensors[name]].numpy(), two[tensors[name]].numpy()
                )


def test_a_plan_is_kept_for_metas_not_for_values() -> None:
    tensors = _tensors()
    plans.clear()
    for number in (1.5, -2.5, 0.0, -0.0, 7.0):
        made = gv.where(tensors["mask"], tensors["tracked"], number).numpy()
        rest = made[~tensors["mask"].numpy()]
        assert (rest == number).all()
        assert (np.signbit(rest) == np.signbit(number)).all()
    assert len(plans) == 1


def test_reading_a_kept_number_is_no_escape() -> None:
    tensors = _tensors()
    before = len(escapes.recent)
    for _ in range(3):
        gv.where(tensors["mask"], tensors["tracked"], 4.0)
    assert len(escapes.recent) == before


def test_what_a_shape_rule_refuses_it_refuses_again() -> None:
    x, w = gv.ones(2, 3), gv.ones(4, 5, requires_grad=True)
    for _ in range(2):
        with pytest.raises(gv.GradvizError) as caught:
            gv.linear(x, w)
        assert caught.value.slug == "shape-mismatch"
    left, right = gv.ones(2, 3, requires_grad=True), gv.ones(4, 3)
    for _ in range(2):
        with pytest.raises(gv.GradvizError, match="mul"):
            left * right


def test_attributes_that_a_rule_looks_at_belong_to_the_plan() -> None:
    x = gv.tensor(np.arange(8.0, dtype=np.float32), requires_grad=True)
    assert gv.cat([x, gv.ones(2)], 0).shape == (10,)
    with pytest.raises(gv.GradvizError) as caught:
        gv.cat([x, gv.ones(2)], 1)
    assert caught.value.slug == "dimension-out-of-range"


def test_a_recording_never_takes_a_plan() -> None:
    tensors = _tensors()
    gv.where(tensors["mask"], tensors["tracked"], 2.0)

    def chosen(x: gv.Tensor) -> gv.Tensor:
        return gv.where(x > 0.0, x, 2.0)

    plans.clear()
    graph = gv.capture(chosen, gv.ones(2))
    again = gv.capture(chosen, gv.ones(2))
    assert not plans
    assert [each.op for each in graph.operations] == [each.op for each in again.operations]


def test_the_line_that_called_is_told_each_time() -> None:
    tensors = _tensors()
    made = [tensors["tracked"] * tensors["plain"]]
    made.append(tensors["tracked"] * tensors["plain"])
    assert _line(made[1]) == _line(made[0]) + 1
    lifted = made[1].node.parents[1]
    assert lifted.op == "autodiff"
    assert lifted.source is not None
    assert lifted.source.line == _line(made[1])
