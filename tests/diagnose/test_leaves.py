"""`gv.gradient_table`: sizes, health, reasons; and what flows along edges."""

from __future__ import annotations

import numpy as np

import gradviz as gv
from gradviz.diagnose.leaves import gradients_view


def by_name(table: gv.GradientTable) -> dict:
    return {row.name: row for row in table.rows}


def test_sizes_and_ratios() -> None:
    w = gv.tensor([3.0, 4.0], requires_grad=True)
    loss = (w * 2.0).sum()
    grads = loss.backward()
    (row,) = gv.gradient_table(loss, grads=grads).rows
    assert (row.name, row.value_norm, row.reached, row.health) == ("w", 5.0, True, "fine")
    assert row.gradient_norm == float(f"{8**0.5:.7g}") and row.ratio == float(f"{8**0.5 / 5:.7g}")


def test_leaves_that_were_not_reached_say_why() -> None:
    cut, used = gv.tensor([1.0], requires_grad=True), gv.tensor([1.0], requires_grad=True)
    elsewhere = gv.tensor([1.0], requires_grad=True)
    loss = (cut.detach() * used).sum()
    grads = loss.backward()
    rows = by_name(gv.gradient_table(loss, elsewhere, grads=grads))
    assert rows["used"].reached
    assert (rows["cut"].reached, rows["cut"].slug) == (False, "path-cut-detach")
    assert (rows["elsewhere"].reached, rows["elsewhere"].slug) == (False, "leaf-not-reached")
    text = str(gv.gradient_table(loss, grads=grads))
    assert "not reached: path-cut-detach" in text


def test_before_any_backward_it_is_predicted_and_nothing_is_consumed() -> None:
    w = gv.tensor([3.0], requires_grad=True)
    loss = (w * w).sum()
    view = gradients_view(gv.graph(loss))
    assert view.predicted and view.available and view.parameters[0].gradient_norm == 6.0
    assert loss.backward()[w].tolist() == [6.0]
    view = gradients_view(gv.graph(loss))
    assert not view.available and not view.predicted and "trace_backward" in view.flow_reason


def test_gradients_along_edges() -> None:
    w = gv.tensor([3.0], requires_grad=True)
    loss = (w * w).sum()
    steps = gv.trace_backward(loss)
    graph = gv.graph(loss, steps=steps)
    view = gradients_view(graph)
    assert not view.predicted
    found = {(flow.source, flow.target, flow.slot): flow.norm for flow in view.flows}
    w_, mul, sum_ = (f"n{node.id}" for node in graph.nodes)
    assert found == {(w_, mul, "lhs"): 3.0, (w_, mul, "rhs"): 3.0, (mul, sum_, "x"): 1.0}
    edges = {(f"n{e.source}", f"n{e.target}", e.slot) for e in graph.edges if e.tracked}
    assert set(found) == edges


def test_names_cant_break_the_table() -> None:
    w = gv.tensor([1.0], requires_grad=True, name="a\nb\x1b[31m" + "y" * 500)
    lines = str(gv.gradient_table(w * 2.0)).splitlines()
    assert len(lines) == 2 and "\x1b" not in lines[1] and len(lines[1]) < 160


def test_health() -> None:
    big = gv.tensor([1.0, 1.0], requires_grad=True, name="big")
    fine = gv.tensor([1.0, 1.0], requires_grad=True, name="fine")
    also = gv.tensor([1.0, 1.0], requires_grad=True, name="also")
    small = gv.tensor([1.0, 1.0], requires_grad=True, name="small")
    zero = gv.tensor([1.0, 1.0], requires_grad=True, name="zero")
    bad = gv.tensor([0.0, 1.0], requires_grad=True, name="bad")
    loss = (big * 1e7 + fine + also + small * 1e-12 + zero * 0.0).sum() + bad.sqrt().sum()
    rows = by_name(gv.gradient_table(loss))
    assert {name: row.health for name, row in rows.items()} == {
        "big": "exploding", "fine": "fine", "also": "fine", "small": "vanishing", "zero": "zero", "bad": "not finite",
    }  # fmt: skip


def test_vanishing_is_seen_beside_the_other_layers() -> None:
    gv.manual_seed(0)
    layers = [gv.nn.Parameter(np.eye(4) * 0.01, name=f"w{at}") for at in range(7)]
    h = gv.ones((4, 4), dtype="float64")
    for layer in layers:
        h = (h @ layer).tanh()
    table = gv.gradient_table((h * 1e12).sum())
    assert {row.health for row in table.rows} <= {"fine", "vanishing", "exploding"}
    assert len(table.rows) == 7


def test_recordings_and_graphs_out_of_memory() -> None:
    captured = gv.capture(lambda x: x * 2.0, gv.spec((2,), "float32"))
    view = gradients_view(gv.graph(captured))
    assert not view.available and view.parameters == ()
    view = gradients_view(out_of_memory())
    assert not view.available and "in memory" in view.reason


def out_of_memory():
    x = gv.tensor([1.0], requires_grad=True)
    return gv.graph((x * 2.0).sum())
