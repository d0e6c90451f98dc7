"""The exported page: the explorer in one file, without a kernel, without a network."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.bench.explorer import network
from tests.render import samples
from tests.ui.browser import artifacts

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    from gradviz.graph.graph import Graph

PLACED = ("data-state", "placed")


@pytest.fixture
def offline(browser: Browser, front_end: Path) -> Iterator[Page]:
    """A page that may load files and nothing else."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.route(lambda url: not url.startswith("file:"), lambda route: route.abort())
    page = context.new_page()
    page.set_default_timeout(20_000)
    yield page
    context.close()


def export(page: Page, graph: Graph, folder: Path) -> list[str]:
    """Opens a graph's page; returns what the page complains about."""
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on(
        "console",
        lambda message: complaints.append(message.text) if message.type == "error" else None,
    )
    graph.save(folder / "graph.html")
    page.goto((folder / "graph.html").as_uri())
    expect(page.locator(".gradviz-stage")).to_have_attribute(*PLACED)
    return complaints


def test_problems_and_the_path_of_a_lost_gradient(offline: Page, tmp_path: Path) -> None:
    complaints = export(offline, samples.broken(), tmp_path)
    expect(offline.locator(".gradviz-tally").first).to_be_visible()
    offline.locator(".gradviz-node", has_text="w").first.click()
    expect(offline.locator(".gradviz-details h3")).to_have_text("w")
    offline.get_by_role("button", name="Why no gradient?").click()
    expect(offline.locator(".gradviz-isolation")).to_contain_text("only the path from w")
    expect(offline.locator(".gradviz-link-cut .gradviz-cut-text")).to_contain_text("detach")
    offline.locator(".gradviz-canvas").focus()
    offline.keyboard.press("Escape")
    expect(offline.locator(".gradviz-isolation")).to_have_count(0)
    offline.screenshot(path=artifacts() / "export.png")
    assert complaints == []


def test_large_graphs_fold_unfold_and_are_placed_in_a_worker(offline: Page, tmp_path: Path) -> None:
    complaints = export(offline, network(3000), tmp_path)
    expect(offline.locator(".gradviz-counts")).to_contain_text("in view")
    offline.get_by_label("Unfold everything").click()
    expect(offline.locator(".gradviz-stage")).to_have_attribute(*PLACED)
    expect(offline.locator(".gradviz-counts")).not_to_contain_text("in view")
    offline.locator(".gradviz-canvas").press("h")
    expect(offline.locator(".gradviz-counts")).to_contain_text("in view")
    assert complaints == [], "the page's policy lets its worker run"


def test_hostile_names_stay_text(offline: Page, tmp_path: Path) -> None:
    graph = samples.hostile()
    long = replace(graph.nodes[-1], name="</script><script>window.__hacked=1</script>" * 300)
    complaints = export(offline, replace(graph, nodes=(*graph.nodes[:-1], long)), tmp_path)
    assert offline.evaluate("() => window.__hacked === undefined")
    assert (
        offline.locator(".gradviz img, .gradviz script, .gradviz b, .gradviz iframe").count() == 0
    )
    assert complaints == []


def test_without_scripts_the_picture_is_there(
    browser: Browser, front_end: Path, tmp_path: Path
) -> None:
    samples.broken().save(tmp_path / "graph.html")
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((tmp_path / "graph.html").as_uri())
    expect(page.locator("figure svg").first).to_be_visible()
    context.close()
