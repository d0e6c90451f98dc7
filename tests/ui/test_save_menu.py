"""What the view saves by itself: pictures of what is unfolded, and the graph's message."""

from __future__ import annotations

import json
import struct
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from gradviz.graph.model import as_json
from gradviz.render.save import save as save_graph
from tests.render import samples as graphs
from tests.ui import samples
from tests.ui.bare import draw
from tests.ui.browser import artifacts

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SVG = "{http://www.w3.org/2000/svg}"


def saved(page: Page, kind: str) -> Path:
    """Chooses from the menu; returns the file, with a copy to look at."""
    page.get_by_role("button", name="Save as a file").click()
    with page.expect_download() as waiting:
        page.get_by_role("menuitem", name=kind).click()
    path = artifacts() / f"saved-{waiting.value.suggested_filename}"
    waiting.value.save_as(path)
    return path


def texts(svg: Path) -> str:
    """Everything that is written in a picture."""
    return "\n".join(part.text or "" for part in ET.parse(svg).iter())


def test_pictures_hold_all_that_is_unfolded(page: Page) -> None:
    errors = draw(page, samples.classifier())
    svg = saved(page, "SVG")
    root = ET.parse(svg).getroot()
    assert root.tag == f"{SVG}svg"
    named = {part.tag.removeprefix(SVG) for part in root.iter()}
    assert named <= {
        "svg",
        "title",
        "g",
        "path",
        "rect",
        "circle",
        "text",
        "tspan",
        "defs",
        "marker",
    }
    for name in ("images", "0.weight", "cross_entropy", "loss"):
        assert name in texts(svg)
    attributes = {name for part in root.iter() for name in part.attrib}
    assert not attributes & {"class", "style", "role", "data-item", "aria-label"}
    # Only the node that is selected is marked on the page, and no one is in the file.
    assert "gradviz" not in svg.read_text(encoding="utf-8").replace("gradviz-scene", "")
    page.get_by_role("button", name="Fold as at first").click()
    page.locator(".gradviz-band-head", has_text="Linear").first.click()
    folded = texts(saved(page, "SVG"))
    assert "cross_entropy" in folded
    assert "0.weight" not in folded

    png = saved(page, "PNG").read_bytes()
    assert png.startswith(b"\x89PNG")
    width, height = struct.unpack(">II", png[16:24])
    assert width > 300
    assert height > 300
    assert json.loads(saved(page, "JSON").read_text()) == as_json(samples.classifier())
    assert errors == []


def test_the_menu_is_walked_by_keyboard(page: Page) -> None:
    errors = draw(page, samples.classifier())
    button = page.get_by_role("button", name="Save as a file")
    menu = page.get_by_role("menu", name="Save")
    button.focus()
    page.keyboard.press("Enter")
    expect(menu.get_by_role("menuitem").first).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(menu.get_by_role("menuitem").last).to_be_focused()
    page.keyboard.press("Escape")
    expect(menu).to_be_hidden()
    expect(button).to_be_focused()
    button.click()
    page.locator(".gradviz-canvas").click(position={"x": 5, "y": 5})
    expect(menu).to_be_hidden()
    assert errors == []


def test_what_is_too_large_or_hostile(page: Page) -> None:
    errors = draw(page, samples.hostile())
    svg = saved(page, "SVG")  # parses, and holds no element of theirs
    named = {part.tag.removeprefix(SVG) for part in ET.parse(svg).iter()}
    assert not named & {"script", "img", "b", "style"}
    assert saved(page, "PNG").read_bytes().startswith(b"\x89PNG")
    assert page.evaluate("() => window.__hacked === undefined")
    page.evaluate("data => window.model.set('graph', data)", as_json(samples.long_chain(3_000)))
    page.get_by_label("Unfold everything").click()
    expect(page.locator(".gradviz-stage")).to_have_attribute("data-state", "placed")
    page.get_by_role("button", name="Save as a file").click()
    page.get_by_role("menuitem", name="SVG").click()
    expect(page.locator(".gradviz-hint")).to_contain_text("fold some of them first")
    assert errors == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_an_exported_page_saves_pictures_too(
    browser: Browser, front_end: Path, tmp_path: Path, theme: str
) -> None:
    graph = graphs.broken()
    save_graph(graph, tmp_path / "graph.html")
    context = browser.new_context(color_scheme=theme)
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto((tmp_path / "graph.html").as_uri())
    svg = saved(page, "SVG")
    background = next(part for part in ET.parse(svg).getroot() if part.tag == f"{SVG}rect")
    assert background.get("fill") == (
        "rgb(255, 255, 255)" if theme == "light" else "rgb(22, 24, 29)"
    )
    assert saved(page, "PNG").read_bytes().startswith(b"\x89PNG"), "the page's policy lets it"
    items = page.locator(".gradviz-menu-item strong")
    assert items.all_text_contents() == ["PNG", "SVG", "JSON"], "no kernel is there to write others"
    assert complaints == []
    context.close()
