"""Answers that pages carry: the kernel's own, within bounds, and none where none are wanted."""

from __future__ import annotations

import base64
import json
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gradviz as gv
from gradviz.errors import GradvizError
from gradviz.graph import kept as graph_kept
from gradviz.graph import view
from gradviz.graph.graph import Graph
from gradviz.render import page as pages
from gradviz.render import saved
from gradviz.render.saved import answers_text
from gradviz.widgets import kept
from gradviz.widgets.channel import answer
from tests.render import samples

SECRET = 0.12345678


def unpacked(text: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(zlib.decompress(base64.b64decode(text)))
    return found


def of_kernel(graph: Graph, entry: dict[str, Any]) -> dict[str, Any]:
    """What the kernel says to the question of an entry."""
    question = {"version": 1, "id": 1, "graph": kept.keep(graph)}
    message, _ = answer({**question, "method": entry["method"], "params": entry["params"]})
    return {"result": message["result"], "refusal": message["refusal"]}


def network(grads: bool = False) -> tuple[Graph, object]:
    """A graph, and what has to be held for its values to be there."""
    gv.manual_seed(0)
    model = gv.nn.Sequential(gv.nn.Conv2d(3, 4, 3), gv.nn.ReLU(), gv.nn.Flatten())
    images = gv.randn(2, 3, 6, 6, requires_grad=True)
    loss = (model(images) ** 2).mean() + images.detach().sum() * 0.0
    given = loss.backward() if grads else None
    return gv.graph(loss, grads=given), (model, images, loss, given)


@pytest.mark.parametrize("grads", [False, True])
def test_every_answer_is_the_kernels_own(grads: bool) -> None:
    graph, _held = network(grads)
    entries = unpacked(answers_text({"g": graph}))
    asked = {(e["method"], e["params"].get("node"), e["params"].get("what")) for e in entries}
    for node in graph.nodes:
        assert {("value", f"n{node.id}", what) for what in ("value", "gradient")} <= asked
    assert {"value", "preview", "gradients", "steps"} == {e["method"] for e in entries}
    for entry in entries:
        assert entry["graph"] == "g"
        assert {"result": entry["result"], "refusal": entry["refusal"]} == of_kernel(graph, entry)


def test_asking_changes_nothing() -> None:
    w = gv.tensor([1.0, 2.0], requires_grad=True)
    loss = (w * w).sum()
    graph = gv.graph(loss)
    first = answers_text({"g": graph})
    assert answers_text({"g": graph}) == first
    assert gv.graph(loss).live.store is None, "the pass that was run to see is gone"
    assert loss.backward()[w].tolist() == [2.0, 4.0]


def test_slices_are_those_a_view_can_ask_for_first() -> None:
    images = gv.tensor(np.arange(2 * 5 * 4 * 3.0).reshape(2, 5, 4, 3), requires_grad=True)
    graph = gv.graph(images.sum())
    node = f"n{images.node.id}"
    entries = unpacked(answers_text({"g": graph}))
    slices = [e["params"] for e in entries if e["method"] == "preview"]
    mine = [p for p in slices if p["node"] == node and p["what"] == "value"]
    by_axes = {(tuple(p["axes"]), p["colours"]) for p in mine}
    assert by_axes == {((2, 3), -1), ((1, 2), 3), ((1, 2), -1)}
    plain = [p["index"] for p in mine if p["axes"] == [2, 3]]
    assert plain == [[a, b, 0, 0] for a in range(2) for b in range(5)]


def test_the_bound_holds_and_pictures_go_first() -> None:
    graph, _held = network()
    whole = answers_text({"g": graph})
    counts = []
    for most in (len(whole) + 2_000, len(whole) - 1, len(whole) // 2):
        text = answers_text({"g": graph}, most)
        assert len(text) <= most
        entries = unpacked(text)
        assert {"gradients", "steps"} <= {e["method"] for e in entries}
        told = [
            e["result"] for e in entries if e["method"] == "value" and e["result"]["statistics"]
        ]
        pictures = [result["preview"] for result in told if result["preview"]]
        counts.append((len(pictures), sum(e["method"] == "preview" for e in entries)))
    assert counts[0][1] > counts[1][1], "slices are the first to go"
    assert counts[0][0] == counts[1][0] > counts[-1][0] and counts[-1][1] == 0
    assert answers_text({"g": graph}, 10) == ""


def test_many_nodes_are_answered_about_up_to_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saved, "MOST_NODES", 50)
    x = gv.tensor([1.0, 2.0], requires_grad=True, name="x")
    y = x
    for _ in range(300):
        y = y.sin() * 1.5
    entries = unpacked(answers_text({"g": gv.graph(y.sum())}))
    told = {e["params"]["node"] for e in entries if e["method"] == "value"}
    assert len(told) == 50 and f"n{x.node.id}" in told


def test_large_graphs_tell_more_of_the_nodes_that_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saved, "MOST_NODES", 20)
    x = gv.tensor([1.0, 2.0], requires_grad=True, name="x")
    y = x
    for _ in range(view.LIMIT):
        y = y + 1.0
    entries = unpacked(answers_text({"g": gv.graph(y.sum())}))
    nodes = [e["result"] for e in entries if e["method"] == "node"]
    assert len(nodes) == 20 and f"n{x.node.id}" in {node["id"] for node in nodes}
    assert all(node["verdict"]["backward"]["ok"] for node in nodes if node["role"] == "operation")


def test_what_is_too_much_to_compute_again_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph_kept, "MOST_RECOMPUTED", 60)
    x = gv.tensor([1.0, 2.0], requires_grad=True)
    y = x
    for _ in range(100):
        y = y + 1.0
    graph = gv.graph(y.sum())
    told = {
        e["params"]["node"]: e["result"]
        for e in unpacked(answers_text({"g": graph}))
        if e["method"] == "value" and e["params"]["what"] == "value"
    }
    assert told[f"n{x.node.id}"]["origin"] == "tensor"
    assert all(result["statistics"] for result in told.values()), "no wrong reason is given"
    assert 30 <= len(told) < len(graph)


