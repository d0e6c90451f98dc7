"""The methods of `Graph` that write it down."""

from __future__ import annotations

from typing import Any, Final

from gradviz.graph.drawable import Writers
from gradviz.graph.graph import Graph
from gradviz.graph.live import key_of
from gradviz.graph.message import message_of
from gradviz.graph.steps import extras_view
from gradviz.render.card import graph_card
from gradviz.render.dot import to_dot
from gradviz.render.glance import forms, svg_or_none
from gradviz.render.html import to_html
from gradviz.render.save import save, to_json
from gradviz.render.svg import to_png, to_svg
from gradviz.render.text import to_text


def mimebundle(graph: Graph) -> dict[str, Any]:
    """A graph for every viewer: our own message, a static picture with its problems, text."""
    svg = svg_or_none(graph)
    page = None if svg is None else graph_card(graph, svg)
    return forms(
        message_of(graph, key=key_of(graph), extras=extras_view(graph)), page, to_text(graph)
    )


WRITERS: Final[Writers] = {
    "to_dot": to_dot,
    "to_svg": to_svg,
    "to_png": to_png,
    "to_json": to_json,
    "to_html": to_html,
    "to_text": to_text,
    "save": save,
    "mimebundle": mimebundle,
}
"""The methods of `Drawable`, by name."""
