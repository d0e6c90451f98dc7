"""Backward, Gradients, marking, guards, no_grad."""

from __future__ import annotations

import numpy as np
import pytest

import gradviz as gv
from tests.asserting import refused


def leaf(*values):
    return gv.tensor(list(values), requires_grad=True)


# --- backward ------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("make", "slug", "builtin"),
    [
        (lambda: gv.ones(1), "requires-autodiff-tensor", TypeError),
        (lambda: gv.ones(1, device="capture"), "requires-autodiff-tensor", TypeError),
        (lambda: leaf(1.0).inner(), "requires-autodiff-tensor", TypeError),
        (lambda: leaf(1.0).backward()[leaf], "no-gradient", KeyError),
        (
            lambda: gv.ones(1, device="autodiff(capture)"),
            "capture-tensors-do-not-support-autodiff",
            TypeError,
        ),
        (lambda: gv.ones(1).autodiff(), "untracked-root", RuntimeError),
        (lambda: leaf(1.0).detach(), "untracked-root", RuntimeError),
        (lambda: leaf(1.0) > 0.0, "untracked-root", RuntimeError),
    ],
)
def test_roots_that_are_refused(make, slug, builtin):
    problem = refused(lambda: make().backward(), slug, builtin=builtin).problem
    assert problem.reason.endswith(".") and problem.advice.endswith(".")


def test_a_gradient_is_no_root():
    x = leaf(2.0)
    g = x.grad((x * x).backward())
    refused(g.backward, "requires-autodiff-tensor", "create_graph=True")
    error = refused((g * 2.0).sum().backward, "requires-autodiff-tensor", "create_graph=True")
    assert error.problem.reason == (
        "It was computed from a gradient, and gradients have the plain kind NdArray."
    )


def test_the_plain_tensor_under_a_leaf_is_no_root():
    error = refused(leaf(1.0).inner().backward, "requires-autodiff-tensor", "before `inner()`")
    assert error.problem.reason == (
        "`inner()` gave the plain tensor under an autodiff one: its kind is NdArray."
    )


def test_a_second_backward_names_the_first():
    x = leaf(2.0)
    y = x * x
    y.backward()
    error = refused(lambda: y.backward(), "graph-consumed", builtin=RuntimeError)  # noqa: PLW0108 - its place
    cause, where = error.problem.cause, error.problem.where
    assert cause.text == where.text == "y.backward()" and cause.line == where.line - 1


def test_retaining_the_graph():
    x = leaf(2.0)
    y = x * x * x
    runs = [y.backward(retain_graph=True)[x].item() for _ in range(3)]
    assert runs == [12.0] * 3 and y.backward()[x].item() == 12.0
    refused(y.backward, "graph-consumed")


def test_the_structure_of_a_consumed_graph_stays():
    x = leaf(2.0)
    y = (x * x).exp()
    y.backward()
    assert (
        y.node.op == "exp"
        and y.node.parents[0].op == "mul"
        and y.node.parents[0].parents[0] is x.node
    )
    assert y.is_tracked and y.requirement == "grad_in_backward" and y.item() > 0.0


def test_a_root_that_is_a_leaf_is_never_consumed():
    x = leaf(2.0)
    assert x.backward()[x].tolist() == x.backward()[x].tolist() == [1.0]


@pytest.mark.parametrize(
    "gradient",
    [gv.tensor([1.0, 10.0]), np.array([1.0, 10.0]), [1.0, 10.0], gv.tensor([1, 10])],
    ids=["tensor", "array", "list", "integers"],
)
def test_a_starting_gradient(gradient):
    x = leaf(2.0, 3.0)
    g = x.grad((x * x).backward(gradient=gradient))
    assert g.tolist() == [4.0, 60.0] and g.dtype == np.float32


def test_a_starting_gradient_of_another_shape_consumes_nothing():
    x = leaf(2.0, 3.0)
    y = x * x
    refused(lambda: y.backward(gradient=gv.ones(3)), "shape-mismatch", builtin=ValueError)
    refused(lambda: y.backward(gradient=gv.ones(())), "shape-mismatch")
    assert x.grad(y.backward()).tolist() == [4.0, 6.0]


def test_the_starting_gradient_stays_as_it_is():
    x = leaf(2.0, 3.0)
    seed = gv.tensor([1.0, 1.0])
    y = x + x
    grads = (y + y).backward(gradient=seed)
    assert grads[x].tolist() == [4.0, 4.0] and seed.tolist() == [1.0, 1.0]


