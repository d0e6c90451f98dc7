"""The quickstart notebook in a real JupyterLab, as a newcomer goes through it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.ui.browser import artifacts
from tests.ui.lab import LabPage

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "00_quickstart.ipynb"
SLUGS = (
    "requires-autodiff-tensor",
    "can-t-convert-a-non-leaf-tensor-into-a-tracked-ten",
    "capture-tensors-do-not-support-autodiff",
)


def cells_with(text: str) -> list[int]:
    """Positions of the code cells that hold a text."""
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    return [
        at
        for at, cell in enumerate(cells)
        if cell["cell_type"] == "code" and text in "".join(cell["source"])
    ]


def printed(lab: LabPage, at: int) -> str:
    """What a cell wrote; its output may come a moment after the cell is said to have run."""
    text = ""
    for _ in range(50):
        text = "".join(output.get("text", "") for output in lab.outputs(at))
        if text:
            break
        lab.page.wait_for_timeout(100)
    return text


@pytest.fixture
def quickstart(lab: LabPage) -> LabPage:
    """The notebook, run from top to bottom."""
    shutil.copy(NOTEBOOK, lab.server.root / "quickstart.ipynb")
    lab.page.set_default_timeout(120_000)
    lab.open("quickstart.ipynb")
    assert lab.run_all(), "a cell failed"
    return lab


def test_the_three_failures_are_marked_explained_and_mended(quickstart: LabPage) -> None:
    lab = quickstart
    explorers = cells_with("gv.explore(")
    training, *failing = explorers
    assert len(failing) == len(SLUGS)

    healthy = lab.explorer(training)
    healthy.scroll_into_view_if_needed()
    expect(healthy.locator(".gradviz-node").first).to_be_visible()
    expect(healthy.locator(".gradviz-node[class*='gradviz-sev-error']")).to_have_count(0)
    for theme in ("Dark", "Light"):
        lab.set_theme(f"JupyterLab {theme}")
        healthy.screenshot(path=artifacts() / f"quickstart-training-{theme.lower()}.png")

    for at, slug in zip(failing, SLUGS, strict=True):
        explorer = lab.explorer(at)
        explorer.scroll_into_view_if_needed()
        # Marked before the call: by colour, by sign, and by text.
        marked = explorer.locator(".gradviz-node.gradviz-sev-error")
        expect(marked.first).to_be_visible()
        expect(marked.locator(".gradviz-mark-disc").first).to_be_visible()
        expect(explorer.locator(".gradviz-problem .gradviz-slug")).to_have_text(slug)
        for theme in ("Dark", "Light"):
            lab.set_theme(f"JupyterLab {theme}")
            explorer.screenshot(path=artifacts() / f"quickstart-{slug[:24]}-{theme.lower()}.png")
        assert "fails" in printed(lab, at + 1)

        sources = {i: lab.source(i) for i in cells_with("")}
        fix = explorer.locator(".gradviz-fix").first
        expect(fix.locator(".gradviz-diff-add").first).to_be_visible()
        fix.get_by_role("button", name="Apply").click()
        expect(fix.locator(".gradviz-fix-message")).to_contain_text("Applied to")
        changed = [i for i, text in sources.items() if lab.source(i) != text]
        assert len(changed) == 1, "the fix changes exactly one cell"

        for i in sorted({changed[0], at, at + 1}):
            lab.run_cell(i)
        said = printed(lab, at + 1)
        assert said and "fails" not in said, slug
    assert lab.errors == []


def test_a_fix_can_be_taken_back(quickstart: LabPage) -> None:
    lab = quickstart
    at = cells_with("gv.explore(")[1]
    before = {i: lab.source(i) for i in cells_with("")}
    fix = lab.explorer(at).locator(".gradviz-fix").first
    fix.get_by_role("button", name="Apply").click()
    expect(fix.locator(".gradviz-fix-message")).to_contain_text("Applied to")
    assert {i: lab.source(i) for i in before} != before
    fix.get_by_role("button", name="Undo").click()
    assert {i: lab.source(i) for i in before} == before
    assert lab.errors == []


def test_saved_and_reopened_without_a_kernel_it_still_shows(quickstart: LabPage) -> None:
    lab = quickstart
    lab.save()
    lab.close()
    lab.start()
    lab.open("quickstart.ipynb", kernel=False)
    for at in cells_with("gv.explore("):
        explorer = lab.explorer(at)
        explorer.scroll_into_view_if_needed()
        expect(explorer.locator(".gradviz-node").first).to_be_visible()
    assert lab.errors == []
