"""Files: the format by the ending, whole or not at all."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gradviz.errors import GradvizError, GradvizImportError
from gradviz.render import program
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


def test_pdf(tmp_path: Path) -> None:
    found = program.find()
    path = tmp_path / "graph.pdf"
    if found is not None and found.is_system:
        save(samples.broken(), path)
        assert path.read_bytes().startswith(b"%PDF")
    else:
        with pytest.raises(GradvizError, match="pdf needs"):
            save(samples.broken(), path)
        assert not path.exists()


def test_pdf_names_the_program_that_writes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program, "find", lambda: None)
    with pytest.raises(GradvizError, match="apt install graphviz"):
        save(samples.broken(), tmp_path / "graph.pdf")
