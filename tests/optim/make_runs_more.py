"""Writes `runs_more.json`: what PyTorch gives for `runs_more.py`."""

from __future__ import annotations

import json
from pathlib import Path

import torch

from tests.optim.runs_more import CLIPPED, LOSSES, OPTIMIZERS, SCHEDULERS, start


def trained(made):
    """The parameter after all gradients."""
    value, gradients = start()
    p = torch.nn.Parameter(torch.tensor(value))
    opt = eval("torch.optim." + made, {"torch": torch, "p": p})
    for gradient in gradients:
        p.grad = torch.tensor(gradient)
        opt.step()
    return p.detach().tolist()


def rates(made):
    """The learning rate of every epoch."""
    p = torch.nn.Parameter(torch.zeros(1))
    opt = torch.optim.SGD([p], lr=0.2)
    scheduler = eval("torch.optim.lr_scheduler." + made, {"torch": torch, "opt": opt})
    found = [opt.param_groups[0]["lr"]]
    for loss in LOSSES:
        opt.step()
        scheduler.step(loss) if "Plateau" in made else scheduler.step()
        found.append(float(opt.param_groups[0]["lr"]))
    return found


def clipped(limit, order):
    """The norm, and the gradients after."""
    _, gradients = start()
    leaves = [torch.nn.Parameter(torch.zeros(3, 2, dtype=torch.float64)) for _ in range(2)]
    for leaf, gradient in zip(leaves, gradients, strict=False):
        leaf.grad = torch.tensor(gradient)
    total = torch.nn.utils.clip_grad_norm_(leaves, limit, order)
    return [float(total), [leaf.grad.tolist() for leaf in leaves]]


if __name__ == "__main__":
    made = {
        "optimizers": {name: trained(name) for name in OPTIMIZERS},
        "schedulers": {name: rates(name) for name in SCHEDULERS},
        "clipped": [clipped(*each) for each in CLIPPED],
    }
    Path(__file__).with_name("runs_more.json").write_text(json.dumps(made), encoding="utf-8")
