"""PDF pages: drawn by a system's Graphviz, or from our own SVG by the package fpdf2."""

from __future__ import annotations

import importlib
import io
import os
import sys
import xml.etree.ElementTree as ET
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from gradviz.errors import GradvizRuntimeError, fail
from gradviz.graph.fold import MOST_ITEMS
from gradviz.graph.graph import Graph
from gradviz.render.dot import to_dot
from gradviz.render.program import run, system
from gradviz.render.svg import to_svg

_FAMILY: Final = "gradviz"
_STANDARD: Final = "helvetica"
"""A font that every reader of PDF has, with the signs of Latin-1 alone."""


def to_pdf(graph: Graph, *, max_items: int | None = MOST_ITEMS) -> bytes:
    """The graph as a PDF page, whose text can be searched and copied.

    Args:
        graph: what to draw; large graphs are folded.
        max_items: boxes to draw at most, roughly; None for every node.

    Raises:
        GradvizError: `invalid-argument` where neither Graphviz itself nor fpdf2 is installed; as
            `to_svg`.
    """
    program = system()
    if program is not None:
        return run(program, to_dot(graph, theme="light", max_items=max_items), "pdf", "save")
    try:
        fpdf = importlib.import_module("fpdf")
        importlib.import_module("fpdf.svg")
    except ImportError as error:
        raise fail(
            "invalid-argument",
            operation="save",
            complaint="pdf needs the package fpdf2, or the program dot of a system-wide Graphviz",
            reason="The graphviz-pure package writes SVG and PNG, but no PDF.",
            advice=(
                "Run `pip install fpdf2` (the extra `lab` has it); or save as .svg, which scales "
                "as well, or print a saved .html; or install Graphviz: `apt install graphviz`, "
                "`brew install graphviz`, `winget install graphviz`."
            ),
            error=GradvizRuntimeError,
        ) from error
    return _drawn(fpdf, to_svg(graph, theme="light", max_items=max_items))


def _drawn(fpdf: Any, svg: str) -> bytes:
    """A page of the size of the picture."""
    root = ET.fromstring(svg)  # noqa: S314 - our own text, written a moment ago
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag.rpartition("}")[2] in ("title", "desc"):
                parent.remove(child)  # tooltips: a page has none
    width, height = (float(root.attrib[name]) for name in ("width", "height"))
    page = fpdf.FPDF(unit="pt", format=(width, height))
    page.set_auto_page_break(False)
    page.set_margin(0)
    texts = [part for part in root.iter() if part.text and part.text.strip()]
    regular, bold = (None, None) if all(_is_latin(part.text) for part in texts) else _fonts()
    if regular is None:
        for part in texts:
            part.text = (part.text or "").encode("latin-1", "replace").decode("latin-1")
    else:
        page.add_font(_FAMILY, "", str(regular))
        page.add_font(_FAMILY, "B", str(bold or regular))
    family = _STANDARD if regular is None else _FAMILY
    page.add_page()
    page.set_font(family, size=11)
    root.attrib.pop("style", None)
    root.set("font-family", family)
    # Prefixes would hide the elements from their reader.
    ET.register_namespace("", "http://www.w3.org/2000/svg")
    picture = fpdf.svg.SVGObject(ET.tostring(root, encoding="unicode"))
    picture.draw_to_page(page)
    buffer = io.BytesIO()
    page.output(buffer)
    return buffer.getvalue()


def _is_latin(text: str | None) -> bool:
    return all(ord(char) < 256 for char in text or "")


def _fonts() -> tuple[Path | None, Path | None]:
    """A font with more signs than the standard one, and its bold form, where there are such."""
    matplotlib = find_spec("matplotlib")
    places = [] if matplotlib is None or matplotlib.origin is None else [
        Path(matplotlib.origin).parent / "mpl-data" / "fonts" / "ttf"
    ]  # fmt: skip
    if os.name == "nt":
        places.append(Path(os.environ.get("WINDIR", "C:/Windows")) / "Fonts")
    elif sys.platform == "darwin":
        places += [Path("/Library/Fonts"), Path("/System/Library/Fonts/Supplemental")]
    else:
        places += [Path("/usr/share/fonts/truetype/dejavu"), Path("/usr/share/fonts/dejavu")]
        places.append(Path("/usr/share/fonts/TTF"))
    names = (
        ("Arial Unicode.ttf", "Arial Bold.ttf"),
        ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf"),
        ("arial.ttf", "arialbd.ttf"),
    )
    for regular, bold in names:
        for place in places:
            if (place / regular).is_file():
                return place / regular, place / bold if (place / bold).is_file() else None
    return None, None
