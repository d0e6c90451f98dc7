"""Losses under PyTorch's names."""

from __future__ import annotations

from typing import Any

from gradviz.core.context import CallSite
from gradviz.ops.size import Size
from gradviz.tensor import canon, functions
from gradviz.tensor.base import Tensor
from gradviz.tensor.composed.choice import where
from gradviz.tensor.composed.measures import cosine_similarity
from gradviz.tensor.general import general, row_of

_bce = row_of("binary_cross_entropy")
_bce_logits = row_of("binary_cross_entropy_with_logits")
_kl = row_of("kl_div")


def _how(name: str, reduction: Any) -> str:
    return canon.choice(name, "reduction", reduction, canon.REDUCTIONS)


def _reduced(each: Any, how: str) -> Tensor:
    if how == "none":
        found: Tensor = each
        return found
    return functions.mean(each) if how == "mean" else functions.sum(each)


def binary_cross_entropy(
    input: Any, target: Any, weight: Any = None, reduction: str = "mean"
) -> Tensor:
    """Cross-entropy between probabilities and targets in [0, 1].

    Args:
        input: probabilities of any shape.
        target: targets of the same shape.
        weight: factors that broadcast to the input, or None.
        reduction: 'mean', 'sum' or 'none'.

    Raises:
        GradvizError: `shape-mismatch`; `invalid-argument` for numbers that are no probabilities.

    Example:
        >>> import gradviz as gv
        >>> round(gv.binary_cross_entropy(gv.tensor([0.5]), gv.tensor([1.0])).item(), 4)
        0.6931
    """
    result: Tensor = general(
        _bce, [input, target, weight], (_how("binary_cross_entropy", reduction),)
    )
    return result


