"""Error cards of a live kernel: the card, the short traceback, and a run that counts as failed."""

from __future__ import annotations

from playwright.sync_api import expect

from gradviz.graph.model import MIME_TYPE
from tests.ui.browser import artifacts
from tests.ui.lab import LabPage, code_cell, write_notebook

LOAD = "from gradviz.widgets.magics import load_ipython_extension\nload_ipython_extension(get_ipython())"
FAILS = "from gradviz.errors import fail\n\ndef step():\n    raise fail('untracked-root')\n\nstep()"


def test_a_failing_cell_shows_a_card_and_stops_the_run(lab: LabPage) -> None:
    cells = [code_cell(LOAD), code_cell(FAILS, id="fails-here"), code_cell("print('never')")]
    write_notebook(lab.server.root / "errors.ipynb", cells)
    lab.open("errors.ipynb")
    assert lab.run_all() is False
    card, error = lab.outputs(1)
    assert card["output_type"] == "display_data"
    where = card["data"][MIME_TYPE]["problem"]["where"]
    assert (where["cell"], where["label"], where["line"]) == ("fails-here", "In [2]", 4)
    assert error["output_type"] == "error"
    assert "In [2], line 4, in step" in error["traceback"][0]
    assert lab.outputs(2) == []
    expect(lab.explorer(1).locator(".gradviz-problem-message")).to_have_text(
        "No tracked tensor feeds this root"
    )
    expect(lab.explorer(1)).to_contain_text("In [2], line 4")
    lab.page.screenshot(path=artifacts() / "lab-error-card.png")
    # After the repair the same cell runs, and its number in labels follows.
    lab.set_source(1, "print('cured')")
    lab.run_cell(1)
    assert lab.outputs(1)[0]["text"] == "cured\n"
    assert lab.errors == []


def test_a_timed_cell_is_mended_like_any_other(lab: LabPage) -> None:
    fails = "%%time\nx = gv.tensor([1.0, 2.0])\nloss = (x * 2).sum()\nloss.backward()"
    cells = [code_cell(f"import gradviz as gv\n{LOAD}"), code_cell(fails, id="timed")]
    write_notebook(lab.server.root / "timed.ipynb", cells)
    lab.open("timed.ipynb")
    assert lab.run_all() is False
    card = lab.explorer(1)
    expect(card).to_contain_text("In [2], line 4")
    card.get_by_role("button", name="Apply").first.click()
    mended = fails.replace("[1.0, 2.0]", "[1.0, 2.0], requires_grad=True")
    assert lab.source(1) == mended
    lab.run_cell(1)
    kinds = [item["output_type"] for item in lab.outputs(1)]
    assert "error" not in kinds, lab.outputs(1)
    assert lab.errors == []


def test_a_training_loop_from_elsewhere_is_ported_by_a_click(lab: LabPage) -> None:
    made = (
        "x = gv.randn(8, 2)\ny = gv.randn(8, 1)\nnet = gv.nn.Linear(2, 1)\n"
        "opt = gv.optim.SGD(net.parameters(), lr=0.1)"
    )
    loop = (
        "for epoch in range(3):\n    opt.zero_grad()\n    loss = gv.mse_loss(net(x), y)\n"
        "    loss.backward()\n    opt.step()"
    )
    cells = [
        code_cell(f"import gradviz as gv\n{LOAD}"),
        code_cell(made),
        code_cell(loop, id="loop"),
    ]
    write_notebook(lab.server.root / "ported.ipynb", cells)
    lab.open("ported.ipynb")
    assert lab.run_all() is False
    card = lab.explorer(2)
    expect(card.locator(".gradviz-problem-message")).to_contain_text("no attribute 'zero_grad'")
    card.get_by_role("button", name="Apply").first.click()
    ported = loop.replace("    opt.zero_grad()\n", "").replace("    loss.b", "    grads = loss.b")
    assert lab.source(2) == ported.replace("step()", "step(grads)")
    lab.run_cell(2)
    assert lab.outputs(2) == []
    assert lab.errors == []
