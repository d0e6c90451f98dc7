"""Losses that want a margin between what fits and what doesn't, as modules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradviz.nn.loss import _Loss
from gradviz.nn.loss_more import _kept
from gradviz.tensor import composed
from gradviz.tensor.base import Tensor


class MultiMarginLoss(_Loss):
    """What the score of the right class lacks of being above every other one by a margin.

    Args:
        p: the power, 1 or 2.
        margin: the margin.
        weight: shape (classes,): a factor for each right class, or None.
        reduction: 'mean', 'sum' or 'none'.

    Raises:
        GradvizError: `invalid-argument`, `shape-mismatch`, `index-out-of-range`.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.MultiMarginLoss()(gv.tensor([[1.0, 0.5]]), gv.tensor([0])).item()
        0.25
    """

    def __init__(
        self, p: int = 1, margin: float = 1.0, weight: Any = None, reduction: str = "mean"
    ) -> None:
        super().__init__(reduction)
        self.p = p
        self.margin = margin
        self.weight = _kept(weight)

    def forward(self, input: Any, target: Any) -> Tensor:
        """Scores (batch, classes) and integer classes (batch,), or both without the batch."""
        return composed.multi_margin_loss(
            input, target, self.p, self.margin, self.weight, self.reduction
        )


class MultiLabelMarginLoss(_Loss):
    """What the scores of right classes lack of being above every wrong one by 1.

    Args:
        reduction: 'mean', 'sum' or 'none'.

    Raises:
        GradvizError: `invalid-argument`, `shape-mismatch`, `index-out-of-range`.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.MultiLabelMarginLoss()(gv.tensor([[1.0, 0.5]]), gv.tensor([[0, -1]])).item()
        0.25
    """

    def forward(self, input: Any, target: Any) -> Tensor:
        """Scores, and lists of right classes that end with -1, of one shape."""
        return composed.multilabel_margin_loss(input, target, self.reduction)


class TripletMarginWithDistanceLoss(_Loss):
    """What a distance to a negative example lacks of that to a positive one, plus a margin.

    Args:
        distance_function: a function or module that gives the distances of two tensors;
            `PairwiseDistance` where it is left out.
        margin: by how much the negative example should be farther.
        swap: whether the nearer of anchor and positive counts for the negative.
        reduction: 'mean', 'sum' or 'none'.

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> x = gv.ones(1, 2)
        >>> round(gv.nn.TripletMarginWithDistanceLoss(margin=2.0)(x, x, x).item(), 3)
        2.0
    """

    def __init__(
        self,
        *,
        distance_function: Callable[[Any, Any], Any] | None = None,
        margin: float = 1.0,
        swap: bool = False,
        reduction: str = "mean",
    ) -> None:
        super().__init__(reduction)
        self.distance_function = distance_function
        self.margin = margin
        self.swap = swap

    def forward(self, anchor: Any, positive: Any, negative: Any) -> Tensor:
        """An anchor, an example that should be near and one that should be far."""
        return composed.triplet_margin_with_distance_loss(
            anchor,
            positive,
            negative,
            distance_function=self.distance_function,
            margin=self.margin,
            swap=self.swap,
            reduction=self.reduction,
        )
