"""A training loop that runs, followed in the side panel and in a tab of JupyterLab."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from tests.ui.browser import artifacts
from tests.ui.lab import LabPage, code_cell, write_notebook
from tests.ui.programs import training_until

SOON = 30_000
"""Milliseconds in which a loop has gone on, on a machine that has other things to do."""


@pytest.fixture
def stop(lab: LabPage, tmp_path: Path) -> Iterator[Path]:
    """The file that ends the loop, which is running and shown in the side panel."""
    file = tmp_path / "stop"
    write_notebook(lab.server.root / "follow.ipynb", [code_cell(training_until(file), id="a")])
    lab.open("follow.ipynb")
    lab.begin_cell(0)
    lab.explorer(0).get_by_role("button", name="Open in the side panel").click()
    yield file
    file.touch()


def history(view: Locator) -> Locator:
    """The history of a view, opened in its pane."""
    view.locator(".gradviz-tab-history").click()
    return view.locator(".gradviz-history")


def steps(shown: Locator) -> int:
    """How many steps it tells of."""
    text = shown.locator("p").first.text_content() or ""
    found = re.match(r"([\d,]+) step", text)
    assert found is not None, text
    return int(found[1].replace(",", ""))


def goes_on(shown: Locator) -> None:
    """Waits for two redrawings."""
    for _ in range(2):
        before = steps(shown)
        expect(shown.locator("p").first).not_to_have_text(
            re.compile(rf"^{before:,} step"), timeout=SOON
        )
        assert steps(shown) > before


def in_panel(lab: LabPage, selector: str, expression: str) -> Any:
    """Something of the element `e`, found and asked in one go: the next moment another is there."""
    script = f"selector => {{ const e = document.querySelector(selector); return {expression}; }}"
    return lab.page.evaluate(script, f"#gradviz-panel {selector}")


def drawn_anew(lab: LabPage) -> None:
    """Waits until another drawing is in the panel."""
    in_panel(lab, ".gradviz-search", "(e.old = true)")
    lab.page.wait_for_function("!document.querySelector('#gradviz-panel .gradviz-search').old")


def is_running(lab: LabPage) -> bool:
    return lab.cell(0).locator(".jp-InputPrompt").text_content() == "[*]:"


def test_the_panel_follows_the_loop_and_stays_where_somebody_is(lab: LabPage, stop: Path) -> None:
    view = lab.panel.locator(".gradviz-side-view")
    shown = history(view)
    goes_on(shown)
    expect(shown.locator(".gradviz-step-count")).to_contain_text("(latest)")
    # Somebody goes back to the first step, by keyboard: the loop goes on, the step stays.
    slider = shown.get_by_label("Step of the run")
    slider.focus()
    slider.press("Home")
    expect(shown.locator(".gradviz-step-count")).to_contain_text("Step 0:")
    goes_on(shown)
    expect(shown.locator(".gradviz-step-count")).to_contain_text("Step 0:")
    expect(slider).to_be_focused()
    slider.press("End")
    goes_on(shown)
    expect(shown.locator(".gradviz-step-count")).to_contain_text("(latest)")
    lab.page.screenshot(path=artifacts() / "panel-loop.png")
    # What is scrolled to and what is typed stays as well.
    down = in_panel(lab, ".gradviz-pane-body", "e.scrollTop = e.scrollHeight, e.scrollTop")
    assert down > 20, "the pane of a narrow panel can be scrolled"
    goes_on(shown)
    assert abs(in_panel(lab, ".gradviz-pane-body", "e.scrollTop") - down) < 20
    view.locator(".gradviz-search").fill("linear")
    goes_on(history(lab.explorer(0)))
    expect(view.locator(".gradviz-search")).to_have_value("linear")
    expect(view.locator(".gradviz-found-count")).to_have_text("2 found")
    expect(view.get_by_role("treeitem")).to_have_count(2)
    # And what is marked there: the key that follows takes it away, whatever was drawn in between.
    in_panel(lab, ".gradviz-search", "(e.focus(), e.select())")
    drawn_anew(lab)
    mark = "[e.selectionStart, e.selectionEnd].join()"
    assert in_panel(lab, ".gradviz-search", mark) == "0,6"
    lab.page.keyboard.press("Delete")
    goes_on(shown)
    expect(view.locator(".gradviz-search")).to_have_value("")
    assert is_running(lab)
    # The kernel is there for questions all the while, and the loop ends as it would have.
    view.locator(".gradviz-tab-gradients").click()
    expect(view.locator(".gradviz-leaves tbody tr")).to_have_count(4)
    shown = history(view)
    assert is_running(lab)
    stop.touch()
    expect(lab.cell(0).locator(".jp-InputPrompt")).not_to_have_text("[*]:", timeout=SOON)
    last = lab.outputs(0)[-1]["text"].split()[-1]
    expect(shown.locator("p").first).to_contain_text(re.compile(rf"^{int(last):,} steps"))
    expect(history(lab.explorer(0)).locator("p").first).to_contain_text(f"{int(last):,} steps")
    kinds = [item["output_type"] for item in lab.outputs(0)]
    assert kinds == ["display_data", "stream"], kinds
    assert lab.errors == []


def test_what_is_dragged_is_not_taken_from_the_hand(lab: LabPage, stop: Path) -> None:
    in_cell = history(lab.explorer(0))
    shown = history(lab.panel.locator(".gradviz-side-view"))
    goes_on(shown)
    left, right, middle = (
        in_panel(lab, ".gradviz-scrub", f"e.getBoundingClientRect().{side}")
        for side in ("left", "right", "bottom - e.offsetHeight / 2")
    )
    mouse = lab.page.mouse
    mouse.move(right - 6, middle)
    mouse.down()
    mouse.move((left + right) / 2, middle, steps=4)
    held = steps(shown)
    goes_on(in_cell)
    assert steps(in_cell) > held
    assert steps(shown) == held, "nothing moves under the hand"
    mouse.move(left + 6, middle, steps=4)
    expect(shown.locator(".gradviz-step-count")).to_contain_text("Step 0:")
    mouse.up()
    goes_on(shown)
    expect(shown.locator(".gradviz-step-count")).to_contain_text("Step 0:")
    # Nor a word from the input method that writes it.
    in_panel(
        lab, ".gradviz-search", "e.dispatchEvent(new Event('compositionstart', { bubbles: true }))"
    )
    held = steps(shown)
    goes_on(in_cell)
    assert steps(shown) == held
    in_panel(
        lab, ".gradviz-search", "e.dispatchEvent(new Event('compositionend', { bubbles: true }))"
    )
    goes_on(shown)
    assert lab.errors == []


def test_a_tab_follows_too_and_what_is_hidden_does_not(lab: LabPage, stop: Path) -> None:
    view = lab.panel.locator(".gradviz-side-view")
    goes_on(history(view))
    view.get_by_role("button", name="Open in a tab").click()
    tab = lab.page.locator(".gradviz-tab-view")
    shown = history(tab)
    goes_on(shown)
    lab.execute("application:toggle-right-area")
    expect(lab.panel).not_to_be_visible()
    drawn = view.locator(".gradviz").first
    drawn.evaluate("e => { e.kept = true }")
    goes_on(shown)
    assert drawn.evaluate("e => e.kept"), "out of sight, nothing is drawn"
    lab.execute("gradviz:show-panel")
    goes_on(view.locator(".gradviz-history"))
    assert is_running(lab)
    assert lab.errors == []
