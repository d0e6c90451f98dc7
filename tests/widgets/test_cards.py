"""Cards: safe HTML, plain text, and the message JupyterLab draws."""

from __future__ import annotations

import linecache
from html.parser import HTMLParser

import pytest

from gradviz.core.source import SourceSpan
from gradviz.errors.problem import Fix, Problem, SourceEdit
from gradviz.graph.model import MIME_TYPE
from gradviz.graph.view import problem_view
from gradviz.render.card import picture
from gradviz.render.markup import prose
from gradviz.widgets import cells
from gradviz.widgets.cards import error_bundle, error_html
from gradviz.widgets.display import graph_bundle
from tests.ui import samples

NAME = "/cells/for-cards.py"
SOURCE = "%matplotlib inline\nh = (w * 3).detach()\nloss = (h * h).sum()\n"
TRANSLATED = "get_ipython().run_line_magic('matplotlib', 'inline')\n" + SOURCE.split("\n", 1)[1]


class Tags(HTMLParser):
    """Collects what a page would really hold."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag != "img":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def parse(html: str) -> Tags:
    tags = Tags()
    tags.feed(html)
    assert tags.open == []
    return tags


@pytest.fixture
def problem() -> Problem:
    linecache.cache[NAME] = (len(TRANSLATED), None, TRANSLATED.splitlines(keepends=True), NAME)
    cells.remember(NAME, cells.Cell("cell-id", 7, SOURCE))
    edit = SourceEdit(NAME, 2, 4, 2, 20, "(w * 3).detach()", "w * 3")
    return Problem(
        slug="untracked-root",
        severity="error",
        message="No tracked tensor feeds this root",
        reason="h was detached.",
        facts=(("operation", "sum"),),
        advice="Drop the detach.",
        where=SourceSpan(NAME, 3, 7, 3, 20, "(h * h).sum()"),
        cause=SourceSpan(NAME, 2, 4, 2, 20, "(w * 3).detach()"),
        fixes=(Fix("Drop .detach()", "It stays connected.", (edit,), verified=True),),
    )


def test_the_bundle_has_every_form(problem: Problem) -> None:
    bundle = error_bundle(problem)
    message = bundle[MIME_TYPE]
    assert (message["schema"], message["type"]) == (1, "card")
    assert message["problem"]["where"]["label"] == "In [7]"
    assert message["problem"]["where"]["cell"] == "cell-id"
    assert message["facts"] == [["operation", "sum"]]
    assert bundle["text/plain"].split("\n")[0] == problem.message
    for text in ("In [7], line 3", "it begins here", "Drop the detach.", "w * 3", "Drop .detach()"):
        assert text in bundle["text/html"]
    parse(bundle["text/html"])


def test_fixes_patch_the_cell_as_typed_not_as_translated(problem: Problem) -> None:
    fix = error_bundle(problem)[MIME_TYPE]["problem"]["fixes"][0]
    assert fix["patched"] == SOURCE.replace("(w * 3).detach()", "w * 3")
    assert "%matplotlib" in fix["diff"]
    assert fix["edits"][0]["cell"] == "cell-id"


def test_a_fix_for_a_text_that_is_gone_is_left_out(problem: Problem) -> None:
    cells.remember(NAME, cells.Cell("cell-id", 8, "something else"))
    linecache.cache[NAME] = (4, None, ["else"], NAME)
    assert problem_view(problem).fixes == ()


def test_hostile_text_is_inert_everywhere() -> None:
    for text in samples.HOSTILE:
        span = SourceSpan(text, 1, 0, 1, 5, text)
        fix = Fix(text, text, (), verified=False)
        bundle = error_bundle(
            Problem(text, "warning", text, text, ((text, text),), text, span, span, (), (fix,))
        )
        html = bundle["text/html"]
        tags = parse(html)
        assert tags.tags <= {"div", "span", "p", "pre", "code", "strong"}, tags.tags
        assert tags.attributes <= {"style", "role", "aria-label"}
        assert not any(mark in html for mark in "\u202e\x07\x00\x1b")
        assert len(html) < 100_000


def test_pictures_are_inert_images() -> None:
    html = picture("<svg><script>x</script></svg>", 'a "quoted" <name>')
    tags = parse(html)
    assert tags.tags == {"img"}
    assert html.startswith("<img ") and "data:image/svg+xml;base64," in html
    assert set(graph_bundle(samples.broken(), "<svg/>", "t")) == {
        MIME_TYPE,
        "text/html",
        "text/plain",
    }


def test_words_between_backticks_are_code() -> None:
    html = prose("call `<b>` on `x")
    assert "&lt;b&gt;</code>" in html
    assert html.endswith(" on `x")
    parse(html)


def test_one_place_is_shown_once() -> None:
    view = samples.card()
    alone = error_html(view)
    assert "it shows here" in alone and "it begins here" in alone
