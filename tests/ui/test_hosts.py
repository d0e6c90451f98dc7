"""The same things are seen and done in a cell of JupyterLab and in an exported page."""

from __future__ import annotations

import re
import runpy
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from tests.ui.conftest import Open
from tests.ui.lab import LabPage, code_cell, write_notebook
from tests.ui.programs import LOOPS, PLAYED

READING = """\
import gradviz as gv
gv.manual_seed(0)
model = gv.nn.Linear(3, 2)
images = gv.ones(4, 3)
scale = gv.tensor([2.0, 3.0], requires_grad=True, name="scale")
gain = (scale * 3.0).detach()
hidden = model(images.exp()).softmax(dim=1)
loss = (hidden * gain).square().mean()
graph = gv.graph(loss, title="reading")
"""
USED = READING.replace("graph =", "grads = loss.backward()\ngraph =")
BROKEN = """\
import gradviz as gv
w = gv.tensor([1.0, 2.0], requires_grad=True, name="w")
first = (w * 3).detach().sum()
second = (w * w).detach().mean()
graph = gv.graph(first, second, title="broken")
"""
STEPS = f"""\
import gradviz as gv
{PLAYED}graph = gv.graph(out, steps=gv.trace_backward(out), title="steps")
"""
CHECKPOINTED = """\
import gradviz as gv
device = gv.device("ndarray").autodiff(checkpointing="balanced")
x = gv.tensor([[1.0, 2.0], [3.0, 4.0]], device=device, requires_grad=True, name="x")
e = x.exp()
loss = (e @ e).sum()
graph = gv.graph(loss, steps=gv.trace_backward(loss), title="checkpointed")
"""
Show = Callable[[str], Locator]


def in_lab(lab: LabPage, program: str) -> Locator:
    """The view of a program's graph in a notebook."""
    cells = [code_cell(program.rstrip("\n"), id="a"), code_cell("gv.explore(graph)", id="b")]
    write_notebook(lab.server.root / "hosts.ipynb", cells)
    lab.open("hosts.ipynb")
    assert lab.run_all()
    view = lab.explorer(1)
    view.scroll_into_view_if_needed()
    return view


@pytest.fixture(params=["lab", "page"])
def show(request: pytest.FixtureRequest, lab: LabPage, opened: Open, tmp_path: Path) -> Show:
    """Runs a program and shows its graph in one of the hosts."""

    def in_page(program: str) -> Locator:
        path = tmp_path / "program.py"
        path.write_text(program, encoding="utf-8")
        return opened(runpy.run_path(str(path))["graph"]).locator(".gradviz")

    def shown(program: str) -> Locator:
        view = in_lab(lab, program) if request.param == "lab" else in_page(program)
        expect(view.locator(".gradviz-node").first).to_be_visible()
        return view

    return shown


def node(view: Locator, title: str) -> Locator:
    """The box of a tensor, by its name or operation."""
    said = view.page.locator("title", has_text=re.compile(rf"^{re.escape(title)}[ ,(]"))
    return view.locator(".gradviz-node", has=said).first


def choose(view: Locator, title: str) -> None:
    """Selects it by the search, wherever it is in the picture."""
    search = view.locator(".gradviz-search")
    search.fill(title)
    search.press("Enter")
    search.press("Escape")
    view.locator(".gradviz-tab-details").click()
    expect(view.locator(".gradviz-details h3")).to_have_text(title)


def opacity(part: Locator) -> float:
    return float(part.evaluate("e => getComputedStyle(e).opacity"))


