"""Identities, orthogonal matrices, sparse ones, normal numbers with limits: what they are like."""

from __future__ import annotations

import math

import numpy as np
import pytest

import gradviz as gv
from gradviz.nn import init
from tests.asserting import refused

INF = math.inf


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", [(5, 5), (7, 3), (3, 7), (4, 2, 3), (1, 6), (6, 1)], ids=str)
def test_rows_or_columns_are_orthonormal(shape, dtype):
    made = init.orthogonal(shape, gain=2.0, dtype=dtype)
    assert made.shape == shape and made.dtype == dtype and type(made) is gv.Tensor
    matrix = made.numpy().reshape(shape[0], -1)
    product = matrix @ matrix.T if len(matrix) <= matrix.shape[1] else matrix.T @ matrix
    tolerance = 1e-12 if dtype == "float64" else 1e-5
    np.testing.assert_allclose(product, 4.0 * np.eye(len(product)), atol=tolerance)


def test_orthogonal_matrices_are_evenly_distributed():
    # Without its signs set right, a decomposition prefers one sign on the diagonal.
    gv.manual_seed(3)
    corners = np.array([init.orthogonal(2, 2).numpy()[0, 0] for _ in range(2000)])
    assert abs(corners.mean()) < 0.06 and np.mean(corners**2) == pytest.approx(0.5, abs=0.04)


def test_draws_come_from_the_one_generator():
    for draw in (
        lambda: init.orthogonal(3, 3),
        lambda: init.sparse(5, 3, sparsity=0.5),
        lambda: init.trunc_normal(5),
        lambda: init.trunc_normal(5, a=3.0, b=4.0),
    ):
        gv.manual_seed(1)
        first, second = draw().tolist(), draw().tolist()
        gv.manual_seed(1)
        assert draw().tolist() == first != second


@pytest.mark.parametrize("shape", [(3, 3), (2, 4), (4, 2), (0, 2)], ids=str)
def test_identities(shape):
    assert init.eye(shape, dtype="float64").tolist() == np.eye(*shape).tolist()
    p = gv.nn.Parameter(np.full(shape, 7.0))
    assert init.eye_(p) is p and p.dtype == "float64" and p.tolist() == np.eye(*shape).tolist()


