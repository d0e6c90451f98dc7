"""Edge cases of the further operations: nothing, one, ties, nan, shapes that don't fit, straight-through."""

from __future__ import annotations

import numpy as np
import pytest

import gradviz as gv
from tests.asserting import refused

NAN, INF = float("nan"), float("inf")
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def lists(parts):
    return [part.tolist() for part in parts]


def leaf(values):
    return gv.tensor(values, dtype="float64", requires_grad=True)


# --- order ---------------------------------------------------------------------------------------
def test_equal_elements_keep_their_order_both_ways():
    x = gv.tensor([2, 1, 2, 1])
    assert lists(x.sort()) == [[1, 1, 2, 2], [1, 3, 0, 2]]
    assert lists(x.sort(descending=True)) == [[2, 2, 1, 1], [0, 2, 1, 3]]
    assert x.argsort(descending=True).tolist() == [0, 2, 1, 3]


def test_nan_counts_as_the_largest_number():
    x = gv.tensor([NAN, 1.0, INF])
    np.testing.assert_array_equal(x.sort()[0].numpy(), [1.0, INF, NAN])
    np.testing.assert_array_equal(x.sort(descending=True)[0].numpy(), [NAN, INF, 1.0])
    np.testing.assert_array_equal(x.topk(1)[0].numpy(), [NAN])
    assert x.topk(1, largest=False)[0].tolist() == [1.0]
    values, indices = x.median(dim=0)
    assert np.isnan(values.item()) and indices.item() == 0
    assert np.isnan(x.median().item())
    np.testing.assert_array_equal(gv.tensor([1.0, NAN, 2.0]).cummax(0)[0].numpy(), [1.0, NAN, NAN])
    assert gv.tensor([1.0, NAN, 2.0]).cummax(0)[1].tolist() == [0, 1, 1]


def test_a_median_of_all_shares_its_gradient_among_equals():
    x = leaf([1.0, 2.0, 2.0, 5.0])
    assert x.grad(x.median().backward()).tolist() == [0.0, 0.5, 0.5, 0.0]


@pytest.mark.parametrize("name", ["sort", "cummax", "cummin", "cumprod", "logcumsumexp"])
def test_nothing_along_a_dimension_gives_nothing(name):
    found = getattr(gv, name)(gv.ones(2, 0), dim=1)
    assert (found[0] if isinstance(found, tuple) else found).shape == (2, 0)


def test_order_refuses_what_there_isn_t():
    x = gv.ones(2, 3)
    refused(lambda: x.topk(4), "index-out-of-range")
    refused(lambda: x.topk(-1), "index-out-of-range")
    refused(lambda: x.kthvalue(0), "index-out-of-range")
    refused(lambda: x.median(dim=2), "dimension-out-of-range")
    refused(lambda: gv.ones(2, 0).median(), "invalid-argument")
    refused(lambda: gv.searchsorted(gv.ones(2, 3), gv.ones(3, 1)), "shape-mismatch")


def test_places_and_distinct_values():
    x = gv.tensor([[0, 3], [3, 0]])
    assert x.nonzero().tolist() == [[0, 1], [1, 0]]
    assert lists(x.nonzero(as_tuple=True)) == [[0, 1], [1, 0]]
    assert gv.tensor(5).nonzero().shape == (1, 0) and gv.tensor(0).nonzero().shape == (0, 0)
    assert lists(gv.tensor(5).nonzero(as_tuple=True)) == [[0]]
    values, inverse, counts = gv.unique(x, return_inverse=True, return_counts=True)
    assert (values.tolist(), inverse.tolist(), counts.tolist()) == (
        [0, 3],
        [[0, 1], [1, 0]],
        [2, 2],
    )
    assert gv.bincount(gv.tensor([], dtype="int64"), minlength=2).tolist() == [0, 0]
    refused(lambda: gv.bincount(gv.tensor([-1])), "invalid-argument")
    refused(lambda: gv.bincount(gv.tensor([1.0])), "invalid-dtype")
    refused(
        lambda: gv.capture(lambda t: t.nonzero(), gv.spec((3,), "float32")),
        "capture-value-unavailable",
    )


