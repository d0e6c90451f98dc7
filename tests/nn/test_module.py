"""Modules: attributes, paths, modes, calls, text."""

from __future__ import annotations

import copy
import gc
import pickle
import weakref

import numpy as np
import pytest

import gradviz as gv
from gradviz.nn.registry import live_modules, owners, replacement_of, root_modules
from tests.asserting import refused


class Block(gv.nn.Module):
    def __init__(self, width=3):
        super().__init__()
        self.first = gv.nn.Linear(2, width)
        self.second = gv.nn.Linear(width, 1, bias=False)
        self.gain = gv.nn.Parameter([1.0])
        self.register_buffer("steps", gv.zeros(1))
        self.loose = gv.ones(3)

    def forward(self, x):
        return self.second(self.first(x).relu()) * self.gain


class Net(gv.nn.Module):
    def __init__(self):
        super().__init__()
        self.block = Block()
        self.again = self.block
        self.extra = None

    def forward(self, x, *, scale=1.0):
        return self.block(x) * scale


# --- what belongs to a module --------------------------------------------------------------------
def test_attributes_are_found_in_order_with_dotted_paths():
    names = [name for name, _ in Net().named_parameters()]
    assert names == [
        "block.gain",
        "block.first.weight",
        "block.first.bias",
        "block.second.weight",
    ]
    assert [n for n, _ in Net().named_buffers()] == ["block.steps"]
    assert [n for n, _ in Net().named_modules()] == ["", "block", "block.first", "block.second"]
    assert [n for n, _ in Net().named_children()] == ["block"]


def test_duplicates_come_once_unless_asked_for():
    net = Net()
    assert len(list(net.parameters())) == 4
    every = [name for name, _ in net.named_parameters(remove_duplicate=False)]
    assert len(every) == 8 and "again.first.bias" in every
    assert [n for n, _ in net.named_parameters("net", recurse=False)] == []
    assert [n for n, _ in net.block.named_parameters("b", recurse=False)] == ["b.gain"]


def test_tied_parameters_come_once():
    net = gv.nn.Sequential(gv.nn.Linear(2, 2), gv.nn.Linear(2, 2))
    net[1].weight = net[0].weight
    assert [name for name, _ in net.named_parameters()] == ["0.weight", "0.bias", "1.bias"]


