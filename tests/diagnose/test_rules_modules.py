"""Rules about modules and optimizers: each with the program it speaks about and a healthy twin."""

from __future__ import annotations

import gc

import pytest

import gradviz as gv
from tests.diagnose.conftest import Play

HEAD = """
class Net(gv.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = gv.nn.Linear(2, 2)
        {more}

    def forward(self, x):
        return {out}

net = Net()
x = gv.ones(4, 2)
"""
PLAIN = HEAD.format(more="pass", out="self.first(x)")
TRAIN = "loss = (net(x) ** 2).mean()\n"
ASK = "gv.diagnose(loss, wrt=net)"

# name: (slug, failing program with its cause marked "# cause", healthy twin)
RULES = {
    "a tensor instead of a parameter": (
        "parameter-not-registered",
        HEAD.format(
            more="self.scale = gv.ones(2, requires_grad=True)  # cause",
            out="self.first(x) * self.scale",
        )
        + "opt = gv.optim.SGD(net.parameters(), lr=0.1)\n"
        + TRAIN,
        HEAD.format(
            more="self.scale = gv.nn.Parameter(gv.ones(2))", out="self.first(x) * self.scale"
        )
        + "opt = gv.optim.SGD(net.parameters(), lr=0.1)\n"
        + TRAIN,
    ),
    "the same without an optimizer": (
        "parameter-not-registered",
        HEAD.format(
            more="self.scale = gv.ones(2, requires_grad=True)  # cause",
            out="self.first(x) * self.scale",
        )
        + TRAIN,
        HEAD.format(
            more="self.scale = gv.nn.Parameter(gv.ones(2))", out="self.first(x) * self.scale"
        )
        + TRAIN,
    ),
    "modules in a list": (
        "parameter-not-registered",
        HEAD.format(
            more="self.rest = [gv.nn.Linear(2, 2)]  # cause", out="self.rest[0](self.first(x))"
        )
        + "opt = gv.optim.SGD(net.parameters(), lr=0.1)\n"
        + TRAIN,
        HEAD.format(
            more="self.rest = gv.nn.ModuleList([gv.nn.Linear(2, 2)])",
            out="self.rest[0](self.first(x))",
        )
        + "opt = gv.optim.SGD(net.parameters(), lr=0.1)\n"
        + TRAIN,
    ),
    "modules in a dict, without an optimizer": (
        "parameter-not-registered",
        HEAD.format(
            more='self.rest = {"a": gv.nn.Linear(2, 2)}  # cause',
            out='self.rest["a"](self.first(x))',
        )
        + TRAIN,
        HEAD.format(
            more='self.rest = gv.nn.ModuleDict({"a": gv.nn.Linear(2, 2)})',
            out='self.rest["a"](self.first(x))',
        )
        + TRAIN,
    ),
    "frozen": (
        "parameter-frozen",
        PLAIN
        + "b = gv.ones(2, requires_grad=True)\nnet.freeze()  # cause\nloss = (net(x) * b).mean()",
        PLAIN
        + "b = gv.ones(2, requires_grad=True)\nnet.freeze().unfreeze()\nloss = (net(x) * b).mean()",
    ),
    "unfrozen too late": (
        "parameter-frozen",
        PLAIN
        + "b = gv.ones(2, requires_grad=True)\nnet.freeze()  # cause\nloss = (net(x) * b).mean()\nnet.unfreeze()",
        PLAIN + "b = gv.ones(2, requires_grad=True)\nloss = (net(x) * b).mean()\nnet.freeze()",
    ),
    "an optimizer of another model": (
        "parameter-not-in-optimizer",
        PLAIN + "other = Net()\nopt = gv.optim.SGD(other.parameters(), lr=0.1)  # cause\n" + TRAIN,
        PLAIN + "other = Net()\nopt = gv.optim.SGD(net.parameters(), lr=0.1)\n" + TRAIN,
    ),
    "a replaced layer": (
        "optimizer-holds-stale-parameter",
        PLAIN
        + "opt = gv.optim.SGD(net.parameters(), lr=0.1)\nnet.first = gv.nn.Linear(2, 2)  # cause\n"
        + TRAIN,
        PLAIN
        + "net.first = gv.nn.Linear(2, 2)\nopt = gv.optim.SGD(net.parameters(), lr=0.1)\n"
        + TRAIN,
    ),
    "tensors in a dict": (
        "parameter-not-registered",
        HEAD.format(
            more="self.rest = {'a': gv.ones(2, requires_grad=True)}  # cause",
            out="self.first(x) * self.rest['a']",
        )
        + "opt = gv.optim.SGD(net.parameters(), lr=0.1)\n"
        + TRAIN,
        HEAD.format(
            more="self.a = gv.nn.Parameter(gv.ones(2)); self.rest = {'a': self.a}",
            out="self.first(x) * self.rest['a']",
        )
        + "opt = gv.optim.SGD(net.parameters(), lr=0.1)\n"
        + TRAIN,
    ),
    "a parameter beside the modules": (
        "parameter-not-in-optimizer",
        PLAIN
        + "scale = gv.nn.Parameter(gv.ones(2))\nopt = gv.optim.SGD(net.parameters(), lr=0.1)  # cause\nloss = (net(x) * scale).mean()",
        PLAIN
        + "scale = gv.nn.Parameter(gv.ones(2))\nopt = gv.optim.SGD([*net.parameters(), scale], lr=0.1)\nloss = (net(x) * scale).mean()",
    ),
    "one of several optimizers": (
        "parameter-not-in-optimizer",
        PLAIN
        + "nets = [net, gv.nn.Linear(2, 1)]\nopts = [gv.optim.SGD(net.parameters(), lr=0.1)]  # cause\nloss = nets[1](net(x)).mean()",
        PLAIN
        + "nets = [net, gv.nn.Linear(2, 1)]\nopts = [gv.optim.SGD(n.parameters(), lr=0.1) for n in nets]\nopt = opts[0]\nloss = nets[1](net(x)).mean()",
    ),
}

