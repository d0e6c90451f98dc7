"""Questions of views: what is answered, what is refused, and what is let go."""

from __future__ import annotations

import gc
import math
from collections.abc import Iterator
from typing import Any

import pytest

import gradviz as gv
from gradviz.graph.graph import Graph
from gradviz.graph.model import NodeView
from gradviz.widgets import channel, comm, kept
from gradviz.widgets.channel import Answer, Question, answer, answers


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    kept.forget()
    yield
    kept.forget()


@pytest.fixture
def key() -> str:
    x = gv.tensor([1.0, 2.0], requires_grad=True)
    return kept.keep(gv.graph((x * x).sum()))


def ask(key: str, method: str = "node", **params: Any) -> dict[str, Any]:
    question = {"version": 1, "id": 5, "method": method, "graph": key, "params": params}
    message, _ = answer(question)
    assert message["id"] == 5
    return message


@pytest.mark.parametrize(("ending", "start"), [("dot", b"digraph"), ("html", b"<!doctype html>")])
def test_a_file_is_written_as_save_writes_it(key: str, ending: str, start: bytes) -> None:
    question = {"version": 1, "id": 5, "method": "file", "graph": key, "params": {"ending": ending}}
    message, (data,) = answer(question)
    assert message["result"] == {"bytes": len(data)}
    assert bytes(data).lower().startswith(start)


@pytest.mark.parametrize("ending", ["png", "../x.dot", "", 3, None])
def test_only_known_files_are_written(key: str, ending: object) -> None:
    message = ask(key, "file", ending=ending)
    assert "ending is" in message["refusal"]["message"]


def test_a_node_is_answered_in_full(key: str) -> None:
    known = kept.find(key)
    assert known is not None
    for node in known.graph.nodes:
        result = ask(key, node=f"n{node.id}")["result"]
        assert set(result) == set(NodeView.__dataclass_fields__)
        assert result["op"] == node.op


@pytest.mark.parametrize(
    "message",
    [
        None,
        "question",
        [],
        {},
        {"version": 1, "id": True},
        {"version": 1, "id": -4, "method": "node", "graph": "g", "params": {}},
        {"version": 2, "id": 1, "method": "node", "graph": "g", "params": {}},
        {"version": 1, "id": 1, "method": 7, "graph": "g", "params": {}},
        {"version": 1, "id": 1, "method": "x" * 999, "graph": "g", "params": {}},
        {"version": 1, "id": 1, "method": "node", "graph": None, "params": {}},
        {"version": 1, "id": 1, "method": "node", "graph": "g", "params": []},
    ],
)
def test_what_is_no_question_is_refused(message: object) -> None:
    reply, buffers = answer(message)
    assert reply["refusal"]["code"] == "malformed"
    assert reply["result"] is None
    assert buffers == []


@pytest.mark.parametrize("node", [None, 3, "n", "n-1", "nx", "n999999", "n" + "9" * 4000, ["n1"]])
def test_an_unknown_node_is_refused(key: str, node: object) -> None:
    refusal = ask(key, node=node)["refusal"]
    assert refusal["code"] == "refused"
    assert len(refusal["message"]) < 500


def test_unknown_methods_and_graphs_are_told_apart(key: str) -> None:
    assert ask(key, "launch\u202e")["refusal"]["code"] == "unknown-method"
    assert "\u202e" not in ask(key, "launch\u202e")["refusal"]["message"]
    assert ask("another", node="n1")["refusal"]["code"] == "gone"


def test_another_module_adds_a_method(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(channel, "_methods", dict(channel._methods))

    @answers("norms")
    def norms(question: Question) -> Answer:
        count = question.number("count", 0, 10, default=2)
        return Answer({"worst": math.inf, "all": [math.nan, 1.5]}, (bytes(count),))

    reply, buffers = answer(
        {"version": 1, "id": 0, "method": "norms", "graph": key, "params": {"count": 3}}
    )
    assert reply["result"] == {"worst": "inf", "all": ["nan", 1.5]}
    assert list(map(len, buffers)) == [3]
    assert ask(key, "norms", count=11)["refusal"]["code"] == "refused"
    assert ask(key, "norms", count=True)["refusal"]["code"] == "refused"


def test_a_method_that_fails_is_reported(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(channel, "_methods", dict(channel._methods))

    @answers("broken")
    def broken(question: Question) -> None:
        raise ZeroDivisionError("by\x00zero")

    refusal = ask(key, "broken")["refusal"]
    assert refusal["code"] == "failed"
    assert "\x00" not in refusal["message"]


def test_graphs_are_let_go_least_recently_used_first() -> None:
    graphs = [Graph((), (), (), ()) for _ in range(kept.MOST_GRAPHS + 1)]
    keys = [kept.keep(graph) for graph in graphs[:-1]]
    assert kept.keep(graphs[0]) == keys[0], "one graph has one key"
    kept.find(keys[1])
    last = kept.keep(graphs[-1])
    assert kept.find(keys[2]) is None
    assert all(kept.find(key) is not None for key in (keys[0], keys[1], last))


def test_a_graph_whose_place_was_taken_pushes_nothing_out() -> None:
    first = kept.keep(Graph((), (), (), ()))
    for _ in range(2 * kept.MOST_GRAPHS):
        kept.let_go(kept.keep(Graph((), (), (), ())))
    kept.let_go("unknown")
    assert kept.find(first) is not None


def test_large_graphs_push_others_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "MOST_NODES", 4)
    x = gv.tensor([1.0], requires_grad=True)
    first = kept.keep(gv.graph(x * 2))
    second = kept.keep(gv.graph(x * x * x))
    assert kept.find(first) is None
    assert kept.find(second) is not None


def test_what_a_graph_was_drawn_from_is_held_weakly() -> None:
    def draw() -> tuple[str, bool]:
        x = gv.tensor([1.0], requires_grad=True)
        key = kept.keep(gv.graph(x), [x, [x]])
        known = kept.find(key)
        return key, known is not None and known.alive()[0] is x

    key, was_alive = draw()
    gc.collect()
    known = kept.find(key)
    assert was_alive
    assert known is not None
    assert known.alive() == ()


def test_without_a_kernel_nothing_is_kept() -> None:
    graph = gv.graph(gv.tensor([1.0], requires_grad=True))
    assert comm.keep(graph) is None


def test_a_comm_is_answered_with_its_buffers(key: str) -> None:
    class Comm:
        sent: list[tuple[Any, Any]] = []  # noqa: RUF012

        def on_msg(self, listener: Any) -> None:
            self.listener = listener

        def send(self, data: Any, buffers: Any = None) -> None:
            self.sent.append((data, buffers))

    made = Comm()
    comm.opened(made, {})
    assert made.sent.pop() == ({"open": True}, None), "front ends ask nothing before"
    made.listener({"content": {"data": {"version": 1, "id": 1}}, "buffers": [b"x"]})
    made.listener({"content": {}})
    assert [data["refusal"]["code"] for data, _ in made.sent] == ["malformed", "malformed"]
    assert made.sent[0][1] is None
