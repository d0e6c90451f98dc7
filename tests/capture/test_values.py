"""What has a value and what has none, what may be moved where, and constants."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

import gradviz as gv
from tests.asserting import refused

READS: dict[str, Callable[[Any], Any]] = {
    "bool": bool,
    "int": int,
    "float": float,
    "index": lambda x: [1, 2][x.long()],
    "item": lambda x: x.item(),
    "tolist": lambda x: x.tolist(),
    "numpy": lambda x: x.numpy(),
    "asarray": np.asarray,
    "if": lambda x: 1 if x > 0.0 else 2,
    "while": lambda x: next(iter([1])) if x == 1.0 else 2,
    "format": lambda x: f"{x:.3f}",
    "min": lambda x: min(x, 1.0),
    "assert": lambda x: (_ for _ in ()).throw(AssertionError) if not x.isfinite() else 0,
    "float32": np.float32,
    "parameter": gv.nn.Parameter,
    "isclose": lambda x: gv.allclose(x, x + 1.0),
    "range": lambda x: range(x.long()),
}


@pytest.mark.parametrize("name", READS)
@pytest.mark.parametrize("device", ["capture", "capture autodiff"])
def test_a_result_has_no_value_to_read(name: str, device: str) -> None:
    target = gv.device("capture").autodiff() if "autodiff" in device else gv.device("capture")
    with gv.capture_scope(target) as scope:
        x = scope.input(())
        for tensor in (x, x * 2.0):
            error = refused(lambda x=tensor: READS[name](x), "capture-value-unavailable")
            problem = error.problem
            assert str(error).startswith("A captured tensor has no value to read")
            assert problem.reason.endswith(".") and problem.advice.endswith(".")


def test_loops_over_and_questions_about_shapes_are_fine() -> None:
    def fn(x: gv.Tensor) -> gv.Tensor:
        assert len(x) == 3 and x.ndim == 2 and x.size == 6 and x.shape == (3, 2)
        total = gv.zeros(2)
        for row in x:
            total = total + row
        assert repr(total) and f"{total}" and str(x)
        return total

    captured = gv.capture(fn, gv.spec((3, 2)))
    assert captured.run([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]).tolist() == [9.0, 12.0]


def test_iterating_a_scalar_is_the_usual_error() -> None:
    with gv.capture_scope() as scope:
        x = scope.input(())
        with pytest.raises(TypeError):
            iter(x)
        with pytest.raises(TypeError):
            len(x)


def test_writing_into_a_capture() -> None:
    with gv.capture_scope() as scope:
        x = scope.input((3,))
        with pytest.raises(gv.GradvizError) as caught:
            x[0] = 1.0
        assert caught.value.slug == "in-place-on-tensor"


def test_constants_keep_their_values() -> None:
    device = gv.device("capture")
    with gv.capture_scope(device) as scope:
        c = gv.tensor([1.0, 2.0], device=device)
        assert c.tolist() == [1.0, 2.0] and c.sum is not None
        moved = gv.tensor([3.0, 4.0]).to(device)
        assert moved.numpy().tolist() == [3.0, 4.0]
        with pytest.raises(gv.GradvizError):
            (c + moved).numpy()
        scope.output(c + moved)
    assert moved.tolist() == [3.0, 4.0]
    assert scope.graph.run().tolist() == [4.0, 6.0]


# --- moving ------------------------------------------------------------------------------------
def test_nothing_leaves_a_capture_device() -> None:
    plain, tracked = gv.device("ndarray"), gv.device("ndarray").autodiff()
    with gv.capture_scope() as scope:
        x = scope.input((2,))
        for target in (plain, tracked, "ndarray"):
            refused(partial(x.to, target), "cannot-move-from-capture")
        assert x.to(x.device) is x and x.to("capture").kind == "Capture"
        assert x.to(gv.float64).dtype == gv.float64


def test_lifting_and_lowering_are_refused() -> None:
    tracked = gv.device("capture").autodiff()
    with gv.capture_scope() as scope, gv.capture_scope(tracked) as other:
        x, y = scope.input((2,)), other.input((2,))
        for call in (
            x.autodiff,
            y.inner,
            x.inner,
            lambda: gv.Tensor.from_inner(x),
            lambda: x.to(tracked),
            lambda: y.to("capture"),
        ):
            refused(call, "capture-tensors-do-not-support-autodiff")
        refused(y.autodiff, "autodiff-wraps-autodiff")


def test_backward_is_refused_on_both_kinds() -> None:
    tracked = gv.device("capture").autodiff()
    with gv.capture_scope() as scope, gv.capture_scope(tracked) as other:
        for x, slug in (
            (scope.input((2,)), "requires-autodiff-tensor"),
            (other.input((2,)).require_grad(), "capture-tensors-do-not-support-autodiff"),
        ):
            loss = (x * 2.0).sum()
            assert loss.verdict.backward.slug == slug
            refused(loss.backward, slug)
        refused(lambda: scope.input((2,)).require_grad(), "require-grad-on-plain-kind")


# --- tensors from outside ------------------------------------------------------------------------
def test_a_plain_tensor_has_to_be_brought_in() -> None:
    outside = gv.tensor([1.0, 2.0])
    problem = refused(
        lambda: gv.capture(lambda x: x + outside, gv.spec((2,))), "different-backends"
    ).problem
    assert ".to(" in problem.advice
    assert problem.where.text == "x + outside"
    brought = gv.capture(lambda x: x + outside.to(x.device), gv.spec((2,)))
    assert brought.run([1.0, 1.0]).tolist() == [2.0, 3.0]


def test_tracked_tensors_from_outside_neither() -> None:
    outside = gv.tensor([1.0, 2.0], requires_grad=True)
    for fn in (lambda x: x * outside, lambda x: outside * x, lambda x: gv.stack([outside, x])):
        refused(lambda fn=fn: gv.capture(fn, gv.spec((2,))), "different-backends")


def test_numbers_and_arrays_come_in_as_constants() -> None:
    array = np.array([1.0, 2.0], np.float32)
    captured = gv.capture(lambda x: x * array + 2.0 - gv.tensor([0.5, 0.5]), gv.spec((2,)))
    array[:] = 0.0  # constants are copies
    assert captured.run([1.0, 1.0]).tolist() == [2.5, 3.5]


# --- parameters and buffers ----------------------------------------------------------------------
class Net(gv.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = gv.nn.Linear(3, 3)
        self.norm = gv.nn.BatchNorm1d(3)
        self.tied = self.first
        self.register_buffer("shift", gv.full((3,), 0.5))

    def forward(self, x: gv.Tensor) -> gv.Tensor:
        return self.tied(self.norm(self.first(x))) + self.shift


def test_parameters_and_buffers_are_named_constants_each_once() -> None:
    net = Net().eval()
    captured = gv.capture(net, gv.spec((4, 3)))
    names = set(captured.constants)
    assert {"first.weight", "first.bias", "norm.weight", "norm.bias", "shift"} <= names
    assert len(names) == len(captured.graph.constants)
    np.testing.assert_array_equal(captured.constants["first.weight"], net.first.weight.numpy())
    x = gv.randn(4, 3)
    np.testing.assert_array_equal(captured.run(x).numpy(), net(x).numpy())


def test_names_of_two_modules_stay_apart() -> None:
    one, two = gv.nn.Linear(2, 2), gv.nn.Linear(2, 1)
    captured = gv.capture(lambda x: two(one(x)), gv.spec((1, 2)))
    assert set(captured.constants) == {"weight", "bias", "weight_2", "bias_2"}
    shapes = {name: array.shape for name, array in captured.constants.items()}
    assert shapes["weight"] == (2, 2) and shapes["weight_2"] == (1, 2)


def test_names_of_the_user_are_kept() -> None:
    w = gv.nn.Parameter([1.0], name="gain")
    bare = gv.nn.Parameter([2.0])
    captured = gv.capture(lambda x: x * w + bare, gv.spec((1,)))
    assert set(captured.constants) == {"gain", "constant"}
    assert captured.run([3.0]).tolist() == [5.0]
    with gv.capture_scope() as scope:
        scope.output(scope.input((1,)) * w)
        scope.output(w.to(scope.device), name="kept")
    assert scope.graph.outputs[1].name == "kept"


def test_paths_begin_at_the_module_that_is_captured() -> None:
    outer = gv.nn.Sequential(gv.nn.Linear(2, 2), gv.nn.Linear(2, 1))
    assert set(gv.capture(outer, gv.spec((1, 2))).constants) == {
        "0.weight",
        "0.bias",
        "1.weight",
        "1.bias",
    }
    assert set(gv.capture(outer[1], gv.spec((1, 2))).constants) == {"weight", "bias"}
    inside = gv.capture(lambda x: outer[1](x).relu(), gv.spec((1, 2)))
    assert set(inside.constants) == {"1.weight", "1.bias"}


def test_constants_are_those_of_the_moment_and_copies() -> None:
    layer = gv.nn.Linear(2, 1)
    captured = gv.capture(layer, gv.spec((1, 2)))
    before = captured.run([[1.0, 2.0]]).tolist()
    captured.constants["weight"][:] = 0.0
    layer.weight.replace([[9.0, 9.0]])
    assert captured.run([[1.0, 2.0]]).tolist() == before


def test_parameters_stay_what_they_are() -> None:
    layer = gv.nn.Linear(2, 1)
    gv.capture(layer, gv.ones(1, 2, requires_grad=True))
    assert layer.weight.kind == "Autodiff(NdArray)" and layer.weight.is_require_grad
    assert layer(gv.ones(1, 2)).sum().backward()[layer.weight].shape == (1, 2)
