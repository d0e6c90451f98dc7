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
from collections.abc import Callable, Hashable, Sequence
from itertools import pairwise
from typing import Any, Final

from gradviz.graph.graph import Graph, GraphNode
from gradviz.graph.model import GROUP_KINDS, as_json
from gradviz.graph.view import span_view

MAGIC: Final = b"GVC1"
LONGEST_TEXT: Final = 8_000_000
"""Characters of columns that an output carries: notebooks have to stay files that people share."""

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
    at = {node.id: position for position, node in enumerate(graph.nodes)}
    ids = [node.id for node in graph.nodes]
    if any(a >= b for a, b in pairwise(ids)) or (ids and ids[-1] >= 2**32):
        return None
    edges = [
        (at[edge.target], at[edge.source], edge)
        for edge in graph.edges
        if edge.source in at and edge.target in at
    ]
    if any(target <= source for target, source, _ in edges):
        return None
    edges.sort(key=lambda item: item[0])
    texts = _Texts()
    places, place_column = _places(graph.nodes)
    groups = {group.id: position for position, group in enumerate(graph.groups)}
    inputs = array("I", bytes(4 * len(graph.nodes)))
    for target, _, _ in edges:
        inputs[target] += 1
    of = texts.of
    sections: list[tuple[str, list[int] | array[int]]] = [
        ("id", ids),
        ("op", [of(node.op) for node in graph.nodes]),
        ("name", [of(node.name) for node in graph.nodes]),
        ("kind", [of(node.kind) for node in graph.nodes]),
        ("dtype", [of(node.dtype) for node in graph.nodes]),
        ("device", [of(node.device) for node in graph.nodes]),
        ("cut", [of(node.cut) for node in graph.nodes]),
        ("shape", _spelled(texts, [node.shape for node in graph.nodes], _inside)),
        ("attributes", _spelled(texts, [_items(node) for node in graph.nodes], _attributes)),
        ("flags", [_flags(node) for node in graph.nodes]),
        ("place", place_column),
        ("group", [groups.get(node.group or "", -1) + 1 for node in graph.nodes]),
        ("inputs", inputs),
        ("back", [target - source for target, source, _ in edges]),
        ("slot", [of(edge.slot) for _, _, edge in edges]),
        ("tracked", [int(edge.tracked) for _, _, edge in edges]),
    ]
    rows = [
        [group.id, group.label, GROUP_KINDS.get(group.kind, "scope"), group.parent]
        for group in graph.groups
    ]
    header = {
        "count": len(graph.nodes),
        "edges": len(edges),
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
    text = base64.b64encode(zlib.compress(data, 6)).decode("ascii")
    return text if len(text) <= most else None


def _spelled(texts: _Texts, values: Sequence[Hashable], spell: Callable[[Any], str]) -> list[int]:
    """Positions of what values are spelled as; each of them is spelled once."""
    known = {value: texts.of(spell(value)) for value in set(values)}
    return [known[value] for value in values]


def _inside(shape: tuple[Any, ...]) -> str:
    return json.dumps([size if isinstance(size, int) else str(size) for size in shape])[1:-1]


def _items(node: GraphNode) -> tuple[tuple[str, str], ...]:
    return tuple(node.attributes.items())


def _attributes(items: tuple[tuple[str, str], ...]) -> str:
    return json.dumps(dict(items)) if items else ""


def _flags(node: GraphNode) -> int:
    return (
        REQUIREMENTS.index(node.requirement)
        | node.is_leaf << 2
        | node.consumed << 3
        | ROLES.index(node.role) << 4
    )


def _places(nodes: tuple[GraphNode, ...]) -> tuple[list[Any], list[int]]:
    """Source positions, each once, and every node's, counted from 1; 0 is none."""
    known: dict[Any, int] = {}
    by_identity: dict[int, int] = {}
    places: list[Any] = []
    column = []
    for node in nodes:
        source = node.source
        if source is None:
            column.append(0)
            continue
        number = by_identity.get(id(source))
        if number is None:
            key = (source.filename, source.line, source.col, source.end_line, source.end_col)
            number = known.get(key)
            if number is None:
                places.append(span_view(source))
                number = known[key] = len(places)
            by_identity[id(source)] = number
        column.append(number)
    return places, column


def _pack(header: dict[str, Any], sections: list[tuple[str, list[int] | array[int]]]) -> bytes:
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
