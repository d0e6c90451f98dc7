"""Every row of the operation table, exported, read again and run."""

from __future__ import annotations

import numpy as np
import pytest

import gradviz as gv
from gradviz.onnx import export as _export  # noqa: F401 - registers the writers
from gradviz.onnx.registry import REFUSED
from tests.onnx.running import results
from tests.onnx.test_table import captured
from tests.ops.sampling import Case, cases

ONE_WAY = {"masked_scatter_backward", "gcd", "lcm"}
"""Rows that are written with what isn't read: a loop, or a shape that depends on values."""


@pytest.mark.parametrize(
    "case", cases(lambda case: case.row.name not in {*REFUSED, *ONE_WAY}), ids=str
)
def test_row_comes_back(case: Case) -> None:
    program, arrays = captured(case)
    again = gv.from_onnx(program.to_onnx())
    for got, wanted in zip(results(again, arrays), results(program, arrays), strict=True):
        assert got.dtype == wanted.dtype
        assert got.shape == wanted.shape
        np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-5)
