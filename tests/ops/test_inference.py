"""Inferred shapes and dtypes against computed ones, and recorded programs against eager results."""

from __future__ import annotations

import numpy as np
import pytest

import gradviz as gv
from gradviz.ops.spec import category_after
from gradviz.tensor.general import facts_of, prepare
from tests.ops.sampling import NDARRAY, Case, cases, tensors

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

DTYPES = ("float16", "float32", "float64", "int64", "int32", "uint8", "bool")


def _accepts(case: Case, dtype: str) -> bool:
    category = "float" if "float" in dtype else "bool" if dtype == "bool" else "int"
    # Random whole numbers hold zeros, which nothing can be divided by.
    if category == "int" and case.row.name in ("remainder", "fmod", "floor_divide"):
        return False
    if case.row.promote not in ("none", "common", "float"):
        return category_after(case.row.promote, category) == category
    if category == "float":
        return True
    # Formulas call these with gradients, which are floating point; powers have a row of their own.
    inner = ("_backward", "_to", "back", "spread", "unpad", "pick", "pow", "slice_fill", "linear")
    return not case.row.name.endswith(inner) and case.row.name != "pow_scalar"


def _results(value):
    return list(value) if isinstance(value, tuple) else [value]


@pytest.mark.parametrize("case", cases(), ids=str)
def test_inferred_shapes_and_dtypes_are_the_computed_ones(case):
    for dtype in DTYPES:
        if not _accepts(case, dtype):
            continue
        inputs = tensors(case.arrays(dtype), [], NDARRAY)
        ready = prepare(case.row, [inputs] if case.row.variadic else inputs)
        inferred = case.row.infer(*facts_of(ready), *case.attributes())
        expected = inferred if isinstance(inferred, list) else [inferred]
        for tensor, (shape, name) in zip(_results(case.call(inputs)), expected, strict=True):
            assert (tensor.shape, tensor.dtype.name) == (shape, name), dtype
            assert (tensor.numpy().shape, tensor.numpy().dtype.name) == (shape, name), dtype


@pytest.mark.parametrize("case", cases(), ids=str)
def test_recorded_program_gives_the_same_bits(case):
    for dtype in {case.sample.dtype, "float32" if case.sample.dtype == "float64" else None}:
        _compare_with_recorded(case, case.arrays(dtype))


def _compare_with_recorded(case, arrays):
    present = [at for at, array in enumerate(arrays) if array is not None]

    def program(*given):
        inputs = [None] * len(arrays)
        for at, tensor in zip(present, given, strict=True):
            inputs[at] = tensor
        return case.call(inputs)

    eager = _results(program(*(gv.tensor(arrays[at]) for at in present)))
    captured = gv.capture(program, *(gv.spec(arrays[at].shape, arrays[at].dtype) for at in present))
    replayed = _results(captured.run(*(arrays[at] for at in present)))
    for one, other, described in zip(eager, replayed, captured.outputs, strict=True):
        assert one.dtype == other.dtype
        assert described.shape == one.shape
        assert described.dtype == one.dtype.name
        assert one.numpy().tobytes() == other.numpy().tobytes()


@pytest.mark.parametrize("case", cases(lambda case: True), ids=str)
def test_inputs_stay_as_they_are(case):
    arrays = case.arrays()
    inputs = tensors(arrays, case.differentiable())
    case.call(inputs)
    for tensor, array in zip(inputs, arrays, strict=True):
        if array is not None:
            np.testing.assert_array_equal(tensor.numpy(), array)
