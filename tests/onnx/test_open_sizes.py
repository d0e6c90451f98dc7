"""Programs whose inputs leave sizes open, as models that run with any."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradviz as gv
from gradviz import nn
from tests.onnx.running import model, outcome, results


def mlp() -> tuple[Any, tuple[Any, ...]]:
    net = nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.LayerNorm(8), nn.Linear(8, 3))
    return net, ("batch", 4)


def conv_net() -> tuple[Any, tuple[Any, ...]]:
    net = nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1),
        nn.BatchNorm2d(8),
        nn.ReLU(),
        nn.MaxPool2d(2, ceil_mode=True),
        nn.AvgPool2d(2, ceil_mode=True),
        nn.Flatten(),
        nn.Linear(8 * 9, 3),
    )
    return net, ("batch", 3, 9, 9)


def encoder() -> tuple[Any, tuple[Any, ...]]:
    layer = nn.TransformerEncoderLayer(16, 4, dim_feedforward=32, batch_first=True)
    return layer, ("batch", "time", 16)


def lstm() -> tuple[Any, tuple[Any, ...]]:
    return nn.LSTM(4, 5, batch_first=True), ("batch", 3, 4)


MODELS = [mlp, conv_net, encoder, lstm]
SIZES = [{"batch": 1, "time": 4}, {"batch": 5, "time": 2}]


def filled(shape: tuple[Any, ...], sizes: dict[str, int]) -> Any:
    solid = [sizes.get(size, size) for size in shape]
    return np.random.default_rng(0).normal(size=solid).astype(np.float32)


def close(found: list[Any], wanted: list[Any]) -> None:
    for got, true in zip(found, wanted, strict=True):
        assert got.shape == true.shape
        np.testing.assert_allclose(got, true, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("make", MODELS, ids=lambda make: make.__name__)
def test_a_model_runs_with_any_size(make: Any) -> None:
    gv.manual_seed(0)
    net, shape = make()
    net.eval()
    captured = gv.capture(net, gv.spec(shape))
    data = captured.to_onnx()
    dims = model(data).graph.input[0].type.tensor_type.shape.dim
    assert [dim.dim_param or dim.dim_value for dim in dims] == list(shape)
    again = gv.from_onnx(data)
    assert str(again.inputs[0].shape) == str(captured.inputs[0].shape)
    for sizes in SIZES:
        x = filled(shape, sizes)
        wanted = results(captured, [x])
        close(outcome(data, [x]), wanted)
        close(results(again, [x]), wanted)
        lifted = again.to_module()(gv.tensor(x))
        close([t.numpy() for t in (lifted if isinstance(lifted, tuple) else [lifted])], wanted)


@pytest.mark.parametrize("make", MODELS, ids=lambda make: make.__name__)
def test_gradients_run_with_any_size(make: Any) -> None:
    gv.manual_seed(0)
    net, shape = make()
    net.eval()

    def loss(x: Any) -> Any:
        found = net(x)
        return (found[0] if isinstance(found, tuple) else found).square().sum()

    data = gv.capture(loss, gv.spec(shape)).backward().to_onnx()
    model(data)
    for sizes in SIZES:
        x = filled(shape, sizes)
        close(outcome(data, [x]), results(gv.capture(loss, gv.spec(x.shape)).backward(), [x]))


def test_sizes_computed_of_open_ones_are_computed_again() -> None:
    captured = gv.capture(
        lambda x, y: gv.cat([x.reshape(-1), y.flatten()]), gv.spec(("n", 2)), gv.spec(("m", "n"))
    )
    data = captured.to_onnx()
    shape = model(data).graph.output[0].type.tensor_type.shape.dim
    assert shape[0].dim_param == str(captured.outputs[0].shape[0])
    x, y = filled((3, 2), {}), filled((4, 3), {})
    close(outcome(data, [x, y]), results(captured, [x, y]))


def test_a_lifted_program_is_captured_with_open_sizes_again() -> None:
    captured = gv.capture(lambda x: (x * 2.0).reshape(-1, 2).sum(1), gv.spec(("n", 4)))
    again = gv.capture(captured.to_module(), gv.spec(("k", 4)))
    assert str(again.outputs[0].shape[0]) == "2*k"
    x = filled((3, 4), {})
    close(results(again, [x]), results(captured, [x]))


FUNCTIONS = {
    "divided by a size": lambda x: x.sum() / x.shape[0],
    "products of sizes": lambda x: x * (2 * x.size + 1) - x.shape[0] ** 2,
    "a sequence": lambda x: x + gv.arange(x.shape[0])[:, None],
    "a square": lambda x: x @ x.T + gv.eye(x.shape[0]),
    "spread": lambda x: x.var(dim=0) + x.std() + x.var(dim=1, keepdim=True),
    "median": lambda x: x.median(dim=0)[0] + x.median() + x.median(dim=0, keepdim=True)[1],
    "roll": lambda x: x.roll(1, 0) + x.roll(-4, 0) + x.roll((2, 1), (0, 1)),
    "put in": lambda x: x.slice_assign((slice(1, 2),), 7.0).slice_assign((slice(None), 0), x[:, 1]),
    "picked": lambda x: x[gv.arange(x.shape[0]), x.argmax(1)],
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_run_with_any_size(name: str) -> None:
    captured = gv.capture(FUNCTIONS[name], gv.spec(("n", 3)))
    data = captured.to_onnx()
    model(data)
    for n in (2, 3, 5):
        x = filled((n, 3), {})
        close(outcome(data, [x]), results(captured, [x]))


def test_a_size_is_read_from_a_shape() -> None:
    data = gv.capture(lambda x: x.mean(), gv.spec(("n", 3))).backward().to_onnx()
    kinds = [node.op_type for node in model(data).graph.node]
    assert "Shape" in kinds and "ReduceSum" not in kinds


def test_what_needs_the_number_says_so() -> None:
    captured = gv.capture(lambda x: x.cumprod(0), gv.spec(("n", 2)))
    with pytest.raises(gv.GradvizError) as caught:
        captured.to_onnx()
    assert caught.value.slug == "onnx-not-expressible"
    assert "sizes that are numbers" in " ".join(str(caught.value).split())
