"""The explorer in JupyterLab: the extension draws the message, and edits the notebook it stands in."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.ui.browser import artifacts
from tests.ui.lab import LabPage, code_cell, write_notebook
from tests.ui.samples import CELL

CODE, SHOW = 0, 1
PATCHED = CELL.replace("(w * 3).detach()", "w * 3")


def display_cell(expression: str) -> str:
    """Code that shows a sample."""
    return (
        "from IPython.display import display\n"
        "from gradviz.graph.model import MIME_TYPE, as_json\n"
        "from tests.ui import samples\n"
        f"display({{MIME_TYPE: as_json(samples.{expression}), 'text/plain': 'a graph'}}, raw=True)"
    )


def open_with(lab: LabPage, expression: str, name: str = "explorer.ipynb") -> None:
    """A notebook whose first cell holds the code and whose second one shows the sample."""
    cells = [
        code_cell(CELL.rstrip("\n"), id="the-code"),
        code_cell(display_cell(expression), id="shows"),
    ]
    write_notebook(lab.server.root / name, cells)
    lab.open(name)
    lab.run_cell(SHOW)
    lab.explorer(SHOW).wait_for()


def world(lab: LabPage) -> str:
    """The camera's transform."""
    return lab.explorer(SHOW).locator(".gradviz-world").get_attribute("transform") or ""


def zoom_of(transform: str) -> float:
    """The scale in it."""
    found = re.search(r"scale\(([\d.]+)\)", transform)
    assert found is not None
    return float(found[1])


def test_draws_nodes_marks_details_problems_and_legend(lab: LabPage) -> None:
    open_with(lab, "broken()")
    explorer = lab.explorer(SHOW)
    expect(explorer.locator(".gradviz-node")).to_have_count(6)
    # The failing node says so by colour class, by sign, and by text.
    failing = explorer.locator(".gradviz-node.gradviz-sev-error.gradviz-root-node")
    expect(failing.locator(".gradviz-mark-text")).to_contain_text("No tracked tensor")
    expect(failing.locator(".gradviz-mark-disc")).to_have_count(1)
    # The cut edge is dashed and named.
    cut = explorer.locator("g.gradviz-link-cut")
    expect(cut).to_have_count(1)
    expect(cut.locator(".gradviz-cut-text")).to_contain_text("detach")
    dashes = cut.locator(".gradviz-link-path").evaluate("e => getComputedStyle(e).strokeDasharray")
    assert dashes != "none"

    explorer.locator(".gradviz-tab-details").click()
    details = explorer.locator(".gradviz-details")
    for text in (
        "Autodiff(NdArray)",
        "scalar",
        "float32",
        "45.0",
        "In [2], line 5",
        "(h * h).sum()",
    ):
        expect(details).to_contain_text(text)
    expect(details.locator(".gradviz-outcome").first).to_contain_text("backward()fails")
    expect(details.locator(".gradviz-outcome").first).to_contain_text("h was detached")
    expect(details.locator(".gradviz-outcome").nth(1)).to_contain_text("require_grad()works")

    explorer.locator(".gradviz-tab-problems").click()
    explorer.locator(".gradviz-next-problem").click()
    expect(explorer.locator(".gradviz-problem-bar")).to_contain_text("2 of 2")
    expect(explorer.locator(".gradviz-problem-message")).to_have_text(
        "The leaf w gets no gradient from loss"
    )
    expect(explorer.locator(".gradviz-node.gradviz-selected .gradviz-title")).to_contain_text("w")

    legend = explorer.locator(".gradviz-legend")
    expect(legend).to_be_hidden()
    explorer.get_by_label("Legend").click()
    expect(legend).to_contain_text("cut: the gradient ends here")
    assert lab.errors == []


