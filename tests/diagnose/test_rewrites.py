"""Rewrites: every edit lands exactly where it should, and the text after it is the one expected."""

from __future__ import annotations

import pytest

from tests.diagnose.conftest import Play

IMPORT = "import gradviz as gv\n"
AD = 'ad = gv.device("ndarray").autodiff()\n'
W = "w = gv.tensor([1.0, 2.0], requires_grad=True)\n"
B = "b = gv.tensor([1.0], requires_grad=True)\n"
NET = """class Net(gv.nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = {scale}

    def forward(self, x):
        return x * self.scale

net = Net()
"""

# name: (slug, program, question, program after the first fix)
REWRITES = {
    "leave detach out": (
        "path-cut-detach",
        W + B + "loss = (w.detach() * b).sum()\n",
        "gv.diagnose(loss, wrt=w)",
        W + B + "loss = (w * b).sum()\n",
    ),
    "leave the function detach out": (
        "path-cut-detach",
        W + B + "loss = (gv.detach(w + 1.0) * b).sum()\n",
        "gv.diagnose(loss, wrt=w)",
        W + B + "loss = ((w + 1.0) * b).sum()\n",
    ),
    "leave inner out": (
        "path-cut-detach",
        W + B + "h = (w * 2.0).inner() + 1.0\nloss = (h * b).sum()\n",
        "gv.diagnose(loss, wrt=w)",
        W + B + "h = (w * 2.0) + 1.0\nloss = (h * b).sum()\n",
    ),
    "leave the unmarking out": (
        "path-cut-detach",
        W + B + "h = w.set_require_grad(False)\nloss = (h * b).sum()\n",
        "gv.diagnose(loss, wrt=w)",
        W + B + "h = w\nloss = (h * b).sum()\n",
    ),
    "dissolve a no_grad block": (
        "path-cut-no-grad",
        W
        + B
        + "with gv.no_grad():\n    # doubled\n    h = w * 2.0\n    h = h + 1.0\nloss = (h * b).sum()\n",
        "gv.diagnose(loss, wrt=w)",
        W + B + "h = w * 2.0\nh = h + 1.0\nloss = (h * b).sum()\n",
    ),
    "dissolve an inner block": (
        "path-cut-no-grad",
        W
        + B
        + "if True:\n    with gv.no_grad():\n        h = w * 2.0\n    h = h + 1.0\nloss = (h * b).sum()\n",
        "gv.diagnose(loss, wrt=w)",
        W + B + "if True:\n    h = w * 2.0\n    h = h + 1.0\nloss = (h * b).sum()\n",
    ),
    "never enter by hand": (
        "path-cut-no-grad",
        W + "quiet = gv.no_grad()\nquiet.__enter__()\nloss = (w * 2.0).sum()\n",
        "gv.diagnose(loss, wrt=w)",
        W + "quiet = gv.no_grad()\nloss = (w * 2.0).sum()\n",
    ),
    "leave a decorator out": (
        "path-cut-no-grad",
        W + B + "@gv.no_grad()\ndef f(x):\n    return x * 2.0\n\nloss = (f(w) * b).sum()\n",
        "gv.diagnose(loss, wrt=w)",
        W + B + "def f(x):\n    return x * 2.0\n\nloss = (f(w) * b).sum()\n",
    ),
    "leave a method's decorator out": (
        "path-cut-no-grad",
        W
        + B
        + "class A:\n    @staticmethod\n    @gv.no_grad(\n    )\n    def f(x):\n        return x * 2.0\n\nloss = (A.f(w) * b).sum()\n",
        "gv.diagnose(loss, wrt=w)",
        W
        + B
        + "class A:\n    @staticmethod\n    def f(x):\n        return x * 2.0\n\nloss = (A.f(w) * b).sum()\n",
    ),
    "stack what was read in a list": (
        "path-cut-value-escape",
        "import numpy as np\n"
        + W
        + B
        + "rows = [w * 1.0, w * 2.0]\nh = gv.tensor(np.stack([r.numpy() for r in rows]))\nloss = (h * b).sum()\n",
        "gv.diagnose(loss, wrt=w)",
        "import numpy as np\n"
        + W
        + B
        + "rows = [w * 1.0, w * 2.0]\nh = gv.stack(rows)\nloss = (h * b).sum()\n",
    ),
    "read into a variable first": (
        "path-cut-value-escape",
        W + B + "a = (w * 2.0).numpy()\nh = gv.tensor(a)\nloss = (h * b).sum()\n",
        "gv.diagnose(loss, wrt=w)",
        W + B + "a = w * 2.0\nh = a\nloss = (h * b).sum()\n",
    ),
    "keep a denominator away from zero": (
        "non-finite-gradient",
        "w = gv.tensor([0.0, 4.0], requires_grad=True)\nloss = (w / w).sum()\n",
        "gv.diagnose(loss, wrt=w)",
        "w = gv.tensor([0.0, 4.0], requires_grad=True)\nloss = (w / (w + 1e-6)).sum()\n",
    ),
    "mark a lifted tensor": (
        "untracked-root",
        "def make():\n    return gv.ones(2).autodiff()\n\nw = make()\nloss = (w * 2.0).sum()\n",
        "gv.diagnose(loss, wrt=w)",
        "def make():\n    return gv.ones(2).autodiff().require_grad()\n\nw = make()\nloss = (w * 2.0).sum()\n",
    ),
    "leave a rounding out": (
        "path-cut-non-differentiable",
        W + "loss = ((w * 2.0).round() - 1.0).sum()\n",
        "gv.diagnose(loss, wrt=w)",
        W + "loss = ((w * 2.0) - 1.0).sum()\n",
    ),
    "leave a rounding function out": (
        "path-cut-non-differentiable",
        W + "loss = (2.0 * gv.floor(w + 1.0)).sum()\n",
        "gv.diagnose(loss, wrt=w)",
        W + "loss = (2.0 * (w + 1.0)).sum()\n",
    ),
    "compute with tensors": (
        "path-cut-value-escape",
        W + B + "h = gv.tensor([w.sum().item(), w.mean().item()])\nloss = (h * b).sum()\n",
        "gv.diagnose(loss, wrt=w)",
        W + B + "h = gv.stack([w.sum(), w.mean()])\nloss = (h * b).sum()\n",
    ),
    "mark where it is made": (
        "leaf-not-reached",
        AD + B + "w = gv.tensor([1.0, 2.0], device=ad)\nloss = (w * b).sum()\n",
        "gv.diagnose(loss, wrt=w)",
        AD + B + "w = gv.tensor([1.0, 2.0], device=ad, requires_grad=True)\nloss = (w * b).sum()\n",
    ),
    "mark the wanted leaf of an untracked root": (
        "untracked-root",
        AD + "w = gv.ones(2, device=ad)\nloss = (w * 2.0).sum()\n",
        "gv.diagnose(loss, wrt=w)",
        AD + "w = gv.ones(2, device=ad, requires_grad=True)\nloss = (w * 2.0).sum()\n",
    ),
    "mark before the use": (
        "marked-after-use",
        AD
        + B
        + "w = gv.tensor([1.0], device=ad)\nh = w * 2.0\nw.require_grad()\nloss = (h * b).sum()\n",
        "gv.diagnose(loss, wrt=w)",
        AD
        + B
        + "w = gv.tensor([1.0], device=ad, requires_grad=True)\nh = w * 2.0\nw.require_grad()\nloss = (h * b).sum()\n",
    ),
    "move the mark": (
        "marked-result",
        AD + "w = gv.tensor([1.0], device=ad)\nloss = (w * 2.0).sum()\nloss.require_grad()\n",
        "gv.diagnose(loss, wrt=w)",
        AD + "w = gv.tensor([1.0], device=ad, requires_grad=True)\nloss = (w * 2.0).sum()\n",
    ),
    "keep the gradient of a result": (
        "gradient-of-non-leaf",
        W + "h = w * 2.0\nloss = (h * h).sum()\n",
        "gv.diagnose(loss, wrt=h)",
        W + "h = (w * 2.0).retain_grad()\nloss = (h * h).sum()\n",
    ),
    "reduce a root": (
        "non-scalar-root",
        W + "loss = w * 2.0\n",
        "gv.diagnose(loss, wrt=w)",
        W + "loss = (w * 2.0).mean()\n",
    ),
    "give operands one shape": (
        "suspicious-broadcast",
        "w = gv.tensor([[1.0], [2.0]], requires_grad=True)\ny = gv.ones(2)\nloss = ((w * 2.0 - y) ** 2).mean()\n",
        "gv.diagnose(loss, wrt=w)",
        "w = gv.tensor([[1.0], [2.0]], requires_grad=True)\ny = gv.ones(2)\nloss = (((w * 2.0).squeeze(-1) - y) ** 2).mean()\n",
    ),
    "mark before the use, where it is lifted": (
        "marked-after-use",
        B + "w = gv.ones(1).autodiff()\nh = w * 2.0\nw.require_grad()\nloss = (h * b).sum()\n",
        "gv.diagnose(loss, wrt=w)",
        B + "w = gv.ones(1).autodiff()\nw.require_grad()\nh = w * 2.0\nloss = (h * b).sum()\n",
    ),
    "epsilon under the root": (
        "non-finite-gradient",
        "w = gv.tensor([0.0, 4.0], requires_grad=True)\nloss = (w * 2.0).sqrt().sum()\n",
        "gv.diagnose(loss, wrt=w)",
        "w = gv.tensor([0.0, 4.0], requires_grad=True)\nloss = (w * 2.0 + 1e-12).sqrt().sum()\n",
    ),
    "choose before the logarithm": (
        "non-finite-gradient",
        "w = gv.tensor([0.0, 4.0], requires_grad=True)\nloss = gv.where(w > 0.0, gv.log(w), 0.0).sum()\n",
        "gv.diagnose(loss, wrt=w)",
        "w = gv.tensor([0.0, 4.0], requires_grad=True)\nloss = gv.where(w > 0.0, gv.log(gv.where(w > 0.0, w, 1.0)), 0.0).sum()\n",
    ),
    "make a parameter": (
        "parameter-not-registered",
        NET.format(scale="gv.ones(2, requires_grad=True)") + "loss = net(gv.ones(2)).sum()\n",
        "gv.diagnose(loss, wrt=net.scale)",
        NET.format(scale="gv.nn.Parameter(gv.ones(2))") + "loss = net(gv.ones(2)).sum()\n",
    ),
    "don't freeze": (
        "parameter-frozen",
        B + "net = gv.nn.Linear(2, 1)\nnet.freeze()\nloss = (net(gv.ones(2)) * b).sum()\n",
        "gv.diagnose(loss, wrt=net)",
        B + "net = gv.nn.Linear(2, 1)\nloss = (net(gv.ones(2)) * b).sum()\n",
    ),
    "the right parameters": (
        "parameter-not-in-optimizer",
        "net = gv.nn.Linear(2, 1)\nother = gv.nn.Linear(2, 1)\nopt = gv.optim.SGD(other.parameters(), lr=0.1)\nloss = net(gv.ones(2)).sum()\n",
        "gv.diagnose(loss, wrt=net)",
        "net = gv.nn.Linear(2, 1)\nother = gv.nn.Linear(2, 1)\nopt = gv.optim.SGD(net.parameters(), lr=0.1)\nloss = net(gv.ones(2)).sum()\n",
    ),
    "build the optimizer later": (
        "optimizer-holds-stale-parameter",
        "net = gv.nn.Sequential(gv.nn.Linear(2, 2))\nopt = gv.optim.SGD(net.parameters(), lr=0.1)\nnet[0] = gv.nn.Linear(2, 1)\nloss = net(gv.ones(2)).sum()\n",
        "gv.diagnose(loss, wrt=net)",
        "net = gv.nn.Sequential(gv.nn.Linear(2, 2))\nnet[0] = gv.nn.Linear(2, 1)\nopt = gv.optim.SGD(net.parameters(), lr=0.1)\nloss = net(gv.ones(2)).sum()\n",
    ),
    "store a number": (
        "graph-retained",
        W
        + "kept = []\nfor _ in range(3):\n    loss = (w * w).sum()\n    kept.append(loss)\nloss = (w * w).sum()\n",
        "gv.diagnose(loss, wrt=w)",
        W
        + "kept = []\nfor _ in range(3):\n    loss = (w * w).sum()\n    kept.append(loss.item())\nloss = (w * w).sum()\n",
    ),
    "train instead of recording": (
        "capture-tensors-do-not-support-autodiff",
        'dev = gv.device("capture").autodiff()\nwith gv.capture_scope(dev):\n    w = gv.tensor([1.0], device=dev).require_grad()\n    loss = (w * w).sum()\n',
        "gv.diagnose(loss, wrt=w)",
        'dev = gv.device("ndarray").autodiff()\nw = gv.tensor([1.0], device=dev).require_grad()\nloss = (w * w).sum()\n',
    ),
    "use the model, not its copy": (
        "requires-autodiff-tensor",
        "net = gv.nn.Linear(2, 1)\nloss = net.valid()(gv.ones(2)).sum()\n",
        "gv.diagnose(loss, wrt=net)",
        "net = gv.nn.Linear(2, 1)\nloss = net(gv.ones(2)).sum()\n",
    ),
    "hold modules in a list that lists them": (
        "parameter-not-registered",
        NET.format(scale="[gv.nn.Linear(1, 1)]").replace("x * self.scale", "self.scale[0](x)")
        + "loss = net(gv.ones(2, 1)).sum()\n",
        "gv.diagnose(loss)",
        NET.format(scale="gv.nn.ModuleList([gv.nn.Linear(1, 1)])").replace(
            "x * self.scale", "self.scale[0](x)"
        )
        + "loss = net(gv.ones(2, 1)).sum()\n",
    ),
    "hold parameters in a list that lists them": (
        "parameter-not-registered",
        NET.format(scale="[gv.nn.Parameter([2.0]) for _ in range(2)]").replace(
            "self.scale\n\n", "self.scale[0] * self.scale[1]\n\n"
        )
        + "loss = net(gv.ones(2, 1)).sum()\n",
        "gv.diagnose(loss)",
        NET.format(scale="gv.nn.ParameterList([gv.nn.Parameter([2.0]) for _ in range(2)])").replace(
            "self.scale\n\n", "self.scale[0] * self.scale[1]\n\n"
        )
        + "loss = net(gv.ones(2, 1)).sum()\n",
    ),
    "hold parameters in a dict that lists them": (
        "parameter-not-registered",
        NET.format(scale='{"a": gv.nn.Parameter([2.0])}').replace(
            "x * self.scale", 'x * self.scale["a"]'
        )
        + "loss = net(gv.ones(2, 1)).sum()\n",
        "gv.diagnose(loss)",
        NET.format(scale='gv.nn.ParameterDict({"a": gv.nn.Parameter([2.0])})').replace(
            "x * self.scale", 'x * self.scale["a"]'
        )
        + "loss = net(gv.ones(2, 1)).sum()\n",
    ),
    "give an optimizer more leaves": (
        "parameter-not-in-optimizer",
        W + B + "opt = gv.optim.SGD([w], lr=0.1)\nloss = (w * b).sum()\n",
        "gv.diagnose(loss, wrt=[w, b])",
        W + B + "opt = gv.optim.SGD([w, b], lr=0.1)\nloss = (w * b).sum()\n",
    ),
    "give an optimizer another module's parameters as well": (
        "parameter-not-in-optimizer",
        "a, c = gv.nn.Linear(1, 1), gv.nn.Linear(1, 1)\nopt = gv.optim.SGD(list(a.parameters()), lr=0.1)\nloss = c(a(gv.ones(2, 1))).sum()\n",
        "gv.diagnose(loss, wrt=[a, c])",
        "a, c = gv.nn.Linear(1, 1), gv.nn.Linear(1, 1)\nopt = gv.optim.SGD([*a.parameters(), *c.parameters()], lr=0.1)\nloss = c(a(gv.ones(2, 1))).sum()\n",
    ),
    "store the numbers of a record": (
        "graph-retained",
        W
        + "kept = []\nfor n in range(3):\n    y = (w * w).sum()\n    kept.append((n, y))\nloss = w.sum()\n",
        "gv.diagnose(loss)",
        W
        + "kept = []\nfor n in range(3):\n    y = (w * w).sum()\n    kept.append((n, y.item()))\nloss = w.sum()\n",
    ),
    "add up numbers": (
        "graph-retained",
        W
        + "total = 0.0\nfor n in range(3):\n    y = (w * w).sum()\n    y.backward()\n    total += y\nloss = w.sum()\n",
        "gv.diagnose(loss)",
        W
        + "total = 0.0\nfor n in range(3):\n    y = (w * w).sum()\n    y.backward()\n    total += y.detach()\nloss = w.sum()\n",
    ),
    "compute a list of values": (
        "graph-retained",
        W + "seen = [(w * n).sum() for n in range(3)]\nloss = w.sum()\n",
        "gv.diagnose(loss)",
        W + "seen = [(w * n).sum().detach() for n in range(3)]\nloss = w.sum()\n",
    ),
    "record nothing that is only looked at": (
        "never-differentiated",
        W + "for n in range(3):\n    y = (w * n).sum()\n    print(y.item())\nloss = w.sum()\n",
        "gv.diagnose(loss)",
        W
        + "for n in range(3):\n    with gv.no_grad():\n        y = (w * n).sum()\n    print(y.item())\nloss = w.sum()\n",
    ),
    "take the logarithm of a softmax in one piece": (
        "non-finite-gradient",
        "w = gv.tensor([[200.0, 0.0]], requires_grad=True)\nloss = -gv.log(gv.softmax(w, dim=1))[0, 1]\n",
        "gv.diagnose(loss, wrt=w)",
        "w = gv.tensor([[200.0, 0.0]], requires_grad=True)\nloss = -gv.log_softmax(w, dim=1)[0, 1]\n",
    ),
    "softplus in one piece": (
        "non-finite-gradient",
        "w = gv.tensor([200.0, 0.0], requires_grad=True)\nloss = (1 + w.exp()).log().sum()\n",
        "gv.diagnose(loss, wrt=w)",
        "w = gv.tensor([200.0, 0.0], requires_grad=True)\nloss = gv.softplus(w).sum()\n",
    ),
    "stay inside a bounded domain": (
        "non-finite-gradient",
        "w = gv.tensor([1.0, 0.0], requires_grad=True)\nloss = gv.acos(w).sum()\n",
        "gv.diagnose(loss, wrt=w)",
        "w = gv.tensor([1.0, 0.0], requires_grad=True)\nloss = gv.acos(gv.clamp(w, min=-0.999999, max=0.999999)).sum()\n",
    ),
    "keep an exponential in range": (
        "non-finite-gradient",
        "w = gv.tensor([200.0, 0.0], requires_grad=True)\nloss = (gv.exp(w) * 0.0).sum()\n",
        "gv.diagnose(loss, wrt=w)",
        "w = gv.tensor([200.0, 0.0], requires_grad=True)\nloss = (gv.exp(gv.clamp(w, max=30.0)) * 0.0).sum()\n",
    ),
    "keep a divisor away from zero": (
        "non-finite-gradient",
        "w = gv.tensor([0.0, 1.0], requires_grad=True)\nloss = (w * w).div(w).sum()\n",
        "gv.diagnose(loss, wrt=w)",
        "w = gv.tensor([0.0, 1.0], requires_grad=True)\nloss = (w * w).div((w + 1e-6)).sum()\n",
    ),
    "keep a power's base away from zero": (
        "non-finite-gradient",
        "w = gv.tensor([0.0, 1.0], requires_grad=True)\nloss = (w ** 0.3).sum()\n",
        "gv.diagnose(loss, wrt=w)",
        "w = gv.tensor([0.0, 1.0], requires_grad=True)\nloss = ((w + 1e-12) ** 0.3).sum()\n",
    ),
    "mask with a finite number": (
        "non-finite-gradient",
        "w = gv.tensor([[1.0, 4.0]], requires_grad=True)\nm = gv.full((1, 2), float('-inf'))\nloss = gv.softmax(w + m, dim=1)[0, 0]\n",
        "gv.diagnose(loss, wrt=w)",
        "w = gv.tensor([[1.0, 4.0]], requires_grad=True)\nm = gv.full((1, 2), -1e9)\nloss = gv.softmax(w + m, dim=1)[0, 0]\n",
    ),
    "turn a row into a column": (
        "suspicious-broadcast",
        W + "y = gv.ones(1, 2)\nloss = (w.reshape(2, 1).exp() - y).sum()\n",
        "gv.diagnose(loss, wrt=w)",
        W + "y = gv.ones(1, 2)\nloss = (w.reshape(2, 1).exp() - y.t()).sum()\n",
    ),
    "mark the result of a helper": (
        "leaf-not-reached",
        W
        + "def init(n):\n    return gv.ones(n).autodiff() * 0.5\n\nv = init(2)\nloss = (w * v).sum()\n",
        "gv.diagnose(loss, wrt=[w, v])",
        W
        + "def init(n):\n    return gv.ones(n).autodiff() * 0.5\n\nv = init(2).require_grad()\nloss = (w * v).sum()\n",
    ),
    "mark all leaves of a list earlier": (
        "marked-after-use",
        AD
        + B
        + "ws = [gv.ones(1, device=ad), gv.ones(1, device=ad)]\nh = ws[0] * ws[1]\nfor w in ws:\n    w.require_grad()\nloss = (h * b).sum()\n",
        "gv.diagnose(loss, wrt=ws)",
        AD
        + B
        + "ws = [gv.ones(1, device=ad), gv.ones(1, device=ad)]\nfor w in ws:\n    w.require_grad()\nh = ws[0] * ws[1]\nloss = (h * b).sum()\n",
    ),
}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", REWRITES)
def test_first_fix(name: str, play: Play) -> None:
    slug, before, question, after = REWRITES[name]
    session = play(before)
    problem = session.problem(question, slug)
    assert problem.fixes, "no fix is offered"
    fix = problem.fixes[0]
    assert fix.verified and fix.title and fix.explanation.endswith(".")
    assert fix.apply_to(session.text) == IMPORT + after
    changed = [line for line in fix.preview().split("\n")[2:] if line[:1] in ("+", "-")]
    assert changed
    # The patched program has the problem no more.
    assert slug not in play(after).slugs(question)


