"""Values and gradients of nodes: where they are found, and what is said where they are not."""

from __future__ import annotations

import gc
import json
import weakref
from dataclasses import replace

import numpy as np
import pytest

import gradviz as gv
from gradviz.diagnose.leaves import gradients_view
from gradviz.graph.graph import Graph
from gradviz.graph.kept import LiveGraph
from gradviz.graph.model import as_json
from gradviz.graph.numbers import MOST_CELLS, preview_view, value_view
from gradviz.graph.steps import steps_view


def origins(graph: Graph) -> dict[str, str]:
    return {node.label: graph.live.value(node.id).origin for node in graph.nodes}


def test_values_are_found_where_they_are() -> None:
    x = gv.tensor([1.0, 2.0], requires_grad=True)
    h = x.tanh()
    loss = ((h + 1.0) * 3.0).exp().sum()
    graph = gv.graph(loss)
    assert origins(graph) == {
        "x": "tensor", "h": "tensor", "add": "recomputed", "mul": "recomputed", "exp": "saved", "loss": "tensor",
    }  # fmt: skip
    by_op = {node.op: node.id for node in graph.nodes}
    wanted = (np.tanh([1.0, 2.0]) + 1.0) * 3.0
    np.testing.assert_allclose(graph.live.value(by_op["mul"]).array, wanted, rtol=1e-6)
    np.testing.assert_allclose(graph.live.value(by_op["exp"]).array, np.exp(wanted), rtol=1e-5)


@pytest.mark.parametrize("checkpointing", ["none", "balanced"])
def test_recomputed_values_are_the_forward_values(checkpointing: str) -> None:
    device = gv.device("ndarray").autodiff(checkpointing=checkpointing)
    x = gv.tensor(np.linspace(-1, 1, 12).reshape(3, 4), device=device, requires_grad=True)
    parts = [x.exp(), x.sigmoid() - 0.5, gv.cat([x, x * x])[:3], x.detach() + 1.0]
    wanted = [part.numpy().copy() for part in parts]
    numbers = [part.node.id for part in parts]
    loss = (parts[0] * parts[1] + parts[2] + parts[3]).sum()
    del parts
    graph = gv.graph(loss)
    for number, value in zip(numbers, wanted, strict=True):
        np.testing.assert_array_equal(graph.live.value(number).array, value)


def test_after_backward_nothing_is_computed_from_what_may_have_changed() -> None:
    w = gv.tensor([1.0, 2.0], requires_grad=True)
    loss = ((w + 1.0) * 3.0).sum()
    grads = loss.backward()
    gv.optim.SGD([w], lr=0.1).step(grads)
    graph = gv.graph(loss)
    found = {node.op: graph.live.value(node.id) for node in graph.nodes}
    assert found["add"].origin == found["mul"].origin == "none"
    assert "retain_graph" in found["add"].reason and found["sum"].origin == "tensor"


def test_a_changed_leaf_says_so() -> None:
    w = gv.tensor([1.0, 2.0], requires_grad=True)
    loss = (w * w).sum()
    graph = gv.graph(loss)
    assert not graph.live.value(w.node.id).changed
    gv.optim.SGD([w], lr=0.1).step((w * 1.0).sum().backward())
    assert graph.live.value(w.node.id).changed


def test_tensors_held_anywhere_are_found() -> None:
    holder = {"inside": [None]}
    x = gv.tensor([1.0], requires_grad=True)
    holder["inside"][0] = x + 1.0
    loss = (holder["inside"][0] * 2.0).sum()
    loss.backward()
    graph = gv.graph(loss)
    number = next(node.id for node in graph.nodes if node.op == "add")
    assert graph.live.value(number).origin == "tensor"


def drawn_and_forgotten(hold: bool = False) -> tuple[Graph, weakref.ref]:
    """A graph whose tensors have gone out of scope, and a reference to a saved array."""
    x = gv.tensor(np.ones(1000, np.float32), requires_grad=True)
    y = x.exp()
    loss = y.sum()
    graph = gv.graph(loss)
    if hold:
        assert graph.live.hold(10_000)
    for node in graph.nodes:
        assert value_view(graph.live, node.id, "value").origin == "tensor"
    return graph, weakref.ref(y.prim)


