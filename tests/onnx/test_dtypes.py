"""Rows in the other dtypes that they take, compared with ONNX Runtime."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradviz as gv
from gradviz.onnx import export as _export  # noqa: F401 - registers the writers
from gradviz.onnx.registry import REFUSED
from tests.onnx.running import model, outcome, results
from tests.ops.sampling import Case, cases

GRADIENTS = {
    "conv_weight_backward",
    "gather_backward",
    "nll_loss_backward",
    "on_grid",
    "rfft_backward",
    "sum_to",
}
"""Rows that only gradients use, which are floating point."""
FLOATS_ONLY = {f"{name}{rank}d" for name in ("conv", "conv_transpose") for rank in (1, 2, 3)}
DTYPES = ["float16", "float64", "int64", "int32", "int8", "uint8", "bool"]
TOLERANCE = {"float16": 2e-2}


def chosen(case: Case) -> bool:
    """One sample of every row: the second, which is rarely the plainest."""
    plain = case.sample.dtype == "float64" and case.row.name not in REFUSED
    return plain and case.number == min(1, len(case.row.samples) - 1)


def program(case: Case, dtype: str) -> tuple[Any, list[Any]] | None:
    """A program that is one row, and its inputs; None where the row doesn't take the dtype."""
    arrays = case.arrays("float64")
    whole = dtype not in ("float16", "float64")
    with np.errstate(all="ignore"):
        arrays = [
            (np.abs(a) if dtype[0] == "u" else a).astype(dtype)
            if a is not None and a.dtype == np.float64
            else a
            for a in arrays
        ]
    given = [array for array in arrays if array is not None]

    def run(*tensors: Any) -> Any:
        rest = iter(tensors)
        return case.call([None if array is None else next(rest) for array in arrays])

    if whole and case.row.name in GRADIENTS | FLOATS_ONLY:
        return None
    if dtype == "bool" and case.row.name == "pow_scalar":
        return None  # powers of bools are those of numbers
    try:
        captured = gv.capture(run, *(gv.spec(a.shape, a.dtype) for a in given))
        results(captured, given)
    except (gv.GradvizError, ZeroDivisionError, ValueError, TypeError):
        return None
    return captured, given


@pytest.mark.parametrize("case", cases(chosen), ids=lambda case: case.row.name)
def test_row_in_the_dtypes_that_it_takes(case: Case) -> None:
    with np.errstate(all="ignore"):
        for dtype in DTYPES:
            made = program(case, dtype)
            if made is not None:
                assert_close(*made, TOLERANCE.get(dtype, 1e-5))


def assert_close(captured: Any, arrays: list[Any], tolerance: float) -> None:
    data = captured.to_onnx()
    model(data)
    for got, wanted in zip(outcome(data, arrays), results(captured, arrays), strict=True):
        assert got.dtype == wanted.dtype
        assert got.shape == wanted.shape
        np.testing.assert_allclose(got, wanted, rtol=tolerance, atol=tolerance)