def test_plain_tensors_and_lists_are_not_registered():
    class Plain(gv.nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = gv.ones(2, requires_grad=True)
            self.layers = [gv.nn.Linear(1, 1)]

    assert list(Plain().parameters()) == [] and list(Plain().children()) == []


def test_parameters_are_named_by_the_longest_path():
    block = Block()
    list(block.parameters())
    assert block.first.weight.name == "first.weight"
    net = gv.nn.Sequential(block)
    list(net.parameters())
    assert block.first.weight.name == "0.first.weight"
    list(block.parameters())
    assert block.first.weight.name == "0.first.weight"


def test_a_name_of_the_users_stays():
    class Scale(gv.nn.Module):
        def __init__(self):
            super().__init__()
            self.gain = gv.nn.Parameter([1.0], name="g")

    scale = Scale()
    list(scale.parameters())
    assert scale.gain.name == "g"


def test_looking_up_by_path():
    net = Net()
    assert net.get_parameter("again.first.bias") is net.block.first.bias
    assert net.get_submodule("block.second") is net.block.second
    assert net.get_submodule("") is net
    refused(lambda: net.get_parameter("block.first.bia"), "invalid-argument", "'block.first.bias'")
    refused(lambda: net.get_submodule("blocks"), "invalid-argument")


# --- setting attributes --------------------------------------------------------------------------
@pytest.mark.parametrize(
    "value", [gv.nn.Parameter([1.0]), gv.nn.Linear(1, 1), gv.nn.Buffer([1.0])], ids=repr
)
def test_setting_before_init_says_what_to_do(value):
    class Early(gv.nn.Module):
        def __init__(self):
            self.thing = value
            super().__init__()

    refused(lambda: Early(), "invalid-argument", "super().__init__()")  # noqa: PLW0108 - its place


def test_a_forgotten_init_is_named_by_a_missing_attribute():
    class Forgetful(gv.nn.Module):
        def __init__(self):
            self.width = 3

    with pytest.raises(AttributeError, match="super"):
        _ = Forgetful().layers


@pytest.mark.parametrize(
    "value", [gv.ones(3, 2), 3.0, np.ones((3, 2))], ids=lambda v: type(v).__name__
)
def test_a_parameter_is_not_replaced_by_something_else(value):
    layer = gv.nn.Linear(2, 3)
    kept = layer.weight
    refused(lambda: setattr(layer, "weight", value), "invalid-argument", "replace")
    assert layer.weight is kept


def test_a_module_is_not_replaced_by_something_else():
    net = Net()
    refused(lambda: setattr(net, "block", 3), "invalid-argument")
    net.block = None
    assert [name for name, _ in net.named_children()] == ["again"]


def test_replacing_a_parameter_is_remembered_with_its_place():
    layer = gv.nn.Linear(2, 1)
    old = layer.bias
    assert replacement_of(old) is None
    layer.bias = gv.nn.Parameter(gv.zeros(1))
    assert replacement_of(old).source.text.startswith("layer.bias")
    assert replacement_of(layer.bias) is None
    net = gv.nn.Sequential(layer)
    net[0] = gv.nn.Linear(2, 2)
    assert replacement_of(layer.weight) is not None


def test_a_tensor_in_the_place_of_a_buffer_becomes_one():
    block = Block()
    block.steps = block.steps + 1.0
    assert isinstance(block.steps, gv.nn.Buffer) and block.steps.tolist() == [1.0]
    assert "steps" in block.state_dict()


def test_deleting_an_attribute_unregisters_it():
    block = Block()
    del block.first, block.gain
    assert [name for name, _ in block.named_parameters()] == ["second.weight"]


@pytest.mark.parametrize("name", ["", "a.b", "training", "forward", "state_dict", "loose", 3])
def test_registering_refuses_bad_names(name):
    refused(lambda: Block().register_parameter(name, gv.nn.Parameter([1.0])), "invalid-argument")
    refused(lambda: Block().register_buffer(name, gv.zeros(1)), "invalid-argument")
    refused(lambda: Block().add_module(name, gv.nn.Identity()), "invalid-argument")


def test_registering_refuses_other_classes():
    refused(lambda: Block().register_parameter("p", gv.zeros(1)), "invalid-argument")
    refused(lambda: Block().register_buffer("b", [1.0]), "invalid-argument")
    refused(lambda: Block().add_module("m", gv.nn.Linear), "invalid-argument")


def test_registering_by_name():
    net = gv.nn.Module()
    net.register_parameter("p", gv.nn.Parameter([1.0]))
    net.register_parameter("absent", None)
    net.register_module("m", gv.nn.Linear(1, 1))
    net.register_buffer("b", gv.zeros(1), persistent=False)
    assert [n for n, _ in net.named_parameters()] == ["p", "m.weight", "m.bias"]
    assert net.absent is None and list(net.state_dict()) == ["p", "m.weight", "m.bias"]


# --- calls ---------------------------------------------------------------------------------------
def test_call_runs_forward_with_its_arguments():
    net = Net()
    x = gv.ones(4, 2)
    assert net(x).shape == (4, 1)
    np.testing.assert_allclose(net(x, scale=2.0).numpy(), 2.0 * net(x).numpy())


def test_calls_open_scopes_named_by_attribute():
    net = Net()
    out = net(gv.ones(1, 2))
    scope = out.node.parents[0].context.scope
    assert scope.kind == "module" and scope.label == "again"  # the last attribute that holds it
    assert scope.class_name == "Block" and scope.module() is net.block
    assert scope.parent.label == "Net" and scope.parent.parent is None
    assert gv.ones(1).node.context.scope is None


def test_scopes_close_when_forward_fails():
    layer = gv.nn.Linear(4, 2)
    refused(lambda: layer(gv.ones(8, 3)), "shape-mismatch")
    assert gv.ones(1).node.context.scope is None


def test_operations_of_own_layers_point_at_the_callers_line():
    class Two(gv.nn.Module):
        def __init__(self):
            super().__init__()
            self.one = gv.nn.Linear(2, 2)
            self.chain = gv.nn.Sequential(gv.nn.ReLU(), gv.nn.Tanh())

        def forward(self, x):
            hidden = self.one(x)
            return hidden, self.chain(hidden)

    hidden, out = Two()(gv.ones(1, 2))
    assert hidden.node.source.text == "self.one(x)"
    assert out.node.source.text == "self.chain(hidden)"


def test_a_scope_keeps_no_module_alive():
    layer = gv.nn.Linear(2, 1)
    out = layer(gv.ones(2)).detach()
    gone = weakref.ref(layer)
    del layer
    gc.collect()
    assert gone() is None and out.shape == (1,)


def test_missing_forward_is_named():
    class Nothing(gv.nn.Module):
        pass

    refused(lambda: Nothing()(1), "invalid-argument", "has no forward")


def test_misspelt_forward_is_guessed():
    class Typo(gv.nn.Module):
        def foward(self, x):
            return x

    refused(lambda: Typo()(1), "invalid-argument", "`foward`")


def test_there_is_no_zero_grad():
    assert not hasattr(gv.nn.Linear(1, 1), "zero_grad")
    with pytest.raises(AttributeError, match="nothing to zero"):
        gv.nn.Linear(1, 1).zero_grad()


# --- modes ---------------------------------------------------------------------------------------
def test_train_and_eval_reach_everything_and_return_the_module():
    net = Net()
    assert net.training
    assert net.eval() is net
    assert not any(module.training for module in net.modules())
    net.block.train()
    assert not net.training and net.block.first.training
    assert net.train(False).train() is net and all(m.training for m in net.modules())


def test_apply_visits_children_first():
    seen = []
    net = Net()
    assert net.apply(lambda m: seen.append(type(m).__name__)) is net
    assert seen == ["Linear", "Linear", "Block", "Net"]


def test_to_and_casts_are_in_place_and_keep_marks():
    net = gv.nn.Sequential(gv.nn.Linear(2, 2), Block())
    net[0].freeze()
    weight = net[0].weight
    list(net.parameters())
    assert net.double() is net
    assert net[0].weight is weight and weight.dtype == np.float64 and weight.name == "0.weight"
    assert weight.requirement == "none" and net[1].gain.requirement == "grad"
    assert net[1].steps.dtype == np.float64
    assert net(gv.ones(1, 2, dtype="float64")).dtype == np.float64
    assert net.float()[0].weight.dtype == np.float32 and net.half()[0].weight.dtype == np.float16


def test_to_another_strategy():
    balanced = gv.device("ndarray").autodiff(checkpointing="balanced")
    net = gv.nn.Linear(2, 1).to(balanced)
    assert net(gv.ones(2)).device is balanced
    assert net.to("ndarray").weight.device is gv.device("ndarray").autodiff()


def test_to_refuses_the_capture_device_and_integers():
    refused(lambda: gv.nn.Linear(1, 1).to("capture"), "invalid-argument")
    refused(lambda: gv.nn.Linear(1, 1).to(gv.int64), "invalid-argument")


def test_a_graph_from_before_a_cast_still_runs():
    layer = gv.nn.Linear(2, 1, bias=False)
    loss = layer(gv.ones(2)).sum()
    old = layer.weight.node
    layer.double()
    assert loss.backward().store.values[old].tolist() == [[1.0, 1.0]]


# --- copies --------------------------------------------------------------------------------------
def test_deepcopy_is_independent():
    net = Net()
    twin = copy.deepcopy(net)
    assert twin.block is twin.again and twin.block is not net.block
    twin.block.gain.replace([7.0])
    twin.eval()
    assert net.block.gain.tolist() == [1.0] and net.training
    x = gv.ones(1, 2)
    np.testing.assert_allclose(twin(x).numpy(), 7.0 * net(x).numpy(), rtol=1e-6)
    grads = twin(x).sum().backward()
    assert twin.block.gain in grads and net.block.gain not in grads


def test_a_copied_parameter_was_made_where_it_was_copied():
    twin = copy.deepcopy(gv.nn.Linear(2, 3))
    source = twin.weight.node.source
    assert source.filename == __file__
    assert source.text == "copy.deepcopy(gv.nn.Linear(2, 3))"


def test_pickle_round_trip():
    net = gv.nn.Sequential(gv.nn.Linear(2, 3), gv.nn.Tanh()).eval()
    net[0].freeze()
    back = pickle.loads(pickle.dumps(net))
    assert repr(back) == repr(net) and not back.training
    assert back[0].weight.requirement == "none"
    np.testing.assert_array_equal(back(gv.ones(2)).numpy(), net(gv.ones(2)).numpy())
    assert back in live_modules()


# --- registry ------------------------------------------------------------------------------------
def test_registry_knows_live_modules_only():
    net = Net()
    assert any(module is net for module in live_modules())
    assert any(module is net for module in root_modules())
    assert not any(module is net.block for module in root_modules())
    assert owners(net.block.gain) == [(net.block, "gain")]
    gone = weakref.ref(net)
    del net
    gc.collect()
    assert gone() is None
    assert not any(isinstance(module, Net) for module in live_modules())


def test_modules_with_their_own_equality_work():
    class Odd(gv.nn.Module):
        def __eq__(self, other):
            return True

        __hash__ = None

    net = gv.nn.Sequential(Odd(), Odd())
    assert len(list(net.modules())) == 3


# --- text ----------------------------------------------------------------------------------------
def test_representation_is_pytorchs():
    assert repr(Net()) == (
        "Net(\n"
        "  (block): Block(\n"
        "    (first): Linear(in_features=2, out_features=3, bias=True)\n"
        "    (second): Linear(in_features=3, out_features=1, bias=False)\n"
        "  )\n"
        "  (again): Block(\n"
        "    (first): Linear(in_features=2, out_features=3, bias=True)\n"
        "    (second): Linear(in_features=3, out_features=1, bias=False)\n"
        "  )\n"
        ")"
    )


def test_representation_of_a_module_that_holds_itself_ends():
    net = gv.nn.Module()
    net.me = net
    assert "(...)" in repr(net)
    assert len(list(net.modules())) == 1 and net.eval() is net
