"""Whole networks, exported and run with ONNX Runtime."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradviz as gv
from gradviz import nn
from tests.onnx.running import assert_same


def mlp() -> tuple[Any, list[Any]]:
    return nn.Sequential(nn.Linear(6, 16), nn.GELU(), nn.Linear(16, 3), nn.Softmax(dim=-1)), [
        (4, 6)
    ]


def conv_net() -> tuple[Any, list[Any]]:
    net = nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1),
        nn.BatchNorm2d(8),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(8, 8, 3, stride=2, padding=1, groups=2),
        nn.BatchNorm2d(8),
        nn.SiLU(),
        nn.AvgPool2d(2, ceil_mode=True),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(8, 10),
    )
    net(gv.randn(4, 3, 12, 12))  # statistics that are not those of a fresh module
    return net, [(2, 3, 12, 12)]


def encoder() -> tuple[Any, list[Any]]:
    return nn.TransformerEncoderLayer(16, 4, dim_feedforward=32, batch_first=True), [(2, 5, 16)]


def lstm() -> tuple[Any, list[Any]]:
    return nn.LSTM(4, 5, num_layers=2, batch_first=True, bidirectional=True), [(2, 6, 4)]


def gru() -> tuple[Any, list[Any]]:
    return nn.GRU(4, 5, batch_first=True), [(2, 3, 4)]


def up_and_down() -> tuple[Any, list[Any]]:
    return nn.Sequential(
        nn.Conv2d(2, 8, 3, stride=2, padding=1),
        nn.GroupNorm(4, 8),
        nn.PReLU(8),
        nn.ConvTranspose2d(8, 4, 3, stride=2, padding=1, output_padding=1),
        nn.InstanceNorm2d(4, affine=True),
        nn.Upsample(scale_factor=2, mode="nearest"),
        nn.Conv2d(4, 4, 1),
        nn.PixelShuffle(2),
    ), [(2, 2, 8, 8)]


MODELS = [mlp, conv_net, encoder, lstm, gru, up_and_down]


@pytest.mark.parametrize("make", MODELS, ids=lambda make: make.__name__)
@pytest.mark.parametrize("opset", [None, 17, 20, 22])
def test_model_is_the_same_in_onnx_runtime(make: Any, opset: int | None) -> None:
    gv.manual_seed(0)
    model, shapes = make()
    model.eval()
    captured = gv.capture(model, *(gv.spec(shape) for shape in shapes))
    generator = np.random.default_rng(0)
    arrays = [generator.normal(size=shape).astype(np.float32) for shape in shapes]
    assert_same(captured, arrays, opset)


def test_a_training_step_is_exported_with_its_loss() -> None:
    gv.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Tanh(), nn.Linear(8, 3))

    def loss(x: Any, target: Any) -> Any:
        return gv.cross_entropy(model(x), target)

    captured = gv.capture(loss, gv.spec((5, 4)), gv.spec((5,), "int64"))
    x = np.random.default_rng(1).normal(size=(5, 4)).astype(np.float32)
    assert_same(captured, [x, np.array([0, 2, 1, 1, 0])])
