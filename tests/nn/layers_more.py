"""Modules that mean the same in PyTorch and here; `layers_more.json` has what PyTorch gives.

Every entry builds a module of `lib`, which gets numbers of a seeded generator for its parameters,
and calls it. The truths were computed in float64 by `python -m tests.nn.make_layers_more` with
PyTorch 2.13, which the tests themselves don't need.
"""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np

LAYERS: dict[str, tuple[str, str, dict[str, Any]]] = {}
"""Name: how the module is made, how it is called, the inputs (shapes or arrays)."""


def _add(made: str, called: str = "m(x)", **inputs: Any) -> None:
    LAYERS[f"{made} {called}"] = (made, called, inputs or {"x": (3, 4)})


for _text in (
    "Mish()", "SELU()", "CELU(1.5)", "ReLU6()", "Hardtanh(-0.5, 1.0)", "Hardsigmoid()", "Hardswish()", "Softsign()",
    "Tanhshrink()", "Hardshrink(0.7)", "Softshrink(0.7)", "Threshold(0.2, -1.0)", "LogSigmoid()", "Softmin(dim=1)",
    "GLU()", "PReLU()", "PReLU(4)", "LayerNorm(4)", "LayerNorm((3, 4), eps=1e-3)", "LayerNorm(4, bias=False)",
    "LayerNorm(4, elementwise_affine=False)", "RMSNorm(4)", "RMSNorm(4, eps=1e-3)", "GroupNorm(2, 4)", "BatchNorm1d(4)",
    "BatchNorm1d(4, affine=False)", "BatchNorm1d(4, track_running_stats=False)",
):  # fmt: skip
    _add(_text)
_add("GroupNorm(3, 6)", x=(2, 6, 3, 2))
_add("BatchNorm1d(3)", x=(2, 3, 4))
_add("BatchNorm2d(3, momentum=0.3)", "[m(x), m(x * 2), m.eval()(x)][-1]", x=(2, 3, 2, 2))
_add("BatchNorm2d(3, momentum=None)", "[m(x), m(x * 2), m.eval()(x)][-1]", x=(2, 3, 2, 2))
_add("BatchNorm3d(2)", x=(2, 2, 2, 1, 2))
_add("InstanceNorm1d(3)", x=(2, 3, 4))
_add("InstanceNorm2d(3, affine=True)", x=(2, 3, 2, 2))
_add("InstanceNorm1d(3, track_running_stats=True)", "[m(x), m.eval()(x)][-1]", x=(2, 3, 4))
_add("Embedding(5, 3)", x=np.array([[1, 2], [4, 1]]))
_add("Embedding(5, 3, padding_idx=1)", x=np.array([[1, 2], [4, 1]]))
_add("Bilinear(3, 2, 4)", "m(x, y)", x=(5, 3), y=(5, 2))
for _kind in ("RNN", "LSTM", "GRU"):
    _add(f"{_kind}(3, 4)", "m(x)[0]", x=(5, 2, 3))
    _add(
        f"{_kind}(3, 4, num_layers=2, bidirectional=True, batch_first=True)", "m(x)[0]", x=(2, 5, 3)
    )
    _add(f"{_kind}(3, 4, bias=False)", "m(x)[0]", x=(5, 3))
for _kind in ("RNN", "GRU"):
    _add(f"{_kind}(3, 4, num_layers=2)", "m(x, h)[1]", x=(5, 2, 3), h=(2, 2, 4))
_add("RNN(3, 4, nonlinearity='relu')", "m(x)[1]", x=(5, 2, 3))
_add(
    "LSTM(3, 4, bidirectional=True)", "sum(m(x, (h, c))[1])", x=(5, 2, 3), h=(2, 2, 4), c=(2, 2, 4)
)
for _kind in ("RNN", "GRU"):
    _add(f"{_kind}Cell(3, 4)", "m(x, m(y))", x=(2, 3), y=(2, 3))
    _add(f"{_kind}Cell(3, 4, bias=False)", "m(x, h)", x=(3,), h=(4,))
