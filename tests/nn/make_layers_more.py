"""Writes `layers_more.json`: what PyTorch gives for the modules of `layers_more.py`."""

from __future__ import annotations

import json
from pathlib import Path

import torch

from tests.nn.layers_more import LAYERS, factors, inputs_of, parameters_of


def listed(value):
    """Numbers with nine digits."""
    return [float(f"{x:.9g}") for x in value.detach().double().ravel().tolist()]


def truth(name):
    made, called, _ = LAYERS[name]
    torch.manual_seed(0)
    module = eval("lib." + made, {"lib": torch.nn}).double()
    values = parameters_of(name, {path: tuple(p.shape) for path, p in module.named_parameters()})
    with torch.no_grad():
        for path, parameter in module.named_parameters():
            parameter.copy_(torch.tensor(values[path]))
    leaves = {}
    for key, array in inputs_of(name).items():
        leaves[key] = torch.tensor(array, requires_grad=array.dtype == float)
    output = eval(called, {"m": module, "lib": torch.nn, **leaves})
    (output * torch.tensor(factors(tuple(output.shape)))).sum().backward()
    grads = {key: listed(leaf.grad) for key, leaf in leaves.items() if leaf.requires_grad}
    grads |= {path: listed(p.grad) for path, p in module.named_parameters() if p.grad is not None}
    buffers = {path: listed(b) for path, b in module.named_buffers()}
    return {
        "shape": list(output.shape),
        "output": listed(output),
        "grads": grads,
        "buffers": buffers,
    }


if __name__ == "__main__":
    lines = ",\n".join(
        f"{json.dumps(name)}: {json.dumps(truth(name), separators=(',', ':'))}" for name in LAYERS
    )
    Path(__file__).with_name("layers_more.json").write_text(
        "{\n" + lines + "\n}\n", encoding="utf-8"
    )
