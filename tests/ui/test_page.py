"""Exported pages, opened from disk: the explorer without a kernel, a server or a network."""

from __future__ import annotations

import linecache
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

import gradviz as gv
from gradviz.graph.graph import Graph
from tests.render import samples
from tests.ui import axe
from tests.ui.browser import artifacts
from tests.ui.conftest import Open


@pytest.fixture
def source() -> Iterator[None]:
    """The file the sample's fixes are for."""
    lines = samples.CELL.splitlines(True)
    linecache.cache["train.py"] = (len(samples.CELL), None, lines, "train.py")
    yield
    del linecache.cache["train.py"]


def network() -> Graph:
    layers = [gv.nn.Linear(6, 6) if at % 2 == 0 else gv.nn.ReLU() for at in range(40)]
    return gv.graph((gv.nn.Sequential(*layers)(gv.ones((3, 6))) ** 2).mean(), title="network")


@pytest.mark.usefixtures("source")
def test_problems_and_fixes_are_shown_and_copied(opened: Open) -> None:
    page = opened(samples.broken(), permissions=["clipboard-read", "clipboard-write"])
    expect(page.locator(".still")).to_be_hidden()
    expect(page.locator(".gradviz-problem .gradviz-slug")).to_have_text("untracked-root")
    fix = page.locator(".gradviz-fix").first
    expect(fix.locator(".gradviz-diff-add")).to_contain_text("h = w * 3")
    assert fix.get_by_role("button", name="Apply").count() == 0
    fix.get_by_role("button", name="Copy patched code").click()
    expect(fix.locator(".gradviz-fix-message")).to_contain_text("Copied")
    patched = page.evaluate("() => navigator.clipboard.readText()")
    assert patched == samples.CELL.replace("(w * 3).detach()", "w * 3")
    page.locator(".gradviz-canvas").focus()
    page.keyboard.press("n")
    expect(page.locator(".gradviz-problem .gradviz-slug")).to_have_text("leaf-not-reached")


def test_the_path_of_a_lost_gradient(opened: Open) -> None:
    page = opened(samples.broken())
    page.locator(".gradviz-node", has_text="w").first.click()
    expect(page.locator(".gradviz-details h3")).to_have_text("w")
    page.get_by_role("button", name="Why no gradient?").click()
    expect(page.locator(".gradviz-isolation")).to_contain_text("only the path from w")
    expect(page.locator(".gradviz-link-cut .gradviz-cut-text")).to_contain_text("detach")
    page.screenshot(path=artifacts() / "page-why.png")
    page.locator(".gradviz-canvas").focus()
    page.keyboard.press("Escape")
    expect(page.locator(".gradviz-isolation")).to_have_count(0)


def test_folding_searching_and_walking_by_keyboard(opened: Open) -> None:
    page = opened(network())
    nodes = page.locator(".gradviz-node")
    page.get_by_role("button", name="Unfold everything").click()
    expect(page.locator(".gradviz-folded")).to_have_count(0)
    whole = nodes.count()
    page.get_by_role("button", name="Fold as at first").click()
    expect(page.locator(".gradviz-folded").first).to_be_visible()
    assert nodes.count() < whole
    page.locator(".gradviz-search").fill("relu")
    expect(page.locator(".gradviz-found-count")).to_have_text("20 found")
    page.keyboard.press("Enter")
    page.locator(".gradviz-tab-details").click()
    expect(page.locator(".gradviz-details h3")).to_contain_text("relu")
    page.locator(".gradviz-search").fill("")
    page.locator(".gradviz-canvas").focus()
    before = page.locator(".gradviz-canvas").get_attribute("aria-activedescendant")
    page.keyboard.press("ArrowUp")
    expect(page.locator(".gradviz-canvas")).not_to_have_attribute("aria-activedescendant", before)


def test_a_large_graph_is_placed_in_a_worker_or_without_one(opened: Open) -> None:
    x = gv.tensor([1.0], requires_grad=True)
    for step in range(1200):
        x = x * 1.001 if step % 3 else x + 1.0
    page = opened(gv.graph(x.sum()))
    page.get_by_role("button", name="Unfold everything").click()
    expect(page.locator(".gradviz-counts")).to_contain_text("1,20")
    expect(page.locator(".gradviz-node").first).to_be_visible()
    page.locator(".gradviz-canvas").press("h")
    expect(page.locator(".gradviz-counts")).to_contain_text("in view")


def test_hostile_names_stay_text(opened: Open) -> None:
    graph = samples.hostile()
    long = replace(graph.nodes[-1], name="</script><script>window.hacked=1</script>" * 300)
    page = opened(replace(graph, nodes=(*graph.nodes[:-1], long)))
    page.locator(".gradviz-tab-outline").click()
    assert page.locator(".gradviz img, .gradviz b, iframe").count() == 0
    assert page.locator("script").count() == 2
    assert page.evaluate("() => window.hacked === undefined && window.__hacked === undefined")


@pytest.mark.usefixtures("source")
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 1280])
def test_both_themes_and_widths(opened: Open, theme: str, width: int) -> None:
    viewport = {"width": width, "height": 800}
    page = opened(samples.broken(), color_scheme=theme, viewport=viewport)
    root = page.locator(".gradviz")
    expect(root).to_have_attribute("data-gradviz-theme", theme)
    box = root.bounding_box()
    assert box is not None
    assert (round(box["width"]), round(box["height"])) == (width, 800), "it fills the window"
    assert page.evaluate("() => document.documentElement.scrollWidth <= window.innerWidth")
    stage = page.locator(".gradviz-stage").bounding_box()
    assert stage is not None
    assert stage["height"] > 200
    page.screenshot(path=artifacts() / f"page-{theme}-{width}.png")


@pytest.mark.usefixtures("source")
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_serious(opened: Open, theme: str) -> None:
    for graph in (samples.broken(), network()):
        page = opened(graph, color_scheme=theme)
        expect(page.locator(".gradviz-node").first).to_be_visible()
        assert axe.serious(page) == []


@pytest.mark.usefixtures("source")
def test_printed_and_without_scripts_it_is_the_still_picture(opened: Open) -> None:
    printed = opened(samples.broken())
    printed.emulate_media(media="print")
    still = opened(samples.broken(), java_script_enabled=False)
    for page in (printed, still):
        expect(page.locator(".gradviz")).not_to_be_visible()
        expect(page.locator(".for-light svg")).to_be_visible()
        expect(page.get_by_role("heading", name="Gradient graph of loss")).to_be_visible()
        expect(page.locator(".still .problem")).to_have_count(3)
        expect(page.locator(".still tbody tr")).to_have_count(5 + 2)
    printed.screenshot(path=artifacts() / "page-printed.png", full_page=True)


def test_a_message_that_cannot_be_drawn_leaves_the_still_picture(
    browser: Browser, front_end: Path, tmp_path: Path
) -> None:
    text = samples_page()
    (tmp_path / "g.html").write_text(text.replace('"schema":1', '"schema":'), encoding="utf-8")
    context = browser.new_context()
    page = context.new_page()
    page.goto((tmp_path / "g.html").as_uri())
    expect(page.locator(".for-light svg")).to_be_visible()
    assert page.locator(".gradviz").count() == 0
    context.close()


def samples_page() -> str:
    text: str = samples.broken().to_html()
    return text
