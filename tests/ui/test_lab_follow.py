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
def ending(tmp_path: Path) -> Iterator[Path]:
    """The file that ends a loop, there at the latest when the test is over."""
    file = tmp_path / "stop"
    yield file
    file.touch()


@pytest.fixture
def stop(lab: LabPage, ending: Path) -> Path:
    """The file that ends the loop, which is running and shown in the side panel."""
    begin(lab, training_until(ending))
    return ending


def begin(lab: LabPage, program: str, below: str = "") -> None:
    """Runs a loop, and shows it in the side panel; what is below is run before."""
    cells = [code_cell(program, id="a"), code_cell(below, id="b")]
    write_notebook(lab.server.root / "follow.ipynb", cells)
    lab.open("follow.ipynb")
    lab.run_cell(1)
    lab.begin_cell(0)
    lab.explorer(0).get_by_role("button", name="Open in the side panel").click()


def end(lab: LabPage, stop: Path) -> None:
    """Ends the loop, and waits until it has ended."""
    stop.touch()
    expect(lab.cell(0).locator(".jp-InputPrompt")).not_to_have_text("[*]:", timeout=SOON)


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


SIGHTS = """selector => new Promise(resolve => {
    const seen = [];
    const start = performance.now();
    const look = now => {
        seen.push(document.querySelector(`${selector} g[transform]`)?.getAttribute("transform") ?? "nothing");
        now - start < 1000 ? requestAnimationFrame(look) : resolve(seen);
    };
    requestAnimationFrame(look);
})"""
"""Where a picture stands, looked at in each frame of a second, in which it is drawn several times."""


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
    end(lab, stop)
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


def test_what_is_looked_at_stays_while_the_loop_goes_on(lab: LabPage, stop: Path) -> None:
    view = lab.panel.locator(".gradviz-side-view")
    expect(view.locator(".gradviz-canvas")).to_be_visible()
    counts = view.locator(".gradviz-counts")
    in_panel(lab, "[aria-label='Legend']", "e.click()")
    view.locator(".gradviz-search").fill("tanh")
    view.get_by_role("treeitem", name="tanh").click()
    view.locator(".gradviz-search").fill("")
    view.locator(".gradviz-tab-details").click()
    view.get_by_role("button", name="Descendants").click()
    narrowed = counts.text_content()
    assert narrowed is not None and "in view" in narrowed
    view.get_by_role("button", name="Path from here").click()
    for _ in range(2):
        drawn_anew(lab)
        assert counts.text_content() == narrowed
        assert in_panel(lab, ".gradviz-legend", "!e.hidden")
        assert in_panel(lab, "[aria-label='Legend']", "e.ariaExpanded") == "true"
        assert in_panel(lab, ".gradviz-actions [aria-pressed]", "e.ariaPressed") == "true"
    # Whoever goes through it by keyboard is not thrown out.
    in_panel(lab, "[aria-label='Legend']", "e.focus()")
    drawn_anew(lab)
    assert in_panel(lab, "[aria-label='Legend']", "e === document.activeElement")
    assert is_running(lab)
    assert lab.errors == []


def test_the_picture_stands_still_while_the_loop_goes_on(lab: LabPage, stop: Path) -> None:
    # Where the graph opens, and where somebody has moved it to.
    for moved in ("", "Zoom in (+)"):
        view = lab.panel.locator(".gradviz-side-view")
        expect(view.locator(".gradviz-canvas")).to_be_visible()
        if moved:
            view.get_by_role("button", name=moved).click()
        lab.page.wait_for_timeout(600)  # the way there
        seen = {
            where
            for _ in range(2)
            for where in lab.page.evaluate(SIGHTS, "#gradviz-panel .gradviz-canvas")
        }
        assert len(seen) == 1, seen
    assert is_running(lab)
    assert lab.errors == []


