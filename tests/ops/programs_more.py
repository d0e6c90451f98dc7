"""Short programs that mean the same in PyTorch and here; `truths_more.json` has what PyTorch gives.

Every program is an expression over `lib` and the inputs, which are drawn from its name. The truths
were computed in float64 by `python -m tests.ops.make_truths_more` with PyTorch 2.13, which the tests
themselves don't need.
"""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np

A, B, V = (3, 4), (4, 3), (5,)
POSITIVE = (0.2, 2.0)
UNIT = (0.05, 0.95)


def ints(*values: int) -> Any:
    """A given vector of whole numbers."""
    return np.array(values)


def mask(*values: int) -> Any:
    """A given vector of truth values."""
    return np.array(values, bool)


PROGRAMS: dict[str, tuple[str, dict[str, Any], tuple[float, float]]] = {}
"""Name: the expression, its inputs (shapes or arrays), the limits of random numbers."""


def _add(
    name: str, expression: str, limits: tuple[float, float] = (-2.0, 2.0), **inputs: Any
) -> None:
    PROGRAMS[name] = (expression, inputs, limits)


for _text in (
    "sort(x, dim=0)", "sort(x, dim=-1, descending=True)", "topk(x, 2, dim=1)",
    "topk(x, 3, dim=0, largest=False)", "kthvalue(x, 2, dim=1)", "kthvalue(x, 1, dim=0, keepdim=True)",
    "median(x, dim=1)", "median(x, dim=0, keepdim=True)", "median(x)", "argsort(x, dim=1)",
    "cumprod(x, dim=1)", "cummax(x, dim=1)", "cummin(x, dim=0)", "logcumsumexp(x, dim=1)",
    "diff(x, dim=0)", "diff(x, n=2, dim=1)", "diff(x, prepend=x, append=x)", "diag_embed(x)",
    "diag_embed(x, offset=-1)", "diag(x)", "diag(x, 1)", "rot90(x)", "rot90(x, 2)", "rot90(x, 3)",
    "fliplr(x)", "flipud(x)", "repeat_interleave(x, 2, dim=0)", "repeat_interleave(x, 2)",
    "aminmax(x)", "aminmax(x, dim=1)", "cov(x)", "corrcoef(x)", "sinc(x)", "erfc(x)", "nansum(x)",
    "nanmean(x, dim=0)", "deg2rad(x)", "rad2deg(x)", "mish(x)", "celu(x, 1.5)", "selu(x)",
    "hardtanh(x, -0.5, 1.0)", "hardswish(x * 3)", "hardsigmoid(x * 3)", "softsign(x)", "tanhshrink(x)",
    "softshrink(x, 0.7)", "hardshrink(x, 0.7)", "glu(x)", "softmin(x, dim=1)", "threshold(x, 0.2, -1.0)",
    "relu6(x * 5)", "logsigmoid(x)", "normalize(x)", "normalize(x, p=1.0, dim=0)", "float_power(x, 3)",
    "rms_norm(x, (4,))", "layer_norm(x, (4,))", "layer_norm(x, (3, 4))", "nan_to_num(x)",
    "log_softmax(x, dim=0)", "max(x)", "cholesky(x @ x.T + lib.eye(3, dtype=x.dtype))",
    "inv(x @ x.T + lib.eye(3, dtype=x.dtype))", "det(x @ x.T)", "slogdet(x @ x.T + lib.eye(3, dtype=x.dtype))",
    "polygamma_(lib, x * x + 0.5, 1)",
):  # fmt: skip
    _add(_text, _text, x=A)
for _text in ("lgamma(x)", "digamma(x)", "logit(x / 2.5)", "float_power(x, 2.5)"):
    _add(_text, _text, POSITIVE, x=A)