def test_pan_zoom_and_fit_leave_the_page_its_wheel(lab: LabPage) -> None:
    open_with(lab, "classifier()")
    canvas = lab.explorer(SHOW).locator(".gradviz-canvas")
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    assert box is not None
    x, y = box["x"] + 20, box["y"] + box["height"] - 20
    first = world(lab)

    lab.page.mouse.move(x, y)
    lab.page.mouse.wheel(0, -200)
    lab.page.wait_for_timeout(200)
    assert zoom_of(world(lab)) == zoom_of(first), "an unfocused graph must not take the wheel"

    lab.page.keyboard.down("Control")
    lab.page.mouse.wheel(0, -200)
    lab.page.keyboard.up("Control")
    lab.page.wait_for_function(
        "z => +document.querySelector('.gradviz-world').getAttribute('transform').match(/scale\\(([\\d.]+)/)[1] > z",
        arg=zoom_of(first),
    )

    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    assert box is not None
    x, y = box["x"] + 20, box["y"] + box["height"] / 2
    before = world(lab)
    lab.page.mouse.move(x, y)
    lab.page.mouse.down()
    lab.page.mouse.move(x + 60, y + 30, steps=4)
    lab.page.mouse.up()
    assert world(lab) != before
    assert zoom_of(world(lab)) == zoom_of(before)

    focused = zoom_of(world(lab))
    lab.page.mouse.wheel(0, 240)
    lab.page.wait_for_timeout(200)
    assert zoom_of(world(lab)) < focused, "a focused graph zooms with the plain wheel"

    lab.explorer(SHOW).get_by_label("Fit the whole graph").click()
    lab.page.wait_for_timeout(400)
    inside = lab.page.evaluate(
        """() => {
            const canvas = document.querySelector('.gradviz-canvas').getBoundingClientRect();
            return [...document.querySelectorAll('.gradviz-node')].every(node => {
                const box = node.getBoundingClientRect();
                return box.left >= canvas.left - 1 && box.right <= canvas.right + 1
                    && box.top >= canvas.top - 1 && box.bottom <= canvas.bottom + 1;
            });
        }"""
    )
    assert inside
    assert lab.errors == []


@pytest.mark.parametrize(
    ("query", "titles"),
    [
        ("relu", ["hidden"]),
        ("int64", ["labels"]),
        ("parameter (32,64)", ["0.weight"]),
        ("32x10", ["logits"]),
        (
            "classifier linear",
            ["logits", "linear", "0.weight", "0.bias", "2.weight", "2.weight", "2.bias"],
        ),
        ("nothing like this", []),
    ],
)
def test_search_finds_by_name_operation_dtype_shape_and_group(
    lab: LabPage, query: str, titles: list[str]
) -> None:
    open_with(lab, "classifier()")
    explorer = lab.explorer(SHOW)
    explorer.locator(".gradviz-search").fill(query)
    expect(explorer.locator(".gradviz-node.gradviz-found")).to_have_count(len(titles))
    found = explorer.locator(".gradviz-node.gradviz-found").evaluate_all(
        "nodes => nodes.map(n => (n.querySelector('.gradviz-title') ?? n.querySelector('.gradviz-facts')).firstChild.textContent)"
    )
    assert sorted(found) == sorted(titles)
    if titles:
        explorer.locator(".gradviz-search").press("Enter")
        expect(explorer.locator(".gradviz-node.gradviz-selected")).not_to_have_count(0)
    assert lab.errors == []


def test_keyboard_walks_edges_and_leaves(lab: LabPage) -> None:
    open_with(lab, "classifier()")
    explorer = lab.explorer(SHOW)
    canvas = explorer.locator(".gradviz-canvas")
    canvas.focus()

    def focused() -> str:
        return explorer.locator(".gradviz-node.gradviz-focused .gradviz-title").first.evaluate(
            "e => e.firstChild.textContent"
        )

    assert focused() == "loss"
    canvas.press("ArrowUp")
    assert focused() == "cross_entropy"
    canvas.press("ArrowUp")
    assert focused() == "logits"
    canvas.press("ArrowLeft")
    assert focused() in ("2.weight", "2.bias")
    canvas.press("ArrowDown")
    assert focused() == "logits"
    canvas.press("Enter")
    expect(explorer.locator(".gradviz-details h3")).to_have_text("logits")
    active = canvas.get_attribute("aria-activedescendant")
    assert active is not None
    assert lab.page.locator(f"#{active}").get_attribute("aria-label") is not None
    expect(explorer.locator(".gradviz-spoken")).to_contain_text("logits")
    canvas.press("Home")
    assert focused() == "images"
    canvas.press("Escape")
    expect(explorer.locator(".gradviz-node.gradviz-selected")).to_have_count(0)
    canvas.press("Escape")
    assert lab.page.evaluate("() => document.activeElement.closest('.gradviz') === null")
    # None of these keys may reach the notebook: "a" and "b" would insert cells, "d d" delete one.
    canvas.focus()
    for key in ("a", "b", "d", "d", "x"):
        canvas.press(key)
    explorer.get_by_label("Legend").focus()
    for key in ("a", "b", "Enter", "m"):
        lab.page.keyboard.press(key)
    count = lab.page.evaluate("() => window.gradvizTestPanel.content.model.cells.length")
    assert count == 2
    expect(explorer.locator(".gradviz-legend")).to_be_visible()
    assert lab.errors == []