_add("RNNCell(3, 4, nonlinearity='relu')", "m(x, h)", x=(2, 3), h=(2, 4))
_add("LSTMCell(3, 4)", "sum(m(x, m(y)))", x=(2, 3), y=(2, 3))
_add("LSTMCell(3, 4, bias=False)", "m(x, (h, c))[1]", x=(3,), h=(4,), c=(4,))
_MASK = np.array([[0, 1, 1], [0, 0, 1], [0, 0, 0]], bool)
_PADDING = np.array([[0, 0, 1], [0, 0, 0]], bool)
_add("MultiheadAttention(4, 2)", "m(x, x, x)[0]", x=(3, 2, 4))
_add("MultiheadAttention(4, 2)", "m(x, y, z)[0]", x=(3, 2, 4), y=(5, 2, 4), z=(5, 2, 4))
_add("MultiheadAttention(4, 2, batch_first=True)", "m(x, x, x)[1]", x=(2, 3, 4))
_add(
    "MultiheadAttention(4, 2, batch_first=True)",
    "m(x, x, x, average_attn_weights=False)[1]",
    x=(2, 3, 4),
)
_add("MultiheadAttention(4, 2, bias=False)", "m(x, x, x, need_weights=False)[0]", x=(3, 4))
_add(
    "MultiheadAttention(4, 2, kdim=3, vdim=5, batch_first=True)",
    "m(x, y, z)[0]",
    x=(2, 3, 4),
    y=(2, 5, 3),
    z=(2, 5, 5),
)
_add(
    "MultiheadAttention(4, 2, batch_first=True)",
    "m(x, x, x, attn_mask=a, key_padding_mask=p)[0]",
    x=(2, 3, 4),
    a=_MASK,
    p=_PADDING,
)
_add(
    "MultiheadAttention(4, 2, batch_first=True)",
    "m(x, x, x, attn_mask=a, need_weights=False)[0]",
    x=(2, 3, 4),
    a=(3, 3),
)
_ENCODER = "TransformerEncoderLayer(4, 2, 6, dropout=0.0"
_add(_ENCODER + ")", x=(3, 2, 4))
_add(_ENCODER + ", activation='gelu', norm_first=True, batch_first=True)", x=(2, 3, 4))
_add(
    _ENCODER + ", batch_first=True)",
    "m(x, src_mask=a, src_key_padding_mask=p)",
    x=(2, 3, 4),
    a=_MASK,
    p=_PADDING,
)
_add(f"TransformerEncoder(lib.{_ENCODER}), 2, lib.LayerNorm(4))", x=(3, 2, 4))
_DECODER = "TransformerDecoderLayer(4, 2, 6, dropout=0.0"
_add(_DECODER + ")", "m(x, y)", x=(3, 2, 4), y=(5, 2, 4))
_add(_DECODER + ")", "m(x, memory=y)", x=(3, 4), y=(5, 4))
_add(
    _DECODER + ", activation='gelu', norm_first=True, batch_first=True, bias=False)",
    "m(x, y)",
    x=(2, 3, 4),
    y=(2, 5, 4),
)
_add(
    _DECODER + ", batch_first=True)",
    "m(x, y, a, b, p, q)",
    x=(2, 3, 4),
    y=(2, 5, 4),
    a=_MASK,
    b=np.eye(3, 5, dtype=bool),
    p=_PADDING,
    q=np.array([[0, 0, 0, 1, 1], [0, 0, 1, 0, 0]], bool),
)
_add(
    _DECODER + ", batch_first=True)", "m(x, y, a, b)", x=(2, 3, 4), y=(2, 5, 4), a=(3, 3), b=(3, 5)
)
_add(f"TransformerDecoder(lib.{_DECODER}), 2)", "m(x, y)", x=(3, 2, 4), y=(5, 2, 4))
_add(
    f"TransformerDecoder(lib.{_DECODER}, batch_first=True), 2, lib.LayerNorm(4))",
    "m(x, y, a, b, tgt_key_padding_mask=p, memory_key_padding_mask=q)",
    x=(2, 3, 4),
    y=(2, 5, 4),
    a=_MASK,
    b=np.eye(3, 5, dtype=bool),
    p=_PADDING,
    q=np.array([[0, 0, 0, 1, 1], [0, 0, 1, 0, 0]], bool),
)
_add("Transformer(4, 2, 2, 1, 6, dropout=0.0)", "m(x, y)", x=(5, 2, 4), y=(3, 2, 4))
_add("Transformer(4, 2, 1, 1, 6, dropout=0.0)", "m(x, y)", x=(5, 4), y=(3, 4))
_add(
    "Transformer(4, 2, 1, 2, 6, dropout=0.0, activation='gelu', norm_first=True, batch_first=True)",
    "m(x, y, s, a, b, q, p, r)",
    x=(2, 5, 4),
    y=(2, 3, 4),
    s=np.triu(np.ones((5, 5), bool), 2),
    a=_MASK,
    b=np.eye(3, 5, dtype=bool),
    q=np.array([[0, 0, 0, 0, 1], [0, 0, 0, 0, 0]], bool),
    p=_PADDING,
    r=np.array([[0, 0, 0, 1, 1], [0, 0, 1, 0, 0]], bool),
)
for _kind in ("ZeroPad", "ReflectionPad", "ReplicationPad", "CircularPad"):
    _add(f"{_kind}1d(2)", x=(2, 3, 4))
    _add(f"{_kind}1d((1, 2))", x=(3, 4))
    _add(f"{_kind}2d((1, 2, 0, 3))", x=(2, 2, 4, 3))
    _add(f"{_kind}2d(1)", x=(2, 4, 3))
    _add(f"{_kind}3d((1, 0, 2, 1, 1, 2))", x=(1, 2, 3, 4, 2))
    _add(f"{_kind}3d(1)", x=(2, 3, 4, 2))
