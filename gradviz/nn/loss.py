"""Losses as modules."""

from __future__ import annotations

from typing import Any

from gradviz.nn.module import Module
from gradviz.nn.parameter import Buffer
from gradviz.tensor import canon, composed, functions
from gradviz.tensor.base import Tensor


class _Loss(Module):
    """A loss with a reduction: 'mean', 'sum' or 'none'."""

    def __init__(self, reduction: str = "mean") -> None:
        super().__init__()
        self.reduction = canon.choice(type(self).__name__, "reduction", reduction, canon.REDUCTIONS)


class MSELoss(_Loss):
    """Mean of squared differences.

    Args:
        reduction: 'mean', 'sum' or 'none'.

    Raises:
        GradvizError: `invalid-argument` for another reduction; `shape-mismatch`.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.MSELoss()(gv.tensor([1.0, 3.0]), gv.tensor([1.0, 1.0])).item()
        2.0
    """

    def forward(self, input: Any, target: Any) -> Tensor:
        """The loss of two tensors of one shape."""
        return functions.mse_loss(input, target, reduction=self.reduction)


class L1Loss(_Loss):
    """Mean of absolute differences.

    Args:
        reduction: 'mean', 'sum' or 'none'.

    Raises:
        GradvizError: `invalid-argument` for another reduction; `shape-mismatch`.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.L1Loss()(gv.tensor([1.0, 3.0]), gv.tensor([1.0, 1.0])).item()
        1.0
    """

    def forward(self, input: Any, target: Any) -> Tensor:
        """The loss of two tensors of one shape."""
        return functions.l1_loss(input, target, reduction=self.reduction)


class _ClassLoss(_Loss):
    """A loss over classes, which may weigh differently."""

    def __init__(self, weight: Any, ignore_index: int, reduction: str) -> None:
        super().__init__(reduction)
        self.weight = None if weight is None else Buffer(weight)
        self.ignore_index = ignore_index


class NLLLoss(_ClassLoss):
    """Negative log-likelihood of classes, from log-probabilities.

    Args:
        weight: shape (classes,), float: a factor for each class, or None.
        ignore_index: a class that counts for nothing.
        reduction: 'mean', 'sum' or 'none'.

    Raises:
        GradvizError: `shape-mismatch`, `invalid-dtype`, `index-out-of-range`.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.NLLLoss()(gv.tensor([[-0.5, -1.0]]), gv.tensor([0])).item()
        0.5
    """

    def __init__(
        self, weight: Any = None, ignore_index: int = -100, reduction: str = "mean"
    ) -> None:
        super().__init__(weight, ignore_index, reduction)

    def forward(self, input: Any, target: Any) -> Tensor:
        """Shape (batch, classes, ...) and integer classes of shape (batch, ...)."""
        return functions.nll_loss(input, target, self.weight, self.ignore_index, self.reduction)


class CrossEntropyLoss(_ClassLoss):
    """Cross-entropy between scores and classes, or class probabilities.

    Args:
        weight: shape (classes,), float: a factor for each class, or None.
        ignore_index: a class that counts for nothing.
        reduction: 'mean', 'sum' or 'none'.
        label_smoothing: how much of each target is spread over all classes, in [0, 1].

    Raises:
        GradvizError: `shape-mismatch`, `invalid-dtype`, `index-out-of-range`.

    Example:
        >>> import gradviz as gv
        >>> loss = gv.nn.CrossEntropyLoss()(gv.tensor([[2.0, 0.0]]), gv.tensor([0]))
        >>> round(loss.item(), 4)
        0.1269
    """

    def __init__(
        self,
        weight: Any = None,
        ignore_index: int = -100,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
    ) -> None:
        super().__init__(weight, ignore_index, reduction)
        self.label_smoothing = label_smoothing

    def forward(self, input: Any, target: Any) -> Tensor:
        """Shape (batch, classes, ...) and classes (batch, ...), or probabilities of its shape."""
        return composed.cross_entropy(
            input,
            target,
            self.weight,
            self.ignore_index,
            self.reduction,
            self.label_smoothing,
        )
