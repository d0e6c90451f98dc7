"""What views ask about numbers: answered from live tensors, refused calmly where there are none."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import gradviz as gv
from gradviz.graph.model import as_json
from gradviz.graph.steps import MOST_EMBEDDED, extras_view
from gradviz.graph.view import view_of
from gradviz.widgets import kept
from gradviz.widgets.channel import answer


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    kept.forget()
    yield
    kept.forget()


def ask(graph: Any, method: str, **params: Any) -> dict[str, Any]:
    question = {
        "version": 1,
        "id": 5,
        "method": method,
        "graph": kept.keep(graph),
        "params": params,
    }
    message, _ = answer(question)
    json.dumps(message, allow_nan=False)
    return message


def test_values_and_slices() -> None:
    x = gv.tensor(np.arange(24.0).reshape(2, 3, 4), requires_grad=True)
    loss = (x * x).sum()
    graph = gv.graph(loss)
    key = f"n{x.node.id}"
    value = ask(graph, "value", node=key)["result"]
    assert value["origin"] == "tensor" and value["statistics"]["high"] == 23
    assert value["preview"]["axes"] == [1, 2]
    shown = ask(graph, "preview", node=key, what="value", axes=[2, 0], index=[0, 1, 0])["result"]
    assert shown["cells"] == x.numpy()[:, 1, :].T.ravel().tolist()
    missing = ask(graph, "value", node=key, what="gradient")["result"]
    assert missing["statistics"] is None and "backward()" in missing["reason"]


@pytest.mark.parametrize(
    "params",
    [
        {"node": "n0"},
        {"node": 3},
        {"what": "soul"},
        {"what": None},
        {"axes": "01"},
        {"axes": [True]},
        {"axes": [0.5]},
        {"axes": [2**60]},
        {"index": list(range(100))},
        {"index": {"0": 1}},
    ],
)
def test_odd_questions_are_refused(params: dict[str, Any]) -> None:
    x = gv.tensor([1.0])
    message = ask(gv.graph(x), "preview", **({"node": f"n{x.node.id}"} | params))
    assert message["refusal"]["code"] == "refused" and message["result"] is None


def test_gradients_and_steps_before_any_backward_consume_nothing() -> None:
    w = gv.tensor([1.0, 2.0], requires_grad=True)
    loss = (w * w).sum()
    graph = gv.graph(loss)
    found = ask(graph, "gradients")["result"]
    assert found["predicted"] and found["parameters"][0]["reached"] and len(found["flows"]) == 3
    film = ask(graph, "steps")["result"]
    assert film["retained"] and [step["op"] for step in film["steps"]] == ["sum", "mul"]
    assert film["formulas"][film["steps"][1]["formulas"][0]]["text"] == "g * rhs"
    assert loss.backward()[w].tolist() == [2.0, 4.0]
    refusal = ask(gv.graph(loss), "steps")["refusal"]
    assert refusal["code"] == "refused" and "trace_backward" in refusal["message"]


def test_recordings_answer_too() -> None:
    captured = gv.capture(lambda x: x * 2.0, gv.spec((2,), "float32"))
    graph = gv.graph(captured)
    assert not ask(graph, "gradients")["result"]["available"]
    assert ask(graph, "steps")["refusal"]["code"] == "refused"
    assert ask(graph, "value", node=f"n{graph.roots[0]}")["result"]["origin"] == "none"


def test_short_passes_travel_with_the_graph_and_long_ones_dont() -> None:
    x = gv.tensor(1.0, requires_grad=True, name="<img src=x onerror=alert(1)>")
    loss = x * 2.0
    graph = gv.graph(loss, steps=gv.trace_backward(loss))
    extras = as_json(view_of(graph, extras=extras_view(graph)))["extras"]
    assert extras["steps"]["steps"][0]["parts"][0]["label"] == "<img src=x onerror=alert(1)>"
    assert extras["done"] == [f"n{loss.node.id}"] and graph.problems == ()
    for _ in range(MOST_EMBEDDED + 1):
        x = x * 1.0
    graph = gv.graph(x, steps=gv.trace_backward(x))
    assert extras_view(graph).steps is None
    assert len(ask(graph, "steps")["result"]["steps"]) == MOST_EMBEDDED + 1
    assert extras_view(gv.graph(gv.tensor(1.0))) is None


def test_a_root_used_up_by_another_pass_is_still_a_problem() -> None:
    x = gv.tensor(1.0, requires_grad=True)
    loss = x * 2.0
    grads = loss.backward()
    assert [p.slug for p in gv.graph(loss, grads=grads).problems] == []
    other = gv.trace_backward(x * 3.0)
    assert {p.slug for p in gv.graph(loss, steps=other).problems} == {"graph-consumed"}
