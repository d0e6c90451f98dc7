"""Loops, iterations, functions and cells in the explorer: in exported pages and in JupyterLab."""

from __future__ import annotations

import itertools
import re
import runpy
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

import gradviz as gv
from tests.ui import axe
from tests.ui.browser import artifacts
from tests.ui.conftest import Open
from tests.ui.lab import LabPage, code_cell, write_notebook
from tests.ui.programs import LOOPS

ALIKE = "recur() · for step in range(rounds)"
UNEVEN = "uneven() · for k in range(6)"


@pytest.fixture
def page(opened: Open, tmp_path: Path) -> Page:
    """The exported graph of a program with loops."""
    path = tmp_path / "loops.py"
    path.write_text("".join(LOOPS), encoding="utf-8")
    shown = opened(gv.graph(runpy.run_path(str(path))["loss"], title="loops"))
    expect(shown.locator(".gradviz-node").first).to_be_visible()
    return shown


KIND = r"(?:(?:loop|function|cell|repeated part) )?"


def titled(view: Page | Locator, pattern: str) -> Locator:
    """What a screen reader is told of an element: unlike what is drawn, it is never clipped."""
    page = view.page if isinstance(view, Locator) else view
    return page.locator("title", has_text=re.compile(pattern))


def box(view: Page | Locator, title: str) -> Locator:
    """A folded box."""
    said = titled(view, rf"^{KIND}{re.escape(title)},")
    return view.locator(".gradviz-folded", has=said)


def frame(view: Page | Locator, title: str) -> Locator:
    """The head of what is unfolded."""
    said = titled(view, rf"(?:^{KIND}|› ){re.escape(title)}: fold$")
    return view.locator(".gradviz-band-head", has=said)


def crumbs(view: Page | Locator) -> list[str]:
    return view.locator(".gradviz-crumb").all_text_contents()


def focused(page: Page) -> str:
    """What a screen reader would be told has the focus in the picture."""
    said: str = page.evaluate(
        """() => {
            const svg = document.querySelector('.gradviz-canvas');
            const active = document.getElementById(svg.getAttribute('aria-activedescendant'));
            return active?.getAttribute('aria-label') ?? active?.textContent ?? '';
        }"""
    )
    return said


def test_a_loop_is_one_box_with_its_number_and_unfolds_to_its_iterations(page: Page) -> None:
    expect(frame(page, ALIKE).locator(".gradviz-band-times")).to_have_text("×24")
    frame(page, ALIKE).dispatch_event("click")
    loop = box(page, ALIKE)
    expect(loop).to_have_count(1)
    expect(loop).to_contain_text("×24")
    expect(loop).to_contain_text("4 operations each")
    details = page.locator(".gradviz-details")
    expect(details.locator("h3")).to_have_text(ALIKE)
    expect(details).to_contain_text("The same part occurs 24 times in a row and is shown once.")
    for op in ("matmul", "tanh", "mul", "add"):
        expect(details.locator(f"//dt[code='{op}']/following-sibling::dd[1]")).to_have_text("24")
    expect(details).to_contain_text("h @ w")
    page.screenshot(path=artifacts() / "groups-folded.png")

    # It unfolds to its first iteration and the others, these to each of them, and each to its call.
    details.get_by_role("button", name="Unfold").click()
    expect(frame(page, "iteration 1")).to_have_count(2)  # the other loop has one as well
    others = box(page, "the other 23 iterations")
    expect(others).to_contain_text("4 operations each")
    others.dblclick()
    expect(frame(page, "the other 23 iterations")).to_have_count(1)
    for number in (3, 13, 24):
        expect(box(page, f"iteration {number}").first).to_be_attached()
    thirteen = box(page, "iteration 13")
    thirteen.locator(".gradviz-opener").dispatch_event("click")
    expect(frame(page, "iteration 13")).to_have_count(1)
    box(page, "blend()").first.dispatch_event("click")
    expect(details.locator("h3")).to_have_text("blend()")
    assert crumbs(page) == ["loops", f"{ALIKE} ×24", "the other 23 iterations", "iteration 13"]
    details.get_by_role("button", name="Unfold").click()
    expect(frame(page, "blend()")).to_have_count(2)

    # Breadcrumbs fold again: what is inside goes with it.
    page.locator(".gradviz-crumb", has_text=ALIKE).click()
    expect(box(page, ALIKE)).to_have_count(1)
    expect(frame(page, "iteration 13")).to_have_count(0)
    assert crumbs(page) == ["loops"]