def test_asking_keeps_nothing_alive() -> None:
    graph, array = drawn_and_forgotten()
    gc.collect()
    assert array() is None
    found = graph.live.value(graph.roots[0])
    assert found.origin == "none" and "no longer in memory" in found.reason


def test_held_until_released() -> None:
    graph, array = drawn_and_forgotten(hold=True)
    gc.collect()
    assert array() is not None and 8000 <= graph.live.nbytes() <= 8100
    assert graph.live.value(graph.roots[0]).origin == "tensor"
    graph.live.release()
    gc.collect()
    assert array() is None


def test_a_large_graph_is_looked_through_when_somebody_asks() -> None:
    x = gv.tensor([1.0, 2.0], requires_grad=True)
    y = (x * 2.0).exp()
    live = LiveGraph([y.node], {}, large=True)
    assert not live.hold(10**9) and len(live._known) == 0
    assert live.value(y.node.id).origin == "tensor" and len(live._known) == 4


def test_the_leaves_of_a_large_graph_are_told_without_looking_through_it() -> None:
    w = gv.tensor([3.0, 4.0], requires_grad=True)
    loss = (w * 2.0).sum()
    grads = loss.backward()
    graph = gv.graph(loss, grads=grads)
    live = LiveGraph([loss.node], {w.node.id: ("w", w), loss.node.id: ("loss", loss)}, large=True)
    live.give(grads.store)
    view = gradients_view(replace(graph, live=live))
    assert view.parameters[0].reached and view.parameters[0].value_norm == 5.0
    assert len(live._known) == 0


def test_too_much_is_not_held() -> None:
    x = gv.tensor(np.ones(1000), requires_grad=True)
    y = x.exp()
    assert not gv.graph(y).live.hold(100)


def test_recordings_have_their_constants_and_nothing_else() -> None:
    w = gv.nn.Parameter([2.0, 3.0])
    captured = gv.capture(lambda x: (x * w).sum(), gv.spec((2,), "float32"))
    graph = gv.graph(captured)
    found = {node.role: graph.live.value(node.id) for node in graph.nodes}
    assert found["parameter"].origin == "constant" and found["parameter"].array.tolist() == [
        2.0,
        3.0,
    ]
    assert found["output"].origin == found["input"].origin == "none"


# --- gradients -----------------------------------------------------------------------------------
def test_gradients_that_were_given_or_are_the_latest() -> None:
    w = gv.tensor([1.0, 2.0], requires_grad=True)
    h = (w * w).retain_grad()
    loss = h.sum()
    assert "backward()" in gv.graph(loss).live.gradient(w.node.id).reason
    grads = loss.backward()
    for graph in (gv.graph(loss), gv.graph(loss, grads=grads)):
        assert graph.live.gradient(w.node.id).array.tolist() == [2.0, 4.0]
        assert graph.live.gradient(h.node.id).array.tolist() == [1.0, 1.0]
    del grads, graph
    gc.collect()
    assert gv.graph(loss).live.gradient(w.node.id).origin == "none"


def test_why_there_is_no_gradient() -> None:
    w, unused = gv.tensor([1.0], requires_grad=True), gv.tensor([1.0], requires_grad=True)
    x = gv.tensor([1.0])
    h = w * x + unused.detach()
    loss = h.sum()
    grads = loss.backward()
    live = gv.graph(loss, grads=grads).live
    assert "not tracked" in live.gradient(x.node.id).reason
    assert "retain_grad()" in live.gradient(h.node.id).reason
    assert "gv.why" in live.gradient(unused.node.id).reason


@pytest.mark.parametrize("name", ["grads", "steps"])
def test_other_things_are_refused(name: str) -> None:
    x = gv.tensor([1.0], requires_grad=True)
    with pytest.raises(gv.GradvizError, match=name) as caught:
        gv.graph(x.sum(), **{name: {}})
    assert caught.value.slug == "invalid-argument"


