"""Parameters and buffers: tensors that belong to modules."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import gradviz as gv
from gradviz.errors.exceptions import GradvizTypeError
from tests.asserting import refused


def test_parameter_is_a_marked_autodiff_leaf():
    p = gv.nn.Parameter([1.0, 2.0])
    assert isinstance(p, gv.Tensor)
    assert str(p.kind) == "Autodiff(NdArray)"
    assert p.requirement == "grad" and p.is_leaf and p.dtype == np.float32
    assert repr(p) == "Parameter([1., 2.], kind=Autodiff(NdArray), requirement=grad)"


@pytest.mark.parametrize(
    "data",
    [[1.0, 2.0], (1.0, 2.0), np.array([1.0, 2.0], np.float32), gv.tensor([1.0, 2.0])],
    ids=["list", "tuple", "array", "tensor"],
)
def test_parameter_copies_its_data(data):
    p = gv.nn.Parameter(data)
    if isinstance(data, np.ndarray):
        data[0] = 9.0
    assert p.tolist() == [1.0, 2.0]
    assert p.node.parents == ()


def test_parameter_keeps_the_dtype_of_an_array():
    assert gv.nn.Parameter(np.ones(2)).dtype == np.float64
    assert gv.nn.Parameter(2.0).shape == ()


def test_parameter_without_gradient_is_an_untracked_leaf():
    p = gv.nn.Parameter([1.0], requires_grad=False)
    assert p.requirement == "none" and gv.is_autodiff(p)
    assert not (p * 2.0).is_tracked


def test_parameter_of_integers_is_refused():
    refused(lambda: gv.nn.Parameter([1, 2]), "require-grad-on-non-float")
    assert gv.nn.Parameter([1, 2], requires_grad=False).dtype == np.int64


def test_parameter_name_must_be_text():
    assert gv.nn.Parameter([1.0], name="gain").name == "gain"
    with pytest.raises(GradvizTypeError):
        gv.nn.Parameter([1.0], name=3)


def test_parameter_lives_on_the_default_devices_autodiff_form():
    balanced = gv.device("ndarray").autodiff(checkpointing="balanced")
    with gv.default_device(balanced):
        assert gv.nn.Parameter([1.0]).device is balanced
        assert gv.nn.Linear(2, 1).weight.device is balanced
    with gv.default_device(gv.device("capture")):
        assert str(gv.nn.Parameter([1.0]).kind) == "Autodiff(Capture)"
    assert gv.nn.Parameter(gv.tensor([1.0], device=balanced)).device is balanced


def test_parameter_from_a_tracked_result_is_a_leaf_of_its_own():
    x = gv.tensor([3.0], requires_grad=True)
    p = gv.nn.Parameter(x * 2.0)
    grads = (p * 5.0).sum().backward()
    assert x.grad(grads) is None and p.grad(grads).tolist() == [5.0]


def test_replace_keeps_the_object_and_what_graphs_saved():
    p = gv.nn.Parameter([2.0, 3.0])
    loss = (p * p).sum()
    before = p.node
    assert p.replace(np.array([10.0, 20.0])) is p
    assert p.node is before and p.tolist() == [10.0, 20.0] and p.dtype == np.float32
    assert p.grad(loss.backward()).tolist() == [4.0, 6.0]


def test_replace_refuses_another_shape_and_changes_nothing():
    p = gv.nn.Parameter([2.0, 3.0])
    refused(lambda: p.replace([1.0, 2.0, 3.0]), "shape-mismatch")
    assert p.tolist() == [2.0, 3.0]


def test_results_of_parameters_are_plain_tensors():
    assert type(gv.nn.Parameter([1.0]) * 2.0) is gv.Tensor
    assert type(gv.nn.Parameter([1.0]).detach()) is gv.Tensor


def test_array_on_the_left_of_a_parameter():
    p = gv.nn.Parameter([1.0, 2.0])
    out = np.ones(2, np.float32) + p
    assert isinstance(out, gv.Tensor) and out.is_tracked


@pytest.mark.parametrize("how", [copy.deepcopy, lambda p: pickle.loads(pickle.dumps(p))])
@pytest.mark.parametrize("marked", [True, False])
def test_copies_are_independent_leaves(how, marked):
    p = gv.nn.Parameter([1.0, 2.0], requires_grad=marked, name="gain")
    q = how(p)
    assert type(q) is gv.nn.Parameter and q.named and q.name == "gain"
    assert q.requirement == p.requirement and q.device is p.device and q.dtype == p.dtype
    q.replace([5.0, 6.0])
    assert p.tolist() == [1.0, 2.0]
    if marked:
        grads = (q * p).sum().backward()
        assert q.grad(grads).tolist() == [1.0, 2.0] and p.grad(grads).tolist() == [5.0, 6.0]


def test_deepcopy_keeps_sharing():
    p = gv.nn.Parameter([1.0])
    first, second = copy.deepcopy([p, p])
    assert first is second is not p


def test_buffer_is_untracked_and_persistent_unless_said_otherwise():
    b = gv.nn.Buffer([1.0, 2.0])
    assert b.requirement == "none" and b.persistent and str(b.kind) == "NdArray"
    assert not pickle.loads(pickle.dumps(gv.nn.Buffer(gv.zeros(1), persistent=False))).persistent
    assert repr(b) == "Buffer([1., 2.])"
