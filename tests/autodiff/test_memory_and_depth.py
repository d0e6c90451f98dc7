"""Deep graphs, freed graphs, loops that don't grow, threads."""

from __future__ import annotations

import gc
import threading
import tracemalloc
import weakref

import numpy as np
import pytest

import gradviz as gv


def leaf(data, **options):
    return gv.tensor(np.asarray(data, np.float32), requires_grad=True, **options)


@pytest.mark.parametrize("strategy", ["none", "balanced"])
def test_a_chain_of_100_000_operations(strategy):
    device = gv.device("ndarray").autodiff(checkpointing=strategy)
    x = leaf([1.0], device=device)
    y = x
    for _ in range(50_000):
        y = (y + 1e-5) * 1.00001
    grads = y.backward()
    assert grads[x].item() == pytest.approx(1.00001**50_000, rel=1e-2)
    end = weakref.ref(y.node)
    del y, grads
    assert end() is None


def test_a_deep_graph_that_was_never_run_is_freed():
    x = leaf([1.0])
    y = x
    for _ in range(100_000):
        y = y * 1.0
    near = weakref.ref(y.node.parents[0])
    del y
    assert near() is None


def test_a_deep_graph_is_detached_and_printed():
    x = leaf([1.0])
    y = x
    for _ in range(30_000):
        y = y + 1.0
    assert y.detach().tolist() == [30_001.0] and repr(y) and y.node.source is not None


def test_a_wide_graph():
    leaves = [leaf([float(at)]) for at in range(2_000)]
    grads = gv.cat(leaves).sum().backward()
    assert len(grads) == 2_000 and all(grads[t].item() == 1.0 for t in leaves)
    level = leaves
    while len(level) > 1:
        level = [a + b for a, b in zip(level[::2], level[1::2], strict=False)] + level[
            len(level) // 2 * 2 :
        ]
    assert len(level[0].backward()) == 2_000


# --- freed at once -------------------------------------------------------------------------------
@pytest.fixture
def no_collector():
    """Reference counting alone must do it."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("no_collector")
def test_dropping_the_last_name_frees_the_graph():
    x = leaf(np.ones(10))
    y = (x * x).exp()
    loss = (y + x).sum()
    nodes = [weakref.ref(t.node) for t in (y, loss)] + [weakref.ref(y.node.parents[0])]
    del y, loss
    assert [ref() for ref in nodes] == [None] * 3


@pytest.mark.usefixtures("no_collector")
def test_backward_frees_what_was_saved():
    x = leaf(np.ones(1000))
    hidden = x.exp()
    saved = weakref.ref(hidden.prim)
    loss = hidden.sin().sum()
    del hidden
    assert saved() is not None
    loss.backward()
    assert saved() is None


@pytest.mark.usefixtures("no_collector")
def test_values_nobody_saved_are_freed_during_the_forward_pass():
    x = leaf(np.ones(1000))
    hidden = x * 2.0
    value = weakref.ref(hidden.prim)
    total = (hidden + 1.0).sum()
    del hidden
    assert value() is None and total.is_tracked


@pytest.mark.usefixtures("no_collector")
def test_a_detached_result_keeps_no_arrays_alive():
    x = leaf(np.ones(1000))
    hidden = x.exp()
    saved = weakref.ref(hidden.prim)
    kept = [hidden.sin().sum().detach() for _ in range(3)]
    del hidden
    assert saved() is None and len(kept) == 3


@pytest.mark.usefixtures("no_collector")
def test_gradients_keep_no_graph_alive():
    x = leaf(np.ones(100))
    loss = (x.exp() * x).sum()
    inner = weakref.ref(loss.node.parents[0].parents[0])
    grads = loss.backward()
    g = grads[x]
    del loss, grads
    assert inner() is None and g.shape == (100,)


# --- loops that don't grow -----------------------------------------------------------------------
def growth(step, rounds=1000):
    """Bytes by which a loop holds more after three times as many rounds."""
    held = []
    tracemalloc.start()
    for at in range(3 * rounds):
        step()
        if at + 1 in (rounds, 3 * rounds):
            gc.collect()
            held.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()
    return held[1] - held[0]


# A light history of the last few hundred untracked operations is kept: the limits leave room for
# its ups and downs, and are far below what a history without end, or one graph a round, would take.


def test_a_training_loop_does_not_grow():
    x, y = gv.tensor(np.ones((8, 4), np.float32)), gv.tensor(np.ones((8, 1), np.float32))
    state = {"w": leaf(np.zeros((4, 1)))}

    def step():
        w = state["w"]
        loss = gv.mse_loss(x @ w, y)
        state["w"] = (w.detach() - 0.01 * w.grad(loss.backward())).require_grad()

    assert growth(step, 500) < 200_000


def test_an_endless_untracked_loop_is_bounded():
    state = {"x": gv.ones(4)}

    def step():
        state["x"] = state["x"] * 0.999 + 0.001

    assert growth(step) < 100_000


def test_an_endless_loop_without_gradients_is_bounded():
    state = {"x": leaf(np.ones(4))}

    def step():
        with gv.no_grad():
            state["x"] = state["x"] * 0.999 + 0.001

    assert growth(step) < 100_000


def test_a_running_average_of_losses_is_bounded():
    w = leaf(np.ones(1000))
    state = {"mean": gv.zeros(())}

    def step():
        loss = (w.exp() * w).sum()
        loss.backward()
        state["mean"] = state["mean"] * 0.9 + loss.detach() * 0.1

    assert growth(step, 600) < 400_000


def test_a_list_of_losses_keeps_numbers_not_graphs():
    w = leaf(np.ones(10_000))
    kept = []

    def step():
        kept.append(((w.exp() * w).sum() * 2.0).detach())

    # Each graph would hold 80,000 bytes.
    assert growth(step, 100) < 200 * 3_000


# --- threads -------------------------------------------------------------------------------------
def run_in_threads(work, count):
    errors = []

    def guarded(at):
        try:
            work(at)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(at,)) for at in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors, errors


def test_independent_graphs_in_parallel():
    results = {}

    def work(at):
        x = leaf([float(at + 1)])
        for _ in range(50):
            y = x
            for _ in range(40):
                y = y * 1.01 + x * 0.01
            results[at] = y.backward()[x].item()

    run_in_threads(work, 6)
    assert len(set(results.values())) == 1


def test_one_leaf_shared_by_threads():
    x = leaf(np.full(50, 2.0))
    results = {}

    def work(at):
        found = set()
        for _ in range(60):
            grads = (x * x * float(at + 1)).sum().backward()
            found.add(grads[x].numpy()[0])
        results[at] = found

    run_in_threads(work, 4)
    assert results == {at: {4.0 * (at + 1)} for at in range(4)}


def test_one_graph_run_by_two_threads_is_consumed_once_or_refused():
    for _ in range(30):
        x = leaf([0.5])
        y = x
        for _ in range(100):
            y = y.sin()
        expected = x.grad(y.backward(retain_graph=True)).item()
        outcomes = []

        def work(_at, y=y, x=x, outcomes=outcomes):
            try:
                outcomes.append(y.backward()[x].item())
            except gv.GradvizError as error:
                outcomes.append(error.slug)

        run_in_threads(work, 2)
        numbers = [o for o in outcomes if isinstance(o, float)]
        assert numbers and set(numbers) == {expected}
        assert set(outcomes) <= {expected, "graph-consumed"}
