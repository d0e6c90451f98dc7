"""Every row of the operation table, exported and run with ONNX Runtime."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradviz as gv
from gradviz.onnx import export as _export  # noqa: F401 - registers the writers
from gradviz.onnx.registry import REFUSED, WRITERS
from gradviz.ops.spec import Row, table
from tests.onnx.running import assert_same
from tests.ops.sampling import Case, cases

LATER = {"deform_conv2d": 19, "fold4d": 18} | {
    f"bitwise_{name}": 18 for name in ("and", "or", "xor", "not")
}
"""Rows that the oldest opset hasn't got, and the first that has."""


def captured(case: Case) -> tuple[Any, list[Any]]:
    """A program that is one row, and inputs to run it with."""
    kind = "float32" if case.sample.dtype == "float64" else case.sample.dtype
    arrays = [
        array.astype(kind) if array is not None and array.dtype == np.float64 else array
        for array in case.arrays(kind)
    ]
    given = [array for array in arrays if array is not None]

    def program(*tensors: Any) -> Any:
        rest = iter(tensors)
        return case.call([None if array is None else next(rest) for array in arrays])

    return gv.capture(program, *(gv.spec(a.shape, a.dtype) for a in given)), given


@pytest.mark.parametrize("case", cases(lambda case: case.row.name not in REFUSED), ids=str)
def test_row_is_the_same_in_onnx_runtime(case: Case) -> None:
    program, arrays = captured(case)
    assert_same(program, arrays)


@pytest.mark.parametrize("opset", [17, 20, 23])
@pytest.mark.parametrize(
    "case",
    cases(lambda case: case.number == 0 and case.row.name not in REFUSED),
    ids=lambda case: case.row.name,
)
def test_row_at_other_opsets(case: Case, opset: int) -> None:
    program, arrays = captured(case)
    first = LATER.get(case.row.name, 17)
    if opset >= first:
        assert_same(program, arrays, opset)
        return
    with pytest.raises(gv.GradvizError, match=f"opset={first}"):
        program.to_onnx(opset=opset)


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_what_onnx_cannot_say_is_refused(name: str) -> None:
    program, _ = captured(Case(table[name], table[name].samples[0], 0))
    with pytest.raises(gv.GradvizError) as caught:
        program.to_onnx()
    assert caught.value.slug == "onnx-not-expressible"
    assert name in caught.value.problem.message


@pytest.mark.parametrize("row", table.values(), ids=lambda row: row.name)
def test_every_row_is_written_or_refused(row: Row) -> None:
    plain = row.onnx is not None and not row.attrs
    assert row.name in WRITERS or row.name in REFUSED or plain
    assert not (row.name in WRITERS and row.name in REFUSED)