# --- messages ------------------------------------------------------------------------------------
def test_messages_are_json_whatever_the_numbers_are() -> None:
    x = gv.tensor(np.array([[np.nan, np.inf], [-np.inf, 1e308]]), requires_grad=True)
    loss = (x * x).sum()
    trace = gv.trace_backward(loss)
    graph = gv.graph(loss, steps=trace)
    views = [value_view(graph.live, n.id, w) for n in graph.nodes for w in ("value", "gradient")]
    views += [preview_view(graph.live, n.id, "value") for n in graph.nodes]
    text = json.dumps(
        [as_json(view) for view in (*views, steps_view(trace, graph))], allow_nan=False
    )
    assert '"nan"' in text and '"-inf"' in text


def test_previews_of_higher_ranks_have_axes_and_slices() -> None:
    values = np.arange(2 * 3 * 4 * 5, dtype=np.float32).reshape(2, 3, 4, 5)
    t = gv.tensor(values)
    live = gv.graph(t).live
    shown = preview_view(live, t.node.id, "value", index=(1, 2))
    assert (shown.axes, shown.index, shown.rows, shown.columns) == ((2, 3), (1, 2, 0, 0), 4, 5)
    assert list(shown.cells) == values[1, 2].ravel().tolist()
    turned = preview_view(live, t.node.id, "value", axes=(3, 0), index=(0, 99, -5, 0))
    assert turned.index == (0, 2, 0, 0)
    assert list(turned.cells) == values[:, 2, 0, :].T.ravel().tolist()
    for axes in ((0, 0), (9,), (-1, 2), ()):
        assert preview_view(live, t.node.id, "value", axes=axes).axes == (2, 3)


def test_three_channels_are_colours() -> None:
    for shape, axes, colours in (((3, 4, 5), (1, 2), 0), ((4, 5, 3), (0, 1), 2)):
        values = np.arange(60.0).reshape(shape)
        t = gv.tensor(values)
        live = gv.graph(t).live
        shown = preview_view(live, t.node.id, "value", axes=axes, colours=colours)
        assert (shown.colours, shown.rows, shown.columns) == (colours, 4, 5)
        wanted = np.moveaxis(values, colours, -1).reshape(-1)
        assert list(shown.cells) == wanted.tolist()
        for other in (axes[0], 7, -1, None):
            assert preview_view(live, t.node.id, "value", axes=axes, colours=other).colours is None


@pytest.mark.parametrize("shape", [(), (1,), (7,), (5000,), (3000, 2000), (0, 3)])
def test_previews_are_small(shape: tuple[int, ...]) -> None:
    t = gv.zeros(shape)
    shown = preview_view(gv.graph(t).live, t.node.id, "value")
    if 0 in shape:
        assert shown is None
    else:
        assert len(shown.cells) == shown.rows * shown.columns <= MOST_CELLS**2


def test_many_questions_at_once_have_the_answers_of_single_ones() -> None:
    x = gv.tensor(np.linspace(0.1, 1.0, 6), requires_grad=True)
    hidden = [x]
    for at in range(6):
        hidden.append((hidden[-1] * 1.5).sin() if at % 2 else hidden[-1] + x)
    loss = hidden[-1].sum()
    detached = hidden[3].detach() * 2.0
    graph = gv.graph(loss, detached)
    del hidden
    live = graph.live
    numbers = [node.id for node in graph.nodes]
    single = [live.value(number) for number in numbers]
    with live.at_once():
        together = [live.value(number) for number in numbers]
    assert [found.origin for found in together] == [found.origin for found in single]
    assert {"tensor", "recomputed"} <= {found.origin for found in single}
    for one, other in zip(single, together, strict=True):
        assert (one.reason, one.changed) == (other.reason, other.changed)
        assert (one.array is None) == (other.array is None)
        assert one.array is None or np.array_equal(one.array, other.array)
