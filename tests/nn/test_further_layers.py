"""Layers for images, bags, distances and margins beyond PyTorch's numbers in `layers_more.json`."""

from __future__ import annotations

import numpy as np
import pytest

import gradviz as gv
from tests.asserting import refused

nn = gv.nn
IMAGES = {
    "ChannelShuffle": lambda: nn.ChannelShuffle(2),
    "UpsamplingNearest2d": lambda: nn.UpsamplingNearest2d(scale_factor=2),
    "UpsamplingBilinear2d": lambda: nn.UpsamplingBilinear2d((3, 5)),
    "LocalResponseNorm": lambda: nn.LocalResponseNorm(3),
    "LPPool2d": lambda: nn.LPPool2d(2, 2),
    "MaxUnpool2d": lambda: unpooled,
}
BAGS = gv.tensor([0, 2, 1, 1, 2])


def unpooled(x):
    """A pool undone."""
    return nn.MaxUnpool2d(2)(*nn.MaxPool2d(2, return_indices=True)(x))


@pytest.mark.parametrize("name", IMAGES)
def test_the_batch_may_be_empty_or_left_open(name):
    layer = IMAGES[name]()
    captured = gv.capture(layer, gv.spec(("batch", 4, 4, 6)))
    for batch in (0, 1, 3):
        x = gv.randn(batch, 4, 4, 6, requires_grad=True)
        out = layer(x)
        np.testing.assert_allclose(captured.run(x).numpy(), out.numpy(), rtol=1e-6)
        assert x.grad(out.sum().backward()).shape == x.shape


def test_a_window_of_zeros_lets_no_gradient_through():
    x = gv.tensor([[0.0, 0.0, 3.0, 4.0]], requires_grad=True)
    out = nn.LPPool1d(2, 2)(x)
    assert out.tolist() == [[0.0, 5.0]]
    np.testing.assert_allclose(x.grad(out.sum().backward()).numpy(), [[0, 0, 0.6, 0.8]], rtol=1e-6)


def test_a_pool_undone_keeps_the_maxima_alone():
    x = gv.tensor(np.random.default_rng(0).normal(size=(2, 3, 4, 6)).astype(np.float32))
    values, indices = nn.MaxPool2d(2, return_indices=True)(x)
    laid = nn.MaxUnpool2d(2)(values, indices).numpy()
    assert laid.shape == x.shape and ((laid == x.numpy()) | (laid == 0)).all()
    assert (laid != 0).sum() == values.size
    assert nn.MaxUnpool2d(2)(values, indices, output_size=(5, 7)).shape == (2, 3, 5, 7)


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
def test_a_bag_is_what_its_rows_come_to(mode):
    layer = nn.EmbeddingBag(3, 4, mode=mode)
    rows = layer.weight.numpy()
    out = layer(BAGS, gv.tensor([0, 2, 2])).numpy()
    of = {"sum": np.sum, "mean": np.mean, "max": np.max}[mode]
    np.testing.assert_allclose(out[0], of(rows[[0, 2]], 0), rtol=1e-6)
    assert not out[1].any()
    np.testing.assert_allclose(out[2], of(rows[[1, 1, 2]], 0), rtol=1e-6)
    as_rows = layer(gv.tensor([[0, 2], [1, 1]])).numpy()
    np.testing.assert_allclose(as_rows[0], out[0], rtol=1e-6)
    assert layer(gv.zeros(0, 3).long()).shape == (0, 4)
    assert layer(gv.zeros(2, 0).long()).tolist() == [[0.0] * 4] * 2
    assert layer(gv.zeros(0).long(), gv.tensor([0, 0])).tolist() == [[0.0] * 4] * 2


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
def test_the_padding_row_counts_for_nothing(mode):
    layer = nn.EmbeddingBag(3, 2, mode=mode, padding_idx=-1)
    assert layer.padding_idx == 2 and layer.weight[2].tolist() == [0.0, 0.0]
    layer.weight.replace([[1.0, -2.0], [3.0, -4.0], [float("nan")] * 2])
    out = layer(gv.tensor([[0, 2, 1], [2, 2, 2]]))
    expected = {"sum": [4.0, -6.0], "mean": [2.0, -3.0], "max": [3.0, -2.0]}[mode]
    assert out.tolist() == [expected, [0.0, 0.0]]
    assert out.sum().backward()[layer.weight][2].tolist() == [0.0, 0.0]


