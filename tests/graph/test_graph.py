"""`gv.graph`: nodes, edges, names, roles, groups, values and verdicts of live tensors."""

from __future__ import annotations

import gc
import json
from functools import partial

import numpy as np
import pytest

import gradviz as gv
from gradviz.graph.graph import Graph, GraphNode
from gradviz.graph.model import SCHEMA_VERSION
from tests.asserting import refused


def by_op(graph: Graph) -> dict[str, GraphNode]:
    return {node.op: node for node in graph.nodes}


def by_name(graph: Graph) -> dict[str, GraphNode]:
    return {node.name: node for node in graph.nodes if node.name}


def edges(graph: Graph) -> list[tuple[str, str, str, bool]]:
    return [
        (graph.node(e.source).label, graph.node(e.target).label, e.slot, e.tracked)
        for e in graph.edges
    ]


# --- nodes and edges -----------------------------------------------------------------------------
def test_nodes_are_told_apart_and_come_oldest_first() -> None:
    x = gv.tensor([1.0, 2.0], requires_grad=True)
    w = gv.tensor([3.0, 4.0])
    loss = (x * w).sum()
    graph = gv.graph(loss)
    assert [node.op for node in graph.nodes] == ["tensor", "tensor", "mul", "sum"]
    assert [node.name for node in graph.nodes] == ["x", "w", None, "loss"]
    assert [node.id for node in graph.nodes] == sorted(node.id for node in graph.nodes)
    assert edges(graph) == [
        ("x", "mul", "lhs", True),
        ("w", "mul", "rhs", False),
        ("mul", "loss", "x", True),
    ]
    assert graph.roots == (loss.node.id,) and graph.title == "loss"
    assert len(graph) == 4 and list(graph) == list(graph.nodes) and loss.node.id in graph
    assert [e.slot for e in graph.inputs_of(loss.node.id)] == ["x"]


def test_facts_of_a_node() -> None:
    x = gv.tensor([[1.0, 2.0]], requires_grad=True)
    y = x.sum(dim=1, keepdim=True)
    leaf, result = gv.graph(y).nodes
    assert (leaf.kind, leaf.requirement, leaf.is_leaf, leaf.role) == (
        "Autodiff(NdArray)",
        "grad",
        True,
        "leaf",
    )
    assert (result.requirement, result.is_leaf, result.role) == (
        "grad_in_backward",
        False,
        "output",
    )
    assert (result.shape, result.dtype, result.device) == (
        (1, 1),
        "float32",
        "autodiff(ndarray)",
    )
    assert "keepdim" in result.attributes and result.attributes["keepdim"] == "True"
    assert result.source.text == "x.sum(dim=1, keepdim=True)" and result.source.filename == __file__
    assert leaf.value == "[[1., 2.]]"
    assert not result.consumed and result.cut is None
    assert result.verdict.backward.ok and not result.verdict.require_grad.ok


def test_a_node_that_feeds_twice_has_two_edges() -> None:
    x = gv.tensor([2.0], requires_grad=True)
    graph = gv.graph(x * x)
    assert [(e.slot, e.tracked) for e in graph.edges] == [("lhs", True), ("rhs", True)]


def test_optional_inputs_that_were_left_out_have_no_edge() -> None:
    x, w = gv.ones(2, 3, requires_grad=True), gv.ones(4, 3)
    graph = gv.graph(gv.linear(x, w))
    assert [e.slot for e in graph.edges] == ["x", "weight"]


def test_lists_of_inputs_are_numbered() -> None:
    parts = [gv.ones(2, requires_grad=True), gv.ones(2)]
    graph = gv.graph(gv.cat(parts))
    assert [e.slot for e in graph.edges] == ["tensors[0]", "tensors[1]"]
    assert [e.tracked for e in graph.edges] == [True, False]