_add("erfinv", "erfinv(x)", (-0.99, 0.99), x=A)
_add("lgamma below zero", "lgamma(x)", (-3.9, -3.1), x=V)
_add("digamma below zero", "digamma(x)", (-3.9, -3.1), x=V)
_add(
    "cumprod with zeros",
    "cumprod(x * z, dim=0)",
    x=(4, 3),
    z=np.array([[1.0, 0, 1], [0, 1, 1], [1, 0, 1], [0, 1, 0]]),
)
_add("cummax ties", "cummax(x, dim=0)", x=np.array([1.0, 3.0, 3.0, 2.0, 3.0]))
_add("cummin ties", "cummin(x, dim=0)", x=np.array([1.0, 0.0, 0.0, 2.0, 0.0]))
for _text in (
    "logaddexp(x, y)", "logaddexp2(x, y)", "xlogy(x, y * y)", "copysign(x, y)", "fmax(x, y)",
    "cosine_similarity(x, y)", "cosine_similarity(x, y, dim=0)", "pairwise_distance(x, y)",
    "pairwise_distance(x, y, p=1.0, keepdim=True)", "dist(x, y)", "cdist(x, y)", "cdist(x, y, p=1.0)",
    "lerp(x, y, 0.3)", "lerp(x, y, x * y)", "addcmul(x, y, y, value=0.5)", "addcdiv(x, x, y * y + 1, value=2.0)",
    "kron(x, y)", "inner(x, y)", "tensordot(x, y, dims=([1], [1]))", "tensordot(x, y.T, 1)",
    "einsum('ij,kj->ik', x, y)", "einsum('ij,ij', x, y)", "einsum('ij,ij->j', x, y)", "einsum('ij,kl->ijkl', x, y)",
    "einsum('ij,kj,kl->il', x, y, y)", "einsum('i...,j...->ij...', x, y)", "einsum('ij->ji', x)", "einsum('ij,ik->', x, y)",
    "huber_loss(x, y)", "huber_loss(x, y, reduction='none', delta=0.5)", "huber_loss(x, y, reduction='sum', delta=2.0)",
    "smooth_l1_loss(x, y)", "smooth_l1_loss(x, y, reduction='sum', beta=0.5)", "smooth_l1_loss(x, y, beta=0.0)",
    "poisson_nll_loss(x, y * y)", "poisson_nll_loss(x * x, y * y, log_input=False, full=True)",
    "gaussian_nll_loss(x, y, x * x + 0.1)", "gaussian_nll_loss(x, y, y * y + 0.1, full=True, reduction='sum')",
    "soft_margin_loss(x, lib.sign(y).detach())", "margin_ranking_loss(x, y, lib.sign(x + y).detach(), margin=0.3)",
    "hinge_embedding_loss(x, lib.sign(y).detach(), margin=0.8)", "triplet_margin_loss(x, y, x * y)",
    "triplet_margin_loss(x, y, x + 1, swap=True, reduction='none')",
    "cosine_embedding_loss(x, y, lib.sign(x[:, 0]).detach(), margin=0.1)",
    "kl_div(x, y * y)", "kl_div(x, y, log_target=True, reduction='batchmean')", "kl_div(x, y * y + 0.1, reduction='sum')",
    "rms_norm(x, (4,), y[0])", "layer_norm(x, (4,), y[0], y[1], eps=1e-3)", "prelu(x, y[0])", "prelu(x, y[0, :1])",
    "group_norm(x, 2, y[0], y[1])", "batch_norm(x, None, None, y[0], y[1], training=True)",
    "batch_norm(x, y[0].detach(), (y[1] * y[1]).detach(), y[2], y[0], training=False, eps=1e-3)",
    "mse_loss(x, y)", "solve(x @ x.T + lib.eye(3, dtype=x.dtype), y)",
):  # fmt: skip
    _add(_text, _text, x=A, y=A)
