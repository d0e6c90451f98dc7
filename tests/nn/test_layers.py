"""Layers, activations, containers, losses and initial values against formulas written out in NumPy."""

from __future__ import annotations

import math

import numpy as np
import pytest

import gradviz as gv
from tests.asserting import refused

X = np.linspace(-3.0, 3.0, 12, dtype=np.float32).reshape(3, 4)


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


def softmax(x, axis):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


_erf = np.vectorize(math.erf)
ACTIVATIONS = [
    (gv.nn.ReLU(), lambda x: np.maximum(x, 0)),
    (gv.nn.LeakyReLU(0.2), lambda x: np.where(x > 0, x, 0.2 * x)),
    (gv.nn.ELU(0.5), lambda x: np.where(x > 0, x, 0.5 * np.expm1(x))),
    (gv.nn.GELU(), lambda x: 0.5 * x * (1 + _erf(x / math.sqrt(2)))),
    (
        gv.nn.GELU("tanh"),
        lambda x: 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
    ),
    (gv.nn.SiLU(), lambda x: x * sigmoid(x)),
    (gv.nn.Sigmoid(), sigmoid),
    (gv.nn.Tanh(), np.tanh),
    (gv.nn.Softplus(2.0), lambda x: np.log1p(np.exp(2 * x)) / 2),
    (gv.nn.Softmax(dim=0), lambda x: softmax(x, 0)),
    (gv.nn.Softmax(), lambda x: softmax(x, 1)),
    (gv.nn.LogSoftmax(dim=1), lambda x: np.log(softmax(x, 1))),
    (gv.nn.Identity(3, some="thing"), lambda x: x),
    (gv.nn.Flatten(0), lambda x: x.reshape(-1)),
    (gv.nn.Unflatten(1, (2, 2)), lambda x: x.reshape(3, 2, 2)),
]


@pytest.mark.parametrize(("module", "formula"), ACTIVATIONS, ids=[str(a[0]) for a in ACTIVATIONS])
def test_module_computes_its_formula(module, formula):
    np.testing.assert_allclose(module(gv.tensor(X)).numpy(), formula(X), rtol=1e-5, atol=1e-6)
    tracked = module(gv.tensor(X, requires_grad=True))
    assert tracked.is_tracked and list(module.parameters()) == []


# --- Linear --------------------------------------------------------------------------------------
def test_linear_is_pytorchs():
    layer = gv.nn.Linear(4, 2)
    out = layer(gv.tensor(X))
    expected = X @ layer.weight.numpy().T + layer.bias.numpy()
    np.testing.assert_allclose(out.numpy(), expected, rtol=1e-5, atol=1e-6)
    grads = out.sum().backward()
    np.testing.assert_allclose(
        layer.weight.grad(grads).numpy(), np.tile(X.sum(0), (2, 1)), rtol=1e-5
    )
    assert layer.bias.grad(grads).tolist() == [3.0, 3.0]


def test_linear_starts_within_its_bound_and_from_the_seed():
    gv.manual_seed(7)
    first = gv.nn.Linear(100, 50)
    gv.manual_seed(7)
    second = gv.nn.Linear(100, 50)
    for name, array in first.state_dict().items():
        np.testing.assert_array_equal(array, second.state_dict()[name])
        assert np.abs(array).max() <= 0.1
    weight = first.weight.numpy()
    assert abs(weight.std() - 0.1 / math.sqrt(3)) < 0.002 and abs(weight.mean()) < 0.003
    assert not np.array_equal(gv.nn.Linear(100, 50).weight.numpy(), weight)


def test_linear_without_bias_in_another_dtype_and_empty():
    layer = gv.nn.Linear(3, 2, bias=False, dtype="float64")
    assert layer.bias is None and layer.weight.dtype == np.float64
    assert [n for n, _ in layer.named_parameters()] == ["weight"]
    assert gv.nn.Linear(0, 2)(gv.ones(5, 0)).shape == (5, 2)
    assert gv.nn.Linear(2, 0)(gv.ones(5, 2)).shape == (5, 0)
    assert gv.nn.Linear(3, 2)(gv.ones(0, 3)).shape == (0, 2)
    assert gv.nn.Linear(3, 2)(gv.ones(4, 5, 3)).shape == (4, 5, 2)


@pytest.mark.parametrize("sizes", [(-1, 2), (2, 1.5), ("2", 2), (True, 2)])
def test_linear_refuses_sizes_that_are_none(sizes):
    refused(lambda: gv.nn.Linear(*sizes), "invalid-argument")


def test_linear_names_the_width_it_expects():
    refused(lambda: gv.nn.Linear(4, 2)(gv.ones(8, 3)), "shape-mismatch", "(8, 3)")


