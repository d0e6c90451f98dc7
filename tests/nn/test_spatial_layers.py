"""Convolutions, pools and resampling as modules."""

from __future__ import annotations

import math

import numpy as np
import pytest

import gradviz as gv
from tests.asserting import refused

nn = gv.nn
IMAGE = np.linspace(-1, 1, 2 * 4 * 6 * 6, dtype=np.float32).reshape(2, 4, 6, 6)


@pytest.mark.parametrize(
    ("layer", "shape", "weight"),
    [
        (lambda: nn.Conv1d(4, 6, 3, padding=1, groups=2), (4, 9), (6, 2, 3)),
        (lambda: nn.Conv2d(4, 6, (3, 2), stride=2), (4, 6, 6), (6, 4, 3, 2)),
        (lambda: nn.Conv3d(2, 3, 2, bias=False), (2, 3, 3, 3), (3, 2, 2, 2, 2)),
        (lambda: nn.ConvTranspose1d(4, 6, 3, stride=2, groups=2), (4, 5), (4, 3, 3)),
        (lambda: nn.ConvTranspose2d(4, 6, 3, dilation=2), (4, 3, 3), (4, 6, 3, 3)),
        (lambda: nn.ConvTranspose3d(2, 3, 2, output_padding=0), (2, 2, 2, 2), (2, 3, 2, 2, 2)),
    ],
    ids=["Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d"],
)
def test_convolutions_have_pytorchs_parameters_and_gradients(layer, shape, weight):
    module = layer()
    assert module.weight.shape == weight
    bound = 1 / math.sqrt(math.prod(weight[1:]))
    assert np.abs(module.weight.numpy()).max() <= bound
    for batch in ((), (2,)):
        out = module(gv.ones(*batch, *shape))
        assert out.ndim == len(shape) + len(batch)
        grads = out.sum().backward()
        for parameter in module.parameters():
            assert grads[parameter].shape == parameter.shape


@pytest.mark.parametrize(
    ("mode", "padded"),
    [("zeros", "constant"), ("reflect", "reflect"), ("replicate", "edge"), ("circular", "wrap")],
)
def test_padding_modes_of_a_convolution(mode, padded):
    layer = nn.Conv2d(4, 3, 3, padding=(2, 1), padding_mode=mode)
    grown = np.pad(IMAGE, ((0, 0), (0, 0), (2, 2), (1, 1)), mode=padded)
    expected = gv.conv2d(grown, layer.weight, layer.bias)
    np.testing.assert_allclose(layer(IMAGE).numpy(), expected.numpy(), rtol=1e-5, atol=1e-6)


def test_same_padding_keeps_the_size():
    for mode in ("zeros", "circular"):
        layer = nn.Conv2d(4, 3, (3, 4), padding="same", dilation=2, padding_mode=mode)
        assert layer(IMAGE).shape == (2, 3, 6, 6)


