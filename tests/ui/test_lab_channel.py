"""Questions from JupyterLab to the kernel that drew a graph."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.ui.lab import LabPage, code_cell, write_notebook

CODE = """\
import gradviz as gv
x = gv.tensor([1.0, 2.0], requires_grad=True)
first = x * 1.5
second = first + 1.0
third = gv.tanh(second)
loss = third.sum()
gv.explore(loss)"""
ADD = """\
import gradviz.widgets.answers
from gradviz.widgets.channel import answers
from gradviz.graph.view import node_view
from dataclasses import replace
@answers("node")
def node(question):
    return replace(node_view(question.node()), value="asked in the kernel")"""
SLEEP = "import time; time.sleep(4)"


def step_up(lab: LabPage) -> None:
    """Selects the node above the one that is selected, by keyboard."""
    lab.explorer(0).locator(".gradviz-canvas").focus()
    lab.page.keyboard.press("ArrowUp")
    lab.page.keyboard.press("Enter")


def test_the_selected_node_is_asked_about_and_the_view_outlives_its_kernel(lab: LabPage) -> None:
    cells = [code_cell(CODE, id="a"), code_cell(ADD, id="b"), code_cell(SLEEP, id="c")]
    write_notebook(lab.server.root / "channel.ipynb", cells)
    lab.open("channel.ipynb")
    lab.run_cell(0)
    lab.explorer(0).wait_for()
    lab.run_cell(1)
    explorer = lab.explorer(0)
    step_up(lab)
    expect(explorer.locator(".gradviz-details")).to_contain_text("asked in the kernel")
    expect(explorer.locator(".gradviz-status")).to_have_text("")

    lab.begin_cell(2)
    step_up(lab)
    expect(explorer.locator(".gradviz-details h3")).to_be_visible()
    expect(explorer.locator(".gradviz-details")).to_contain_text("asked in the kernel")
    expect(explorer.locator(".gradviz-status")).to_have_text("")

    lab.page.evaluate("() => window.gradvizTestPanel.sessionContext.session.kernel.restart()")
    expect(explorer.locator(".gradviz-status")).to_have_text("offline")
    step_up(lab)
    expect(explorer.locator(".gradviz-details h3")).to_be_visible()
    assert lab.errors == []


def test_run_all_leaves_no_view_waiting(lab: LabPage) -> None:
    """Views ask while later cells run: what they ask must not come before the kernel can hear it."""
    drawing = "w = gv.tensor([1.0, 2.0], requires_grad=True)\ngv.explore((w * {}.0).sum())"
    cells = [
        "import time, gradviz as gv",
        *(drawing.format(at) for at in (2, 3, 4)),
        "time.sleep(3)",
    ]
    write_notebook(
        lab.server.root / "all.ipynb", [code_cell(c, id=f"c{at}") for at, c in enumerate(cells)]
    )
    lab.open("all.ipynb")
    assert lab.run_all()
    for at in (1, 2, 3):
        explorer = lab.explorer(at)
        expect(explorer.locator(".gradviz-status")).to_have_text("")
        explorer.locator(".gradviz-tab-gradients").click()
        expect(explorer.locator(".gradviz-leaves tbody tr")).to_have_count(1)
        expect(explorer.locator(".gradviz-status")).to_have_text("")
    assert lab.errors == []