def test_outline_is_a_tree_with_the_same_selection(lab: LabPage) -> None:
    open_with(lab, "classifier()")
    explorer = lab.explorer(SHOW)
    explorer.locator(".gradviz-tab-outline").click()
    tree = explorer.get_by_role("tree")
    expect(tree.get_by_role("treeitem")).to_have_count(
        18
    )  # 15 nodes, 3 groups: ReLU is its operation
    chosen = tree.get_by_role("treeitem").filter(has_text="hidden")
    chosen.click()
    expect(chosen).to_have_attribute("aria-selected", "true")
    expect(explorer.locator(".gradviz-node.gradviz-selected .gradviz-title")).to_contain_text(
        "hidden"
    )
    assert lab.errors == []


def test_apply_edits_the_cell_and_undo_restores_it(lab: LabPage) -> None:
    open_with(lab, "broken('the-code')")
    explorer = lab.explorer(SHOW)
    fix = explorer.locator(".gradviz-fix").first
    # The preview comes first, and nothing has been touched by showing it.
    expect(fix.locator(".gradviz-diff-remove")).to_contain_text("h = (w * 3).detach()")
    expect(fix.locator(".gradviz-diff-add")).to_contain_text("h = w * 3")
    before = lab.source(CODE)
    assert before == CELL.rstrip("\n")
    fix.get_by_role("button", name="Apply").click()
    expect(fix.locator(".gradviz-fix-message")).to_contain_text("Applied to")
    assert lab.source(CODE) == PATCHED.rstrip("\n")
    expect(fix.get_by_role("button", name="Run cell and below")).to_be_visible()
    explorer.screenshot(path=artifacts() / "lab-applied.png")

    fix.get_by_role("button", name="Undo").click()
    expect(fix.locator(".gradviz-fix-message")).to_contain_text("Undone")
    assert lab.source(CODE) == before

    # The editor's own undo takes it back as well, as one step.
    fix.get_by_role("button", name="Apply").click()
    assert lab.source(CODE) == PATCHED.rstrip("\n")
    lab.page.evaluate(
        """() => {
            const {content} = window.gradvizTestPanel;
            content.activeCellIndex = 0;
            content.activeCell.editor.undo();
        }"""
    )
    assert lab.source(CODE) == before
    assert lab.errors == []


def test_run_buttons_run_the_patched_cell(lab: LabPage) -> None:
    source = "w = 'w'\nh = ('a').upper()\nprint(h)"
    original = "('a').upper()"
    show = display_cell(f"card_for({source!r}, 2, {original!r}, \"'patched'\", 'the-code')")
    write_notebook(
        lab.server.root / "run.ipynb",
        [code_cell(source, id="the-code"), code_cell(show), code_cell("print('below', h)")],
    )
    lab.open("run.ipynb")
    lab.run_cell(SHOW)
    card = lab.explorer(SHOW)
    card.get_by_role("button", name="Apply").click()
    card.get_by_role("button", name="Run", exact=True).click()
    expect(lab.cell(CODE).locator(".jp-OutputArea-output")).to_contain_text("patched")
    assert lab.outputs(2) == []
    card.get_by_role("button", name="Run cell and below").click()
    expect(lab.cell(2).locator(".jp-OutputArea-output")).to_contain_text("below patched")
    assert lab.errors == []