def test_several_results_of_one_operation() -> None:
    x = gv.tensor([3.0, 1.0], requires_grad=True)
    values, indices = x.sort()
    graph = gv.graph(values, indices)
    named = by_name(graph)
    assert named["values"].requirement == "grad_in_backward"
    assert named["indices"].op == "sort.indices" and named["indices"].requirement == "none"
    assert named["indices"].cut == "non-differentiable"


# --- roles ---------------------------------------------------------------------------------------
def test_roles() -> None:
    net = gv.nn.Linear(2, 1)
    x, y = gv.ones(3, 2), gv.ones(3, 1)
    w = gv.ones(1, requires_grad=True)
    scale = gv.tensor(2.0)
    loss = ((net(x) * w * scale - y) ** 2).mean()
    named = by_name(gv.graph(loss))
    assert named["x"].role == named["y"].role == "input"
    assert named["w"].role == "leaf" and named["loss"].role == "output"
    assert {node.role for node in gv.graph(loss).nodes if node.op == "parameter"} == {"parameter"}
    assert named["scale"].role == "constant"


def test_constants_stand_inside_the_operations_that_use_them() -> None:
    x = gv.tensor([1.0], requires_grad=True)
    graph = gv.graph(2.0 * x + 3.5)
    assert [node.op for node in graph.nodes] == ["tensor", "mul", "add"]
    found = by_op(graph)
    assert "2" in "".join(found["mul"].attributes.values())
    assert found["add"].attributes["rhs"] == "3.5"


def test_lifted_tensors_stand_for_themselves() -> None:
    x = gv.tensor([1.0], requires_grad=True)
    plain = gv.tensor([2.0])
    graph = gv.graph(x * plain)
    assert [node.op for node in graph.nodes] == ["tensor", "tensor", "mul"]
    assert by_name(graph)["plain"].kind == "NdArray"
    lifted = plain.autodiff()
    assert [node.op for node in gv.graph(x * lifted).nodes] == [
        "tensor",
        "tensor",
        "autodiff",
        "mul",
    ]


# --- names ---------------------------------------------------------------------------------------
class Holder:
    def __init__(self) -> None:
        self.kept = gv.ones(1)


Holder.__module__ = "__main__"


def test_names_come_from_variables_lists_dicts_attributes_and_modules() -> None:
    parts = [gv.ones(1), gv.ones(1)]
    table = {"key": gv.ones(1), ("t", 1): gv.ones(1)}
    holder = Holder()
    net = gv.nn.Sequential(gv.nn.Linear(1, 1))
    total = parts[0] + parts[1] + table["key"] + table["t", 1] + holder.kept + net(parts[0])
    names = set(by_name(gv.graph(total)))
    assert {
        "parts[0]",
        "parts[1]",
        "table['key']",
        "table[('t', 1)]",
        "holder.kept",
        "total",
    } <= names
    assert {n for n in names if n.endswith(("weight", "bias"))} in (
        {"0.weight", "0.bias"},
        {"net.0.weight", "net.0.bias"},
    )


def test_the_shortest_name_wins_and_the_users_own_before_all() -> None:
    long_name = gv.ones(1, requires_grad=True)
    x = long_name
    assert gv.graph(x).nodes[0].name == "x"
    own = gv.ones(1, name="given")
    assert gv.graph(own).nodes[0].name == "given"


def test_names_of_the_function_before_those_of_the_module() -> None:
    def inside(w: gv.Tensor) -> str | None:
        return gv.graph(w).nodes[0].name

    assert inside(gv.ones(1)) == "w"


def test_the_heading() -> None:
    a, b = gv.ones(1), gv.ones(1)
    assert gv.graph(a, b).title == "a, b"
    assert gv.graph(a, b, a + b, a * b).title.endswith(", ...")
    assert gv.graph(a, title="mine").title == "mine"


