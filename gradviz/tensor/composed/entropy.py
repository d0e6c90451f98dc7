"""Cross-entropy."""

from __future__ import annotations

from typing import Any

from gradviz.core.context import CallSite
from gradviz.errors import fail
from gradviz.ops import shapes
from gradviz.tensor import canon, functions
from gradviz.tensor.base import TENSORS, Tensor
from gradviz.tensor.composed.choice import where
from gradviz.tensor.general import explain, general, moved, row_of

_cross_entropy = row_of("cross_entropy")


def cross_entropy(
    input: Any,
    target: Any,
    weight: Any = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """Cross-entropy between scores and classes, or class probabilities.

    Args:
        input: shape (batch, classes, ...) or (classes,), float: scores before softmax.
        target: integer classes of shape (batch, ...) or (), or probabilities of the input's shape.
        weight: shape (classes,): a factor for each class, or None.
        ignore_index: a class that counts for nothing.
        reduction: "mean", "sum" or "none".
        label_smoothing: how much of each target is spread over all classes, in [0, 1].

    Raises:
        GradvizError: `shape-mismatch`, `invalid-dtype`, `index-out-of-range`.

    Example:
        >>> import gradviz as gv
        >>> loss = gv.cross_entropy(gv.tensor([[2.0, 0.0]]), gv.tensor([0]))
        >>> round(loss.item(), 4)
        0.1269
    """
    name = "cross_entropy"
    how = canon.choice(name, "reduction", reduction, canon.REDUCTIONS)
    smoothing = canon.scalar(name, "label_smoothing", label_smoothing)
    ignored = canon.whole_number(name, "ignore_index", ignore_index)
    if not 0.0 <= smoothing <= 1.0:
        raise fail(
            "invalid-argument",
            operation=name,
            complaint=f"label_smoothing is {label_smoothing}",
            advice="Give a number from 0 to 1.",
        )
    if not smoothing and weight is None and _plain(input, target):
        device = input.node.meta.device
        goal = target if target.node.meta.device is device else moved(target, device)
        goal = canon.classes(name, goal, input, ignored)
        try:
            found: Tensor = input.node.meta.table.cross_entropy(input, goal, None, ignored, how)
        except Exception as error:
            raise explain(error, _cross_entropy, (input, goal, None), (ignored, how)) from None
        return found
    with CallSite():
        scores = canon.tensor(name, input)
        goal = canon.tensor(name, target, lists=True)
        factors = None if weight is None else canon.tensor(name, weight)
        _check_shapes(scores, goal, factors)
        axis = 1 if scores.ndim > 1 else 0
        if goal.dtype.kind != "f" and not smoothing:
            goal = canon.classes(name, goal, scores, ignored)
            loss: Tensor = general(_cross_entropy, [scores, goal, factors], (ignored, how))
            return loss
        log_probs = functions.log_softmax(scores, axis)
        if goal.dtype.kind == "f":
            if ignored >= 0:
                raise fail(
                    "invalid-argument",
                    operation=name,
                    complaint="ignore_index is for integer classes, not for probabilities",
                    advice="Leave it out, or give integer classes.",
                )
            return _soft_cross_entropy(log_probs, goal, factors, how, smoothing, axis)
        part = functions.nll_loss(log_probs, goal, factors, ignored, how)
        smooth = _smooth_loss(log_probs, goal, factors, ignored, how, axis)
        classes = log_probs.shape[axis]
        plain, spread = functions.mul(part, 1.0 - smoothing), smoothing / classes
        return functions.add(plain, functions.mul(smooth, spread))


def _plain(scores: Any, goal: Any) -> bool:
    """Whether scores (batch, classes) and their classes are ready for the kernel."""
    if scores.__class__ not in TENSORS or goal.__class__ not in TENSORS:
        return False
    meta, other = scores.node.meta, goal.node.meta
    return (
        (meta.device is other.device or meta.device.inner_device is other.device)
        and meta.category == "float"
        and len(meta.shape) == 2
        and other.shape == meta.shape[:1]
        and other.category == "int"
    )


def _check_shapes(scores: Tensor, goal: Tensor, weight: Tensor | None) -> None:
    """Refuses shapes in the words of cross-entropy rather than of its parts."""
    shape = scores.shape
    if not shape:
        raise shapes.mismatch(
            "cross_entropy",
            shape,
            goal.shape,
            "scores have a dimension of classes.",
            "Give scores of shape (batch, classes).",
        )
    expected = shape[:1] + shape[2:] if len(shape) > 1 else ()
    if goal.dtype.kind == "f":
        expected = shape
    if goal.shape != expected:
        raise shapes.mismatch(
            "cross_entropy",
            shape,
            goal.shape,
            f"the target must be {expected}: "
            + (
                "class probabilities have the shape of the scores."
                if goal.dtype.kind == "f"
                else "one class for each row of scores."
            ),
            "Give integer classes, or one probability for each class.",
        )
    classes = shape[1] if len(shape) > 1 else shape[0]
    if weight is not None and weight.shape != (classes,):
        raise shapes.mismatch(
            "cross_entropy",
            shape,
            weight.shape,
            f"the weight needs one number for each of {classes} classes.",
            "Give a weight of shape (classes,).",
        )


def _spread(weight: Tensor, rank: int, axis: int) -> Tensor:
    """One factor for each class, along the dimension of classes."""
    sizes = [1] * rank
    sizes[axis] = weight.shape[0]
    return functions.reshape(weight, sizes)


def _smooth_loss(
    log_probs: Tensor,
    target: Tensor,
    weight: Tensor | None,
    ignore_index: int,
    reduction: str,
    axis: int,
) -> Tensor:
    """The loss against all classes alike, over the targets that count."""
    each: Any = -log_probs
    if weight is not None:
        each = each * _spread(weight, each.ndim, axis)
    kept = target != ignore_index
    each = where(kept, each.sum(axis), 0.0)
    if reduction == "none":
        return each  # type: ignore[no-any-return]
    total: Tensor = each.sum()
    if reduction == "sum":
        return total
    if weight is None:
        return total / kept.sum()
    share = functions.index_select(weight, 0, where(kept, target, 0).reshape(-1))
    return total / where(kept.reshape(-1), share, 0.0).sum()


def _soft_cross_entropy(
    log_probs: Tensor,
    target: Tensor,
    weight: Tensor | None,
    reduction: str,
    smoothing: float,
    axis: int,
) -> Tensor:
    goal: Any = target
    classes = log_probs.shape[axis]
    if smoothing:
        goal = goal * (1.0 - smoothing) + smoothing / classes
    each = goal * log_probs
    if weight is not None:
        each = each * _spread(weight, each.ndim, axis)
    losses: Tensor = -each.sum(axis)
    if reduction == "none":
        return losses
    total = functions.sum(losses)
    return total if reduction == "sum" else total / float(losses.size)