def test_kind_requirement_and_status_are_form_and_text(show: Show) -> None:
    view = show(READING)
    # Leaves that get a gradient: a disc; parameters in a ring; what isn't tracked: an empty ring;
    # what is computed: a square. None of it by colour alone.
    scale, weight, images = (node(view, title) for title in ("scale", "weight", "images"))
    expect(scale).to_have_class(re.compile(r"gradviz-req-grad\b"))
    expect(scale.locator("circle.gradviz-sign")).to_have_count(1)
    expect(scale.locator(".gradviz-sign-ring")).to_have_count(0)
    expect(weight.locator(".gradviz-sign-ring")).to_have_count(1)
    expect(images).to_have_class(re.compile(r"gradviz-req-none\b"))
    assert images.locator(".gradviz-sign").evaluate("e => getComputedStyle(e).fill") == "none"
    expect(node(view, "hidden").locator("rect.gradviz-sign")).to_have_count(1)
    for title, words in (
        ("weight", ("leaf", "tracked leaf: gets a gradient", "Autodiff(NdArray)", "float32")),
        ("scale", ("leaf", "tracked leaf: no gradient gets here from the root")),
        ("images", ("leaf", "not tracked: no gradient")),
        ("hidden", ("computed", "gradients pass through")),
    ):
        said = node(view, title).locator("title").first.text_content() or ""
        assert all(word in said for word in words), said
    # Attributes stand beside the operation, shapes on edges, and what isn't tracked steps back.
    expect(node(view, "hidden").locator(".gradviz-aside")).to_contain_text("softmax dim=1")
    expect(view.locator(".gradviz-edge-text", has_text="(4, 2)").first).to_be_attached()
    assert opacity(node(view, "exp")) < 1
    assert opacity(node(view, "hidden")) == 1
    # A cut edge is drawn as one, and says where and why.
    cut = view.locator("g.gradviz-link-cut")
    expect(cut.first.locator(".gradviz-cut-text")).to_contain_text("detach")
    said = cut.first.locator("title").first.text_content() or ""
    assert re.search(r"the gradient is cut: .+, at .+line 6", said), said
    expect(view.locator(".gradviz-consumed")).to_have_count(0)


def test_what_a_backward_pass_used_up_is_marked(show: Show) -> None:
    view = show(USED)
    hidden = node(view, "hidden")
    expect(hidden).to_have_class(re.compile("gradviz-consumed"))
    expect(hidden.locator(".gradviz-state")).to_have_text("consumed")
    assert "consumed" in (hidden.locator("title").first.text_content() or "")
    expect(node(view, "scale")).not_to_have_class(re.compile("gradviz-consumed"))
    choose(view, "hidden")
    expect(view.locator(".gradviz-tags")).to_contain_text("consumed")


def test_views_narrow_to_ancestors_descendants_and_the_lost_gradient(show: Show) -> None:
    view = show(READING)
    whole = view.locator(".gradviz-node").count()
    narrowed = view.locator(".gradviz-isolation")
    choose(view, "hidden")
    view.get_by_role("button", name="Ancestors").click()
    expect(narrowed).to_contain_text("only what hidden is made from")
    expect(node(view, "weight")).to_have_count(1)
    expect(node(view, "gain")).to_have_count(0)
    view.get_by_role("button", name="Show all").click()
    expect(view.locator(".gradviz-node")).to_have_count(whole)
    view.get_by_role("button", name="Descendants").click()
    expect(narrowed).to_contain_text("only what uses hidden")
    expect(node(view, "loss")).to_have_count(1)
    expect(node(view, "weight")).to_have_count(0)
    canvas = view.locator(".gradviz-canvas")
    canvas.press("Escape")
    expect(narrowed).to_have_count(0)
    canvas.press("a")
    expect(narrowed).to_contain_text("only what hidden is made from")
    narrowed.click()
    # Why it gets none is one click, and the answer is the path with its cut.
    choose(view, "scale")
    view.get_by_role("button", name="Why no gradient?").click()
    expect(narrowed).to_contain_text("only the path from scale to loss")
    expect(view.locator(".gradviz-cut-text")).to_contain_text("detach")
    expect(node(view, "weight")).to_have_count(0)
    canvas.press("Escape")
    choose(view, "weight")
    expect(view.get_by_role("button", name="Why no gradient?")).to_have_count(0)
    canvas.press("w")
    expect(narrowed).to_contain_text("only the path from weight to loss")


