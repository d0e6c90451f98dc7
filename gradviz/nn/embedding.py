"""Embeddings, a learned row for every index, and bilinear maps."""

from __future__ import annotations

from typing import Any

from gradviz.errors import fail
from gradviz.nn.linear import whole
from gradviz.nn.module import Module
from gradviz.nn.parameter import Parameter
from gradviz.tensor import canon, composed, functions
from gradviz.tensor.base import Tensor
from gradviz.tensor.composed.bags import BAG_MODES
from gradviz.tensor.creation import normal, uniform


def _padding(operation: str, given: Any, count: int) -> int | None:
    """The row that isn't trained, counted from the front."""
    if given is None:
        return None
    at = int(given.__index__()) if hasattr(given, "__index__") else count
    if not -count <= at < count:
        raise fail(
            "invalid-argument",
            operation=operation,
            complaint=f"padding_idx is {given!r}",
            advice=f"Give one of the {count} rows, or None.",
        )
    return at % count


def _rows(layer: Embedding | EmbeddingBag, device: Any, dtype: Any) -> Tensor:
    """Rows to start with."""
    made = normal(layer.num_embeddings, layer.embedding_dim, device=device, dtype=dtype)
    if layer.padding_idx is None:
        return made
    return composed.index_fill(made, 0, [layer.padding_idx], 0.0)


def _given_rows(operation: str, embeddings: Any) -> Parameter:
    """Rows that somebody trained before."""
    weight = Parameter(embeddings)
    if weight.ndim != 2:
        raise fail(
            "invalid-argument",
            operation=f"{operation}.from_pretrained",
            complaint=f"embeddings have shape {weight.shape}",
            advice="Give a matrix with one row for each index.",
        )
    return weight


class Embedding(Module):
    """Rows of a learned matrix, one for each index; drawn from a normal distribution at first.

    Args:
        num_embeddings: how many rows there are.
        embedding_dim: how long each row is.
        padding_idx: a row that starts as zeros and isn't trained, or None.
        device: where the parameter lives.
        dtype: its floating point dtype; float32 where it is left out.

    Raises:
        GradvizError: `invalid-argument`; `index-out-of-range` for an index without a row.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.Embedding(10, 3)(gv.tensor([[1, 2], [4, 5]])).shape
        (2, 2, 3)
    """

    weight: Parameter

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.num_embeddings = whole("Embedding", "num_embeddings", num_embeddings, 1)
        self.embedding_dim = whole("Embedding", "embedding_dim", embedding_dim, 1)
        self.padding_idx = _padding("Embedding", padding_idx, self.num_embeddings)
        self.weight = Parameter(_rows(self, device, dtype))

    @classmethod
    def from_pretrained(
        cls, embeddings: Any, freeze: bool = True, padding_idx: int | None = None
    ) -> Embedding:
        """An embedding with given rows.

        Args:
            embeddings: shape (rows, length): the rows.
            freeze: whether they stay as they are.
            padding_idx: a row that isn't trained, or None.

        Example:
            >>> import gradviz as gv
            >>> layer = gv.nn.Embedding.from_pretrained(gv.tensor([[1.0], [2.0]]))
            >>> layer(gv.tensor([1])).tolist()
            [[2.0]]
        """
        weight = _given_rows("Embedding", embeddings)
        made = cls(weight.shape[0], weight.shape[1], padding_idx)
        made.weight = weight
        return made.freeze() if freeze else made

    def forward(self, input: Any) -> Tensor:
        """Whole numbers of any shape to rows, in one dimension more."""
        return composed.embedding(input, self.weight, self.padding_idx)

    def extra_repr(self) -> str:
        """The arguments it was made with."""
        padding = "" if self.padding_idx is None else f", padding_idx={self.padding_idx}"
        return f"{self.num_embeddings}, {self.embedding_dim}{padding}"


