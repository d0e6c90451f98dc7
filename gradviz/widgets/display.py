"""What a graph looks like where the explorer's script doesn't run."""

from __future__ import annotations

from typing import Any

from gradviz.graph.model import GraphView
from gradviz.render.card import picture
from gradviz.render.glance import forms


def graph_bundle(view: GraphView, svg: str | None, text: str) -> dict[str, Any]:
    """A graph for every viewer: our own message, a static picture where there is one, text."""
    return forms(view, None if svg is None else picture(svg, f"Graph of {view.title}"), text)
