"""freeze, unfreeze, valid."""

from __future__ import annotations

import numpy as np

import gradviz as gv
from gradviz.nn.registry import freeze_of
from tests.asserting import refused


def two():
    gv.manual_seed(3)
    return gv.nn.Sequential(gv.nn.Linear(2, 3), gv.nn.Tanh(), gv.nn.Linear(3, 1))


def values(module):
    return {name: array.tolist() for name, array in module.state_dict().items()}


def test_frozen_parameters_are_constants():
    model = two()
    assert model[0].freeze() is model[0]
    assert model[0].weight.requirement == "none" and model[2].weight.requirement == "grad"
    grads = model(gv.ones(1, 2)).sum().backward()
    assert model[0].weight.grad(grads) is None and model[2].weight.grad(grads) is not None
    model.freeze()
    assert not model(gv.ones(1, 2)).is_tracked
    model.unfreeze()
    assert all(p.is_require_grad for p in model.parameters())


def test_requires_grad_is_the_same_switch():
    model = two()
    assert model.requires_grad_(False) is model
    assert not any(p.is_require_grad for p in model.parameters())
    assert all(p.is_require_grad for p in model.requires_grad_().parameters())


def test_freezing_in_the_middle_of_training():
    model = two()
    opt = gv.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    x, y = gv.randn(8, 2), gv.randn(8, 1)

    def train():
        opt.step(gv.mse_loss(model(x), y).backward())

    objects = list(model.parameters())
    train()
    start = values(model)
    model[0].freeze()
    train()
    train()
    middle = values(model)
    assert middle["0.weight"] == start["0.weight"] and middle["0.bias"] == start["0.bias"]
    assert middle["2.weight"] != start["2.weight"]
    model[0].unfreeze()
    train()
    assert values(model)["0.weight"] != middle["0.weight"]
    assert all(a is b for a, b in zip(objects, model.parameters(), strict=True))


def test_freezing_between_forward_and_step_leaves_the_values():
    model = two()
    opt = gv.optim.SGD(model.parameters(), lr=0.1)
    loss = model(gv.ones(1, 2)).sum()
    before = values(model)
    model[0].freeze()
    opt.step(loss.backward())
    assert values(model)["0.weight"] == before["0.weight"]
    assert values(model)["2.weight"] != before["2.weight"]


def test_unfreezing_after_the_forward_pass_gives_no_gradient():
    model = two()
    model[0].freeze()
    loss = model(gv.ones(1, 2)).sum()
    model[0].unfreeze()
    assert model[0].weight.grad(loss.backward()) is None


def test_the_last_freeze_is_remembered_with_its_place():
    layer = gv.nn.Linear(2, 1)
    assert freeze_of(layer.weight) is None
    layer.freeze()
    event = freeze_of(layer.weight)
    assert event.source.text == "layer.freeze()" and event.until is None
    layer.freeze()
    assert freeze_of(layer.weight) is event
    layer.unfreeze()
    assert freeze_of(layer.weight).until > event.at


# --- valid ---------------------------------------------------------------------------------------
class Mixed(gv.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = gv.nn.Linear(2, 2)
        self.tied = self.layer
        self.drop = gv.nn.Dropout(0.9)
        self.bare = gv.ones(2, requires_grad=True)
        self.listed = [gv.nn.Linear(2, 2)]
        self.named = {"last": (gv.nn.Parameter([2.0]),)}
        self.register_buffer("shift", gv.full((2,), 0.5))
        self.width = 2

    def forward(self, x):
        x = self.listed[0](self.drop(self.layer(x)))
        return x * self.bare * self.named["last"][0] + self.shift


def test_valid_computes_on_the_inner_device():
    model = Mixed()
    copy = model.valid()
    assert type(copy) is Mixed and copy is not model
    out = copy(gv.ones(1, 2))
    assert str(out.kind) == "NdArray"
    refused(lambda: out.sum().backward(), "requires-autodiff-tensor")


def test_valid_gives_the_models_values_in_evaluation_mode():
    model = Mixed()
    copy = model.valid()
    assert model.training and not any(m.training for m in copy.modules())
    model.eval()
    np.testing.assert_array_equal(copy(gv.ones(3, 2)).numpy(), model(gv.ones(3, 2)).numpy())


def test_valid_keeps_structure_names_and_sharing():
    model = Mixed()
    list(model.parameters())
    copy = model.valid()
    assert copy.layer is copy.tied and copy.width == 2
    assert (
        isinstance(copy.layer.weight, gv.nn.Parameter) and copy.layer.weight.name == "layer.weight"
    )
    assert list(copy.state_dict()) == list(model.state_dict())
    assert isinstance(copy.shift, gv.nn.Buffer)


def test_valid_leaves_the_model_alone_and_does_not_follow_it():
    model = two()
    copy = model.valid()
    before = values(copy)
    gv.optim.SGD(model.parameters(), lr=1.0).step(model(gv.ones(1, 2)).sum().backward())
    assert values(copy) == before != values(model)
    assert all(p.is_require_grad for p in model.parameters())


def test_valid_of_valid_and_unfreeze():
    copy = two().valid()
    assert copy.valid()(gv.ones(2)).kind == "NdArray"
    refused(copy.unfreeze, "require-grad-on-plain-kind")
    assert copy.freeze() is copy


def test_valid_of_a_module_that_holds_itself_ends():
    model = gv.nn.Module()
    model.me = model
    copy = model.valid()
    assert copy.me is copy