def test_problems_are_counted_stepped_through_and_found_by_slug(show: Show) -> None:
    view = show(BROKEN)
    tallies = view.locator(".gradviz-tally")
    expect(tallies.first).to_be_visible()
    count = sum(int(re.sub(r"\D.*", "", text)) for text in tallies.all_inner_texts())
    assert count >= 2
    expect(view.locator(".gradviz-node[class*=gradviz-sev-]").first).to_be_visible()
    bar = view.locator(".gradviz-problem-bar")
    expect(bar).to_contain_text(f"1 of {count}")
    view.get_by_role("button", name="Next problem (n)").click()
    expect(bar).to_contain_text(f"2 of {count}")
    view.get_by_role("button", name="Previous problem (p)").click()
    expect(bar).to_contain_text(f"1 of {count}")
    view.locator(".gradviz-canvas").press("p")
    expect(bar).to_contain_text(f"{count} of {count}")
    view.locator(".gradviz-search").fill("untracked-root")
    expect(view.locator(".gradviz-found-count")).to_have_text(re.compile(r"[1-9]\d* found"))
    expect(view.locator(".gradviz-node.gradviz-found").first).to_be_attached()


def test_the_small_map_shows_where_and_leads_there(show: Show) -> None:
    view = show("".join(LOOPS) + "graph = gv.graph(loss, title='map')\n")
    view.locator(".gradviz-canvas").press("*")
    small = view.locator(".gradviz-minimap")
    expect(small).to_be_visible()
    picture = small.locator("canvas")
    painted = picture.evaluate(
        "c => c.getContext('2d').getImageData(0, 0, c.width, c.height).data.some(byte => byte > 0)"
    )
    assert painted, "the map shows the picture"
    page, window = view.page, small.locator(".gradviz-minimap-window")
    world = view.locator(".gradviz-world")
    before = (world.get_attribute("transform"), window.get_attribute("style"))
    # The whole map is in sight of the pointer: its upper end leads to the beginning.
    box = picture.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + 3)
    expect(world).not_to_have_attribute("transform", before[0] or "")
    expect(node(view, "matmul")).to_be_in_viewport()
    expect(window).not_to_have_attribute("style", before[1] or "")
    view.locator(".gradviz-canvas").press("0")
    expect(small).to_be_hidden()  # all of it is in sight


def test_a_backward_pass_is_played_with_everything_it_tells(show: Show) -> None:
    view = show(STEPS)
    view.locator(".gradviz-tab-steps").click()
    tab, said = view.locator(".gradviz-steps"), view.locator(".gradviz-step-count")
    expect(said).to_have_text("Step 1 of 6: out")
    expect(tab).to_contain_text("Each step frees what was saved for it.")
    tape = tab.locator(".gradviz-tape")

    def saved() -> float:
        bar: float = tape.locator(".gradviz-tape-bar").evaluate("e => parseFloat(e.style.width)")
        return bar

    full = saved()
    expect(tape).to_contain_text(re.compile(r"still saved; this step gives .+ back; \d+ gradient"))
    # The formula as it stands in its row and as mathematics, and numbers in and out.
    view.get_by_label("One step on").click()
    expect(said).to_have_text("Step 2 of 6: mul")
    expect(tab.locator(".gradviz-formula pre").first).to_contain_text("g * rhs")
    expect(tab.locator(".gradviz-formula math").first).to_be_visible()
    expect(tab.locator(".gradviz-glimpse pre").first).to_have_text("[1, 1]")
    expect(tab.locator(".gradviz-saved li")).to_have_count(2)
    expect(tab.locator(".gradviz-parts li").first).to_contain_text("lhs")
    # Sums where gradients meet, and at the end nothing is saved any more.
    body = view.locator(".gradviz-step-body")
    body.focus()
    texts = []
    for _ in range(4):
        body.press("ArrowRight")
        texts.append(body.inner_text())
    assert any("joins what was there; the sum so far" in text for text in texts)
    expect(said).to_contain_text("Step 6 of 6")
    assert saved() < full
    # Played, paused, scrubbed.
    body.press("Home")
    view.get_by_label("Play (space)").click()
    expect(said).to_contain_text("Step 2 of 6", timeout=10_000)
    view.get_by_label("Pause (space)").click()
    expect(view.get_by_label("Play (space)")).to_be_visible()
    view.get_by_label("Step", exact=True).fill("4")
    expect(said).to_contain_text("Step 5 of 6")
    expect(view.locator(".gradviz-paint-now.gradviz-node")).to_have_count(1)


