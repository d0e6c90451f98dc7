"""Writes `runs_more.json`: what PyTorch gives for `runs_more.py`."""

from __future__ import annotations

import json
from pathlib import Path

import torch

from tests.optim.runs_more import CLIPPED, CYCLES, GROUPED, LOSSES, OPTIMIZERS, SCHEDULERS, start


def trained(made):
    """The parameter after all gradients."""
    value, gradients = start()
    p = torch.nn.Parameter(torch.tensor(value))
    opt = eval("torch.optim." + made, {"torch": torch, "p": p})
    for gradient in gradients:
        p.grad = torch.tensor(gradient)
        opt.step()
    return p.detach().tolist()


def schedule(made, opt):
    """A scheduler of an optimizer."""
    return eval(made, {**vars(torch.optim.lr_scheduler), "opt": opt})


def rates(made):
    """The learning rate of every epoch."""
    p = torch.nn.Parameter(torch.zeros(1))
    opt = torch.optim.SGD([p], lr=0.2)
    scheduler = schedule(made, opt)
    found = [opt.param_groups[0]["lr"]]
    for loss in LOSSES:
        opt.step()
        scheduler.step(loss) if "Plateau" in made else scheduler.step()
        found.append(float(opt.param_groups[0]["lr"]))
    return found


def cycled(optimizer, made):
    """The learning rate and the momentum of every epoch."""
    p = torch.nn.Parameter(torch.zeros(1))
    opt = eval("torch.optim." + optimizer, {"torch": torch, "p": p})
    scheduler = schedule(made, opt)
    group, found = opt.param_groups[0], []
    for _ in LOSSES:
        momentum = group["betas"][0] if "betas" in group else group.get("momentum", 0.0)
        found.append([group["lr"], momentum])
        opt.step()
        scheduler.step()
    return found


def grouped(made):
    """The learning rates of two groups in every epoch."""
    ps = [torch.nn.Parameter(torch.zeros(1)) for _ in range(2)]
    opt = torch.optim.SGD([{"params": ps[:1]}, {"params": ps[1:], "lr": 0.5}], lr=0.2)
    scheduler, found = schedule(made, opt), []
    for _ in LOSSES:
        found.append([group["lr"] for group in opt.param_groups])
        opt.step()
        scheduler.step()
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
    # What optimizers keep as single numbers has the default dtype.
    torch.set_default_dtype(torch.float64)
    made = {
        "optimizers": {name: trained(name) for name in OPTIMIZERS},
        "schedulers": {name: rates(name) for name in SCHEDULERS},
        "cycled": [cycled(*each) for each in CYCLES],
        "grouped": {name: grouped(name) for name in GROUPED},
        "clipped": [clipped(*each) for each in CLIPPED],
    }
    Path(__file__).with_name("runs_more.json").write_text(json.dumps(made), encoding="utf-8")
