"""Large graphs as columns: the same nodes and edges, made when somebody asks for them."""

from __future__ import annotations

import gc
from dataclasses import replace

import pytest

import gradviz as gv
from gradviz.core.pause import collector_paused
from gradviz.diagnose.trial import reached_by
from gradviz.graph import graph as graphs
from gradviz.graph.graph import Graph
from gradviz.graph.table import Edges, Nodes
from tests.render import samples


def busy() -> gv.Tensor:
    """Names, numbers in operations, cuts, scopes, shared leaves and attributes."""
    w = gv.tensor([1.0, 2.0], requires_grad=True, name="weight")
    h = w
    for at in range(4):
        with gv.scope(f"part {at}"):
            h = (h * w + float(at)).softmax(dim=0)
            with gv.no_grad():
                quiet = h * 2.0
            h = h + quiet.detach() - gv.cat([w, h])[:2]
    return (h.clamp(min=0.0) ** 2).sum()


def lazily(monkeypatch: pytest.MonkeyPatch, *things: object) -> Graph:
    with monkeypatch.context() as patch:
        patch.setattr(graphs, "MOST_OBJECTS", 0)
        return gv.graph(*things, title="loss")


def test_nodes_and_edges_are_those_of_a_small_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    loss = busy()
    small = gv.graph(loss, title="loss")
    monkeypatch.setattr(graphs, "MOST_OBJECTS", 0)
    large = gv.graph(loss, title="loss")
    assert isinstance(small.nodes, tuple) and isinstance(small.edges, tuple)
    assert isinstance(large.nodes, Nodes) and isinstance(large.edges, Edges)
    assert large.nodes[-1] == small.nodes[-1] and large.nodes[1:4] == small.nodes[1:4]
    assert large.node(loss.node.id) == small.nodes[-1]
    assert large.nodes == small.nodes and large.edges == small.edges
    assert large.edges[0] == small.edges[0] and len(large.edges) == len(small.edges)
    assert large.groups == small.groups and len(large) == len(small)
    for node in small:
        assert large.inputs_of(node.id) == small.inputs_of(node.id)
        assert node.id in large
    assert large.inputs_of(-1) == [] and -1 not in large
    assert large == small and "nodes" in repr(large.nodes) and "edges" in repr(large.edges)
    assert large.to_json() == small.to_json() and str(large) == str(small)


def test_an_index_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    large = lazily(monkeypatch, busy())
    with pytest.raises(IndexError):
        large.nodes[len(large)]
    with pytest.raises(KeyError):
        large.node(-1)


def test_verdicts_of_what_is_gone_are_those_of_its_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    loss = busy()
    slugs = [node.verdict.backward.slug for node in gv.graph(loss).nodes]
    large = lazily(monkeypatch, loss)
    del loss
    gc.collect()
    assert [node.verdict.backward.slug for node in large.nodes] == slugs
    marks = {node.verdict.require_grad.slug for node in large.nodes}
    assert marks >= {None, "can-t-convert-a-non-leaf-tensor-into-a-tracked-ten"}


def test_a_drawn_graph_stays_as_it_was_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    w = gv.tensor([1.0])
    large = lazily(monkeypatch, w)
    w = w.autodiff()
    leaf = lazily(monkeypatch, w)
    w.require_grad()
    assert leaf.nodes[-1].requirement == "none" and not leaf.nodes[-1].verdict.backward.ok
    assert large.nodes[0].kind == "NdArray"


def test_no_node_is_kept_alive(monkeypatch: pytest.MonkeyPatch) -> None:
    from weakref import ref

    loss = busy()
    loss.backward()
    large = lazily(monkeypatch, loss)
    node = ref(loss.node)
    del loss
    gc.collect()
    assert node() is None and large.nodes[-1].consumed


def test_numbers_in_operations_tell_nodes_apart() -> None:
    x = gv.ones(2, requires_grad=True)
    graph = gv.graph([x * 2.0, x * 3.0, x * 2.0, x.sum(dim=0), x.sum(dim=0, keepdim=True)])
    assert [n.attributes.get("rhs") for n in graph.nodes[1:4]] == ["2.0", "3.0", "2.0"]
    assert [n.attributes["keepdim"] for n in graph.nodes[4:]] == ["False", "True"]
    assert len(graph.table.looks) == len(graph)  # made from objects again
    assert gv.graph(x * 2.0).table.computed == bytearray([0, 1])


def test_edges_into_nowhere_and_in_any_order() -> None:
    graph = samples.classifier()
    turned = replace(graph, edges=graph.edges[::-1])
    assert sorted(map(str, turned.inputs_of(15))) == sorted(map(str, graph.inputs_of(15)))
    cut = replace(graph, nodes=graph.nodes[5:])
    ids = {node.id for node in cut.nodes}
    assert {edge.source for node in ids for edge in cut.inputs_of(node)} <= ids


def test_a_gradient_that_is_nan_is_found_whichever_way() -> None:
    x = gv.tensor([0.0, 1.0], requires_grad=True)
    y = gv.tensor([1.0, 1.0], requires_grad=True)
    slugs = {p.slug for p in gv.graph((x.sqrt() * 0.0 + y).sum()).problems}
    assert "non-finite-gradient" in slugs
    fine = {p.slug for p in gv.graph(((x + 1.0).sqrt() * y).sum()).problems}
    assert "non-finite-gradient" not in fine
    h = x.sqrt()
    asked = {p.slug for p in gv.diagnose((h * 0.0).sum(), wrt=[x]).problems}
    assert "non-finite-gradient" in asked


def test_the_collector_runs_again_after_a_pause() -> None:
    def fails() -> None:
        with collector_paused():
            assert not gc.isenabled()
            with collector_paused():
                pass
            assert not gc.isenabled()
            raise ZeroDivisionError

    assert gc.isenabled()
    with pytest.raises(ZeroDivisionError):
        fails()
    assert gc.isenabled()


def test_a_collector_that_was_off_stays_off() -> None:
    gc.disable()
    try:
        with collector_paused():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


@pytest.mark.parametrize("dead_ends", [False, True])
def test_what_a_gradient_reaches_is_told_by_the_columns(dead_ends: bool) -> None:
    w = gv.tensor([1.0, 2.0], requires_grad=True)
    h = v = gv.tensor([3.0, 4.0], requires_grad=True)
    for _ in range(5):
        h = h * w + v.detach()
    loss = (h + (h * v).detach() if dead_ends else h).sum()
    table = gv.graph(loss).table
    found = table.reached_from([table.position[loss.node.id]])
    assert found == reached_by(loss.node) and len(found) < len(table)
    assert table.reached_from([]) == set()
