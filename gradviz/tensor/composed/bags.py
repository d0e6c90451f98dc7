"""Embeddings of several indices at once."""

from __future__ import annotations

import math
from typing import Any

from gradviz.core.context import CallSite
from gradviz.errors import fail
from gradviz.ops import shapes
from gradviz.tensor import canon, functions
from gradviz.tensor.base import Tensor
from gradviz.tensor.composed.attending import embedding
from gradviz.tensor.composed.choice import where
from gradviz.tensor.composed.extremes import max as largest
from gradviz.tensor.composed.places import index_add
from gradviz.tensor.values import read

BAG_MODES = ("sum", "mean", "max")
"""What can become of the rows of a bag."""


def embedding_bag(
    input: Any,
    weight: Any,
    offsets: Any = None,
    *,
    mode: str = "mean",
    per_sample_weights: Any = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Tensor:
    """The sum, mean or maximum of the rows of a matrix that a bag of indices picks.

    Args:
        input: whole numbers, shape (bags, indices), or (indices,) with offsets.
        weight: shape (rows, features), float.
        offsets: shape (bags,): where in `input` each bag starts, or None.
        mode: 'sum', 'mean' or 'max'; a bag without indices gives zeros.
        per_sample_weights: a factor for each index, of the input's shape, or None; for sums alone.
        include_last_offset: whether the last offset is the end of the last bag.
        padding_idx: a row that counts for nothing and gets no gradient, or None.

    Raises:
        GradvizError: `shape-mismatch`, `invalid-argument`, `index-out-of-range`, `invalid-dtype`.

    Example:
        >>> import gradviz as gv
        >>> rows = gv.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> gv.embedding_bag(gv.tensor([0, 1, 1]), rows, gv.tensor([0, 2])).tolist()
        [[2.0, 3.0], [3.0, 4.0]]
    """
    name = "embedding_bag"
    how = canon.choice(name, "mode", mode, BAG_MODES)
    closed = canon.flag(name, "include_last_offset", include_last_offset)
    with CallSite():
        index = canon.tensor(name, input, lists=True)
        bags = _Bags(index, offsets, closed)
        rows: Any = embedding(index, weight, padding_idx)
        if per_sample_weights is not None:
            rows = functions.mul(rows, _factors(how, per_sample_weights, index))
        if how == "sum" and padding_idx is None:
            return bags.sums(rows)
        kept = _kept(index, padding_idx, canon.tensor(name, weight).shape[0])
        if how != "max":
            total = bags.sums(where(kept, rows, 0.0))
            if how == "sum":
                return total
        many = bags.sums(kept.to(dtype=rows.dtype))
        if how == "mean":
            return functions.div(total, functions.clamp(many, min=1.0))
        return where(functions.eq(many, 0.0), 0.0, bags.largest(where(kept, rows, -math.inf)))


def _factors(how: str, given: Any, index: Tensor) -> Tensor:
    if how != "sum":
        raise fail(
            "invalid-argument",
            operation="embedding_bag",
            complaint=f"per_sample_weights and mode {how!r} don't go together",
            advice="Leave them out, or say mode='sum'.",
        )
    factors = canon.tensor("embedding_bag", given)
    if factors.shape != index.shape:
        raise shapes.mismatch(
            "embedding_bag",
            index.shape,
            factors.shape,
            "each index has one weight.",
            "Give weights of the shape of the indices.",
        )
    return functions.unsqueeze(factors, -1)


def _kept(index: Tensor, padding: Any, count: int) -> Tensor:
    """Whether an index counts, in one dimension more."""
    # No index is below 0: without a padding row, all count.
    barred = -1 if padding is None else int(padding) % count
    return functions.unsqueeze(functions.ne(index, barred), -1)


class _Bags:
    """Which indices belong together: a row of a matrix, or a stretch of a vector."""

    def __init__(self, index: Tensor, offsets: Any, closed: bool) -> None:
        self.owner: Any = None
        if index.ndim != (2 if offsets is None else 1):
            raise fail(
                "invalid-argument",
                operation="embedding_bag",
                complaint=f"indices of shape {index.shape} "
                + ("need offsets" if offsets is None else "and offsets don't go together"),
                facts=(("operation", "embedding_bag"), ("shape", str(index.shape))),
                advice="Give a row of indices for each bag, or a vector of them with offsets.",
            )
        if offsets is None:
            return
        starts = canon.tensor("embedding_bag", offsets, lists=True)
        _check(starts, index.shape[0], closed)
        self.count = starts.shape[0] - closed
        self.owner = self._owners(starts, index)

    def _owners(self, starts: Tensor, index: Tensor) -> Tensor:
        """The bag of each index."""
        from gradviz.tensor.creation import arange

        places = arange(index.shape[0], device=index.device)
        begun = functions.searchsorted(starts[: self.count], places, True)
        return functions.sub(begun, 1)

    def _zeros(self, rows: Tensor) -> Tensor:
        from gradviz.tensor.creation import zeros

        return zeros((self.count, *rows.shape[1:]), dtype=rows.dtype, device=rows.device)

    def sums(self, rows: Tensor) -> Tensor:
        """The sum of the rows of every bag."""
        if self.owner is None:
            return functions.sum(rows, 1)
        return index_add(self._zeros(rows), 0, self.owner, rows)

    def largest(self, rows: Tensor) -> Tensor:
        """The largest elements of the rows of every bag."""
        if self.owner is None:
            if not rows.shape[1]:
                return functions.sum(rows, 1)
            found: Tensor = largest(rows, 1)[0]
            return found
        owner = functions.expand(functions.unsqueeze(self.owner, -1), rows.shape)
        return functions.scatter_reduce(self._zeros(rows), 0, owner, rows, "amax", False)


def _check(starts: Tensor, count: Any, closed: bool) -> None:
    """Refuses offsets that don't split the indices; those of a recording are known by its runs."""
    if starts.ndim != 1 or starts.dtype.kind not in "iu" or starts.shape[0] <= closed:
        wrong = True
    elif starts.device.is_capture:
        return
    else:
        at = read(starts, "embedding_bag")
        wrong = at[0] != 0 or (at[1:] < at[:-1]).any() or at[-1] > count
        wrong = wrong or (closed and at[-1] != count)
    if wrong:
        raise fail(
            "invalid-argument",
            operation="embedding_bag",
            complaint=f"the offsets don't split {count} indices into bags",
            facts=(("operation", "embedding_bag"), ("shape", str(starts.shape))),
            advice="Give whole numbers that start at 0, ascend, and end within the indices"
            + (", the last one at their end." if closed else "."),
        )