def binary_cross_entropy_with_logits(
    input: Any,
    target: Any,
    weight: Any = None,
    pos_weight: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """Cross-entropy between scores before sigmoid and targets in [0, 1], without overflow.

    Args:
        input: scores of any shape.
        target: targets of the same shape.
        weight: factors that broadcast to the input, or None.
        pos_weight: factors for the positive part, which broadcast to the input, or None.
        reduction: 'mean', 'sum' or 'none'.

    Raises:
        GradvizError: `shape-mismatch`.

    Example:
        >>> import gradviz as gv
        >>> loss = gv.binary_cross_entropy_with_logits(gv.tensor([0.0]), gv.tensor([1.0]))
        >>> round(loss.item(), 4)
        0.6931
    """
    how = _how("binary_cross_entropy_with_logits", reduction)
    result: Tensor = general(_bce_logits, [input, target, weight, pos_weight], (how,))
    return result


def kl_div(input: Any, target: Any, reduction: str = "mean", log_target: bool = False) -> Tensor:
    """Kullback-Leibler divergence of targets from log-probabilities.

    Args:
        input: log-probabilities.
        target: probabilities, or their logarithms.
        reduction: 'mean', 'batchmean' for the sum over the size of dimension 0, 'sum' or 'none'.
        log_target: whether the targets are logarithms.

    Raises:
        GradvizError: `shape-mismatch`, `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> goal = gv.tensor([[0.5, 0.5]])
        >>> gv.kl_div(goal.log(), goal, reduction="batchmean").item()
        0.0
    """
    how = canon.choice("kl_div", "reduction", reduction, (*canon.REDUCTIONS, "batchmean"))
    logs = canon.flag("kl_div", "log_target", log_target)
    with CallSite():
        x = canon.tensor("kl_div", input)
        if how != "batchmean":
            result: Tensor = general(_kl, [x, target], (logs, how))
            return result
        canon.existing_dim("kl_div", 0, x)
        size: Any = x.shape[0]
        total = general(_kl, [x, target], (logs, "sum"))
        return functions.div(total, size if isinstance(size, Size) else float(max(size, 1)))


def poisson_nll_loss(
    input: Any,
    target: Any,
    log_input: bool = True,
    full: bool = False,
    eps: float = 1e-8,
    reduction: str = "mean",
) -> Tensor:
    """Negative log-likelihood of counts, given their expected number or its logarithm.

    Args:
        input: expected numbers, or their logarithms.
        target: counts.
        log_input: whether the input is logarithms.
        full: whether to add Stirling's estimate of log(target!).
        eps: what keeps the logarithm of an expected number finite.
        reduction: 'mean', 'sum' or 'none'.

    Example:
        >>> import gradviz as gv
        >>> gv.poisson_nll_loss(gv.tensor([0.0]), gv.tensor([2.0])).item()
        1.0
    """
    how = _how("poisson_nll_loss", reduction)
    with CallSite():
        x, goal = canon.tensor("poisson_nll_loss", input), canon.tensor("poisson_nll_loss", target)
        each: Any
        if canon.flag("poisson_nll_loss", "log_input", log_input):
            each = functions.exp(x) - goal * x
        else:
            each = x - goal * functions.log(x + canon.scalar("poisson_nll_loss", "eps", eps))
        if canon.flag("poisson_nll_loss", "full", full):
            many = functions.clamp(goal, min=1.0)
            stirling = (
                many * functions.log(many) - many + 0.5 * functions.log(many * 6.283185307179586)
            )
            each = each + where(goal > 1.0, stirling, 0.0)
        return _reduced(each, how)


def gaussian_nll_loss(
    input: Any,
    target: Any,
    var: Any,
    full: bool = False,
    eps: float = 1e-6,
    reduction: str = "mean",
) -> Tensor:
    """Negative log-likelihood of numbers, given means and variances of normal distributions.

    Args:
        input: means.
        target: numbers.
        var: variances, which count as at least `eps`.
        full: whether to add the constant.
        eps: the least variance.
        reduction: 'mean', 'sum' or 'none'.

    Example:
        >>> import gradviz as gv
        >>> gv.gaussian_nll_loss(gv.tensor([1.0]), gv.tensor([3.0]), gv.tensor([1.0])).item()
        2.0
    """
    how = _how("gaussian_nll_loss", reduction)
    with CallSite():
        mean, goal = (canon.tensor("gaussian_nll_loss", part) for part in (input, target))
        spread: Any = canon.tensor("gaussian_nll_loss", var)
        least = canon.positive("gaussian_nll_loss", "eps", eps)
        # PyTorch's limit holds the variance up without stopping its gradient.
        spread = spread + (functions.clamp(spread, min=least) - spread).detach()
        each: Any = 0.5 * (functions.log(spread) + functions.square(mean - goal) / spread)
        if canon.flag("gaussian_nll_loss", "full", full):
            each = each + 0.9189385332046727
        return _reduced(each, how)


def soft_margin_loss(input: Any, target: Any, reduction: str = "mean") -> Tensor:
    """log(1 + exp(-target * x)) for targets of -1 and 1.

    Example:
        >>> import gradviz as gv
        >>> round(gv.soft_margin_loss(gv.tensor([0.0]), gv.tensor([1.0])).item(), 4)
        0.6931
    """
    how = _how("soft_margin_loss", reduction)
    with CallSite():
        margin = functions.mul(target, input)
        return _reduced(functions.neg(functions.logsigmoid(margin)), how)


def hinge_embedding_loss(
    input: Any, target: Any, margin: float = 1.0, reduction: str = "mean"
) -> Tensor:
    """The distance itself for targets of 1, what it lacks of a margin for -1.

    Example:
        >>> import gradviz as gv
        >>> gv.hinge_embedding_loss(gv.tensor([0.5, 0.25]), gv.tensor([1.0, -1.0])).item()
        0.625
    """
    how = _how("hinge_embedding_loss", reduction)
    limit = canon.scalar("hinge_embedding_loss", "margin", margin)
    with CallSite():
        x, goal = (canon.tensor("hinge_embedding_loss", part) for part in (input, target))
        apart = functions.clamp(functions.add(functions.neg(x), limit), min=0.0)
        return _reduced(where(goal == 1.0, x, 0.0) + where(goal == -1.0, apart, 0.0), how)


def margin_ranking_loss(
    input1: Any, input2: Any, target: Any, margin: float = 0.0, reduction: str = "mean"
) -> Tensor:
    """What `input1` lacks of being above `input2` by a margin; below it for targets of -1.

    Example:
        >>> import gradviz as gv
        >>> gv.margin_ranking_loss(gv.tensor([1.0]), gv.tensor([3.0]), gv.tensor([1.0])).item()
        2.0
    """
    how = _how("margin_ranking_loss", reduction)
    limit = canon.scalar("margin_ranking_loss", "margin", margin)
    with CallSite():
        lack = functions.mul(functions.neg(target), functions.sub(input1, input2))
        return _reduced(functions.clamp(functions.add(lack, limit), min=0.0), how)


def cosine_embedding_loss(
    input1: Any, input2: Any, target: Any, margin: float = 0.0, reduction: str = "mean"
) -> Tensor:
    """1 - cosine for targets of 1; the cosine beyond a margin for -1.

    Example:
        >>> import gradviz as gv
        >>> x = gv.tensor([[1.0, 0.0]])
        >>> gv.cosine_embedding_loss(x, x, gv.tensor([-1.0])).numpy().round(4).item()
        1.0
    """
    how = _how("cosine_embedding_loss", reduction)
    limit = canon.scalar("cosine_embedding_loss", "margin", margin)
    with CallSite():
        goal = canon.tensor("cosine_embedding_loss", target)
        cosine: Any = cosine_similarity(input1, input2, -1)
        apart = functions.clamp(cosine - limit, min=0.0)
        each: Any = where(goal == 1, 1.0 - cosine, 0.0)
        return _reduced(each + where(goal == -1, apart, 0.0), how)


def multilabel_soft_margin_loss(
    input: Any, target: Any, weight: Any = None, reduction: str = "mean"
) -> Tensor:
    """Cross-entropy of every class by itself, averaged over classes.

    Example:
        >>> import gradviz as gv
        >>> loss = gv.multilabel_soft_margin_loss(gv.zeros(1, 2), gv.tensor([[1.0, 0.0]]))
        >>> round(loss.item(), 4)
        0.6931
    """
    how = _how("multilabel_soft_margin_loss", reduction)
    with CallSite():
        each = binary_cross_entropy_with_logits(input, target, weight, reduction="none")
        canon.existing_dim("multilabel_soft_margin_loss", -1, each)
        return _reduced(functions.mean(each, -1), how)