_add("cross", "cross(x, y, dim=1)", x=(2, 3), y=(2, 3))
_add("cross that broadcasts", "cross(x, y, dim=-1)", x=(2, 3), y=(1, 3))
_add("einsum batch", "einsum('bij,bjk->bik', x, y)", x=(2, 3, 4), y=(2, 4, 2))
_add("einsum diagonal", "einsum('ii->i', x)", x=(3, 3))
_add("einsum trace", "einsum('ii', x)", x=(3, 3))
_add("einsum bilinear", "einsum('bn,anm,bm->ba', x, w, y)", x=(2, 3), w=(4, 3, 2), y=(2, 2))
_add("einsum ellipsis", "einsum('...ij,jk->...ik', x, y)", x=(2, 3, 3, 4), y=(4, 2))
_add("prelu channels", "prelu(x, y)", x=(2, 3, 4), y=(3,))
_add("bce", "binary_cross_entropy(x, y)", UNIT, x=A, y=A)
_add(
    "bce weight",
    "binary_cross_entropy(x, y, weight=w.detach(), reduction='sum')",
    UNIT,
    x=A,
    y=A,
    w=(4,),
)
_add("bce logits", "binary_cross_entropy_with_logits(x, y)", UNIT, x=A, y=A)
_add(
    "bce logits weights",
    "binary_cross_entropy_with_logits(x * 40 - 20, y, weight=w.detach(), pos_weight=p.detach(), reduction='none')",
    UNIT, x=A, y=A, w=np.array([[1.0], [2.0], [0.5]]), p=np.array([1.0, 3.0, 0.5, 2.0]),
)  # fmt: skip
_add("multilabel", "multilabel_soft_margin_loss(x, y)", UNIT, x=A, y=A)
for _how in ("mean", "sum", "none"):
    _add(
        f"cross_entropy {_how}",
        f"cross_entropy(x, t, reduction='{_how}')",
        x=(5, 3),
        t=ints(0, 2, 1, 1, 0),
    )
    _add(
        f"cross_entropy weight {_how}",
        f"cross_entropy(x, t, weight=w.detach(), ignore_index=1, reduction='{_how}')",
        POSITIVE, x=(5, 3), t=ints(0, 2, 1, 1, 0), w=np.array([0.5, 1.0, 2.0]),
    )  # fmt: skip
    _add(
        f"cross_entropy image {_how}",
        f"cross_entropy(x, t, reduction='{_how}')",
        x=(2, 3, 2),
        t=np.array([[0, 2], [1, 1]]),
    )
_add(
    "cross_entropy smooth",
    "cross_entropy(x, t, label_smoothing=0.2)",
    x=(5, 3),
    t=ints(0, 2, 1, 1, 0),
)
_add("cross_entropy ignored", "cross_entropy(x, t, ignore_index=-1)", x=(3, 3), t=ints(0, -1, 2))
_add("index_add", "x.index_add(0, i, s, alpha=2.0)", x=A, i=ints(2, 0, 2), s=A)
_add("index_copy", "x.index_copy(1, i, s)", x=A, i=ints(3, 0), s=(3, 2))
_add("index_fill", "x.index_fill(1, i, 5.0)", x=A, i=ints(3, 0))
_add("masked_scatter", "x.masked_scatter(m, s)", x=V, m=mask(1, 0, 1, 0, 1), s=V)
_add("take_along_dim", "take_along_dim(x, i, 1)", x=A, i=np.array([[1, 0], [2, 2], [3, 1]]))
_add("take_along_dim wide", "take_along_dim(x, i, 1)", x=A, i=np.array([[1, 0]]))
_add("take", "take(x, i)", x=A, i=np.array([[1, 11], [1, 5]]))
for _how in ("sum", "prod", "mean", "amax", "amin"):
    for _own in (True, False):
        _add(
            f"scatter_reduce {_how} {_own}",
            f"x.scatter_reduce(0, i, s, '{_how}', include_self={_own})",
            x=A, i=np.array([[0, 1, 1], [0, 2, 1]]), s=(2, 3),
        )  # fmt: skip
