"""The folded view: bounded, truthful about what it leaves out, quick on deep graphs."""

from __future__ import annotations

import random
import time
from dataclasses import replace

import pytest

from gradviz.graph.fold import MOST_ITEMS, fold
from gradviz.graph.folded import Folded
from gradviz.graph.graph import Graph, GraphEdge, GraphGroup
from tests.render import samples


def check(graph: Graph, folded: Folded) -> None:
    """What must hold for every folded view."""
    ids = [item.id for item in folded.items]
    assert len(ids) == len(set(ids))
    bands = {band.id for band in folded.bands}
    assert all(item.band is None or item.band in bands for item in folded.items)
    assert all(band.parent is None or band.parent in bands for band in folded.bands)
    assert all(link.source in ids and link.target in ids for link in folded.links)
    assert len({(link.source, link.target) for link in folded.links}) == len(folded.links)
    computed = {
        edge.target for edge in graph.edges if edge.source in graph and edge.target in graph
    }
    assert sum(item.operations for item in folded.items if item.form != "chip") == len(computed)


def test_a_small_graph_is_shown_as_it_is() -> None:
    graph = samples.classifier()
    folded = fold(graph)
    check(graph, folded)
    assert {item.node.id for item in folded.items if item.node} == {node.id for node in graph}
    assert {band.label for band in folded.bands} == {group.label for group in graph.groups}
    assert len(folded.links) == len(graph.edges)


def test_parameters_stand_in_the_module_that_uses_them() -> None:
    folded = fold(samples.classifier())
    bands = {item.node.name: item.band for item in folded.items if item.node}
    assert bands["0.weight"] == "g1"
    assert bands["images"] is None


def test_repeated_edges_are_one_link_with_a_count() -> None:
    links = {(link.source, link.target): link for link in fold(samples.broken()).links}
    assert links["n:3", "n:4"].count == 2
    assert links["n:2", "n:3"].cut == "detach"


def test_a_deep_chain_is_folded_quickly() -> None:
    graph = samples.chain(100_000)
    start = time.process_time()
    folded = fold(graph)
    assert time.process_time() - start < 3
    check(graph, folded)
    assert len(folded.items) < 30
    (run,) = [item for item in folded.items if item.form == "run"]
    assert run.label == f"{run.operations:,} more operations"
    assert folded.items[-1].root or any(item.root for item in folded.items)


def test_shared_leaves_get_a_chip_for_each_use() -> None:
    folded = fold(samples.recurrent(8), most=150)
    chips = [item for item in folded.items if item.form == "chip" and item.node]
    assert {chip.node.name for chip in chips if chip.node} == {"U", "W", "b"}
    assert len(chips) == 3 * 7
    sources = [link.source for link in folded.links]
    assert all(sources.count(chip.id) == 1 for chip in chips)


@pytest.mark.parametrize("grouped", [False, True])
def test_a_long_loop_stays_small(grouped: bool) -> None:
    graph = samples.recurrent(3000, grouped)
    folded = fold(graph)
    check(graph, folded)
    assert len(folded.items) <= MOST_ITEMS


def test_problems_stay_in_sight() -> None:
    graph = samples.chain(5000)
    problem = samples.broken().problems[0]
    graph = replace(graph, problems=(replace(problem, nodes=(2500,)),))
    shown = {item.node.id: item for item in fold(graph).items if item.node}
    assert shown[2500].mark is not None
    assert shown[2500].mark.main


def test_a_folded_group_carries_the_worst_problem_inside() -> None:
    groups = tuple(GraphGroup(f"g{at}", f"part {at}", "scope", None) for at in range(10))
    graph = samples.chain(2000)
    nodes = tuple(replace(node, group=f"g{node.id // 200}") for node in graph)
    broken = samples.broken().problems
    problems = (
        replace(broken[1], nodes=tuple(range(300, 380))),
        replace(broken[0], nodes=(390, 391)),
    )
    graph = Graph(nodes, graph.edges, groups, graph.roots, "x", problems)
    folded = fold(graph, most=20)
    check(graph, folded)
    hidden = [item for item in folded.items if item.node is None and item.mark is not None]
    visible = [item for item in folded.items if item.node is not None and item.mark is not None]
    assert hidden or visible
    assert any(item.mark and item.mark.severity == "error" for item in folded.items)