@pytest.mark.parametrize(
    ("module", "function"),
    [
        (nn.MaxPool2d(2), lambda x: gv.max_pool2d(x, 2)),
        (
            nn.MaxPool2d(3, 2, 1, ceil_mode=True),
            lambda x: gv.max_pool2d(x, 3, 2, 1, ceil_mode=True),
        ),
        (nn.AvgPool2d(2, stride=1), lambda x: gv.avg_pool2d(x, 2, 1)),
        (
            nn.AvgPool2d(3, padding=1, count_include_pad=False),
            lambda x: gv.avg_pool2d(x, 3, padding=1, count_include_pad=False),
        ),
        (nn.AdaptiveAvgPool2d((2, 3)), lambda x: gv.adaptive_avg_pool2d(x, (2, 3))),
        (nn.AdaptiveMaxPool2d(2), lambda x: gv.adaptive_max_pool2d(x, 2)),
        (nn.MaxPool1d(2), lambda x: gv.max_pool1d(x[0], 2)),
        (nn.AvgPool1d(2), lambda x: gv.avg_pool1d(x[0], 2)),
        (nn.AdaptiveAvgPool1d(2), lambda x: gv.adaptive_avg_pool1d(x[0], 2)),
        (nn.AdaptiveMaxPool1d(2), lambda x: gv.adaptive_max_pool1d(x[0], 2)),
        (nn.MaxPool3d(2), lambda x: gv.max_pool3d(x, 2)),
        (nn.AvgPool3d(2), lambda x: gv.avg_pool3d(x, 2)),
        (nn.AdaptiveAvgPool3d(2), lambda x: gv.adaptive_avg_pool3d(x, 2)),
        (nn.AdaptiveMaxPool3d(2), lambda x: gv.adaptive_max_pool3d(x, 2)),
        (
            nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True),
            lambda x: gv.interpolate(x, scale_factor=2, mode="bilinear", align_corners=True),
        ),
        (nn.Unfold(2, stride=2), lambda x: gv.unfold4d(x, 2, stride=2)),
        (nn.PixelShuffle(2), lambda x: gv.pixel_shuffle(x, 2)),
        (nn.PixelUnshuffle(3), lambda x: gv.pixel_unshuffle(x, 3)),
    ],
    ids=lambda item: item.__class__.__name__ if isinstance(item, nn.Module) else "",
)
def test_module_computes_its_function(module, function):
    x = gv.tensor(IMAGE)
    given = x[0] if "1d" in type(module).__name__ else x
    np.testing.assert_array_equal(module(given).numpy(), function(x).numpy())
    assert type(module).__name__ in repr(module)


def test_fold_undoes_unfold():
    columns = nn.Unfold(2, stride=2)(IMAGE)
    np.testing.assert_array_equal(nn.Fold(6, 2, stride=2)(columns).numpy(), IMAGE)


def test_pool_with_indices():
    values, indices = nn.MaxPool2d(2, return_indices=True)(gv.tensor(IMAGE))
    assert values.shape == indices.shape == (2, 4, 3, 3)
    assert indices.numpy()[0, 0].tolist() == [[7, 9, 11], [19, 21, 23], [31, 33, 35]]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: nn.Conv2d(3, 4, 2, groups=2), "in_channels is 3"),
        (lambda: nn.Conv2d(4, 3, 2, groups=2), "out_channels is 3"),
        (lambda: nn.Conv2d(4, 4, 0), "kernel_size is 0"),
        (lambda: nn.Conv2d(4, 4, (2, 2, 2)), "kernel_size"),
        (lambda: nn.Conv2d(0, 4, 2), "in_channels is 0"),
        (lambda: nn.Conv2d(4, 4, 2, padding_mode="mirror"), "'mirror'"),
        (lambda: nn.Conv2d(4, 4, 2, stride=2, padding="same"), "'same'"),
        (lambda: nn.ConvTranspose2d(4, 4, 2, padding_mode="reflect"), "'reflect'"),
    ],
)
def test_arguments_that_make_no_layer_are_refused(make, words):
    refused(make, "invalid-argument", "Conv", words)


def test_a_convolution_says_which_channels_it_takes():
    refused(lambda: nn.Conv2d(3, 4, 2)(gv.tensor(IMAGE)), "shape-mismatch", "4 channels")


def test_a_small_network_learns_and_saves(tmp_path):
    gv.manual_seed(0)
    net = nn.Sequential(
        nn.Conv2d(1, 4, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(16, 2)
    )
    images = np.zeros((8, 1, 6, 6), np.float32)
    images[::2, :, :3] = 1.0
    images[1::2, :, 3:] = 1.0
    classes = gv.tensor([0, 1] * 4)
    optimizer = gv.optim.SGD(net.parameters(), lr=0.5)
    losses = []
    for _ in range(30):
        loss = gv.cross_entropy(net(images), classes)
        optimizer.step(loss.backward())
        losses.append(loss.item())
    assert losses[-1] < 0.1 < losses[0]
    assert list(net.state_dict()) == ["0.weight", "0.bias", "4.weight", "4.bias"]