_add(
    "scatter add",
    "x.detach().scatter(0, i, s.detach(), reduce='add')",
    x=A,
    i=np.array([[0, 1, 1], [0, 2, 1]]),
    s=np.ones((2, 3)),
)
_add("bincount", "bincount(i, weights=x.detach())", x=V, i=ints(0, 3, 3, 1, 0))
_add(
    "searchsorted",
    "searchsorted(x, y, right=True)",
    x=np.array([1.0, 2.0, 2.0, 3.0]),
    y=np.array([[0.0, 2.0], [2.5, 9.0]]),
)
_add(
    "bucketize",
    "bucketize(y, x)",
    x=np.array([1.0, 2.0, 2.0, 3.0]),
    y=np.array([[0.0, 2.0], [2.5, 9.0]]),
)
_add("embedding", "embedding(i, x, padding_idx=1)", x=A, i=np.array([[0, 1], [2, 0]]))
_add("instance_norm", "instance_norm(x, weight=w, bias=b)", x=(2, 3, 4), w=(3,), b=(3,))
_add("group_norm image", "group_norm(x, 3, w, b)", x=(2, 6, 2, 2), w=(6,), b=(6,))
_add(
    "batch_norm image",
    "batch_norm(x, None, None, w, b, training=True)",
    x=(2, 3, 2, 2),
    w=(3,),
    b=(3,),
)
_add("layer_norm ends", "layer_norm(x, (3, 4), w, b)", x=(2, 3, 4), w=A, b=A)
_QKV = {"q": (2, 2, 3, 4), "k": (2, 2, 5, 4), "v": (2, 2, 5, 3)}
_add("attention", "scaled_dot_product_attention(q, k, v)", **_QKV)
_add("attention mask", "scaled_dot_product_attention(q, k, v, attn_mask=m)", **_QKV, m=(2, 1, 3, 5))
_add(
    "attention bool",
    "scaled_dot_product_attention(q, k, v, attn_mask=m)",
    **_QKV,
    m=np.array([[1, 0, 1, 1, 0], [0, 0, 1, 0, 0], [0, 0, 0, 0, 0]], bool),
)
_add(
    "attention causal",
    "scaled_dot_product_attention(q, k, k, is_causal=True, scale=0.3)",
    q=(2, 3, 4),
    k=(2, 3, 4),
)
_add("attention far", "scaled_dot_product_attention(q * 30, k * 30, v)", **_QKV)
_CTC = {"x": (6, 2, 4), "t": np.array([[1, 2, 2], [3, 1, 0]]), "n": ints(6, 5), "m": ints(3, 2)}
for _how in ("mean", "sum", "none"):
    _add(f"ctc {_how}", f"ctc_loss(lib.log_softmax(x, dim=2), t, n, m, reduction='{_how}')", **_CTC)
_add(
    "ctc joined",
    "ctc_loss(lib.log_softmax(x, dim=2), t, n, m, blank=3)",
    x=(6, 2, 4),
    t=ints(1, 2, 2, 0),
    n=ints(6, 6),
    m=ints(3, 1),
)
_add(
    "ctc zero",
    "ctc_loss(lib.log_softmax(x, dim=2), t, n, m, zero_infinity=True)",
    x=(2, 2, 3),
    t=np.array([[1, 1], [2, 0]]),
    n=ints(2, 2),
    m=ints(2, 1),
)
_add("fake tensor", "fake_quantize_per_tensor_affine(x, 0.1, 2, -8, 7)", (-1.5, 1.5), x=A)
_add(
    "fake channel",
    "fake_quantize_per_channel_affine(x, s, z, 1, -8, 7)",
    (-1.5, 1.5),
    x=A,
    s=np.array([0.1, 0.2, 0.05, 0.3], np.float32),
    z=np.array([0, 2, -1, 3], np.int32),
)
_BATCH = {"x": (2, 4, 6)}
for _text in (
    "channel_shuffle(x, 2)", "channel_shuffle(x, 4)", "local_response_norm(x, 3, 0.5, 0.6, 2.0)",
    "local_response_norm(x, 2)", "local_response_norm(x, 7, beta=2.0)", "lp_pool1d(x, 2, 2)",
    "lp_pool1d(x * x, 3.0, 2, stride=1)", "lp_pool1d(x * x, 1.5, 4, ceil_mode=True)", "lp_pool1d(x[0], 2, 3)",
    "lp_pool2d(x, 2, 2)", "lp_pool2d(x[None], 4, (2, 3), stride=(1, 2))", "lp_pool2d(x, 2, 3, 2, True)",
    "lp_pool1d(x * x + 0.1, 0.5, 2)",
):  # fmt: skip
    _add(_text, _text, **_BATCH)
