"""Files: the format by the ending, whole or not at all."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import gradviz as gv
from gradviz.errors import GradvizError, GradvizImportError
from gradviz.render import pdf, program
from gradviz.render.save import save
from tests.asserting import refused
from tests.render import samples

STARTS = {
    "svg": b"<svg", "png": b"\x89PNG", "dot": b"digraph", "json": b"{", "html": b"<!DOCTYPE html>", "txt": b"loss:",
}  # fmt: skip


@pytest.mark.parametrize("ending", [*STARTS, "SVG"])
def test_formats(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"graph.{ending}"
    save(samples.broken(), path)
    assert path.read_bytes().startswith(STARTS[ending.lower()])
    assert [found.name for found in tmp_path.iterdir()] == [path.name]


def test_json_is_the_message(tmp_path: Path) -> None:
    save(samples.hostile(), str(tmp_path / "g.json"))
    message = json.loads((tmp_path / "g.json").read_text(encoding="utf-8"))
    assert message["schema"] == 1
    assert len(message["nodes"]) == len(samples.HOSTILE)


@pytest.mark.parametrize("name", ["graph", "graph.jpeg", "graph.svg.bak", ".svg"])
def test_unknown_endings(tmp_path: Path, name: str) -> None:
    refused(
        lambda: save(samples.broken(), tmp_path / name),
        "invalid-argument",
        ".svg, .png, .pdf",
        builtin=ValueError,
    )
    assert not list(tmp_path.iterdir())


def test_a_failure_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "graph.svg"
    path.write_text("old")
    monkeypatch.setattr(program, "find", lambda: None)
    with pytest.raises(GradvizImportError):
        save(samples.broken(), path)
    assert path.read_text() == "old"


def test_permissions_are_those_of_other_files(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("x")
    save(samples.broken(), tmp_path / "graph.txt")
    assert (tmp_path / "graph.txt").stat().st_mode == (tmp_path / "plain").stat().st_mode


@pytest.mark.parametrize("ending", ["svg", "dot"])
def test_large_graphs_are_folded_unless_told_otherwise(tmp_path: Path, ending: str) -> None:
    x = gv.tensor([1.0], requires_grad=True)
    for at in range(120):
        x = x * 1.01 if at % 7 else x.tanh()
    graph = gv.graph(x.sum())
    folded, whole = tmp_path / f"folded.{ending}", tmp_path / f"whole.{ending}"
    save(graph, folded)
    graph.save(whole, max_items=None)
    assert whole.stat().st_size > 2 * folded.stat().st_size
    for name in ("g.json", "g.html", "g.txt"):
        graph.save(tmp_path / name, max_items=5)  # they hold every node anyway
        assert len((tmp_path / name).read_text(encoding="utf-8")) > 1000


def test_pdf_of_the_systems_graphviz(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf, "system", lambda: program.Program("dot", True))
    monkeypatch.setattr(pdf, "run", lambda _, dot, form, __: f"%PDF {form} {len(dot)}".encode())
    save(samples.broken(), tmp_path / "graph.pdf")
    assert (tmp_path / "graph.pdf").read_bytes().startswith(b"%PDF pdf")


def test_pdf_without_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("fpdf", reason="fpdf2 isn't installed")
    monkeypatch.setattr(pdf, "system", lambda: None)
    path = tmp_path / "graph.pdf"
    graph = samples.broken()
    save(graph, path)
    plain = path.read_bytes()
    assert plain.startswith(b"%PDF")
    assert b"Helvetica" in plain
    names = tuple(replace(node, name="\u03b1\u0436") for node in graph.nodes)
    monkeypatch.setattr(pdf, "_fonts", lambda: (None, None))
    save(replace(graph, nodes=names), path)  # no font has them: a question mark stands there
    assert path.read_bytes().startswith(b"%PDF")
    save(samples.hostile(), path)
    assert path.read_bytes().startswith(b"%PDF")


def test_pdf_takes_fonts_with_more_signs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("fpdf", reason="fpdf2 isn't installed")
    if pdf._fonts()[0] is None:
        pytest.skip("no font with more than Latin letters was found")
    monkeypatch.setattr(pdf, "system", lambda: None)
    names = tuple(replace(node, name="\u03b1\u0436") for node in samples.broken().nodes)
    save(replace(samples.broken(), nodes=names), tmp_path / "graph.pdf")
    assert b"FontFile2" in (tmp_path / "graph.pdf").read_bytes()
    save(samples.hostile(), tmp_path / "graph.pdf")


def test_pdf_says_what_can_write_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf, "system", lambda: None)
    monkeypatch.setitem(sys.modules, "fpdf", None)
    with pytest.raises(GradvizError, match=r"(?s)pip install fpdf2.*apt install graphviz"):
        save(samples.broken(), tmp_path / "graph.pdf")
    assert not list(tmp_path.iterdir())
