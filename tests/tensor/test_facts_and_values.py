"""What a tensor tells of itself, and that it never changes."""

from __future__ import annotations

import copy
import json
import pickle

import numpy as np
import pytest

import gradviz as gv
from tests.asserting import refused


# --- facts ---------------------------------------------------------------------------------------
def test_facts_of_a_marked_leaf():
    x = gv.tensor([[1.0, 2.0]], requires_grad=True, name="x")
    assert (x.shape, x.ndim, x.size, x.name) == ((1, 2), 2, 2, "x")
    assert x.dtype == np.float32 and x.is_leaf and x.is_tracked and x.is_require_grad
    assert x.requires_grad and x.requirement == "grad"


@pytest.mark.parametrize(
    ("make", "requirement", "is_leaf", "is_tracked", "is_require_grad"),
    [
        (lambda: gv.ones(1), "none", True, False, False),
        (lambda: gv.ones(1).autodiff() * 2.0, "none", True, False, False),
        (lambda: gv.ones(1, requires_grad=True), "grad", True, True, True),
        (lambda: gv.ones(1, requires_grad=True) * 2.0, "grad_in_backward", False, True, False),
        (lambda: gv.ones(1, requires_grad=True) > 0.0, "none", True, False, False),
        (lambda: gv.ones(1, requires_grad=True).long(), "none", True, False, False),
        (lambda: gv.ones(1, requires_grad=True).argmax(), "none", True, False, False),
    ],
)
def test_requirements(make, requirement, is_leaf, is_tracked, is_require_grad):
    t = make()
    assert t.requirement == requirement
    assert (t.is_leaf, t.is_tracked, t.is_require_grad) == (is_leaf, is_tracked, is_require_grad)
    assert t.requires_grad is t.is_tracked


@pytest.mark.parametrize(
    "field",
    [
        "kind",
        "device",
        "dtype",
        "shape",
        "ndim",
        "size",
        "name",
        "is_leaf",
        "is_tracked",
        "is_require_grad",
        "requires_grad",
        "requirement",
    ],
)
def test_facts_cannot_be_set(field):
    with pytest.raises(AttributeError):
        setattr(gv.ones(1), field, None)


def test_tensors_are_made_by_functions():
    with pytest.raises(TypeError):
        gv.Tensor([1.0])
    with pytest.raises(AttributeError):
        gv.ones(1).colour = "red"


# --- values --------------------------------------------------------------------------------------
def test_values():
    x = gv.tensor([[1.5, -2.0]])
    assert x.tolist() == [[1.5, -2.0]] and x.numpy().dtype == np.float32
    assert gv.tensor(3).item() == 3 and type(gv.tensor(3).item()) is int
    assert type(gv.tensor(True).item()) is bool and gv.tensor([[2.5]]).item() == 2.5
    assert float(gv.tensor(2)) == 2.0 and int(gv.tensor(2.9)) == 2
    assert np.asarray(x, dtype=np.float64).dtype == np.float64
    assert np.add(x.numpy(), 1.0).tolist() == [[2.5, -1.0]]
    assert f"{gv.tensor(1.5):.2f}" == "1.50"


def test_values_of_tracked_tensors_can_be_read():
    x = gv.tensor([3.0], requires_grad=True)
    y = x * x
    assert y.item() == 9.0 and y.numpy().tolist() == [9.0] and bool(y) and float(y) == 9.0
    assert x.grad(y.backward()).tolist() == [6.0]


def test_values_that_are_not_one():
    for call in (
        gv.ones(2).item,
        lambda: float(gv.ones(2)),
        lambda: int(gv.ones(0)),
        lambda: bool(gv.ones(2)),
    ):
        refused(call, "invalid-argument")
    with pytest.raises(TypeError):
        [1, 2, 3][gv.tensor(1.0)]
    assert [1, 2, 3][gv.tensor(1)] == 2


def test_length_and_iteration():
    x = gv.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    assert len(x) == 2 and [row.tolist() for row in x] == [[1.0, 2.0], [3.0, 4.0]]
    first, second = x
    assert x.grad((first * second).sum().backward()).tolist() == [[3.0, 4.0], [1.0, 2.0]]
    refused(lambda: len(gv.tensor(1.0)), "invalid-argument")
    refused(lambda: iter(gv.tensor(1.0)), "invalid-argument")
    with pytest.raises(TypeError):
        len(gv.tensor(1.0))


def test_captured_values_are_unavailable():
    with gv.capture_scope() as scope:
        x = scope.input((2,), "float32", name="x")
        y = x + 1.0
        for call in (y.numpy, y.tolist, lambda: bool(y), lambda: float(y), lambda: np.asarray(y)):
            refused(call, "capture-value-unavailable")
        assert y.shape == (2,) and len(y) == 2
        scope.output(y)


# --- immutability --------------------------------------------------------------------------------
@pytest.mark.parametrize("marked", [False, True])
def test_augmented_assignment_rebinds(marked):
    x = gv.tensor([1.0, 2.0], requires_grad=marked)
    same = x
    x += 1.0
    assert same.tolist() == [1.0, 2.0] and x.tolist() == [2.0, 3.0] and x is not same
    x -= 1.0
    x *= 2.0
    x /= 4.0
    x **= 2
    assert x.tolist() == [0.25, 1.0] and same.tolist() == [1.0, 2.0]
    assert x.is_tracked is marked