# --- indices -------------------------------------------------------------------------------------
def test_a_product_with_one_zero_has_the_gradient_of_the_others():
    x, s = leaf([2.0, 3.0]), leaf([0.0, 5.0])
    out = x.scatter_reduce(0, gv.tensor([0, 0]), s, "prod")
    grads = out.sum().backward()
    assert (grads[x].tolist(), grads[s].tolist()) == ([0.0, 1.0], [10.0, 0.0])
    y, t = leaf([2.0, 3.0]), leaf([0.0, 5.0])
    grads = y.scatter_nd(gv.tensor([[0], [0]]), t, "mul").sum().backward()
    assert (grads[y].tolist(), grads[t].tolist()) == ([0.0, 1.0], [10.0, 0.0])


@pytest.mark.parametrize("how", ["sum", "mean", "amax", "amin"])
@pytest.mark.parametrize("extreme", [INF, -INF])
def test_an_infinite_element_leaves_the_gradients_of_other_places_finite(how, extreme):
    x, s = leaf([extreme, 1.0, extreme]), leaf([4.0, extreme, 0.5])
    grads = x.scatter_reduce(0, gv.tensor([1, 2, 1]), s, how).sum().backward()
    assert grads[x][0].item() == 1.0
    assert np.isfinite(grads[x].numpy()[:2]).all()
    assert np.isfinite(grads[s].numpy()[::2]).all()


def test_a_turn_needs_two_different_dimensions():
    refused(lambda: gv.rot90(gv.ones(2, 2), 1, (0, -2)), "invalid-argument")


def test_a_tensor_without_dimensions_is_repeated_and_expanded_by_nothing():
    x = gv.tensor(2.0)
    assert (x.repeat().shape, x.expand().shape) == ((), ())


def test_softmax_of_one_number_without_a_probability():
    for x in (gv.tensor(-INF), gv.tensor(NAN)):
        assert np.isnan(x.softmax(0).item()) and np.isnan(x.log_softmax(0).item())


def test_digamma_at_zero_is_infinite_on_the_side_of_its_sign():
    assert gv.digamma(gv.tensor([0.0, -0.0])).tolist() == [-INF, INF]
    assert np.isnan(gv.digamma(gv.tensor(-1.0)).item())
    assert gv.digamma(gv.tensor(0)).item() == -INF


def test_gather_nd_takes_slices_or_the_whole():
    x = gv.arange(6).reshape(2, 3)
    assert x.gather_nd(gv.tensor([[1]])).tolist() == [[3, 4, 5]]
    assert x.gather_nd(gv.zeros(2, 0, dtype="int64")).shape == (2, 2, 3)
    refused(lambda: x.gather_nd(gv.tensor([[0, 3]])), "index-out-of-range")
    refused(lambda: x.gather_nd(gv.tensor([[-1, 0]])), "index-out-of-range")
    refused(lambda: x.gather_nd(gv.tensor([[0, 0, 0]])), "shape-mismatch")
    refused(lambda: x.gather_nd(gv.tensor([[0.5]])), "invalid-dtype")
    refused(lambda: x.scatter_nd(gv.tensor([[0]]), gv.tensor([1])), "shape-mismatch")
    refused(
        lambda: x.scatter_nd(gv.tensor([[0]]), gv.tensor([[1, 2, 3]]), "mean"), "invalid-argument"
    )


def test_slices_that_don_t_fit_are_refused():
    x = gv.zeros(3, 2)
    refused(lambda: x.index_add(0, gv.tensor([0, 1]), gv.ones(2, 3)), "shape-mismatch")
    refused(lambda: x.index_copy(0, gv.tensor([0, 1]), gv.ones(1, 2)), "shape-mismatch")
    refused(lambda: x.index_add(0, gv.tensor([3]), gv.ones(1, 2)), "index-out-of-range")
    refused(lambda: x.index_fill(0, gv.tensor([0.0]), 1.0), "invalid-dtype")
    refused(lambda: x.masked_scatter(gv.tensor([True, True]), gv.ones(2)), "shape-mismatch")
    refused(lambda: x.take_along_dim(gv.tensor([0]), 0), "shape-mismatch")
    refused(lambda: gv.repeat_interleave(x, [1, 2], 0), "invalid-argument")
    refused(lambda: gv.diag(gv.ones(2, 2, 2)), "invalid-argument")


