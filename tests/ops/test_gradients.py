"""Every gradient against finite differences, in float64; gradients of gradients, too."""

from __future__ import annotations

import numpy as np
import pytest

import gradviz as gv
from tests.ops.sampling import (
    BALANCED,
    TRACKED,
    Case,
    cases,
    differences,
    gradients,
    tensors,
    weights,
)

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")
DIFFERENTIABLE = cases(lambda case: bool(case.differentiable()))


def _value(case: Case):
    def value(arrays):
        result = case.first([None if a is None else gv.tensor(a) for a in arrays]).numpy()
        return float((result * weights(result.shape)).sum())

    return value


@pytest.mark.parametrize("case", DIFFERENTIABLE, ids=str)
def test_gradient_equals_finite_differences(case):
    arrays = case.arrays()
    found = gradients(case, arrays)
    for at, gradient in zip(case.differentiable(), found, strict=True):
        expected = differences(_value(case), arrays, at)
        assert gradient.dtype == np.float64
        np.testing.assert_allclose(gradient, expected, rtol=2e-6, atol=2e-8, err_msg=f"input {at}")


@pytest.mark.parametrize(
    "case", [case for case in DIFFERENTIABLE if len(case.differentiable()) > 1], ids=str
)
def test_gradient_of_each_input_alone_is_the_same(case):
    arrays = case.arrays()
    marked = case.differentiable()
    together = gradients(case, arrays)
    for at, expected in zip(marked, together, strict=True):
        leaves = tensors(arrays, [at])
        result = case.first(leaves)
        grads = (result * weights(result.shape)).sum().backward()
        np.testing.assert_array_equal(grads[leaves[at]].numpy(), expected)
        assert len(grads) == 1


@pytest.mark.parametrize("case", DIFFERENTIABLE, ids=str)
def test_balanced_checkpointing_gives_the_same_bits(case):
    """Alone, and between two cheap operations, so that its inputs are recomputed as well."""
    arrays = case.arrays()
    for plain, balanced in zip(
        gradients(case, arrays), gradients(case, arrays, BALANCED), strict=True
    ):
        assert plain.tobytes() == balanced.tobytes()
    marked = case.differentiable()
    found = []
    for device in (TRACKED, BALANCED):
        leaves = tensors(arrays, marked, device)
        inputs = [leaf * 1.0 if at in marked else leaf for at, leaf in enumerate(leaves)]
        result = case.first(inputs)
        grads = (result * result * weights(result.shape)).sum().backward()
        found.append([grads[leaves[at]].numpy() for at in marked])
    for plain, balanced in zip(*found, strict=True):
        assert plain.tobytes() == balanced.tobytes()


@pytest.mark.parametrize("case", DIFFERENTIABLE, ids=str)
def test_gradient_has_the_shape_and_dtype_of_its_leaf(case):
    for dtype in ("float16", "float32", "float64"):
        arrays = case.arrays(dtype)
        for at, gradient in zip(case.differentiable(), gradients(case, arrays), strict=True):
            assert gradient.shape == arrays[at].shape
            assert gradient.dtype == arrays[at].dtype


@pytest.mark.parametrize("case", DIFFERENTIABLE, ids=str)
def test_gradient_of_the_gradient_equals_finite_differences(case):
    arrays = case.arrays()
    marked = case.differentiable()

    def first(values):
        """A number made of all first gradients."""
        return sum(
            float((gradient * weights(gradient.shape, 1 + at)).sum())
            for at, gradient in enumerate(gradients(case, values))
        )

    leaves = tensors(arrays, marked)
    result = case.first(leaves)
    grads = (result * weights(result.shape)).sum().backward(create_graph=True)
    total = gv.tensor(0.0, dtype="float64", device=TRACKED)
    for number, at in enumerate(marked):
        gradient = grads[leaves[at]]
        np.testing.assert_allclose(
            gradient.numpy(), gradients(case, arrays)[number], rtol=1e-12, atol=1e-14
        )
        total = total + (gradient * weights(gradient.shape, 1 + number)).sum()
    seconds = total.backward() if total.is_tracked else {}
    for at in marked:
        found = seconds[leaves[at]].numpy() if leaves[at] in seconds else 0.0
        expected = differences(first, arrays, at)
        np.testing.assert_allclose(
            found, expected, rtol=2e-5, atol=2e-7, err_msg=f"input {at}", equal_nan=False
        )


@pytest.mark.parametrize(
    "row", sorted({case.row.name for case in DIFFERENTIABLE if case.row.zero_gradient})
)
def test_zero_gradients_are_zero(row):
    case = next(case for case in DIFFERENTIABLE if case.row.name == row)
    for gradient in gradients(case, case.arrays()):
        assert not gradient.any()
