"""Listings: readable, aligned, bounded, in ASCII where nothing else goes."""

from __future__ import annotations

import io
import sys

import pytest

from gradviz.errors.printable import columns
from gradviz.graph.graph import Graph
from gradviz.render.text import to_text
from tests.render import samples


def test_the_whole_of_a_small_graph() -> None:
    assert to_text(samples.broken(), ascii=False).splitlines()[:11] == [
        "loss: 5 tensors of kind Autodiff(NdArray), 3 problems",
        "",
        "\u25cf w = tensor                     (2,) float32    train.py:3",
        "    \u26a0 The leaf w gets no gradient from loss (problem 2)",
        "\u25a0 %2 = mul(w, rhs=3.0)           (2,) float32    train.py:4",
        "    \u2139 h is no leaf (problem 3)",
        "\u25cb h = detach(%2)                 (2,) float32    train.py:4",
        "    \u2298 detach: detached from the graph",
        "    \u2717 part of problem 1",
        "\u25cb %4 = mul(h, h)                 (2,) float32    train.py:5",
        "    \u2717 part of problem 1",
    ]


def test_problems_come_with_reasons_and_fixes() -> None:
    text = to_text(samples.broken())
    assert "begins at train.py:4: (w * 3).detach()" in text
    assert "why: Loss is computed from h" in text
    assert "fix: Keep the path: drop .detach() (checked)" in text


def test_groups_indent() -> None:
    text = to_text(samples.classifier())
    assert "\nClassifier:\n  0: Linear(64, 32):\n" in text
    assert "    \u25a0 logits = linear(hidden, 2.weight, 2.bias)" in text


def test_consumed_and_roots_are_said() -> None:
    text = to_text(samples.classifier(consumed=True))
    assert "[root, consumed]" in text


@pytest.mark.parametrize("width", [40, 60, 100, 160])
def test_keeps_to_the_width(width: int) -> None:
    for graph in (samples.classifier(), samples.broken(), samples.hostile(), samples.residual()):
        assert max(map(columns, to_text(graph, width, ascii=False).splitlines())) <= width


def test_ascii() -> None:
    for graph in (samples.classifier(), samples.broken(), samples.hostile()):
        assert to_text(graph, ascii=True).isascii()


def test_a_terminal_without_the_signs_gets_ascii(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding="ascii"))
    assert to_text(samples.broken()).isascii()


def test_hostile_texts_are_one_line_each() -> None:
    text = to_text(samples.hostile(), ascii=False)
    assert "\x1b" not in text
    assert "\x07" not in text
    assert len(text) < 8000


def test_long_graphs_are_counted() -> None:
    text = to_text(samples.chain(100_000))
    assert "... 99,947 more" in text
    assert len(text.splitlines()) < 70


def test_empty() -> None:
    assert to_text(Graph((), (), (), ())) == "graph: 0 tensors"
