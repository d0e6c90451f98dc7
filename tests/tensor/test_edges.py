"""Empty tensors, ties, single numbers, arrays on the left, failed operations."""

from __future__ import annotations

import math

import numpy as np
import pytest

import gradviz as gv
from tests.asserting import refused


def leaf(data, dtype="float32"):
    return gv.tensor(np.array(data, dtype), requires_grad=True)


# --- empty ---------------------------------------------------------------------------------------
@pytest.mark.parametrize("shape", [(0,), (0, 3), (2, 0), (2, 0, 3)], ids=str)
def test_empty_tensors_work_forward_and_backward(shape):
    x = gv.zeros(shape, requires_grad=True)
    programs = [
        lambda: x * 2.0,
        lambda: x + gv.ones(shape),
        lambda: x.exp().tanh(),
        x.relu,
        lambda: x.sum(dim=0),
        x.prod,
        lambda: x.reshape(-1) if shape != (2, 0, 3) else x.reshape(0, 6),
        lambda: x.softmax(-1),
        lambda: x.log_softmax(0),
        lambda: gv.cat([x, x]),
        lambda: gv.stack([x, x]),
        lambda: x.flip(0),
        lambda: x[:0],
        lambda: gv.where(x > 0.0, x, 0.0),
        lambda: x.clamp(0.0, 1.0),
        lambda: x.expand(3, *shape),
        lambda: x.unsqueeze(0).squeeze(0),
    ]
    for program in programs:
        out = program()
        grads = out.sum().backward()
        assert grads[x].shape == shape and grads[x].dtype == np.float32


def test_sums_and_means_of_nothing():
    x = gv.zeros(0, 3)
    assert x.sum().item() == 0.0 and x.prod().item() == 1.0
    assert x.sum(dim=0).tolist() == [0.0, 0.0, 0.0] and x.sum(dim=1).shape == (0,)
    assert np.isnan(x.mean().item()) and x.mean(dim=1).shape == (0,)
    assert x.any().item() is False and x.all().item() is True
    assert x.logsumexp(dim=0).tolist() == [-np.inf] * 3


def test_empty_matrices_multiply():
    a, b = gv.zeros(2, 0, requires_grad=True), gv.zeros(0, 3, requires_grad=True)
    out = a @ b
    assert out.tolist() == [[0.0] * 3] * 2
    grads = out.sum().backward()
    assert grads[a].shape == (2, 0) and grads[b].shape == (0, 3)
    assert (gv.zeros(0, 2) @ gv.zeros(2, 3)).shape == (0, 3)


def test_extremes_of_nothing_are_refused():
    for call in (gv.zeros(0).max, gv.zeros(0).argmin, lambda: gv.zeros(2, 0).amax(dim=1)):
        refused(call, "invalid-argument")
    assert gv.zeros(2, 0).amax(dim=0).shape == (0,)


# --- ties ----------------------------------------------------------------------------------------
def gradient(program, *leaves):
    grads = program(*leaves).sum().backward()
    return [leaf.grad(grads).tolist() for leaf in leaves]


def test_ties_of_two_operands_are_shared():
    a, b = leaf([1.0, 2.0, 3.0]), leaf([1.0, 3.0, 2.0])
    assert gradient(gv.maximum, a, b) == [[0.5, 0.0, 1.0], [0.5, 1.0, 0.0]]
    assert gradient(gv.minimum, a, b) == [[0.5, 1.0, 0.0], [0.5, 0.0, 1.0]]


def test_ties_of_a_whole_tensor_are_shared():
    x = leaf([3.0, 1.0, 3.0, 3.0])
    third = pytest.approx([1 / 3, 0.0, 1 / 3, 1 / 3])
    for program in (lambda t: t.max(), lambda t: t.amax(), lambda t: t.amax(dim=0)):
        assert gradient(program, x) == [third]
    y = leaf([1.0, 3.0, 1.0])
    for program in (lambda t: t.min(), lambda t: t.amin(), lambda t: t.amin(dim=0)):
        assert gradient(program, y) == [[0.5, 0.0, 0.5]]


def test_ties_along_a_dimension_go_to_the_first():
    x = leaf([[2.0, 2.0, 1.0], [0.0, 5.0, 5.0]])
    values, indices = x.max(dim=1)
    assert indices.tolist() == [0, 1] and values.tolist() == [2.0, 5.0]
    assert gradient(lambda t: t.max(dim=1)[0], x) == [[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]]
    assert gradient(lambda t: t.min(dim=0, keepdim=True)[0], x) == [
        [[0.0, 1.0, 1.0], [1.0, 0.0, 0.0]]
    ]
    assert x.argmax(dim=1).tolist() == [0, 1]