def test_augmented_assignment_keeps_the_graph_whole():
    w = gv.tensor([3.0], requires_grad=True)
    y = w * w
    saved = y.exp()
    y += 100.0
    grads = (saved + y).sum().backward()
    assert w.grad(grads).item() == pytest.approx(np.exp(9.0) * 6.0 + 6.0, rel=1e-5)


@pytest.mark.parametrize("index", [0, slice(None), ..., (0, 1), [True, False]], ids=str)
def test_item_assignment_is_refused(index):
    x = gv.tensor([[1.0, 2.0]])
    with pytest.raises(TypeError):
        x[index] = 5.0
    error = refused(lambda: x.__setitem__(index, 5.0), "in-place-on-tensor", "slice_assign")
    assert str(error).startswith("Tensors are immutable\n")
    assert x.tolist() == [[1.0, 2.0]]


def test_slice_assign_gives_a_new_tensor():
    x = gv.tensor([1.0, 2.0, 3.0], requires_grad=True)
    v = gv.tensor([10.0, 20.0], requires_grad=True)
    y = x.slice_assign(slice(None, None, -2), v)
    assert x.tolist() == [1.0, 2.0, 3.0] and y.tolist() == [20.0, 2.0, 10.0]
    grads = (y * gv.tensor([1.0, 2.0, 3.0])).sum().backward()
    assert grads[x].tolist() == [0.0, 2.0, 0.0] and grads[v].tolist() == [3.0, 1.0]


# --- comparisons and identity --------------------------------------------------------------------
def test_comparisons_are_elementwise():
    a, b = gv.tensor([1.0, 2.0, 3.0]), gv.tensor([3.0, 2.0, 1.0])
    results = {
        "==": a == b,
        "!=": a != b,
        "<": a < b,
        "<=": a <= b,
        ">": a > b,
        ">=": a >= b,
    }
    expected = {
        "==": [False, True, False],
        "!=": [True, False, True],
        "<": [True, False, False],
        "<=": [True, True, False],
        ">": [False, False, True],
        ">=": [False, True, True],
    }
    assert {name: t.tolist() for name, t in results.items()} == expected
    assert all(t.dtype == np.bool_ for t in results.values())
    assert (a == 2).tolist() == (np.float32(2.0) == a).tolist() == [False, True, False]
    assert (a == np.array([1.0, 0.0, 3.0])).tolist() == [True, False, True]


def test_tensors_hash_by_identity():
    a, b = gv.ones(2), gv.ones(2)
    assert len({a, b, a}) == 2 and {a: 1}[a] == 1 and a in [b, a][1:] and hash(a) != hash(b)


# --- copies --------------------------------------------------------------------------------------
@pytest.mark.parametrize("how", [copy.deepcopy, lambda t: pickle.loads(pickle.dumps(t))])
@pytest.mark.parametrize(
    "make",
    [
        lambda: gv.tensor([1.0, 2.0], requires_grad=True, name="x"),
        lambda: gv.tensor([[1, 2]], name="ids"),
        lambda: gv.tensor(True),
        lambda: gv.ones(2, dtype="float16", device="autodiff(ndarray, checkpointing=balanced)"),
        lambda: gv.ones(3).expand(2, 3),
        (gv.ones(2, requires_grad=True) * 2.0).detach,
        lambda: gv.ones(2).sum(),
    ],
)
def test_leaves_are_copied_and_pickled(how, make):
    x = make()
    y = how(x)
    assert y is not x and type(y) is gv.Tensor and y.node is not x.node
    assert (y.tolist(), y.shape, y.dtype, y.device) == (x.tolist(), x.shape, x.dtype, x.device)
    assert y.requirement == x.requirement and y.name == x.name
    if x.is_require_grad:
        grads = (x * y).sum().backward()
        assert grads[x].tolist() == y.tolist() and len(grads) == 2


@pytest.mark.parametrize("how", [copy.deepcopy, pickle.dumps])
def test_tracked_results_are_not_copied(how):
    y = gv.ones(2, requires_grad=True) * 2.0
    # Its place may be inside the module `copy`, which calls the tensor.
    with pytest.raises(gv.GradvizError, match="detach") as caught:
        how(y)
    assert caught.value.slug == "invalid-argument"


def test_a_shallow_copy_is_the_tensor_itself():
    x = gv.ones(2, requires_grad=True)
    assert copy.copy(x) is x


# --- text ----------------------------------------------------------------------------------------
def test_representations():
    assert repr(gv.tensor([1.0, 2.0])) == "tensor([1., 2.])"
    assert repr(gv.tensor([1, 2], dtype="int8")) == "tensor([1, 2], dtype=int8)"
    assert repr(gv.tensor([1.0], requires_grad=True, name="w")) == (
        "tensor([1.], kind=Autodiff(NdArray), requirement=grad, name='w')"
    )
    assert repr(gv.zeros(0, 3)).startswith("tensor([], shape=(0, 3)")
    assert len(repr(gv.zeros(1000, 1000))) < 2000


def test_size_is_a_number_and_may_be_called():
    x = gv.zeros(2, 3)
    assert x.size == 6
    assert isinstance(x.size, int)
    assert repr(x.size) == "6"
    assert x.size() == (2, 3)
    assert (x.size(0), x.size(-1)) == (2, 3)
    assert gv.zeros(x.size).shape == (6,)
    assert type(pickle.loads(pickle.dumps(x.size))) is int
    assert json.dumps({"size": x.size}) == '{"size": 6}'
    refused(lambda: x.size(2), "dimension-out-of-range")
    refused(lambda: gv.tensor(1.0).size(0), "dimension-out-of-range")
    assert gv.tensor(1.0).size() == ()
