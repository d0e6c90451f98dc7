"""`gv.jacobian`, `gv.hessian` and `gv.gradcheck`."""

from __future__ import annotations

import numpy as np
import pytest

import gradviz as gv
from tests.asserting import refused


def point(*shape, dtype="float64", **more):
    return gv.tensor(np.random.default_rng(3).standard_normal(shape).astype(dtype), **more)


def slopes(func, *arrays, step=1e-6):
    """Jacobians by differences: for each result a list of one for each array."""
    plain = [np.asarray(array) for array in arrays]
    results = func(*plain)
    found = []
    for number in range(len(results)):
        blocks = []
        for at, array in enumerate(plain):
            block = np.zeros(results[number].shape + array.shape)
            for place in np.ndindex(*array.shape):
                moved = [plain[at].copy(), plain[at].copy()]
                moved[0][place] += step
                moved[1][place] -= step
                high, low = (func(*[*plain[:at], m, *plain[at + 1 :]])[number] for m in moved)
                block[(..., *place)] = (high - low) / (2 * step)
            blocks.append(block)
        found.append(blocks)
    return found


# --- jacobian ------------------------------------------------------------------------------------
def test_a_jacobian_has_results_first():
    x = point(2, 3)
    found = gv.jacobian(lambda x: (x @ x.T).tanh(), x)
    assert (found.shape, found.dtype, str(found.kind)) == ((2, 2, 2, 3), gv.float64, "NdArray")
    (expected,) = slopes(lambda x: [np.tanh(x @ x.T)], x.numpy())
    assert np.allclose(found.numpy(), expected[0], atol=1e-8)


def test_several_inputs_and_results_give_tuples():
    x, y = point(3), point(2, 3, requires_grad=True)
    found = gv.jacobian(lambda x, y: (y @ x, (x * x).sum()), (x, y))
    expected = slopes(lambda x, y: [y @ x, (x * x).sum()], x.numpy(), y.detach().numpy())
    assert [[block.shape for block in row] for row in found] == [
        [(2, 3), (2, 2, 3)],
        [(3,), (2, 3)],
    ]
    for row, known in zip(found, expected, strict=True):
        for block, numbers in zip(row, known, strict=True):
            assert np.allclose(block.numpy(), numbers, atol=1e-8)
    assert y.requirement == "grad"


def test_what_nothing_leads_to_is_zero():
    x, y = point(2), point(3)
    found = gv.jacobian(lambda x, y: y * 2.0, (x, y))
    assert found[0].tolist() == [[0.0] * 2] * 3
    assert gv.jacobian(lambda x: gv.ones(2), x).tolist() == [[0.0, 0.0]] * 2
    assert gv.jacobian(lambda x: x.round(), x).tolist() == [[0.0, 0.0]] * 2


def test_empty_inputs_and_results_have_empty_derivatives():
    assert gv.jacobian(lambda x: x * 2.0, gv.zeros(0)).shape == (0, 0)
    assert gv.jacobian(lambda x: x.sum(), gv.zeros(0, 3)).shape == (0, 3)
    assert gv.jacobian(lambda x: x[:0], gv.zeros(2)).shape == (0, 2)
    assert gv.jacobian(lambda x: x * 3.0, gv.tensor(2.0)).item() == 3.0


def test_a_jacobian_can_be_differentiated_in_turn():
    x = point(2, requires_grad=True)
    inner = gv.jacobian(lambda x: x * x * x, x, create_graph=True)
    assert inner.requirement == "grad_in_backward"
    assert np.allclose(inner.sum().backward()[x].numpy(), 6.0 * x.detach().numpy())
    result = x * 2.0
    through = gv.jacobian(lambda h: h * h, result, create_graph=True)
    assert np.allclose(through.sum().backward()[x].numpy(), 4.0)


# --- hessian -------------------------------------------------------------------------------------
def test_a_hessian_is_that_of_pytorch():
    # torch.autograd.functional.hessian of the same function at the same point
    x = gv.tensor([[0.5, -1.0], [2.0, 0.25]], dtype=gv.float64)
    found = gv.hessian(lambda x: (x.exp() * x.T).sum() + (x[0, 0] * x[1, 1]) ** 2, x).numpy()
    assert found.shape == (2, 2, 2, 2)

    def slope(x):
        wide = gv.tensor(x, requires_grad=True)
        value = (wide.exp() * wide.T).sum() + (wide[0, 0] * wide[1, 1]) ** 2
        return [value.backward()[wide].numpy()]

    ((expected,),) = slopes(slope, x.numpy())
    assert np.allclose(found, expected, atol=1e-7)
    assert np.allclose(found, found.transpose(2, 3, 0, 1))


