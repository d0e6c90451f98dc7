"""Gradient programs as ONNX models: ONNX Runtime computes the gradients that replaying gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradviz as gv
from tests.capture.test_gradient import attention, captured_case, conv_net, examples, lstm, mlp
from tests.onnx.running import assert_same
from tests.ops.sampling import Case, cases

NO_WORDS = frozenset({"det", "inv", "slogdet", "solve"})
"""Rows whose gradient needs an operation that ONNX has no words for."""


def firsts() -> list[Case]:
    """The first sample of every row that has a gradient."""
    found: dict[str, Case] = {}
    for case in cases(lambda case: bool(case.differentiable())):
        found.setdefault(case.row.name, case)
    return list(found.values())


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("case", firsts(), ids=lambda case: case.row.name)
def test_every_row(case: Case) -> None:
    arrays = [
        array.astype(np.float32) if array is not None and array.dtype == np.float64 else array
        for array in case.arrays()
    ]
    program = captured_case(case, arrays).backward([f"x{at}" for at in case.differentiable()])
    try:
        program.to_onnx()
    except gv.GradvizError as error:
        assert error.slug == "onnx-not-expressible" and case.row.name in NO_WORDS  # noqa: PT017
        return
    assert_same(program, [array for array in arrays if array is not None])


@pytest.mark.parametrize("build", [mlp, conv_net, attention, lstm])
def test_networks(build: Callable[[], Any]) -> None:
    gv.manual_seed(5)
    _, fn, arrays = build()
    program = gv.capture(fn, *examples(arrays)).backward(with_outputs=True)
    model = assert_same(program, arrays)
    names = [item.name for item in model.graph.output]
    assert any("grad_of_x" in name for name in names)
