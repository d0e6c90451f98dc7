"""The path between two nodes that were chosen: by button, by key, and by Shift and a click."""

from __future__ import annotations

from playwright.sync_api import expect

import gradviz as gv
from gradviz.graph.graph import Graph
from tests.ui import axe
from tests.ui.browser import artifacts
from tests.ui.conftest import Open


def branching() -> Graph:
    start = gv.tensor([1.0, 2.0], requires_grad=True, name="start")
    middle = (start * 2.0).tanh()
    aside = (start + 1.0).exp()
    return gv.graph((middle.sqrt() + aside).sum(), title="branching")


def test_a_path_is_begun_at_one_node_and_ended_at_another(opened: Open) -> None:
    page = opened(branching())
    actions, narrowed = page.locator(".gradviz-actions"), page.locator(".gradviz-isolation")
    page.locator(".gradviz-node", has_text="sqrt").click()
    actions.get_by_role("button", name="Path from here").click()
    expect(actions.get_by_role("status")).to_have_text("Now select the other end.")
    expect(narrowed).to_have_text("path from sqrt to …")
    page.locator(".gradviz-node", has_text="start").first.click()
    page.screenshot(path=artifacts() / "page-path-chosen.png")
    assert axe.serious(page) == []
    actions.get_by_role("button", name="Path from sqrt").click()
    expect(narrowed).to_have_text("only the path from start to sqrt")
    for op, times in (("tanh", 1), ("exp", 0), ("sum", 0)):
        expect(page.locator(".gradviz-node", has_text=op)).to_have_count(times)
    page.screenshot(path=artifacts() / "page-path-between.png")


def test_keys_and_shift_do_the_same(opened: Open) -> None:
    page = opened(branching())
    narrowed, canvas = page.locator(".gradviz-isolation"), page.locator(".gradviz-canvas")
    page.locator(".gradviz-node", has_text="aside").click()
    canvas.press("s")
    expect(narrowed).to_have_text("path from aside to …")
    canvas.press("Escape")
    expect(narrowed).to_have_count(0)
    canvas.press("s")
    page.locator(".gradviz-node", has_text="start").first.click()
    canvas.press("s")
    expect(narrowed).to_have_text("only the path from start to aside")
    canvas.press("Escape")
    expect(narrowed).to_have_count(0)
    page.locator(".gradviz-node", has_text="aside").click()
    page.locator(".gradviz-node", has_text="middle").click(modifiers=["Shift"])
    expect(page.locator(".gradviz-hint")).to_contain_text("No path leads between aside and middle")
    expect(narrowed).to_have_count(0)
    page.locator(".gradviz-node", has_text="sum").click(modifiers=["Shift"])
    expect(narrowed).to_have_text("only the path from aside to sum")
