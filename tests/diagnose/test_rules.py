"""Every rule: a program in which it speaks, at the right place, and a healthy twin in which it is quiet."""

from __future__ import annotations

import pytest

from tests.diagnose.conftest import Play

W = "w = gv.tensor([1.0, 2.0], requires_grad=True)\n"
AD = 'ad = gv.device("ndarray").autodiff()\n'
LAYER = "net = gv.nn.Linear(2, 1)\nx = gv.ones(4, 2)\n"
ASK = "gv.diagnose(loss, wrt=w)"

# name: (slug, failing program with its cause marked "# cause", healthy twin, question)
RULES: dict[str, tuple[str, str, str, str]] = {
    "plain root": (
        "requires-autodiff-tensor",
        "loss = gv.tensor([1.0, 2.0]).sum()",
        W + "loss = w.sum()",
        "gv.diagnose(loss)",
    ),
    "capture root": (
        "capture-tensors-do-not-support-autodiff",
        'dev = gv.device("capture").autodiff()\nwith gv.capture_scope(dev) as scope:\n    w = scope.input((2,)).require_grad()\n    loss = w.sum()',
        W + "loss = w.sum()",
        "gv.diagnose(loss)",
    ),
    "untracked root": (
        "untracked-root",
        AD + "w = gv.tensor([1.0], device=ad)  # cause\nloss = (w * 2.0).sum()",
        AD + "w = gv.tensor([1.0], device=ad).require_grad()\nloss = (w * 2.0).sum()",
        ASK,
    ),
    "consumed root": (
        "graph-consumed",
        W + "loss = (w * w).sum()\nloss.backward()",
        W + "loss = (w * w).sum()\nloss.backward(retain_graph=True)",
        ASK,
    ),
    "many elements": (
        "non-scalar-root",
        W + "loss = w * 2.0  # cause",
        W + "loss = (w * 2.0).mean()",
        ASK,
    ),
    "one element of many dimensions": (
        "non-scalar-root",
        W + "loss = w * 2.0  # cause",
        W + "loss = (w * 2.0).sum().reshape(1, 1)",
        ASK,
    ),
    "unused": (
        "leaf-not-reached",
        W + "b = gv.tensor([1.0], requires_grad=True)  # cause\nloss = w.sum()",
        W + "b = gv.tensor([1.0], requires_grad=True)\nloss = w.sum() + b.sum()",
        "gv.diagnose(loss, wrt=[w, b])",
    ),
    "never marked": (
        "leaf-not-reached",
        W + AD + "b = gv.tensor([1.0, 1.0], device=ad)  # cause\nloss = (w * b).sum()",
        W + AD + "b = gv.tensor([1.0, 1.0], device=ad, requires_grad=True)\nloss = (w * b).sum()",
        "gv.diagnose(loss, wrt=[w, b])",
    ),
    "detach": (
        "path-cut-detach",
        W
        + "h = w.detach() * 3.0  # cause\nb = gv.tensor([1.0], requires_grad=True)\nloss = (h * b).sum()",
        W
        + "h = w * 3.0\nb = gv.tensor([1.0], requires_grad=True)\nloss = (h * b + w.detach()).sum()",
        ASK,
    ),
    "inner": (
        "path-cut-detach",
        W
        + "b = gv.tensor([1.0], requires_grad=True)\nh = w.inner() + 1.0  # cause\nloss = (h * b).sum()",
        W + "print(w.inner())\nloss = (w + 1.0).sum()",
        ASK,
    ),
    "unmarked copy": (
        "path-cut-detach",
        W
        + "b = gv.tensor([1.0], requires_grad=True)\nloss = (w.set_require_grad(False) * b).sum()  # cause",
        W + "w.set_require_grad(False)\nloss = w.sum()",
        ASK,
    ),
    "no_grad": (
        "path-cut-no-grad",
        W
        + "b = gv.tensor([1.0], requires_grad=True)\nwith gv.no_grad():\n    h = w * 2.0  # cause\nloss = (h * b).sum()",
        W + "with gv.no_grad():\n    print(w.sum().item())\nloss = (w * 2.0).sum()",
        ASK,
    ),
    "argmax": (
        "path-cut-non-differentiable",
        W
        + "b = gv.tensor([1.0], requires_grad=True)\nbest = w.argmax()  # cause\nloss = (best.float() * b).sum()",
        W
        + "b = gv.tensor([1.0], requires_grad=True)\nprint(w.argmax())\nloss = (w.amax() * b).sum()",
        ASK,
    ),
    "comparison": (
        "path-cut-non-differentiable",
        W
        + "b = gv.tensor([1.0], requires_grad=True)\nmask = w > 1.5  # cause\nloss = (mask.float() * b).sum()",
        W + "loss = gv.where(w > 1.5, w, w * 2.0).sum()",
        ASK,
    ),
    "round": (
        "path-cut-non-differentiable",
        W + "loss = w.round().sum()  # cause",
        W + "loss = (w + (w.round() - w).detach()).sum()",
        ASK,
    ),
    "value escape": (
        "path-cut-value-escape",
        W
        + "b = gv.tensor([1.0], requires_grad=True)\nh = gv.tensor((w * 2.0).numpy())  # cause\nloss = (h * b).sum()",
        W + "shown = (w * 2.0).numpy()\nloss = (w * 2.0).sum()",
        ASK,
    ),
    "late mark": (
        "marked-after-use",
        AD
        + "w = gv.tensor([1.0], device=ad)\nb = gv.tensor([1.0], requires_grad=True)\nh = w * 2.0\nw.require_grad()  # cause\nloss = (h * b).sum()",
        AD
        + "w = gv.tensor([1.0], device=ad)\nw.require_grad()\nb = gv.tensor([1.0], requires_grad=True)\nloss = (w * 2.0 * b).sum()",
        ASK,
    ),
    "late mark beside a tracked operand": (
        "marked-after-use",
        AD
        + "w = gv.tensor([1.0], device=ad)\nb = gv.tensor([1.0], requires_grad=True)\nh = w * b\nw.require_grad()  # cause\nloss = h.sum()",
        AD
        + "w = gv.tensor([1.0], device=ad).require_grad()\nb = gv.tensor([1.0], requires_grad=True)\nloss = (w * b).sum()",
        ASK,
    ),
    "one term before the mark": (
        "marked-after-use",
        AD
        + "w = gv.tensor([1.0], device=ad)\npenalty = (w * w).sum()\nw.require_grad()  # cause\nloss = (w * 2.0).sum() + penalty",
        AD
        + "w = gv.tensor([1.0], device=ad)\nw.require_grad()\nloss = (w * 2.0).sum() + (w * w).sum()",
        ASK,
    ),
    "marked result": (
        "marked-result",
        AD
        + "w = gv.tensor([1.0], device=ad)\nloss = (w * 2.0).sum()\nloss.require_grad()  # cause",
        W + "w = (w.detach() - 0.1).require_grad()\nloss = (w * 2.0).sum()",
        ASK,
    ),
    "gradient of a result": (
        "gradient-of-non-leaf",
        "x = gv.tensor([1.0], requires_grad=True)\nw = x * 2.0  # cause\nloss = (w * w).sum()",
        "x = gv.tensor([1.0], requires_grad=True)\nw = (x * 2.0).retain_grad()\nloss = (w * w).sum()",
        ASK,
    ),
    "broadcast": (
        "suspicious-broadcast",
        LAYER + "y = gv.ones(4)\nloss = ((net(x) - y) ** 2).mean()  # cause",
        LAYER + "y = gv.ones(4, 1)\nloss = ((net(x) - y) ** 2).mean()",
        "gv.diagnose(loss, wrt=net)",
    ),
    "broadcast in a loss": (
        "suspicious-broadcast",
        LAYER + "y = gv.ones(4)\nloss = gv.mse_loss(net(x), y)  # cause",
        LAYER + "y = gv.ones(4)\nloss = gv.mse_loss(net(x).squeeze(-1), y)",
        "gv.diagnose(loss, wrt=net)",
    ),
    "deliberate outer product": (
        "suspicious-broadcast",
        W + "v = gv.ones(3).reshape(3, 1) + 0.0\nu = gv.ones(3, 1)\nloss = (u * w).sum()  # cause",
        W + "v = gv.ones(3)\nloss = (v[:, None] * w[None, :]).sum()",
        ASK,
    ),
    "root of zero": (
        "non-finite-gradient",
        "w = gv.tensor([0.0, 4.0], requires_grad=True)\nloss = w.sqrt().sum()  # cause",
        "w = gv.tensor([0.0, 4.0], requires_grad=True)\nloss = (w + 1e-6).sqrt().sum()",
        ASK,
    ),
    "the branch not taken": (
        "non-finite-gradient",
        "w = gv.tensor([0.0, 4.0], requires_grad=True)\nloss = gv.where(w > 0.0, w.log(), 0.0).sum()  # cause",
        "w = gv.tensor([0.0, 4.0], requires_grad=True)\nsafe = gv.where(w > 0.0, w, 1.0)\nloss = gv.where(w > 0.0, safe.log(), 0.0).sum()",
        ASK,
    ),
    "zeros": (
        "zero-gradient",
        "w = gv.tensor([5.0, 6.0], requires_grad=True)\nloss = w.clamp(min=-1.0, max=1.0).sum()  # cause\ngrads = loss.backward(retain_graph=True)",
        "w = gv.tensor([0.5, 6.0], requires_grad=True)\nloss = w.clamp(min=-1.0, max=1.0).sum()\ngrads = loss.backward(retain_graph=True)",
        "gv.diagnose(loss, wrt=w, grads=grads)",
    ),
    "dead units": (
        "dead-units",
        "w = gv.tensor([-5.0, -6.0], requires_grad=True)\nloss = w.relu().sum()  # cause\ngrads = loss.backward(retain_graph=True)",
        "w = gv.tensor([5.0, -6.0], requires_grad=True)\nloss = w.relu().sum()\ngrads = loss.backward(retain_graph=True)",
        "gv.diagnose(loss, wrt=w, grads=grads)",
    ),
    "explosion": (
        "exploding-gradient",
        "w = gv.tensor([1.0], requires_grad=True)\nloss = (w * 1e8).sum()  # cause\ngrads = loss.backward(retain_graph=True)",
        "w = gv.tensor([1.0], requires_grad=True)\nloss = (w * 1e2).sum()\ngrads = loss.backward(retain_graph=True)",
        "gv.diagnose(loss, wrt=w, grads=grads)",
    ),
    "list of results": (
        "graph-retained",
        W
        + "losses = []\nfor _ in range(3):\n    loss = (w * w).sum()\n    loss.backward()\n    losses.append(loss)  # cause\nloss = (w * w).sum()",
        W
        + "losses = []\nfor _ in range(3):\n    loss = (w * w).sum()\n    loss.backward()\n    losses.append(loss.item())\nloss = (w * w).sum()",
        ASK,
    ),
    "dict of results": (
        "graph-retained",
        W
        + "kept = {}\nfor n in range(3):\n    loss = (w * w).sum()\n    loss.backward()\n    kept[n] = loss  # cause\nloss = (w * w).sum()",
        W + "kept = {}\nfor n in range(3):\n    kept[n] = (w * w).sum()\nloss = sum(kept.values())",
        ASK,
    ),
    "running total": (
        "graph-retained",
        W
        + "total = 0.0\nfor _ in range(3):\n    loss = (w * w).sum()\n    loss.backward()\n    total = total + loss  # cause\nloss = (w * w).sum()",
        W
        + "total = 0.0\nfor _ in range(3):\n    loss = (w * w).sum()\n    loss.backward()\n    total += loss.item()\nloss = (w * w).sum()",
        ASK,
    ),
    "results in lists by name": (
        "graph-retained",
        W
        + "kept = {'a': [], 'b': []}\nfor n in range(3):\n    loss = (w * w).sum()\n    loss.backward()\n    kept['b'].append(n)\n    kept['a'].append(loss)  # cause\nloss = (w * w).sum()",
        W
        + "kept = {'a': []}\nfor _ in range(3):\n    loss = (w * w).sum()\n    loss.backward()\n    kept['a'].append(loss.item())\nloss = (w * w).sum()",
        ASK,
    ),
    "results in records": (
        "graph-retained",
        W
        + "kept = []\nfor n in range(3):\n    loss = (w * w).sum()\n    loss.backward()\n    kept.append((n, {'loss': loss}))  # cause\nloss = (w * w).sum()",
        W
        + "kept = []\nfor n in range(3):\n    loss = (w * w).sum()\n    loss.backward()\n    kept.append((n, {'loss': loss.detach()}))\nloss = (w * w).sum()",
        ASK,
    ),
    "results of a comprehension": (
        "graph-retained",
        W
        + "def f(x):\n    return (w * x).sum()\n\nseen = [f(n) for n in range(3)]  # cause\nloss = f(1.0)",
        W
        + "def f(x):\n    return (w * x).sum()\n\nseen = [f(n) for n in range(3)]\nloss = sum(seen)",
        ASK,
    ),
    "a total in an object": (
        "graph-retained",
        W
        + "class Meter:\n    total = 0.0\n\nmeter = Meter()\nfor _ in range(3):\n    loss = (w * w).sum()\n    loss.backward()\n    meter.total = meter.total + loss  # cause\nloss = (w * w).sum()",
        W
        + "class Meter:\n    total = 0.0\n\nmeter = Meter()\nfor _ in range(3):\n    loss = (w * w).sum()\n    loss.backward()\n    meter.total += loss.item()\nloss = (w * w).sum()",
        ASK,
    ),
    "forward passes that are only looked at": (
        "never-differentiated",
        W
        + "shown = []\nfor n in range(3):\n    y = (w * n).sum()  # cause\n    shown.append(y.item())\nloss = w.sum()",
        W
        + "shown = []\nwith gv.no_grad():\n    for n in range(3):\n        y = (w * n).sum()\n        shown.append(y.item())\nloss = w.sum()",
        ASK,
    ),
    "work of every round that nothing reads": (
        "never-differentiated",
        W
        + "for n in range(3):\n    aux = (w * n).sum()  # cause\n    loss = (w * w).sum()\n    loss.backward()\nloss = w.sum()",
        # The best of several is differentiated: the others were needed to find it.
        W
        + "best = None\nfor n in range(3):\n    y = (w * n).sum()\n    best = y if best is None else best\nloss = best * 2.0",
        ASK,
    ),
    "rounds of a module that are only looked at": (
        "never-differentiated",
        LAYER
        + "for n in range(3):\n    y = net(gv.ones(4, 2))  # cause\n    print(y.sum().item())\nloss = net(gv.ones(4, 2)).sum()",
        # A by-product of what the root is computed from is no pass of its own.
        LAYER
        + "total = 0.0\nfor n in range(3):\n    h = net(gv.ones(4, 2))\n    size = h.square().sum()\n    total = total + h.sum()\nloss = total",
        "gv.diagnose(loss, wrt=net)",
    ),
    "a list that is made anew": (
        "graph-retained",
        W
        + "kept = []\nfor _ in range(3):\n    loss = (w * w).sum()\n    loss.backward()\n    kept = kept + [loss]  # cause\nloss = (w * w).sum()",
        LAYER
        + "other = gv.nn.Linear(2, 1)\nx = gv.ones(4, 2)\npair = [net(x), other(x)]\nw = net.weight\nloss = (net(x) + other(x)).sum()",
        ASK,
    ),
    "an infinity from an earlier operation": (
        "non-finite-gradient",
        "w = gv.tensor([0.0, 4.0], requires_grad=True)\nr = w.pow(-0.5)  # cause\nloss = (r.unsqueeze(1) * r).sum()",
        "w = gv.tensor([0.1, 4.0], requires_grad=True)\nr = w.pow(-0.5)\nloss = (r.unsqueeze(1) * r.unsqueeze(0)).sum()",
        ASK,
    ),
    "nan that was made long before": (
        "non-finite-gradient",
        "w = gv.tensor([0.0, 4.0], requires_grad=True)\nh = -(w * w.log()).sum()  # cause\nloss = (h - 1.0) ** 2",
        "w = gv.tensor([0.1, 4.0], requires_grad=True)\nh = -(w * w.log()).sum()\nloss = (h - 1.0) ** 2",
        ASK,
    ),
    "a row that is masked altogether": (
        "non-finite-gradient",
        "w = gv.tensor([[1.0, 4.0]], requires_grad=True)\nm = gv.full((1, 2), float('-inf'))\nloss = gv.softmax(w + m, dim=1)[0, 0]  # cause",
        "w = gv.tensor([[1.0, 4.0]], requires_grad=True)\nm = gv.tensor([[0.0, float('-inf')]])\nloss = gv.softmax(w + m, dim=1)[0, 0]",
        ASK,
    ),
    "nothing can learn from zeros": (
        "zero-gradient",
        "w = gv.zeros(2, 2, requires_grad=True)\nv = gv.zeros(2, 1, requires_grad=True)\nloss = (gv.ones(1, 2) @ w @ v - 1.0).sum()  # cause\ngrads = loss.backward(retain_graph=True)",
        # One of the two is zero: the other begins to learn one step later.
        "w = gv.ones(2, 2, requires_grad=True)\nv = gv.zeros(2, 1, requires_grad=True)\nloss = (gv.ones(1, 2) @ w @ v - 1.0).sum()\ngrads = loss.backward(retain_graph=True)",
        "gv.diagnose(loss, wrt=[w, v], grads=grads)",
    ),
    "a gradient that vanishes on its way": (
        "zero-gradient",
        "w = gv.tensor([0.3], requires_grad=True)\nh = w\nfor _ in range(30):\n    h = gv.sigmoid(h * 0.01)  # cause\nloss = h.sum()\ngrads = loss.backward(retain_graph=True)",
        # Small at the least value, as it should be.
        "w = gv.tensor([1e-9], requires_grad=True)\nloss = (w * w).sum()\ngrads = loss.backward(retain_graph=True)",
        "gv.diagnose(loss, wrt=w, grads=grads)",
    ),
    "a column that meets a row": (
        "suspicious-broadcast",
        W + "y = gv.ones(1, 2)\nloss = (w.reshape(2, 1).exp() - y).sum()  # cause",
        W
        + "c = gv.ones(2, 1, requires_grad=True)\nr = gv.ones(1, 3)\nloss = (c * r).sum() + w.sum()",
        ASK,
    ),
    "effects of rows and columns": (
        "suspicious-broadcast",
        W + "c = gv.ones(3, 1, requires_grad=True)\nloss = (w + c).square().mean()  # cause",
        W + "c = gv.ones(3, 1, requires_grad=True)\nloss = (w + c - gv.ones(3, 2)).square().mean()",
        ASK,
    ),
    "data against parameters": (
        "suspicious-broadcast",
        W + "x = gv.tensor([[1.0], [2.0], [3.0]])\nloss = (x - w).square().mean()  # cause",
        W + "x = gv.tensor([[1.0], [2.0], [3.0]])\nloss = (x - w).square().sum(dim=1).log().mean()",
        ASK,
    ),
}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", RULES)
def test_rule_speaks(name: str, play: Play) -> None:
    slug, failing, _, question = RULES[name]
    session = play(failing)
    problem = session.problem(question, slug)
    assert problem.severity in ("error", "warning")
    assert problem.predicted and problem.reason.endswith(".") and problem.advice.endswith(".")
    assert problem.message and problem.nodes
    if "# cause" in failing:
        assert problem.cause.filename == str(session.path)
        assert problem.cause.line == session.line("# cause"), problem.cause
        assert problem.cause.text and problem.cause.text in session.text


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", RULES)
def test_its_healthy_twin_is_quiet(name: str, play: Play) -> None:
    _, _, healthy, question = RULES[name]
    session = play(healthy)
    assert session.slugs(question) == []
    assert session.ask(question).ok