def test_a_fill_may_be_tracked():
    value = gv.tensor(2.0, requires_grad=True)
    filled = gv.zeros(3, 2).index_fill(0, gv.tensor([0, 2]), value)
    assert filled.tolist() == [[2.0, 2.0], [0.0, 0.0], [2.0, 2.0]]
    assert value.grad(filled.sum().backward()).item() == 4.0


# --- products ------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("equation", "shapes"),
    [
        ("ij,jk", [(2, 3), (3, 4)]),
        ("ba", [(2, 3)]),
        ("...ij->...ji", [(5, 2, 3)]),
        ("b...,b...->b...", [(2, 3, 4), (2, 3, 4)]),
        ("ij,j,k->ik", [(2, 3), (3,), (4,)]),
        ("iij->j", [(2, 2, 3)]),
        ("i,i,i->i", [(3,), (3,), (3,)]),
        ("ij,kj->", [(2, 3), (4, 3)]),
        (",i->i", [(), (3,)]),
        ("ij->", [(0, 3)]),
    ],
)
def test_einsum_is_numpy_s(equation, shapes):
    rng = np.random.default_rng(0)
    arrays = [rng.normal(size=shape) for shape in shapes]
    found = gv.einsum(equation, *(gv.tensor(a) for a in arrays))
    np.testing.assert_allclose(found.numpy(), np.einsum(equation, *arrays), rtol=1e-12, atol=1e-14)


def test_equations_that_make_no_sense_are_refused():
    x = gv.ones(2, 3)
    for equation in ("ij", "ij,jk", "i->i", "ij->ii", "ij->k", "i1->i", "ijk->i"):
        refused(
            lambda e=equation: gv.einsum(e, x, x) if "," not in e else gv.einsum(e, x),
            "invalid-argument",
        )
    refused(lambda: gv.einsum("ij,jk->ik", x, x), "shape-mismatch")
    refused(lambda: gv.einsum(3, x), "invalid-argument")
    refused(lambda: gv.tensordot(x, x, 1), "shape-mismatch")
    refused(lambda: gv.cross(x, gv.ones(2, 4)), "shape-mismatch")
    refused(lambda: gv.cross(gv.ones(2), gv.ones(2)), "shape-mismatch")
    refused(lambda: gv.cdist(gv.ones(2, 3), gv.ones(2, 4)), "shape-mismatch")


def test_singular_matrices_have_determinants_and_no_inverses():
    x = leaf([[1.0, 2.0], [2.0, 4.0]])
    np.testing.assert_allclose(
        x.grad(gv.det(x).backward()).numpy(), [[4.0, -2.0], [-2.0, 1.0]], atol=1e-12
    )
    refused(lambda: gv.inv(x), "invalid-argument", "singular")
    refused(lambda: gv.solve(x, gv.ones(2, 1).double()), "invalid-argument", "singular")
    refused(lambda: gv.cholesky(-gv.eye(2)), "invalid-argument")
    refused(lambda: gv.det(gv.ones(2, 3)), "shape-mismatch")
    refused(lambda: gv.solve(gv.eye(2), gv.ones(3, 1)), "shape-mismatch")


# --- attention, embedding, normalisation ---------------------------------------------------------
def test_a_query_that_sees_nothing_gets_zeros_and_finite_gradients():
    q, k, v = (gv.tensor(np.ones((2, 2)) * (at + 1.0), requires_grad=True) for at in range(3))
    mask = gv.tensor([[True, True], [False, False]])
    out = gv.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    assert out.tolist() == [[3.0, 3.0], [0.0, 0.0]]
    grads = out.sum().backward()
    assert all(np.isfinite(grads[t].numpy()).all() for t in (q, k, v))


