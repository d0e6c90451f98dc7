"""Kinds and devices: names, identity, moving, mixing."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import gradviz as gv
from tests.asserting import refused

ND = gv.device("ndarray")
AD = ND.autodiff()
BALANCED = ND.autodiff(checkpointing="balanced")
CAP = gv.device("capture")
EVERY = [ND, AD, BALANCED, CAP, CAP.autodiff()]


# --- devices -------------------------------------------------------------------------------------
@pytest.mark.parametrize("dev", EVERY, ids=str)
def test_device_text_leads_back_to_it(dev):
    assert gv.device(str(dev)) is dev and gv.device(dev) is dev
    assert eval(repr(dev), {"gv": gv}) is dev


@pytest.mark.parametrize("dev", EVERY, ids=str)
def test_device_copies_and_pickles_to_itself(dev):
    assert copy.copy(dev) is dev and copy.deepcopy(dev) is dev
    assert pickle.loads(pickle.dumps(dev)) is dev


def test_devices_are_hashable_and_compare():
    assert len(set(EVERY)) == 5 and {AD: 1}[ND.autodiff()] == 1
    assert ND != AD != BALANCED and ND.autodiff() == AD


@pytest.mark.parametrize(
    ("dev", "kind", "is_autodiff"),
    [
        (ND, "NdArray", False),
        (AD, "Autodiff(NdArray)", True),
        (CAP, "Capture", False),
        (CAP.autodiff(), "Autodiff(Capture)", True),
    ],
)
def test_kinds_of_devices(dev, kind, is_autodiff):
    assert str(dev.kind) == kind and dev.is_autodiff is is_autodiff
    assert dev.inner().is_autodiff is False and dev.inner().inner() is dev.inner()


def test_autodiff_never_wraps_autodiff():
    for wrapped in (AD, BALANCED, CAP.autodiff()):
        refused(wrapped.autodiff, "autodiff-wraps-autodiff")
    refused(lambda: gv.device("autodiff(autodiff(ndarray))"), "autodiff-wraps-autodiff")


@pytest.mark.parametrize("name", ["cuda", "", "autodiff(cuda)", 3, None, "autodiff(ndarray"])
def test_unknown_devices(name):
    refused(lambda: gv.device(name), "invalid-argument")


def test_unknown_strategy():
    refused(lambda: ND.autodiff(checkpointing="some"), "invalid-argument")


@pytest.mark.parametrize("dev", EVERY, ids=str)
def test_devices_cannot_gain_attributes(dev):
    with pytest.raises(AttributeError):
        dev.colour = 1


@pytest.mark.parametrize("dev", EVERY, ids=str)
@pytest.mark.parametrize("field", ["name", "backend", "checkpointing", "kind", "is_autodiff"])
def test_devices_are_immutable(dev, field):
    before = str(dev), dev.kind, dev.is_autodiff
    with pytest.raises(AttributeError):
        setattr(dev, field, None)
    assert (str(dev), dev.kind, dev.is_autodiff) == before


def test_default_device_and_its_block():
    assert gv.ones(1).device is ND
    with gv.default_device(AD):
        assert gv.ones(1).device is AD
        with gv.default_device("ndarray"):
            assert gv.ones(1).device is ND
        assert gv.ones(1).device is AD
    assert gv.ones(1).device is ND


def test_default_device_block_ends_with_an_error():
    with pytest.raises(ZeroDivisionError), gv.default_device(AD):
        _ = 1 / 0
    assert gv.ones(1).device is ND


def test_set_default_device():
    gv.set_default_device("autodiff(ndarray)")
    try:
        assert gv.tensor([1.0]).device is AD
    finally:
        gv.set_default_device(ND)


# --- kinds of tensors ----------------------------------------------------------------------------
def test_requires_grad_creates_on_the_autodiff_form():
    x = gv.tensor([1.0], requires_grad=True)
    assert x.kind == "Autodiff(NdArray)" and x.device is AD and x.kind.inner == "NdArray"
    assert gv.tensor([1.0], requires_grad=True, device=BALANCED).device is BALANCED
    refused(
        lambda: gv.ones(1, requires_grad=True, device="capture"),
        "capture-tensors-do-not-support-autodiff",
    )


def test_lifting_and_unwrapping():
    plain = gv.tensor([1.0, 2.0])
    lifted = plain.autodiff()
    assert lifted.kind == "Autodiff(NdArray)" and lifted.requirement == "none" and lifted.is_leaf
    assert plain.kind == "NdArray" and lifted.inner().kind == "NdArray"
    assert plain.inner() is plain
    assert gv.Tensor.from_inner(plain).kind == "Autodiff(NdArray)"
    assert plain.autodiff(checkpointing="balanced").device is BALANCED
    refused(lifted.autodiff, "autodiff-wraps-autodiff")
    refused(gv.ones(1, device=CAP).autodiff, "capture-tensors-do-not-support-autodiff")
    refused(gv.ones(1, device=CAP.autodiff()).inner, "capture-tensors-do-not-support-autodiff")
    refused(gv.ones(1, device=CAP).inner, "capture-tensors-do-not-support-autodiff")


def test_moving():
    x = gv.tensor([1.0], requires_grad=True)
    assert x.to(AD) is x and x.to("ndarray").kind == "NdArray"
    assert gv.ones(1).to(AD).requirement == "none"
    assert gv.ones(1).to(CAP).kind == "Capture"
    assert gv.ones(1).to(device="autodiff(ndarray)", dtype="float64").dtype == np.float64
    assert gv.ones(1, dtype="int64").to(x).device is AD
    refused(lambda: gv.ones(1, device=CAP).to(ND), "cannot-move-from-capture")
    refused(lambda: gv.ones(1, device=CAP.autodiff()).to(AD), "cannot-move-from-capture")
    refused(lambda: x.to("tpu"), "invalid-dtype")
    refused(lambda: x.to("cuda"), "invalid-argument")


def test_a_moved_leaf_is_cut_from_the_original():
    x = gv.tensor([1.0], requires_grad=True)
    y = x.to("ndarray").autodiff()
    assert not y.is_tracked and y.tolist() == [1.0]


# --- mixing --------------------------------------------------------------------------------------
MATES = {
    "int": 2,
    "float": 2.0,
    "numpy scalar": np.float32(2.0),
    "array": np.array([2.0, 2.0], np.float32),
    "plain tensor": gv.tensor([2.0, 2.0]),
    "untracked tensor": None,  # on the device of the other operand
}


@pytest.mark.parametrize("mate", MATES.values(), ids=MATES)
@pytest.mark.parametrize("on_the_left", [False, True])
@pytest.mark.parametrize("device", [AD, BALANCED], ids=str)
def test_constants_mix_with_autodiff_tensors(mate, on_the_left, device):
    if mate is None:
        mate = gv.tensor([2.0, 2.0], device=device)
    x = gv.tensor([3.0, 5.0], requires_grad=True, device=device)
    out = mate * x if on_the_left else x * mate
    assert isinstance(out, gv.Tensor) and out.device is device and out.tolist() == [6.0, 10.0]
    grads = out.sum().backward()
    assert grads[x].tolist() == [2.0, 2.0] and len(grads) == 1


def test_an_operation_on_constants_alone_is_untracked():
    lifted = gv.ones(2).autodiff()
    assert (lifted * 2.0 + gv.ones(2)).requirement == "none"
    assert (gv.ones(2) * gv.ones(2)).kind == "NdArray"


@pytest.mark.parametrize("cap", [CAP, CAP.autodiff()], ids=str)
@pytest.mark.parametrize("other", [ND, AD], ids=str)
def test_inner_kinds_never_mix(cap, other):
    a, b = gv.ones(2, device=cap), gv.ones(2, device=other)
    for call in (
        lambda: a + b,
        lambda: b + a,
        lambda: gv.cat([a, b]),
        lambda: gv.where(b > 0.0, a, a),
        lambda: b.matmul(a),
    ):
        refused(call, "different-backends")


def test_strategies_never_mix():
    a = gv.ones(2, requires_grad=True)
    b = gv.ones(2, requires_grad=True, device=BALANCED)
    for call in (lambda: a + b, lambda: gv.stack([a, b]), lambda: b.dot(a)):
        refused(call, "different-checkpointing")


def test_kinds_compare_with_text():
    kind = gv.ones(1).kind
    assert kind == "NdArray" and str(kind) == "NdArray" and hash(kind) == hash("NdArray")
    assert repr(gv.ones(1, requires_grad=True).kind) == "Autodiff(NdArray)"
