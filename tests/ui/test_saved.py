"""Outputs that outlive their kernel: reopened, untrusted, without the extension, as static HTML."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import nbformat
from nbconvert import HTMLExporter
from playwright.sync_api import Browser, Page, expect

import gradviz as gv
from gradviz.graph.model import MIME_TYPE, as_json
from gradviz.render.attach import mimebundle
from gradviz.widgets.cards import error_html
from gradviz.widgets.display import graph_bundle
from gradviz.widgets.explorer import Explorer
from tests.render import samples as render_samples
from tests.ui import samples
from tests.ui.browser import artifacts
from tests.ui.lab import LabPage, bundle_output, code_cell, write_notebook

SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 90 30" width="90" height="30">'
    '<rect width="90" height="30" fill="#1565a8"/><script>window.__hacked = 1</script></svg>'
)


def explorer_output() -> dict[str, Any]:
    """What a saved notebook holds after `gv.explore(...)`: a widget whose model is gone, and our message."""
    data, _ = Explorer(samples.broken(), SVG, "loss\n  sum")._repr_mimebundle_()
    return bundle_output(json.loads(json.dumps(data)))


def test_reopened_without_kernel_and_without_trust_it_is_drawn_live(lab: LabPage) -> None:
    write_notebook(
        lab.server.root / "saved.ipynb",
        [code_cell("gv.explore(loss)", [explorer_output()])],
    )
    lab.open("saved.ipynb", kernel=False)
    trusted = lab.page.evaluate("() => window.gradvizTestPanel.content.model.cells.get(0).trusted")
    assert trusted is False
    explorer = lab.explorer(0)
    expect(explorer.locator(".gradviz-node")).to_have_count(6)
    explorer.locator(".gradviz-node", has_text="detach").first.click()
    expect(explorer.locator(".gradviz-details h3")).to_have_text("h")
    assert lab.page.evaluate("() => window.__hacked === undefined")
    assert lab.errors == []


def test_a_saved_card_is_drawn_and_still_applies_its_fix(lab: LabPage) -> None:
    card = samples.card("the-code")
    output = bundle_output(
        {MIME_TYPE: as_json(card), "text/html": error_html(card), "text/plain": "x"}
    )
    write_notebook(
        lab.server.root / "card.ipynb",
        [code_cell(samples.CELL.rstrip("\n"), [output], id="the-code")],
    )
    lab.open("card.ipynb", kernel=False)
    lab.explorer(0).get_by_role("button", name="Apply").click()
    assert ".detach()" not in lab.source(0)
    assert lab.errors == []


def test_the_live_widget_works_where_only_anywidget_is_there(lab: LabPage) -> None:
    code = (
        "from gradviz.graph.model import MIME_TYPE\n"
        "from gradviz.widgets.explorer import Explorer\n"
        "from IPython.display import display\n"
        "from tests.ui import samples\n"
        "widget = Explorer(samples.broken(), '<svg/>', 'text')\n"
        "data, metadata = widget._repr_mimebundle_()\n"
        "del data[MIME_TYPE]  # as in a host that doesn't know it\n"
        "display(data, metadata=metadata, raw=True)"
    )
    change = "widget.update(samples.classifier(), '<svg/>', 'text')"
    write_notebook(lab.server.root / "widget.ipynb", [code_cell(code), code_cell(change)])
    lab.open("widget.ipynb")
    lab.run_cell(0)
    explorer = lab.explorer(0)
    expect(explorer.locator(".gradviz-node")).to_have_count(6)
    expect(explorer.get_by_role("button", name="Copy patched code").first).to_be_visible()
    assert explorer.get_by_role("button", name="Apply").count() == 0
    lab.run_cell(1)
    expect(explorer.locator(".gradviz-node")).to_have_count(16)
    assert lab.errors == []


def converted(browser: Browser, folder: Path) -> Page:
    """The notebook of a folder as nbconvert writes it, opened where nothing can be fetched."""
    notebook = nbformat.read(folder / "n.ipynb", as_version=4)
    html, _ = HTMLExporter().from_notebook_node(notebook)
    (folder / "n.html").write_text(html, encoding="utf-8")
    context = browser.new_context()
    # The file has to stand alone.
    context.route(lambda url: not url.startswith("file:"), lambda route: route.abort())
    page = context.new_page()
    page.goto((folder / "n.html").as_uri(), wait_until="domcontentloaded")
    return page


def test_nbconvert_shows_the_picture_offline(browser: Browser, tmp_path: Any) -> None:
    cells = [
        code_cell("gv.explore(loss)", [explorer_output()], id="a"),
        code_cell("loss", [bundle_output(graph_bundle(samples.broken(), SVG, "loss"))], id="b"),
        code_cell(
            "loss.backward()",
            [bundle_output({"text/html": error_html(samples.card()), "text/plain": ""})],
            id="c",
        ),
    ]
    write_notebook(tmp_path / "n.ipynb", cells)
    page = converted(browser, tmp_path)
    pictures = page.locator("img[src^='data:image/svg+xml']")
    expect(pictures).to_have_count(2)
    assert pictures.first.evaluate("async e => { await e.decode(); return e.naturalWidth }") == 90
    expect(page.get_by_text("No tracked tensor feeds this root")).to_be_visible()
    assert page.evaluate("() => window.__hacked === undefined")
    page.screenshot(path=artifacts() / "nbconvert.png", full_page=True)
    page.context.close()


def test_nbconvert_shows_both_pictures_of_a_comparison_and_what_differs(
    browser: Browser, tmp_path: Any
) -> None:
    x = gv.tensor([1.0, 2.0], requires_grad=True, name="<b>x</b>")
    pair = gv.compare(gv.graph(x.exp().sum(), title="one"), gv.graph(x.tanh().sum(), title="two"))
    bundle = json.loads(json.dumps(pair._repr_mimebundle_()))
    assert bundle[MIME_TYPE]["type"] == "pair"
    write_notebook(tmp_path / "n.ipynb", [code_cell("gv.compare(a, b)", [bundle_output(bundle)])])
    page = converted(browser, tmp_path)
    pictures = page.locator("img[src^='data:image/svg+xml']")
    expect(pictures).to_have_count(2)
    for at, name in enumerate(("Before: graph of one", "After: graph of two")):
        expect(pictures.nth(at)).to_have_attribute("alt", name)
        assert pictures.nth(at).evaluate("async e => { await e.decode(); return e.naturalWidth }")
    for line in ("+ tanh", "\u2212 exp", "1 added, 1 removed"):
        expect(page.get_by_text(line).first).to_be_visible()
    assert page.locator(".jp-OutputArea b").count() == 0
    page.screenshot(path=artifacts() / "nbconvert-pair.png", full_page=True)
    page.context.close()


def test_html_of_outputs_passes_sites_that_strip_scripts() -> None:
    """GitHub and its like keep pictures and text, and drop what could run or load."""
    for page in (
        mimebundle(render_samples.broken())["text/html"],
        graph_bundle(samples.hostile(), SVG, "x")["text/html"],
    ):
        found = re.findall(r"<\s*([a-zA-Z0-9]+)", page)
        assert "img" in found
        assert not {"script", "svg", "iframe", "object", "link", "form"} & set(found)
        assert all(
            source.startswith("data:image/svg+xml") for source in re.findall(r'src="([^"]*)"', page)
        )
        assert not re.search(r"\son[a-z]+\s*=", page)
