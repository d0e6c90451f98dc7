"""Names from another library: one fix writes all of a program as they are called here."""

from __future__ import annotations

from pathlib import Path

import pytest

import gradviz as gv
from tests.diagnose.test_missing import run

W = "w = gv.tensor([1.0, 3.0], requires_grad=True)\n"
T = """t = gv.tensor([[0.5], [1.5]], requires_grad=True)
net = gv.nn.Linear(1, 1)
u = net(t).tanh()
"""
END = "loss = (w * x).sum()\ngrads = loss.backward()\n"

# name: (program, program after the fix)
CASES = {
    "functions of the package": (
        W + "x = gv.as_tensor([1.0, 2.0])\n" + END,
        W + "x = gv.tensor([1.0, 2.0])\n" + END,
    ),
    "a device that isn't needed": (
        W + "net = gv.nn.Linear(2, 2)\nnet.cuda()\nx = net(gv.ones(2).cuda())\n" + END,
        W + "net = gv.nn.Linear(2, 2)\nx = net(gv.ones(2))\n" + END,
    ),
    "modules of functions": (
        W + "x = gv.nn.functional.relu(gv.ones(2))\n" + END,
        W + "x = gv.relu(gv.ones(2))\n" + END,
    ),
    "a function of one's own": (
        "class Same(gv.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n"
        "        ctx.save_for_backward(x)\n        return x\n\n    @staticmethod\n"
        "    def backward(ctx, g):\n        return g\n\n" + W + "x = Same.apply(w)\n" + END,
        "class Same(gv.Function):\n    @staticmethod\n    def forward(ctx, x):\n"
        "        ctx.save_for_backward(x)\n        return x\n\n    @staticmethod\n"
        "    def backward(ctx, g):\n        return g\n\n" + W + "x = Same.apply(w)\n" + END,
    ),
    "tensors changed in place": (
        W + "x = gv.ones(2)\nx.fill_(2.0)\nfor n in range(2):\n    x.add_(w)\n" + END,
        W + "x = gv.ones(2)\nx = gv.full_like(x, 2.0)\nfor n in range(2):\n"
        "    x = x.add(w)\n" + END,
    ),
    "derivatives that are asked for": (
        T + "ut = gv.autograd.grad(u, t, grad_outputs=gv.ones_like(u), create_graph=True)[0]\n"
        "utt = gv.autograd.grad(ut.cuda() * 2.0, [t], gv.ones_like(u), create_graph=True)[0]\n"
        "loss = ((utt + u) ** 2).mean()\ngrads = loss.backward()\n",
        T + "ut = u.backward(gradient=gv.ones_like(u), create_graph=True)[t]\n"
        "utt = (ut * 2.0).backward(gradient=gv.ones_like(u), create_graph=True)[t]\n"
        "loss = ((utt + u) ** 2).mean()\ngrads = loss.backward()\n",
    ),
    "an import of functions": (
        "import gradviz.nn.functional as F\n" + W + "x = F.relu(gv.ones(2).cuda())\n" + END,
        "import gradviz as F\n" + W + "x = F.relu(gv.ones(2))\n" + END,
    ),
    "functions from a package": (
        "from gradviz.nn import functional as F\n" + W + "x = F.relu(gv.ones(2))\n" + END,
        "import gradviz as F\n" + W + "x = F.relu(gv.ones(2))\n" + END,
    ),
    "single functions": (
        "from gradviz.nn.functional import relu, silu as swish\n"
        + W
        + "x = relu(swish(gv.ones(2)))\n"
        + END,
        "from gradviz import relu, silu as swish\n" + W + "x = relu(swish(gv.ones(2)))\n" + END,
    ),
    "schedulers": (
        W + "x = gv.ones(2)\nopt = gv.optim.SGD([w])\n"
        "steps = gv.optim.lr_scheduler.StepLR(opt, step_size=2)\n" + END,
        W + "x = gv.ones(2)\nopt = gv.optim.SGD([w])\n"
        "steps = gv.optim.StepLR(opt, step_size=2)\n" + END,
    ),
    "marks": (
        "w = gv.ones(2).autodiff()\nw.requires_grad_()\nx = (gv.ones(2)\n     .moveaxis(0, 0))\n"
        + END,
        "w = gv.ones(2).autodiff()\nw = w.require_grad()\nx = (gv.ones(2)\n     .movedim(0, 0))\n"
        + END,
    ),
    "all at once": (
        "w = gv.ones(2).autodiff().requires_grad_()\nx = gv.FloatTensor([1.0, 2.0]).cuda()\n"
        "x.mul_(2.0)\n" + END,
        "w = gv.ones(2).autodiff().require_grad()\nx = gv.tensor([1.0, 2.0])\n"
        "x = x.mul(2.0)\n" + END,
    ),
}