# --- Dropout -------------------------------------------------------------------------------------
def test_dropout_scales_what_it_keeps_while_training():
    gv.manual_seed(0)
    drop = gv.nn.Dropout(0.25)
    x = gv.ones(4000, requires_grad=True)
    out = drop(x)
    assert set(np.unique(out.numpy()).round(5)) == {0.0, np.float32(4 / 3).round(5)}
    assert abs((out.numpy() == 0).mean() - 0.25) < 0.03
    np.testing.assert_allclose(x.grad(out.sum().backward()).numpy(), out.numpy())
    assert drop.eval()(x).tolist() == x.tolist()


def test_dropout_repeats_with_the_seed():
    drop = gv.nn.Dropout()
    gv.manual_seed(5)
    first = drop(gv.ones(50)).tolist()
    gv.manual_seed(5)
    assert drop(gv.ones(50)).tolist() == first != drop(gv.ones(50)).tolist()


@pytest.mark.parametrize("p", [-0.1, 1.1])
def test_dropout_refuses_a_share_outside(p):
    refused(lambda: gv.nn.Dropout(p), "invalid-argument")


# --- containers ----------------------------------------------------------------------------------
def chain():
    return gv.nn.Sequential(gv.nn.Linear(2, 3), gv.nn.ReLU(), gv.nn.Linear(3, 1))


def test_sequential_runs_in_order():
    model = chain()
    x = gv.ones(2)
    np.testing.assert_array_equal(model(x).numpy(), model[2](model[1](model[0](x))).numpy())
    assert gv.nn.Sequential()(x) is x


def test_sequential_by_name():
    model = gv.nn.Sequential({"lin": gv.nn.Linear(2, 3), "act": gv.nn.Tanh()})
    assert [n for n, _ in model.named_parameters()] == ["lin.weight", "lin.bias"]
    assert model.act is model[1] and list(dict(model[:1].named_children())) == ["lin"]


def test_sequential_is_a_sequence():
    model = chain()
    assert len(model) == 3 and [type(m).__name__ for m in model] == ["Linear", "ReLU", "Linear"]
    assert model[-1] is model[2] and type(model[1:]) is gv.nn.Sequential and len(model[1:]) == 2
    assert model[1] in model and gv.nn.ReLU() not in model
    assert model.append(gv.nn.Tanh()) is model and len(model) == 4
    model.insert(0, gv.nn.Identity())
    assert [n for n, _ in model.named_parameters()] == ["1.weight", "1.bias", "3.weight", "3.bias"]
    del model[0]
    assert model.pop().__class__ is gv.nn.Tanh and len(model) == 3
    model[1] = gv.nn.Sigmoid()
    assert [n for n, _ in model.named_children()] == ["0", "1", "2"]
    del model[1:]
    assert len(model) == 1


def test_sequential_refuses_what_is_no_module():
    refused(lambda: gv.nn.Sequential(gv.nn.ReLU), "invalid-argument", "ReLU()")
    refused(lambda: gv.nn.Sequential(gv.relu), "invalid-argument")
    refused(lambda: chain().append(3), "invalid-argument")
    refused(lambda: chain()[3], "index-out-of-range")
    refused(lambda: chain()["0"], "invalid-argument")
    with pytest.raises(IndexError):
        chain()[3]


def test_module_list():
    layers = gv.nn.ModuleList([gv.nn.Linear(2, 2)])
    layers += [gv.nn.Linear(2, 2)]
    layers.extend(gv.nn.ModuleList([gv.nn.Linear(2, 1)]))
    assert len(layers) == 3 and len(list(layers.parameters())) == 6
    assert (
        len(layers + gv.nn.ModuleList([gv.nn.ReLU()])) == 4 and type(layers[:2]) is gv.nn.ModuleList
    )
    assert repr(layers) == (
        "ModuleList(\n"
        "  (0-1): 2 x Linear(in_features=2, out_features=2, bias=True)\n"
        "  (2): Linear(in_features=2, out_features=1, bias=True)\n"
        ")"
    )
    assert repr(gv.nn.ModuleList()) == "ModuleList()"
    refused(lambda: layers(gv.ones(2)), "invalid-argument")


