"""Kinds of failure in the forms programs give them: functions, classes, containers, loops, carried state."""

from __future__ import annotations

import pytest

import gradviz as gv
from gradviz.graph import names
from tests.diagnose.conftest import Play

IMPORT = "import gradviz as gv\n"
W = "w = gv.tensor([1.0, 2.0], requires_grad=True)\n"
NET = "class Net(gv.nn.Module):\n    def __init__(self):\n        super().__init__()\n"

# name: (slug, program, question, program after the first fix)
PREDICTED = {
    "a cast to whole numbers": (
        "path-cut-non-differentiable",
        W + "n = w.long()\nloss = (n * 0.5).sum()\n",
        "gv.diagnose(loss, wrt=w)",
        W + "n = w\nloss = (n * 0.5).sum()\n",
    ),
    "a division that rounds": (
        "path-cut-non-differentiable",
        W + "loss = (w // 0.5).sum()\n",
        "gv.diagnose(loss, wrt=w)",
        W + "loss = (w / 0.5).sum()\n",
    ),
    "one mode of several": (
        "path-cut-no-grad",
        W + "with gv.scope('a'), gv.no_grad():\n    h = w * 2.0\nloss = h.sum()\n",
        "gv.diagnose(loss, wrt=w)",
        W + "with gv.scope('a'):\n    h = w * 2.0\nloss = h.sum()\n",
    ),
    "a mode held by a name": (
        "path-cut-no-grad",
        W + "quiet = gv.no_grad()\nwith quiet:\n    h = w * 2.0\nloss = h.sum()\n",
        "gv.diagnose(loss, wrt=w)",
        W + "quiet = gv.no_grad()\nh = w * 2.0\nloss = h.sum()\n",
    ),
    "a stack of modes": (
        "path-cut-no-grad",
        "from contextlib import ExitStack\n"
        + W
        + "stack = ExitStack()\nstack.enter_context(gv.no_grad())\nloss = w.sum()\nstack.close()\n",
        "gv.diagnose(loss, wrt=w)",
        "from contextlib import ExitStack\n"
        + W
        + "stack = ExitStack()\nloss = w.sum()\nstack.close()\n",
    ),
    "the cut beside a straight-through estimate": (
        "path-cut-detach",
        W
        + "z = gv.ones(2, requires_grad=True)\nhard = w * 2.0\nste = z + (hard - z).detach()\nloss = ste.sum() + (hard.detach() - z).sum()\n",
        "gv.diagnose(loss, wrt=w)",
        W
        + "z = gv.ones(2, requires_grad=True)\nhard = w * 2.0\nste = z + (hard - z).detach()\nloss = ste.sum() + (hard - z).sum()\n",
    ),
    "values behind a function": (
        "path-cut-value-escape",
        W
        + "def spread(t):\n    low = t.min().item()\n    return [v - low for v in t.tolist()]\n\nloss = gv.tensor(spread(w * 2.0)).sum()\n",
        "gv.diagnose(loss, wrt=w)",
        W
        + "def spread(t):\n    low = t.min()\n    return [v - low for v in t]\n\nloss = gv.stack(spread(w * 2.0)).sum()\n",
    ),
    "values in a list that is filled": (
        "path-cut-value-escape",
        "import numpy as np\n"
        + W
        + "rows = []\nfor k in range(2):\n    rows.append((w * k).numpy())\nloss = gv.tensor(np.stack(rows, axis=1)).sum()\n",
        "gv.diagnose(loss, wrt=w)",
        "import numpy as np\n"
        + W
        + "rows = []\nfor k in range(2):\n    rows.append(w * k)\nloss = gv.stack(rows, dim=1).sum()\n",
    ),
    "values in a dict": (
        "path-cut-value-escape",
        W
        + "parts = {k: float((w * k).sum()) for k in (1, 2)}\nloss = gv.tensor(list(parts.values())).sum()\n",
        "gv.diagnose(loss, wrt=w)",
        W
        + "parts = {k: (w * k).sum() for k in (1, 2)}\nloss = gv.stack(list(parts.values())).sum()\n",
    ),
    "a function of NumPy on an array": (
        "path-cut-value-escape",
        "import numpy as np\n" + W + "loss = gv.tensor(np.clip(w.numpy(), 0.0, 1.5)).sum()\n",
        "gv.diagnose(loss, wrt=w)",
        "import numpy as np\n" + W + "loss = gv.clamp(w, 0.0, 1.5).sum()\n",
    ),
    "a function of math on a tensor": (
        "path-cut-value-escape",
        "import math\nw = gv.tensor(0.5, requires_grad=True)\nloss = gv.tensor(math.sin(w) * 2.0)\n",
        "gv.diagnose(loss, wrt=w)",
        "import math\nw = gv.tensor(0.5, requires_grad=True)\nloss = gv.sin(w) * 2.0\n",
    ),
    "a leaf inside an object's list": (
        "untracked-root",
        "class Curve:\n    def __init__(self):\n        self.points = [gv.ones(2).autodiff() for _ in range(2)]\n\ncurve = Curve()\nloss = sum(p.sum() for p in curve.points)\n",
        "gv.diagnose(loss, wrt=curve.points)",
        "class Curve:\n    def __init__(self):\n        self.points = [gv.ones(2).autodiff().require_grad() for _ in range(2)]\n\ncurve = Curve()\nloss = sum(p.sum() for p in curve.points)\n",
    ),
    "a shared result is asked about again": (
        "graph-consumed",
        W + "h = w * w\nfirst = h.sum()\nfirst.backward()\nloss = (h * w).sum()\n",
        "gv.diagnose(loss, wrt=w)",
        W + "h = w * w\nfirst = h.sum()\nfirst.backward()\nh = w * w\nloss = (h * w).sum()\n",
    ),
}


