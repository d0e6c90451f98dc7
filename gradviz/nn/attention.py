"""Attention with several heads."""

from __future__ import annotations

import math
from typing import Any

from gradviz.errors import fail
from gradviz.nn.linear import Linear, whole
from gradviz.nn.module import Module
from gradviz.nn.parameter import Parameter
from gradviz.ops import shapes
from gradviz.tensor import canon, composed, functions
from gradviz.tensor.base import Tensor
from gradviz.tensor.composed.attending import attention_shares
from gradviz.tensor.creation import uniform, zeros


class MultiheadAttention(Module):
    """Attention by several heads, each in its own part of the features.

    Args:
        embed_dim: the size of the last dimension of queries and outputs.
        num_heads: into how many heads it is split.
        dropout: the share of weights that is dropped in training.
        bias: whether something is added to projections.
        kdim: the size of the last dimension of keys; `embed_dim` where it is left out.
        vdim: the size of the last dimension of values; `embed_dim` where it is left out.
        batch_first: whether the batch is the first dimension, and positions the second.
        device: where the parameters live.
        dtype: their floating point dtype; float32 where it is left out.

    Raises:
        GradvizError: `invalid-argument` for a size that the heads can't share; `shape-mismatch`.

    Example:
        >>> import gradviz as gv
        >>> layer = gv.nn.MultiheadAttention(8, 2, batch_first=True)
        >>> x = gv.ones(3, 5, 8)
        >>> output, weights = layer(x, x, x)
        >>> output.shape, weights.shape
        ((3, 5, 8), (3, 5, 5))
    """

    in_proj_weight: Parameter | None
    q_proj_weight: Parameter | None
    k_proj_weight: Parameter | None
    v_proj_weight: Parameter | None
    in_proj_bias: Parameter | None

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        name = "MultiheadAttention"
        self.embed_dim = whole(name, "embed_dim", embed_dim, 1)
        self.num_heads = whole(name, "num_heads", num_heads, 1)
        self.kdim = self.embed_dim if kdim is None else whole(name, "kdim", kdim, 1)
        self.vdim = self.embed_dim if vdim is None else whole(name, "vdim", vdim, 1)
        self.dropout = dropout
        self.batch_first = batch_first
        if self.embed_dim % self.num_heads:
            raise fail(
                "invalid-argument",
                operation=name,
                complaint=f"{self.num_heads} heads can't share {self.embed_dim} features",
                advice="Choose embed_dim as a multiple of num_heads.",
            )
        size = self.embed_dim

        def drawn(rows: int, columns: int) -> Parameter:
            bound = math.sqrt(6.0 / (rows + columns))
            options = {"low": -bound, "high": bound, "device": device, "dtype": dtype}
            return Parameter(uniform(rows, columns, **options))

        same = self.kdim == self.vdim == size
        self.in_proj_weight = drawn(3 * size, size) if same else None
        self.q_proj_weight = None if same else drawn(size, size)
        self.k_proj_weight = None if same else drawn(size, self.kdim)
        self.v_proj_weight = None if same else drawn(size, self.vdim)
        options = {"device": device, "dtype": dtype}
        self.in_proj_bias = Parameter(zeros(3 * size, **options)) if bias else None
        self.out_proj = Linear(size, size, bias, **options)
        if self.out_proj.bias is not None:
            self.out_proj.bias.replace(zeros(size, dtype=self.out_proj.bias.dtype))

    def forward(
        self,
        query: Any,
        key: Any,
        value: Any,
        key_padding_mask: Any = None,
        need_weights: bool = True,
        attn_mask: Any = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        """Outputs of the queries' shape, and how much each query looks at each key.

        Args:
            query: shape (queries, batch, embed_dim), or (batch, queries, embed_dim) where the
                batch is first, or (queries, embed_dim).
            key: the same for keys, of width kdim.
            value: the same for values, of width vdim.
            key_padding_mask: shape (batch, keys): True where a key is left out.
            need_weights: whether the weights are returned; None is returned in their place.
            attn_mask: shape (queries, keys) or (batch * heads, queries, keys): True where a query
                may not look, or numbers to add to the scores.
            average_attn_weights: whether the weights are averaged over heads.
            is_causal: whether a query sees only keys up to its own position.
        """
        name = "MultiheadAttention"
        parts = [canon.tensor(name, part) for part in (query, key, value)]
        single = parts[0].ndim == 2
        self._check(parts)
        if single:
            parts = [functions.unsqueeze(part, 0) for part in parts]
        elif not self.batch_first:
            parts = [functions.transpose(part, 0, 1) for part in parts]
        q, k, v = (self._heads(part) for part in self._projected(*parts))
        mask = self._mask(attn_mask, key_padding_mask, q, k.shape[2])
        share = self.dropout if self.training else 0.0
        weights = None
        if need_weights:
            factor = 1.0 / math.sqrt(q.shape[-1])
            weights = attention_shares(q, k, mask, factor, is_causal)
            dropped = composed.dropout(weights, share) if share else weights
            mixed = functions.matmul(dropped, v)
            if average_attn_weights:
                weights = functions.mean(weights, 1)
            weights = functions.squeeze(weights, 0) if single else weights
        else:
            mixed = composed.scaled_dot_product_attention(
                q, k, v, attn_mask=mask, dropout_p=share, is_causal=is_causal
            )
        batch, _, length, _ = mixed.shape
        joined = functions.reshape(
            functions.permute(mixed, 0, 2, 1, 3), (batch, length, self.embed_dim)
        )
        output: Tensor = self.out_proj(joined)
        if single:
            return functions.squeeze(output, 0), weights
        return (output if self.batch_first else functions.transpose(output, 0, 1)), weights

    def _check(self, parts: list[Tensor]) -> None:
        for part, width, what in zip(
            parts,
            (self.embed_dim, self.kdim, self.vdim),
            ("queries", "keys", "values"),
            strict=True,
        ):
            if part.ndim not in (2, 3) or part.ndim != parts[0].ndim or part.shape[-1] != width:
                raise shapes.mismatch(
                    "MultiheadAttention",
                    parts[0].shape,
                    part.shape,
                    f"{what} have {width} features, and all three inputs as many dimensions.",
                    "Give three dimensions with a batch, or two without.",
                )

    def _projected(self, *parts: Tensor) -> list[Tensor]:
        """Queries, keys and values in the heads' features."""
        biases: list[Any] = [None] * 3
        if self.in_proj_bias is not None:
            bias = canon.beside("MultiheadAttention", self.in_proj_bias, parts[0])
            biases = list(composed.chunk(bias, 3))
        if self.in_proj_weight is None:
            weights: list[Any] = [self.q_proj_weight, self.k_proj_weight, self.v_proj_weight]
        elif all(part is parts[0] for part in parts):
            # One product serves all three.
            whole_one = functions.linear(parts[0], self.in_proj_weight, self.in_proj_bias)
            return list(composed.chunk(whole_one, 3, -1))
        else:
            weight = canon.beside("MultiheadAttention", self.in_proj_weight, parts[0])
            weights = list(composed.chunk(weight, 3))
        return [
            functions.linear(part, weight, bias)
            for part, weight, bias in zip(parts, weights, biases, strict=True)
        ]

    def _heads(self, x: Tensor) -> Tensor:
        """Shape (batch, positions, features) to (batch, heads, positions, part)."""
        batch, length, _ = x.shape
        part = self.embed_dim // self.num_heads
        split = functions.reshape(x, (batch, length, self.num_heads, part))
        return functions.permute(split, 0, 2, 1, 3)

    def _mask(self, attn_mask: Any, padding: Any, q: Tensor, keys: int) -> Any:
        """Both masks as numbers to add to the scores of all heads."""
        name = "MultiheadAttention"
        batch, heads, queries, _ = q.shape
        total: Any = None
        for given, shape in ((attn_mask, None), (padding, (batch, 1, 1, keys))):
            if given is None:
                continue
            mask = canon.tensor(name, given)
            if mask.dtype.kind == "b":
                mask = composed.where(mask, -math.inf, 0.0)
            mask = mask.to(dtype=q.dtype)
            if shape is not None:
                mask = functions.reshape(mask, shape)
            elif mask.ndim == 3:
                mask = functions.reshape(mask, (batch, heads, queries, keys))
            total = mask if total is None else functions.add(total, mask)
        return total

    def extra_repr(self) -> str:
        """The arguments it was made with."""
        return (
            f"embed_dim={self.embed_dim}, num_heads={self.num_heads}, dropout={self.dropout}, "
            f"batch_first={self.batch_first}"
        )
