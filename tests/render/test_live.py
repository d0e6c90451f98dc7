"""Cards and the methods of graphs, on live tensors."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path

import pytest

import gradviz as gv
from gradviz.graph.model import MIME_TYPE
from gradviz.render import program
from gradviz.render.card import module_card, tensor_bundle, tensor_card
from gradviz.tensor import escapes
from tests.render import samples


class Text(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.text = ""
        self.tags: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += f" {data}"


def text_of(page: str) -> str:
    reader = Text()
    reader.feed(page)
    assert "script" not in reader.tags
    return reader.text


def test_a_computed_tensor() -> None:
    x = gv.tensor([[1.0, -2.0], [3.0, 4.0]], requires_grad=True)
    page, text = tensor_card(x * 2.0)
    for wanted in (
        "Autodiff(NdArray)",
        "grad_in_backward",
        "(2, 2)",
        "float32",
        "x * 2.0",
        "backward()",
    ):
        assert wanted in text
        assert wanted in text_of(page)
    assert "\u2713 backward() works" in text
    assert "\u2717 require_grad() would fail" in text


def test_values_of_every_shape() -> None:
    for value, wanted in [
        (gv.tensor(2.5), "2.5"),
        (gv.arange(100).float(), "\u2026"),
        (gv.zeros(3, 0), "(3, 0)"),
        (gv.zeros(50, 60), "\u22ee"),
        (gv.zeros(2, 3, 4), "[0, :, :]"),
        (gv.tensor([True, False]), "True"),
        (gv.tensor([1, 2]), "int64"),
        (gv.tensor([float("nan"), float("inf")]), "nan"),
    ]:
        page, text = tensor_card(value)
        assert wanted in text
        assert wanted in text_of(page)


def test_looking_does_not_count_as_using() -> None:
    x = gv.tensor([1.0], requires_grad=True)
    before = list(escapes.recent)
    tensor_card(x)
    assert list(escapes.recent) == before


def test_recorded_tensors_have_no_value() -> None:
    cards: list[tuple[str, str]] = []

    def program_(x: gv.Tensor) -> gv.Tensor:
        cards.append(tensor_card(x * 2.0))
        return x

    gv.capture(program_, gv.spec((3,)))
    assert "no value" in cards[0][1]
    assert "Capture" in cards[0][1]


@pytest.mark.parametrize("name", samples.HOSTILE)
def test_hostile_names(name: str) -> None:
    page, text = tensor_card(gv.tensor([1.0], name=name))
    assert set(_tags(page)) <= {"div", "span", "strong", "table", "tr", "td", "pre", "code"}
    assert "\x1b" not in page + text
    assert len(page) < 20_000


def _tags(page: str) -> list[str]:
    reader = Text()
    reader.feed(page)
    return reader.tags


def test_a_missing_verdict_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    from gradviz.tensor.base import views

    monkeypatch.delitem(views, "verdict")
    page, text = tensor_card(gv.tensor([1.0]))
    assert "backward()" not in page + text


def test_bundles() -> None:
    x = gv.tensor([1.0, 2.0])
    assert tensor_bundle(x)["text/plain"] == repr(x)
    assert x._repr_mimebundle_()["text/html"].startswith("<div")


def test_a_module() -> None:
    model = gv.nn.Sequential(gv.nn.Linear(4, 8), gv.nn.ReLU(), gv.nn.Linear(8, 2))
    page, text = module_card(model)
    assert "58 numbers in 4 parameters" in text
    assert "0.weight" in text_of(page)
    assert "58 trained" in text_of(page)
    assert "text/html" in model._repr_mimebundle_()


def graph_of_a_step() -> gv.Graph:
    model = gv.nn.Linear(3, 2)
    loss = (model(gv.ones(4, 3)) ** 2).mean()
    return gv.graph(loss)


def test_methods_of_graphs(tmp_path: Path) -> None:
    graph = graph_of_a_step()
    assert graph.to_svg().startswith("<svg")
    assert graph.to_svg(theme="dark") != graph.to_svg()
    assert graph.to_dot().startswith("digraph")
    assert graph.to_html().startswith("<!DOCTYPE html>")
    assert graph.to_png().startswith(b"\x89PNG")
    assert json.loads(graph.to_json())["total_nodes"] == len(graph)
    assert str(graph).splitlines()[0].startswith("loss:")
    graph.save(tmp_path / "g.svg")
    assert (tmp_path / "g.svg").exists()


def test_the_bundle_of_a_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = graph_of_a_step()
    bundle = graph._repr_mimebundle_()
    assert list(bundle) == [MIME_TYPE, "text/html", "text/plain"]
    assert 'src="data:image/svg+xml;base64,' in bundle["text/html"]
    json.dumps(bundle)
    monkeypatch.setattr(program, "find", lambda: None)
    assert list(graph._repr_mimebundle_()) == [MIME_TYPE, "text/plain"]


def test_captured_programs() -> None:
    captured = gv.capture(lambda x: (x * 2.0).sum(), gv.spec((3,)))
    graph = gv.graph(captured)
    assert "Capture" in str(graph)
    assert "backward fails" not in graph.to_svg()


def test_a_deep_live_graph() -> None:
    x = gv.tensor(1.0, requires_grad=True)
    y = x
    for _ in range(3000):
        y = y * 1.0
    graph = gv.graph(y)
    assert "more operations" in graph.to_svg()
    assert "more" in str(graph)
