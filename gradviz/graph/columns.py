"""A whole graph as columns of bytes: what a view is given of graphs too large to spell out.

    "GVC1"  length of the header  header  sections

The header is JSON: the texts and source positions, each once, the groups, and the names, types
and lengths of the sections. A section is one array, little-endian, at a multiple of eight bytes.
Edges are sorted by target, and each is told by how far back its source stands.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterable, Sequence
from typing import Any, Final

from gradviz.backends.ndarray import columns
from gradviz.core.source import SourceSpan
from gradviz.graph.graph import Graph, GraphNode
from gradviz.graph.groups import ROUND, Groups
from gradviz.graph.model import GROUP_KINDS, SpanView, as_json
from gradviz.graph.record import GraphGroup
from gradviz.graph.view import span_view

MAGIC: Final = b"GVC1"
LONGEST_TEXT: Final = 8_000_000
"""Characters of columns that an output carries: notebooks have to stay files that people share."""

_LEVEL: Final = 4
"""How hard columns are compressed: more takes three times as long and saves a few percent."""

REQUIREMENTS: Final = ("none", "grad", "grad_in_backward")
ROLES: Final = ("parameter", "leaf", "input", "constant", "operation", "output")

_TYPES: Final = (("u1", 2**8), ("u2", 2**16), ("u4", 2**32))


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
    ids = columns.column(table.ids)
    if not columns.rises(ids) or (len(ids) and ids[-1] >= 2**32):
        return None
    back = columns.column(table.targets) - columns.column(table.source)
    if len(back) and back.min() <= 0:
        return None
    texts = _Texts()
    places, place_of = _places(table.places)
    of, looks = texts.of, table.looks
    look = columns.column(table.look)

    def by_look(values: Iterable[int]) -> Any:
        return columns.column(list(values))[look]

    name = columns.zeros(len(ids))
    for at, known in table.names.items():
        name[at] = of(known)
    first = columns.column(table.first)
    sections: list[tuple[str, Any]] = [
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
        ("place", columns.column(place_of)[columns.column(table.place)]),
        ("group", table.group),
        ("inputs", first[1:] - first[:-1]),
        ("back", back),
        ("slot", columns.column([of(slot) for slot in table.slots])[columns.column(table.slot)]),
        ("tracked", table.tracked),
    ]
    header = {
        "count": len(ids),
        "edges": len(back),
        "strings": list(texts.known),
        "places": [as_json(place) for place in places],
    }
    return _pack(header, _groups(graph.groups), sections)


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


def _groups(groups: Sequence[GraphGroup]) -> str:
    """Id, label, kind and parent of each group, as JSON."""
    if not isinstance(groups, Groups):
        return _json(
            [
                [group.id, group.label, GROUP_KINDS.get(group.kind, "scope"), group.parent]
                for group in groups
            ]
        )
    # Written out: a long loop has tens of thousands of them.
    ids = ["null", *(f'"{"g" if at > 0 else "r"}{abs(at)}"' for at in groups.numbers)]
    kinds = {kind: _json(GROUP_KINDS.get(kind, "scope")) for kind in set(groups.kinds)}
    labels = {
        label: _json(label) if isinstance(label, str) else f'"{ROUND}{label}"'
        for label in set(groups.labels)
    }
    label, kind = map(labels.__getitem__, groups.labels), map(kinds.__getitem__, groups.kinds)
    told = zip(ids[1:], label, kind, map(ids.__getitem__, groups.around), strict=True)
    return f"[{','.join(map('[%s,%s,%s,%s]'.__mod__, told))}]"


def _json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


def _pack(header: dict[str, Any], groups: str, sections: list[tuple[str, Any]]) -> bytes:
    told, parts = [], []
    for name, values in sections:
        label, body = columns.narrow(values, _TYPES)
        told.append([name, label, len(values)])
        parts.append(body + bytes(-len(body) % 8))
    text = f'{_json(header)[:-1]},"groups":{groups},"sections":{_json(told)}}}'
    head = text.encode("utf-8")
    head += b" " * (-(len(head) + 8) % 8)
    return b"".join([MAGIC, len(head).to_bytes(4, "little"), head, *parts])