LEAVES = "w = gv.ones(2, requires_grad=True)\nb = gv.zeros(1, requires_grad=True)\n"


@pytest.mark.parametrize(
    ("program", "slug"),
    [
        (LEAVES + "opt = gv.optim.SGD([w], lr=0.1)\n", "parameter-not-in-optimizer"),
        (
            LEAVES + "opt = gv.optim.SGD([w, b], lr=0.1)\nb = (b.detach() + 1.0).require_grad()\n",
            "optimizer-holds-stale-parameter",
        ),
        (
            LEAVES + "opt = gv.optim.SGD([v.detach().require_grad() for v in (w, b)], lr=0.1)\n",
            "optimizer-holds-stale-parameter",
        ),
        (LEAVES + "opt = gv.optim.SGD([w, b], lr=0.1)\n", None),
    ],
)
def test_leaves_that_an_optimizer_should_hold(program: str, slug: str | None, play: Play) -> None:
    session = play(program + "loss = (w * 2.0 + b).sum()")
    assert session.slugs("gv.diagnose(loss, wrt=[w, b])") == ([] if slug is None else [slug])


def test_optimizers_in_closures_count(play: Play) -> None:
    session = play(
        PLAIN
        + """
def trainer(model):
    opt = gv.optim.SGD(model.parameters(), lr=0.1)
    return lambda loss: opt.step(loss.backward())

head = gv.nn.Linear(2, 1)
step, opt = trainer(net), gv.optim.SGD(head.parameters(), lr=0.1)
loss = head(net(x)).mean()
"""
    )
    assert session.slugs("gv.diagnose(loss, wrt=[net, head])") == []


@pytest.fixture(autouse=True)
def _no_other_modules() -> None:
    """Modules and optimizers of earlier tests would be in sight while they live."""
    gc.collect()


@pytest.mark.parametrize("name", RULES)
def test_rule_speaks(name: str, play: Play) -> None:
    slug, failing, _ = RULES[name]
    session = play(failing)
    report = session.ask(ASK)
    found = [p for p in report.problems if p.slug == slug]
    assert found, report
    assert {p.severity for p in found} == {"warning"}
    assert found[0].cause.line == session.line("# cause"), found[0].cause
    assert not report.ok


@pytest.mark.parametrize("name", RULES)
def test_its_healthy_twin_is_quiet(name: str, play: Play) -> None:
    session = play(RULES[name][2])
    assert session.slugs(ASK) == []


def test_parts_that_are_left_out_on_purpose_are_no_problem(play: Play) -> None:
    session = play(
        PLAIN
        + """
head = gv.nn.Linear(2, 1)
opt = gv.optim.SGD([net.first.weight], lr=0.1)
loss = (net(x) ** 2).mean()
"""
    )
    assert session.slugs("gv.diagnose(loss, wrt=net.first.weight)") == []


def test_leaves_updated_by_hand_need_no_optimizer(play: Play) -> None:
    session = play(
        PLAIN
        + """
w = gv.ones(2, requires_grad=True)
opt = gv.optim.SGD(net.parameters(), lr=0.1)
loss = (net(x) * w).mean()
"""
    )
    assert session.slugs("gv.diagnose(loss, wrt=[net, w])") == []


def test_parameters_of_the_reader_are_named_by_path(play: Play) -> None:
    session = play(
        "net = gv.nn.Sequential(gv.nn.Linear(2, 2), gv.nn.Linear(2, 1))\nnet[1].freeze()\nloss = net(gv.ones(2)).sum()"
    )
    problem = session.ask("gv.diagnose(loss, wrt=net)").problems[0]
    assert problem.slug == "parameter-frozen"
    assert "weight" in problem.reason and "1" in problem.reason


def test_an_optimizer_that_is_garbage_says_nothing() -> None:
    class Gain(gv.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.gain = gv.nn.Parameter([1.0])

    class Net(gv.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layers = [gv.nn.Linear(2, 1)]

        def forward(self, x: gv.Tensor) -> gv.Tensor:
            return self.layers[0](x)

    gc.collect()
    gc.disable()
    try:
        old = Gain()
        optimizer = gv.optim.SGD(old.parameters(), lr=0.1)
        optimizer.itself = optimizer  # type: ignore[attr-defined]
        old.gain = gv.nn.Parameter([2.0])
        del old, optimizer
        net = Net()
        loss = net(gv.ones(1, 2)).sum()
        report = gv.diagnose(loss, wrt=[net.layers[0].weight])
    finally:
        gc.enable()
    assert {problem.slug for problem in report} == {"parameter-not-registered"}
