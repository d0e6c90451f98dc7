"""Convolutions, pools, windows and resampling against PyTorch's numbers, and at their edges."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import numpy as np
import pytest

import gradviz as gv
from tests.asserting import refused
from tests.ops.sampling import BALANCED, TRACKED

TRUTHS = json.loads(Path(__file__).with_name("spatial_truths.json").read_text(encoding="utf-8"))


def numbers(shape, number):
    """The inputs the truths were computed from; see the file's note."""
    count = int(np.prod(shape))
    return ((np.arange(count) * 7919 + number * 104729) % 1009 / 504.5 - 1).reshape(shape)


@pytest.mark.parametrize("device", [TRACKED, BALANCED], ids=["plain", "balanced"])
@pytest.mark.parametrize("truth", TRUTHS["cases"], ids=lambda truth: truth["call"])
def test_values_and_gradients_are_pytorchs(truth, device):
    inputs = {
        name: gv.tensor(numbers(shape, number), device=device, requires_grad=True)
        for number, (name, shape) in enumerate(truth["inputs"].items(), 1)
    }
    result = eval(truth["call"], {"gv": gv, **inputs})
    assert list(result.shape) == truth["shape"]
    np.testing.assert_allclose(result.numpy().ravel(), truth["value"], rtol=1e-6, atol=2e-8)
    grads = (result * numbers(result.shape, 9)).sum().backward()
    for name, expected in truth["grads"].items():
        gradient = grads[inputs[name]].numpy()
        assert gradient.shape == tuple(truth["inputs"][name])
        np.testing.assert_allclose(gradient.ravel(), expected, rtol=1e-6, atol=1e-7, err_msg=name)