def test_contents_that_nobody_has_read_stay_unmade() -> None:
    with gv.default_device("capture"):
        model = gv.nn.Linear(4, 4)
    captured = gv.capture(model, gv.spec((2, 4)))
    constants = list(captured.graph.constants.values())
    before = [getattr(value, "_array", 0) is None for value in constants]
    answers_text({"g": gv.graph(captured)})
    assert [getattr(value, "_array", 0) is None for value in constants] == before


@pytest.fixture
def bundle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "page.js"
    path.write_text("document.title = 'x';\n", encoding="utf-8")
    monkeypatch.setattr(pages, "BUNDLE", path)


@pytest.mark.usefixtures("bundle")
def test_without_values_no_number_is_in_any_file(tmp_path: Path) -> None:
    x = gv.tensor([SECRET, 2.0], requires_grad=True, name="x")
    loss = (x * x).sum()
    graph = gv.graph(loss, steps=gv.trace_backward(loss))
    shown = ("0.123", "0.0152", "4.015")
    for ending in ("html", "json", "svg", "dot", "txt"):
        graph.save(tmp_path / f"with.{ending}")
        graph.save(tmp_path / f"without.{ending}", values=False)
        text = (tmp_path / f"without.{ending}").read_text(encoding="utf-8")
        assert not any(number in text for number in shown), ending
        assert "x" in text
    page = (tmp_path / "with.html").read_text(encoding="utf-8")
    assert any(number in page for number in shown)
    assert 'id="gradviz-answers"' in page
    assert 'id="gradviz-answers"' not in (tmp_path / "without.html").read_text(encoding="utf-8")
    assert graph.to_html(values=False) == (tmp_path / "without.html").read_text(encoding="utf-8")
    plain = graph.without_values()
    assert [node.value for node in plain.nodes] == [None] * len(graph)
    assert [node.verdict for node in plain.nodes] == [node.verdict for node in graph.nodes]
    assert plain.edges == graph.edges and plain.problems == graph.problems


@pytest.mark.usefixtures("bundle")
def test_a_graph_without_anything_behind_it_has_no_answers() -> None:
    assert answers_text({"g": samples.broken()}) == ""
    assert "gradviz-answers" not in samples.broken().to_html()


@pytest.mark.usefixtures("bundle")
def test_answers_are_text_that_nothing_reads_as_markup() -> None:
    name = "</script><script>alert(1)</script>"
    x = gv.tensor([1.0], requires_grad=True, name=name)
    page = gv.graph((x * 2.0).sum()).to_html()
    assert page.lower().count("<script") == 3
    text = page.partition('id="gradviz-answers">')[2].partition("</script>")[0]
    assert set(text) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=")
    rows = next(e for e in unpacked(text) if e["method"] == "gradients")["result"]["parameters"]
    assert rows[0]["name"] == name


@pytest.mark.usefixtures("bundle")
def test_a_comparison_is_a_page_with_both_graphs(tmp_path: Path) -> None:
    x = gv.tensor([SECRET, 2.0], requires_grad=True, name="<b>x</b>")
    found = gv.compare(gv.graph(x.exp().sum(), title="one"), gv.graph(x.tanh().sum(), title="two"))
    found.save(tmp_path / "change.html")
    page = (tmp_path / "change.html").read_text(encoding="utf-8")
    assert page == found.to_html()
    assert "1 added, 1 removed" in page and "What changed: one and two" in page
    assert "<b>x</b>" not in page
    text = page.partition('id="gradviz-answers">')[2].partition("</script>")[0]
    assert {e["graph"] for e in unpacked(text)} == {"before", "after"}
    message = json.loads(page.partition('id="gradviz-message">')[2].partition("</script>")[0])
    assert message["type"] == "pair"
    assert [message["before"]["key"], message["after"]["key"]] == ["before", "after"]
    assert "gradviz-answers" not in found.to_html(values=False)
    assert "0.123" not in found.to_html(values=False)
    found.save(tmp_path / "change.txt")
    assert (tmp_path / "change.txt").read_text(encoding="utf-8") == f"{found}\n"
    found.save(tmp_path / "change.json", values=False)
    assert json.loads((tmp_path / "change.json").read_text())["difference"]["total"] == 3
    with pytest.raises(GradvizError, match=r"none of .html, .json and .txt"):
        found.save(tmp_path / "change.svg")


@pytest.mark.usefixtures("bundle")
def test_a_followed_run_is_a_page_with_its_history(tmp_path: Path) -> None:
    run = gv.live("run")
    with pytest.raises(GradvizError, match="no step has been followed yet"):
        run.save(tmp_path / "run.html")
    w = gv.tensor([SECRET, 2.0], requires_grad=True, name="w")
    for _ in range(3):
        loss = (w * w).sum()
        run.update(loss, loss.backward())
    run.close()
    run.save(tmp_path / "run.html")
    page = (tmp_path / "run.html").read_text(encoding="utf-8")
    told = json.loads(page.partition('id="gradviz-message">')[2].partition("</script>")[0])
    assert told["extras"]["history"]["total"] == 3
    assert told["extras"]["history"]["leaves"] == ["w"]
    plain = run.to_html(values=False)
    assert '"history":null' in plain or '"extras":null' in plain
    assert not any(number in plain for number in ("0.123", "4.01"))
    run.save(tmp_path / "run.svg")
    assert (tmp_path / "run.svg").read_text(encoding="utf-8").startswith("<svg")