# --- groups --------------------------------------------------------------------------------------
def test_scopes_and_modules_are_groups() -> None:
    net = gv.nn.Sequential(gv.nn.Linear(2, 2), gv.nn.ReLU())
    x = gv.ones(1, 2)
    with gv.scope("outer"), gv.scope("inner"):
        h = net(x)
    loss = h.sum()
    graph = gv.graph(loss)
    groups = {group.id: group for group in graph.groups}
    relu = by_op(graph)["relu"]
    path = []
    at = relu.group
    while at is not None:
        path.append((groups[at].label, groups[at].kind))
        at = groups[at].parent
    labels = [label for label, _ in path]
    assert labels[-2:] == ["inner", "outer"]
    assert [kind for _, kind in path][-2:] == ["scope", "scope"] and path[0][1] == "module"
    assert by_name(graph)["loss"].group is None
    assert {node.group for node in graph.nodes} - {None} <= set(groups)


def test_the_same_label_twice_is_two_groups() -> None:
    x = gv.ones(1, requires_grad=True)
    for _ in range(2):
        with gv.scope("step"):
            x = x * 2.0
    labels = [group.label for group in gv.graph(x).groups]
    assert labels == ["step", "step"]


# --- states --------------------------------------------------------------------------------------
def test_cuts_are_marked() -> None:
    w = gv.ones(2, requires_grad=True)
    with gv.no_grad():
        quiet = w * 2.0
    late = gv.ones(2).autodiff()
    early = late * 1.0
    late.require_grad()
    cut = {
        "detach": w.detach(),
        "inner": w.inner(),
        "set_require_grad": w.set_require_grad(False),
        "no_grad": quiet,
        "non-differentiable": w > 0.0,
        "marked-after-use": early,
    }
    for why, tensor in cut.items():
        graph = gv.graph(tensor)
        node = graph.node(tensor.node.id)
        assert node.cut == why
        assert not any(edge.tracked for edge in graph.edges)


def test_an_edge_from_a_leaf_marked_too_late_is_not_tracked() -> None:
    w, late = gv.ones(2, requires_grad=True), gv.ones(2).autodiff()
    y = w * late
    late.require_grad()
    graph = gv.graph(y)
    assert {(graph.node(e.source).name, e.tracked) for e in graph.edges} >= {
        ("w", True),
        ("late", False),
    }


def test_consumed_graphs_stay_explorable() -> None:
    w = gv.ones(2, requires_grad=True)
    loss = (w * w).sum()
    loss.backward()
    graph = gv.graph(loss)
    assert [node.op for node in graph.nodes] == ["ones", "mul", "sum"]
    assert [node.consumed for node in graph.nodes] == [False, True, True]
    assert graph.node(loss.node.id).verdict.backward.slug == "graph-consumed"
    assert [p.slug for p in graph.problems] == ["graph-consumed"]
    assert gv.graph(loss * 2.0).nodes[-1].verdict.backward.slug == "graph-consumed"


def test_what_was_cut_off_a_dead_graph_still_shows_where_it_came_from() -> None:
    def made() -> gv.Tensor:
        w = gv.ones(2, requires_grad=True)
        return ((w * 3.0).exp().sum()).detach()

    kept = made()
    gc.collect()
    graph = gv.graph(kept)
    assert [node.op for node in graph.nodes] == ["ones", "mul", "exp", "sum", "detach"]
    assert kept.node.parents[0].extra.is_ghost


def test_a_live_node_stands_for_its_ghosts() -> None:
    w = gv.ones(2, requires_grad=True)
    h = w * 3.0
    loss = (h + h.detach()).sum()
    graph = gv.graph(loss)
    assert [node.op for node in graph.nodes].count("mul") == 1
    assert len({node.id for node in graph.nodes}) == len(graph.nodes)
    for order in ((loss, h), (h, loss), (h.detach(), h)):
        assert [node.op for node in gv.graph(*order).nodes].count("mul") == 1


def test_values_are_shown_in_short() -> None:
    w = gv.tensor([1.0, 2.0], requires_grad=True)
    loss = (w.exp() * 2.0).sum()
    found = by_op(gv.graph(loss))
    assert found["tensor"].value and found["exp"].value  # saved for backward
    big = gv.zeros(1000, 1000)
    assert len(gv.graph(big).nodes[0].value) <= 80


