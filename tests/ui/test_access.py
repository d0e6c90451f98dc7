"""Whoever looks: axe's rules, high contrast, a narrow column, the keyboard alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from gradviz.graph.message import message_of
from tests.bench.explorer import network
from tests.ui import axe, samples
from tests.ui.bare import draw
from tests.ui.browser import artifacts

if TYPE_CHECKING:
    from playwright.sync_api import Page

DARK = "body { background: #111318; color: #e7e9ee }"
PLACED = ("data-state", "placed")


def violations(page: Page) -> list[str]:
    """What axe finds in the view."""
    axe.load(page)
    found: list[dict[str, Any]] = page.evaluate(
        "async () => (await axe.run('.gradviz', {resultTypes: ['violations']})).violations"
    )
    return [
        f"{item['id']}: {node['html'][:140]} {node['failureSummary'][:200]}"
        for item in found
        for node in item["nodes"][:3]
    ]


def go_up_to_something_folded(page: Page) -> None:
    """From what has the focus, the root at first, upwards by the keyboard."""
    for _ in range(40):
        if page.locator(".gradviz-folded.gradviz-focused").count():
            break
        page.locator(".gradviz-canvas").press("ArrowUp")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_in_any_tab(page: Page, theme: str) -> None:
    errors = draw(page, samples.broken(), css=DARK if theme == "dark" else "")
    for tab in ("problems", "details", "outline"):
        page.locator(f".gradviz-tab-{tab}").click()
        page.wait_for_timeout(250)
        assert violations(page) == []
    page.get_by_label("Legend").click()
    assert violations(page) == []
    assert errors == []


def test_axe_finds_nothing_in_a_folded_graph(page: Page) -> None:
    errors = draw(page, message_of(network(3000)))
    expect(page.locator(".gradviz-stage")).to_have_attribute(*PLACED)
    page.locator(".gradviz-tab-outline").click()
    assert violations(page) == []
    page.locator(".gradviz-node.gradviz-folded").first.dispatch_event("click")
    page.locator(".gradviz-tab-details").click()
    assert violations(page) == []
    assert errors == []


def test_high_contrast_keeps_every_sign(page: Page) -> None:
    page.emulate_media(forced_colors="active")
    errors = draw(page, samples.broken())
    page.wait_for_timeout(250)
    box = page.locator(".gradviz-node .gradviz-box").first
    assert box.evaluate("e => getComputedStyle(e).stroke") != "none"
    page.locator(".gradviz").screenshot(path=artifacts() / "widget-high-contrast.png")
    assert errors == []


def test_everything_by_keyboard(page: Page) -> None:
    errors = draw(page, message_of(network(3000)))
    expect(page.locator(".gradviz-stage")).to_have_attribute(*PLACED)
    counts = page.locator(".gradviz-counts")
    first = counts.inner_text()
    canvas = page.locator(".gradviz-canvas")
    canvas.focus()
    # From the root upwards to something folded; Space unfolds it, Backspace folds it again.
    go_up_to_something_folded(page)
    expect(page.locator(".gradviz-folded.gradviz-focused")).to_have_count(1)
    canvas.press("Space")
    expect(counts).not_to_have_text(first)
    expect(page.locator(".gradviz-node.gradviz-focused")).to_have_count(1)
    canvas.press("Backspace")
    expect(counts).to_have_text(first)
    canvas.press("?")
    expect(page.locator(".gradviz-legend")).to_be_visible()
    canvas.press("?")
    canvas.press("Home")
    canvas.press("d")
    expect(page.locator(".gradviz-isolation")).to_be_visible()
    canvas.press("Escape")
    expect(page.locator(".gradviz-isolation")).to_have_count(0)
    canvas.press("/")
    expect(page.locator(".gradviz-search")).to_be_focused()
    assert errors == []


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 1700])
def test_folded_graphs_at_both_widths(page: Page, width: int, theme: str) -> None:
    errors = draw(page, message_of(network(3000)), css=DARK if theme == "dark" else "", width=width)
    expect(page.locator(".gradviz-stage")).to_have_attribute(*PLACED)
    page.wait_for_timeout(300)
    overflow = page.evaluate("() => document.documentElement.scrollWidth - window.innerWidth")
    assert overflow <= 0, "nothing sticks out of the page"
    page.locator(".gradviz").screenshot(path=artifacts() / f"folded-{theme}-{width}.png")
    assert errors == []


def test_unfolding_moves_nothing_above(page: Page) -> None:
    page.emulate_media(reduced_motion="reduce")
    errors = draw(page, message_of(network(3000)))
    expect(page.locator(".gradviz-stage")).to_have_attribute(*PLACED)
    canvas = page.locator(".gradviz-canvas")
    canvas.focus()
    go_up_to_something_folded(page)
    canvas.press("ArrowUp")
    canvas.press("ArrowDown")
    places = """() => Object.fromEntries([...document.querySelectorAll('.gradviz-node:not(.gradviz-form-alias)')]
        .map(e => [e.getAttribute('aria-label'), [e.getBoundingClientRect().x, e.getBoundingClientRect().y]]))"""
    before = page.evaluate(places)
    y = page.locator(".gradviz-folded.gradviz-focused").evaluate("e => e.getBoundingClientRect().y")
    canvas.press("Space")
    after = page.evaluate(places)
    above = [k for k, (_, top) in before.items() if top < y - 1 and k in after]
    assert above, "something stands above"
    for key in above:
        dx = after[key][0] - before[key][0]
        dy = after[key][1] - before[key][1]
        assert abs(dy) < 1, (key, dx, dy)
    assert errors == []
