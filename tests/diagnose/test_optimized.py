"""Optimizers that are given what is no leaf: the fix gives them one that is trained."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.diagnose.test_missing import run

X = "x = gv.tensor([[1.0, 2.0, 0.5], [3.0, 4.0, 1.0]])\n"
STEP = "loss = ((x @ w - 1.0) ** 2).mean()\nopt.step(loss.backward())\n"

# name: (program, programs after the fixes)
CASES = {
    "a result of a leaf without a name": (
        X + "w = gv.randn(3, requires_grad=True) * 0.1\nopt = gv.optim.SGD([w], lr=0.1)\n" + STEP,
        [
            X + "w = (gv.randn(3, requires_grad=True) * 0.1).detach().require_grad()\n"
            "opt = gv.optim.SGD([w], lr=0.1)\n" + STEP,
        ],
    ),
    "a result that is computed anew": (
        X + "raw = gv.randn(3, requires_grad=True)\nw = raw * 0.1\n"
        "opt = gv.optim.SGD([w], lr=0.1)\nfor _ in range(2):\n    w = raw * 0.1\n"
        "    loss = ((x @ w - 1.0) ** 2).mean()\n    opt.step(loss.backward())\n",
        [
            X + "raw = gv.randn(3, requires_grad=True)\nw = raw * 0.1\n"
            "opt = gv.optim.SGD([raw], lr=0.1)\nfor _ in range(2):\n    w = raw * 0.1\n"
            "    loss = ((x @ w - 1.0) ** 2).mean()\n    opt.step(loss.backward())\n",
        ],
    ),
    "what a module gave": (
        X + "net = gv.nn.Linear(3, 1)\nout = net(x)\nopt = gv.optim.Adam([out], lr=0.1)\n"
        "opt.step(out.mean().backward())\n",
        [
            X + "net = gv.nn.Linear(3, 1)\nout = net(x)\n"
            "opt = gv.optim.Adam(net.parameters(), lr=0.1)\nopt.step(out.mean().backward())\n",
        ],
    ),
    "a list of results": (
        X + "ws = [gv.randn(3, 3, requires_grad=True) / 3.0 for _ in range(2)]\n"
        "opt = gv.optim.SGD(ws, lr=0.1)\nopt.step((x @ ws[0] @ ws[1]).mean().backward())\n",
        [
            X + "ws = [(gv.randn(3, 3, requires_grad=True) / 3.0).detach().require_grad() "
            "for _ in range(2)]\nopt = gv.optim.SGD(ws, lr=0.1)\n"
            "opt.step((x @ ws[0] @ ws[1]).mean().backward())\n",
        ],
    ),
    "what isn't tracked": (
        X + "w = gv.randn(3)\nopt = gv.optim.SGD([w], lr=0.1)\n" + STEP,
        [X + "w = gv.randn(3, requires_grad=True)\nopt = gv.optim.SGD([w], lr=0.1)\n" + STEP],
    ),
    "what was computed without tracking": (
        X + "w = gv.randn(3) * 0.1\nopt = gv.optim.SGD([w], lr=0.1)\n" + STEP,
        [
            X + "w = (gv.randn(3) * 0.1).autodiff().require_grad()\n"
            "opt = gv.optim.SGD([w], lr=0.1)\n" + STEP,
        ],
    ),
    "two that aren't tracked": (
        X + "w = gv.randn(3)\nb = gv.zeros(1)\nopt = gv.optim.SGD([w, b], lr=0.1)\n"
        "loss = ((x @ w + b) ** 2).mean()\nopt.step(loss.backward())\n",
        [
            X + "w = gv.randn(3, requires_grad=True)\nb = gv.zeros(1, requires_grad=True)\n"
            "opt = gv.optim.SGD([w, b], lr=0.1)\n"
            "loss = ((x @ w + b) ** 2).mean()\nopt.step(loss.backward())\n",
        ],
    ),
    "a result that nothing is trained by": (
        X + "w = gv.randn(3, requires_grad=True) * 0.1\nopt = gv.optim.SGD([w], lr=0.1)\n"
        "v = gv.randn(3, requires_grad=True)\nopt.step((x @ v).mean().backward())\n",
        [],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_optimizer_gets_leaves(name: str, tmp_path: Path) -> None:
    program, cured = CASES[name]
    error = run(program, tmp_path / "program.py")
    assert error is not None
    assert error.slug == "invalid-argument"
    text = "import gradviz as gv\n" + program
    patched = [fix.apply_to(text) for fix in error.problem.fixes]
    assert patched == ["import gradviz as gv\n" + after for after in cured]
    for fix, after in zip(error.problem.fixes, cured, strict=True):
        assert fix.verified
        assert run(after, tmp_path / "cured.py") is None
