"""Transformer encoders."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from gradviz.errors import GradvizTypeError, fail
from gradviz.nn.attention import MultiheadAttention
from gradviz.nn.containers import ModuleList
from gradviz.nn.dropout import Dropout
from gradviz.nn.linear import Linear, whole
from gradviz.nn.module import Module
from gradviz.nn.normalization import LayerNorm
from gradviz.tensor import functions
from gradviz.tensor.base import Tensor

_ACTIVATIONS: dict[str, Callable[..., Any]] = {"relu": functions.relu, "gelu": functions.gelu}


class TransformerEncoderLayer(Module):
    """Attention of a sequence to itself, then two linear maps; each added to what went in.

    Args:
        d_model: the size of the last dimension.
        nhead: how many heads attend.
        dim_feedforward: the width between the two linear maps.
        dropout: the share that is dropped in training.
        activation: 'relu', 'gelu', or a function or module.
        layer_norm_eps: what keeps the divisors of the normalisations from being 0.
        batch_first: whether the batch is the first dimension, and positions the second.
        norm_first: whether normalisation comes before each part, or after its sum.
        bias: whether something is added in linear maps and normalisations.
        device: where the parameters live.
        dtype: their floating point dtype; float32 where it is left out.

    Raises:
        GradvizError: `invalid-argument`; `shape-mismatch` for an input of another width.

    Example:
        >>> import gradviz as gv
        >>> layer = gv.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
        >>> layer(gv.ones(3, 5, 8)).shape
        (3, 5, 8)
    """

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Any = "relu",
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        options = {"device": device, "dtype": dtype}
        self.self_attn = MultiheadAttention(
            d_model, nhead, dropout, bias, batch_first=batch_first, **options
        )
        self.linear1 = Linear(d_model, dim_feedforward, bias, **options)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias, **options)
        self.norm1 = LayerNorm(d_model, layer_norm_eps, bias=bias, **options)
        self.norm2 = LayerNorm(d_model, layer_norm_eps, bias=bias, **options)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        self.norm_first = norm_first
        if isinstance(activation, str):
            if activation not in _ACTIVATIONS:
                raise fail(
                    "invalid-argument",
                    operation="TransformerEncoderLayer",
                    complaint=f"activation is {activation!r}",
                    advice="Use 'relu', 'gelu', or a function.",
                )
            activation = _ACTIVATIONS[activation]
        self.activation = activation

    def forward(
        self,
        src: Any,
        src_mask: Any = None,
        src_key_padding_mask: Any = None,
        is_causal: bool = False,
    ) -> Tensor:
        """A tensor of the input's shape; the masks are those of `MultiheadAttention`."""

        def attended(x: Any) -> Any:
            out, _ = self.self_attn(
                x,
                x,
                x,
                attn_mask=src_mask,
                key_padding_mask=src_key_padding_mask,
                need_weights=False,
                is_causal=is_causal and src_mask is None,
            )
            return self.dropout1(out)

        def mapped(x: Any) -> Any:
            inner = self.dropout(self.activation(self.linear1(x)))
            return self.dropout2(self.linear2(inner))

        if self.norm_first:
            x = functions.add(src, attended(self.norm1(src)))
            return functions.add(x, mapped(self.norm2(x)))
        x = self.norm1(functions.add(src, attended(src)))
        result: Tensor = self.norm2(functions.add(x, mapped(x)))
        return result


class TransformerEncoder(Module):
    """Copies of an encoder layer, one after the other.

    Args:
        encoder_layer: the layer; every copy starts with its parameters' values.
        num_layers: how many copies.
        norm: a normalisation to end with, or None.

    Raises:
        GradvizError: `invalid-argument` for what is no module.

    Example:
        >>> import gradviz as gv
        >>> layer = gv.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
        >>> gv.nn.TransformerEncoder(layer, 2)(gv.ones(3, 5, 8)).shape
        (3, 5, 8)
    """

    norm: Module | None

    def __init__(self, encoder_layer: Module, num_layers: int, norm: Module | None = None) -> None:
        super().__init__()
        if not isinstance(encoder_layer, Module):
            raise fail(
                "invalid-argument",
                operation="TransformerEncoder",
                complaint=f"a {type(encoder_layer).__name__} is no module",
                advice="Give a `gv.nn.TransformerEncoderLayer`.",
                error=GradvizTypeError,
            )
        self.num_layers = whole("TransformerEncoder", "num_layers", num_layers)
        copies = [copy.deepcopy(encoder_layer) for _ in range(self.num_layers)]
        self.layers = ModuleList(copies)
        self.norm = norm

    def forward(
        self,
        src: Any,
        mask: Any = None,
        src_key_padding_mask: Any = None,
        is_causal: bool = False,
    ) -> Tensor:
        """A tensor of the input's shape; the masks are those of `MultiheadAttention`."""
        x: Any = src
        for layer in self.layers:
            x = layer(
                x, src_mask=mask, src_key_padding_mask=src_key_padding_mask, is_causal=is_causal
            )
        result: Tensor = x if self.norm is None else self.norm(x)
        return result