# --- many, deep, empty ---------------------------------------------------------------------------
def chain(length: int) -> gv.Tensor:
    h = gv.tensor([1.0], requires_grad=True)
    for _ in range(length):
        h = h * 1.0
    return h


@pytest.mark.slow
def test_a_chain_of_a_hundred_thousand() -> None:
    graph = gv.graph(chain(100_000))
    assert len(graph) == 100_001 and len(graph.edges) == 100_000
    assert graph.nodes[-1].verdict.backward.ok
    assert json.loads(graph.to_json())["total_nodes"] == 100_001


def test_a_long_chain_that_was_consumed() -> None:
    h = chain(5_000)
    h.backward()
    assert {node.verdict.backward.slug for node in gv.graph(h).nodes[1:]} == {"graph-consumed"}


def test_many_roots_share_one_graph() -> None:
    w = gv.ones(2, requires_grad=True)
    roots = [w * float(n) for n in range(500)]
    graph = gv.graph(roots)
    assert len(graph.roots) == 500 and len([n for n in graph.nodes if n.op == "ones"]) == 1
    assert len(gv.graph(roots[3], roots[3]).nodes) == 2


def test_nested_collections_and_modules() -> None:
    net = gv.nn.Linear(2, 1)
    graph = gv.graph({"a": [net, (gv.ones(1),)]})
    assert [node.op for node in graph.nodes] == ["parameter", "parameter", "ones"]
    assert graph.problems == ()
    assert gv.graph(graph) is graph


def test_nothing_and_what_has_no_graph() -> None:
    assert len(gv.graph()) == 0 and json.loads(gv.graph([]).to_json())["nodes"] == []
    for thing in (3, "x", np.ones(2), None):
        refused(partial(gv.graph, thing), "not-a-tensor")


# --- recorded programs and messages ----------------------------------------------------------------
def test_the_graph_of_a_recording() -> None:
    net = gv.nn.Linear(3, 2)

    def fn(x: gv.Tensor) -> gv.Tensor:
        with gv.scope("head"):
            return gv.cat([net(x), net(x)], dim=1) * 2.0

    captured = gv.capture(fn, gv.spec((4, 3)))
    graph = gv.graph(captured)
    roles = [node.role for node in graph.nodes]
    assert roles.count("input") == 1 and roles.count("output") == 1 and "parameter" in roles
    assert {node.kind for node in graph.nodes} == {"Capture"}
    assert {n.name for n in graph.nodes if n.role == "parameter"} >= {"weight", "bias"}
    assert {"tensors[0]", "tensors[1]"} <= {edge.slot for edge in graph.edges}
    assert "head" in {group.label for group in graph.groups}
    assert {node.verdict.backward.slug for node in graph.nodes} == {"requires-autodiff-tensor"}
    assert graph.captured is captured


def test_messages_are_valid_and_serialisable() -> None:
    w = gv.tensor([float("nan"), float("inf")], requires_grad=True, name="<b>&\"'\n")
    loss = (w.detach() * 2.0).sum()
    message = json.loads(gv.graph(loss).to_json())
    assert message["schema"] == SCHEMA_VERSION
    keys = {node["id"] for node in message["nodes"]}
    assert len(keys) == len(message["nodes"]) == message["total_nodes"]
    assert all(edge["source"] in keys and edge["target"] in keys for edge in message["edges"])
    assert set(message["roots"]) <= keys
    for node in message["nodes"]:
        assert node["requirement"] in ("grad", "grad_in_backward", "none")
        assert node["role"] in ("parameter", "leaf", "input", "constant", "operation", "output")
        assert set(node["verdict"]) == {"backward", "require_grad"}
        assert all(0 <= at < len(message["problems"]) for at in node["problems"])
    groups = {group["id"] for group in message["groups"]}
    assert all(node["group"] is None or node["group"] in groups for node in message["nodes"])
