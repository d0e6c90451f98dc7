"""Exported pages answer what the kernel would: numbers, gradients, steps, and two runs compared."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

import gradviz as gv
from gradviz.graph import view
from gradviz.graph.graph import Graph
from gradviz.render import saved
from gradviz.widgets import live
from gradviz.widgets.compare import Comparison
from tests.ui import axe
from tests.ui.browser import artifacts
from tests.ui.conftest import Open

HOSTILE = "<img src=x onerror=window.hurt=1></script><script>window.hurt=1</script>\u202e\x00"
IMAGE = np.linspace(-1.0, 1.0, 4 * 3 * 8 * 8, dtype=np.float32).reshape(4, 3, 8, 8)


def classifier(name: str = "images") -> tuple[Graph, object]:
    """A graph with pictures in it, and what has to be held for its values to be there."""
    gv.manual_seed(0)
    model = gv.nn.Sequential(gv.nn.Linear(192, 16), gv.nn.ReLU(), gv.nn.Linear(16, 10))
    images = gv.tensor(IMAGE, requires_grad=True, name=name)
    shift = gv.tensor([0.5], requires_grad=True, name="shift")
    scores = model(images.reshape(4, 192)) + shift.detach()
    loss = gv.cross_entropy(scores, gv.tensor(np.arange(4)))
    return gv.graph(loss, model, title="classifier"), (model, images, shift, scores, loss)


@pytest.fixture(scope="module")
def kept() -> Iterator[list[object]]:
    """What tests hold on to."""
    held: list[object] = []
    yield held
    held.clear()


def choose(page: Page, title: str) -> None:
    """Selects the first node with a name or an operation, all of the picture being in sight."""
    page.locator(".gradviz-canvas").press("0")
    said = page.locator("title", has_text=re.compile(rf"^{re.escape(title)}[ ,(]"))
    page.locator(".gradviz-node", has=said).first.locator(".gradviz-title").click()


def fact(section: Locator, label: str) -> Locator:
    """A number of the table of statistics."""
    return section.locator(".gradviz-statistics > div", has_text=label).first.locator("dd")


def test_values_are_read_in_the_page(opened: Open, kept: list[object]) -> None:
    graph, held = classifier()
    kept.append(held)
    page = opened(graph)
    page.locator(".gradviz-tab-values").click()
    choose(page, "images")
    value, gradient = (page.locator(".gradviz-values section").nth(at) for at in (0, 1))
    expect(value).to_contain_text("(4, 3, 8, 8) float32, held by a tensor of yours")
    expect(fact(value, "min")).to_have_text("-1")
    expect(fact(value, "max")).to_have_text("1")
    expect(fact(value, "norm")).to_have_text(f"{float(np.linalg.norm(IMAGE)):.4g}")
    said = value.locator(".gradviz-bar title").all_text_contents()
    assert sum(int(text.rpartition(": ")[2]) for text in said) == IMAGE.size
    expect(gradient).to_contain_text("gv.explore(loss, grads=grads)")
    # Every slice of the first two axes, cell by cell, and the colours of images.
    heat = value.locator(".gradviz-heat")
    heat.get_by_label("Index along axis 0").fill("3")
    heat.get_by_label("Index along axis 1").fill("2")
    heat.locator("canvas").focus()
    page.keyboard.press("ArrowRight")
    expect(heat.locator("output")).to_have_text(f"[3, 2, 0, 0] = {float(IMAGE[3, 2, 0, 0]):.5g}")
    heat.get_by_label("as colours").check()
    expect(heat.locator("output")).to_contain_text("[3, 0\u20132, 0, 0] = ")
    # What was left out is said, and the picture that stays is not taken for it.
    heat.get_by_label("Axis shown as rows").select_option("0")
    expect(heat.locator("output")).to_have_text("This slice is not saved in this file.")
    expect(heat.locator("canvas")).to_have_class(re.compile("gradviz-heat-other"))
    heat.get_by_label("Axis shown as rows").select_option("2")
    expect(heat.locator("canvas")).not_to_have_class(re.compile("gradviz-heat-other"))
    # What nothing holds is computed again for the page, as it is in the notebook.
    choose(page, "linear")
    expect(value).to_contain_text("not kept; computed again for this view")
    expect(value).to_contain_text("(4, 16) float32")


def test_values_of_gradients_at_hand(opened: Open) -> None:
    w = gv.tensor([[3.0, 4.0], [0.0, 1.0]], requires_grad=True, name="w")
    loss = (w * w).sum()
    page = opened(gv.graph(loss, grads=loss.backward()))
    page.locator(".gradviz-tab-values").click()
    choose(page, "w")
    gradient = page.locator(".gradviz-values section").nth(1)
    expect(gradient).to_contain_text("given by the backward pass")
    expect(fact(gradient, "max")).to_have_text("8")
    heat = gradient.locator(".gradviz-heat")
    heat.locator("canvas").focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowDown"):
        page.keyboard.press(key)
    expect(heat.locator("output")).to_have_text("[1, 1] = 2")
    page.locator(".gradviz-tab-steps").click()
    expect(page.locator(".gradviz-not-here")).to_contain_text("gv.trace_backward(loss)")
    expect(page.locator(".gradviz-not-here code").first).to_be_visible()


def test_the_table_of_parameters(opened: Open, kept: list[object]) -> None:
    graph, held = classifier()
    kept.append(held)
    page = opened(graph)
    page.locator(".gradviz-tab-gradients").click()
    expect(page.locator(".gradviz-gradients")).to_contain_text("this is what it would give")
    rows = page.locator(".gradviz-leaves tbody tr")
    expect(rows).to_have_count(6)
    images = rows.filter(has_text="images")
    expect(images.locator("td").first).to_have_text(f"{float(np.linalg.norm(IMAGE)):.4g}")
    cut = rows.filter(has_text="shift")
    expect(cut).to_contain_text("path-cut-detach")
    expect(page.locator(".gradviz-paint-flow-fine").first).to_be_attached()
    page.locator(".gradviz-toggle input").uncheck()
    expect(page.locator("[class*='gradviz-paint-flow']")).to_have_count(0)
    images.get_by_role("button").click()
    expect(page.locator(".gradviz-details h3")).to_have_text("images")


def test_a_backward_pass_is_played_that_was_run_for_the_page(opened: Open) -> None:
    x = gv.tensor([1.0, 2.0], requires_grad=True, name="x")
    loss = (x.tanh() * x).sum()
    page = opened(gv.graph(loss))
    assert loss.backward()[x].shape == (2,), "nothing was consumed"
    page.locator(".gradviz-tab-steps").click()
    said = page.locator(".gradviz-step-count")
    expect(said).to_have_text("Step 1 of 3: loss")
    expect(page.locator(".gradviz-steps")).to_contain_text("The graph was kept")
    page.get_by_label("Play (space)").click()
    expect(said).to_have_text("Step 2 of 3: mul")
    page.get_by_label("Pause (space)").click()
    expect(page.get_by_label("Play (space)")).to_be_visible()
    page.get_by_label("Step", exact=True).fill("2")
    expect(said).to_have_text("Step 3 of 3: tanh")
    expect(page.locator(".gradviz-formula math").first).to_be_visible()
    expect(page.locator(".gradviz-formula pre")).to_contain_text("g * (1.0 - out * out)")
    expect(page.locator(".gradviz-glimpse pre").first).to_have_text("[1, 2]")
    expect(page.locator(".gradviz-join")).to_be_visible()
    expect(page.locator(".gradviz-paint-now.gradviz-node")).to_have_count(1)
    body = page.locator(".gradviz-step-body")
    body.press("Home")
    body.press("ArrowRight")
    expect(said).to_contain_text("Step 2 of 3")


def test_a_page_without_values_says_so(browser: Browser, front_end: Path, tmp_path: Path) -> None:
    x = gv.tensor(IMAGE[0, 0, 0, :2], requires_grad=True, name="x")
    loss = (x * x).sum()
    gv.graph(loss).save(tmp_path / "g.html", values=False)
    context = browser.new_context()
    page = context.new_page()
    page.goto((tmp_path / "g.html").as_uri())
    for tab, count in (("values", 2), ("gradients", 1), ("steps", 1)):
        page.locator(f".gradviz-tab-{tab}").click()
        quiet = page.locator(".gradviz-not-here")
        expect(quiet).to_have_count(count)
        expect(quiet.first).to_have_text("This file was saved without numbers.")
    assert f"{IMAGE[0, 0, 0, 1]:.4}" not in page.content()
    page.get_by_role("button", name="Save as a file").click()
    expect(page.get_by_role("menuitem")).to_have_count(3)  # what needs no kernel
    context.close()


def test_what_had_no_room_is_said(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saved, "MOST_TEXT", 0)
    monkeypatch.setattr(saved.answers_text, "__defaults__", (2600,))
    gv.manual_seed(0)
    x = gv.randn(40, 40, requires_grad=True, name="x")
    loss = (x * x).sum()
    page = opened(gv.graph(loss))
    page.locator(".gradviz-tab-values").click()
    choose(page, "x")
    value = page.locator(".gradviz-values section").first
    expect(value.locator(".gradviz-histogram")).to_be_visible()
    expect(value.locator(".gradviz-heat")).to_have_count(0)
    expect(value).to_contain_text("Its picture is not saved in this file")


def test_a_large_graph_has_numbers_and_verdicts_of_what_matters(opened: Open) -> None:
    x = gv.tensor([1.0, 2.0], requires_grad=True, name="x")
    y = x
    for _ in range(view.LIMIT // 2):
        y = y.sin() * 1.001
    loss = y.sum()
    page = opened(gv.graph(loss))
    expect(page.locator(".gradviz-counts")).to_contain_text(re.compile(r"1,50\d nodes"))
    choose(page, "sin")
    page.locator(".gradviz-tab-details").click()
    details = page.locator(".gradviz-details")
    expect(details).to_contain_text("Gradients would flow to its marked leaves.")
    expect(details).not_to_contain_text("Not in this output")
    page.locator(".gradviz-tab-values").click()
    expect(page.locator(".gradviz-statistics").first).to_be_visible()
    page.locator(".gradviz-tab-steps").click()
    expect(page.locator(".gradviz-steps")).to_contain_text("the first 400 are told")


def test_hostile_names_stay_text_in_every_tab(opened: Open, kept: list[object]) -> None:
    graph, held = classifier(HOSTILE)
    kept.append(held)
    page = opened(graph)
    page.locator(".gradviz-tab-gradients").click()
    rows = page.locator(".gradviz-leaves tbody tr")
    expect(rows.filter(has_text="<img src=x")).to_have_count(1)
    rows.filter(has_text="<img src=x").get_by_role("button").click()
    page.locator(".gradviz-tab-values").click()
    expect(page.locator(".gradviz-values h3")).to_contain_text("<img src=x")
    expect(page.locator(".gradviz-statistics").first).to_be_visible()
    page.locator(".gradviz-tab-steps").click()
    page.get_by_label("To the last step").click()
    expect(page.locator(".gradviz-parts").last).to_contain_text("<img src=x")
    assert page.locator(".gradviz img").count() == 0
    assert page.locator("script").count() == 3
    assert page.evaluate("() => window.hurt === undefined")
    assert page.evaluate("() => document.documentElement.scrollWidth <= window.innerWidth")


def runs(name: str = "scale") -> tuple[Comparison, object]:
    """Two runs of a small model, one of them with more in it."""
    gv.manual_seed(0)
    one, two = gv.nn.Linear(3, 2), gv.nn.Linear(3, 2)
    scale = gv.tensor([2.0, 3.0], requires_grad=True, name=name)
    before = (one(gv.ones(4, 3)).relu() * scale).mean()
    after = (two(gv.ones(4, 3)).tanh() * scale.detach()).mean()
    graphs = gv.graph(before, title="first run"), gv.graph(after, title="second run")
    return gv.compare(*graphs), (one, two, scale, before, after)


def test_two_runs_stand_side_by_side(opened: Open, kept: list[object]) -> None:
    found, held = runs()
    kept.append(held)
    page = opened(found, viewport={"width": 1300, "height": 900})
    expect(page.locator(".still")).to_be_hidden()
    sides = page.locator(".gradviz-pair-side")
    expect(sides).to_have_count(2)
    boxes = [sides.nth(at).bounding_box() for at in (0, 1)]
    assert boxes[0] and boxes[1] and abs(boxes[0]["y"] - boxes[1]["y"]) < 2
    assert boxes[0]["x"] + boxes[0]["width"] <= boxes[1]["x"]
    expect(page.locator(".gradviz-pair-head")).to_contain_text("2 added, 1 removed")
    expect(sides.nth(0).locator(".gradviz-paint-removed", has_text="relu")).to_have_count(1)
    expect(sides.nth(1).locator(".gradviz-paint-added", has_text="tanh")).to_have_count(1)
    expect(sides.nth(1).locator(".gradviz-paint-added", has_text="detach")).to_have_count(1)
    # A difference leads to both its ends.
    page.locator(".gradviz-change", has_text="mul").get_by_role("button").click()
    for at in (0, 1):
        expect(sides.nth(at).locator(".gradviz-details h3")).to_have_text("mul")
    # Each side has numbers of its own.
    for at, numbers in ((0, "Step 1 of 4"), (1, "Step 1 of 4")):
        sides.nth(at).locator(".gradviz-tab-steps").click()
        expect(sides.nth(at).locator(".gradviz-step-count")).to_contain_text(numbers)
        sides.nth(at).locator(".gradviz-tab-gradients").click()
        row = sides.nth(at).locator(".gradviz-leaves tbody tr", has_text="scale")
        expect(row).to_have_count(1)
        if at == 1:
            expect(row).to_contain_text("no gradient")


def test_two_runs_with_hostile_names(opened: Open, kept: list[object]) -> None:
    found, held = runs(HOSTILE)
    kept.append(held)
    page = opened(found)
    expect(page.locator(".gradviz-changes")).to_contain_text("<img src=x")
    assert page.locator(".gradviz img").count() == 0
    assert page.evaluate("() => window.hurt === undefined")
    still = opened(found, java_script_enabled=False)
    expect(still.locator(".still")).to_be_visible()
    expect(still.locator(".still figure")).to_have_count(2)
    expect(still.get_by_role("row", name=re.compile("relu removed"))).to_be_visible()


def test_a_followed_run_is_looked_through_in_the_page(
    opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "SHARE_NOTING", 0.0)  # every step, however quick the loop
    w = gv.tensor([1.0, 2.0], requires_grad=True, name="w")
    with gv.live("descent") as run:
        for _ in range(12):
            loss = (w * w).sum()
            grads = loss.backward()
            run.update(loss, grads)
            w = (w.detach() - 0.1 * grads[w]).require_grad()
    page = opened(run)
    page.locator(".gradviz-tab-history").click()
    expect(page.locator(".gradviz-history > p").first).to_contain_text("12 steps")
    page.get_by_label("Step of the run").fill("0")
    expect(page.locator(".gradviz-step-count")).to_have_text("Step 0: 5")
    page.screenshot(path=artifacts() / "page-history.png")
    page.locator(".gradviz-tab-gradients").click()
    expect(page.locator(".gradviz-leaves").first).to_be_visible()
    assert axe.serious(page) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 1300])
def test_themes_widths_and_access(opened: Open, kept: list[object], theme: str, width: int) -> None:
    graph, held = classifier()
    found, more = runs()
    kept += [held, more]
    options = {"color_scheme": theme, "viewport": {"width": width, "height": 900}}
    page = opened(graph, **options)
    choose(page, "images")
    for tab, there in (
        ("values", ".gradviz-heat"),
        ("gradients", ".gradviz-leaves"),
        ("steps", ".gradviz-player"),
    ):
        page.locator(f".gradviz-tab-{tab}").click()
        expect(page.locator(there).first).to_be_visible()
        page.screenshot(path=artifacts() / f"page-{tab}-{theme}-{width}.png")
        assert axe.serious(page) == []
    pair = opened(found, **options)
    expect(pair.locator(".gradviz-node").first).to_be_visible()
    for frame in pair.locator(".gradviz").all():
        expect(frame).to_have_attribute("data-gradviz-theme", theme)
    pair.screenshot(path=artifacts() / f"page-pair-{theme}-{width}.png", full_page=True)
    assert pair.evaluate("() => document.documentElement.scrollWidth <= window.innerWidth")
    assert axe.serious(pair) == []
