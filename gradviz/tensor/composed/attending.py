"""Attention and embeddings."""

from __future__ import annotations

import math
from typing import Any

from gradviz.core.context import CallSite
from gradviz.errors import fail
from gradviz.ops import shapes
from gradviz.tensor import canon, functions
from gradviz.tensor.base import Tensor
from gradviz.tensor.composed.choice import where
from gradviz.tensor.composed.noise import dropout
from gradviz.tensor.general import general, row_of
from gradviz.tensor.indexing import checked_index

_weights, _embedding = row_of("attention_weights"), row_of("embedding")


def scaled_dot_product_attention(
    query: Any,
    key: Any,
    value: Any,
    attn_mask: Any = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: Any = None,
    *,
    softcap: Any = None,
) -> Tensor:
    """Values averaged by how well each query fits each key.

    Args:
        query: shape (..., queries, features), float.
        key: shape (..., keys, features).
        value: shape (..., keys, width).
        attn_mask: shape (..., queries, keys): True where a query may look, or numbers to add to
            the scores, which may be tracked.
        dropout_p: the share of weights to drop.
        is_causal: whether a query sees only keys up to its own position.
        scale: a factor for the scores; 1 / sqrt(features) where it is left out.
        softcap: scores are bent to stay below this, or None.

    Raises:
        GradvizError: `shape-mismatch`, `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> x = gv.tensor([[1.0, 0.0], [0.0, 1.0]])
        >>> gv.scaled_dot_product_attention(x, x, x, is_causal=True)[0].tolist()
        [1.0, 0.0]
    """
    name = "scaled_dot_product_attention"
    causal = canon.flag(name, "is_causal", is_causal)
    with CallSite():
        q, k, v = (canon.tensor(name, part) for part in (query, key, value))
        _check(name, q, k, v)
        size = q.shape[-1]
        factor = canon.scalar(name, "scale", scale) if scale is not None else _usual(size)
        mask = _mask(name, attn_mask, q)
        shares = attention_shares(q, k, mask, factor, causal, softcap)
        if dropout_p:
            shares = dropout(shares, dropout_p)
        return functions.matmul(shares, v)


def attention_shares(
    q: Tensor, k: Tensor, mask: Any, factor: float, causal: bool, softcap: Any = None
) -> Tensor:
    """How much each query looks at each key, shape (..., queries, keys)."""
    scores = functions.matmul(q, functions.transpose(k, -2, -1))
    if softcap is not None:
        cap = canon.positive("scaled_dot_product_attention", "softcap", softcap)
        scores = functions.mul(functions.tanh(functions.mul(scores, factor / cap)), cap)
        factor = 1.0
    shares: Tensor = general(_weights, [scores, mask], (factor, causal))
    return shares


def _usual(size: int) -> float:
    return 1.0 / math.sqrt(size) if size else 1.0


def _check(name: str, q: Tensor, k: Tensor, v: Tensor) -> None:
    for part in (q, k, v):
        canon.matrices(name, part)
    if q.shape[-1] != k.shape[-1]:
        raise shapes.mismatch(
            name,
            q.shape,
            k.shape,
            f"queries have {q.shape[-1]} features and keys {k.shape[-1]}.",
            "Give queries and keys of equal width.",
        )
    if k.shape[-2] != v.shape[-2]:
        raise shapes.mismatch(
            name,
            k.shape,
            v.shape,
            f"there are {k.shape[-2]} keys and {v.shape[-2]} values.",
            "Give one value for each key.",
        )


def _mask(name: str, given: Any, q: Tensor) -> Any:
    """A mask as numbers to add: 0 where a query may look, minus infinity elsewhere."""
    if given is None:
        return None
    made = canon.tensor(name, given)
    if made.dtype.kind == "b":
        return where(made, 0.0, -math.inf).to(dtype=q.dtype)
    canon.floating(name, made)
    return made if made.dtype == q.dtype else made.to(dtype=q.dtype)


def embedding(input: Any, weight: Any, padding_idx: Any = None) -> Tensor:
    """Rows of a matrix, one for each index.

    Args:
        input: whole numbers of any shape.
        weight: shape (rows, features).
        padding_idx: a row that gets no gradient, or None.

    Raises:
        GradvizError: `index-out-of-range`, `invalid-dtype`, `shape-mismatch`.

    Example:
        >>> import gradviz as gv
        >>> gv.embedding(gv.tensor([1, 0]), gv.tensor([[1.0, 2.0], [3.0, 4.0]])).tolist()
        [[3.0, 4.0], [1.0, 2.0]]
    """
    name = "embedding"
    with CallSite():
        rows = canon.tensor(name, weight)
        index = canon.tensor(name, input, lists=True)
        padding = None
        if len(rows.shape) == 2:
            index = checked_index(name, index, rows, 0, negative=False)
            padding = _padding(name, padding_idx, rows.shape[0])
        result: Tensor = general(_embedding, [index, rows], (padding,))
        return result


def _padding(name: str, given: Any, count: int) -> int | None:
    if given is None:
        return None
    number = canon.whole_number(name, "padding_idx", given)
    if not -count <= number < count:
        raise fail(
            "index-out-of-range",
            operation=name,
            complaint=f"padding_idx {number} is none of {count} rows",
            advice=f"Choose one from 0 to {count - 1}.",
        )
    return number % count