def test_a_large_graph_is_in_sight_until_the_next_one_is_unpacked(
    lab: LabPage, ending: Path
) -> None:
    program = training_until(ending)
    layers = "*[gv.nn.Linear(8, 8) for _ in range(600)]"
    begin(lab, program.replace("gv.nn.Linear(8, 8), gv.nn.Tanh()", layers))
    view = lab.panel.locator(".gradviz-side-view")
    expect(view.locator(".gradviz-counts")).to_contain_text("nodes")
    lab.page.wait_for_timeout(600)
    shown = history(view)
    before = steps(shown)
    seen: set[str] = set()
    while steps(shown) < before + 3:
        seen |= set(lab.page.evaluate(SIGHTS, "#gradviz-panel .gradviz-canvas"))
    assert len(seen) == 1, seen
    assert is_running(lab)
    end(lab, ending)
    assert lab.errors == []


def test_a_slice_is_the_same_of_the_next_step(lab: LabPage, stop: Path) -> None:
    view = lab.panel.locator(".gradviz-side-view")
    view.locator(".gradviz-search").fill("randn")
    view.get_by_role("treeitem", name="randn").click()
    view.locator(".gradviz-search").fill("")
    view.locator(".gradviz-tab-values").click()
    value = ".gradviz-values section[aria-label='Value']"
    rows = f"{value} [aria-label='Axis shown as rows']"
    cut = f"{value} [aria-label='Index along axis 1']"
    view.locator(rows).select_option("0")
    view.locator(cut).fill("5")
    for _ in range(2):
        drawn_anew(lab)
        expect(view.locator(cut)).to_have_value("5")
        assert in_panel(lab, rows, "e.value") == "0"
        assert in_panel(lab, f"{value} .gradviz-heat-map", "e.height") == 4
    expect(view.locator(f"{value} .gradviz-heat-other")).to_have_count(0)
    assert is_running(lab)
    assert lab.errors == []


def test_an_open_menu_holds_the_view(lab: LabPage, stop: Path) -> None:
    in_cell = history(lab.explorer(0))
    view = lab.panel.locator(".gradviz-side-view")
    shown = history(view)
    view.get_by_role("button", name="Save as a file").click()
    held = steps(shown)
    goes_on(in_cell)
    assert steps(shown) == held
    expect(view.get_by_role("menuitem", name="SVG")).to_be_visible()
    with lab.page.expect_download() as saved:
        view.get_by_role("menuitem", name="SVG").click()
    assert "<svg" in Path(saved.value.path()).read_text("utf-8")
    goes_on(shown)
    view.locator(".gradviz-tab-steps").click()
    expect(view.locator(".gradviz-steps")).to_contain_text("view.update(loss, steps=steps)")
    drawn_anew(lab)
    assert is_running(lab)
    assert lab.errors == []


def test_a_backward_pass_is_stepped_through_at_one_step_of_the_run(
    lab: LabPage, ending: Path
) -> None:
    watched = training_until(ending).replace("grads = loss.b", "steps = gv.trace_b")
    watched = watched.replace("backward()", "backward(loss)").replace(", grads)", ", steps=steps)")
    other = "import gradviz as gv\ngv.explore(gv.tensor([1.0]).exp(), title='other')"
    begin(lab, watched.replace("step(grads)", "step(steps.grads)"), other)
    in_cell = history(lab.explorer(0))
    view = lab.panel.locator(".gradviz-side-view")
    view.locator(".gradviz-tab-steps").click()
    count = view.locator(".gradviz-step-count")
    expect(count).to_contain_text("Step 1 of")
    expect(view.get_by_text("when the run goes on")).to_be_visible()
    for _ in range(2):
        view.get_by_role("button", name="One step on").click()
        goes_on(in_cell)
    expect(count).to_contain_text("Step 3 of")
    # Whoever asks for another graph gets it.
    graphs = lab.panel.locator(".gradviz-side-graph")
    graphs.filter(has_text="other").click()
    expect(view.locator(".gradviz-counts")).to_contain_text("2 nodes")
    graphs.filter(has_text="descent").click()
    goes_on(history(view))
    # Edges that somebody wants plain stay plain.
    view.locator(".gradviz-tab-gradients").click()
    view.locator(".gradviz-toggle input").uncheck()
    drawn_anew(lab)
    expect(view.locator(".gradviz-toggle input")).not_to_be_checked()
    assert is_running(lab)
    end(lab, ending)
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
