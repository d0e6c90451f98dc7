"""Whole graphs as bytes: what is told, what it costs, what is refused."""

from __future__ import annotations

import base64
import json
import zlib
from dataclasses import replace
from typing import Any

import pytest

from gradviz.graph.columns import MAGIC, columns_bytes, columns_text
from gradviz.graph.graph import Graph
from gradviz.graph.message import DETAILED, message_of
from gradviz.graph.view import LIMIT
from tests.render import samples

SIZES = {"u1": 1, "u2": 2, "u4": 4}


def read(data: bytes) -> tuple[dict[str, Any], dict[str, list[int]]]:
    """Header and sections."""
    assert data[:4] == MAGIC
    length = int.from_bytes(data[4:8], "little")
    header = json.loads(data[8 : 8 + length])
    at, sections = 8 + length, {}
    for name, kind, count in header["sections"]:
        assert at % 8 == 0
        size = SIZES[kind]
        sections[name] = [
            int.from_bytes(data[at + i * size : at + (i + 1) * size], "little")
            for i in range(count)
        ]
        at += -(-count * size // 8) * 8
    assert at == len(data)
    return header, sections


@pytest.mark.parametrize("name", ["broken", "classifier", "hostile"])
def test_every_node_and_edge_is_told(name: str) -> None:
    graph: Graph = getattr(samples, name)()
    data = columns_bytes(graph)
    assert data is not None
    header, sections = read(data)
    strings = header["strings"]
    ids = sections["id"]
    assert ids == [node.id for node in graph.nodes]
    for at, node in enumerate(graph.nodes):
        assert strings[sections["op"][at]] == node.op
        assert strings[sections["name"][at]] == (node.name or "")
        assert json.loads(f"[{strings[sections['shape'][at]]}]") == list(node.shape)
        attributes = strings[sections["attributes"][at]]
        assert json.loads(attributes or "{}") == dict(node.attributes)
        place = sections["place"][at]
        if node.source is None:
            assert place == 0
        else:
            assert header["places"][place - 1]["line"] == node.source.line
    edges, at = [], 0
    for target, count in enumerate(sections["inputs"]):
        for edge in range(at, at + count):
            source = target - sections["back"][edge]
            slot = strings[sections["slot"][edge]]
            edges.append((ids[source], ids[target], slot, bool(sections["tracked"][edge])))
        at += count
    told = sorted((e.source, e.target, e.slot, e.tracked) for e in graph.edges)
    assert sorted(edges) == told


def test_large_graphs_take_a_few_bytes_a_node() -> None:
    graph = samples.chain(20_000)
    text = columns_text(graph)
    assert text is not None
    assert len(text) < 6 * len(graph)
    assert zlib.decompress(base64.b64decode(text)) == columns_bytes(graph)
    assert columns_text(graph, most=100) is None


def test_what_columns_cannot_tell_is_left_to_the_kernel() -> None:
    graph = samples.broken()
    assert columns_bytes(replace(graph, nodes=graph.nodes[::-1])) is None
    backwards = tuple(replace(e, source=e.target, target=e.source) for e in graph.edges)
    assert columns_bytes(replace(graph, edges=backwards)) is None
    assert columns_bytes(Graph((), (), (), ())) is not None


def test_messages_are_spelled_out_or_columns() -> None:
    small = message_of(samples.broken())
    assert small.columns is None
    large = message_of(samples.chain(LIMIT * 2), key="k")
    assert large.columns is not None
    assert large.key == "k"
    assert len(large.nodes) <= DETAILED
    assert large.roots
    assert large.total_nodes > LIMIT