for _text in (
    "1d((2, -1), 1.5)",
    "2d(2, -0.5)",
    "2d((-1, 1, 2, 0), 3.0)",
    "3d((1, 2, 0, 1, -1, 1), 2.5)",
):
    _add(f"ConstantPad{_text}", x=(1, 2, 3, 2, 4))
_add("ConstantPad1d(1, 2.0)", x=(3,))
_add("Softmax2d()", x=(2, 3, 2, 2))
_add("Softmax2d()", "m(input=x)", x=(3, 2, 2))
_add("RReLU(0.2, 0.6).eval()")
_add("ReflectionPad1d((-1, 2))", x=(2, 3, 4))
_add("ReplicationPad2d((2, -1, -1, 3))", x=(2, 3, 4, 5))
_add("CircularPad1d((-1, 2))", x=(2, 3, 4))
for _text in (
    "CosineSimilarity()", "CosineSimilarity(dim=0, eps=0.1)", "PairwiseDistance()",
    "PairwiseDistance(1.0, 0.1, keepdim=True)",
):  # fmt: skip
    _add(_text, "m(x, y)", x=(3, 4), y=(3, 4))
for _text in (
    "ChannelShuffle(2)", "UpsamplingNearest2d(scale_factor=2)", "UpsamplingNearest2d((3, 5))",
    "UpsamplingBilinear2d(scale_factor=2)", "UpsamplingBilinear2d((3, 5))", "LocalResponseNorm(3, alpha=0.5)",
    "LocalResponseNorm(2, 0.3, 0.5, 2.0)", "LPPool2d(2, 2)", "LPPool2d(4, (2, 1), stride=1, ceil_mode=True)",
):  # fmt: skip
    _add(_text, x=(2, 4, 2, 3))
_add("LPPool1d(2, 3, stride=2)", x=(2, 3, 8))
_add("LPPool1d(2, 3, ceil_mode=True)", x=(3, 8))
_POOLS = "m(*lib.MaxPool{}d({}, return_indices=True)(x){})"
_add("MaxUnpool1d(2)", _POOLS.format(1, 2, ""), x=(2, 3, 6))
_add("MaxUnpool1d(3, 2, 1)", _POOLS.format(1, "3, 2, 1", ", (8,)"), x=(3, 8))
_add("MaxUnpool2d((2, 3))", _POOLS.format(2, "(2, 3)", ", (2, 3, 5, 7)"), x=(2, 3, 5, 7))
_add("MaxUnpool2d(2)", _POOLS.format(2, 2, ""), x=(3, 4, 4))
_BAGS = {"x": np.array([0, 2, 1, 1, 2, 0]), "o": np.array([0, 2, 2, 5])}
for _text in ("", "mode='sum'", "mode='max'", "mode='max', padding_idx=1", "padding_idx=-1"):
    _add(f"EmbeddingBag(3, 4, {_text})", "m(x, o)", **_BAGS)
    _add(f"EmbeddingBag(3, 4, {_text})", x=np.array([[1, 2], [0, 1], [2, 2]]))
