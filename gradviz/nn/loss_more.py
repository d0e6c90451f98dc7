"""Further losses as modules."""

from __future__ import annotations

from typing import Any

from gradviz.nn.loss import _Loss
from gradviz.nn.parameter import Buffer
from gradviz.tensor import canon, composed, functions
from gradviz.tensor.base import Tensor


def _kept(value: Any) -> Buffer | None:
    return None if value is None else Buffer(value)


class BCELoss(_Loss):
    """Cross-entropy between probabilities and targets in [0, 1].

    Args:
        weight: factors that broadcast to the input, or None.
        reduction: 'mean', 'sum' or 'none'.

    Raises:
        GradvizError: `invalid-argument` for another reduction; `shape-mismatch`.

    Example:
        >>> import gradviz as gv
        >>> round(gv.nn.BCELoss()(gv.tensor([0.5]), gv.tensor([1.0])).item(), 4)
        0.6931
    """

    def __init__(self, weight: Any = None, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.weight = _kept(weight)

    def forward(self, input: Any, target: Any) -> Tensor:
        """The loss of two tensors of one shape."""
        return composed.binary_cross_entropy(input, target, self.weight, self.reduction)


class BCEWithLogitsLoss(_Loss):
    """Cross-entropy between scores before sigmoid and targets in [0, 1].

    Args:
        weight: factors that broadcast to the input, or None.
        reduction: 'mean', 'sum' or 'none'.
        pos_weight: factors for the positive part, which broadcast to the input, or None.

    Raises:
        GradvizError: `invalid-argument` for another reduction; `shape-mismatch`.

    Example:
        >>> import gradviz as gv
        >>> round(gv.nn.BCEWithLogitsLoss()(gv.tensor([0.0]), gv.tensor([1.0])).item(), 4)
        0.6931
    """

    def __init__(self, weight: Any = None, reduction: str = "mean", pos_weight: Any = None) -> None:
        super().__init__(reduction)
        self.weight = _kept(weight)
        self.pos_weight = _kept(pos_weight)

    def forward(self, input: Any, target: Any) -> Tensor:
        """The loss of two tensors of one shape."""
        return composed.binary_cross_entropy_with_logits(
            input, target, self.weight, self.pos_weight, self.reduction
        )


class HuberLoss(_Loss):
    """Half the squared difference, linear beyond `delta`.

    Args:
        reduction: 'mean', 'sum' or 'none'.
        delta: where the loss becomes linear.

    Raises:
        GradvizError: `invalid-argument` for another reduction; `shape-mismatch`.

    Example:
        >>> import gradviz as gv
        >>> round(gv.nn.HuberLoss()(gv.tensor([3.0]), gv.tensor([1.0])).item(), 4)
        1.5
    """

    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None:
        super().__init__(reduction)
        self.delta = delta

    def forward(self, input: Any, target: Any) -> Tensor:
        """The loss of two tensors of one shape."""
        return functions.huber_loss(input, target, self.reduction, self.delta)


class SmoothL1Loss(_Loss):
    """The absolute difference, rounded within `beta` of 0.

    Args:
        reduction: 'mean', 'sum' or 'none'.
        beta: how far from 0 the bend is rounded.

    Raises:
        GradvizError: `invalid-argument` for another reduction; `shape-mismatch`.

    Example:
        >>> import gradviz as gv
        >>> round(gv.nn.SmoothL1Loss()(gv.tensor([3.0]), gv.tensor([1.0])).item(), 4)
        1.5
    """

    def __init__(self, reduction: str = "mean", beta: float = 1.0) -> None:
        super().__init__(reduction)
        self.beta = beta

    def forward(self, input: Any, target: Any) -> Tensor:
        """The loss of two tensors of one shape."""
        return functions.smooth_l1_loss(input, target, self.reduction, self.beta)


class SoftMarginLoss(_Loss):
    """log(1 + exp(-target * x)) for targets of -1 and 1.

    Args:
        reduction: 'mean', 'sum' or 'none'.

    Raises:
        GradvizError: `invalid-argument` for another reduction; `shape-mismatch`.

    Example:
        >>> import gradviz as gv
        >>> round(gv.nn.SoftMarginLoss()(gv.tensor([0.0]), gv.tensor([1.0])).item(), 4)
        0.6931
    """

    def forward(self, input: Any, target: Any) -> Tensor:
        """The loss of two tensors of one shape."""
        return composed.soft_margin_loss(input, target, self.reduction)


class MultiLabelSoftMarginLoss(_Loss):
    """Cross-entropy of every class by itself, averaged over classes.

    Args:
        weight: factors that broadcast to the input, or None.
        reduction: 'mean', 'sum' or 'none'.

    Raises:
        GradvizError: `invalid-argument` for another reduction; `shape-mismatch`.

    Example:
        >>> import gradviz as gv
        >>> round(gv.nn.MultiLabelSoftMarginLoss()(gv.zeros(1, 2), gv.ones(1, 2)).item(), 4)
        0.6931
    """

    def __init__(self, weight: Any = None, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.weight = _kept(weight)

    def forward(self, input: Any, target: Any) -> Tensor:
        """The loss of two tensors of one shape."""
        return composed.multilabel_soft_margin_loss(input, target, self.weight, self.reduction)


class PoissonNLLLoss(_Loss):
    """Negative log-likelihood of counts, given their expected number or its logarithm.

    Args:
        log_input: whether the input is logarithms.
        full: whether to add Stirling's estimate of log(target!).
        eps: what keeps the logarithm of an expected number finite.
        reduction: 'mean', 'sum' or 'none'.

    Raises:
        GradvizError: `invalid-argument` for another reduction; `shape-mismatch`.

    Example:
        >>> import gradviz as gv
        >>> round(gv.nn.PoissonNLLLoss()(gv.tensor([0.0]), gv.tensor([2.0])).item(), 4)
        1.0
    """

    def __init__(
        self, log_input: bool = True, full: bool = False, eps: float = 1e-8, reduction: str = "mean"
    ) -> None:
        super().__init__(reduction)
        self.log_input = log_input
        self.full = full
        self.eps = eps

    def forward(self, input: Any, target: Any) -> Tensor:
        """The loss of two tensors of one shape."""
        return composed.poisson_nll_loss(
            input, target, self.log_input, self.full, self.eps, self.reduction
        )


class HingeEmbeddingLoss(_Loss):
    """The distance itself for targets of 1, what it lacks of a margin for -1.

    Args:
        margin: the margin.
        reduction: 'mean', 'sum' or 'none'.

    Raises:
        GradvizError: `invalid-argument` for another reduction; `shape-mismatch`.

    Example:
        >>> import gradviz as gv
        >>> round(gv.nn.HingeEmbeddingLoss()(gv.tensor([0.5]), gv.tensor([1.0])).item(), 4)
        0.5
    """

    def __init__(self, margin: float = 1.0, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.margin = margin

    def forward(self, input: Any, target: Any) -> Tensor:
        """The loss of two tensors of one shape."""
        return composed.hinge_embedding_loss(input, target, self.margin, self.reduction)


class KLDivLoss(_Loss):
    """Kullback-Leibler divergence of targets from log-probabilities.

    Args:
        reduction: 'mean', 'batchmean', 'sum' or 'none'.
        log_target: whether the targets are logarithms.

    Example:
        >>> import gradviz as gv
        >>> goal = gv.tensor([[0.5, 0.5]])
        >>> gv.nn.KLDivLoss("batchmean")(goal.log(), goal).item()
        0.0
    """

    def __init__(self, reduction: str = "mean", log_target: bool = False) -> None:
        super().__init__()
        allowed = (*canon.REDUCTIONS, "batchmean")
        self.reduction = canon.choice("KLDivLoss", "reduction", reduction, allowed)
        self.log_target = log_target

    def forward(self, input: Any, target: Any) -> Tensor:
        """Log-probabilities, and probabilities or their logarithms."""
        return composed.kl_div(input, target, self.reduction, self.log_target)


class GaussianNLLLoss(_Loss):
    """Negative log-likelihood of numbers, given means and variances of normal distributions.

    Args:
        full: whether to add the constant.
        eps: the least variance.
        reduction: 'mean', 'sum' or 'none'.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.GaussianNLLLoss()(gv.tensor([1.0]), gv.tensor([3.0]), gv.ones(1)).item()
        2.0
    """

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.full = full
        self.eps = eps

    def forward(self, input: Any, target: Any, var: Any) -> Tensor:
        """Means, numbers and variances."""
        return composed.gaussian_nll_loss(input, target, var, self.full, self.eps, self.reduction)


class MarginRankingLoss(_Loss):
    """What the first input lacks of being above the second by a margin; below it for -1.

    Args:
        margin: the margin.
        reduction: 'mean', 'sum' or 'none'.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.MarginRankingLoss()(gv.tensor([1.0]), gv.tensor([3.0]), gv.ones(1)).item()
        2.0
    """

    def __init__(self, margin: float = 0.0, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.margin = margin

    def forward(self, input1: Any, input2: Any, target: Any) -> Tensor:
        """Two inputs, and targets of 1 or -1."""
        return composed.margin_ranking_loss(input1, input2, target, self.margin, self.reduction)


class CosineEmbeddingLoss(_Loss):
    """1 - cosine for targets of 1; the cosine beyond a margin for -1.

    Args:
        margin: the margin.
        reduction: 'mean', 'sum' or 'none'.

    Example:
        >>> import gradviz as gv
        >>> x = gv.tensor([[1.0, 0.0]])
        >>> round(gv.nn.CosineEmbeddingLoss()(x, x, gv.tensor([-1.0])).item(), 4)
        1.0
    """

    def __init__(self, margin: float = 0.0, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.margin = margin

    def forward(self, input1: Any, input2: Any, target: Any) -> Tensor:
        """Two inputs, and targets of 1 or -1."""
        return composed.cosine_embedding_loss(input1, input2, target, self.margin, self.reduction)


class TripletMarginLoss(_Loss):
    """What the distance to a negative example lacks of that to a positive one, plus a margin.

    Args:
        margin: by how much it should be farther.
        p: the order of the norm.
        eps: what is added to differences.
        swap: whether the nearer of anchor and positive counts for the negative.
        reduction: 'mean', 'sum' or 'none'.

    Example:
        >>> import gradviz as gv
        >>> x = gv.ones(1, 2)
        >>> round(gv.nn.TripletMarginLoss()(x, x, x).item(), 3)
        1.0
    """

    def __init__(
        self,
        margin: float = 1.0,
        p: float = 2.0,
        eps: float = 1e-6,
        swap: bool = False,
        reduction: str = "mean",
    ) -> None:
        super().__init__(reduction)
        self.margin = margin
        self.p = p
        self.eps = eps
        self.swap = swap

    def forward(self, anchor: Any, positive: Any, negative: Any) -> Tensor:
        """An anchor, an example that should be near and one that should be far."""
        return composed.triplet_margin_loss(
            anchor, positive, negative, self.margin, self.p, self.eps, self.swap, self.reduction
        )


class CTCLoss(_Loss):
    """Negative log-likelihood of labels without an alignment.

    Args:
        blank: the class that stands for no label.
        reduction: 'mean', 'sum' or 'none'.
        zero_infinity: whether infinite losses count as 0.

    Example:
        >>> import gradviz as gv
        >>> scores = gv.log_softmax(gv.zeros(2, 1, 2), dim=2)
        >>> round(gv.nn.CTCLoss()(scores, gv.tensor([[1]]), [2], [1]).item(), 4)
        0.2877
    """

    def __init__(
        self, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False
    ) -> None:
        super().__init__(reduction)
        self.blank = blank
        self.zero_infinity = zero_infinity

    def forward(
        self, log_probs: Any, targets: Any, input_lengths: Any, target_lengths: Any
    ) -> Tensor:
        """Shape (steps, batch, classes), labels, and the lengths of both."""
        return composed.ctc_loss(
            log_probs,
            targets,
            input_lengths,
            target_lengths,
            self.blank,
            self.reduction,
            self.zero_infinity,
        )
