"""A whole graph as columns of bytes: what a view is given of graphs too large to spell out.

    "GVC1"  length of the header  header  sections

The header is JSON: the texts and source positions, each once, the groups, and the names, types
and lengths of the sections. A section is one array, little-endian, at a multiple of eight bytes.
Edges are sorted by target, and each is told by how far back its source stands.
"""

from __future__ import annotations

import base64
import json
import sys
import zlib
from array import array
from collections.abc import Iterable, Sequence
from operator import lt, sub
from typing import Any, Final

from gradviz.core.source import SourceSpan
from gradviz.graph.graph import Graph, GraphNode
from gradviz.graph.model import GROUP_KINDS, SpanView, as_json
from gradviz.graph.view import span_view

MAGIC: Final = b"GVC1"
LONGEST_TEXT: Final = 8_000_000
"""Characters of columns that an output carries: notebooks have to stay files that people share."""

_LEVEL: Final = 4
"""How hard columns are compressed: more takes three times as long and saves a few percent."""

REQUIREMENTS: Final = ("none", "grad", "grad_in_backward")
ROLES: Final = ("parameter", "leaf", "input", "constant", "operation", "output")

_TYPES: Final = (("B", "u1", 2**8), ("H", "u2", 2**16), ("I", "u4", 2**32))


class _Texts:
    """Positions of texts, each once; the empty text is 0."""

    def __init__(self) -> None:
        self.known: dict[str, int] = {"": 0}

    def of(self, text: str | None) -> int:
        return 0 if text is None else self.known.setdefault(text, len(self.known))


def columns_bytes(graph: Graph) -> bytes | None:
    """The columns of a graph, or None where it has an order or ids that columns can't tell.

    Args:
        graph: nodes oldest first, every edge from an earlier node to a later one.
    """
    table = graph.table
    ids = list(table.ids)
    if not all(map(lt, ids, ids[1:])) or (ids and ids[-1] >= 2**32):
        return None
    back = list(map(sub, table.targets, table.source))
    if min(back, default=1) <= 0:
        return None
    texts = _Texts()
    places, place_of = _places(table.places)
    of, looks = texts.of, table.looks

    def by_look(values: Iterable[int]) -> list[int]:
        return list(map(list(values).__getitem__, table.look))

    name = array("I", bytes(4 * len(ids)))
    for at, known in table.names.items():
        name[at] = of(known)
    sections: list[tuple[str, list[int] | array[int] | bytearray]] = [
        ("id", ids),
        ("op", by_look(of(look.op) for look in looks)),
        ("name", name),
        ("kind", by_look(of(look.kind) for look in looks)),
        ("dtype", by_look(of(look.dtype) for look in looks)),
        ("device", by_look(of(look.device) for look in looks)),
        ("cut", by_look(of(look.cut) for look in looks)),
        ("shape", by_look(of(_inside(look.shape)) for look in looks)),
        ("attributes", by_look(of(_attributes(look)) for look in looks)),
        ("flags", by_look(map(_flags, looks))),
        ("place", list(map(place_of.__getitem__, table.place))),
        ("group", table.group),
        ("inputs", list(map(sub, table.first[1:], table.first))),
        ("back", back),
        ("slot", list(map([of(slot) for slot in table.slots].__getitem__, table.slot))),
        ("tracked", table.tracked),
    ]
    rows = [
        [group.id, group.label, GROUP_KINDS.get(group.kind, "scope"), group.parent]
        for group in graph.groups
    ]
    header = {
        "count": len(ids),
        "edges": len(back),
        "strings": list(texts.known),
        "places": [as_json(place) for place in places],
        "groups": rows,
    }
    return _pack(header, sections)


def columns_text(graph: Graph, most: int = LONGEST_TEXT) -> str | None:
    """The columns as text for a message: compressed, in base 64; None where that is too long.

    Args:
        graph: what to tell.
        most: characters to take at most.
    """
    data = columns_bytes(graph)
    if data is None:
        return None
    text = base64.b64encode(zlib.compress(data, _LEVEL)).decode("ascii")
    return text if len(text) <= most else None


def _inside(shape: tuple[Any, ...]) -> str:
    return json.dumps([size if isinstance(size, int) else str(size) for size in shape])[1:-1]


def _attributes(node: GraphNode) -> str:
    return json.dumps(dict(node.attributes)) if node.attributes else ""


def _flags(node: GraphNode) -> int:
    return (
        REQUIREMENTS.index(node.requirement)
        | node.is_leaf << 2
        | node.consumed << 3
        | ROLES.index(node.role) << 4
    )


def _places(spans: Sequence[SourceSpan | None]) -> tuple[list[SpanView | None], list[int]]:
    """Source positions, each once, and which of them each span is, counted from 1; 0 is none."""
    known: dict[object, int] = {}
    places: list[SpanView | None] = []
    column = []
    for span in spans:
        if span is None:
            column.append(0)
            continue
        key = (span.filename, span.line, span.col, span.end_line, span.end_col)
        number = known.setdefault(key, len(places) + 1)
        if number > len(places):
            places.append(span_view(span))
        column.append(number)
    return places, column


def _pack(
    header: dict[str, Any], sections: list[tuple[str, list[int] | array[int] | bytearray]]
) -> bytes:
    told, parts = [], []
    for name, values in sections:
        highest = max(values, default=0)
        code, label = next((code, label) for code, label, end in _TYPES if highest < end)
        data = array(code, values)
        if sys.byteorder == "big":
            data.byteswap()
        told.append([name, label, len(data)])
        body = data.tobytes()
        parts.append(body + bytes(-len(body) % 8))
    head = json.dumps({**header, "sections": told}, separators=(",", ":")).encode("utf-8")
    head += b" " * (-(len(head) + 8) % 8)
    return b"".join([MAGIC, len(head).to_bytes(4, "little"), head, *parts])