def test_a_loop_whose_rounds_differ_shows_which_one_does(page: Page) -> None:
    expect(frame(page, UNEVEN).locator(".gradviz-band-times")).to_have_count(0)
    expect(frame(page, "iterations 1–3").locator(".gradviz-band-times")).to_have_text("×3")
    for number in (4, 5, 6):
        expect(frame(page, f"iteration {number}")).to_have_count(1)
    frame(page, "iteration 4").dispatch_event("click")
    expect(box(page, "iteration 4")).to_contain_text("4 operations")
    page.locator(".gradviz-canvas").press("Space")
    expect(frame(page, "iteration 4")).to_have_count(1)


def test_what_is_searched_for_is_unfolded_where_it_is(page: Page) -> None:
    for loop in (ALIKE, UNEVEN):
        frame(page, loop).dispatch_event("click")
    expect(page.locator(".gradviz-band-head")).to_have_count(0)
    search = page.locator(".gradviz-search")
    search.fill("exp")
    expect(page.locator(".gradviz-found-count")).to_have_text("1 found")
    search.press("Enter")
    chosen = page.locator(".gradviz-node.gradviz-selected .gradviz-title")
    expect(chosen).to_have_text("exp")
    assert crumbs(page) == ["loops", UNEVEN, "iteration 4"]
    expect(box(page, ALIKE)).to_have_count(1)  # nothing else was unfolded
    search.fill("matmul")
    expect(page.locator(".gradviz-found-count")).to_have_text("24 found")
    # On from what is selected, and around the end: the first one, and the second.
    search.press("Enter")
    expect(chosen).to_have_text("matmul")
    assert crumbs(page) == ["loops", f"{ALIKE} ×24", "iteration 1", "blend()"]
    search.press("Enter")
    expect(page.locator(".gradviz-crumb").nth(3)).to_have_text("iteration 2")
    assert crumbs(page) == [
        "loops", f"{ALIKE} ×24", "the other 23 iterations", "iteration 2", "blend()",
    ]  # fmt: skip
    expect(chosen).to_have_text("matmul")
    expect(page.locator(".gradviz-node.gradviz-selected")).to_be_in_viewport()


def test_the_keyboard_alone_gets_everywhere(page: Page) -> None:
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("() => document.activeElement.classList.contains('gradviz-canvas')"):
            break
    expect(page.locator(".gradviz-canvas")).to_be_focused()
    page.keyboard.press("Home")
    for _ in range(20):
        if "matmul" in focused(page):
            break
        page.keyboard.press("ArrowDown")
    assert focused(page).startswith("matmul"), focused(page)
    for folded in ("function blend()", "iteration 1", f"loop {ALIKE}, 24 times"):
        page.keyboard.press("Backspace")
        assert focused(page).startswith(folded), focused(page)
        assert "folded" in focused(page)
    assert crumbs(page) == ["loops"]
    page.keyboard.press("Space")
    expect(frame(page, ALIKE)).to_have_count(1)
    # The first round opens with it; the others are further down.
    for _ in range(8):
        if "the other 23" in focused(page):
            break
        page.keyboard.press("ArrowDown")
    assert focused(page).startswith("the other 23 iterations, folded"), focused(page)
    page.keyboard.press("Enter")
    expect(page.locator(".gradviz-details h3")).to_have_text("the other 23 iterations")
    page.keyboard.press("Enter")
    expect(frame(page, "the other 23 iterations")).to_have_count(1)
    assert focused(page).startswith("iteration 2, folded"), focused(page)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Space")
    expect(frame(page, "iteration 3")).to_have_count(1)
    page.keyboard.press("h")
    expect(frame(page, "the other 23 iterations")).to_have_count(0)
    assert page.evaluate("() => document.activeElement.classList.contains('gradviz-canvas')")


def rows(view: Page | Locator) -> list[tuple[int, str | None, str]]:
    """The tree as it is told: level, whether unfolded, what."""
    found: list[list[object]] = view.get_by_role("treeitem").evaluate_all(
        """items => items.map(item => [Number(item.getAttribute('aria-level')), item.getAttribute('aria-expanded'),
            [...item.querySelectorAll('.gradviz-spoken')].at(-1).textContent])"""
    )
    return [(int(str(level)), state and str(state), str(said)) for level, state, said in found]


