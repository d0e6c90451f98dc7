"""Pages: one file, nothing to fetch, one script to run where it was built, everything said."""

from __future__ import annotations

import base64
import hashlib
import json
import linecache
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest

from gradviz.graph.graph import Graph
from gradviz.render import page as pages
from gradviz.render import program
from gradviz.render.html import to_html
from tests.render import samples

VOID = {"meta", "br", "img", "hr"}


class Reader(HTMLParser):
    """Checks nesting and collects what matters."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def read(page: str) -> Reader:
    reader = Reader()
    reader.feed(page)
    assert reader.open == []
    assert not {"script", "link", "iframe", "img", "object"} & set(reader.tags)
    for name, value in reader.attributes:
        assert not name.startswith("on")
        if name in ("href", "src"):
            assert value is not None
            assert value.startswith("#n")
    return reader


@pytest.fixture(autouse=True)
def bundle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The place of the script; nothing was built unless a test puts something there."""
    path = tmp_path / "page.js"
    monkeypatch.setattr(pages, "BUNDLE", path)
    return path


@pytest.fixture
def source() -> Iterator[None]:
    linecache.cache["train.py"] = (
        len(samples.CELL),
        None,
        samples.CELL.splitlines(True),
        "train.py",
    )
    yield
    del linecache.cache["train.py"]


@pytest.mark.usefixtures("source")
def test_the_page_of_a_broken_graph() -> None:
    page = to_html(samples.broken())
    text = read(page).text
    for wanted in (
        "Gradient graph of loss", "5 tensors, 5 edges, 3 problems", "1. No tracked tensor feeds this root",
        "untracked-root", "it begins here", "What to do.", "Keep the path: drop .detach()",
        "verified by running it", "mul(w, rhs=3.0)", "\u2717 fails",
    ):  # fmt: skip
        assert wanted in text
    assert page.count("<svg") == 2
    assert "prefers-color-scheme: dark" in page
    assert 'lang="en"' in page


def test_hostile_texts_stay_text() -> None:
    reader = read(to_html(samples.hostile()))
    assert samples.HOSTILE[0] in reader.text
    assert "\x07" not in reader.text


def test_without_graphviz_the_listing_stands_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "find", lambda: None)
    page = to_html(samples.broken())
    assert "<svg" not in page
    assert "h = detach(%2)" in read(page).text
    assert "pip install" in page


def test_large_and_empty() -> None:
    page = to_html(samples.chain(5000))
    assert "2,000 of 5,000 tensors" in page
    assert "0 tensors" in read(to_html(Graph((), (), (), ()))).text


def test_the_one_script_and_the_message(bundle: Path) -> None:
    code = "document.title = '\u2207 <b>&amp;</b>';\n"
    bundle.write_text(code, encoding="utf-8")
    page = to_html(samples.hostile())
    scripts = re.findall(r"<script([^>]*)>(.*?)</script>", page, re.DOTALL)
    (kind, message), (plain, run) = scripts
    assert len(re.findall("<script", page, re.IGNORECASE)) == 2
    assert kind == ' type="application/json" id="gradviz-message"'
    assert (plain, run) == ("", code)
    assert not set("<>&") & set(message)
    names = [node["name"] for node in json.loads(message)["nodes"]]
    assert samples.HOSTILE[0] in names
    digest = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in page
    assert page.index("Content-Security-Policy") < page.index("<script")


@pytest.mark.parametrize("code", ["a = '</SCRIPT>'", "a = '<!--'"])
def test_a_script_that_would_not_stand_between_tags_is_left_out(bundle: Path, code: str) -> None:
    bundle.write_text(code, encoding="utf-8")
    read(to_html(samples.broken()))
