"""Graphs as files, by the ending of their name."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

from gradviz.core.files import write_whole
from gradviz.errors import fail
from gradviz.graph.fold import MOST_ITEMS
from gradviz.graph.graph import Graph
from gradviz.graph.model import as_json
from gradviz.graph.steps import extras_view
from gradviz.graph.view import view_of
from gradviz.render.dot import to_dot
from gradviz.render.html import to_html
from gradviz.render.pdf import to_pdf
from gradviz.render.svg import to_png, to_svg
from gradviz.render.text import to_text
from gradviz.render.words import sentence

Writer = Callable[[Graph], bytes]


def to_json(graph: Graph, *, indent: int | None = None) -> str:
    """The graph's message as JSON text."""
    separators = (",", ":") if indent is None else None
    return json.dumps(
        as_json(view_of(graph, extras=extras_view(graph))),
        ensure_ascii=True,
        indent=indent,
        separators=separators,
    )


def to_onnx(graph: Graph) -> bytes:
    """The program of a captured graph as an ONNX model."""
    if graph.captured is None:
        raise fail(
            "invalid-argument",
            operation="save",
            complaint="only a captured graph is a program that can become a model",
            reason="This graph was made of tensors, whose values it holds no recipe for.",
            advice="Write gv.capture(fn, *examples).to_onnx(path).",
        )
    data: bytes = graph.captured.to_onnx()
    return data


PICTURES: Final[dict[str, Callable[[Graph, int | None], bytes]]] = {
    ".svg": lambda graph, most: to_svg(graph, max_items=most).encode("utf-8"),
    ".png": lambda graph, most: to_png(graph, max_items=most),
    ".pdf": lambda graph, most: to_pdf(graph, max_items=most),
    ".dot": lambda graph, most: to_dot(graph, max_items=most).encode("utf-8"),
}
"""What writes each format that shows a large graph folded."""

WHOLE: Final[dict[str, Writer]] = {
    ".json": lambda graph: to_json(graph, indent=1).encode("utf-8"),
    ".html": lambda graph: to_html(graph).encode("utf-8"),
    ".txt": lambda graph: f"{to_text(graph, ascii=False)}\n".encode(),
    ".onnx": to_onnx,
}
"""What writes each format that holds every node."""


def save(graph: Graph, path: str | os.PathLike[str], *, max_items: int | None = MOST_ITEMS) -> None:
    """Writes a graph to a file, whole or not at all.

    Args:
        graph: what to write.
        path: where to; its ending names the format.
        max_items: boxes of a picture (svg, png, pdf, dot) at most, roughly; None for every node.
            The other formats hold every node anyway.

    Raises:
        GradvizError: `invalid-argument` for an ending that isn't known; what the format's own
            writer raises.
    """
    target = Path(path)
    suffix = target.suffix.lower()
    if suffix in PICTURES:
        data = PICTURES[suffix](graph, max_items)
    elif suffix in WHOLE:
        data = WHOLE[suffix](graph)
    else:
        ending = f"the ending {target.suffix!r} is" if target.suffix else "the name has no ending"
        known = sentence([*PICTURES, *WHOLE])
        raise fail(
            "invalid-argument",
            operation="save",
            complaint=f"{ending}{' none of' if target.suffix else '; known are'} {known}",
            facts=(("path", str(target)),),
            reason="The ending of the file's name says which format is meant.",
            advice='Write, for example, graph.save("graph.svg").',
        )
    write_whole(target, data)