def test_gradients_of_several_leaves_share_no_memory():
    x, y = leaf(1.0, 2.0), leaf(3.0, 4.0)
    grads = (x + y).sum().backward()
    gx = grads[x].numpy()
    gx[:] = 100.0
    assert grads[y].tolist() == [1.0, 1.0] and grads[x].tolist() == [1.0, 1.0]


# --- Gradients -----------------------------------------------------------------------------------
def test_gradients_by_tensor():
    x, y, z = leaf(1.0), leaf(2.0), leaf(3.0)
    grads = (x * y).backward()
    assert isinstance(grads, gv.Gradients) and len(grads) == 2
    assert x in grads and z not in grads and 3 not in grads and "x" not in grads
    assert grads[x].tolist() == [2.0] and grads.get(z) is None
    assert "2" in repr(grads)
    with pytest.raises(TypeError):
        iter(grads)


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (lambda x, y: leaf(1.0), "not used"),
        (lambda x, y: gv.ones(1), "NdArray"),
        (lambda x, y: gv.ones(1).autodiff(), "marked"),
        (lambda x, y: y, "retain_grad"),
        (lambda x, y: "x", "str"),
    ],
)
def test_a_missing_gradient_says_why(make, word):
    x = leaf(1.0)
    y = x * 2.0
    grads = (y * y).backward()
    refused(lambda: grads[make(x, y)], "no-gradient", word, builtin=KeyError)


def test_grad_of_tensors_that_cannot_have_one():
    x = leaf(1.0)
    grads = (x * x).backward()
    for method in ("grad", "grad_remove"):
        refused(lambda m=method: getattr(gv.ones(1), m)(grads), "requires-autodiff-tensor")
        refused(
            lambda m=method: getattr(gv.ones(1, device="capture"), m)(grads),
            "requires-autodiff-tensor",
        )
        refused(
            lambda m=method: getattr(gv.ones(1, device="autodiff(capture)"), m)(grads),
            "capture-tensors-do-not-support-autodiff",
        )
        assert getattr(gv.ones(1).autodiff(), method)(grads) is None
    assert (x * 2.0).grad(grads) is None


def test_gradients_know_their_place():
    x = leaf(1.0)
    g = x.grad((x * x).backward())
    assert g.node.source.text == "x.grad((x * x).backward())"


# --- retain_grad ---------------------------------------------------------------------------------
def test_an_intermediates_gradient_is_kept():
    x = leaf(3.0)
    h = (x * x).retain_grad()
    assert h.requirement == "grad_in_backward"
    grads = (h * h).backward()
    assert h.grad(grads).tolist() == [18.0] and grads[x].tolist() == [108.0] and len(grads) == 2


def test_retaining_needs_a_tracked_tensor():
    refused(gv.ones(1).retain_grad, "requires-autodiff-tensor")
    refused(gv.ones(1).autodiff().retain_grad, "untracked-root")
    x = leaf(1.0)
    assert x.retain_grad() is x
    root = (x * 2.0).retain_grad()
    assert root.backward()[root].tolist() == [1.0]


# --- marking -------------------------------------------------------------------------------------
def test_marking_in_place_and_by_name():
    w = gv.ones(2).autodiff()
    assert w.require_grad() is w and w.is_require_grad
    v = gv.ones(2).autodiff()
    assert v.set_require_grad(True) is v and v.requirement == "grad"


def test_unmarking_gives_a_new_tensor():
    x = leaf(1.0)
    y = x.set_require_grad(False)
    assert y is not x and y.requirement == "none" and x.requirement == "grad" and y.kind == x.kind
    assert (x * 2.0).set_require_grad(False).requirement == "none"


@pytest.mark.parametrize(
    ("make", "slug"),
    [
        (lambda: gv.ones(1), "require-grad-on-plain-kind"),
        (lambda: gv.ones(1, device="capture"), "require-grad-on-plain-kind"),
        (lambda: gv.tensor([1]), "require-grad-on-non-float"),
        (lambda: gv.tensor([1]).autodiff(), "require-grad-on-non-float"),
        (lambda: gv.tensor([True]).autodiff(), "require-grad-on-non-float"),
        (lambda: leaf(1.0) * 2.0, "can-t-convert-a-non-leaf-tensor-into-a-tracked-ten"),
    ],
)
def test_marking_that_is_refused(make, slug):
    for mark in (lambda t: t.require_grad(), lambda t: t.set_require_grad(True)):
        t = make()
        before = t.requirement
        refused(lambda: mark(t), slug)  # noqa: B023 - called at once
        assert t.requirement == before


