"""DOT: valid for Graphviz whatever users wrote, which stays text."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest

from gradviz.render.dot import to_dot
from gradviz.render.program import require, run
from tests.asserting import refused
from tests.render import samples


def parsed(dot: str) -> dict[str, Any]:
    """What Graphviz understands: objects by name."""
    answer = json.loads(run(require("test"), dot, "json0", "test"))
    return {found["name"]: found for found in answer["objects"]}


def test_nodes_edges_and_clusters() -> None:
    found = parsed(to_dot(samples.classifier()))
    assert {f"n{node.id}" for node in samples.classifier()} <= set(found)
    assert found["cluster_0"]["label"] == "Classifier"
    assert "loss = add" in found["n15"]["label"]
    assert "scalar \u00b7 float32 \u00b7 root" in found["n15"]["label"]


def test_leaves_are_round_and_marks_are_words_too() -> None:
    found = parsed(to_dot(samples.broken()))
    assert "rounded" in found["n1"]["style"]
    assert "rounded" not in found["n2"]["style"]
    assert "\u2717 No tracked tensor feeds this root" in found["n5"]["label"]
    assert "part of problem 1" in found["n3"]["label"]
    assert "\u2298 detach" in to_dot(samples.broken())


def test_hostile_texts_stay_text() -> None:
    dot = to_dot(samples.hostile())
    assert "label=<" not in dot
    found = parsed(dot)
    assert len(found) == len(samples.HOSTILE) + 1  # nothing was made out of a name
    for thing in found.values():
        assert len(thing.get("label", "")) < 1000
    svg = run(require("test"), dot, "svg", "test").decode()
    assert "<img" not in svg
    assert "<b>" not in svg
    assert "\x07" not in svg
    assert "&lt;&lt;b&gt;html&lt;/b&gt;&gt;" in svg
    # Backslash sequences that Graphviz would replace by the names of things.
    assert "\\N \\G \\l \\n" in svg


def test_dark_and_bitmaps() -> None:
    assert "#16181d" in to_dot(samples.classifier(), theme="dark")
    plain = to_dot(samples.broken(), rare_signs=False, dpi=144)
    assert "\u2717" not in plain
    assert "dpi=144" in plain


def test_unknown_theme() -> None:
    refused(lambda: to_dot(samples.broken(), theme="pink"), "invalid-argument", builtin=ValueError)


def test_missing_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "graphviz", None)
    refused(
        lambda: to_dot(samples.broken()),
        "missing-extra",
        "pip install 'gradviz-lab[lab]'",
        builtin=ImportError,
    )


def test_empty_and_deep() -> None:
    from gradviz.graph.graph import Graph

    assert to_dot(Graph((), (), (), ())).startswith("digraph")
    assert "more operations" in to_dot(samples.chain(3000))