def test_notes_leave_a_report_ok(play: Play) -> None:
    session = play(W + "unused = w * 3.0\nloss = w.sum()")
    report = session.ask(ASK)
    assert [(p.slug, p.severity) for p in report.problems] == [("never-differentiated", "note")]
    assert report.ok


def test_a_dead_term_beside_a_live_one_is_a_note(play: Play) -> None:
    session = play(W + "with gv.no_grad():\n    term = (w * w).sum()\nloss = w.sum() + term")
    report = session.ask(ASK)
    assert [(p.slug, p.severity) for p in report.problems] == [("path-cut-no-grad", "note")]


def test_a_marked_leaf_that_nobody_asked_about_is_a_note(play: Play) -> None:
    made = W + "b = gv.tensor([1.0, 2.0], requires_grad=True)\n"
    session = play(made + "loss = (w * b.detach()).sum()")
    (note,) = session.ask("gv.diagnose(loss)").problems
    assert (note.slug, note.severity, note.cause.text) == ("path-cut-detach", "note", "b.detach()")
    assert [edit.original for fix in note.fixes for edit in fix.edits] == [".detach()"]
    healthy = play(made + "loss = (w * b.detach() + b).sum()")
    assert healthy.ask("gv.diagnose(loss)").problems == ()


def test_leaves_behind_one_cut_are_one_note(play: Play) -> None:
    session = play(
        "net = gv.nn.Sequential(gv.nn.Linear(2, 3), gv.nn.Tanh(), gv.nn.Linear(3, 2))\n"
        + W
        + "loss = (net(gv.ones(4, 2)).detach() * w).sum()"
    )
    report = session.ask("gv.diagnose(loss)")
    (note,) = report.problems
    assert (note.slug, note.severity, report.ok) == ("path-cut-detach", "note", True)
    assert "and so does that of 3 more" in note.reason
    assert len(note.nodes) == 5


