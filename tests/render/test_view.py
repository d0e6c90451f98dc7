"""Messages: everything a front end needs, cut to a size, truthful about the cut."""

from __future__ import annotations

import json
import linecache
from collections.abc import Iterator
from importlib import import_module

import pytest

import gradviz as gv
from gradviz.errors.problem import Fix, Problem
from gradviz.graph import view
from gradviz.graph.model import as_json
from gradviz.graph.view import set_cell_source, view_of
from tests.render import samples


@pytest.fixture
def cell() -> Iterator[str]:
    """The broken sample's source under a name of its own, known as a cell."""
    name = "<cell 7>"
    linecache.cache[name] = (len(samples.CELL), None, samples.CELL.splitlines(True), name)
    known = view._cells
    set_cell_source(
        lambda f: f"In [{len(f)}]", lambda f: "id-7" if f == name else None, lambda _: None
    )
    yield name
    view._cells = known
    del linecache.cache[name]


def test_everything_is_json() -> None:
    for graph in (samples.classifier(), samples.broken(), samples.hostile()):
        message = json.loads(json.dumps(as_json(view_of(graph))))
        assert message["total_nodes"] == len(graph)
        assert {node["id"] for node in message["nodes"]} == {f"n{node.id}" for node in graph}


def test_problems_know_their_nodes_and_nodes_their_problems() -> None:
    message = view_of(samples.broken())
    nodes = {node.id: node for node in message.nodes}
    assert message.problems[0].nodes == ("n5", "n4", "n3")
    assert nodes["n5"].problems == (0,)
    assert nodes["n1"].problems == (1,)
    assert nodes["n3"].cut == "detach"
    assert not nodes["n5"].verdict.backward.ok


def test_fixes_and_places_know_their_cell(cell: str) -> None:
    message = view_of(samples.broken(cell))
    (fix,) = message.problems[0].fixes
    assert fix.edits[0].cell == "id-7"
    assert "+h = w * 3" in fix.diff
    assert "h = w * 3\n" in fix.patched
    assert message.problems[0].cause is not None
    assert message.problems[0].cause.label == "In [8]"


def test_a_fix_for_other_source_is_left_out() -> None:
    assert view_of(samples.broken("nowhere.py")).problems[0].fixes == ()


def test_large_graphs_are_cut_away_from_the_roots() -> None:
    message = view_of(samples.chain(100_000), limit=50)
    assert len(message.nodes) == 50
    assert message.total_nodes == 100_000
    assert message.nodes[-1].id == "n99999"
    assert {edge.source for edge in message.edges} <= {node.id for node in message.nodes}


def test_nodes_with_problems_survive_the_cut() -> None:
    from dataclasses import replace

    problem = replace(samples.broken().problems[0], nodes=(3, 4))
    graph = replace(samples.chain(1000), problems=(problem,))
    message = view_of(graph, limit=20)
    assert {"n3", "n4", "n999"} <= {node.id for node in message.nodes}


def test_groups_without_nodes_are_left_out() -> None:
    message = view_of(samples.recurrent(100, grouped=True), limit=20)
    assert 0 < len(message.groups) < 10


def test_nodes_without_verdicts_get_what_their_requirement_says() -> None:
    plain = samples.node(1, "tensor", "none", verdict=None)
    assert not view.verdict_view(plain).backward.ok
    assert view.verdict_view(plain).require_grad.ok


def test_messages_of_large_graphs_search_for_no_fixes(monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[str | None] = []

    def search(problem: Problem) -> tuple[Fix, ...]:
        searched.append(problem.slug)
        return ()

    monkeypatch.setattr(import_module("gradviz.diagnose.search"), "fixes_of", search)
    x = gv.ones(2, requires_grad=True)
    graph = gv.graph((x * x).sum())
    view_of(graph)
    assert searched
    del searched[:]
    monkeypatch.setattr(view, "LARGE", len(graph) - 1)
    view_of(graph)
    assert not searched