class EmbeddingBag(Module):
    """The sum, mean or maximum of the rows of a learned matrix that a bag of indices picks.

    Args:
        num_embeddings: how many rows there are.
        embedding_dim: how long each row is.
        mode: 'sum', 'mean' or 'max'; a bag without indices gives zeros.
        include_last_offset: whether the last offset is the end of the last bag.
        padding_idx: a row that starts as zeros, counts for nothing and isn't trained, or None.
        device: where the parameter lives.
        dtype: its floating point dtype; float32 where it is left out.

    Raises:
        GradvizError: `invalid-argument`; `index-out-of-range` for an index without a row.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.EmbeddingBag(10, 3)(gv.tensor([1, 2, 4, 5]), gv.tensor([0, 1])).shape
        (2, 3)
    """

    weight: Parameter

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        *,
        mode: str = "mean",
        include_last_offset: bool = False,
        padding_idx: int | None = None,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.num_embeddings = whole("EmbeddingBag", "num_embeddings", num_embeddings, 1)
        self.embedding_dim = whole("EmbeddingBag", "embedding_dim", embedding_dim, 1)
        self.mode = canon.choice("EmbeddingBag", "mode", mode, BAG_MODES)
        self.include_last_offset = include_last_offset
        self.padding_idx = _padding("EmbeddingBag", padding_idx, self.num_embeddings)
        self.weight = Parameter(_rows(self, device, dtype))

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Any,
        freeze: bool = True,
        *,
        mode: str = "mean",
        include_last_offset: bool = False,
        padding_idx: int | None = None,
    ) -> EmbeddingBag:
        """A bag of embeddings with given rows.

        Args:
            embeddings: shape (rows, length): the rows.
            freeze: whether they stay as they are.
            mode: 'sum', 'mean' or 'max'.
            include_last_offset: whether the last offset is the end of the last bag.
            padding_idx: a row that counts for nothing and isn't trained, or None.

        Example:
            >>> import gradviz as gv
            >>> layer = gv.nn.EmbeddingBag.from_pretrained(gv.tensor([[1.0], [2.0]]), mode="sum")
            >>> layer(gv.tensor([[0, 1]])).tolist()
            [[3.0]]
        """
        weight = _given_rows("EmbeddingBag", embeddings)
        made = cls(
            *weight.shape,
            mode=mode,
            include_last_offset=include_last_offset,
            padding_idx=padding_idx,
        )
        made.weight = weight
        return made.freeze() if freeze else made

    def forward(self, input: Any, offsets: Any = None, per_sample_weights: Any = None) -> Tensor:
        """Whole numbers (bags, indices), or (indices,) and offsets (bags,), to (bags, length).

        Args:
            input: the indices.
            offsets: where each bag starts, for a vector of indices.
            per_sample_weights: a factor for each index, for sums alone.
        """
        return composed.embedding_bag(
            input,
            self.weight,
            offsets,
            mode=self.mode,
            per_sample_weights=per_sample_weights,
            include_last_offset=self.include_last_offset,
            padding_idx=self.padding_idx,
        )

    def extra_repr(self) -> str:
        """The arguments it was made with."""
        padding = "" if self.padding_idx is None else f", padding_idx={self.padding_idx}"
        return f"{self.num_embeddings}, {self.embedding_dim}, mode={self.mode!r}{padding}"


class Bilinear(Module):
    """y_k = x1^T weight_k x2 + bias_k.

    Args:
        in1_features: the size of the last dimension of the first input.
        in2_features: the size of the last dimension of the second input.
        out_features: the size of the last dimension of the output.
        bias: whether something is added.
        device: where the parameters live.
        dtype: their floating point dtype; float32 where it is left out.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.Bilinear(2, 3, 4)(gv.ones(5, 2), gv.ones(5, 3)).shape
        (5, 4)
    """

    weight: Parameter
    bias: Parameter | None

    def __init__(
        self,
        in1_features: int,
        in2_features: int,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.in1_features = whole("Bilinear", "in1_features", in1_features, 1)
        self.in2_features = whole("Bilinear", "in2_features", in2_features, 1)
        self.out_features = whole("Bilinear", "out_features", out_features, 1)
        bound = self.in1_features**-0.5
        options = {"low": -bound, "high": bound, "device": device, "dtype": dtype}
        sizes = (self.out_features, self.in1_features, self.in2_features)
        self.weight = Parameter(uniform(*sizes, **options))
        self.bias = Parameter(uniform(self.out_features, **options)) if bias else None

    def forward(self, input1: Any, input2: Any) -> Tensor:
        """Shapes (..., in1_features) and (..., in2_features) to (..., out_features)."""
        x = canon.tensor("Bilinear", input1)
        weight = canon.beside("Bilinear", self.weight, x)
        out = composed.einsum("...i,oij,...j->...o", x, weight, input2)
        return out if self.bias is None else functions.add(out, self.bias)

    def extra_repr(self) -> str:
        """The arguments it was made with."""
        return (
            f"in1_features={self.in1_features}, in2_features={self.in2_features}, "
            f"out_features={self.out_features}, bias={self.bias is not None}"
        )