WHOLE = """import gradviz as torch
import gradviz.nn as nn
import gradviz.nn.functional as F
net = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
sched = torch.optim.lr_scheduler.StepLR(opt, step_size=50)
t = torch.linspace(0, 1, 20).view(-1, 1).requires_grad_(True)
for epoch in range(3):
    opt.zero_grad()
    u = net(t)
    du = torch.autograd.grad(u, t, grad_outputs=torch.ones_like(u), create_graph=True)[0]
    loss = F.mse_loss(du, -u) + (net(torch.zeros(1, 1)) - 1.0).pow(2).mean()
    loss.backward()
    opt.step()
    sched.step()
"""
CURED = """import gradviz as torch
import gradviz.nn as nn
import gradviz as F
net = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
sched = torch.optim.StepLR(opt, step_size=50)
t = torch.linspace(0, 1, 20).view(-1, 1).autodiff().require_grad()
for epoch in range(3):
    u = net(t)
    du = u.backward(gradient=torch.ones_like(u), create_graph=True)[t]
    loss = F.mse_loss(du, -u) + (net(torch.zeros(1, 1)) - 1.0).pow(2).mean()
    grads = loss.backward()
    opt.step(grads)
    sched.step()
"""
CASES["a whole program"] = (WHOLE, CURED)


@pytest.mark.parametrize(("program", "cured"), CASES.values(), ids=list(CASES))
def test_the_names_are_written_as_here(program: str, cured: str, tmp_path: Path) -> None:
    error = run(program, tmp_path / "program.py")
    assert error is not None
    assert error.slug == "name-from-elsewhere"
    fix = error.problem.fixes[0]
    assert fix.verified
    assert fix.apply_to("import gradviz as gv\n" + program) == "import gradviz as gv\n" + cured
    assert run(cured, tmp_path / "cured.py") is None


@pytest.mark.parametrize(
    "line",
    [
        "def scale(t):\n    t.mul_(2.0)\n    return t\nscale(w)",  # the caller's tensor is meant
        "y = gv.zeros(2).add_(w)",  # a value and a change at once
        "[w][0].add_(1.0)",
        "y = w.storage()",
        "gv.functional.no_such_function(w)",
    ],
)
def test_where_nothing_stands_for_it_no_fix_is_offered(line: str, tmp_path: Path) -> None:
    error = run(W + f"x = gv.ones(2)\n{line}\n" + END, tmp_path / "program.py")
    assert error is not None
    assert error.slug == "name-from-elsewhere"
    assert not error.problem.fixes


def test_a_program_that_isnt_done_yet_gets_it_too(tmp_path: Path) -> None:
    # As in a notebook, where the loss comes in a later cell.
    error = run(W + "x = gv.as_tensor([1.0, 2.0])\nh = w * x\n", tmp_path / "program.py")
    assert error is not None
    (fix,) = error.problem.fixes
    assert fix.verified


def test_there_is_no_module_of_functions() -> None:
    with pytest.raises(ImportError, match="import gradviz as F"):
        import gradviz.nn.functional  # noqa: F401
    assert not hasattr(gv.nn, "functional")