@pytest.mark.parametrize("name", PREDICTED)
def test_first_fix(name: str, play: Play) -> None:
    slug, before, question, after = PREDICTED[name]
    session = play(before)
    problem = session.problem(question, slug)
    assert problem.fixes, "no fix is offered"
    assert problem.fixes[0].apply_to(session.text) == IMPORT + after


# name: (program that raises, the same after the first fix)
RAISED = {
    "a mask held by a name": (
        W + "mask = w > 1.5\nh = w * 1.0\nh[mask] = 0.0\nloss = h.sum()\n",
        W + "mask = w > 1.5\nh = w * 1.0\nh = gv.where(mask, 0.0, h)\nloss = h.sum()\n",
    ),
    "an element that is added to": (
        W + "h = w * 1.0\nh[0] += w[1]\nloss = h.sum()\n",
        W + "h = w * 1.0\nh = h.slice_assign(0, h[0] + w[1])\nloss = h.sum()\n",
    ),
    "an attribute that is written into": (
        W
        + "class Memory:\n    def __init__(self):\n        self.slots = gv.zeros(3)\n\n    def put(self, at, value):\n        self.slots[at] = value\n        return self.slots.sum()\n\nloss = Memory().put(1, w.sum())\n",
        W
        + "class Memory:\n    def __init__(self):\n        self.slots = gv.zeros(3)\n\n    def put(self, at, value):\n        self.slots = self.slots.slice_assign(at, value)\n        return self.slots.sum()\n\nloss = Memory().put(1, w.sum())\n",
    ),
    "a step of training by hand": (
        W + "grads = (w * w).sum().backward()\nw[:] -= 0.1 * w.grad(grads)\nloss = (w * w).sum()\n",
        W
        + "grads = (w * w).sum().backward()\nw = (w - (0.1 * w.grad(grads))).detach().require_grad()\nloss = (w * w).sum()\n",
    ),
    "an update is to be a leaf": (
        W
        + "for _ in range(2):\n    loss = (w * w).sum()\n    grads = loss.backward()\n    w = (w - 0.1 * w.grad(grads)).require_grad()\nloss = (w * w).sum()\n",
        W
        + "for _ in range(2):\n    loss = (w * w).sum()\n    grads = loss.backward()\n    w = (w - 0.1 * w.grad(grads)).detach().require_grad()\nloss = (w * w).sum()\n",
    ),
    "a result inside a module": (
        NET
        + "        self.w = gv.nn.Parameter(gv.ones(2))\n\n    def forward(self, x):\n        h = self.w * x\n        h.require_grad()\n        return h.sum()\n\nnet = Net()\nloss = net(gv.ones(2))\n",
        NET
        + "        self.w = gv.nn.Parameter(gv.ones(2))\n\n    def forward(self, x):\n        h = self.w * x\n        h.retain_grad()\n        return h.sum()\n\nnet = Net()\nloss = net(gv.ones(2))\n",
    ),
    "an array of whole numbers": (
        "import numpy as np\nx = gv.from_numpy(np.arange(2))\nx = x.autodiff().require_grad()\nloss = (x * 2.0).sum()\n",
        "import numpy as np\nx = gv.from_numpy(np.arange(2)).float()\nx = x.autodiff().require_grad()\nloss = (x * 2.0).sum()\n",
    ),
    "state of a module": (
        NET
        + "        self.w = gv.nn.Parameter(gv.ones(2))\n        self.h = gv.ones(2)\n\n    def forward(self):\n        self.h = gv.tanh(self.w * self.h)\n        return self.h.sum()\n\nnet = Net()\nfor _ in range(2):\n    net().backward()\n",
        NET
        + "        self.w = gv.nn.Parameter(gv.ones(2))\n        self.h = gv.ones(2)\n\n    def forward(self):\n        self.h = gv.tanh(self.w * self.h.detach())\n        return self.h.sum()\n\nnet = Net()\nfor _ in range(2):\n    net().backward()\n",
    ),
    "state in a dict": (
        W
        + 's = {"h": gv.ones(2)}\nfor _ in range(2):\n    s["h"] = gv.tanh(w * s["h"])\n    loss = s["h"].sum()\n    loss.backward()\n',
        W
        + 's = {"h": gv.ones(2)}\nfor _ in range(2):\n    s["h"] = gv.tanh(w * s["h"].detach())\n    loss = s["h"].sum()\n    loss.backward()\n',
    ),
    "one root twice": (
        W + "loss = (w * w).sum()\nfirst = loss.backward()\nsecond = loss.backward()\n",
        W
        + "loss = (w * w).sum()\nfirst = loss.backward()\nloss = (w * w).sum()\nsecond = loss.backward()\n",
    ),
    "a chain that every round needs": (
        W
        + "a = w * 2.0\nb = a.exp()\nkept = []\nfor k in (1.0, 2.0):\n    loss = (b * k).sum()\n    kept.append(loss.backward())\n",
        W
        + "kept = []\nfor k in (1.0, 2.0):\n    a = w * 2.0\n    b = a.exp()\n    loss = (b * k).sum()\n    kept.append(loss.backward())\n",
    ),
}


