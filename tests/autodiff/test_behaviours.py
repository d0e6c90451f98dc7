"""Behaviours that are not numbers: reading, tracking, consuming, threads."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import gradviz as gv
from tests.asserting import refused

STRATEGIES = ["none", "balanced"]


# --- reading gradients ---------------------------------------------------------------------------
def test_a_non_scalar_root_is_seeded_with_ones(leaf):
    x = leaf([[1.0, 2.0], [3.0, 4.0]])
    assert x.grad((x * x).backward()).tolist() == x.grad((x * x).sum().backward()).tolist()


def test_gradients_can_be_read_again(leaf):
    x = leaf([1.0, 2.0])
    grads = (x * x).backward()
    assert [x.grad(grads).tolist() for _ in range(3)] == [[2.0, 4.0]] * 3


def test_gradients_are_plain(leaf):
    x = leaf([1.0])
    g = x.grad((x * x).backward())
    assert not gv.is_autodiff(g) and str(g.kind) == "NdArray" and not g.is_tracked


@pytest.mark.parametrize("name", ["add", "sub", "mul", "div"])
@pytest.mark.parametrize("other_shape", [(4, 5, 5), (5, 5), (1, 5, 1), (5,), ()], ids=str)
def test_gradients_have_the_shape_of_their_leaf(leaf, name, other_shape):
    x, y = leaf(np.zeros((16, 5, 5))), leaf(np.zeros(other_shape))
    for turned in (False, True):
        left, right = (y, x[0:1]) if turned else (x[0:1], y)
        grads = getattr(gv, name)(left, right).backward()
        assert grads[x].shape == (16, 5, 5) and grads[y].shape == other_shape
        assert name != "div" or np.isnan(grads[y if not turned else x].numpy()).any()


def test_where_and_matmul_too(leaf):
    x, y = leaf(np.ones((16, 5, 5))), leaf(np.ones((4, 5, 5)))
    grads = gv.where(gv.tensor(True), x[0:1], y).backward()
    assert grads[x].shape == (16, 5, 5) and grads[y].shape == (4, 5, 5)
    grads = (x[0:1] @ y).backward()
    assert grads[x].shape == (16, 5, 5) and grads[y].shape == (4, 5, 5)


def test_casts_between_floats_let_the_gradient_through(leaf):
    x = leaf([1.0, 2.0])
    y = (x * 2.0).double().half().to("float32")
    grads = (y * y).backward()
    assert grads[x].dtype == np.float32 and grads[x].tolist() == [8.0, 16.0]
    grads = x.double().backward()
    assert grads[x].dtype == np.float32


def test_a_leaf_that_feeds_nothing_has_none(leaf):
    x, y = leaf([1.0]), leaf([2.0])
    grads = (x * 2.0).backward()
    assert y.grad(grads) is None and y not in grads and len(grads) == 1


def test_an_unmarked_input_has_none(leaf):
    x, c = leaf([1.0]), leaf([2.0], grad=False)
    for out in (x * c, c * x, x**c, gv.cat([c, x]), gv.where(x > 0, c, x)):
        grads = out.backward()
        assert c.grad(grads) is None and x.grad(grads) is not None


def test_a_replaced_gradient_is_read_back(leaf):
    x = leaf([1.0, 2.0])
    grads = (x * x).backward()
    old = x.grad(grads)
    x.grad_replace(grads, gv.tensor([7.0, 8.0]))
    assert x.grad(grads).tolist() == [7.0, 8.0] and old.tolist() == [2.0, 4.0]
    refused(lambda: x.grad_replace(grads, gv.ones(3)), "shape-mismatch")
    assert x.grad_remove(grads).tolist() == [7.0, 8.0] and x.grad(grads) is None


def test_backward_on_a_leaf_gives_it_ones(leaf):
    x = leaf([[1.0, 2.0]])
    assert x.grad(x.backward()).tolist() == [[1.0, 1.0]]


# --- tracking ------------------------------------------------------------------------------------
def test_detach_cuts_the_path(leaf):
    a, b = leaf([2.0]), leaf([3.0])
    d = (a * a).detach()
    grads = (d * b).backward()
    assert d.requirement == "none" and a.grad(grads) is None and b.grad(grads).tolist() == [4.0]


def test_detaching_a_leaf_gives_an_untracked_tensor(leaf):
    a, b = leaf([2.0]), leaf([3.0])
    d = a.detach()
    grads = (d * b).backward()
    assert d.requirement == "none" and a.requirement == "grad" and d is not a
    assert a.grad(grads) is None and d.grad(grads) is None and b.grad(grads).tolist() == [2.0]


def test_untracked_inputs_give_an_untracked_result(leaf):
    a, b, c = leaf([2.0], grad=False), leaf([3.0], grad=False), leaf([4.0])
    u = a * b
    assert u.requirement == "none" and gv.is_autodiff(u)
    assert c.grad((u * c).backward()).tolist() == [6.0]


def test_marking(leaf):
    x = leaf([1.0])
    y = x * 2.0
    refused(y.require_grad, "can-t-convert-a-non-leaf-tensor-into-a-tracked-ten")
    assert y.requirement == "grad_in_backward"
    assert x.require_grad() is x and x.requirement == "grad"
    u = leaf([1.0], grad=False) * 3.0
    assert u.require_grad() is u and u.grad((u * u).backward()).tolist() == [6.0]


@pytest.mark.parametrize("name", ["sign", "round", "floor", "ceil", "trunc"])
def test_piecewise_constants_are_tracked_with_zeros(leaf, name):
    x = leaf([-1.5, 0.0, 2.4])
    y = getattr(gv, name)(x)
    assert y.is_tracked and x.grad(y.backward()).tolist() == [0.0, 0.0, 0.0]


def test_whole_numbers_and_flags_stay_on_the_device_untracked(leaf):
    x = leaf([1.0, 2.0, 3.0])
    ids, mask = x.long(), x > 1.5
    assert ids.device is mask.device is x.device
    assert not ids.is_tracked and not mask.is_tracked
    assert x.grad(x[mask].backward()).tolist() == [0.0, 1.0, 1.0]
    assert x.grad(x.masked_select(mask).backward()).tolist() == [0.0, 1.0, 1.0]
    assert x.grad(x[gv.tensor([2, 2])].backward()).tolist() == [0.0, 0.0, 2.0]
    refused(ids.require_grad, "require-grad-on-non-float")
    refused(mask.require_grad, "require-grad-on-non-float")


def test_one_hot_stays_on_the_device(leaf):
    x = leaf([[1.0, 2.0, 3.0]])
    hot = gv.one_hot(gv.tensor([2], device=x.device), 3).float()
    assert hot.device is x.device
    assert x.grad((hot * x).backward()).tolist() == [[0.0, 0.0, 1.0]]


def test_constants_combine(leaf):
    x = leaf([2.0])
    for mate in (3.0, np.array([3.0], np.float32), gv.tensor([3.0])):
        assert x.grad((x * mate).backward()).tolist() == [3.0]


def test_an_untracked_root_is_refused(leaf):
    refused((leaf([1.0], grad=False) * 2.0).backward, "untracked-root")
    refused(leaf([1.0], grad=False).backward, "untracked-root")


def test_a_frozen_base_with_an_adapter(leaf):
    rng = np.random.default_rng(0)
    x, a, b = (
        leaf(rng.normal(size=(3, 4))),
        leaf(rng.normal(size=(4, 2))),
        leaf(rng.normal(size=(2, 5))),
    )
    w = leaf(rng.normal(size=(4, 5)), grad=False)
    grads = (x @ (w + a @ b)).sum().backward()
    ones = np.ones((3, 5), np.float32)
    total = w.numpy() + a.numpy() @ b.numpy()
    assert w.grad(grads) is None
    np.testing.assert_allclose(grads[x].numpy(), ones @ total.T, rtol=1e-5)
    np.testing.assert_allclose(grads[a].numpy(), x.numpy().T @ ones @ b.numpy().T, rtol=1e-5)
    np.testing.assert_allclose(grads[b].numpy(), a.numpy().T @ x.numpy().T @ ones, rtol=1e-5)


# --- the graph is consumed -----------------------------------------------------------------------
def test_graphs_that_share_no_node_are_independent(leaf):
    a, b = leaf([2.0]), leaf([3.0])
    first, second = a * a, b * b
    first.backward()
    assert b.grad(second.backward()).tolist() == [6.0]


def test_graphs_that_share_leaves_hold_their_own_run(leaf):
    a = leaf([2.0])
    first, second = a * a, a * 5.0
    one, two = first.backward(), second.backward()
    assert one[a].tolist() == [4.0] and two[a].tolist() == [5.0]


def test_a_shared_node_is_consumed_once(leaf):
    a, b, c, d = leaf([2.0]), leaf([3.0]), leaf([5.0]), leaf([7.0])
    p, q, r = a * b, c * c, d * d
    first, second = p * q, p * r
    first.backward()
    refused(second.backward, "graph-consumed")
    assert d.grad(r.backward()).tolist() == [14.0]


def test_the_refusal_changes_nothing(leaf):
    a, d = leaf([2.0]), leaf([7.0])
    p, r = a * a, d.exp()
    (p * 2.0).backward()
    second = p * r
    for _ in range(2):
        refused(second.backward, "graph-consumed")
    assert not r.node.consumed and d.grad(r.backward()) is not None


def test_three_graphs_joined_in_the_middle(leaf):
    a, b = leaf([2.0]), leaf([3.0])
    u, v = a.exp(), b.exp()
    first, middle, third = u * u, u * v, v * v
    first.backward()
    assert b.grad(third.backward()) is not None
    refused(middle.backward, "graph-consumed")


def test_what_follows_a_consumed_root_is_consumed(leaf):
    a, b = leaf([2.0]), leaf([3.0])
    t = a * b
    u = t.exp()
    v = u.log()
    t.backward()
    refused(u.backward, "graph-consumed")
    refused(v.backward, "graph-consumed")


def test_a_node_stays_usable_through_its_live_branch(leaf):
    for _ in range(20):
        a, b = leaf([0.2]), leaf([0.1])
        u, t = b.exp(), a.exp()
        x = t * u
        y = u.exp().exp()
        t.backward()
        assert b.grad(y.backward()) is not None
        assert x.is_tracked


def test_a_backward_elsewhere_changes_nothing(leaf):
    a = leaf([0.3])
    alone = a.grad((a.exp() * a.sin()).backward()).tolist()
    waiting = a.exp() * a.sin()
    for _ in range(5):
        other = leaf([1.0])
        (other.exp() * a.exp()).backward()
    assert a.grad(waiting.backward()).tolist() == alone


def test_every_path_counts_once(leaf):
    a = leaf([2.0])
    b = a * a
    c = b * b + b * a + b
    assert a.grad((c + b + a).backward()).tolist() == [4 * 8.0 + 3 * 4.0 + 2 * 2.0 + 2 * 2.0 + 1.0]
    deep = a * 1.0
    for _ in range(5):
        deep = deep + deep
    assert a.grad((deep * deep).backward()).tolist() == [2 * 32.0 * 64.0]


def test_dropping_names_changes_nothing(leaf):
    def build(x):
        return ((x * x).exp().sin() + (x * 3.0).tanh()).sum()

    x = leaf([0.1, 0.2])
    first = x * x
    second = first.exp()
    third = second.sin()
    fourth = x * 3.0
    kept = (third + fourth.tanh()).sum()
    assert x.grad(build(x).backward()).tolist() == x.grad(kept.backward()).tolist()


# --- checkpointing and threads -------------------------------------------------------------------
def mixture(x, w, c):
    """Kept and recomputed results, an untracked parent, the same parent twice, several children."""
    h = x.matmul(w)
    r = (h * c).exp().log1p()
    s = r * r + r.tanh() * h
    m = s.matmul(w.t()).relu()
    return (m + gv.softmax(r.matmul(w.t()), 1) * (s.sum() / 100.0)).sum() + (c * c).sum()


def test_strategies_agree_on_a_mixture():
    rng = np.random.default_rng(1)
    x, w, c = rng.normal(size=(3, 4)), rng.normal(size=(4, 4)), rng.normal(size=(3, 4))
    found = []
    for strategy in STRATEGIES:
        device = gv.device("ndarray").autodiff(checkpointing=strategy)
        leaves = [gv.tensor(a, device=device, requires_grad=True) for a in (x, w)]
        loss = mixture(*leaves, gv.tensor(c, device=device))
        grads = loss.backward()
        found.append([loss.numpy(), *(grads[t].numpy() for t in leaves)])
    for plain, balanced in zip(*found, strict=True):
        np.testing.assert_array_equal(plain, balanced)


def test_nothing_that_was_saved_is_left(leaf):
    x, w = leaf(np.ones((3, 4))), leaf(np.ones((4, 4)))
    loss = mixture(x, w, leaf(np.ones((3, 4)), grad=False))
    loss.backward()
    seen, waiting = set(), [loss.node]
    while waiting:
        node = waiting.pop()
        if node.requirement == 2 and node not in seen:
            seen.add(node)
            assert node.consumed
            waiting += node.parents
    assert len(seen) > 10


def test_parts_built_in_threads(leaf):
    rng = np.random.default_rng(2)
    base = rng.normal(size=(4, 4)).astype(np.float32) / 4

    def build(x, w, factor):
        h = x @ w
        for _ in range(10):
            h = (h * factor).tanh() @ w
        return h

    def whole(parallel):
        x, w = leaf(base), leaf(base.T)
        parts = [None] * 6

        def work(at):
            parts[at] = build(x, w, 0.5 + at)

        if parallel:
            threads = [threading.Thread(target=work, args=(at,)) for at in range(6)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        else:
            for at in range(6):
                work(at)
        total = parts[0]
        for part in parts[1:]:
            total = total * 0.5 + part
        grads = total.sum().backward()
        return grads[x].numpy(), grads[w].numpy()

    expected = whole(parallel=False)
    for _ in range(5):
        for got, want in zip(whole(parallel=True), expected, strict=True):
            np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)
