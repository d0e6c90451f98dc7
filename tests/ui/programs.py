"""Cells that are run in more than one notebook host."""

from __future__ import annotations

from pathlib import Path

PLAYED = """\
a = gv.tensor([1.0, 2.0], requires_grad=True, name="a")
b = gv.tensor([[0.5, -1.0], [2.0, 0.25]], requires_grad=True, name="b")
c = (b @ a).tanh()
d = c * a + c
out = (d * d).sum()
"""
"""A backward pass with a join, to be played step by step."""

_TRAINING = """\
import os, time, gradviz as gv
gv.manual_seed(0)
model = gv.nn.Sequential(gv.nn.Linear(8, 8), gv.nn.Tanh(), gv.nn.Linear(8, 1))
x = gv.randn(4, 8, 8)
opt = gv.optim.SGD(model.parameters(), lr=0.05)
step = 0
with gv.live("descent", interval=0.2) as view:
    while {goes_on}:
        loss = ((model(x) - x.sum(dim=-1, keepdim=True)) ** 2).mean()
        grads = loss.backward()
        view.update(loss, grads)
        opt.step(grads)
        step += 1
        {then}"""


def training(steps: int) -> str:
    """A training loop that is followed."""
    return _TRAINING.format(goes_on=f"step < {steps}", then="time.sleep(0.1)")


def training_until(stop: Path) -> str:
    """A training loop that is followed, prints at every step, and goes on until a file is there."""
    then = 'print("step", step, flush=True)\n        time.sleep(0.04)'
    return _TRAINING.format(goes_on=f"not os.path.exists({str(stop)!r})", then=then)


PAIR = """\
import gradviz as gv
def run(cut):
    w = gv.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True, name="w")
    h = (w @ w).tanh()
    if cut:
        h = h.detach() + 1.0
    return (h * h).mean()
gv.compare(run(False), run(True))"""
"""Two runs, of which the second loses its gradient: two nodes are added, others change."""


LOOPS = (
    """\
import gradviz as gv
gv.manual_seed(0)
def blend(h, w):
    return (h @ w).tanh() * 0.5
def recur(x, w, rounds):
    h = x
    for step in range(rounds):
        h = blend(h, w) + x
    return h
def uneven(h):
    for k in range(6):
        h = h.relu() + 1.0
        if k == 3:
            h = h.exp()
            h = h.log()
    return h
w = gv.randn(4, 4, requires_grad=True, name="w")
x = gv.randn(2, 4)
h = recur(x, w, 24)
""",
    """\
h = uneven(h)
loss = (h * h).mean()
""",
)
"""Two cells: a loop of 24 rounds that are alike, each with a call; one of six of which the fourth differs."""