def test_the_tree_tells_the_same_as_the_picture(page: Page) -> None:
    page.locator(".gradviz-tab-outline").click()
    tree = page.get_by_role("tree")

    def agree() -> list[tuple[int, str | None, str]]:
        told = rows(page)
        unfolded = [said for _, state, said in told if state == "true"]
        folded = [said for _, state, said in told if state == "false"]
        expect(page.locator(".gradviz-band-head")).to_have_count(len(unfolded))
        expect(page.locator(".gradviz-folded")).to_have_count(len(folded))
        levels = [level for level, _, _ in told]
        assert levels[0] == 1
        assert all(after <= before + 1 for before, after in itertools.pairwise(levels))
        return told

    said = {text.split(", ")[0]: level for level, state, text in agree() if state is not None}
    assert said[f"loop {ALIKE}"] == 1
    assert said["function blend()"] == 3
    assert said["the other 23 iterations"] == 2
    loop = tree.get_by_role("treeitem", name=re.compile(re.escape(f"loop {ALIKE}")))
    expect(loop).to_contain_text("×24")
    loop.focus()
    page.keyboard.press("ArrowLeft")
    row = loop.bounding_box()
    assert row is not None
    assert row["height"] < 40, "a long name is clipped, and its number stands in one line"
    expect(loop).to_have_attribute("aria-expanded", "false")
    expect(loop).to_be_focused()
    expect(box(page, ALIKE)).to_have_count(1)
    agree()
    page.keyboard.press("ArrowRight")
    expect(loop).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("ArrowRight")
    first = tree.get_by_role("treeitem", name=re.compile("iteration 1,")).first
    expect(first).to_be_focused()
    # What is folded in the picture is folded in the tree.
    frame(page, UNEVEN).dispatch_event("click")
    uneven = tree.get_by_role("treeitem", name=re.compile(re.escape(UNEVEN)))
    expect(uneven).to_have_attribute("aria-expanded", "false")
    agree()
    assert axe.serious(page) == []


@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_cells_and_loops_in_the_notebook(lab: LabPage, theme: str) -> None:
    cells = [*LOOPS, "gv.explore(loss, title='loops')"]
    sources = [code_cell(text.rstrip("\n"), id=f"c{at}") for at, text in enumerate(cells)]
    write_notebook(lab.server.root / "groups.ipynb", sources)
    lab.open("groups.ipynb")
    lab.set_theme(f"JupyterLab {theme}")
    assert lab.run_all()
    view = lab.explorer(2)
    view.scroll_into_view_if_needed()
    # The graph stretches over two cells; the loops are all of what they hold, or nearly so.
    expect(frame(view, ALIKE).locator(".gradviz-band-times")).to_have_text("×24")
    heads = view.locator(".gradviz-band-head").all_text_contents()
    assert any(head.startswith("cell [2]: fold") for head in heads), heads
    view.locator(".gradviz-tab-outline").click()
    told = rows(view)
    assert (1, "true") in {(level, state) for level, state, said in told if "cell [2]" in said}
    frame(view, ALIKE).dispatch_event("click")
    expect(box(view, ALIKE)).to_contain_text("×24")
    view.screenshot(path=artifacts() / f"groups-lab-{theme.lower()}.png")
    search = view.locator(".gradviz-search")
    search.fill("exp")
    search.press("Enter")
    expect(view.locator(".gradviz-node.gradviz-selected .gradviz-title")).to_have_text("exp")
    search.fill("")
    path = crumbs(view)
    assert path[0] == "loops"
    assert path[-2:] == [UNEVEN, "iteration 4"], path
    canvas = view.locator(".gradviz-canvas")
    canvas.press("Backspace")
    expect(box(view, "iteration 4")).to_have_count(1)
    canvas.press("Backspace")
    expect(box(view, UNEVEN)).to_have_count(1)
    canvas.press("Space")
    expect(frame(view, UNEVEN)).to_have_count(1)
    canvas.press("h")
    expect(frame(view, ALIKE)).to_have_count(1)
    assert axe.serious(lab.page, ".gradviz") == []
    assert lab.errors == []
