"""The widget bundle where there is no JupyterLab: an empty page and a model that only looks like one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from gradviz.graph.answers import DifferenceView, ExtrasView, HistoryView
from gradviz.graph.model import as_json
from tests.ui import samples
from tests.ui.bare import draw
from tests.ui.browser import artifacts

if TYPE_CHECKING:
    from playwright.sync_api import Page

DARK = "body { background: #111318; color: #e7e9ee }"


def test_draws_and_redraws_and_leaves_nothing_behind(page: Page) -> None:
    errors = draw(page, samples.classifier())
    expect(page.locator(".gradviz-node")).to_have_count(16)  # one leaf is used twice
    page.evaluate("data => window.model.set('graph', data)", as_json(samples.broken()))
    expect(page.locator(".gradviz-node")).to_have_count(6)
    page.evaluate("() => window.unmount()")
    expect(page.locator(".gradviz")).to_have_count(0)
    page.evaluate("data => window.model.set('graph', data)", as_json(samples.classifier()))
    expect(page.locator(".gradviz")).to_have_count(0)
    assert errors == []


def test_outside_a_notebook_the_fix_is_copied(page: Page) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    errors = draw(page, samples.broken())
    fix = page.locator(".gradviz-fix").first
    assert fix.get_by_role("button", name="Apply").count() == 0
    fix.get_by_role("button", name="Copy patched code").click()
    expect(fix.locator(".gradviz-fix-message")).to_contain_text("Copied")
    assert page.evaluate("() => navigator.clipboard.readText()") == samples.CELL.replace(
        "(w * 3).detach()", "w * 3"
    )
    assert errors == []


def test_a_closed_clipboard_shows_the_code_to_copy(page: Page) -> None:
    errors = draw(page, samples.broken())
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('no')) }")
    fix = page.locator(".gradviz-fix").first
    fix.get_by_role("button", name="Copy patched code").click()
    area = fix.locator("textarea")
    expect(area).to_be_focused()
    assert "h = w * 3" in area.input_value()
    assert errors == []


def test_hostile_texts_stay_text(page: Page) -> None:
    errors = draw(page, samples.hostile())
    for tab in ("details", "outline", "problems"):
        page.locator(f".gradviz-tab-{tab}").click()
        assert page.locator(".gradviz img, .gradviz script, .gradviz b").count() == 0
    # No attribute carries an invisible character either (tooltips, labels).
    hidden = page.evaluate(
        """() => [...document.querySelectorAll('.gradviz *')].flatMap(e => [...e.attributes])
            .filter(a => /[\\u202a-\\u202e\\u2066-\\u2069\\u0000-\\u0008\\u200b]/.test(a.value)).map(a => a.name)"""
    )
    assert hidden == []
    assert page.evaluate("() => window.__hacked === undefined")
    assert errors == []


@pytest.mark.parametrize(
    ("message", "text"),
    [
        (None, "no gradviz message"),
        ({"schema": 99}, "newer gradviz"),
        ({"schema": 1, "nodes": "many"}, "can't be read"),
    ],
)
def test_unreadable_messages_say_so(page: Page, message: object, text: str) -> None:
    errors = draw(page, message)
    expect(page.locator(".gradviz-unreadable")).to_contain_text(text)
    assert errors == []


def test_an_empty_graph_and_one_without_problems(page: Page) -> None:
    errors = draw(page, samples.graph("nothing", [], [], ()))
    expect(page.locator(".gradviz-counts")).to_have_text("0 nodes")
    page.locator(".gradviz-canvas").press("ArrowDown")
    page.locator(".gradviz-tab-problems").click()
    expect(page.locator(".gradviz-pane-body")).to_contain_text("No problem is predicted")
    assert errors == []


def test_a_healthy_training_step_has_no_red_marks(page: Page) -> None:
    errors = draw(page, samples.classifier())
    assert page.locator(".gradviz-node[class*='gradviz-sev-']").count() == 0
    assert page.locator(".gradviz-not-ok").count() == 0
    # The refusal of require_grad is a lock that waits for the pointer.
    lock = page.locator(".gradviz-lock").first
    assert lock.evaluate("e => getComputedStyle(e).opacity") == "0"
    assert errors == []


def test_large_graphs_open_folded_and_unfold(page: Page) -> None:
    errors = draw(page, samples.long_chain(8_000))
    page.locator(".gradviz-node").first.wait_for()
    assert page.locator(".gradviz-node").count() <= 60
    assert page.evaluate("() => window.renderMs") < 3_000  # 0.3 s on an idle machine
    # Everything at once is placed off the page's thread and painted.
    page.get_by_label("Unfold everything").click()
    expect(page.locator(".gradviz-counts")).to_have_text("8,003 nodes")
    expect(page.locator(".gradviz-stage")).to_have_attribute("data-state", "placed", timeout=60_000)
    page.get_by_label("Fit the whole graph").click()
    expect(page.locator(".gradviz-world")).to_have_class("gradviz-world gradviz-is-far")
    expect(page.locator(".gradviz-paint")).to_be_visible()
    assert page.evaluate("() => document.querySelectorAll('.gradviz-canvas *').length") < 5_000
    # Walking from the root comes back to a readable size.
    page.locator(".gradviz-canvas").focus()
    page.locator(".gradviz-canvas").press("ArrowUp")
    expect(page.locator(".gradviz-world")).to_have_class("gradviz-world")
    expect(page.locator(".gradviz-node.gradviz-focused")).to_have_count(1)
    page.locator(".gradviz-canvas").press("h")
    expect(page.locator(".gradviz-counts")).to_contain_text("in view")
    assert errors == []


def test_shapes_stand_on_edges_with_room_for_them(page: Page) -> None:
    errors = draw(page, samples.classifier())
    seen = page.evaluate(
        """() => [...document.querySelectorAll('.gradviz-edge-text')]
            .map(text => [text.textContent, getComputedStyle(text).opacity])"""
    )
    assert ["(32, 32)", "1"] in seen
    # Each is said once: what the box says, or another edge, waits for the pointer.
    quiet = page.locator(".gradviz-edge-text-quiet")
    assert quiet.count() > 0
    for at in range(quiet.count()):
        assert quiet.nth(at).evaluate("text => getComputedStyle(text).opacity") == "0"
    assert errors == []


def test_problems_are_walked_with_n_and_p(page: Page) -> None:
    errors = draw(page, samples.many_problems(7))
    canvas = page.locator(".gradviz-canvas")
    canvas.focus()
    expect(page.locator(".gradviz-problem-bar")).to_contain_text("1 of 7")
    canvas.press("n")
    expect(page.locator(".gradviz-problem-message")).to_have_text("Problem number 1")
    canvas.press("p")
    canvas.press("p")
    expect(page.locator(".gradviz-problem-bar")).to_contain_text("7 of 7")
    assert errors == []


def test_every_control_has_a_name_and_one_tab_stop_each_group(page: Page) -> None:
    errors = draw(page, samples.classifier())
    unnamed = page.evaluate(
        """() => [...document.querySelectorAll('.gradviz button, .gradviz input, .gradviz [role=application]')]
            .filter(e => !(e.getAttribute('aria-label') || e.textContent.trim())).length"""
    )
    assert unnamed == 0
    stops = page.evaluate(
        """() => ['.gradviz-crumbs', '.gradviz-buttons', '.gradviz-tabs', '.gradviz-zoom', '.gradviz-stage > svg'].map(
            s => [...document.querySelectorAll(`${s}, ${s} *`)].filter(e => e.getAttribute('tabindex') === '0').length)"""
    )
    assert stops == [1, 1, 1, 1, 1]
    page.get_by_label("Zoom out").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_label("Zoom in")).to_be_focused()
    assert errors == []


def eight_tabs(page: Page) -> list[str]:
    """The broken sample with a history and changes beside it, as a loop that is followed shows."""
    difference = DifferenceView("a", "b", 1, 1, ())
    history = HistoryView(1, (0,), (1.0,), (False,), (), (), ())
    view = replace(samples.broken(), extras=ExtrasView(difference=difference, history=history))
    return draw(page, view, width=800)


def test_tabs_stay_one_line_and_all_are_reached(page: Page) -> None:
    errors = eight_tabs(page)
    tabs = page.get_by_role("tab")
    expect(tabs).to_have_count(8)
    height = page.locator(".gradviz-tab-row").bounding_box()
    assert height is not None
    assert height["height"] < 42, "one line"

    def seen(name: str) -> bool:
        inside: bool = page.locator(f".gradviz-tab-{name}").evaluate(
            """tab => {
                const row = tab.parentElement.getBoundingClientRect(), own = tab.getBoundingClientRect();
                return own.left >= row.left - 1 && own.right <= row.right + 1;
            }"""
        )
        return inside

    assert not seen("outline")
    more = page.locator(".gradviz-tab-more").last
    # By the pointer: the button at the end, which leads nowhere once the end is there.
    while more.is_enabled():
        more.click()
        page.wait_for_timeout(50)
    assert seen("outline")
    page.locator(".gradviz-tab-outline").click()
    expect(page.get_by_role("tree")).to_be_visible()
    # By the keyboard: the arrows walk all of them, around the end, and the row follows.
    page.keyboard.press("ArrowRight")
    expect(page.locator(".gradviz-tab-details")).to_be_focused()
    assert seen("details")
    page.keyboard.press("ArrowLeft")
    assert seen("outline")
    # Where there is room for all, there is no button.
    page.evaluate("data => window.model.set('graph', data)", as_json(samples.classifier()))
    page.set_viewport_size({"width": 1600, "height": 900})
    expect(more).to_be_hidden()
    assert errors == []


def test_a_search_lists_what_it_finds_and_gives_the_pane_back(page: Page) -> None:
    errors = draw(page, samples.classifier())
    search = page.locator(".gradviz-search")
    search.fill("linear")
    rows = page.get_by_role("treeitem")
    expect(page.locator(".gradviz-tab-outline")).to_have_attribute("aria-selected", "true")
    count = int(page.locator(".gradviz-found-count").inner_text().split()[0])
    expect(rows).to_have_count(count)
    search.press("Enter")
    expect(page.locator("[role=treeitem][aria-selected=true]")).to_have_count(1)
    search.press("Escape")
    expect(page.locator(".gradviz-tab-details")).to_have_attribute("aria-selected", "true")
    # A tab that is chosen meanwhile stays.
    search.fill("linear")
    page.locator(".gradviz-tab-values").click()
    search.press("Escape")
    expect(page.locator(".gradviz-tab-values")).to_have_attribute("aria-selected", "true")
    assert errors == []


def test_the_legend_explains_and_the_keys_wait(page: Page) -> None:
    errors = draw(page, samples.classifier())
    page.get_by_label("Legend").click()
    expect(page.locator(".gradviz-legend")).to_contain_text("tracked, unless marked")
    expect(page.locator(".gradviz-legend kbd").first).to_be_hidden()
    page.get_by_label("Legend").click()
    page.locator(".gradviz-canvas").press("?")
    expect(page.locator(".gradviz-legend kbd").first).to_be_visible()
    assert errors == []


def test_reduced_motion_moves_at_once(page: Page) -> None:
    page.emulate_media(reduced_motion="reduce")
    errors = draw(page, samples.long_chain(60))
    before = page.locator(".gradviz-world").get_attribute("transform")
    page.get_by_label("Zoom in").click()
    after = page.locator(".gradviz-world").get_attribute("transform")
    assert before != after
    page.wait_for_timeout(300)
    assert page.locator(".gradviz-world").get_attribute("transform") == after
    assert errors == []


@pytest.mark.parametrize("width", [400, 1400])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_pictures_at_both_widths(page: Page, width: int, theme: str) -> None:
    for name, view in (
        ("classifier", samples.classifier()),
        ("broken", samples.broken()),
        ("residual", samples.residual()),
        ("card", samples.card()),
    ):
        errors = draw(page, view, css=DARK if theme == "dark" else "", width=width)
        page.wait_for_timeout(250)
        root = page.locator(".gradviz")
        expect(root).to_have_attribute("data-gradviz-theme", theme)
        overflow = page.evaluate("() => document.documentElement.scrollWidth - window.innerWidth")
        assert overflow <= 0, "nothing sticks out of the page"
        root.screenshot(path=artifacts() / f"widget-{name}-{theme}-{width}.png")
        assert errors == []


def test_the_small_map_hides_no_problem(page: Page) -> None:
    errors = draw(page, samples.residual(), width=1400)
    small = page.locator(".gradviz-minimap")
    expect(small).to_be_visible()
    page.wait_for_timeout(250)
    over = """map => {
        const one = map.getBoundingClientRect();
        return [...document.querySelectorAll(".gradviz-node.gradviz-sev-error")].filter(node => {
            const other = node.getBoundingClientRect();
            return other.left < one.right && other.right > one.left
                && other.top < one.bottom && other.bottom > one.top;
        }).length;
    }"""
    assert page.locator(".gradviz-node.gradviz-sev-error").count() == 1
    assert small.evaluate(over) == 0
    assert errors == []


MOVING = (
    "() => document.getAnimations().filter(a => a.effect.target.closest('.gradviz-world')).length"
)


def unfold(page: Page, text: str) -> tuple[float, float]:
    """Clicks the plus of a folded box as a person would; returns where."""
    opener = page.locator(".gradviz-folded", has_text=text).locator(".gradviz-opener")
    box = opener.bounding_box()
    assert box is not None
    at = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.click(*at)
    return at


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_folding_glides_and_stays_under_the_pointer(page: Page, motion: str) -> None:
    page.emulate_media(reduced_motion=motion)
    errors = draw(page, samples.classifier())
    whole = page.locator(".gradviz-node").count()
    for name in ("0: Linear(64, 32)", "2: Linear(32, 10)"):
        head = page.locator(".gradviz-band-head", has_text=name)
        head.click()
        assert (page.evaluate(MOVING) > 0) == (motion == "no-preference")
        page.wait_for_function(f"() => ({MOVING})() === 0")
        expect(page.locator(".gradviz-ghosts > *")).to_have_count(0)
    assert page.locator(".gradviz-node").count() < whole
    above = page.locator(".gradviz-folded", has_text="0: Linear").bounding_box()
    x, y = unfold(page, "2: Linear")
    assert (page.evaluate(MOVING) > 0) == (motion == "no-preference")
    page.wait_for_function(f"() => ({MOVING})() === 0")
    # The frame of what was clicked lies under the pointer, and what stands above has not moved.
    frame = page.locator(".gradviz-band-box", has_text="2: Linear").bounding_box()
    assert frame is not None
    assert frame["x"] <= x <= frame["x"] + frame["width"]
    assert frame["y"] <= y <= frame["y"] + frame["height"]
    after = page.locator(".gradviz-folded", has_text="0: Linear").bounding_box()
    assert above is not None
    assert after is not None
    assert abs(after["x"] - above["x"]) < 1
    assert abs(after["y"] - above["y"]) < 40
    assert errors == []
