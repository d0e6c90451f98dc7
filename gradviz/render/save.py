"""Graphs as files, by the ending of their name."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
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

WHOLE: Final[dict[str, Callable[[Graph, bool], bytes]]] = {
    ".json": lambda graph, _: to_json(graph, indent=1).encode("utf-8"),
    ".html": lambda graph, values: to_html(graph, values=values).encode("utf-8"),
    ".txt": lambda graph, _: f"{to_text(graph, ascii=False)}\n".encode(),
    ".onnx": lambda graph, _: to_onnx(graph),
}
"""What writes each format that holds every node."""


def save(
    graph: Graph,
    path: str | os.PathLike[str],
    *,
    max_items: int | None = MOST_ITEMS,
    values: bool = True,
) -> None:
    """Writes a graph to a file, whole or not at all.

    Args:
        graph: what to write.
        path: where to; its ending names the format.
        max_items: boxes of a picture (svg, png, pdf, dot) at most, roughly; None for every node.
            The other formats hold every node anyway.
        values: whether the file may hold numbers of tensors; an ONNX model always does.

    Raises:
        GradvizError: `invalid-argument` for an ending that isn't known; what the format's own
            writer raises.
    """
    suffix = ending_of(path, [*PICTURES, *WHOLE], 'graph.save("graph.svg")')
    if not values and suffix != ".onnx":
        graph = graph.without_values()
    if suffix in PICTURES:
        data = PICTURES[suffix](graph, max_items)
    else:
        data = WHOLE[suffix](graph, values)
    write_whole(Path(path), data)


def ending_of(path: str | os.PathLike[str], known: Sequence[str], example: str) -> str:
    """The ending of a file's name, in small letters.

    Args:
        path: the file.
        known: the endings that are allowed.
        example: a call that works.

    Raises:
        GradvizError: `invalid-argument` for any other ending.
    """
    target = Path(path)
    suffix = target.suffix.lower()
    if suffix in known:
        return suffix
    ending = f"the ending {target.suffix!r} is" if target.suffix else "the name has no ending"
    raise fail(
        "invalid-argument",
        operation="save",
        complaint=f"{ending}{' none of' if target.suffix else '; known are'} {sentence(known)}",
        facts=(("path", str(target)),),
        reason="The ending of the file's name says which format is meant.",
        advice=f"Write, for example, {example}.",
    )
