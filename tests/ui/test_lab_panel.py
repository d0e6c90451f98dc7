"""The side panel of JupyterLab: graphs and problems of the active notebook, and where they open."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import expect

from gradviz.graph.model import MIME_TYPE, as_json
from gradviz.widgets.display import graph_bundle
from tests.ui import axe, samples
from tests.ui.browser import artifacts
from tests.ui.lab import LabPage, bundle_output, code_cell, write_notebook

RUN = """\
import gradviz as gv
x = gv.tensor([1.0, 2.0], requires_grad=True, name="x")
h = {made}
loss = (h * h).sum()
gv.explore(loss)"""


def shown(view: Any) -> dict[str, Any]:
    """An output as it is saved."""
    return bundle_output(json.loads(json.dumps(graph_bundle(view, None, "text"))))


def saved(lab: LabPage, name: str = "panel.ipynb") -> None:
    """A notebook with three graphs and an error card, far apart."""
    space = [code_cell("\n" * 30, id=f"space-{at}") for at in range(3)]
    card = bundle_output({MIME_TYPE: as_json(samples.card("the-code")), "text/plain": "x"})
    cells = [
        code_cell("gv.explore(loss)", [shown(samples.broken())], id="first"),
        space[0],
        code_cell("gv.explore(net)", [shown(samples.classifier())], id="second"),
        space[1],
        code_cell("a, b", [shown(samples.many_problems(4))], id="third"),
        space[2],
        code_cell(samples.CELL.rstrip("\n"), [card], id="the-code"),
    ]
    write_notebook(lab.server.root / name, cells)
    lab.open(name, kernel=False)


def active_cell(lab: LabPage) -> int:
    at: int = lab.page.evaluate("() => window.gradvizTestPanel.content.activeCellIndex")
    return at


def test_it_lists_graphs_and_problems_and_goes_to_them(lab: LabPage) -> None:
    saved(lab)
    expect(lab.panel).not_to_be_visible()
    lab.execute("gradviz:show-panel")
    side = lab.panel
    expect(side.locator(".gradviz-side-graph")).to_have_count(4)
    expect(side.locator(".gradviz-side-name")).to_have_text("panel.ipynb")
    problems = side.locator(".gradviz-side-problems .gradviz-problem-link")
    total = len(samples.broken().problems) + 4 + 1
    expect(problems).to_have_count(total)
    expect(side.locator(".gradviz-side-counts .gradviz-sev-error")).to_be_visible()
    expect(side.locator(".gradviz-side-view .gradviz")).to_have_count(0)

    problems.filter(has_text="Problem number 2").click()
    assert active_cell(lab) == 4
    opened = side.locator(".gradviz-side-view .gradviz")
    expect(opened.locator(".gradviz-problem-bar")).to_contain_text("3 of 4")
    expect(lab.explorer(4)).to_be_in_viewport()
    opened.evaluate("e => { e.kept = true }")
    problems.filter(has_text="Problem number 1").click()
    expect(opened.locator(".gradviz-problem-bar")).to_contain_text("2 of 4")
    assert opened.evaluate("e => e.kept"), "the explorer stays when another problem is chosen"
    side.locator(".gradviz-side-graph").last.click()
    opened.get_by_role("button", name="Apply").click()
    expect(opened.locator(".gradviz-fix-message")).to_contain_text("Applied to")
    assert ".detach()" not in lab.source(6)
    assert lab.errors == []


def test_commands_walk_through_all_problems(lab: LabPage) -> None:
    saved(lab)
    current = lab.panel.locator(".gradviz-problem-link[aria-current='true']").first
    lab.execute("gradviz:next-problem")
    expect(current).to_have_attribute("data-line", "first 0 0")
    lab.execute("gradviz:previous-problem")
    expect(current).to_have_attribute("data-line", "the-code 0 0")
    assert active_cell(lab) == 6
    lab.execute("gradviz:next-problem")
    expect(current).to_have_attribute("data-line", "first 0 0")
    for _ in samples.broken().problems:
        lab.execute("gradviz:next-problem")
    expect(current).to_have_attribute("data-line", "third 0 0")
    labels = lab.page.evaluate(
        "() => ['show-panel', 'next-problem', 'previous-problem'].map(id => window.jupyterapp.commands.label('gradviz:' + id))"
    )
    assert labels == ["Gradviz: Show panel", "Gradviz: Next problem", "Gradviz: Previous problem"]
    assert lab.errors == []


def test_an_output_opens_in_the_panel_and_in_a_tab(lab: LabPage) -> None:
    saved(lab)
    lab.explorer(2).get_by_role("button", name="Open in the side panel").click()
    opened = lab.panel.locator(".gradviz-side-view .gradviz")
    expect(opened.locator(".gradviz-graph-title")).to_have_text(samples.classifier().title)
    expect(opened.locator(".gradviz-node").first).to_be_visible()
    opened.get_by_role("button", name="Open in a tab").click()
    tab = lab.page.locator(".gradviz-tab-view")
    expect(tab.locator(".gradviz-node").first).to_be_visible()
    box, stage = tab.bounding_box(), tab.locator(".gradviz").bounding_box()
    assert box is not None
    assert stage is not None
    assert abs(stage["height"] - box["height"]) < 2
    assert stage["width"] > 400
    tab.get_by_role("button", name="Open in the side panel").click()
    expect(lab.explorer(2)).to_be_visible()
    expect(opened.locator(".gradviz-node").first).to_be_visible()
    lab.explorer(2).get_by_role("button", name="Open in a tab").click()
    expect(lab.page.locator(".gradviz-tab-view")).to_have_count(1)
    assert lab.errors == []


def test_it_follows_the_active_notebook_and_cells_that_run(lab: LabPage) -> None:
    cells = [code_cell(RUN.format(made="(x * 3).detach()"), id="run")]
    write_notebook(lab.server.root / "follow.ipynb", cells)
    saved(lab, "other.ipynb")
    lab.execute("gradviz:show-panel")
    side = lab.panel
    expect(side.locator(".gradviz-side-graph")).to_have_count(4)
    lab.open("follow.ipynb")
    expect(side.locator(".gradviz-side-name")).to_have_text("follow.ipynb")
    expect(side.locator(".gradviz-side-empty")).to_contain_text("no graph yet")
    lab.run_cell(0)
    expect(side.locator(".gradviz-side-problems .gradviz-problem-link").first).to_be_visible()
    side.locator(".gradviz-problem-link").first.click()
    view = side.locator(".gradviz-side-view")
    expect(view.locator("[class*='gradviz-sev-error']").first).to_be_visible()
    lab.set_source(0, RUN.format(made="x * 3"))
    lab.run_cell(0)
    expect(side.locator(".gradviz-side-problems")).to_have_count(0)
    expect(view.locator(".gradviz-node").first).to_be_visible()
    expect(view.locator("[class*='gradviz-sev-error']")).to_have_count(0)
    assert lab.errors == []


def test_hidden_it_looks_at_nothing(lab: LabPage) -> None:
    cells = [code_cell(RUN.format(made="x * 3"), id="run")]
    write_notebook(lab.server.root / "hidden.ipynb", cells)
    lab.open("hidden.ipynb")
    lab.execute("gradviz:show-panel")
    expect(lab.panel.locator(".gradviz-side-empty")).to_be_visible()
    lab.execute("application:toggle-right-area")
    expect(lab.panel).not_to_be_visible()
    lab.run_cell(0)
    lab.explorer(0).wait_for()
    lab.page.wait_for_timeout(500)
    assert lab.panel.locator(".gradviz-side-graph").count() == 0
    lab.execute("gradviz:show-panel")
    expect(lab.panel.locator(".gradviz-side-graph")).to_have_count(1)
    assert lab.errors == []


@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_pictures(lab: LabPage, theme: str) -> None:
    saved(lab)
    lab.set_theme(f"JupyterLab {theme}")
    lab.execute("gradviz:next-problem")
    expect(lab.panel.locator(".gradviz-side-view .gradviz-problem").first).to_be_visible()
    lab.page.wait_for_timeout(400)
    box = lab.panel.bounding_box()
    assert box is not None
    assert box["width"] > 350, "there is room for an explorer"
    lab.page.screenshot(path=artifacts() / f"panel-{theme.lower()}.png")
    lab.explorer(0).get_by_role("button", name="Open in a tab").click()
    expect(lab.page.locator(".gradviz-tab-view .gradviz-node").first).to_be_visible()
    lab.page.wait_for_timeout(400)
    lab.page.screenshot(path=artifacts() / f"tab-{theme.lower()}.png")
    assert lab.errors == []
    assert axe.serious(lab.page, "#gradviz-panel") == []
