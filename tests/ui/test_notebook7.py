"""Notebook 7: the same prebuilt extension in another shell, served by the same server."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.ui.browser import artifacts
from tests.ui.lab import LabServer, code_cell, write_notebook

pytest.importorskip("notebook", reason="Notebook 7 isn't installed")

TRAIN = """\
import gradviz as gv
gv.manual_seed(0)
model = gv.nn.Sequential(*[m for _ in range(40) for m in (gv.nn.Linear(4, 4), gv.nn.ReLU())])
loss = (model(gv.ones((2, 4))) ** 2).mean()
gv.explore(loss)"""
BROKEN = """\
w = gv.tensor([1.0, 2.0], requires_grad=True)
h = (w * 3).detach()
total = (h * h).sum()
gv.explore(total)"""
READY = """async () => {
    const app = window.jupyterapp;
    await app.restored;
    const panel = app.shell.currentWidget;
    await panel.context.ready;
    await panel.sessionContext.ready;
    await panel.sessionContext.session.kernel.info;
    window.panel = panel;
}"""


@pytest.fixture
def notebook(
    lab_server: LabServer, browser: Browser, request: pytest.FixtureRequest
) -> Iterator[Page]:
    """A notebook in Notebook 7, run from top to bottom."""
    name = f"{request.node.name}.ipynb"
    write_notebook(lab_server.root / name, [code_cell(TRAIN, id="a"), code_cell(BROKEN, id="b")])
    context = browser.new_context(viewport={"width": 1300, "height": 1000})
    page = context.new_page()
    page.set_default_timeout(60_000)
    errors: list[str] = []
    # Notebook itself complains of its settings here and there.
    page.on(
        "pageerror",
        lambda e: errors.append(e.stack or "") if "gradviz" in (e.stack or "") else None,
    )
    page.goto(f"{lab_server.url}notebooks/{name}?token={lab_server.token}")
    page.wait_for_function("() => window.jupyterapp?.shell?.currentWidget?.context")
    page.evaluate(READY)
    assert page.evaluate("() => window.jupyterapp.commands.execute('notebook:run-all-cells')")
    failed_before = request.session.testsfailed
    yield page
    if request.session.testsfailed > failed_before:
        page.screenshot(path=artifacts() / f"failed-{request.node.name}.png")
    page.evaluate("() => window.panel.sessionContext.shutdown()")
    context.close()
    assert errors == []


def test_explorers_fold_and_tell_and_the_panel_lists_them(notebook: Page) -> None:
    page = notebook
    first, second = (page.locator(".gradviz-output .gradviz").nth(at) for at in (0, 1))
    first.scroll_into_view_if_needed()
    expect(first.locator(".gradviz-node").first).to_be_visible()
    expect(first.locator(".gradviz-folded").first).to_be_visible()
    first.get_by_role("button", name="Unfold everything").click()
    expect(first.locator(".gradviz-folded")).to_have_count(0)
    first.get_by_role("button", name="Fold as at first").click()
    expect(first.locator(".gradviz-folded").first).to_be_visible()
    expect(first.locator(".gradviz-details h3")).to_have_text("loss")
    assert first.get_by_role("button", name="Open in a tab").count() == 0
    page.screenshot(path=artifacts() / "notebook7.png")

    second.scroll_into_view_if_needed()
    expect(second.locator(".gradviz-problem .gradviz-slug")).to_have_text("untracked-root")
    second.get_by_role("button", name="Open in the side panel").click()
    side = page.locator("#gradviz-panel")
    expect(side.locator(".gradviz-side-graph")).to_have_count(2)
    expect(side.locator(".gradviz-side-view .gradviz-node").first).to_be_visible()
    page.screenshot(path=artifacts() / "notebook7-panel.png")