@pytest.mark.parametrize("scale", [1.0, 1e3])
def test_shares_of_causal_attention_add_up_to_one_also_far_apart(scale):
    x = gv.tensor(np.random.default_rng(0).normal(size=(4, 3)) * scale)
    ones = gv.ones(4, 1, dtype="float64")
    found = gv.scaled_dot_product_attention(x, x, ones, is_causal=True)
    np.testing.assert_allclose(found.numpy(), 1.0, rtol=1e-12)
    first = gv.scaled_dot_product_attention(x, x, gv.eye(4, dtype="float64"), is_causal=True)
    np.testing.assert_array_equal(np.triu(first.numpy(), 1), 0.0)


def test_attention_s_softcap_bends_scores():
    q, k = gv.tensor([[10.0]]), gv.tensor([[10.0], [0.0]])
    v = gv.eye(2)
    found = gv.scaled_dot_product_attention(q, k, v, softcap=1.0)
    weight = np.exp(np.tanh(100.0))
    np.testing.assert_allclose(
        found.numpy()[0], np.array([weight, 1.0]) / (weight + 1.0), rtol=1e-6
    )


def test_dropped_attention_keeps_its_mean():
    gv.manual_seed(0)
    x, v = gv.zeros(1, 400), gv.ones(400, 1)
    found = gv.scaled_dot_product_attention(x[:, :1], gv.zeros(400, 1), v, dropout_p=0.5)
    assert found.item() == pytest.approx(1.0, abs=0.2)


def test_layers_refuse_shapes_that_don_t_fit():
    x = gv.ones(2, 3)
    refused(lambda: gv.scaled_dot_product_attention(x, gv.ones(2, 4), x), "shape-mismatch")
    refused(lambda: gv.scaled_dot_product_attention(x, x, gv.ones(3, 3)), "shape-mismatch")
    refused(
        lambda: gv.scaled_dot_product_attention(x, x, x, attn_mask=gv.ones(3, 3)), "shape-mismatch"
    )
    refused(lambda: gv.layer_norm(x, (2,)), "shape-mismatch")
    refused(lambda: gv.layer_norm(x, (3,), gv.ones(2)), "shape-mismatch")
    refused(lambda: gv.layer_norm(x.long(), (3,)), "invalid-dtype")
    refused(lambda: gv.batch_norm(x, None, None), "invalid-argument")
    refused(lambda: gv.batch_norm(gv.ones(1, 3), None, None, training=True), "invalid-argument")
    refused(lambda: gv.group_norm(x, 2), "invalid-argument")
    refused(lambda: gv.embedding(gv.tensor([4]), x), "index-out-of-range")
    refused(lambda: gv.embedding(gv.tensor([-1]), x), "index-out-of-range")
    refused(lambda: gv.embedding(gv.tensor([0]), x, padding_idx=2), "index-out-of-range")
    refused(lambda: gv.embedding(gv.tensor([0.0]), x), "invalid-dtype")
    refused(lambda: gv.embedding(gv.tensor([0]), gv.ones(3)), "shape-mismatch")
    refused(lambda: gv.glu(gv.ones(3)), "invalid-argument")


@pytest.mark.parametrize("rows", [1, 3])
def test_layer_norm_of_half_precision_is_computed_in_more(rows):
    x = gv.tensor(np.full((rows, 64), 300.0), dtype="float16") + gv.arange(64).half()
    found = gv.layer_norm(x, (64,)).numpy()
    assert found.dtype == np.float16 and np.isfinite(found).all()
    assert abs(found.astype(float).std() - 1.0) < 1e-2