def test_module_dict():
    heads = gv.nn.ModuleDict({"a": gv.nn.Linear(2, 1)})
    heads["b"] = gv.nn.Linear(2, 2)
    heads.update([("c", gv.nn.Identity())])
    assert list(heads) == heads.keys() == ["a", "b", "c"] and len(heads) == 3 and "a" in heads
    assert [type(m).__name__ for m in heads.values()] == ["Linear", "Linear", "Identity"]
    assert [n for n, _ in heads.named_parameters()] == ["a.weight", "a.bias", "b.weight", "b.bias"]
    assert heads.pop("c").__class__ is gv.nn.Identity and "c" not in heads
    del heads["b"]
    assert [name for name, _ in heads.items()] == ["a"]
    with pytest.raises(KeyError):
        _ = heads["z"]
    refused(lambda: heads.update({"keys": gv.nn.Identity()}), "invalid-argument")
    refused(lambda: heads.update({"x": 3}), "invalid-argument")


def test_modules_in_lists_and_dicts_say_the_name_of_those():
    class Net(gv.nn.Module):
        def __init__(self):
            super().__init__()
            self.blocks = gv.nn.ModuleList([gv.nn.Linear(2, 2)])
            self.blocks.append(gv.nn.Linear(2, 2))
            self.heads = gv.nn.ModuleDict({"a": gv.nn.ModuleList([gv.nn.Linear(2, 2)])})
            self.tail = gv.nn.Sequential(gv.nn.Linear(2, 2))

        def forward(self, x):
            for block in self.blocks[1:]:
                x = block(x)
            return self.tail(self.heads["a"][0](self.blocks[0](x)))

    graph = gv.graph(Net()(gv.ones(2)).sum())
    modules = {group.label for group in graph.groups if group.kind == "module"}
    assert modules == {"Net", "blocks.1", "blocks.0", "heads.a.0", "tail", "0"}


def test_parameter_list():
    weights = gv.nn.ParameterList([gv.ones(2), gv.nn.Parameter([3.0])])
    weights += [gv.zeros(1)]
    first = weights[0]
    assert isinstance(first, gv.nn.Parameter) and first.requirement == "grad"
    assert [name for name, _ in weights.named_parameters()] == ["0", "1", "2"]
    assert weights.pop(1).tolist() == [3.0] and [w.shape for w in weights] == [(2,), (1,)]
    assert first in weights and type(weights[:1]) is gv.nn.ParameterList
    assert len(weights + gv.nn.ParameterList([gv.ones(1)])) == 3 and len(weights) == 2
    assert repr(weights) == "ParameterList(2 parameters)"
    model = gv.nn.Identity()
    model.weights = weights
    assert list(model.state_dict()) == ["weights.0", "weights.1"]
    refused(lambda: weights.extend([gv.ones(1), gv.nn.Linear(1, 1)]), "invalid-argument")
    refused(lambda: weights.append(gv.tensor([1])), "require-grad-on-non-float")
    refused(lambda: weights[2], "index-out-of-range")
    assert len(weights) == 2


def test_parameter_dict():
    weights = gv.nn.ParameterDict({"left": gv.ones(2)})
    weights["right"] = gv.nn.Parameter([3.0])
    assert list(weights) == ["left", "right"] and weights["left"].requirement == "grad"
    assert [name for name, _ in weights.named_parameters()] == ["left", "right"]
    assert repr(weights) == "ParameterDict(left, right)"
    assert weights.pop("right").tolist() == [3.0] and len(weights) == 1
    with pytest.raises(KeyError):
        _ = weights["right"]
    refused(lambda: weights.update({"x": 3}), "invalid-argument")
    refused(lambda: weights.update({"a.b": gv.ones(1)}), "invalid-argument")
    refused(lambda: weights.update({"keys": gv.ones(1)}), "invalid-argument")


# --- losses --------------------------------------------------------------------------------------
SCORES = np.array([[1.0, -2.0, 0.5], [0.0, 3.0, -1.0]], np.float32)
CLASSES = np.array([2, 1])
WEIGHT = np.array([1.0, 2.0, 0.5], np.float32)


def test_cross_entropy_loss():
    picked = -np.log(softmax(SCORES, 1))[np.arange(2), CLASSES]
    expected = {"none": picked, "sum": picked.sum(), "mean": picked.mean()}
    for reduction, number in expected.items():
        loss = gv.nn.CrossEntropyLoss(reduction=reduction)(gv.tensor(SCORES), gv.tensor(CLASSES))
        np.testing.assert_allclose(loss.numpy(), number, rtol=1e-5)


def test_weighted_and_smoothed_cross_entropy_loss():
    log_probs = np.log(softmax(SCORES, 1))
    weights = WEIGHT[CLASSES]
    picked = -(log_probs[np.arange(2), CLASSES] * weights).sum() / weights.sum()
    spread = -(log_probs * WEIGHT).sum() / weights.sum()
    loss = gv.nn.CrossEntropyLoss(weight=gv.tensor(WEIGHT), label_smoothing=0.1)
    got = loss(gv.tensor(SCORES), gv.tensor(CLASSES)).item()
    assert got == pytest.approx(0.9 * picked + 0.1 / 3 * spread, rel=1e-5)
    assert isinstance(loss.weight, gv.nn.Buffer) and list(loss.parameters()) == []