@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("spatial", [(3,), (3, 5), (1, 3, 3)], ids=str)
def test_a_convolution_with_ones_in_the_middle_passes_its_channels_on(spatial, groups):
    kind = {1: gv.nn.Conv1d, 2: gv.nn.Conv2d, 3: gv.nn.Conv3d}[len(spatial)]
    padding = tuple(size // 2 for size in spatial)
    layer = kind(4, 6, spatial, padding=padding, groups=groups, bias=False)
    assert init.dirac_(layer.weight, groups) is layer.weight
    x = gv.randn(2, 4, *[6] * len(spatial))
    out = layer(x).numpy().reshape(2, groups, 6 // groups, -1)
    given = x.numpy().reshape(2, groups, 4 // groups, -1)
    np.testing.assert_array_equal(out[:, :, : 4 // groups], given)
    assert not out[:, :, 4 // groups :].any()


def test_where_the_ones_are_in_windows_of_even_size():
    made = init.dirac(2, 3, 4, dtype="float64").numpy()
    assert np.argwhere(made).tolist() == [[0, 0, 2], [1, 1, 2]] and made.dtype == np.float64
    assert init.dirac(0, 3, 4).shape == (0, 3, 4)


@pytest.mark.parametrize(
    ("sparsity", "zeros"), [(0.0, 0), (0.1, 3), (0.11, 4), (0.9, 27), (1.0, 30)]
)
def test_as_many_zeros_in_every_column(sparsity, zeros):
    gv.manual_seed(2)
    made = init.sparse(30, 50, sparsity=sparsity, std=0.5).numpy()
    assert (made == 0.0).sum(0).tolist() == [zeros] * 50
    if zeros < 30:
        assert made[made != 0.0].std() == pytest.approx(0.5, rel=0.15)
    if 0 < zeros < 27:  # at different places
        assert len({tuple(column) for column in (made == 0.0).T}) > 40
    if zeros:  # and at every place now and then
        assert (made == 0.0).any(1).all()


def normal_moments(mean, std, a, b):
    """Mean and deviation within limits, by sums."""
    low, high = max(a, mean - 12.0 * std), min(b, mean + 12.0 * std)
    if low >= high:  # far out: the curve has fallen to nothing 12 deviations on
        low, high = (a, min(b, a + 12.0 * std)) if a > mean else (max(a, b - 12.0 * std), b)
    x = np.linspace(low, high, 400_001)
    logs = -0.5 * ((x - mean) / std) ** 2
    weights = np.exp(logs - logs.max())
    middle = (x * weights).sum() / weights.sum()
    return middle, math.sqrt((((x - middle) ** 2) * weights).sum() / weights.sum())


@pytest.mark.parametrize(
    "limits",
    [
        (0.0, 1.0, -2.0, 2.0),
        (1.0, 0.5, 0.9, 5.0),
        (0.0, 1.0, -INF, INF),
        (0.0, 1.0, 0.2, 0.5),
        (0.0, 1.0, -0.1, 0.3),
        (0.0, 1.0, 1.0, INF),
        (0.0, 1.0, -INF, -2.5),
        (3.0, 0.1, -2.0, 2.0),
        (0.0, 0.02, -2.0, 2.0),
        (0.0, 1.0, 6.0, 6.1),
        (0.0, 1.0, 40.0, 1000.0),
    ],
    ids=str,
)
def test_numbers_within_limits_have_the_moments_of_what_is_cut_out(limits):
    mean, std, a, b = limits
    gv.manual_seed(4)
    made = init.trunc_normal(40_000, mean=mean, std=std, a=a, b=b, dtype="float64").numpy()
    middle, spread = normal_moments(*limits)
    assert made.min() >= a and made.max() <= b
    assert abs(made.mean() - middle) < 5.0 * spread / math.sqrt(40_000)
    assert made.std() == pytest.approx(spread, rel=0.03)


def test_limits_hold_after_rounding():
    a, b = -0.03157, -0.03156999999999998
    made = init.trunc_normal(1000, mean=-1.43, std=1.13, a=a, b=b, dtype="float64").numpy()
    assert made.min() >= a and made.max() <= b
    made = init.trunc_normal(1000, std=1e-3, a=0.1, b=0.1 + 1e-9).numpy()
    assert made.dtype == np.float32 and set(made.tolist()) == {float(np.float32(0.1))}
    assert init.trunc_normal(()).shape == () and init.trunc_normal(0, 3).shape == (0, 3)


@pytest.mark.parametrize(
    ("call", "options"),
    [
        ("orthogonal", {"gain": 2.0}),
        ("sparse", {"sparsity": 0.5, "std": 2.0}),
        ("trunc_normal", {"mean": 1.0, "std": 0.5, "a": 0.0, "b": 1.5}),
        ("eye", {}),
    ],
)
def test_a_parameter_gets_what_its_function_makes(call, options):
    p = gv.nn.Parameter(np.zeros((6, 4)))
    gv.manual_seed(5)
    assert getattr(init, f"{call}_")(p, **options) is p
    gv.manual_seed(5)
    expected = getattr(init, call)(6, 4, dtype="float64", **options)
    assert p.tolist() == expected.tolist() and p.is_require_grad and p.dtype == "float64"


def test_values_wait_on_the_capture_device():
    with gv.default_device("capture"):
        large = gv.nn.Linear(2**16, 2**16, bias=False)
        for name, options in (("orthogonal_", {}), ("sparse_", {"sparsity": 0.5}), ("trunc_normal_", {}), ("eye_", {})):  # fmt: skip
            getattr(init, name)(large.weight, **options)
        small = gv.nn.Linear(3, 3, bias=False)
        init.orthogonal_(small.weight)
    weight = small.weight.numpy()
    np.testing.assert_allclose(weight @ weight.T, np.eye(3), atol=1e-5)
    assert weight.tolist() == small.weight.numpy().tolist()


def test_draws_are_refused_in_a_recording():
    def function(x):
        return x + init.orthogonal(2, 2)

    refused(
        lambda: gv.capture(function, gv.spec((2, 2))), "capture-value-unavailable", "orthogonal"
    )
    captured = gv.capture(lambda x: x + init.eye(2, 2), gv.spec((2, 2)))
    assert captured.run(np.zeros((2, 2), np.float32)).tolist() == [[1.0, 0.0], [0.0, 1.0]]


@pytest.mark.parametrize(
    ("call", "slug", "words"),
    [
        (lambda: init.orthogonal(3), "invalid-argument", ["orthogonal", "at least 2"]),
        (lambda: init.orthogonal(3, 2, gain="relu"), "invalid-argument", ["gain"]),
        (lambda: init.eye(3), "invalid-argument", ["eye", "2 dimensions"]),
        (lambda: init.eye(3, 3, 3), "invalid-argument", ["eye"]),
        (lambda: init.dirac(3, 3), "invalid-argument", ["dirac", "3, 4 or 5"]),
        (lambda: init.dirac(3, 3, 3, groups=2), "invalid-argument", ["3 channels", "2 groups"]),
        (lambda: init.dirac(3, 3, 3, groups=0), "invalid-argument", ["groups"]),
        (lambda: init.sparse(3, sparsity=0.5), "invalid-argument", ["sparse", "2 dimensions"]),
        (lambda: init.sparse(3, 3, sparsity=1.5), "invalid-argument", ["sparsity is 1.5"]),
        (lambda: init.sparse(3, 3, sparsity=-0.5), "invalid-argument", ["sparsity"]),
        (lambda: init.sparse(3, 3, sparsity=0.5, std=-1.0), "invalid-argument", ["std"]),
        (lambda: init.trunc_normal(3, std=0.0), "invalid-argument", ["std"]),
        (lambda: init.trunc_normal(3, std=INF), "invalid-argument", ["std inf"]),
        (lambda: init.trunc_normal(3, mean=math.nan), "invalid-argument", ["mean nan"]),
        (lambda: init.trunc_normal(3, a=2.0, b=1.0), "invalid-argument", ["a 2.0 and b 1.0"]),
        (lambda: init.trunc_normal(3, a=math.nan), "invalid-argument", ["a nan"]),
        (lambda: init.orthogonal_(gv.ones(2, 2)), "in-place-on-tensor", ["orthogonal((2, 2))"]),
        (lambda: init.trunc_normal_([1.0]), "not-a-tensor", ["`trunc_normal` takes a shape"]),
        (lambda: init.orthogonal_(gv.nn.Parameter([1.0])), "invalid-argument", ["at least 2"]),
    ],
)
def test_what_makes_no_sense_is_refused(call, slug, words):
    refused(call, slug, *words)