# --- losses --------------------------------------------------------------------------------------
def test_targets_that_can_t_be_spelt():
    x = gv.tensor(np.zeros((2, 1, 3)), requires_grad=True)
    scores = gv.log_softmax(x, dim=2)
    loss = gv.ctc_loss(scores, gv.tensor([[1, 1]]), [2], [2], reduction="none")
    assert loss.tolist() == [INF]
    assert np.isfinite(x.grad(loss.sum().backward()).numpy()).all()
    y = gv.tensor(np.zeros((2, 1, 3)), requires_grad=True)
    loss = gv.ctc_loss(gv.log_softmax(y, dim=2), gv.tensor([[1, 1]]), [2], [2], zero_infinity=True)
    assert loss.item() == 0.0
    assert not y.grad(loss.backward()).numpy().any()


def test_labels_in_one_row_and_single_examples():
    x = gv.log_softmax(gv.tensor(np.random.default_rng(0).normal(size=(5, 2, 4))), dim=2)
    padded = gv.ctc_loss(x, gv.tensor([[1, 2], [3, 0]]), [5, 5], [2, 1], reduction="none")
    joined = gv.ctc_loss(x, gv.tensor([1, 2, 3]), [5, 5], [2, 1], reduction="none")
    single = gv.ctc_loss(x[:, 0], gv.tensor([1, 2]), [5], [2], reduction="none")
    assert padded.tolist() == joined.tolist() and single.item() == padded.tolist()[0]
    assert gv.ctc_loss(x[:0], gv.tensor([[1], [2]]), [0, 0], [0, 1], reduction="none").tolist() == [
        0.0,
        INF,
    ]


def test_ctc_refuses_what_makes_no_sense():
    x = gv.zeros(5, 2, 4)
    refused(
        lambda: gv.ctc_loss(x, gv.tensor([[1, 2], [3, 4]]), [5, 5], [2, 2]), "index-out-of-range"
    )
    refused(lambda: gv.ctc_loss(x, gv.tensor([[1, 2], [3, 9]]), [6, 5], [2, 1]), "invalid-argument")
    refused(lambda: gv.ctc_loss(x, gv.tensor([[1, 2]]), [5, 5], [2, 1]), "shape-mismatch")
    refused(lambda: gv.ctc_loss(x, gv.tensor([[1, 2], [3, 0]]), [5], [2, 1]), "shape-mismatch")
    refused(lambda: gv.ctc_loss(x, gv.tensor([1, 2]), [5, 5], [2, 1]), "shape-mismatch")
    refused(lambda: gv.ctc_loss(x, gv.tensor([[1.0], [2.0]]), [5, 5], [1, 1]), "invalid-dtype")
    refused(
        lambda: gv.ctc_loss(x, gv.tensor([[1], [2]]), [5, 5], [1, 1], blank=4), "index-out-of-range"
    )


def test_losses_refuse_targets_of_another_shape():
    x = gv.ones(2, 3) * 0.5
    for loss in (gv.binary_cross_entropy, gv.binary_cross_entropy_with_logits):
        refused(lambda f=loss: f(x, gv.ones(3)), "shape-mismatch")
        refused(lambda f=loss: f(x, x, weight=gv.ones(2)), "shape-mismatch")
    refused(lambda: gv.binary_cross_entropy(x * 3.0, x), "invalid-argument")
    refused(lambda: gv.huber_loss(x, gv.ones(2)), "shape-mismatch")
    refused(lambda: gv.huber_loss(x, x, delta=0.0), "invalid-argument")
    refused(lambda: gv.smooth_l1_loss(x, x, beta=-1.0), "invalid-argument")
    refused(lambda: gv.kl_div(x, x, reduction="batch"), "invalid-argument")


def test_cross_entropy_ignores_scores_that_aren_t_numbers_where_it_is_told_to():
    x = leaf([[NAN, NAN], [1.0, 2.0]])
    loss = gv.cross_entropy(x, gv.tensor([-100, 0]))
    assert np.isfinite(loss.item())
    assert x.grad(loss.backward())[0].tolist() == [0.0, 0.0]
    far = leaf([[1e4, -1e4], [0.0, 1.0]])
    grads = gv.cross_entropy(far, gv.tensor([1, 0]), reduction="sum").backward()
    np.testing.assert_allclose(grads[far].numpy()[0], [1.0, -1.0])
    assert np.isnan(gv.cross_entropy(gv.ones(1, 2), gv.tensor([-100])).item())
    assert np.isnan(gv.cross_entropy(gv.ones(0, 2), gv.tensor([], dtype="int64")).item())