def test_kinks_have_pytorchs_gradient():
    x = leaf([-1.0, 0.0, 1.0])
    assert gradient(gv.relu, x) == [[0.0, 0.0, 1.0]]
    for strange in (leaf([math.nan, -0.0]), leaf([math.nan, -0.0], "float64")):
        for higher in (False, True):
            grads = strange.relu().sum().backward(create_graph=higher)
            assert grads[strange].tolist() == [1.0, 0.0]
    assert gradient(gv.abs, x) == [[-1.0, 0.0, 1.0]]
    assert gradient(lambda t: t.clamp(0.0, 1.0), x) == [[0.0, 1.0, 1.0]]
    assert gradient(lambda t: t.clamp(min=0.0), x) == [[0.0, 1.0, 1.0]]
    assert gradient(lambda t: t.clamp(max=1.0), x) == [[1.0, 1.0, 1.0]]
    assert gradient(gv.sign, x) == [[0.0, 0.0, 0.0]]


# --- arrays on the left --------------------------------------------------------------------------
LEFT = {
    "add": lambda a, t: a + t,
    "sub": lambda a, t: a - t,
    "mul": lambda a, t: a * t,
    "div": lambda a, t: a / t,
    "pow": lambda a, t: a**t,
    "mod": lambda a, t: a % t,
    "floordiv": lambda a, t: a // t,
    "matmul": lambda a, t: a @ t,
    "eq": lambda a, t: a == t,
    "lt": lambda a, t: a < t,
    "ge": lambda a, t: a >= t,
}


@pytest.mark.parametrize("operator", LEFT.values(), ids=LEFT)
def test_an_array_on_the_left(operator):
    array = np.array([[3.0, 2.0], [1.0, 4.0]], np.float32)
    x = np.array([[2.0, 2.0], [2.0, 1.0]], np.float32)
    out = operator(array, gv.tensor(x, requires_grad=True))
    assert type(out) is gv.Tensor and gv.is_autodiff(out)
    np.testing.assert_allclose(out.numpy(), operator(array, x), rtol=1e-6)


@pytest.mark.parametrize(
    "number", [np.float32(2.0), np.float64(2.0), np.int64(2), np.bool_(True)], ids=repr
)
def test_a_numpy_number_on_the_left(number):
    x = gv.tensor([3.0], requires_grad=True)
    out = number * x
    assert type(out) is gv.Tensor and out.dtype == np.float32
    assert out.tolist() == [float(number) * 3.0] and x in out.sum().backward()


def test_arrays_in_functions():
    x = gv.tensor([1.0, 2.0], requires_grad=True)
    assert gv.maximum(np.zeros(2, np.float32), x).is_tracked
    assert gv.where(np.array([True, False]), x, np.zeros(2, np.float32)).tolist() == [1.0, 0.0]
    assert gv.exp(np.zeros(2)).dtype == np.float64
    assert gv.stack([x, np.ones(2, np.float32)]).shape == (2, 2)


# --- failed operations ---------------------------------------------------------------------------
def test_a_failed_operation_leaves_everything_as_it_was():
    a, b = leaf([[1.0, 2.0]]), leaf([1.0, 2.0, 3.0])
    c = a * a
    before = (a.node.extra, c.node.saved, c.node.parents, a.tolist())
    for call in (
        lambda: c + b,
        lambda: c @ b,
        lambda: c.reshape(7),
        lambda: c[5],
        lambda: c.sum(dim=9),
        lambda: gv.cat([c, b]),
        lambda: c.expand(3, 5),
        lambda: c.slice_assign(0, b),
    ):
        with pytest.raises(gv.GradvizError):
            call()
    assert (a.node.extra, c.node.saved, c.node.parents, a.tolist()) == before
    assert a.grad(c.sum().backward()).tolist() == [[2.0, 4.0]]


def test_errors_name_operation_shapes_and_place():
    a, b = leaf([[1.0, 2.0]]), leaf([1.0, 2.0, 3.0])
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the built-in that is meant
        a + b
    error = caught.value
    assert error.slug == "shape-mismatch" and error.problem.where.text == "a + b"
    assert str(error).startswith("add: shapes (1, 2) and (3,)")