def test_a_hessian_of_several_inputs_has_a_block_for_each_pair():
    x, y = point(2), point(3)
    found = gv.hessian(lambda x, y: (x * x).sum() * y.sum() + x.sum(), (x, y))
    assert [[block.shape for block in row] for row in found] == [[(2, 2), (2, 3)], [(3, 2), (3, 3)]]
    assert np.allclose(found[0][1].numpy(), 2.0 * np.outer(x.numpy(), np.ones(3)))
    assert np.allclose(found[1][0].numpy(), found[0][1].numpy().T)
    assert found[1][1].tolist() == [[0.0] * 3] * 3


def test_straight_lines_have_no_curvature():
    x = point(2)
    assert gv.hessian(lambda x: x.sum(), x).tolist() == [[0.0, 0.0]] * 2
    assert gv.hessian(lambda x: gv.tensor(1.0), x).tolist() == [[0.0, 0.0]] * 2


@pytest.mark.parametrize(
    "call",
    [
        lambda: gv.jacobian(lambda x: x, 3.0),
        lambda: gv.jacobian(lambda x: x, gv.ones(2).long()),
        lambda: gv.jacobian(lambda x: x.argmax(), gv.ones(2)),
        lambda: gv.hessian(lambda x: x * x, gv.ones(2)),
        lambda: gv.hessian(lambda x: (x.sum(), x.sum()), gv.ones(2)),
    ],
)
def test_what_has_no_derivative_is_refused(call):
    refused(call, "invalid-argument")


# --- gradcheck -----------------------------------------------------------------------------------
class Leaky(gv.Function):
    """x * y, whose gradient by y is wrong where x is negative."""

    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * y

    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        return g * y, g * x.abs()


def test_true_gradients_pass():
    x, y = point(3, 2, requires_grad=True), point(2, requires_grad=True)
    assert gv.gradcheck(lambda x, y, n: ((x * y).tanh(), x.softmax(n)), (x, y, 0))
    assert gv.gradcheck(gv.nn.Linear(2, 3).double(), x)


def test_gradients_of_gradients_can_be_checked():
    x = point(3, requires_grad=True)

    def slope(x):
        return (x.exp() * x).sum().backward(create_graph=True)[x]

    assert gv.gradcheck(slope, x)


def test_a_wrong_gradient_is_named_with_its_place():
    x = gv.tensor([1.0, -2.0], dtype=gv.float64, requires_grad=True)
    y = gv.tensor([3.0, 4.0], dtype=gv.float64, requires_grad=True, name="y")
    error = refused(
        lambda: gv.gradcheck(lambda x, y: Leaky.apply(x, y) * 2.0, (x, y)), "gradient-check-failed"
    )
    facts = dict(error.problem.facts)
    assert facts == {
        "result": "0, element (1,)",
        "input": "1, element (1,)",
        "backward": "4",
        "slope": "-4",
    }
    assert "`y` at (1,)" in error.problem.reason
    assert error.problem.cause.text == "Leaky.apply(x, y)"
    assert "Leaky.backward" in error.problem.advice
    assert gv.gradcheck(Leaky.apply, (x, y), raise_exception=False) is False
    assert gv.gradcheck(Leaky.apply, (x, y.detach()))


def test_a_gradient_that_is_missing_is_wrong():
    x = point(2, requires_grad=True)
    assert not gv.gradcheck(lambda x: x.detach() * 2.0, x, raise_exception=False)
    assert not gv.gradcheck(lambda x: x / x.detach(), x, raise_exception=False)


def test_tolerances_are_the_users():
    x = point(2, requires_grad=True)
    rough = lambda x: x.exp() + x.detach() * 1e-4  # noqa: E731
    assert not gv.gradcheck(rough, x, rtol=1e-6, atol=1e-9, raise_exception=False)
    assert gv.gradcheck(rough, x, atol=1e-3)


def test_what_can_not_be_checked_is_refused():
    refused(lambda: gv.gradcheck(lambda x: x, point(2)), "invalid-argument")
    refused(
        lambda: gv.gradcheck(lambda x: x, point(2, dtype="float32", requires_grad=True)),
        "invalid-dtype",
    )
