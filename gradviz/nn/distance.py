"""Similarities and distances as modules."""

from __future__ import annotations

from typing import Any

from gradviz.nn.module import Module
from gradviz.tensor import composed
from gradviz.tensor.base import Tensor


class CosineSimilarity(Module):
    """Cosine of the angle between vectors along a dimension.

    Args:
        dim: the dimension.
        eps: the least length that a vector counts with.

    Raises:
        GradvizError: `shape-mismatch`, `dimension-out-of-range` when it is called.

    Example:
        >>> import gradviz as gv
        >>> cosine = gv.nn.CosineSimilarity()(gv.tensor([[1.0, 0.0]]), gv.tensor([[1.0, 1.0]]))
        >>> round(cosine.item(), 4)
        0.7071
    """

    def __init__(self, dim: int = 1, eps: float = 1e-8) -> None:
        super().__init__()
        self.dim = dim
        self.eps = eps

    def forward(self, x1: Any, x2: Any) -> Tensor:
        """Two tensors that broadcast, to one without the dimension."""
        return composed.cosine_similarity(x1, x2, self.dim, self.eps)

    def extra_repr(self) -> str:
        """The arguments it was made with."""
        return f"dim={self.dim}, eps={self.eps}"


class PairwiseDistance(Module):
    """The norm of differences along the last dimension.

    Args:
        p: the order of the norm.
        eps: what is added to each difference.
        keepdim: whether the last dimension stays, with size 1.

    Raises:
        GradvizError: `shape-mismatch` when it is called.

    Example:
        >>> import gradviz as gv
        >>> distance = gv.nn.PairwiseDistance()(gv.zeros(1, 2), gv.tensor([[3.0, 4.0]]))
        >>> distance.numpy().round(3).tolist()
        [5.0]
    """

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> None:
        super().__init__()
        self.norm = p
        self.eps = eps
        self.keepdim = keepdim

    def forward(self, x1: Any, x2: Any) -> Tensor:
        """Shapes (..., features) that broadcast, to (...)."""
        return composed.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)

    def extra_repr(self) -> str:
        """The arguments it was made with."""
        return f"p={self.norm}, eps={self.eps}, keepdim={self.keepdim}"
