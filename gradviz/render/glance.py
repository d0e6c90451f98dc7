"""What an output shows of a graph at a glance, without what else may be written of it."""

from __future__ import annotations

from typing import Any, Final

from gradviz.errors import GradvizError
from gradviz.graph.graph import Graph
from gradviz.graph.model import MIME_TYPE, GraphView, as_json
from gradviz.render.svg import to_svg

AT_A_GLANCE: Final = 28
"""Boxes of a picture that nobody asked for in particular: as many as a page's width can show."""


def svg_or_none(graph: Graph) -> str | None:
    """The picture, or None where Graphviz is missing or fails: a display must not fail with it."""
    try:
        return to_svg(graph, max_items=AT_A_GLANCE)
    except GradvizError:
        return None


def forms(view: GraphView, page: str | None, text: str) -> dict[str, Any]:
    """A graph as a MIME bundle: our own message, HTML where there is some, text."""
    bundle: dict[str, Any] = {MIME_TYPE: as_json(view)}
    if page is not None:
        bundle["text/html"] = page
    bundle["text/plain"] = text
    return bundle
