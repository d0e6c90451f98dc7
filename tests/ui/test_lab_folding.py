"""Folding in JupyterLab: real programs, both themes, by pointer, by keyboard and in the outline."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.ui.browser import artifacts
from tests.ui.lab import LabPage, code_cell, write_notebook

NET = """\
import gradviz as gv
from gradviz import nn
class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.up = nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, width)
    def forward(self, x):
        return x + self.down(self.up(self.norm(x)).gelu())
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.Sequential(*[Block(16) for _ in range(12)])
        self.head = nn.Sequential(nn.Linear(16, 10), nn.Tanh())
    def forward(self, x):
        return self.head(self.blocks(x))
net, images = Net(), gv.ones(8, 16)
scale = gv.tensor(2.0, requires_grad=True)
with gv.scope("scaling"):
    gain = (scale * 3).detach()
loss = (net(images) * gain).square().mean()
gv.explore(loss, title="training step")"""


def test_a_network_folds_and_unfolds(lab: LabPage) -> None:
    write_notebook(lab.server.root / "folding.ipynb", [code_cell(NET, id="a")])
    lab.open("folding.ipynb")
    lab.run_cell(0)
    explorer = lab.explorer(0)
    explorer.wait_for()
    counts = explorer.locator(".gradviz-counts")
    expect(counts).to_contain_text("in view")
    explorer.scroll_into_view_if_needed()
    lab.page.wait_for_timeout(400)
    explorer.screenshot(path=artifacts() / "lab-folding-light.png")
    # Twelve blocks are one box with a number; the others stay folded.
    expect(explorer.locator(".gradviz-band-times").first).to_have_text("×12")

    canvas = explorer.locator(".gradviz-canvas")
    canvas.focus()
    folded = explorer.locator(".gradviz-folded", has_text="other 11 turns")
    expect(folded).to_have_count(1)
    head = explorer.locator(".gradviz-band-head", has_text="head")
    before = head.bounding_box()
    # Folding what stands below moves nothing above it.
    if before is not None:
        head.dispatch_event("click")
        expect(explorer.locator(".gradviz-folded", has_text="head")).to_have_count(1)
    lab.page.keyboard.press("Space")
    expect(explorer.locator(".gradviz-band-head", has_text="head")).to_have_count(1)

    # The outline is the same tree.
    explorer.locator(".gradviz-tab-outline").click()
    tree = explorer.get_by_role("tree")
    turns = tree.get_by_role("treeitem").filter(has_text="other 11 turns")
    expect(turns).to_have_attribute("aria-expanded", "false")
    turns.focus()
    lab.page.keyboard.press("ArrowRight")
    expect(turns).to_have_attribute("aria-expanded", "true")
    expect(folded).to_have_count(0)
    lab.page.keyboard.press("ArrowLeft")
    expect(folded).to_have_count(1)

    # What is searched for is unfolded.
    explorer.locator(".gradviz-search").fill("layer_norm")
    expect(explorer.locator(".gradviz-found-count")).to_have_text("12 found")
    explorer.locator(".gradviz-search").press("Enter")
    explorer.locator(".gradviz-search").press("Enter")
    expect(explorer.locator(".gradviz-node.gradviz-selected .gradviz-title")).to_contain_text(
        "layer_norm"
    )
    explorer.locator(".gradviz-search").press("Escape")

    # Why does the scale get no gradient: the path with the cut.
    explorer.locator(".gradviz-search").fill("scale")
    explorer.locator(".gradviz-search").press("Enter")
    explorer.locator(".gradviz-search").press("Escape")
    explorer.locator(".gradviz-tab-details").click()
    explorer.get_by_role("button", name="Why no gradient?").click()
    expect(explorer.locator(".gradviz-isolation")).to_contain_text(
        "only the path from scale to loss"
    )
    expect(explorer.locator(".gradviz-cut-text")).to_contain_text("detach")
    lab.page.wait_for_timeout(300)
    explorer.screenshot(path=artifacts() / "lab-why-light.png")
    lab.set_theme("JupyterLab Dark")
    explorer.screenshot(path=artifacts() / "lab-why-dark.png")
    explorer.locator(".gradviz-isolation").click()
    expect(explorer.locator(".gradviz-isolation")).to_have_count(0)
    canvas.focus()
    lab.page.keyboard.press("h")
    lab.page.wait_for_timeout(500)
    explorer.screenshot(path=artifacts() / "lab-folding-dark.png")
    lab.set_theme("JupyterLab Light")
    assert lab.errors == []
