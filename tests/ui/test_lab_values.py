"""Numbers and steps in JupyterLab: asked of the kernel, walked by mouse and keyboard, quiet without it."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.ui.browser import artifacts
from tests.ui.lab import LabPage, code_cell, write_notebook
from tests.ui.programs import PLAYED

MODEL = """\
import gradviz as gv, numpy as np
gv.manual_seed(0)
model = gv.nn.Sequential(gv.nn.Linear(64, 32), gv.nn.ReLU(), gv.nn.Linear(32, 10))
images = gv.randn(4, 3, 8, 8, requires_grad=True)
shift = gv.tensor([0.5], requires_grad=True)
scores = model(images.reshape(12, 64)) + shift.detach()
loss = gv.cross_entropy(scores, gv.tensor(np.arange(12) % 10))
gv.explore(loss)"""
STEPS = f"{PLAYED}gv.explore(out, steps=gv.trace_backward(out))"
NAN = """\
x = gv.tensor([0.0, 1.0, 4.0], requires_grad=True)
gv.explore((x.sqrt() * 0.0).sum())"""


def opened(lab: LabPage, name: str, *cells: str) -> None:
    write_notebook(
        lab.server.root / name, [code_cell(c, id=f"c{at}") for at, c in enumerate(cells)]
    )
    lab.open(name)
    for at in range(len(cells)):
        lab.run_cell(at)
    lab.explorer(len(cells) - 1).wait_for()


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_values_and_gradients_of_a_model(lab: LabPage, theme: str) -> None:
    opened(lab, "values.ipynb", MODEL)
    lab.set_theme(theme)
    shade = theme.rsplit(maxsplit=1)[-1].lower()
    explorer = lab.explorer(0)
    explorer.locator(".gradviz-tab-gradients").click()
    table = explorer.locator(".gradviz-leaves")
    expect(table.locator("tbody tr")).to_have_count(6)
    expect(explorer.locator(".gradviz-gradients")).to_contain_text("No backward pass has run yet")
    expect(table.locator("tr", has_text="shift")).to_contain_text("path-cut-detach")
    expect(explorer.locator(".gradviz-paint-flow-fine").first).to_be_attached()
    explorer.screenshot(path=artifacts() / f"lab-gradients-{shade}.png")
    explorer.locator(".gradviz-toggle input").uncheck()
    expect(explorer.locator("[class*='gradviz-paint-flow']")).to_have_count(0)

    table.get_by_role("button", name="images").click()
    explorer.locator(".gradviz-tab-values").click()
    expect(explorer.locator(".gradviz-values section").first).to_contain_text(
        "held by a tensor of yours"
    )
    spread = explorer.locator(".gradviz-histogram").first
    expect(spread).to_have_attribute("aria-label", re.compile(r"^Histogram of [\d,]+ finite"))
    counts = [
        int(said.rpartition(": ")[2].replace(",", ""))
        for said in spread.locator(".gradviz-bar title").all_text_contents()
    ]
    assert len(counts) > 5 and sum(counts) == 4 * 3 * 8 * 8
    heat = explorer.locator(".gradviz-heat").first
    expect(heat.locator("canvas")).to_have_attribute("width", "8")
    slider = heat.get_by_label("Index along axis 0")
    slider.fill("3")
    expect(heat.locator(".gradviz-cut-at").first).to_have_text("3")
    heat.locator("canvas").focus()
    lab.page.keyboard.press("ArrowRight")
    expect(heat.locator("output")).to_contain_text("[3, 0, 0, ")
    heat.get_by_label("as colours").check()
    expect(heat.locator("output")).to_contain_text("0–2, 0, ")
    heat.get_by_label("as colours").uncheck()
    expect(heat.locator("output")).to_contain_text("[3, 0, 0, ")
    heat.get_by_label("Axis shown as rows").select_option("1")
    expect(heat.locator("canvas")).to_have_attribute("height", "3")
    expect(explorer.locator(".gradviz-values section").nth(1)).to_contain_text(
        "gv.explore(loss, grads=grads)"
    )
    explorer.screenshot(path=artifacts() / f"lab-values-{shade}.png")
    assert lab.errors == []


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_a_backward_pass_is_played(lab: LabPage, theme: str) -> None:
    opened(lab, "steps.ipynb", "import gradviz as gv", STEPS)
    lab.set_theme(theme)
    explorer = lab.explorer(1)
    expect(explorer.locator(".gradviz-mark-text")).to_have_count(0)  # its own pass used it up
    explorer.locator(".gradviz-tab-steps").click()
    said = explorer.locator(".gradviz-step-count")
    expect(said).to_have_text("Step 1 of 6: out")
    expect(explorer.locator(".gradviz-math math").first).to_be_visible()
    explorer.get_by_label("One step on").click()
    explorer.get_by_label("One step on").click()
    expect(said).to_have_text("Step 3 of 6: d")
    expect(explorer.locator(".gradviz-paint-now.gradviz-node")).to_have_count(1)
    explorer.locator(".gradviz-step-body").focus()
    lab.page.keyboard.press("ArrowRight")
    expect(said).to_have_text("Step 4 of 6: mul")
    expect(explorer.locator(".gradviz-join")).to_be_visible()
    expect(explorer.locator(".gradviz-paint-joins")).to_have_count(1)
    explorer.screenshot(path=artifacts() / f"lab-steps-{theme.rsplit(maxsplit=1)[-1].lower()}.png")
    lab.page.keyboard.press("End")
    expect(said).to_have_text("Step 6 of 6: matmul")
    lab.page.keyboard.press("Home")
    lab.page.keyboard.press("Space")
    expect(explorer.get_by_label("Pause (space)")).to_be_visible()
    expect(said).to_have_text("Step 3 of 6: d", timeout=10_000)
    lab.page.keyboard.press("Space")
    expect(explorer.get_by_label("Play (space)")).to_be_visible()
    explorer.get_by_label("Step", exact=True).fill("4")
    expect(said).to_have_text("Step 5 of 6: c")
    explorer.locator(".gradviz-tab-details").click()
    expect(explorer.locator("[class*='gradviz-paint-']")).to_have_count(0)
    assert lab.errors == []


def test_infinities_are_seen_and_nothing_breaks_without_a_kernel(lab: LabPage) -> None:
    opened(lab, "nan.ipynb", "import gradviz as gv", NAN)
    explorer = lab.explorer(1)
    explorer.locator(".gradviz-tab-gradients").click()
    expect(explorer.locator(".gradviz-health-not-finite")).to_contain_text("NaN or")
    expect(explorer.locator(".gradviz-paint-flow-not-finite").first).to_be_attached()
    explorer.locator(".gradviz-tab-steps").click()
    expect(explorer.locator(".gradviz-steps")).to_contain_text("The graph was kept")
    lab.page.evaluate("() => window.gradvizTestPanel.sessionContext.session.kernel.restart()")
    expect(explorer.locator(".gradviz-status")).to_have_text("offline")
    explorer.locator(".gradviz-tab-values").click()
    expect(explorer.locator(".gradviz-not-here").first).to_contain_text("Run the cell again")
    assert lab.errors == []