def test_ignored_classes_and_nll_loss():
    log_probs = np.log(softmax(SCORES, 1))
    loss = gv.nn.NLLLoss(ignore_index=1)(gv.tensor(log_probs), gv.tensor(CLASSES))
    assert loss.item() == pytest.approx(-log_probs[0, 2], rel=1e-5)
    loss = gv.nn.CrossEntropyLoss(ignore_index=2)(gv.tensor(SCORES), gv.tensor(CLASSES))
    assert loss.item() == pytest.approx(-log_probs[1, 1], rel=1e-5)


def test_mse_and_l1_loss():
    a, b = SCORES, SCORES[::-1].copy()
    for module, each in ((gv.nn.MSELoss, (a - b) ** 2), (gv.nn.L1Loss, np.abs(a - b))):
        for reduction, number in (("none", each), ("sum", each.sum()), ("mean", each.mean())):
            got = module(reduction=reduction)(gv.tensor(a), gv.tensor(b)).numpy()
            np.testing.assert_allclose(got, number, rtol=1e-5)


def test_losses_refuse_an_unknown_reduction():
    for module in (gv.nn.MSELoss, gv.nn.L1Loss, gv.nn.NLLLoss, gv.nn.CrossEntropyLoss):
        refused(
            lambda module=module: module(reduction="average"), "invalid-argument", module.__name__
        )


# --- initial values ------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("draw", "spread"),
    [
        (lambda: gv.nn.init.xavier_uniform(300, 200), math.sqrt(2 / 500)),
        (lambda: gv.nn.init.xavier_normal(300, 200, gain=2.0), 2 * math.sqrt(2 / 500)),
        (lambda: gv.nn.init.kaiming_uniform(300, 200, nonlinearity="relu"), math.sqrt(2 / 200)),
        (lambda: gv.nn.init.kaiming_normal((300, 200), mode="fan_out"), math.sqrt(2 / 300)),
        (lambda: gv.nn.init.kaiming_uniform(300, 200, a=math.sqrt(5)), math.sqrt(1 / 600)),
        (lambda: gv.nn.init.xavier_normal(60, 10, 4, 4), math.sqrt(2 / (70 * 16))),
        (lambda: gv.nn.init.uniform(50000, a=-1.0, b=2.0), 3 / math.sqrt(12)),
        (lambda: gv.nn.init.normal(50000, std=0.5), 0.5),
    ],
)
def test_initial_values_have_their_spread(draw, spread):
    gv.manual_seed(1)
    made = draw()
    assert made.numpy().std() == pytest.approx(spread, rel=0.03)
    assert type(made) is gv.Tensor and not made.is_tracked


def test_initial_values_set_in_place():
    layer = gv.nn.Linear(200, 300)
    weight = layer.weight
    gv.manual_seed(2)
    assert gv.nn.init.kaiming_normal_(layer.weight, nonlinearity="relu") is weight
    assert weight.numpy().std() == pytest.approx(0.1, rel=0.03) and weight.is_require_grad
    assert gv.nn.init.zeros_(layer.bias).numpy().any() == False  # noqa: E712
    assert gv.nn.init.ones_(layer.bias).tolist() == [1.0] * 300
    assert gv.nn.init.constant_(layer.bias, 0.5).tolist() == [0.5] * 300
    for name in ("xavier_uniform_", "xavier_normal_", "kaiming_uniform_", "uniform_", "normal_"):
        before = weight.numpy()
        getattr(gv.nn.init, name)(weight)
        assert not np.array_equal(before, weight.numpy())


def test_initial_values_refuse_what_they_cannot_set():
    refused(
        lambda: gv.nn.init.xavier_uniform_(gv.ones(2, 2)),
        "in-place-on-tensor",
        "xavier_uniform((2, 2))",
    )
    refused(lambda: gv.nn.init.zeros_([1.0]), "not-a-tensor")
    refused(lambda: gv.nn.init.xavier_uniform(3), "invalid-argument")
    refused(lambda: gv.nn.init.kaiming_uniform(3, 2, mode="fan"), "invalid-argument")
    refused(lambda: gv.nn.init.calculate_gain("swish"), "invalid-argument")


def test_gains():
    assert gv.nn.init.calculate_gain("tanh") == pytest.approx(5 / 3)
    assert gv.nn.init.calculate_gain("leaky_relu", 0.5) == pytest.approx(math.sqrt(2 / 1.25))