@pytest.mark.parametrize(
    "loss",
    [
        "(w + (w.round() - w).detach()).sum()",  # a straight-through estimate
        "(w * gv.no_grad()(lambda: gv.ones(2))()).sum()",
        "w.sum().detach()",  # an untracked root says more
        "((w.detach() - 0.1).require_grad() * 2.0).sum()",  # a step by hand
    ],
)
def test_what_is_cut_without_loss_is_not_noted(loss: str, play: Play) -> None:
    found = play(W + f"loss = {loss}").ask("gv.diagnose(loss)").problems
    assert [problem.slug for problem in found if problem.slug.startswith("path-cut")] == []


def test_a_marked_leaf_behind_a_rounding_is_told_of_without_being_asked_for(play: Play) -> None:
    report = play(W + "loss = (w.round() * 2.0).sum()").ask("gv.diagnose(loss)")
    (problem,) = [p for p in report.problems if p.slug.startswith("path-cut")]
    assert (problem.slug, problem.severity) == ("path-cut-non-differentiable", "warning")


def test_problems_come_worst_first_and_each_once(play: Play) -> None:
    session = play(
        W + "kept = w * 3.0\nb = gv.tensor([1.0], requires_grad=True)\nloss = w.detach() * 2.0"
    )
    report = session.ask("gv.diagnose(loss, wrt=[w, b])")
    order = ["error", "warning", "note"]
    ranks = [order.index(p.severity) for p in report.problems]
    assert ranks == sorted(ranks) and len(report) == len(list(report)) > 2
    assert len({(p.slug, p.cause, p.nodes) for p in report}) == len(report)
    assert bool(report) and "untracked-root" in repr(report)
    assert str(report).startswith("No tracked tensor feeds this root")


