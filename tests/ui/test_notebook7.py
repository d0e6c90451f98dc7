"""Notebook 7: the same prebuilt extension in another shell, served by the same server."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.ui.browser import artifacts
from tests.ui.lab import LabServer, code_cell, write_notebook
from tests.ui.programs import PAIR, training

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

OWN = "Cannot read properties of undefined (reading 'schema')"
"""What Notebook 7.6 says by itself when its shortcuts load after other settings, without us as well."""

Open = Callable[..., "Page"]


@pytest.fixture
def opened(
    lab_server: LabServer, browser: Browser, request: pytest.FixtureRequest
) -> Iterator[Open]:
    """Opens cells in Notebook 7 and runs them; `extension=False` keeps ours from the page."""
    pages: list[Page] = []
    errors: list[str] = []
    failed_before = request.session.testsfailed

    def open_page(*cells: str, extension: bool = True) -> Page:
        name = f"{request.node.name}.ipynb"
        sources = [code_cell(cell, id=f"c{at}") for at, cell in enumerate(cells)]
        write_notebook(lab_server.root / name, sources)
        page = browser.new_context(viewport={"width": 1300, "height": 1000}).new_page()
        pages.append(page)
        page.set_default_timeout(60_000)
        page.on("pageerror", lambda error: errors.append(str(error)))
        if not extension:
            page.route("**/extensions/gradviz/**", lambda route: route.abort())
        page.goto(f"{lab_server.url}notebooks/{name}?token={lab_server.token}")
        page.wait_for_function("() => window.jupyterapp?.shell?.currentWidget?.context")
        page.evaluate(READY)
        page.evaluate("() => void window.jupyterapp.commands.execute('notebook:run-all-cells')")
        return page

    yield open_page
    for page in pages:
        if request.session.testsfailed > failed_before:
            page.screenshot(path=artifacts() / f"failed-{request.node.name}.png")
        page.evaluate("() => window.panel.sessionContext.shutdown()")
        page.context.close()
    assert [error for error in errors if error != OWN] == []


def test_explorers_fold_and_tell_and_the_panel_lists_them(opened: Open) -> None:
    page = opened(TRAIN, BROKEN)
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


@pytest.mark.parametrize("extension", [True, False], ids=["extension", "widgets"])
def test_loops_are_followed_and_graphs_compared(opened: Open, extension: bool) -> None:
    """With our extension its renderer draws; without it, as in other hosts, the widgets do."""
    page = opened(training(30), PAIR, extension=extension)
    views = page.locator(".jp-OutputArea-output .gradviz")
    loop = views.first
    loop.locator(".gradviz-tab-history").click()
    said = loop.locator(".gradviz-history > p").first
    expect(said).to_contain_text("step")
    expect(loop.locator(".gradviz-tab-history")).to_have_attribute("aria-selected", "true")
    expect(said).to_contain_text("30 steps", timeout=60_000)
    expect(loop.locator(".gradviz-tab-history")).to_have_attribute("aria-selected", "true")
    expect(loop.locator(".gradviz-history tbody tr")).to_have_count(4)
    loop.locator(".gradviz-tab-gradients").click()
    expect(loop.locator(".gradviz-leaves tbody tr")).to_have_count(4)  # asked of the kernel
    pair = page.locator(".gradviz-pair")
    expect(pair.locator(".gradviz-pair-side")).to_have_count(2)
    expect(pair.locator(".gradviz-pair-head")).to_contain_text("2 added")
    expect(page.locator(".gradviz-output")).to_have_count(2 if extension else 0)
    # Both sides ask over one way, and each gets its own answers.
    for side, leaves in ((0, 1), (1, 1)):
        end = pair.locator(".gradviz-pair-side").nth(side)
        end.locator(".gradviz-tab-gradients").click()
        expect(end.locator(".gradviz-leaves tbody tr")).to_have_count(leaves)
    page.screenshot(
        path=artifacts() / f"notebook7-live-{'extension' if extension else 'widgets'}.png"
    )