def test_bags_of_a_recording_may_differ_from_run_to_run():
    layer = nn.EmbeddingBag(3, 4, mode="max")
    captured = gv.capture(layer, gv.spec((5,), "int64"), gv.spec((2,), "int64"))
    for starts in ([0, 2], [0, 4], [0, 5]):
        given = gv.tensor(starts)
        np.testing.assert_array_equal(captured.run(BAGS, given).numpy(), layer(BAGS, given).numpy())


def test_bags_are_saved_and_loaded(tmp_path):
    first, second = nn.EmbeddingBag(3, 4), nn.EmbeddingBag(3, 4)
    assert list(first.state_dict()) == ["weight"]
    first.save(tmp_path / "bag")
    second.load(tmp_path / "bag")
    np.testing.assert_array_equal(first.weight.numpy(), second.weight.numpy())
    assert repr(first) == "EmbeddingBag(3, 4, mode='mean')"


def test_given_rows_are_frozen_unless_said_otherwise():
    rows = gv.tensor([[1.0, 2.0], [3.0, 4.0]])
    assert not nn.EmbeddingBag.from_pretrained(rows).weight.is_require_grad
    layer = nn.EmbeddingBag.from_pretrained(rows, freeze=False, mode="max", padding_idx=0)
    assert layer.weight.is_require_grad
    assert layer(gv.tensor([[0, 0]])).tolist() == [[0.0, 0.0]]
    assert layer(gv.tensor([[0, 1]])).tolist() == [[3.0, 4.0]]


@pytest.mark.parametrize(
    ("loss", "target"),
    [
        (nn.MultiMarginLoss, gv.zeros(0).long()),
        (nn.MultiLabelMarginLoss, gv.zeros(0, 3).long()),
    ],
)
def test_no_samples_lose_nothing(loss, target):
    assert loss(reduction="sum")(gv.ones(0, 3), target).item() == 0.0


def test_weights_of_classes_are_part_of_the_state():
    loss = nn.MultiMarginLoss(weight=gv.tensor([1.0, 3.0]))
    assert list(loss.state_dict()) == ["weight"]
    scores = gv.tensor([[1.0, 0.5]])
    losses = [loss(scores, gv.tensor([right])).item() for right in (0, 1)]
    assert losses == [0.25, 2.25]


def test_layers_show_their_arguments():
    assert repr(nn.CosineSimilarity(0)) == "CosineSimilarity(dim=0, eps=1e-08)"
    assert repr(nn.PairwiseDistance()) == "PairwiseDistance(p=2.0, eps=1e-06, keepdim=False)"
    assert repr(nn.ChannelShuffle(2)) == "ChannelShuffle(groups=2)"
    assert repr(nn.LocalResponseNorm(2)) == "LocalResponseNorm(2, alpha=0.0001, beta=0.75, k=1.0)"
    assert repr(nn.MaxUnpool1d(2)) == "MaxUnpool1d(kernel_size=2, stride=2, padding=0)"
    assert "norm_type=2, kernel_size=3" in repr(nn.LPPool1d(2, 3))
    assert "mode='nearest'" in repr(nn.UpsamplingNearest2d(2))


WRONG = "invalid-argument"
SHAPES = "shape-mismatch"