def test_marking_after_use_reaches_only_what_follows():
    w = gv.tensor([2.0]).autodiff()
    before = w * 3.0
    w.require_grad()
    grads = (before + w * w).backward()
    assert w.grad(grads).tolist() == [4.0]


@pytest.mark.parametrize(
    "use",
    [
        lambda w, x: w * x,
        lambda w, x: gv.cat([w, x]),
        lambda w, x: gv.stack([x, w]),
        lambda w, x: gv.where(x > 0.0, w, x),
        lambda w, x: gv.linear(x, w.reshape(1, 1)),
        lambda w, x: x.slice_assign(0, w.sum()),
    ],
)
def test_a_leaf_marked_after_use_was_a_constant_there(use):
    w, x = gv.tensor([2.0]).autodiff(), leaf(3.0)
    y = use(w, x)
    w.require_grad()
    grads = y.sum().backward()
    assert w.grad(grads) is None and x.grad(grads) is not None


def test_detach_twice_and_mark():
    x = leaf(3.0)
    y = (x * x).detach().require_grad()
    grads = (y * 2.0).backward()
    assert y.grad(grads).tolist() == [2.0] and x.grad(grads) is None


# --- no_grad -------------------------------------------------------------------------------------
def test_no_grad_records_nothing():
    x = leaf(2.0)
    assert gv.is_grad_enabled()
    with gv.no_grad():
        assert not gv.is_grad_enabled()
        y = x * x
    assert gv.is_grad_enabled() and y.requirement == "none" and y.tolist() == [4.0]
    assert x.grad((x * y).backward()).tolist() == [4.0]


def test_no_grad_ends_with_an_error_and_nests():
    x = leaf(2.0)

    def fails():
        with gv.no_grad():
            _ = x * x
        assert not gv.is_grad_enabled()
        return 1 / 0

    with pytest.raises(ZeroDivisionError), gv.no_grad():
        fails()
    assert gv.is_grad_enabled() and (x * x).is_tracked


def test_backward_inside_no_grad():
    x = leaf(2.0)
    y = x * x
    with gv.no_grad():
        assert x.grad(y.backward()).tolist() == [4.0]


def test_no_grad_belongs_to_its_thread():
    import threading

    seen = []
    with gv.no_grad():
        thread = threading.Thread(target=lambda: seen.append(gv.is_grad_enabled()))
        thread.start()
        thread.join()
    assert seen == [True]


# --- guards --------------------------------------------------------------------------------------
def test_questions():
    x, cap = leaf(1.0), gv.ones(1, device="capture")
    assert gv.is_autodiff(x) and not gv.is_autodiff(gv.ones(1)) and not gv.is_autodiff(3)
    assert gv.is_capture(cap) and gv.is_capture(gv.ones(1, device="autodiff(capture)"))
    assert not gv.is_capture(x) and not gv.is_capture(None)
    assert gv.is_leaf(x) and not gv.is_leaf(x * 2.0) and not gv.is_leaf("x")


def test_demands():
    x, cap = leaf(1.0), gv.ones(1, device="capture")
    for guard in (gv.ensure_autodiff, gv.ensure_not_capture, gv.ensure_leaf):
        assert guard(x) is x
        refused(lambda g=guard: g([1.0]), "not-a-tensor", builtin=TypeError)
    refused(lambda: gv.ensure_autodiff(gv.ones(1)), "requires-autodiff-tensor")
    refused(lambda: gv.ensure_not_capture(cap), "capture-tensors-do-not-support-autodiff")
    refused(lambda: gv.ensure_leaf(x * 2.0), "can-t-convert-a-non-leaf-tensor-into-a-tracked-ten")


def test_marking_safely():
    x = leaf(1.0)
    assert gv.safe_require_grad(x) is x
    y = gv.safe_require_grad(x * 2.0)
    assert y.requirement == "grad" and y.is_leaf
    u = gv.ones(1).autodiff()
    assert gv.safe_require_grad(u) is u and u.requirement == "grad"
    refused(lambda: gv.safe_require_grad(gv.ones(1)), "require-grad-on-plain-kind")
