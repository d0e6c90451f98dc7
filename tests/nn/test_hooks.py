"""Hooks around the calls of modules."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import gradviz as gv
from tests.asserting import refused


@pytest.fixture
def net():
    gv.manual_seed(0)
    return gv.nn.Sequential(gv.nn.Linear(2, 3), gv.nn.Tanh(), gv.nn.Linear(3, 1))


X = np.array([[1.0, -2.0], [0.5, 3.0]], "f")


def test_hooks_see_every_call(net):
    seen = []
    net[1].register_forward_hook(lambda layer, args, out: seen.append((layer, args, out)))
    net(gv.tensor(X))
    ((layer, (given,), out),) = seen
    assert layer is net[1]
    assert np.array_equal(out.numpy(), np.tanh(given.detach().numpy()))
    assert out.requirement == "grad_in_backward"


def test_what_they_return_takes_the_place(net):
    plain = net(gv.tensor(X)).numpy()
    with (
        net[1].register_forward_hook(lambda layer, args, out: out * 0.0),
        net[2].register_forward_pre_hook(lambda layer, args: args[0] + 0.0),
        net.register_forward_pre_hook(lambda layer, args: (args[0] * 5.0,)),
    ):
        bias = net[2].bias.numpy()
        assert np.array_equal(net(gv.tensor(X)).numpy(), np.broadcast_to(bias, (2, 1)))
    assert np.array_equal(net(gv.tensor(X)).numpy(), plain)


def test_they_run_in_the_order_they_came_or_first(net):
    order = []
    for name, first in (("a", False), ("b", False), ("c", True)):
        net.register_forward_pre_hook(lambda *_, name=name: order.append(name), prepend=first)
        net.register_forward_hook(lambda *_, name=name: order.append(name.upper()), prepend=first)
    net(gv.tensor(X))
    assert order == ["c", "a", "b", "C", "A", "B"]


def test_keyword_arguments_are_shown_to_who_asks():
    class Scale(gv.nn.Module):
        def forward(self, x, *, by=1.0):
            return x * by

    module, seen = Scale(), []
    module.register_forward_pre_hook(
        lambda module, args, kwargs: (args, {"by": kwargs["by"] * 2.0}), with_kwargs=True
    )
    module.register_forward_hook(
        lambda module, args, kwargs, out: seen.append(kwargs), with_kwargs=True
    )
    assert module(gv.ones(1), by=3.0).tolist() == [6.0]
    assert seen == [{"by": 6.0}]
    module.register_forward_pre_hook(lambda module, args, kwargs: args, with_kwargs=True)
    refused(lambda: module(gv.ones(1), by=3.0), "invalid-argument", builtin=TypeError)


def test_gradients_come_to_activations_through_hooks(net):
    kept = {}

    def keep(layer, args, out):
        kept["activation"] = out
        out.register_hook(lambda g: kept.update(gradient=g))

    net[1].register_forward_hook(keep)
    net(gv.tensor(X)).sum().backward()
    assert kept["gradient"].shape == kept["activation"].shape == (2, 3)
    expected = np.broadcast_to(net[2].weight.numpy(), (2, 3))
    assert np.allclose(kept["gradient"].numpy(), expected)


def test_copies_keep_hooks_and_states_have_none(net):
    calls = []
    handle = net[0].register_forward_hook(lambda *_: calls.append(1))
    other = copy.deepcopy(net)
    assert list(other.state_dict()) == ["0.weight", "0.bias", "2.weight", "2.bias"]
    handle.remove()
    net(gv.tensor(X))
    assert calls == []
    other(gv.tensor(X))
    assert calls == [1]


def test_hooks_run_in_recordings_and_checks(net):
    net[0].register_forward_hook(lambda layer, args, out: out.relu())
    captured = gv.capture(net, gv.spec((2, 2)))
    assert "relu" in [operation.op for operation in captured.operations]
    assert np.array_equal(captured.run(X).numpy(), net(gv.tensor(X)).numpy())
    assert gv.check(lambda x: net(x).mean(), gv.spec((2, 2)), wrt=net).ok


def test_what_can_not_be_called_is_refused(net):
    refused(lambda: net.register_forward_hook(3), "invalid-argument", builtin=TypeError)
    refused(lambda: net.register_forward_pre_hook(None), "invalid-argument", builtin=TypeError)
    assert (
        "register_hook"
        in refused(lambda: net.register_full_backward_hook, "name-from-elsewhere").problem.advice
    )
