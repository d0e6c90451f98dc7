"""The modules of `layers_more.py`: outputs, gradients and statistics as PyTorch has them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import gradviz as gv
from tests.asserting import refused
from tests.nn.layers_more import LAYERS, factors, inputs_of, parameters_of

TRUTHS = json.loads(Path(__file__).with_name("layers_more.json").read_text(encoding="utf-8"))


def build(name):
    """The module with the numbers the truths were made with."""
    module = eval("lib." + LAYERS[name][0], {"lib": gv.nn}).double()  # from the file beside this
    named = dict(module.named_parameters())
    values = parameters_of(name, {path: p.shape for path, p in named.items()})
    for path, parameter in named.items():
        parameter.replace(values[path])
    return module, named


@pytest.mark.parametrize("name", LAYERS)
def test_output_gradients_and_buffers_are_pytorch_s(name):
    module, named = build(name)
    leaves = {
        key: gv.tensor(array, requires_grad=array.dtype == float)
        for key, array in inputs_of(name).items()
    }
    output = eval(LAYERS[name][1], {"m": module, "lib": gv.nn, **leaves})
    truth = TRUTHS[name]
    assert list(output.shape) == truth["shape"]
    np.testing.assert_allclose(output.numpy().ravel(), truth["output"], rtol=1e-7, atol=1e-8)
    grads = (output * factors(output.shape)).sum().backward()
    for key, expected in truth["grads"].items():
        leaf = leaves.get(key, named.get(key))
        np.testing.assert_allclose(
            grads[leaf].numpy().ravel(), expected, rtol=1e-6, atol=1e-7, err_msg=key
        )
    buffers = {path: b.numpy().astype(float).ravel() for path, b in module.named_buffers()}
    assert set(buffers) == set(truth["buffers"])
    for path, expected in truth["buffers"].items():
        np.testing.assert_allclose(buffers[path], expected, rtol=1e-7, atol=1e-9, err_msg=path)


@pytest.mark.parametrize("name", LAYERS)
def test_the_copy_for_inference_is_plain(name):
    module, _ = build(name)
    copy = module.valid()
    inputs = {key: gv.tensor(array) for key, array in inputs_of(name).items()}
    output = eval(LAYERS[name][1], {"m": copy, "lib": gv.nn, **inputs})
    assert not gv.is_autodiff(output)


@pytest.mark.parametrize("kind", ["RNN", "GRU", "LSTM"])
def test_a_loop_over_a_cell_is_the_layer(kind):
    layer, cell = getattr(gv.nn, kind)(3, 4), getattr(gv.nn, f"{kind}Cell")(3, 4)
    cell.load_state_dict({k.removesuffix("_l0"): v for k, v in layer.state_dict().items()})
    x = gv.randn(5, 2, 3)
    outputs, states = [], None
    for step in x:
        states = cell(step, states)
        outputs.append(states[0] if kind == "LSTM" else states)
    np.testing.assert_allclose(gv.stack(outputs).numpy(), layer(x)[0].numpy(), rtol=1e-6)
    assert repr(cell) == f"{kind}Cell(3, 4)"


def test_state_of_a_batch_norm_can_be_saved_and_loaded(tmp_path):
    module = gv.nn.BatchNorm1d(3)
    module(gv.randn(8, 3))
    module.save(tmp_path / "norm")
    other = gv.nn.BatchNorm1d(3)
    other.load(tmp_path / "norm")
    np.testing.assert_array_equal(other.running_mean.numpy(), module.running_mean.numpy())
    assert other.num_batches_tracked.item() == 1


def test_running_statistics_keep_the_graph_of_no_batch():
    module = gv.nn.BatchNorm1d(2)
    for _ in range(3):
        x = gv.randn(4, 2, requires_grad=True)
        module(x)
    assert not module.running_mean.is_tracked and not module.running_var.is_tracked
    assert list(dict(module.named_parameters())) == ["weight", "bias"]


@pytest.mark.parametrize("name", LAYERS)
def test_captures_give_the_same(name):
    _, called, _ = LAYERS[name]
    module, _ = build(name)
    if "eval" in called:
        module.eval()
        called = "m(x)"
    inputs = inputs_of(name)

    def program(*given):
        return eval(called, {"m": module, "lib": gv.nn, **dict(zip(inputs, given, strict=True))})

    captured = gv.capture(program, *(gv.spec(a.shape, a.dtype) for a in inputs.values()))
    replayed = captured.run(*inputs.values())
    eager = program(*(gv.tensor(a) for a in inputs.values()))
    np.testing.assert_allclose(replayed.numpy(), eager.numpy(), rtol=1e-9, atol=1e-12)


def test_dropout_between_layers_only_in_training():
    gv.manual_seed(0)
    model = gv.nn.GRU(2, 3, num_layers=2, dropout=0.9)
    x = gv.ones(4, 1, 2)
    assert not gv.allclose(model(x)[0], model(x)[0])
    model.eval()
    assert gv.allclose(model(x)[0], model(x)[0])


def test_an_encoder_s_layers_have_parameters_of_their_own():
    layer = gv.nn.TransformerEncoderLayer(4, 2, 6)
    encoder = gv.nn.TransformerEncoder(layer, 3)
    parameters = list(encoder.parameters())
    assert len({id(p) for p in parameters}) == len(parameters) == 3 * len(list(layer.parameters()))
    np.testing.assert_array_equal(
        encoder.layers[0].linear1.weight.numpy(), encoder.layers[2].linear1.weight.numpy()
    )


def test_embedding_s_padding_row_stays_zero():
    layer = gv.nn.Embedding(4, 2, padding_idx=-1)
    assert layer.weight[3].tolist() == [0.0, 0.0]
    grads = layer(gv.tensor([3, 1])).sum().backward()
    assert grads[layer.weight].tolist() == [[0.0, 0.0], [1.0, 1.0], [0.0, 0.0], [0.0, 0.0]]
    assert not gv.nn.Embedding.from_pretrained(gv.ones(3, 2)).weight.is_require_grad


@pytest.mark.parametrize(
    ("call", "slug"),
    [
        (lambda: gv.nn.LayerNorm(()), "invalid-argument"),
        (lambda: gv.nn.LayerNorm(4)(gv.ones(2, 3)), "shape-mismatch"),
        (lambda: gv.nn.GroupNorm(2, 3), "invalid-argument"),
        (lambda: gv.nn.GroupNorm(2, 4)(gv.ones(2, 3)), "shape-mismatch"),
        (lambda: gv.nn.BatchNorm1d(3)(gv.ones(1, 3)), "invalid-argument"),
        (lambda: gv.nn.BatchNorm1d(3)(gv.ones(4, 2)), "shape-mismatch"),
        (lambda: gv.nn.BatchNorm2d(3)(gv.ones(4, 3)), "shape-mismatch"),
        (lambda: gv.nn.InstanceNorm1d(3)(gv.ones(4, 3, 1)), "invalid-argument"),
        (lambda: gv.nn.Embedding(3, 2)(gv.tensor([3])), "index-out-of-range"),
        (lambda: gv.nn.Embedding(3, 2, padding_idx=3), "invalid-argument"),
        (lambda: gv.nn.MultiheadAttention(5, 2), "invalid-argument"),
        (lambda: gv.nn.MultiheadAttention(4, 2)(*[gv.ones(2, 2, 3)] * 3), "shape-mismatch"),
        (lambda: gv.nn.RNN(3, 4)(gv.ones(2, 2)), "shape-mismatch"),
        (lambda: gv.nn.RNN(3, 4)(gv.ones(2, 1, 3), gv.ones(1, 2, 4)), "shape-mismatch"),
        (lambda: gv.nn.RNN(3, 4, nonlinearity="sin"), "invalid-argument"),
        (lambda: gv.nn.LSTM(3, 4)(gv.ones(2, 1, 3), gv.ones(1, 1, 4)), "invalid-argument"),
        (lambda: gv.nn.GRU(3, 4, dropout=2.0), "invalid-argument"),
        (lambda: gv.nn.RNNCell(3, 4)(gv.ones(5, 2, 3)), "shape-mismatch"),
        (lambda: gv.nn.RNNCell(3, 4, nonlinearity="sin"), "invalid-argument"),
        (lambda: gv.nn.GRUCell(3, 4)(gv.ones(2, 3), gv.ones(1, 4)), "shape-mismatch"),
        (lambda: gv.nn.LSTMCell(3, 4)(gv.ones(2, 3), gv.ones(2, 4)), "invalid-argument"),
        (lambda: gv.nn.LSTMCell(0, 4), "invalid-argument"),
        (lambda: gv.nn.TransformerEncoderLayer(4, 2, activation="sin"), "invalid-argument"),
        (lambda: gv.nn.TransformerEncoder(4, 2), "invalid-argument"),
        (lambda: gv.nn.KLDivLoss("some"), "invalid-argument"),
        (lambda: gv.nn.PReLU(3)(gv.ones(2, 4)), "shape-mismatch"),
    ],
)
def test_what_makes_no_sense_is_refused(call, slug):
    refused(call, slug)
