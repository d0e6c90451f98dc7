"""Loops that are followed, cells that run again, and two runs side by side, in JupyterLab."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.ui.browser import artifacts
from tests.ui.lab import LabPage, code_cell, write_notebook
from tests.ui.programs import PAIR, training

CELL = """\
a = gv.tensor([1.0, 2.0], requires_grad=True, name="a")
h = (a * 3.0).tanh()
loss = h.sum()
gv.explore(loss)"""


def test_a_loop_is_followed_and_the_view_stays_where_it_is(lab: LabPage) -> None:
    write_notebook(lab.server.root / "live.ipynb", [code_cell(training(40), id="a")])
    lab.open("live.ipynb")
    lab.begin_cell(0)
    explorer = lab.explorer(0)
    explorer.locator(".gradviz-tab-history").click()
    expect(explorer.locator(".gradviz-step-count")).to_contain_text("(latest)")
    expect(explorer.locator(".gradviz-history > p").first).to_contain_text(
        "40 steps", timeout=60_000
    )
    expect(explorer.locator(".gradviz-tab-history")).to_have_attribute("aria-selected", "true")
    expect(explorer.locator(".gradviz-chart")).to_have_count(2)
    expect(explorer.locator(".gradviz-history tbody tr")).to_have_count(4)
    explorer.get_by_label("Step of the run").fill("0")
    expect(explorer.locator(".gradviz-step-count")).to_contain_text("Step 0:")
    # Of the page: a loop that is followed redraws its view at any moment.
    lab.page.screenshot(path=artifacts() / "lab-history.png")
    # A connection for each drawing would leave the kernel's threads with work half done, which it
    # complains about beside the output: all drawings share one.
    assert [item["output_type"] for item in lab.outputs(0)] == ["display_data"], lab.outputs(0)
    assert lab.errors == []


def test_a_loop_without_a_block_ends_with_its_last_step(lab: LabPage) -> None:
    plain = training(40).replace("with gv.live(", "view = gv.live(").replace(" as view:", "")
    plain = plain.replace("\n    ", "\n")
    assert "\nwhile step < 40:\n" in plain
    write_notebook(lab.server.root / "plain.ipynb", [code_cell(plain, id="a")])
    lab.open("plain.ipynb")
    lab.run_cell(0)
    explorer = lab.explorer(0)
    explorer.locator(".gradviz-tab-history").click()
    expect(explorer.locator(".gradviz-history > p").first).to_contain_text("40 steps")
    expect(explorer.locator(".gradviz-step-count")).to_contain_text("Step 39:")
    assert lab.errors == []


def test_a_cell_that_runs_again_tells_what_changed(lab: LabPage) -> None:
    cells = [code_cell("import gradviz as gv", id="a"), code_cell(CELL, id="b")]
    write_notebook(lab.server.root / "again.ipynb", cells)
    lab.open("again.ipynb")
    lab.run_cell(0)
    lab.run_cell(1)
    explorer = lab.explorer(1)
    explorer.locator(".gradviz-tab-values").click()
    expect(explorer.locator(".gradviz-tab-changes")).to_have_count(0)
    lab.set_source(1, CELL.replace(".tanh()", ".tanh().exp()"))
    lab.run_cell(1)
    # The tab that was open is open again, in the new output.
    expect(explorer.locator(".gradviz-tab-values")).to_have_attribute("aria-selected", "true")
    explorer.locator(".gradviz-tab-changes").click()
    expect(explorer.locator(".gradviz-change-added")).to_have_count(1)
    expect(explorer.locator(".gradviz-paint-added.gradviz-node")).to_have_count(1)
    assert lab.errors == []


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_two_runs_side_by_side(lab: LabPage, theme: str) -> None:
    write_notebook(lab.server.root / "pair.ipynb", [code_cell(PAIR, id="a")])
    lab.open("pair.ipynb")
    lab.set_theme(theme)
    lab.run_cell(0)
    pair = lab.explorer(0)
    expect(pair.locator(".gradviz-pair-side")).to_have_count(2)
    expect(pair.locator(".gradviz-pair-head")).to_contain_text("2 added")
    after = pair.locator(".gradviz-pair-side").nth(1)
    expect(after.locator(".gradviz-paint-added.gradviz-node")).to_have_count(2)
    pair.locator(".gradviz-change-changed button").first.click()
    for side in (pair.locator(".gradviz-pair-side").first, after):
        expect(side.locator(".gradviz-node.gradviz-selected").first).to_be_visible()
    pair.screenshot(path=artifacts() / f"lab-pair-{theme.rsplit(maxsplit=1)[-1].lower()}.png")
    assert lab.errors == []
