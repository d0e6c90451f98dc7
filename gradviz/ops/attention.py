"""Attention, which positions look at which, and embeddings, rows by index."""

from __future__ import annotations

from typing import Any

from gradviz.ops import shapes
from gradviz.ops.infer import Fact
from gradviz.ops.spec import Given, Sample, op


def _weights(scores: Fact, mask: Fact | None, scale: float, causal: bool) -> Fact:
    if mask is not None and shapes.broadcast("attention", scores[0], mask[0]) != scores[0]:
        raise shapes.mismatch(
            "scaled_dot_product_attention",
            scores[0],
            mask[0],
            "the mask must broadcast to the scores, (..., queries, keys).",
            "Give a mask of shape (queries, keys), or with dimensions of size 1 before them.",
        )
    return scores


def _slope(g: Any, out: Any, xp: Any) -> Any:
    """The gradient of softmax along the last dimension."""
    return out * (g - xp.sum(g * out, (g.ndim - 1,), True))


op(
    "attention_weights",
    "scores mask?",
    attrs="scale causal",
    checked=True,
    promote="floating",
    infer=_weights,
    vjp={
        "scores": lambda g, out, scale, xp: xp.attention_weights_backward(g, out, scale),
        "mask": lambda g, out, mask_shape, xp: xp.sum_to(_slope(g, out, xp), mask_shape),
    },
    doc="Softmax over keys of scaled scores plus a mask; a row that sees nothing is 0.",
    formula="softmax(scale * scores + mask)",
    samples=(
        Sample(((2, 3, 4), None), (0.5, False)),
        Sample(((2, 3, 3), None), (1.0, True)),
        Sample(((2, 3, 4), (3, 4)), (0.5, False)),
        Sample(((2, 2, 3, 4), (2, 1, 1, 4)), (0.5, True)),
        Sample(((0, 3, 4), None), (0.5, False)),
    ),
)


def _looked_up(index: Fact, weight: Fact, padding_idx: int | None) -> Fact:
    if len(weight[0]) != 2:
        raise shapes.mismatch(
            "embedding",
            index[0],
            weight[0],
            "the weight must be (rows, features).",
            "Give a matrix with one row for each index.",
        )
    return (*index[0], weight[0][1]), weight[1]


op(
    "embedding",
    "index weight",
    attrs="padding_idx",
    fixed="index",
    checked=True,
    memory_bound=False,
    infer=_looked_up,
    vjp={
        "weight": lambda g, index, weight_shape, padding_idx, xp: xp.embedding_backward(
            g, index, weight_shape, padding_idx
        )
    },
    doc="Rows of a matrix, one for each index; the padding row gets no gradient.",
    onnx="Gather",
    samples=(
        Sample((Given([[0, 2], [2, 1]]), (4, 3)), (None,)),
        # The padding row has a gradient of 0, whatever differences say.
        Sample((Given([0, 2, 2]), (4, 3)), (2,), differentiable=False),
        Sample((Given(1), (4, 3)), (None,)),
        Sample((Given([], "int64"), (4, 3)), (None,)),
    ),
)
op(
    "embedding_backward",
    "g index",
    attrs="shape padding_idx",
    fixed="index",
    infer=lambda g, index, shape, padding_idx: (shape, g[1]),
    vjp={
        "g": lambda g, index, padding_idx, xp: xp.embedding(
            index,
            g if padding_idx is None else xp.slice_fill(g, (padding_idx,), 0.0),
            padding_idx,
        )
    },
    doc="Zeros with rows added where embedding took them: its adjoint.",
    samples=(
        Sample(((2, 2, 3), Given([[0, 2], [2, 1]])), ((4, 3), None)),
        Sample(((3, 3), Given([0, 2, 2])), ((4, 3), 2)),
    ),
)