# --- spectra -------------------------------------------------------------------------------------
@pytest.mark.parametrize("n", [1, 2, 7, 8])
def test_spectra_are_numpy_s_and_come_back(n):
    x = np.random.default_rng(n).normal(size=(2, n))
    re, im = gv.rfft(gv.tensor(x))
    expected = np.fft.rfft(x)
    np.testing.assert_allclose(re.numpy() + 1j * im.numpy(), expected, atol=1e-12)
    np.testing.assert_allclose(gv.irfft(re, im, n).numpy(), x, atol=1e-12)


def test_frames_come_back_as_the_signal():
    x = gv.tensor(np.random.default_rng(0).normal(size=(2, 50)), requires_grad=True)
    window = gv.hann_window(16, dtype="float64")
    re, im = gv.stft(x, 16, window=window)
    assert re.shape == (2, 9, 13)
    back = gv.istft(re, im, 16, window=window, length=50)
    np.testing.assert_allclose(back.numpy()[:, :48], x.numpy()[:, :48], atol=1e-9)
    assert np.isfinite(x.grad((re * re + im * im).sum().backward()).numpy()).all()
    refused(lambda: gv.stft(gv.ones(4), 16, center=False), "invalid-argument")
    refused(lambda: gv.stft(gv.ones(40), 16, window=gv.ones(8)), "shape-mismatch")
    refused(lambda: gv.rfft(gv.tensor(1.0)), "dimension-out-of-range")
    refused(lambda: gv.rfft(gv.ones(3), n=0), "invalid-argument")
    refused(lambda: gv.irfft(gv.ones(3), gv.ones(2)), "shape-mismatch")


def test_windows_are_numpy_s():
    for ours, theirs in (
        (gv.hann_window, np.hanning),
        (gv.hamming_window, np.hamming),
        (gv.blackman_window, np.blackman),
    ):
        for n in (0, 1, 2, 9):
            found = ours(n, periodic=False, dtype="float64").numpy()
            np.testing.assert_allclose(found, theirs(n), atol=1e-12)
            np.testing.assert_allclose(
                ours(n, dtype="float64").numpy(),
                theirs(n + 1)[:n] if n > 1 else np.ones(n),
                atol=1e-12,
            )


# --- quantization and chance ---------------------------------------------------------------------
def test_quantizing_rounds_and_limits_and_cuts_gradients():
    x = leaf([-100.0, -0.26, 0.0, 0.24, 100.0])
    q = gv.quantize_per_tensor(x, 0.5, 3)
    assert q.int_repr().tolist() == [-128, 2, 3, 3, 127] and q.dtype == "int8"
    assert q.dequantize().tolist() == [-65.5, -0.5, 0.0, 0.0, 62.0]
    assert not q.dequantize().is_tracked
    base = gv.quantize_dynamic(gv.tensor(np.random.default_rng(0).normal(size=(3, 3)))).dequantize()
    w = leaf(np.ones((3, 3)))
    grads = (w @ base).sum().backward()
    np.testing.assert_allclose(grads[w].numpy(), np.tile(base.numpy().sum(1), (3, 1)))


def test_fake_quantizing_passes_gradients_straight_through():
    x = leaf([-100.0, -0.26, 0.24, 100.0])
    y = gv.fake_quantize_per_tensor_affine(x, 0.5, 0, -8, 7)
    assert y.tolist() == [-4.0, -0.5, 0.0, 3.5]
    assert x.grad((y * 2.0).sum().backward()).tolist() == [0.0, 2.0, 2.0, 0.0]


