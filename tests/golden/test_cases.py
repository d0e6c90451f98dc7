"""Programs with recorded numbers; README.md says where they come from."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import gradviz as gv

CASES = [
    json.loads(line)
    for line in Path(__file__).with_name("cases.jsonl").read_text(encoding="utf-8").splitlines()
]


def tensor_of(facts, device):
    array = np.asarray(facts["data"], dtype=facts["dtype"])
    if "shape" in facts:
        array = array.reshape(facts["shape"])
    return gv.tensor(array, device=device, requires_grad=facts["grad"])


def check(what, got, expected, case, dtype, shape=None):
    if expected is None:
        assert got is None, f"{what} should be None"
        return
    assert got is not None, f"{what} is None"
    expected = np.asarray(expected)
    if shape is not None:
        expected = expected.reshape(shape)
    assert got.shape == expected.shape, what
    assert got.dtype.name == dtype, what
    np.testing.assert_allclose(
        got.numpy().astype(float), expected, rtol=case["rtol"], atol=case["atol"], err_msg=what
    )


@pytest.mark.parametrize("checkpointing", ["none", "balanced"])
@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_case(case, checkpointing):
    device = gv.device("ndarray").autodiff(checkpointing=checkpointing)
    space = {"gv": gv} | {name: tensor_of(facts, device) for name, facts in case["inputs"].items()}
    for statement in case["program"]:
        exec(statement, space)
    for name, expected in case["values"].items():
        check(f"value of {name}", space[name], expected, case, case["dtypes"][name])
    if case["root"] is None:
        return
    grads = space[case["root"]].backward()
    for name, expected in case["grads"].items():
        leaf = space[name]
        dtype = case["inputs"][name]["dtype"]
        check(f"gradient of {name}", leaf.grad(grads), expected, case, dtype, leaf.shape)


def test_there_are_enough():
    ids = [case["id"] for case in CASES]
    assert len(ids) >= 60 and len(set(ids)) == len(ids)