_add("EmbeddingBag(3, 4, mode='sum')", "m(x, o, p)", **_BAGS, p=(6,))
_add("EmbeddingBag(3, 4, mode='sum')", "m(x, per_sample_weights=p)", x=np.array([[1, 2]]), p=(1, 2))
_add(
    "EmbeddingBag(3, 4, include_last_offset=True)",
    "m(x, o)",
    x=_BAGS["x"],
    o=np.array([0, 1, 1, 6]),
)
for _text in ("", "2, 0.5", "reduction='none'"):
    _add(f"MultiMarginLoss({_text})", "m(x, t)", x=(3, 4), t=np.array([0, 3, 1]))
_LISTS = np.array([[0, -1, 1, 2], [3, 2, -1, -1], [1, 0, 2, 3]])
_add("MultiLabelMarginLoss()", "m(x, t)", x=(3, 4), t=_LISTS)
_add("MultiLabelMarginLoss(reduction='none')", "m(x, t)", x=(3, 4), t=_LISTS)
_DISTANCE = "TripletMarginWithDistanceLoss(distance_function=lib.PairwiseDistance(1.0), "
_add(_DISTANCE + "margin=2.0, swap=True)", "m(x, y, z)", x=(3, 4), y=(3, 4), z=(3, 4))
_add("TripletMarginWithDistanceLoss()", "m(x, y, z)", x=(3, 4), y=(3, 4), z=(3, 4))
for _text in ("BCELoss()", "BCELoss(reduction='sum')"):
    _add(_text, "m(lib.Sigmoid()(x), lib.Sigmoid()(y))", x=(3, 4), y=(3, 4))
for _text in (
    "BCEWithLogitsLoss(reduction='none')", "HuberLoss(delta=0.5)", "SmoothL1Loss(beta=0.5)", "PoissonNLLLoss()",
    "KLDivLoss(reduction='batchmean', log_target=True)",
):  # fmt: skip
    _add(_text, "m(x, y)", x=(3, 4), y=(3, 4))
_SIGNS = np.array([1, -1, 1])
_add("HingeEmbeddingLoss(0.5)", "m(x, s)", x=(3,), s=_SIGNS)
_add("SoftMarginLoss()", "m(x, s)", x=(3,), s=_SIGNS)
_add("MarginRankingLoss(0.2)", "m(x, y, s)", x=(3,), y=(3,), s=_SIGNS)
_add("CosineEmbeddingLoss(0.1)", "m(x, y, s)", x=(3, 4), y=(3, 4), s=_SIGNS)
_add("TripletMarginLoss(2.0, swap=True)", "m(x, y, z)", x=(3, 4), y=(3, 4), z=(3, 4))
_add("GaussianNLLLoss(full=True)", "m(x, y, z * z + 0.1)", x=(3, 4), y=(3, 4), z=(3, 4))
_add("MultiLabelSoftMarginLoss()", "m(x, t)", x=(3, 4), t=np.array([[0, 1, 1, 0]] * 3))
_add(
    "CTCLoss(zero_infinity=True)",
    "m(lib.LogSoftmax(2)(x), t, n, k)",
    x=(5, 2, 4),
    t=np.array([[1, 2], [3, 3]]),
    n=np.array([5, 5]),
    k=np.array([2, 2]),
)


def generator(name: str) -> np.random.Generator:
    """The same numbers each time."""
    return np.random.default_rng(zlib.crc32(name.encode()))


def inputs_of(name: str) -> dict[str, Any]:
    """The inputs of a module."""
    draw = generator(name)
    given = LAYERS[name][2]
    return {k: draw.normal(size=v) if isinstance(v, tuple) else v for k, v in given.items()}


def parameters_of(name: str, shapes: dict[str, tuple[int, ...]]) -> dict[str, Any]:
    """Numbers for the parameters of a module, by path."""
    draw = generator("parameters of " + name)
    return {path: draw.normal(size=shapes[path]) * 0.5 for path in sorted(shapes)}


def factors(shape: tuple[int, ...]) -> Any:
    """What the elements of an output count for in the number that is differentiated."""
    return 0.5 + np.random.default_rng(5).random(shape)