def test_grids_that_make_no_sense_are_refused():
    x = gv.ones(2, 3)
    refused(lambda: gv.quantize_per_tensor(x, 0.0, 0), "invalid-argument")
    refused(lambda: gv.quantize_per_tensor(x, 0.1, 0.5), "invalid-dtype")
    refused(lambda: gv.quantize_per_tensor(x, 0.1, 0, "float32"), "invalid-dtype")
    refused(lambda: gv.quantize_per_tensor(x, [0.1, 0.2], 0), "invalid-argument")
    refused(lambda: gv.quantize_per_channel(x, [0.1, 0.2], [0, 0], 1), "shape-mismatch")
    refused(lambda: gv.quantize_per_tensor(x.long(), 0.1, 0), "invalid-dtype")
    refused(lambda: gv.fake_quantize_per_tensor_affine(x, 0.1, 0, 7, -8), "invalid-argument")


def test_chance_repeats_with_its_seed_and_stays_within_its_limits():
    draws = []
    for _ in range(2):
        gv.manual_seed(3)
        draws.append(
            [
                gv.randint(0, 5, (20,)).tolist(),
                gv.randperm(6).tolist(),
                gv.multinomial(gv.tensor([0.0, 1.0, 3.0]), 5, replacement=True).tolist(),
                gv.exponential(4, rate=2.0).tolist(),
            ]
        )
    assert draws[0] == draws[1]
    whole, order, places, times = draws[0]
    assert set(whole) <= set(range(5)) and sorted(order) == list(range(6))
    assert 0 not in places and min(times) >= 0.0
    once = gv.multinomial(gv.tensor([[1.0, 1.0, 0.0], [0.0, 2.0, 1.0]]), 2)
    assert [sorted(row) for row in once.tolist()] == [[0, 1], [1, 2]]
    refused(lambda: gv.multinomial(gv.tensor([1.0, 0.0]), 2), "invalid-argument")
    refused(lambda: gv.randint(3, 3, (1,)), "invalid-argument")
    refused(lambda: gv.exponential(2, rate=0.0), "invalid-argument")


# --- gradients of gradients that samples can't show -----------------------------------------------
def test_second_derivatives_of_a_symmetric_root():
    """Along symmetric directions, the only ones in which a triangle is told by its matrix."""
    a = np.array([[2.0, 0.5], [0.5, 1.5]])
    direction = np.array([[0.3, -0.7], [-0.7, 0.2]])

    def slope(t):
        x = gv.tensor(a + t * direction, requires_grad=True)
        grads = (gv.cholesky(x) ** 3).sum().backward()
        return float((grads[x].numpy() * direction).sum())

    def value(t):
        return float((gv.cholesky(gv.tensor(a + t * direction)) ** 3).sum().item())

    step = 1e-5
    assert slope(0.0) == pytest.approx((value(step) - value(-step)) / (2 * step), rel=1e-7)
    x = gv.tensor(a, requires_grad=True)
    first = (gv.cholesky(x) ** 3).sum().backward(create_graph=True)[x]
    second = (first * direction).sum().backward()[x]
    expected = (slope(step) - slope(-step)) / (2 * step)
    assert float((second.numpy() * direction).sum()) == pytest.approx(expected, rel=1e-6)


def test_gradient_penalty_through_normalisation_and_attention():
    rng = np.random.default_rng(0)
    x0 = rng.normal(size=(3, 4))
    scale, shift = gv.tensor(rng.normal(size=4)), gv.tensor(rng.normal(size=4))

    def penalty(array, graph=False):
        x = gv.tensor(array, requires_grad=True)
        h = gv.layer_norm(x, (4,), scale, shift)
        y = gv.scaled_dot_product_attention(h, h, h, is_causal=True)
        loss = gv.cross_entropy(y, gv.tensor([0, 3, 1]))
        g = loss.backward(create_graph=True)[x]
        return (x, (g * g).sum()) if graph else float((g * g).sum().item())

    x, total = penalty(x0, graph=True)
    found = total.backward()[x].numpy()
    expected = np.zeros_like(x0)
    for at in np.ndindex(x0.shape):
        up, down = x0.copy(), x0.copy()
        up[at] += 1e-5
        down[at] -= 1e-5
        expected[at] = (penalty(up) - penalty(down)) / 2e-5
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-8)
