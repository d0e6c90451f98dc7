"""Transformer encoders."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, ClassVar

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


class TransformerLayer(Module):
    """What encoder and decoder layers share: attentions, then two linear maps, with norms between.

    Its parts stand in PyTorch's order, so that parameters have PyTorch's order too.
    """

    attentions: ClassVar[tuple[str, ...]]

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
        parts = range(1, len(self.attentions) + 2)
        for name in self.attentions:
            attention = MultiheadAttention(
                d_model, nhead, dropout, bias, batch_first=batch_first, **options
            )
            setattr(self, name, attention)
        self.linear1 = Linear(d_model, dim_feedforward, bias, **options)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias, **options)
        for at in parts:
            setattr(self, f"norm{at}", LayerNorm(d_model, layer_norm_eps, bias=bias, **options))
        for at in parts:
            setattr(self, f"dropout{at}", Dropout(dropout))
        self.norm_first = norm_first
        if isinstance(activation, str):
            if activation not in _ACTIVATIONS:
                raise fail(
                    "invalid-argument",
                    operation=type(self).__name__,
                    complaint=f"activation is {activation!r}",
                    advice="Use 'relu', 'gelu', or a function.",
                )
            activation = _ACTIVATIONS[activation]
        self.activation = activation

    def _added(self, at: int, x: Any, part: Callable[[Any], Any]) -> Any:
        """The input and what the part numbered `at` makes of it, summed and normalised."""
        norm, drop = getattr(self, f"norm{at}"), getattr(self, f"dropout{at}")
        if self.norm_first:
            return functions.add(x, drop(part(norm(x))))
        return norm(functions.add(x, drop(part(x))))

    def _attended(
        self, name: str, x: Any, memory: Any, mask: Any, padding: Any, is_causal: Any
    ) -> Any:
        """What an attention of this name gives."""
        out, _ = getattr(self, name)(
            x,
            memory,
            memory,
            attn_mask=mask,
            key_padding_mask=padding,
            need_weights=False,
            # Beside a mask it is only a hint of what the mask says.
            is_causal=bool(is_causal) and mask is None,
        )
        return out

    def _mapped(self, x: Any) -> Any:
        """What the two linear maps give."""
        return self.linear2(self.dropout(self.activation(self.linear1(x))))


class TransformerEncoderLayer(TransformerLayer):
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

    attentions = ("self_attn",)

    def forward(
        self,
        src: Any,
        src_mask: Any = None,
        src_key_padding_mask: Any = None,
        is_causal: bool = False,
    ) -> Tensor:
        """A tensor of the input's shape; the masks are those of `MultiheadAttention`."""

        def attended(x: Any) -> Any:
            return self._attended("self_attn", x, x, src_mask, src_key_padding_mask, is_causal)

        result: Tensor = self._added(2, self._added(1, src, attended), self._mapped)
        return result


def copies(operation: str, layer: Any, num_layers: Any) -> ModuleList:
    """As many layers as asked for, which start with the same values.

    Raises:
        GradvizError: `invalid-argument` for what is no module.
    """
    if not isinstance(layer, Module):
        raise fail(
            "invalid-argument",
            operation=operation,
            complaint=f"a {type(layer).__name__} is no module",
            advice=f"Give a `gv.nn.{operation}Layer`.",
            error=GradvizTypeError,
        )
    count = whole(operation, "num_layers", num_layers)
    return ModuleList([copy.deepcopy(layer) for _ in range(count)])


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
        self.layers = copies("TransformerEncoder", encoder_layer, num_layers)
        self.num_layers = len(self.layers)
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
