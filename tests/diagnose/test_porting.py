"""Training loops written for tensors that keep gradients: one fix hands the gradients on."""

from __future__ import annotations

from pathlib import Path

import pytest

import gradviz as gv
from tests.diagnose.test_missing import run

DATA = "x = gv.tensor([[1.0, 2.0], [3.0, 4.0]])\ny = gv.tensor([[1.0], [0.0]])\n"
NET = DATA + "net = gv.nn.Linear(2, 1)\nopt = gv.optim.SGD(net.parameters(), lr=0.1)\n"
HAND = DATA + "w = gv.tensor([[1.0], [2.0]], requires_grad=True)\n"

# name: (slug, program, program after the fix)
CASES = {
    "an optimizer": (
        "name-from-elsewhere",
        NET + "for epoch in range(3):\n    opt.zero_grad()\n    loss = gv.mse_loss(net(x), y)\n"
        "    loss.backward()\n    opt.step()\n",
        NET + "for epoch in range(3):\n    loss = gv.mse_loss(net(x), y)\n"
        "    grads = loss.backward()\n    opt.step(grads)\n",
    ),
    "a scheduler beside it": (
        "name-from-elsewhere",
        NET + "rate = gv.optim.StepLR(opt, step_size=2)\nfor epoch in range(3):\n"
        "    opt.zero_grad()\n    loss = gv.mse_loss(net(x), y)\n    loss.backward()\n"
        "    opt.step()\n    rate.step()\n",
        NET + "rate = gv.optim.StepLR(opt, step_size=2)\nfor epoch in range(3):\n"
        "    loss = gv.mse_loss(net(x), y)\n    grads = loss.backward()\n"
        "    opt.step(grads)\n    rate.step()\n",
    ),
    "a module that zeroes": (
        "name-from-elsewhere",
        NET + "net.zero_grad()\nloss = gv.mse_loss(net(x), y)\nloss.backward()\nopt.step()\n",
        NET + "loss = gv.mse_loss(net(x), y)\ngrads = loss.backward()\nopt.step(grads)\n",
    ),
    "a step without gradients": (
        "invalid-argument",
        NET + "loss = gv.mse_loss(net(x), y)\nloss.backward()\nopt.step()\n",
        NET + "loss = gv.mse_loss(net(x), y)\ngrads = loss.backward()\nopt.step(grads)\n",
    ),
    "a step by hand": (
        "not-a-tensor",
        HAND + "for epoch in range(2):\n    loss = ((x @ w - y) ** 2).mean()\n    loss.backward()\n"
        "    with gv.no_grad():\n        w -= 0.01 * w.grad\n        w.grad.zero_()\n",
        HAND + "for epoch in range(2):\n    loss = ((x @ w - y) ** 2).mean()\n"
        "    grads = loss.backward()\n    with gv.no_grad():\n"
        "        w = (w - 0.01 * grads[w]).detach().require_grad()\n",
    ),
    "a step on the data": (
        "name-from-elsewhere",
        HAND + "for epoch in range(2):\n    loss = ((x @ w - y) ** 2).mean()\n    loss.backward()\n"
        "    w.data = w.data - 0.01 * w.grad.data\n    w.grad = None\n",
        HAND + "for epoch in range(2):\n    loss = ((x @ w - y) ** 2).mean()\n"
        "    grads = loss.backward()\n    w = (w - 0.01 * grads[w]).detach().require_grad()\n",
    ),
    "a sum of two": (
        "not-a-tensor",
        HAND + "loss = ((x @ w - y) ** 2).mean()\nloss.backward()\nw -= 0.1 * w.grad + 0.1 * w\n",
        HAND + "loss = ((x @ w - y) ** 2).mean()\ngrads = loss.backward()\n"
        "w = (w - (0.1 * grads[w] + 0.1 * w)).detach().require_grad()\n",
    ),
    "looked at": (
        "not-a-tensor",
        HAND + "loss = (x @ w).sum()\nloss.backward()\nlength = (w.grad * w.grad).sum().item()\n",
        HAND + "loss = (x @ w).sum()\ngrads = loss.backward()\n"
        "length = (grads[w] * grads[w]).sum().item()\n",
    ),
    "a name that is taken": (
        "not-a-tensor",
        HAND + "grads = []\nloss = (x @ w).sum()\nloss.backward()\ngrads.append(w.grad + 0)\n",
        HAND + "grads = []\nloss = (x @ w).sum()\ngradients = loss.backward()\n"
        "grads.append(gradients[w] + 0)\n",
    ),
    "a pass that has a name": (
        "not-a-tensor",
        HAND + "loss = (x @ w).sum()\ng = loss.backward()\ndoubled = w.grad * 2\n",
        HAND + "loss = (x @ w).sum()\ng = loss.backward()\ndoubled = g[w] * 2\n",
    ),
}


@pytest.mark.parametrize(("slug", "program", "cured"), CASES.values(), ids=list(CASES))
def test_one_fix_hands_the_gradients_on(
    slug: str, program: str, cured: str, tmp_path: Path
) -> None:
    error = run(program, tmp_path / "program.py")
    assert error is not None
    assert error.slug == slug
    (fix,) = error.problem.fixes
    assert fix.verified
    assert fix.apply_to("import gradviz as gv\n" + program) == "import gradviz as gv\n" + cured
    assert run(cured, tmp_path / "cured.py") is None


@pytest.mark.parametrize(
    "program",
    [
        # A loop's own name given another tensor: no list would get it.
        HAND + "loss = (x @ w).sum()\nloss.backward()\nfor p in [w]:\n    p -= 0.1 * p.grad\n",
        # Elements of containers and attributes of objects: what should be a leaf isn't known.
        HAND + "ws = [w]\nloss = (x @ w).sum()\nloss.backward()\nws[0] -= 0.1 * ws[0].grad\n",
        # No backward pass at all.
        HAND + "print(w.grad * 2)\n",
    ],
)
def test_where_no_edit_would_train_none_is_offered(program: str, tmp_path: Path) -> None:
    error = run(program, tmp_path / "program.py")
    assert error is not None
    assert error.slug == "not-a-tensor"
    assert not error.problem.fixes


def test_other_names_and_arguments_get_no_such_fix(tmp_path: Path) -> None:
    for line in ("w.storage()", "w.data_ptr()", "gv.arange(3, 0)", "gv.relu('text')"):
        text = HAND + "loss = (x @ w).sum()\nloss.backward()\n" + line + "\n"
        error = run(text, tmp_path / "program.py")
        assert isinstance(error, gv.GradvizError)
        assert not error.problem.fixes
