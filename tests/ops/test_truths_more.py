"""Results and gradients of the programs of `programs_more.py`, as PyTorch has them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

import gradviz as gv
from tests.ops.programs_more import PROGRAMS, factors, inputs_of

TRUTHS = json.loads(Path(__file__).with_name("truths_more.json").read_text(encoding="utf-8"))


class Lib:
    """The functions of `gv`, and what the programs call by another name."""

    def __getattr__(self, name):
        if name == "polygamma_":
            return lambda lib, x, n: gv.polygamma(x, n)
        return getattr(gv, name)


def _array(numbers, shape):
    values = [float(x) if isinstance(x, str) else x for x in np.ravel(numbers).tolist()]
    return np.array(values).reshape(shape)


def evaluate(name, dtype="float64", checkpointing="none"):
    device = gv.device("ndarray").autodiff(checkpointing=checkpointing)
    leaves = {}
    for key, array in inputs_of(name).items():
        tracked = array.dtype == np.float64
        leaves[key] = gv.tensor(
            array.astype(dtype) if tracked else array, device=device, requires_grad=tracked
        )
    expression = PROGRAMS[name][0]
    code = expression if re.match(r"^[a-z]+\.", expression) else "lib." + expression
    result = eval(code, {"lib": Lib(), **leaves})  # from the file beside this one
    parts = list(result) if isinstance(result, tuple | list) else [result]
    return parts, leaves


@pytest.mark.parametrize("checkpointing", ["none", "balanced"])
@pytest.mark.parametrize(("dtype", "tolerance"), [("float64", 2e-8), ("float32", 2e-4)])
@pytest.mark.parametrize("name", PROGRAMS)
def test_results_and_gradients_are_pytorch_s(name, dtype, tolerance, checkpointing):
    parts, leaves = evaluate(name, dtype, checkpointing)
    truth = TRUTHS[name]
    assert len(parts) == len(truth["values"])
    for part, (shape, numbers) in zip(parts, truth["values"], strict=True):
        assert part.shape == tuple(shape)
        np.testing.assert_allclose(
            part.numpy(), _array(numbers, shape), rtol=tolerance, atol=tolerance
        )
    tracked = [(at, part) for at, part in enumerate(parts) if part.is_tracked]
    if not tracked:
        assert not truth["grads"]
        return
    total = sum((part * factors(at, part.shape).astype(dtype)).sum() for at, part in tracked)
    grads = total.backward()
    for key, numbers in truth["grads"].items():
        found = leaves[key].grad(grads)
        assert found is not None, f"{key} has no gradient"
        assert found.dtype.name == dtype
        expected = _array(numbers, found.shape)
        scale = max(1.0, float(np.abs(expected[np.isfinite(expected)]).max(initial=0.0)))
        np.testing.assert_allclose(
            found.numpy(), expected, rtol=tolerance, atol=tolerance * scale, err_msg=key
        )