def test_a_root_consumed_by_the_backward_that_gave_the_gradients_is_no_problem(play: Play) -> None:
    session = play(W + "loss = (w * w).sum()\ngrads = loss.backward()")
    assert session.slugs("gv.diagnose(loss, wrt=w, grads=grads)") == []
    assert session.slugs("gv.diagnose(loss, wrt=w)") == ["graph-consumed"]


def test_what_is_asked_about_may_be_nested(play: Play) -> None:
    session = play(LAYER + W + "loss = net(x).sum() + w.sum()")
    assert session.ask('gv.diagnose([loss], wrt={"net": net, "more": [w, (w,)]})').ok
    assert session.ask("gv.diagnose(loss, wrt=net.parameters())").ok


@pytest.mark.parametrize(
    ("question", "slug"),
    [
        ("gv.diagnose(3.0)", "not-a-tensor"),
        ("gv.diagnose(w, wrt='w')", "not-a-tensor"),
        ("gv.diagnose(w, grads={})", "invalid-argument"),
        ("gv.why(w, 3.0)", "not-a-tensor"),
    ],
)
def test_what_is_no_tensor_is_refused(question: str, slug: str, play: Play) -> None:
    session = play(W)
    with pytest.raises(Exception, match=r"tensor|grads must be") as caught:
        session.ask(question)
    assert caught.value.slug == slug
