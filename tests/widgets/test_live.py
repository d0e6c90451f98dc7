"""Followed loops: bounded memory, throttled drawing, nothing kept alive, differences between runs."""

from __future__ import annotations

import gc
import json
import sys
import weakref
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

import gradviz as gv
from gradviz.graph.history import MOST_LEAVES, MOST_MOMENTS, History
from gradviz.graph.model import MIME_TYPE, as_json
from gradviz.widgets import cells, compare, kept, live, runs


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    runs.forget()
    yield
    runs.forget()


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(live, "time", made)
    return made


@pytest.fixture
def drawings(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    drawn: list[Any] = []
    monkeypatch.setattr(
        live.Live, "_show", lambda self, things, *, final: drawn.append((self.graph, final))
    )
    return drawn


def test_the_history_is_bounded_and_keeps_both_ends() -> None:
    history = History()
    w = gv.tensor([3.0, 4.0], requires_grad=True)
    for step in range(1000):
        history.add(gv.tensor(float(step)), {"w": w}, None, False)
    view = history.view()
    assert view.total == 1000 and len(view.steps) <= MOST_MOMENTS
    assert view.steps[0] == 0 and view.steps[-1] == 999
    assert list(view.roots) == [float(step) for step in view.steps]
    gaps = {b - a for a, b in zip(view.steps[:-2], view.steps[1:-1], strict=True)}
    assert len(gaps) == 1
    assert set(view.values[0]) == {5.0} and set(view.gradients[0]) == {None}


def test_leaves_that_an_update_makes_anew_are_followed(clock: Clock, drawings: list[Any]) -> None:
    weight = gv.tensor([3.0, 4.0], requires_grad=True)
    named = gv.tensor([1.0], requires_grad=True, name="bias")
    view = gv.live(interval=1000.0)
    for _ in range(4):
        loss = (weight * weight).sum() + named.sum()
        grads = loss.backward()
        view.update(loss, grads)
        weight = (weight.detach() - 0.25 * grads[weight]).require_grad()
        clock.now += 5.0
    assert len(drawings) == 1
    history = view.history
    assert history.leaves == ("weight", "bias") and history.steps == (0, 1, 2, 3)
    assert history.values[0] == (5.0, 2.5, 1.25, 0.625)
    assert history.gradients == ((10.0, 5.0, 2.5, 1.25), (1.0,) * 4)


def test_leaves_that_come_and_go_leave_gaps() -> None:
    history = History()
    w, v = gv.tensor([3.0], requires_grad=True), gv.tensor([2.0], requires_grad=True)
    grads = (w * v).sum().backward()
    history.add(None, {"w": w}, grads, False)
    history.add(None, {"v": v}, grads, True)
    view = history.view()
    assert view.leaves == ("w", "v") and view.changed == (False, True)
    assert view.values == ((3.0, None), (None, 2.0))
    assert view.gradients == ((2.0, None), (None, 3.0))
    many = {f"p{at}": w for at in range(MOST_LEAVES + 30)}
    history.add(None, many, None, False)
    assert len(history.view().leaves) == MOST_LEAVES


def test_numbers_that_json_lacks() -> None:
    history = History()
    history.add(gv.tensor(float("nan")), {"w": gv.tensor([float("inf")])}, None, False)
    assert '"nan"' in json.dumps(as_json(history.view()), allow_nan=False)


def test_drawing_is_throttled(clock: Clock, drawings: list[Any]) -> None:
    w = gv.tensor([1.0, 2.0], requires_grad=True, name="w")
    with gv.live("run", interval=1.0) as view:
        for _ in range(50):
            loss = (w * w).sum()
            view.update(loss, loss.backward())
            clock.now += 0.1
    assert 4 <= len([final for _, final in drawings if not final]) <= 6
    assert drawings[-1][1] and drawings[-1][0].title == "run"
    assert view.history.total == 50 and view.history.leaves == ("w",)
    assert view.history.gradients[0][0] == pytest.approx(20**0.5, rel=1e-4)


def test_nothing_is_kept_alive(drawings: list[Any]) -> None:
    w = gv.tensor([1.0, 2.0], requires_grad=True)
    view = gv.live()

    def step() -> weakref.ref[Any]:
        loss = (w * w).sum()
        view.update(loss, grads=loss.backward())
        return weakref.ref(loss)

    first, last = step(), step()
    gc.collect()
    assert first() is None and last() is None
    # But for the number one looks for first.
    assert view.graph is not None
    root = view.graph.roots[-1]
    kept = view.graph.live.value(root)
    assert kept.origin == "tensor" and kept.array == 5.0
    view.close()
    assert drawings[-1][1]


def test_a_watched_backward_pass_can_be_played_at_its_step(drawings: list[Any]) -> None:
    w = gv.tensor([1.0, 2.0], requires_grad=True, name="w")

    def watched() -> Any:
        view = gv.live()
        for _ in range(2):
            loss = (w * w).sum()
            trace = gv.trace_backward(loss)
            view.update(loss, steps=trace)
        view.close()
        for graph, _final in drawings:
            assert graph.trace is not None and len(graph.trace) == 2
        assert view.graph is not None and view.graph.trace == trace
        assert all(norm is not None for norm in view.history.gradients[0])
        return weakref.ref(trace)

    known = watched()
    drawings.clear()
    gc.collect()
    assert known() is None
    with pytest.raises(gv.GradvizError, match="steps must be a BackwardTrace") as refused:
        gv.live().update(w, steps=[])  # type: ignore[arg-type]
    assert refused.value.slug == "invalid-argument" and isinstance(refused.value, TypeError)


def test_things_of_every_sort(drawings: list[Any]) -> None:
    model = gv.nn.Linear(2, 1)
    view = gv.live()
    loss = model(gv.ones((3, 2))).sum()
    view.update([loss], model, loss.backward())
    assert set(view.history.leaves) == {"weight", "bias"} or len(view.history.leaves) == 2
    with pytest.raises(gv.GradvizError):
        gv.live().update("loss")
    gv.live().close()


class Displayed(list[Any]):
    """What a notebook's `display` was given."""

    def display(self, bundle: dict[str, Any], **options: Any) -> None:
        self.append((bundle, options))


@pytest.fixture
def displayed(monkeypatch: pytest.MonkeyPatch) -> Displayed:
    pytest.importorskip("anywidget")
    made = Displayed()
    shell = SimpleNamespace(
        kernel=object(), compile=SimpleNamespace(format_code_name=lambda name: None)
    )
    ipython = SimpleNamespace(display=made, get_ipython=lambda: shell)
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setattr(live, "keep", kept.keep)
    return made


def test_a_loop_is_one_widget_and_one_kept_graph(clock: Clock, displayed: Displayed) -> None:
    w = gv.tensor([1.0, 2.0], requires_grad=True, name="w")
    other = kept.keep(gv.graph(w))
    with gv.live("run", interval=1.0) as view:
        for _ in range(2 * kept.MOST_GRAPHS):
            loss = (w * w).sum()
            view.update(loss, loss.backward())
            clock.now += 2.0
    views = {
        bundle["application/vnd.jupyter.widget-view+json"]["model_id"] for bundle, _ in displayed
    }
    assert len(views) == 1
    assert [options["update"] for _, options in displayed[:3]] == [False, True, True]
    last, _ = displayed[-1]
    assert view._hosted._widget is not None
    assert view._hosted._widget.graph == last[MIME_TYPE]
    assert "text/html" in last and "text/html" not in displayed[0][0], (
        "a picture for who comes later"
    )
    assert kept.find(other) is not None, "the loop pushed out what others ask about"


def test_the_last_drawing_can_be_asked_about_while_the_next_is_on_its_way(
    clock: Clock, displayed: Displayed, monkeypatch: pytest.MonkeyPatch
) -> None:
    w = gv.tensor([1.0, 2.0], requires_grad=True, name="w")

    def run(steps: int) -> list[bool]:
        displayed.clear()
        view = gv.live("run", interval=1.0)
        for _ in range(steps):
            loss = (w * w).sum()
            view.update(loss, loss.backward())
            clock.now += 2.0
        keys = [bundle[MIME_TYPE]["key"] for bundle, _ in displayed]
        assert len(set(keys)) == steps
        return [kept.find(key) is not None for key in keys]

    assert run(4) == [False, False, True, True]
    monkeypatch.setattr(live, "MOST_LINGERING", 7)  # less than the gradient of w takes
    assert run(4) == [False, False, False, True]


def test_the_end_of_a_cell_draws_the_last_step(
    clock: Clock, displayed: Displayed, monkeypatch: pytest.MonkeyPatch
) -> None:
    registered: list[Any] = []
    events = SimpleNamespace(
        register=lambda name, call: registered.append((name, call)),
        unregister=lambda name, call: registered.remove((name, call)),
    )
    shell = sys.modules["IPython"].get_ipython()
    monkeypatch.setattr(shell, "events", events, raising=False)
    monkeypatch.setattr(shell, "user_ns", {}, raising=False)
    w = gv.tensor([1.0, 2.0], requires_grad=True, name="w")
    views = [gv.live("run", interval=1.0)]
    for _ in range(5):
        loss = (w * w).sum()
        views[0].update(loss, loss.backward())
    assert len(displayed) == 1 and [name for name, _ in registered] == ["post_run_cell"]
    (_, after_cell) = registered[0]
    shell.user_ns["cost"] = loss
    after_cell(None)
    assert displayed[-1][0][MIME_TYPE]["title"] == "run" and views[0].graph is not None
    assert {"cost", "w"} <= {node.name for node in views[0].graph.nodes}
    assert len(displayed) == 2 and "text/html" in displayed[-1][0]
    assert displayed[-1][0][MIME_TYPE]["extras"]["history"]["total"] == 5
    after_cell(None)
    assert len(displayed) == 2, "nothing is new"
    views.clear()
    gc.collect()
    after_cell(None)
    assert registered == []


def test_two_graphs_are_a_widget_where_a_kernel_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("anywidget")
    w = gv.tensor([1.0, 2.0], requires_grad=True, name="w")
    pair = gv.compare((w * w).sum(), w.sum())
    assert "application/vnd.jupyter.widget-view+json" not in pair._repr_mimebundle_()
    monkeypatch.setattr(compare, "listen", lambda: True)
    first, second = pair._repr_mimebundle_(), pair._repr_mimebundle_()
    assert (
        first["application/vnd.jupyter.widget-view+json"]
        == second["application/vnd.jupyter.widget-view+json"]
    )
    assert "before" in first[MIME_TYPE] and "text/html" in first


# --- runs of one cell ----------------------------------------------------------------------------
def test_a_cell_that_runs_again_says_what_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cells, "running", lambda: "cell-1")
    x = gv.tensor([1.0, 2.0], requires_grad=True, name="x")

    def run(loss: gv.Tensor) -> Any:
        graph = gv.graph(loss, title="loss")
        place = runs.place_of(graph)
        assert place == "cell-1 loss"
        return runs.since_last(graph, place)

    assert run((x * 2.0).sum()) is None
    assert run((x * 2.0).sum()) is None
    found = run((x * 2.0).exp().sum())
    assert [(change.kind, change.label) for change in found.changes][:1] == [("added", "exp")]


def test_elsewhere_nothing_is_compared() -> None:
    graph = gv.graph(gv.tensor([1.0]))
    assert runs.place_of(graph) is None and runs.since_last(graph, None) is None


def test_few_runs_are_remembered() -> None:
    graph = gv.graph(gv.tensor([1.0]))
    for at in range(100):
        runs.since_last(graph, f"cell-{at}")
    assert len(runs._last) == runs.MOST_PLACES