# name: (program that raises, the same after the first fix)
RAISED = {
    "lift, then mark": (
        "x = gv.tensor([1.0])\nx.require_grad()\ny = (x * 2.0).sum()\n",
        "x = gv.tensor([1.0], requires_grad=True)\nx.require_grad()\ny = (x * 2.0).sum()\n",
    ),
    "a float literal": (
        "x = gv.arange(3).autodiff().require_grad()\ny = (x * 2.0).sum()\n",
        "x = gv.arange(3.0).autodiff().require_grad()\ny = (x * 2.0).sum()\n",
    ),
    "no second layer": (
        W + "y = (w.autodiff() * 2.0).sum()\n",
        W + "y = (w * 2.0).sum()\n",
    ),
    "leave detach out, with nothing asked for": (
        W + "h = (w * 2.0).detach()\ny = h.sum()\ny.backward()\n",
        W + "h = (w * 2.0)\ny = h.sum()\ny.backward()\n",
    ),
    "keep tensors, with nothing asked for": (
        W + "y = gv.tensor((w * w).sum().item()).autodiff()\ny.backward()\n",
        W + "y = (w * w).sum()\ny.backward()\n",
    ),
    "retain, with a root that has no name": (
        W + "h = w * 2.0\nh.require_grad()\ngrads = (h * h).sum().backward()\n",
        W + "h = w * 2.0\nh.retain_grad()\ngrads = (h * h).sum().backward()\n",
    ),
    "retain": (
        W + "h = w * 2.0\nh.require_grad()\ny = h.sum()\n",
        W + "h = w * 2.0\nh.retain_grad()\ny = h.sum()\n",
    ),
    "write into a new tensor": (
        "w = gv.ones(3, requires_grad=True)\nh = w * 2.0\nh[0] = 5.0\ny = h.sum()\n",
        "w = gv.ones(3, requires_grad=True)\nh = w * 2.0\nh = h.slice_assign(0, 5.0)\ny = h.sum()\n",
    ),
    "write everywhere": (
        "w = gv.ones(3, requires_grad=True)\nh = w * 2.0\nh[:] = w * 3.0\ny = h.sum()\n",
        "w = gv.ones(3, requires_grad=True)\nh = w * 2.0\nh = w * 3.0\ny = h.sum()\n",
    ),
    "write where a mask says so": (
        "w = gv.ones(3, requires_grad=True)\nh = w * 2.0\nh[h > 1.0] = 0.5\ny = (h + w).sum()\n",
        "w = gv.ones(3, requires_grad=True)\nh = w * 2.0\nh = gv.where(h > 1.0, 0.5, h)\ny = (h + w).sum()\n",
    ),
    "write a slice": (
        "w = gv.ones((2, 3), requires_grad=True)\nh = w * 2.0\nh[0, 1:] = 0.5\ny = h.sum()\n",
        "w = gv.ones((2, 3), requires_grad=True)\nh = w * 2.0\nh = h.slice_assign((0, slice(1, None)), 0.5)\ny = h.sum()\n",
    ),
    "a dtype with fractions": (
        "x = gv.tensor([1, 2]).autodiff().require_grad()\ny = (x * 2.0).sum()\n",
        'x = gv.tensor([1, 2], dtype="float32").autodiff().require_grad()\ny = (x * 2.0).sum()\n',
    ),
    "lift an expression": (
        "a = gv.ones(2)\nx = (a * 2.0).require_grad()\ny = (x * 3.0).sum()\n",
        "a = gv.ones(2)\nx = (a * 2.0).autodiff().require_grad()\ny = (x * 3.0).sum()\n",
    ),
    "keep the result of detach": (
        W
        + "h = w * 1.0\nfor _ in range(2):\n    h = h * w\n    y = h.sum()\n    y.backward()\n    h.detach()\n",
        W
        + "h = w * 1.0\nfor _ in range(2):\n    h = h * w\n    y = h.sum()\n    y.backward()\n    h = h.detach()\n",
    ),
    "compute again what an earlier graph used up": (
        W + "h = w * w\nh.sum().backward()\ny = (h * w).sum()\ny.backward()\n",
        W + "h = w * w\nh.sum().backward()\nh = w * w\ny = (h * w).sum()\ny.backward()\n",
    ),
    "compute on with the recorded tensor": (
        "def f(x):\n    top = x.max().item()\n    return x / top\n\ncaptured = gv.capture(f, gv.ones(2))\n",
        "def f(x):\n    top = x.max()\n    return x / top\n\ncaptured = gv.capture(f, gv.ones(2))\n",
    ),
    "stay on the capture device": (
        "with gv.capture_scope() as scope:\n    x = scope.input((2,))\n    y = (x * 2.0).to('ndarray')\n    scope.output(y)\n",
        "with gv.capture_scope() as scope:\n    x = scope.input((2,))\n    y = (x * 2.0)\n    scope.output(y)\n",
    ),
    "carry values, not graphs": (
        W
        + "h = w.detach()\nfor _ in range(2):\n    h = h * w\n    y = h.sum()\n    y.backward()\n",
        W
        + "h = w.detach()\nfor _ in range(2):\n    h = h.detach() * w\n    y = h.sum()\n    y.backward()\n",
    ),
    "compute what rounds share in every round": (
        W + "h = w * w\nfor n in range(2):\n    y = (h * 2.0).sum()\n    y.backward()\n",
        W + "for n in range(2):\n    h = w * w\n    y = (h * 2.0).sum()\n    y.backward()\n",
    ),
}


@pytest.mark.parametrize("name", RAISED)
def test_first_fix_of_what_is_raised(name: str, play: Play, tmp_path) -> None:
    before, after = RAISED[name]
    path = tmp_path / "raising.py"
    text = IMPORT + before
    path.write_text(text, encoding="utf-8")
    with pytest.raises(Exception, match=r"\w") as caught:
        exec(compile(text, str(path), "exec"), {"__name__": "__main__", "__file__": str(path)})
    fixes = caught.value.problem.fixes
    assert fixes, f"no fix is offered for {caught.value.slug}"
    assert fixes[0].apply_to(text) == IMPORT + after
    play(after)
