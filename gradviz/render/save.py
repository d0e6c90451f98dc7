"""Graphs as files, by the ending of their name."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

from gradviz.core.files import write_whole
from gradviz.errors import fail
from gradviz.graph.graph import Graph
from gradviz.graph.model import as_json
from gradviz.graph.steps import extras_view
from gradviz.graph.view import view_of
from gradviz.render.dot import to_dot
from gradviz.render.html import to_html
from gradviz.render.svg import to_pdf, to_png, to_svg
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


WRITERS: Final[dict[str, Writer]] = {
    ".svg": lambda graph: to_svg(graph).encode("utf-8"),
    ".png": to_png,
    ".pdf": to_pdf,
    ".dot": lambda graph: to_dot(graph).encode("utf-8"),
    ".json": lambda graph: to_json(graph, indent=1).encode("utf-8"),
    ".html": lambda graph: to_html(graph).encode("utf-8"),
    ".txt": lambda graph: f"{to_text(graph, ascii=False)}\n".encode(),
    ".onnx": to_onnx,
}
"""What writes each format."""


def save(graph: Graph, path: str | os.PathLike[str]) -> None:
    """Writes a graph to a file, whole or not at all.

    Args:
        graph: what to write.
        path: where to; its ending names the format.

    Raises:
        GradvizError: `invalid-argument` for an ending that isn't known; what the format's own
            writer raises.
    """
    target = Path(path)
    writer = WRITERS.get(target.suffix.lower())
    if writer is None:
        ending = f"the ending {target.suffix!r} is" if target.suffix else "the name has no ending"
        known = sentence(WRITERS)
        raise fail(
            "invalid-argument",
            operation="save",
            complaint=f"{ending}{' none of' if target.suffix else '; known are'} {known}",
            facts=(("path", str(target)),),
            reason="The ending of the file's name says which format is meant.",
            advice='Write, for example, graph.save("graph.svg").',
        )
    write_whole(target, writer(graph))