def test_many_leaves_of_one_operation_are_counted() -> None:
    leaves = [samples.node(at, "tensor", "grad", role="leaf") for at in range(10_000)]
    graph = Graph(
        (*leaves, samples.node(10_000, "cat")),
        tuple(GraphEdge(at, 10_000, f"x[{at}]", True) for at in range(10_000)),
        (),
        (10_000,),
    )
    folded = fold(graph)
    assert len(folded.items) < 20
    (cat,) = [item for item in folded.items if item.id == "n:10000"]
    drawn = sum(item.id != "n:10000" for item in folded.items)
    assert cat.hidden_inputs + drawn == 10_000


def test_groups_in_a_circle_and_unknown_groups_do_no_harm() -> None:
    groups = (
        GraphGroup("a", "a", "scope", "b"),
        GraphGroup("b", "b", "scope", "a"),
        GraphGroup("c", "c", "scope", "nowhere"),
    )
    graph = samples.chain(30)
    nodes = tuple(replace(n, group=("a", "b", "c", "lost", None)[n.id % 5]) for n in graph)
    check(graph, fold(Graph(nodes, graph.edges, groups, graph.roots)))


def tower(count: int, marked: int | None = None) -> Graph:
    """Blocks of three operations, each with a block of one inside."""
    nodes, groups = [samples.node(0, "tensor", "grad", role="leaf")], []
    for at in range(count):
        outer, inner = f"b{at}", f"b{at}.act"
        groups += [
            GraphGroup(outer, str(at), "module", None),
            GraphGroup(inner, "act", "module", outer),
        ]
        for op, group in (("linear", outer), ("relu", inner), ("add", outer)):
            nodes.append(samples.node(len(nodes), op, group=group))
    edges = tuple(GraphEdge(at - 1, at, "x", True) for at in range(1, len(nodes)))
    problem = samples.broken().problems[0]
    problems = () if marked is None else (replace(problem, nodes=(1 + 3 * marked,)),)
    return Graph(tuple(nodes), edges, tuple(groups), (len(nodes) - 1,), "tower", problems)


def test_blocks_that_repeat_are_told_once() -> None:
    graph = tower(40)
    folded = fold(graph)
    check(graph, folded)
    (rest,) = [item for item in folded.items if item.form == "run"]
    # The last block holds the root, and so is shown.
    assert (rest.label, rest.operations) == ("38 more like the one before", 3 * 38)
    assert {band.label for band in folded.bands} == {"0", "39", "act"}


def test_a_block_with_a_problem_is_not_put_together_with_others() -> None:
    folded = fold(tower(40, marked=20))
    check(tower(40, marked=20), folded)
    assert "20" in {band.label for band in folded.bands}
    runs = [item.label for item in folded.items if item.form == "run"]
    assert runs == ["19 more like the one before", "17 more like the one before"]


def test_everything_can_be_asked_for() -> None:
    graph = tower(40)
    assert len(fold(graph, most=None).items) == len(graph)
    assert graph.to_svg(max_items=None).count("relu") > graph.to_svg().count("relu")


def test_an_empty_graph() -> None:
    assert fold(Graph((), (), (), ())).items == ()


@pytest.mark.parametrize("seed", range(40))
def test_random_graphs(seed: int) -> None:
    pick = random.Random(seed)
    count = pick.choice([3, 30, 150, 900])
    groups = tuple(
        GraphGroup(
            f"g{at}",
            f"group {at}",
            "scope",
            f"g{pick.randrange(at)}" if at and pick.random() < 0.7 else None,
        )
        for at in range(pick.randrange(12))
    )
    nodes, edges = [], []
    for at in range(count):
        inputs = [pick.randrange(at) for _ in range(pick.randrange(4))] if at else []
        group = pick.choice([*(g.id for g in groups), None])
        nodes.append(samples.node(at, "op", "grad_in_backward" if inputs else "grad", group=group))
        edges += [GraphEdge(source, at, "x", True) for source in inputs]
    roots = tuple(sorted(pick.sample(range(count), min(3, count))))
    graph = Graph(tuple(nodes), tuple(edges), groups, roots)
    folded = fold(graph)
    check(graph, folded)
    assert len(folded.items) <= MOST_ITEMS + 10