@pytest.mark.parametrize("name", RAISED)
def test_first_fix_of_what_is_raised(name: str, play: Play, tmp_path) -> None:
    before, after = RAISED[name]
    path = tmp_path / "raising.py"
    text = IMPORT + before
    path.write_text(text, encoding="utf-8")
    with pytest.raises(gv.GradvizError) as caught:
        exec(compile(text, str(path), "exec"), {"__name__": "__main__"})
    fixes = caught.value.problem.fixes
    assert fixes, f"no fix is offered for {caught.value.slug}"
    assert fixes[0].apply_to(text) == IMPORT + after


def test_a_consumed_graph_blames_what_both_share(play: Play) -> None:
    session = play(W + "h = w * w\nh.sum().backward()\nmore = h * 3.0\nloss = more.sum()\n")
    problem = session.problem("gv.diagnose(loss, wrt=w)", "graph-consumed")
    assert problem.cause is not None and problem.cause.text == "w * w"
    facts = dict(problem.facts)
    assert (facts["used up at"], facts["used again at"]) == ("line 4", "line 5")


def test_operations_in_a_forward_belong_to_its_lines(play: Play) -> None:
    session = play(
        NET
        + "        self.w = gv.nn.Parameter(gv.ones(2))\n\n"
        + "    def forward(self, x):\n        with gv.no_grad():\n            return gv.stack([self.w, x])\n\n"
        + "net = Net()\nloss = net(gv.ones(2)).sum()\n"
    )
    problem = session.problem("gv.diagnose(loss, wrt=net.w)", "path-cut-no-grad")
    assert problem.cause is not None and problem.cause.text == "gv.stack([self.w, x])"


def test_two_names_for_one_result_are_no_rounds(play: Play) -> None:
    session = play(W + "h = w * w\nheld = [h, h]\nh.sum().backward()\nloss = (w * w).sum()\n")
    assert session.slugs("gv.diagnose(loss, wrt=w)") == []


def test_tensors_are_found_inside_objects_and_containers() -> None:
    tensor, other = gv.ones(1), gv.ones(2)
    space = {
        "state": {"layers": [{"w": tensor}]},
        "net": [gv.nn.Linear(1, 1)],
        "deep": [[[[other]]]],
    }
    found = {label for label, _ in names.find([space]).values()}
    assert {"state['layers'][0]['w']", "net[0].weight", "net[0].bias"} <= found
    assert not any(label.startswith("deep") for label in found)
