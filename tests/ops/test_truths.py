"""Values, gradients, dtypes and refusals as PyTorch has them; see the README beside this file."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import gradviz as gv

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")
TRUTHS = json.loads(Path(__file__).with_name("truths.json").read_text(encoding="utf-8"))
OPERATIONS = TRUTHS["operations"]
NAMES = {
    "f2": "float16", "f4": "float32", "f8": "float64", "i8": "int64", "i4": "int32", "i2": "int16",
    "i1": "int8", "u1": "uint8", "b": "bool",
}  # fmt: skip
DEFAULTS = {"f": "float32", "i": "int64", "b": "bool"}
TOLERANCE = {"float16": 2e-3, "float32": 5e-6, "float64": 1e-10}


def numbers(*sizes, seed=0, d="f4", lo=-2, hi=2):
    """Seeded numbers, as the truths were made with."""
    return (lo + (hi - lo) * np.random.default_rng(seed).random(sizes)).astype(NAMES[d])


def evaluate(expression):
    """The results of an expression, and the leaves it marked."""
    leaves = []

    def tensor(data, d=None, marked=False):
        array = np.array(data, dtype=None if d is None else NAMES[d])
        if d is None:
            array = array.astype(DEFAULTS[array.dtype.kind])
        made = gv.tensor(array, requires_grad=marked)
        if marked:
            leaves.append(made)
        return made

    names = {"m": gv, "t": tensor, "r": numbers, "np": np, "inf": np.inf, "nan": np.nan}
    value = eval(expression, names)  # from the file beside this one
    return (list(value) if isinstance(value, (tuple, list)) else [value]), leaves


def gradients(result, leaves):
    """Gradients of a weighted sum of the result."""
    if not result.is_tracked:
        return [None] * len(leaves)
    factors = np.asarray(np.random.default_rng(7).random(result.shape) + 0.5).astype(result.dtype)
    grads = (result * factors).sum().backward()
    return [leaf.grad(grads) for leaf in leaves]


def difference(expected, found):
    """What is wrong with a result; None where nothing is."""
    if expected is None or found is None:
        return None if expected is found else f"expected {expected}, got {found}"
    if expected[0] == "python":
        return None if found == expected[2] else f"expected {expected[2]}, got {found}"
    dtype, shape, values = expected
    array = found.numpy()
    if (array.dtype.name, list(array.shape)) != (dtype, shape):
        return f"expected {dtype} {shape}, got {array.dtype} {array.shape}"
    wanted = np.array(values, dtype=float if dtype.startswith("float") else dtype).reshape(shape)
    tolerance = TOLERANCE.get(dtype, 0.0)
    got = array.astype(float) if dtype.startswith("float") else array
    if np.allclose(got, wanted, rtol=tolerance, atol=tolerance, equal_nan=True):
        return None
    return f"expected {values}, got {array.tolist()}"


@pytest.mark.parametrize("operation", sorted(OPERATIONS))
def test_results_and_gradients_are_pytorch_s(operation):
    wrong = []
    for expression, values, expected in OPERATIONS[operation]["values"]:
        results, leaves = evaluate(expression)
        assert len(results) == len(values), expression
        found = [difference(a, b) for a, b in zip(values, results, strict=True)]
        if leaves:
            got = gradients(results[0], leaves)
            found += [difference(a, b) for a, b in zip(expected, got, strict=True)]
        wrong += [f"{expression}: {text}" for text in found if text]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("operation", sorted(OPERATIONS))
def test_what_pytorch_refuses_is_refused_with_a_page(operation):
    for expression in OPERATIONS[operation]["refused"]:
        with pytest.raises(gv.GradvizError) as caught:
            evaluate(expression)
        assert str(caught.value).splitlines()[0], expression


@pytest.mark.parametrize("expression", sorted(TRUTHS["promotion"]))
def test_dtypes_are_promoted_as_in_pytorch(expression):
    (result,), _ = evaluate(expression)
    assert result.dtype.name == TRUTHS["promotion"][expression]
