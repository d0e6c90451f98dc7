"""Losses that want a margin between what fits and what doesn't, under PyTorch's names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradviz.core.context import CallSite
from gradviz.errors import GradvizTypeError, fail
from gradviz.ops import shapes
from gradviz.tensor import canon, functions
from gradviz.tensor.base import Tensor
from gradviz.tensor.composed.criteria import _how, _reduced
from gradviz.tensor.composed.measures import pairwise_distance
from gradviz.tensor.indexing import checked_index


def triplet_margin_loss(
    anchor: Any,
    positive: Any,
    negative: Any,
    margin: float = 1.0,
    p: Any = 2.0,
    eps: float = 1e-6,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """What the distance to a negative example lacks of that to a positive one, plus a margin.

    Args:
        anchor: shape (..., features).
        positive: an example that should be near, of the same shape.
        negative: an example that should be far, of the same shape.
        margin: by how much it should be farther.
        p: the order of the norm.
        eps: what is added to differences.
        swap: whether the nearer of anchor and positive counts for the negative.
        reduction: 'mean', 'sum' or 'none'.

    Example:
        >>> import gradviz as gv
        >>> x, y, z = gv.zeros(1, 2), gv.ones(1, 2), gv.ones(1, 2)
        >>> round(gv.triplet_margin_loss(x, y, z).item(), 3)
        1.0
    """
    how = _how("triplet_margin_loss", reduction)
    limit = canon.scalar("triplet_margin_loss", "margin", margin)
    swapped = canon.flag("triplet_margin_loss", "swap", swap)
    with CallSite():

        def apart(x: Any, y: Any) -> Tensor:
            return pairwise_distance(x, y, p, eps)

        return _triplet((anchor, positive, negative), apart, limit, swapped, how)


def triplet_margin_with_distance_loss(
    anchor: Any,
    positive: Any,
    negative: Any,
    *,
    distance_function: Callable[[Any, Any], Any] | None = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """What a distance to a negative example lacks of that to a positive one, plus a margin.

    Args:
        anchor: a tensor that the distance takes.
        positive: an example that should be near, of the same shape.
        negative: an example that should be far, of the same shape.
        distance_function: a function or module that gives the distances of two tensors;
            `pairwise_distance` where it is left out.
        margin: by how much the negative example should be farther.
        swap: whether the nearer of anchor and positive counts for the negative.
        reduction: 'mean', 'sum' or 'none'.

    Raises:
        GradvizError: `invalid-argument` for what can't be called.

    Example:
        >>> import gradviz as gv
        >>> x, y, z = gv.zeros(1, 2), gv.ones(1, 2), gv.ones(1, 2) * 2.0
        >>> far = lambda a, b: (a - b).abs().sum(-1)
        >>> gv.triplet_margin_with_distance_loss(
        ...     x, y, z, distance_function=far, margin=3.0
        ... ).item()
        1.0
    """
    name = "triplet_margin_with_distance_loss"
    how = _how(name, reduction)
    limit = canon.scalar(name, "margin", margin)
    swapped = canon.flag(name, "swap", swap)
    apart = pairwise_distance if distance_function is None else distance_function
    if not callable(apart):
        raise fail(
            "invalid-argument",
            operation=name,
            complaint=f"distance_function is {distance_function!r}",
            advice="Give a function of two tensors, or leave it out.",
            error=GradvizTypeError,
        )
    with CallSite():
        return _triplet((anchor, positive, negative), apart, limit, swapped, how)


def _triplet(
    parts: tuple[Any, Any, Any],
    apart: Callable[[Any, Any], Any],
    margin: float,
    swap: bool,
    how: str,
) -> Tensor:
    anchor, positive, negative = parts
    near, far = apart(anchor, positive), apart(anchor, negative)
    if swap:
        far = functions.minimum(far, apart(positive, negative))
    lack = functions.add(functions.sub(near, far), margin)
    return _reduced(functions.clamp(lack, min=0.0), how)


def _batch(name: str, input: Any, target: Any, dims: int) -> tuple[Tensor, Tensor, bool]:
    """Scores (batch, classes), targets of `dims` dimensions, and whether a batch was added."""
    x, goal = canon.tensor(name, input), canon.tensor(name, target, lists=True)
    canon.floating(name, x)
    if x.ndim not in (1, 2) or goal.shape != x.shape[: x.ndim - 2 + dims]:
        raise shapes.mismatch(
            name,
            x.shape,
            goal.shape,
            "scores are (batch, classes) or (classes,), and targets "
            + ("have their shape." if dims == 2 else "one class for each row."),
            "Give scores and targets of shapes that go together.",
        )
    if x.ndim == 2:
        return x, goal, False
    return functions.unsqueeze(x, 0), functions.unsqueeze(goal, 0), True


def multi_margin_loss(
    input: Any,
    target: Any,
    p: int = 1,
    margin: float = 1.0,
    weight: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """What the score of the right class lacks of being above every other one by a margin.

    The sum of max(0, margin - x[y] + x[i])^p over the other classes i, over the number of classes.

    Args:
        input: shape (batch, classes) or (classes,), float: scores.
        target: integer classes of shape (batch,) or ().
        p: the power, 1 or 2.
        margin: the margin.
        weight: shape (classes,): a factor for each right class, or None.
        reduction: 'mean', 'sum' or 'none'.

    Raises:
        GradvizError: `shape-mismatch`, `invalid-argument`, `index-out-of-range`, `invalid-dtype`.

    Example:
        >>> import gradviz as gv
        >>> gv.multi_margin_loss(gv.tensor([[1.0, 0.5]]), gv.tensor([0])).item()
        0.25
    """
    from gradviz.tensor.creation import ones_like

    name = "multi_margin_loss"
    how = _how(name, reduction)
    order = canon.whole_number(name, "p", p)
    if order not in (1, 2):
        raise fail("invalid-argument", operation=name, complaint=f"p is {p}", advice="Give 1 or 2.")
    limit = canon.scalar(name, "margin", margin)
    with CallSite():
        x, goal, alone = _batch(name, input, target, 1)
        classes = x.shape[1]
        index = functions.unsqueeze(checked_index(name, goal, x, 1, negative=False), 1)
        right = functions.gather(x, 1, index)
        lack: Any = functions.clamp(functions.sub(x, right) + limit, min=0.0)
        lack = functions.square(lack) if order == 2 else lack
        if weight is not None:
            factors = canon.beside(name, weight, x)
            if factors.shape != (classes,):
                raise shapes.mismatch(
                    name,
                    x.shape,
                    factors.shape,
                    f"the weight needs one number for each of {classes} classes.",
                    "Give a weight of shape (classes,).",
                )
            lack = lack * functions.gather(functions.expand(factors, x.shape), 1, index)
        others = functions.scatter(ones_like(x), 1, index, 0.0)
        each = functions.sum(lack * others, 1) / float(classes)
        return _reduced(functions.squeeze(each, 0) if alone else each, how)


def multilabel_margin_loss(input: Any, target: Any, reduction: str = "mean") -> Tensor:
    """What the scores of right classes lack of being above every wrong one by 1.

    The sum of max(0, 1 - x[y] + x[i]) over right classes y and wrong ones i, over the number of
    classes.

    Args:
        input: shape (batch, classes) or (classes,), float: scores.
        target: integers of the same shape: each row lists its right classes, and ends with -1 where
            there are fewer than all; what follows counts for nothing.
        reduction: 'mean', 'sum' or 'none'.

    Raises:
        GradvizError: `shape-mismatch`, `index-out-of-range`, `invalid-dtype`.

    Example:
        >>> import gradviz as gv
        >>> gv.multilabel_margin_loss(gv.tensor([[1.0, 0.5]]), gv.tensor([[0, -1]])).item()
        0.25
    """
    from gradviz.tensor.creation import zeros_like

    name = "multilabel_margin_loss"
    how = _how(name, reduction)
    with CallSite():
        x, goal, alone = _batch(name, input, target, 2)
        classes = x.shape[1]
        # -1 is no place to read from; the first class is read in its stead, and counts for nothing.
        index = checked_index(name, functions.clamp(goal, min=0), x, 1, negative=False)
        listed: Any = functions.cumprod(functions.ge(goal, 0).to(dtype=x.dtype), 1)
        right = functions.scatter_add(zeros_like(x), 1, index, listed)
        wrong = functions.eq(right, 0.0).to(dtype=x.dtype)
        gap = functions.sub(
            functions.unsqueeze(x, 1), functions.unsqueeze(functions.gather(x, 1, index), 2)
        )
        lack: Any = functions.clamp(gap + 1.0, min=0.0)
        counted = functions.mul(functions.unsqueeze(listed, 2), functions.unsqueeze(wrong, 1))
        each = functions.sum(lack * counted, (1, 2)) / float(classes)
        return _reduced(functions.squeeze(each, 0) if alone else each, how)