@pytest.mark.parametrize(
    ("call", "slug", "words"),
    [
        (lambda: nn.ChannelShuffle(0), WRONG, "groups is 0"),
        (lambda: nn.ChannelShuffle(3)(gv.ones(1, 4, 2)), WRONG, "3 groups can't share 4 channels"),
        (lambda: nn.ChannelShuffle(2)(gv.ones(4, 2)), WRONG, "channel_shuffle: an input of shape"),
        (lambda: nn.LocalResponseNorm(0), WRONG, "size is 0"),
        (lambda: nn.LocalResponseNorm(2)(gv.ones(4, 2)), WRONG, "has 2 dimensions"),
        (lambda: nn.LPPool1d(0, 2)(gv.ones(1, 4)), WRONG, "norm_type is 0"),
        (lambda: nn.LPPool1d(float("inf"), 2)(gv.ones(1, 4)), WRONG, "norm_type is inf"),
        (lambda: nn.LPPool2d(2, 2)(gv.ones(1, 4)), WRONG, "Give 3 or 4 dimensions"),
        (lambda: nn.MaxUnpool1d(2)(gv.ones(4), BAGS[:4]), WRONG, "Give 2 or 3 dimensions"),
        (lambda: nn.MaxUnpool1d(2)(gv.ones(1, 4), BAGS[:4]), SHAPES, "Give indices of its shape"),
        (
            lambda: nn.MaxUnpool1d(2)(gv.ones(1, 1), gv.tensor([[1]]), (4,)),
            WRONG,
            "less than the stride away from (2,)",
        ),
        (
            lambda: nn.MaxUnpool1d(2)(gv.ones(1, 1), gv.tensor([[2]])),
            "index-out-of-range",
            "index 2",
        ),
        (lambda: nn.EmbeddingBag(3, 2, mode="least"), WRONG, "EmbeddingBag"),
        (lambda: nn.EmbeddingBag(3, 2, padding_idx=3), WRONG, "padding_idx is 3"),
        (lambda: nn.EmbeddingBag.from_pretrained(gv.ones(3)), WRONG, "have shape (3,)"),
        (lambda: nn.EmbeddingBag(3, 2)(BAGS), WRONG, "need offsets"),
        (lambda: nn.EmbeddingBag(3, 2)(BAGS[None], [0]), WRONG, "don't go together"),
        (lambda: nn.EmbeddingBag(3, 2)(BAGS, gv.tensor([1])), WRONG, "don't split 5 indices"),
        (lambda: nn.EmbeddingBag(3, 2)(BAGS, gv.tensor([0, 6])), WRONG, "don't split 5 indices"),
        (lambda: nn.EmbeddingBag(3, 2)(BAGS, gv.tensor([0, 3, 2])), WRONG, "start at 0, ascend"),
        (lambda: nn.EmbeddingBag(3, 2)(BAGS, gv.tensor([0.0])), WRONG, "Give whole numbers"),
        (
            lambda: nn.EmbeddingBag(3, 2, include_last_offset=True)(BAGS, gv.tensor([0, 4])),
            WRONG,
            "one at their end",
        ),
        (lambda: nn.EmbeddingBag(2, 2)(BAGS, [0]), "index-out-of-range", "index 2"),
        (
            lambda: nn.EmbeddingBag(3, 2)(BAGS, [0], gv.ones(5)),
            WRONG,
            "per_sample_weights and mode 'mean'",
        ),
        (
            lambda: nn.EmbeddingBag(3, 2, mode="sum")(BAGS, [0], gv.ones(4)),
            SHAPES,
            "Each index has one weight",
        ),
        (lambda: nn.MultiMarginLoss(3)(gv.ones(1, 2), gv.tensor([0])), WRONG, "p is 3"),
        (lambda: nn.MultiMarginLoss(reduction="most"), WRONG, "MultiMarginLoss"),
        (lambda: nn.MultiMarginLoss()(gv.ones(2, 2), gv.tensor([0])), SHAPES, "one class for each"),
        (
            lambda: nn.MultiMarginLoss(weight=gv.ones(3))(gv.ones(1, 2), gv.tensor([0])),
            SHAPES,
            "one number for each of 2 classes",
        ),
        (
            lambda: nn.MultiMarginLoss()(gv.ones(1, 2), gv.tensor([2])),
            "index-out-of-range",
            "index 2",
        ),
        (
            lambda: nn.MultiLabelMarginLoss()(gv.ones(1, 2), gv.tensor([0])),
            SHAPES,
            "targets have their shape",
        ),
        (
            lambda: nn.MultiLabelMarginLoss()(gv.ones(1, 2), gv.tensor([[0, 2]])),
            "index-out-of-range",
            "index 2",
        ),
        (
            lambda: nn.TripletMarginWithDistanceLoss(distance_function=3)(*[gv.ones(1, 2)] * 3),
            WRONG,
            "distance_function is 3",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(call, slug, words):
    refused(call, slug, words)