def test_a_changed_cell_refuses_the_fix(lab: LabPage) -> None:
    open_with(lab, "broken('the-code')")
    changed = CELL.replace("h = (w * 3)", "hidden = (w * 3)")
    lab.set_source(CODE, changed)
    fix = lab.explorer(SHOW).locator(".gradviz-fix").first
    fix.get_by_role("button", name="Apply").click()
    expect(fix.locator(".gradviz-fix-message")).to_contain_text(
        "the cell has changed since it was run"
    )
    assert lab.source(CODE) == changed
    expect(fix.get_by_role("button", name="Copy patched code")).to_be_visible()
    assert lab.errors == []


def test_a_fix_without_a_cell_id_finds_the_only_cell_that_fits(lab: LabPage) -> None:
    open_with(lab, "broken()")
    fix = lab.explorer(SHOW).locator(".gradviz-fix").first
    fix.get_by_role("button", name="Apply").click()
    expect(fix.locator(".gradviz-fix-message")).to_contain_text("Applied to")
    assert lab.source(CODE) == PATCHED.rstrip("\n")
    assert lab.errors == []


def test_error_card_offers_the_same_fix(lab: LabPage) -> None:
    open_with(lab, "card('the-code')")
    card = lab.explorer(SHOW)
    expect(card.locator(".gradviz-problem-message")).to_have_text(
        "No tracked tensor feeds this root"
    )
    expect(card).to_contain_text("Autodiff(NdArray)")
    card.get_by_role("button", name="Apply").click()
    assert lab.source(CODE) == PATCHED.rstrip("\n")
    assert lab.errors == []


# One saving each: JupyterLab takes no second one while it still makes the first one's checkpoint.
@pytest.mark.parametrize("focused", [".gradviz-canvas", ".gradviz-search"])
def test_the_notebook_is_saved_by_its_shortcut_from_inside_of_a_view(
    lab: LabPage, focused: str
) -> None:
    open_with(lab, "classifier()")
    explorer = lab.explorer(SHOW)
    cells = "() => window.gradvizTestPanel.content.model.cells.length"
    before = lab.page.evaluate(cells)
    unsaved = "() => window.gradvizTestPanel.context.model.dirty"
    lab.set_source(CODE, f"{lab.source(CODE)}\n# more")
    assert lab.page.evaluate(unsaved)
    explorer.locator(focused).focus()
    lab.page.keyboard.press("a")  # a key of the view's: the notebook would make a cell of it
    assert lab.page.evaluate(cells) == before
    lab.page.keyboard.press("Control+s")
    lab.page.wait_for_function(f"() => !({unsaved})()")
    assert lab.errors == []


def test_hostile_texts_stay_text(lab: LabPage) -> None:
    open_with(lab, "hostile()")
    explorer = lab.explorer(SHOW)
    expect(explorer.locator(".gradviz-node")).to_have_count(6)
    for tab in ("details", "outline", "problems"):
        explorer.locator(f".gradviz-tab-{tab}").click()
        assert explorer.locator("img, script, b, iframe").count() == 0
        shown = explorer.inner_text()
        assert not re.search("[\u202a-\u202e\u2066-\u2069\x00-\x08\x1b\u200b]", shown)
        assert len(shown) < 20_000
    assert lab.page.evaluate("() => window.__hacked === undefined")
    assert lab.errors == []


def test_pictures_in_both_themes(lab: LabPage) -> None:
    open_with(lab, "classifier()")
    for theme in ("Light", "Dark"):
        lab.set_theme(f"JupyterLab {theme}")
        for sample in ("classifier()", "broken('the-code')"):
            lab.set_source(SHOW, display_cell(sample))
            lab.run_cell(SHOW)
            explorer = lab.explorer(SHOW)
            explorer.wait_for()
            expect(explorer).to_have_attribute("data-gradviz-theme", theme.lower())
            explorer.scroll_into_view_if_needed()
            lab.page.wait_for_timeout(400)
            name = sample.split("(")[0]
            explorer.screenshot(path=artifacts() / f"lab-{name}-{theme.lower()}.png")
            lab.page.screenshot(path=artifacts() / f"lab-{name}-{theme.lower()}-page.png")
    lab.set_theme("JupyterLab Light")
    assert lab.errors == []