# --- convolution ---------------------------------------------------------------------------------
def direct(x, w, stride, padding, dilation, groups):
    """A convolution as its definition says it, one result at a time."""
    lo, hi = padding
    x = np.pad(x, ((0, 0), (0, 0), (lo, hi), (lo, hi)))
    size = [
        (n - dilation * (k - 1) - 1) // stride + 1
        for n, k in zip(x.shape[2:], w.shape[2:], strict=True)
    ]
    out = np.zeros((x.shape[0], w.shape[0], *size))
    share = w.shape[0] // groups
    for n, o, i, j in itertools.product(*map(range, out.shape)):
        first = (o // share) * w.shape[1]
        patch = x[
            n,
            first : first + w.shape[1],
            i * stride : i * stride + dilation * (w.shape[2] - 1) + 1 : dilation,
            j * stride : j * stride + dilation * (w.shape[3] - 1) + 1 : dilation,
        ]
        out[n, o, i, j] = (patch * w[o]).sum()
    return out


@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("dilation", [1, 2])
@pytest.mark.parametrize("padding", [(0, 0), (1, 1), (2, 0)])
@pytest.mark.parametrize("stride", [1, 2, 4])
def test_conv2d_is_its_definition(stride, padding, dilation, groups):
    x, w = numbers((2, 4, 7, 9), 1), numbers((4, 4 // groups, 3, 2), 2)
    found = gv.conv2d(x, w, None, stride, (padding, padding), dilation, groups)
    expected = direct(x, w, stride, padding, dilation, groups)
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-12, atol=1e-13)


def test_large_batches_are_computed_in_blocks_to_the_same_result():
    x, w = numbers((40, 8, 30, 30), 1), numbers((4, 8, 3, 3), 2)
    whole = gv.conv2d(x, w, padding=1).numpy()
    for at in (0, 17, 39):
        one = gv.conv2d(x[at : at + 1], w, padding=1).numpy()
        np.testing.assert_allclose(whole[at : at + 1], one, rtol=1e-12, atol=1e-12)


def test_long_and_short_rows_send_back_the_same():
    w = numbers((2, 3, 3, 3), 2)
    wide, narrow = numbers((1, 3, 4, 130), 1), numbers((1, 3, 4, 30), 1)
    narrow[...] = wide[..., :30]
    found = []
    for array in (wide, narrow):
        x = gv.tensor(array, requires_grad=True)
        found.append(gv.conv2d(x, w)[..., :20].sum().backward()[x].numpy())
    np.testing.assert_allclose(found[0][..., :22], found[1][..., :22], rtol=1e-12, atol=1e-13)
    assert not found[0][..., 22:].any()


def test_transposed_convolution_undoes_the_shape_of_a_convolution():
    layer = gv.nn.Conv2d(2, 3, 3, stride=2, padding=1)
    back = gv.nn.ConvTranspose2d(3, 2, 3, stride=2, padding=1)
    x = gv.ones(1, 2, 8, 7)
    assert back(layer(x), output_size=(8, 7)).shape == x.shape
    with pytest.raises(gv.GradvizError, match="can't be reached"):
        back(layer(x), output_size=(12, 7))


def test_output_padding_of_a_stride_or_more_keeps_the_gradients_shapes():
    x = gv.tensor(numbers((1, 2, 4), 1), requires_grad=True)
    w = gv.tensor(numbers((2, 2, 3), 2), requires_grad=True)
    y = gv.conv_transpose1d(x, w, stride=1, output_padding=1)
    grads = y.sum().backward()
    assert (y.shape, grads[x].shape, grads[w].shape) == ((1, 2, 7), x.shape, w.shape)


def test_half_precision_is_added_up_in_single():
    x, w = np.full((1, 64, 8, 8), 0.1, np.float16), np.full((1, 64, 3, 3), 0.1, np.float16)
    found = gv.conv2d(x, w)
    assert found.dtype == gv.float16
    np.testing.assert_allclose(found.numpy(), np.float32(x[0, 0, 0, 0]) ** 2 * 576, rtol=1e-3)


def test_whole_numbers_are_convolved_exactly():
    found = gv.conv1d(np.array([[[1, 2, 3]]]), np.array([[[1, 10]]]))
    assert (found.tolist(), found.dtype) == ([[[21, 32]]], gv.int64)


# --- pools ---------------------------------------------------------------------------------------
def test_the_first_maximum_gets_the_gradient():
    x = gv.tensor([[[1.0, 1.0], [1.0, 1.0]]], requires_grad=True)
    assert gv.max_pool2d(x, 2).sum().backward()[x].tolist() == [[[1.0, 0.0], [0.0, 0.0]]]


def test_a_nan_is_the_maximum_and_gets_the_gradient():
    x = gv.tensor([[[1.0, 5.0, float("nan"), 2.0]]], requires_grad=True)
    y = gv.max_pool1d(x, 4)
    assert np.isnan(y.item())
    assert y.backward()[x].tolist() == [[[0.0, 0.0, 1.0, 0.0]]]


def test_lowest_values_do_not_point_into_the_border():
    x = gv.full((1, 1, 4), float("-inf"), requires_grad=True)
    values, indices = gv.max_pool1d_with_indices(x, 3, stride=2, padding=1)
    assert indices.tolist() == [[[0, 1]]]
    assert values.sum().backward()[x].tolist() == [[[1.0, 1.0, 0.0, 0.0]]]


@pytest.mark.parametrize("ceil_mode", [False, True])
@pytest.mark.parametrize("length", range(3, 12))
def test_windows_with_gaps_are_pooled_whole(length, ceil_mode):
    x = gv.tensor(numbers((1, 2, length), 1), requires_grad=True)
    y, indices = gv.max_pool1d(x, 2, stride=2, dilation=2, ceil_mode=ceil_mode, return_indices=True)
    rows = x.numpy()[0]
    for at, (value, index) in enumerate(zip(y.numpy()[0].T, indices.numpy()[0].T, strict=True)):
        window = rows[:, 2 * at : 2 * at + 3 : 2]
        np.testing.assert_array_equal(value, window.max(1))
        np.testing.assert_array_equal(index, 2 * at + 2 * window.argmax(1))
    assert y.sum().backward()[x].numpy().sum() == y.size


def test_a_window_in_the_border_alone_is_no_reason_to_fail():
    x = gv.ones(1, 1, 1, requires_grad=True)
    y = gv.max_pool1d(x, 2, stride=3, padding=1, dilation=2)
    assert y.tolist() == [[[float("-inf")]]]
    assert y.backward()[x].shape == x.shape


def test_an_adaptive_pool_finds_a_nan_in_windows_of_different_lengths():
    x = np.ones((1, 4, 3))
    x[0, 0, 0] = np.nan
    leaf = gv.tensor(x, requires_grad=True)
    y, indices = gv.adaptive_max_pool2d(leaf, (4, 4), return_indices=True)
    assert indices[0, 0].tolist() == [0, 0, 1, 2]
    assert y.sum().backward()[leaf].numpy()[0, 0].tolist() == [2.0, 1.0, 1.0]


@pytest.mark.parametrize("size", [(2, 2), (3, 2), (1, 4)])
def test_indices_point_to_the_values(size):
    x = gv.tensor(numbers((2, 3, 6, 8), 1))
    values, indices = gv.max_pool2d(
        x, size, stride=2, padding=(size[0] // 2, 0), return_indices=True
    )
    flat = x.flatten(2).numpy()
    picked = np.take_along_axis(flat, indices.flatten(2).numpy(), 2)
    np.testing.assert_array_equal(picked, values.flatten(2).numpy())
    values, indices = gv.adaptive_max_pool2d(x, size, return_indices=True)
    picked = np.take_along_axis(flat, indices.flatten(2).numpy(), 2)
    np.testing.assert_array_equal(picked, values.flatten(2).numpy())


def test_adaptive_average_pool_shares_out_evenly():
    for length, size in itertools.product(range(1, 9), repeat=2):
        x = gv.ones(1, length, requires_grad=True)
        gradient = gv.adaptive_avg_pool1d(x, size).sum().backward()[x].numpy()
        assert (gradient > 0).all()
        assert gradient.sum() == pytest.approx(size)


def test_adaptive_pool_keeps_a_dimension_for_none():
    assert gv.adaptive_avg_pool2d(gv.ones(1, 2, 5, 4), (None, 2)).shape == (1, 2, 5, 2)


def test_an_infinite_element_stays_in_its_window():
    x = gv.tensor([[[1.0, 2.0, float("inf"), 4.0]]])
    assert gv.adaptive_avg_pool1d(x, 2).tolist() == [[[1.5, float("inf")]]]
    assert gv.interpolate(x, size=2).tolist() == [[[1.0, float("inf")]]]


# --- windows and resampling ----------------------------------------------------------------------
def test_unfold_slides_and_adds_up():
    x = gv.tensor(numbers((2, 9), 1), requires_grad=True)
    y = x.unfold(-1, 4, 2)
    assert y.shape == (2, 3, 4)
    np.testing.assert_array_equal(y.numpy()[1, 2], x.numpy()[1, 4:8])
    assert y.sum().backward()[x].tolist()[0] == [1, 1, 2, 2, 2, 2, 1, 1, 0]


def test_unfold_of_whole_numbers_and_bools():
    assert gv.arange(4).unfold(0, 3, 1).tolist() == [[0, 1, 2], [1, 2, 3]]
    assert gv.tensor([True, False]).unfold(0, 1, 1).dtype == gv.bool


def test_fold_undoes_unfold_where_patches_do_not_overlap():
    x = gv.tensor(numbers((1, 2, 4, 6), 1))
    columns = gv.unfold4d(x, 2, stride=2)
    np.testing.assert_array_equal(gv.fold(columns, (4, 6), 2, stride=2).numpy(), x.numpy())


def test_convolution_is_a_product_of_columns():
    x, w = gv.tensor(numbers((2, 3, 5, 5), 1)), gv.tensor(numbers((4, 3, 3, 3), 2))
    columns = gv.unfold4d(x, 3, padding=1)
    product = (w.reshape(4, 27) @ columns).reshape(2, 4, 5, 5)
    np.testing.assert_allclose(product.numpy(), gv.conv2d(x, w, padding=1).numpy(), atol=1e-13)


def test_a_grid_of_the_identity_gives_the_input_back():
    x = gv.tensor(numbers((1, 2, 4, 5), 1))
    theta = gv.eye(2, 3, dtype="float64").unsqueeze(0)
    for corners in (False, True):
        grid = gv.affine_grid(theta, (1, 2, 4, 5), align_corners=corners)
        found = gv.grid_sample(x, grid, align_corners=corners)
        np.testing.assert_allclose(found.numpy(), x.numpy(), atol=1e-13)


def test_a_deformable_convolution_without_offsets_is_a_convolution():
    x, w, b = numbers((2, 4, 5, 6), 1), numbers((2, 2, 3, 2), 2), numbers((2,), 3)
    plain = gv.conv2d(x, w, b, stride=(1, 2), padding=1, groups=2)
    offset = np.zeros((2, 2 * 2 * 6, *plain.shape[2:]))
    found = gv.deform_conv2d(x, offset, w, b, stride=(1, 2), padding=1)
    np.testing.assert_allclose(found.numpy(), plain.numpy(), atol=1e-13)
    halved = gv.deform_conv2d(
        x, offset, w, b, stride=(1, 2), padding=1, mask=np.full((2, 12, *plain.shape[2:]), 0.5)
    )
    np.testing.assert_allclose(
        halved.numpy() - b[:, None, None], (plain.numpy() - b[:, None, None]) / 2
    )


# --- refusals ------------------------------------------------------------------------------------
X4, W = gv.ones(1, 2, 4, 4), gv.ones(3, 2, 2, 2)


@pytest.mark.parametrize(
    ("slug", "call", "words"),
    [
        (
            "shape-mismatch",
            lambda: gv.conv2d(X4, gv.ones(3, 1, 2, 2)),
            ("conv2d", "(1, 2, 4, 4)", "2 channels"),
        ),
        ("shape-mismatch", lambda: gv.conv2d(X4, W, gv.ones(2)), ("bias", "3 output channels")),
        ("shape-mismatch", lambda: gv.conv2d(X4, gv.ones(3, 2, 5, 2)), ("larger than the input",)),
        ("shape-mismatch", lambda: gv.conv2d(X4, gv.ones(3, 1, 2, 2), groups=2), ("2 groups",)),
        ("shape-mismatch", lambda: gv.conv2d(gv.ones(4, 4), W), ("height, width",)),
        ("shape-mismatch", lambda: gv.conv1d(X4, gv.ones(3, 2, 2)), ("length",)),
        ("shape-mismatch", lambda: gv.conv_transpose2d(X4, W), ("takes 3",)),
        (
            "shape-mismatch",
            lambda: gv.conv_transpose2d(X4, gv.ones(2, 1, 1, 1), padding=3),
            ("nothing is left",),
        ),
        ("invalid-argument", lambda: gv.conv2d(X4, W, stride=0), ("stride is 0",)),
        ("invalid-argument", lambda: gv.conv2d(X4, W, padding=(1, 2, 3)), ("padding",)),
        (
            "invalid-argument",
            lambda: gv.conv2d(X4, W, padding="same", stride=2),
            ("'same'", "stride 2"),
        ),
        ("invalid-argument", lambda: gv.conv2d(X4, W, padding="full"), ("'valid'",)),
        ("invalid-argument", lambda: gv.conv2d(X4, W, groups=0), ("groups is 0",)),
        ("shape-mismatch", lambda: gv.max_pool2d(X4, 5), ("window is larger",)),
        ("shape-mismatch", lambda: gv.max_pool2d(X4, 2, padding=2), ("more than half",)),
        ("shape-mismatch", lambda: gv.avg_pool3d(X4[0], 2), ("5 dimensions",)),
        (
            "invalid-argument",
            lambda: gv.avg_pool2d(X4, 2, divisor_override=0),
            ("divisor_override",),
        ),
        ("invalid-dtype", lambda: gv.avg_pool2d(X4.long(), 2), ("floating point",)),
        ("shape-mismatch", lambda: gv.adaptive_avg_pool2d(gv.ones(1, 2, 0, 4), 2), ("share out",)),
        ("shape-mismatch", lambda: gv.ones(3).unfold(0, 4, 1), ("4 elements",)),
        ("invalid-argument", lambda: gv.ones(3).unfold(0, 2, 0), ("step is 0",)),
        ("dimension-out-of-range", lambda: gv.ones(3).unfold(1, 2, 1), ("dimension 1",)),
        (
            "shape-mismatch",
            lambda: gv.fold(gv.ones(1, 4, 5), (3, 3), 2),
            ("2 x 2 patches", "has 5"),
        ),
        ("shape-mismatch", lambda: gv.pixel_shuffle(X4, 2), ("multiple of 4",)),
        ("shape-mismatch", lambda: gv.pixel_unshuffle(X4, 3), ("multiples of 3",)),
        ("invalid-argument", lambda: gv.interpolate(X4), ("either a size or a scale_factor",)),
        ("invalid-argument", lambda: gv.interpolate(X4, size=2, mode="linear"), ("'bilinear'",)),
        (
            "invalid-argument",
            lambda: gv.interpolate(X4, size=2, align_corners=True),
            ("align_corners",),
        ),
        ("invalid-argument", lambda: gv.interpolate(X4, scale_factor=-1.0), ("scale_factor",)),
        ("shape-mismatch", lambda: gv.grid_sample(X4, gv.ones(1, 2, 2, 3)), ("grid",)),
        ("shape-mismatch", lambda: gv.affine_grid(gv.ones(1, 2, 2), (1, 1, 2, 2)), ("theta",)),
        (
            "shape-mismatch",
            lambda: gv.deform_conv2d(X4, gv.ones(1, 8, 3, 2), W),
            ("offset must be", "3, 3"),
        ),
        (
            "shape-mismatch",
            lambda: gv.deform_conv2d(X4, gv.ones(1, 8, 3, 3), W, mask=gv.ones(1, 8, 3, 3)),
            ("mask must be (1, 4, 3, 3)",),
        ),
    ],
)
def test_what_does_not_fit_is_refused_in_words(slug, call, words):
    text = " ".join(str(refused(call, slug)).lower().split())
    for word in words:
        assert word.lower() in text, text