def test_checkpointed_parts_show_what_is_computed_again(show: Show) -> None:
    view = show(CHECKPOINTED)
    view.locator(".gradviz-tab-steps").click()
    view.get_by_label("One step on").click()
    expect(view.locator(".gradviz-step-count")).to_contain_text("matmul")
    expect(view.locator(".gradviz-recomputed")).to_have_text("Computed again for this step: e")
    expect(view.locator(".gradviz-saved")).to_contain_text("not kept: recomputed (checkpointing)")


def saved(view: Locator, kind: str) -> bytes:
    """What the menu saves the reading as."""
    view.get_by_role("button", name="Save as a file").click()
    with view.page.expect_download() as waiting:
        view.get_by_role("menuitem", name=kind).click()
    assert waiting.value.suggested_filename == f"reading.{kind.lower()}"
    return Path(waiting.value.path()).read_bytes()


def test_pictures_and_the_message_are_saved_from_the_menu(show: Show) -> None:
    view = show(READING)
    for kind, start in (("SVG", b"<svg"), ("PNG", b"\x89PNG"), ("JSON", b'{"schema"')):
        assert saved(view, kind).lstrip().startswith(start)


def test_the_kernel_writes_the_files_that_a_browser_can_not(lab: LabPage) -> None:
    view = in_lab(lab, READING)
    for kind, start in (("PDF", b"%PDF"), ("HTML", b"<!doctype html>"), ("DOT", b"digraph")):
        assert saved(view, kind).lower().startswith(start.lower())


GRADIENTS = """\
import gradviz as gv
small = gv.tensor([1.0, 2.0], requires_grad=True, name="small")
large = gv.tensor([1.0, 2.0], requires_grad=True, name="large")
fine = gv.tensor([1.0, 2.0], requires_grad=True, name="fine")
none = gv.tensor([1.0, 2.0], requires_grad=True, name="none")
loss = (small * 1e-12 + large * 1e12 + fine * 2.0 + none * 0.0).sum()
grads = loss.backward()
graph = gv.graph(loss, grads=grads, title="gradients")
"""


def test_sizes_of_gradients_are_judged_in_the_table_and_on_the_edges(
    lab: LabPage,
) -> None:
    view = in_lab(lab, GRADIENTS)
    view.locator(".gradviz-tab-gradients").click()
    rows = view.locator(".gradviz-leaves tbody tr")
    expect(rows).to_have_count(4)
    for leaf, kind in (("small", "vanishing"), ("large", "exploding"), ("none", "zero")):
        row = rows.filter(has_text=leaf)
        expect(row).to_have_class(f"gradviz-health-{kind}")
        expect(row.locator(".gradviz-health")).to_contain_text(kind)
    expect(rows.filter(has_text="fine")).to_have_class("gradviz-health-fine")
    cells_of = rows.filter(has_text="fine").locator("td")
    expect(cells_of.nth(0)).to_have_text("2.236")
    expect(cells_of.nth(1)).to_contain_text("2.828")
    expect(cells_of.nth(2)).to_have_text("1.26")
    # The bars are logarithmic: the largest is full, and what is fine stands in between.
    widths = [
        rows.filter(has_text=leaf)
        .locator(".gradviz-size-bar")
        .evaluate("e => parseFloat(e.style.width)")
        for leaf in ("small", "fine", "large")
    ]
    assert widths[0] < 10 < widths[1] < 90 < widths[2]
