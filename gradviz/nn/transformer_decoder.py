"""Transformer decoders, and encoder and decoder together."""

from __future__ import annotations

import math
from typing import Any

from gradviz.nn.init import xavier_uniform_
from gradviz.nn.module import Module
from gradviz.nn.normalization import LayerNorm
from gradviz.nn.transformer import (
    TransformerEncoder,
    TransformerEncoderLayer,
    TransformerLayer,
    copies,
)
from gradviz.ops import shapes
from gradviz.tensor import canon, functions
from gradviz.tensor.base import Tensor
from gradviz.tensor.creation import full


class TransformerDecoderLayer(TransformerLayer):
    """Attention of a sequence to itself, then to an encoder's output, then two linear maps.

    What each of the three gives is added to what went in, and normalised, as in "Attention Is All
    You Need", Vaswani et al. 2017, section 3.1.

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
        >>> layer = gv.nn.TransformerDecoderLayer(8, 2, 16, batch_first=True)
        >>> layer(gv.ones(3, 5, 8), gv.ones(3, 7, 8)).shape
        (3, 5, 8)
    """

    attentions = ("self_attn", "multihead_attn")

    def forward(
        self,
        tgt: Any,
        memory: Any,
        tgt_mask: Any = None,
        memory_mask: Any = None,
        tgt_key_padding_mask: Any = None,
        memory_key_padding_mask: Any = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """A tensor of the first input's shape.

        Args:
            tgt: shape (positions, batch, d_model), or (batch, positions, d_model) where the batch
                is first, or (positions, d_model).
            memory: the encoder's output, the same with positions of its own.
            tgt_mask: the `attn_mask` of the attention to itself, as in `MultiheadAttention`.
            memory_mask: the `attn_mask` of the attention to the memory.
            tgt_key_padding_mask: shape (batch, positions): True where a position is left out.
            memory_key_padding_mask: the same for the memory.
            tgt_is_causal: whether positions see only those up to their own; beside a mask, it is
                the mask that counts.
            memory_is_causal: the same for the memory.
        """

        def looked_back(x: Any) -> Any:
            return self._attended("self_attn", x, x, tgt_mask, tgt_key_padding_mask, tgt_is_causal)

        def looked_up(x: Any) -> Any:
            return self._attended(
                "multihead_attn", x, memory, memory_mask, memory_key_padding_mask, memory_is_causal
            )

        x = self._added(2, self._added(1, tgt, looked_back), looked_up)
        result: Tensor = self._added(3, x, self._mapped)
        return result


class TransformerDecoder(Module):
    """Copies of a decoder layer, one after the other.

    Args:
        decoder_layer: the layer; every copy starts with its parameters' values.
        num_layers: how many copies.
        norm: a normalisation to end with, or None.

    Raises:
        GradvizError: `invalid-argument` for what is no module.

    Example:
        >>> import gradviz as gv
        >>> layer = gv.nn.TransformerDecoderLayer(8, 2, 16, batch_first=True)
        >>> gv.nn.TransformerDecoder(layer, 2)(gv.ones(3, 5, 8), gv.ones(3, 7, 8)).shape
        (3, 5, 8)
    """

    norm: Module | None

    def __init__(self, decoder_layer: Module, num_layers: int, norm: Module | None = None) -> None:
        super().__init__()
        self.layers = copies("TransformerDecoder", decoder_layer, num_layers)
        self.num_layers = len(self.layers)
        self.norm = norm

    def forward(
        self,
        tgt: Any,
        memory: Any,
        tgt_mask: Any = None,
        memory_mask: Any = None,
        tgt_key_padding_mask: Any = None,
        memory_key_padding_mask: Any = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """A tensor of the first input's shape; arguments as for `TransformerDecoderLayer`."""
        x: Any = tgt
        for layer in self.layers:
            x = layer(
                x,
                memory,
                tgt_mask=tgt_mask,
                memory_mask=memory_mask,
                tgt_key_padding_mask=tgt_key_padding_mask,
                memory_key_padding_mask=memory_key_padding_mask,
                tgt_is_causal=bool(tgt_is_causal),
                memory_is_causal=memory_is_causal,
            )
        result: Tensor = x if self.norm is None else self.norm(x)
        return result


class Transformer(Module):
    """An encoder, and a decoder that looks at its output, each with a normalisation at its end.

    The model of "Attention Is All You Need", Vaswani et al. 2017, without embeddings and without
    the map to words.

    Args:
        d_model: the size of the last dimension.
        nhead: how many heads attend.
        num_encoder_layers: how many layers the encoder has.
        num_decoder_layers: how many layers the decoder has.
        dim_feedforward: the width between the two linear maps of a layer.
        dropout: the share that is dropped in training.
        activation: 'relu', 'gelu', or a function or module.
        custom_encoder: a module in the encoder's place, or None.
        custom_decoder: a module in the decoder's place, or None.
        layer_norm_eps: what keeps the divisors of the normalisations from being 0.
        batch_first: whether the batch is the first dimension, and positions the second.
        norm_first: whether normalisation comes before each part of a layer, or after its sum.
        bias: whether something is added in linear maps and normalisations.
        device: where the parameters live.
        dtype: their floating point dtype; float32 where it is left out.

    Raises:
        GradvizError: `invalid-argument`; `shape-mismatch` for inputs of another width, or of
            different batches.

    Example:
        >>> import gradviz as gv
        >>> model = gv.nn.Transformer(8, 2, 1, 1, 16, batch_first=True)
        >>> model(gv.ones(3, 7, 8), gv.ones(3, 5, 8)).shape
        (3, 5, 8)
    """

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Any = "relu",
        custom_encoder: Any = None,
        custom_decoder: Any = None,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        sizes = (d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps)
        options = {"bias": bias, "device": device, "dtype": dtype}
        order = (batch_first, norm_first)

        def norm() -> LayerNorm:
            return LayerNorm(d_model, layer_norm_eps, **options)

        self.encoder: Module = custom_encoder
        if custom_encoder is None:
            layer: Module = TransformerEncoderLayer(*sizes, *order, **options)
            self.encoder = TransformerEncoder(layer, num_encoder_layers, norm())
        self.decoder: Module = custom_decoder
        if custom_decoder is None:
            layer = TransformerDecoderLayer(*sizes, *order, **options)
            self.decoder = TransformerDecoder(layer, num_decoder_layers, norm())
        for parameter in self.parameters():
            if parameter.ndim > 1:
                xavier_uniform_(parameter)
        self.d_model = d_model
        self.nhead = nhead
        self.batch_first = batch_first

    def forward(
        self,
        src: Any,
        tgt: Any,
        src_mask: Any = None,
        tgt_mask: Any = None,
        memory_mask: Any = None,
        src_key_padding_mask: Any = None,
        tgt_key_padding_mask: Any = None,
        memory_key_padding_mask: Any = None,
        src_is_causal: bool | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """A tensor of the shape of `tgt`.

        Args:
            src: what the encoder gets: (positions, batch, d_model), or (batch, positions, d_model)
                where the batch is first, or (positions, d_model).
            tgt: what the decoder gets, the same with positions of its own.
            src_mask: the encoder's `attn_mask`, as in `MultiheadAttention`.
            tgt_mask: that of the decoder's attention to itself.
            memory_mask: that of the decoder's attention to the encoder's output.
            src_key_padding_mask: shape (batch, positions): True where a position is left out.
            tgt_key_padding_mask: the same for the decoder.
            memory_key_padding_mask: the same for the encoder's output.
            src_is_causal: whether the encoder's positions see only those up to their own.
            tgt_is_causal: the same for the decoder.
            memory_is_causal: the same for the decoder's attention to the encoder's output.
        """
        source, target = (canon.tensor("Transformer", part) for part in (src, tgt))
        self._check(source, target)
        memory = self.encoder(
            source,
            mask=src_mask,
            src_key_padding_mask=src_key_padding_mask,
            is_causal=bool(src_is_causal),
        )
        result: Tensor = self.decoder(
            target,
            memory,
            tgt_mask=tgt_mask,
            memory_mask=memory_mask,
            tgt_key_padding_mask=tgt_key_padding_mask,
            memory_key_padding_mask=memory_key_padding_mask,
            tgt_is_causal=bool(tgt_is_causal),
            memory_is_causal=memory_is_causal,
        )
        return result

    def _check(self, source: Tensor, target: Tensor) -> None:
        """Refuses inputs in the words of the model rather than of its layers."""
        if source.ndim not in (2, 3) or source.ndim != target.ndim:
            reason = "both inputs have three dimensions with a batch, or two without."
            advice = "Give both of them a batch, or neither."
        elif source.shape[-1] != self.d_model or target.shape[-1] != self.d_model:
            reason = f"the model is made for {self.d_model} features."
            advice = f"Give inputs whose last dimension is {self.d_model}."
        elif source.ndim == 3 and source.shape[self._batch] != target.shape[self._batch]:
            reason = (
                f"the batch, dimension {self._batch}, has {source.shape[self._batch]} and "
                f"{target.shape[self._batch]} samples."
            )
            advice = "Give batches of one size, or say `batch_first` where the batch is first."
        else:
            return
        raise shapes.mismatch("Transformer", source.shape, target.shape, reason, advice)

    @property
    def _batch(self) -> int:
        return 0 if self.batch_first else 1

    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: Any = None, dtype: Any = None) -> Tensor:
        """The mask that lets positions see those up to their own: minus infinity for the others.

        Args:
            sz: how many positions.
            device: where the mask lives.
            dtype: its floating point dtype; float32 where it is left out.

        Example:
            >>> import gradviz as gv
            >>> gv.nn.Transformer.generate_square_subsequent_mask(2).tolist()
            [[0.0, -inf], [0.0, 0.0]]
        """
        barred = full((sz, sz), -math.inf, dtype=dtype, device=device)
        return functions.triu(barred, 1)
