"""Writes `truths_more.json`: what PyTorch gives for the programs of `programs_more.py`. Needs PyTorch."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional

from tests.ops.programs_more import PROGRAMS, factors, inputs_of


class Lib:
    """PyTorch's functions, wherever they stand."""

    def __getattr__(self, name):
        if name == "polygamma_":
            return lambda lib, x, n: torch.polygamma(n, x)
        if name == "cross":  # that of `linalg` has other defaults
            return torch.cross
        places = (torch.nn.functional, torch.linalg, torch, torch.special)
        return next(getattr(place, name) for place in places if hasattr(place, name))


def listed(value):
    """Nested lists with eight digits, nan and infinities as text."""
    array = value.detach().numpy()
    if array.dtype.kind != "f":
        return array.tolist()
    return json.loads(
        json.dumps([float(f"{x:.9g}") if np.isfinite(x) else str(x) for x in array.ravel()])
    )


def truth(name):
    expression, _, _ = PROGRAMS[name]
    leaves = {}
    for key, array in inputs_of(name).items():
        tracked = array.dtype == np.float64
        leaves[key] = torch.tensor(array, requires_grad=tracked)
    code = expression if re.match(r"^[a-z]+\.", expression) else "lib." + expression
    result = eval(code, {"lib": Lib(), **leaves})
    parts = (
        list(result) if isinstance(result, tuple | list) or hasattr(result, "_fields") else [result]
    )
    found = {"values": [[list(part.shape), listed(part)] for part in parts], "grads": {}}
    tracked = [(at, part) for at, part in enumerate(parts) if part.requires_grad]
    if tracked:
        total = sum(
            (part * torch.tensor(factors(at, tuple(part.shape)))).sum() for at, part in tracked
        )
        total.backward()
    for key, leaf in leaves.items():
        if leaf.requires_grad and leaf.grad is not None:
            found["grads"][key] = listed(leaf.grad)
    return found


if __name__ == "__main__":
    made = {name: truth(name) for name in PROGRAMS}
    lines = ",\n".join(
        f"{json.dumps(name)}: {json.dumps(value, separators=(',', ':'))}"
        for name, value in made.items()
    )
    Path(__file__).with_name("truths_more.json").write_text(
        "{\n" + lines + "\n}\n", encoding="utf-8"
    )