_add("shuffle of images", "channel_shuffle(x, 3)", x=(2, 6, 2, 3))
_add("response of images", "local_response_norm(x, 4, alpha=0.3)", x=(2, 6, 2, 3))
for _text in ("1d(*lib.max_pool1d(x, 2, return_indices=True), 2)", "1d(*lib.max_pool1d(x[0], 3, 2, 1, return_indices=True), 3, 2, 1, (6,))",
              "1d(*lib.max_pool1d(x, 3, 1, return_indices=True), 3, stride=1)", "2d(*lib.max_pool2d(x, 2, return_indices=True), 2)",
              "2d(*lib.max_pool2d(x[None], 2, (1, 3), return_indices=True), 2, (1, 3), output_size=(1, 2, 4, 6))"):  # fmt: skip
    _add(f"max_unpool{_text}", f"max_unpool{_text}", **_BATCH)
_BAGS = {"x": ints(0, 2, 1, 1, 2, 0), "w": A, "o": ints(0, 2, 2, 5)}
_ROWS = {"x": np.array([[0, 1], [2, 2], [1, 1]]), "w": A}
for _how in ("sum", "mean", "max"):
    _text = f"mode='{_how}'"
    _add(f"bags {_how}", f"embedding_bag(x, w, o, {_text})", **_BAGS)
    _add(f"bags padding {_how}", f"embedding_bag(x, w, o, {_text}, padding_idx=1)", **_BAGS)
    _add(f"bags rows {_how}", f"embedding_bag(x, w, {_text})", **_ROWS)
    _add(f"bags rows padding {_how}", f"embedding_bag(x, w, {_text}, padding_idx=-2)", **_ROWS)
    _add(
        f"bags closed {_how}",
        f"embedding_bag(x, w, o, {_text}, include_last_offset=True)",
        x=_BAGS["x"], w=A, o=ints(0, 3, 3, 6),
    )  # fmt: skip
_SUM = "mode='sum', per_sample_weights=p"
_add("bags weights", f"embedding_bag(x, w, o, {_SUM})", **_BAGS, p=(6,))
_add("bags weights padding", f"embedding_bag(x, w, o, {_SUM}, padding_idx=2)", **_BAGS, p=(6,))
_add("bags weights rows", f"embedding_bag(x, w, {_SUM})", **_ROWS, p=(3, 2))
for _how in ("mean", "sum", "none"):
    for _text in ("", ", p=2, margin=0.5", ", weight=w.detach(), p=2"):
        _add(
            f"multi margin {_how}{_text}",
            f"multi_margin_loss(x, t, reduction='{_how}'{_text})",
            x=(5, 3), t=ints(0, 2, 1, 1, 0), w=np.array([0.5, 1.0, 2.0]),
        )  # fmt: skip
    _add(
        f"multilabel margin {_how}",
        f"multilabel_margin_loss(x, t, reduction='{_how}')",
        x=(4, 3), t=np.array([[0, -1, 2], [2, 1, -1], [-1, 0, 1], [1, 0, 2]]),
    )  # fmt: skip
    _add(
        f"triplet distance {_how}",
        f"triplet_margin_with_distance_loss(x, y, z, reduction='{_how}', margin=2.0)",
        x=A, y=A, z=A,
    )  # fmt: skip
_add("multi margin alone", "multi_margin_loss(x, t)", x=(4,), t=np.array(2))
_add("multilabel margin alone", "multilabel_margin_loss(x, t)", x=(4,), t=ints(3, 0, -1, 1))
_add(
    "triplet own distance",
    "triplet_margin_with_distance_loss(x, y, z, distance_function=lambda a, b: (a - b).abs().sum(-1), margin=3.0, swap=True)",
    x=A, y=A, z=A,
)  # fmt: skip
_add("rrelu", "rrelu(x, 0.2, 0.7)", x=A)


def inputs_of(name: str) -> dict[str, Any]:
    """The inputs of a program, the same each time."""
    _, inputs, (low, high) = PROGRAMS[name]
    generator = np.random.default_rng(zlib.crc32(name.encode()))
    return {
        key: low + (high - low) * generator.random(value) if isinstance(value, tuple) else value
        for key, value in inputs.items()
    }


def factors(number: int, shape: tuple[int, ...]) -> Any:
    """What the elements of a result count for in the number that is differentiated."""
    return 0.5 + np.random.default_rng(number).random(shape)
