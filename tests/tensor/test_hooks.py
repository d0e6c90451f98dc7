"""`x.register_hook`: told of gradients, allowed to change them."""

from __future__ import annotations

import gc
from weakref import ref

import pytest

import gradviz as gv
from tests.asserting import refused


def leaf(*values):
    return gv.tensor(list(values), requires_grad=True)


def test_a_hook_sees_the_whole_gradient_once():
    x, seen = leaf(1.0, 2.0), []
    h = x * 3.0
    h.register_hook(lambda g: seen.append(("h", g.tolist())))
    x.register_hook(lambda g: seen.append(("x", g.tolist())))
    grads = ((h * h).sum() + h.sum() + x.sum()).backward()
    assert seen == [("h", [7.0, 13.0]), ("x", [22.0, 40.0])]
    assert grads[x].tolist() == [22.0, 40.0]


def test_what_a_hook_returns_goes_on():
    x = leaf(1.0, 2.0)
    h = x * x
    h.register_hook(lambda g: g.clamp(max=0.5))
    h.register_hook(lambda g: g * 10.0)
    x.register_hook(lambda g: -g)
    assert h.sum().backward()[x].tolist() == [-10.0, -20.0]


def test_arrays_and_numbers_are_gradients_too():
    x = leaf(1.0, 2.0)
    h = x * x
    h.register_hook(lambda g: g.numpy() * 2.0)
    assert h.sum().backward()[x].tolist() == [4.0, 8.0]
    one = leaf(3.0).sum()
    y = one * one
    y.register_hook(lambda g: 0.5)
    assert (y * 1.0).backward(gradient=2.0).get(one) is None


def test_a_hook_is_taken_off_by_its_handle():
    x, calls = leaf(1.0), []
    h = x * 2.0
    handle = h.register_hook(calls.append)
    with h.register_hook(lambda g: g * 5.0):
        assert h.sum().backward(retain_graph=True)[x].tolist() == [10.0]
    assert h.sum().backward(retain_graph=True)[x].tolist() == [2.0]
    handle.remove()
    handle.remove()
    h.sum().backward()
    assert len(calls) == 2


def test_retained_gradients_are_those_that_hooks_left():
    x = leaf(1.0, 2.0)
    h = (x * x).retain_grad()
    h.register_hook(lambda g: g * 3.0)
    grads = h.sum().backward()
    assert grads[h].tolist() == [3.0, 3.0]


def test_hooks_are_called_while_a_pass_is_watched():
    x = leaf(1.0, 2.0)
    h = x * x
    h.register_hook(lambda g: g * 3.0)
    x.register_hook(lambda g: g + 1.0)
    trace = gv.trace_backward(h.sum())
    assert trace.grads[x].tolist() == [7.0, 13.0]


def test_a_marked_leaf_that_is_the_root_is_told():
    x = leaf(2.0)
    x.register_hook(lambda g: g * 3.0)
    assert x.backward()[x].tolist() == [3.0]


def test_hooks_are_differentiated_with_the_pass():
    x = leaf(2.0)
    h = x * x
    h.register_hook(lambda g: g * x)
    first = h.sum().backward(create_graph=True)[x]
    assert first.tolist() == [8.0]  # 2 x * x
    assert first.sum().backward()[x].tolist() == [8.0]  # 4 x


@pytest.mark.parametrize("checkpointing", ["none", "balanced"])
def test_hooks_work_under_checkpointing(checkpointing):
    device = gv.device("ndarray").autodiff(checkpointing)
    x = gv.tensor([1.0, 2.0], device=device).require_grad()
    h = x.exp().tanh()
    h.register_hook(lambda g: g * 0.0)
    assert (h * 2.0).sum().backward()[x].tolist() == [0.0, 0.0]


def test_a_hook_that_fails_leaves_the_graph_whole():
    x, broken = leaf(1.0, 2.0), [True]

    def shaky(g):
        if broken[0]:
            raise RuntimeError("not today")

    h = x.exp()
    h.register_hook(shaky)
    loss = (h * h).sum()
    for tensor in (h, x):
        tensor.register_hook(shaky)
        with pytest.raises(RuntimeError, match="not today"):
            loss.backward()
    broken[0] = False
    expected = (x.exp() * x.exp()).sum().backward()[x].tolist()
    assert loss.backward()[x].tolist() == pytest.approx(expected)


def test_answers_that_do_not_fit_are_refused():
    x = leaf(1.0, 2.0)
    h = x * 2.0
    h.register_hook(lambda g: gv.ones(3))
    error = refused(h.sum().backward, "shape-mismatch", "hook")
    assert error.problem.cause.text == "x * 2.0"
    x.register_hook(lambda g: "no")
    refused((x * 3.0).sum().backward, "not-a-tensor")


def test_looking_calls_no_hook():
    x, calls = leaf(0.0, 2.0), []
    h = x.log()
    h.register_hook(calls.append)
    loss = (h * x).sum()
    assert loss.verdict.backward.ok
    assert gv.diagnose(loss, wrt=[x]).problems[0].slug == "non-finite-gradient"
    gv.graph(loss).to_json()
    assert calls == []


def test_a_graph_with_hooks_is_freed_at_once():
    x = leaf(1.0, 2.0)
    h = x * x
    h.register_hook(lambda g: g)
    node = ref(h.node)
    gc.disable()
    try:
        del h
        assert node() is None
    finally:
        gc.enable()


def test_what_has_no_gradient_takes_no_hook():
    refused(lambda: gv.ones(2).register_hook(print), "requires-autodiff-tensor")
    refused(lambda: leaf(1.0).detach().register_hook(print), "untracked-root")
    refused(lambda: leaf(1.0).register_hook(3), "invalid-argument", builtin=TypeError)
