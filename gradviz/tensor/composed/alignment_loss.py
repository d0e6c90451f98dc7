"""The loss of labels without an alignment."""

from __future__ import annotations

from typing import Any

from gradviz.backends.ndarray import selection
from gradviz.core.context import CallSite
from gradviz.errors import fail
from gradviz.ops import shapes
from gradviz.tensor import canon, functions
from gradviz.tensor.base import Tensor
from gradviz.tensor.general import as_operand, general, row_of
from gradviz.tensor.indexing import out_of_range
from gradviz.tensor.values import read

_ctc = row_of("ctc_loss")
_NAME = "ctc_loss"


def ctc_loss(
    log_probs: Any,
    targets: Any,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Tensor:
    """Negative log-likelihood of labels, summed over all ways to stretch them over the steps.

    A target that can't be spelt in its steps has an infinite loss, and gradients of 0.

    Args:
        log_probs: shape (steps, batch, classes) or (steps, classes): log-probabilities.
        targets: shape (batch, labels), filled up to equal lengths, or one row of all labels.
        input_lengths: how many steps each example has.
        target_lengths: how many labels each example has.
        blank: the class that stands for no label.
        reduction: 'mean' divides each loss by its number of labels first; 'sum' or 'none'.
        zero_infinity: whether infinite losses count as 0.

    Raises:
        GradvizError: `shape-mismatch`, `invalid-argument`, `index-out-of-range`, `invalid-dtype`.

    Example:
        >>> import gradviz as gv
        >>> scores = gv.log_softmax(gv.zeros(2, 1, 2), dim=2)
        >>> loss = gv.ctc_loss(scores, gv.tensor([[1]]), [2], [1], reduction="sum")
        >>> round(loss.item(), 4)
        0.2877
    """
    how = canon.choice(_NAME, "reduction", reduction, canon.REDUCTIONS)
    clear = canon.flag(_NAME, "zero_infinity", zero_infinity)
    empty = canon.whole_number(_NAME, "blank", blank)
    with CallSite():
        x = canon.tensor(_NAME, log_probs)
        single = x.ndim == 2
        if single:
            x = functions.unsqueeze(x, 1)
        if x.ndim != 3:
            raise shapes.mismatch(
                _NAME,
                x.shape,
                getattr(targets, "shape", ()),
                "log-probabilities have shape (steps, batch, classes).",
                "Give three dimensions, or two for a single example.",
            )
        steps, batch, classes = x.shape
        if not 0 <= empty < classes:
            raise out_of_range(_NAME, empty, classes, 2, 0)
        spans = _lengths("input_lengths", input_lengths, batch, steps, x)
        goal, sizes = _padded(targets, target_lengths, batch, classes, x)
        losses: Tensor = general(_ctc, [x, goal, spans, sizes], (empty, clear))
        if how == "mean":
            counts = functions.clamp(sizes, min=1).to(dtype=x.dtype)
            return functions.mean(functions.div(losses, counts))
        if how == "sum":
            return functions.sum(losses)
        return functions.reshape(losses, ()) if single else losses


def _whole(name: str, given: Any, x: Tensor) -> Tensor:
    made = given if isinstance(given, Tensor) else as_operand(_NAME, given, x.device, lists=True)
    if made.size and made.dtype.kind not in "iu":
        raise fail(
            "invalid-dtype",
            operation=_NAME,
            complaint=f"{name} is {made.dtype.name}, not an integer",
            advice="Convert it with `.long()`.",
        )
    return made if made.dtype.name == "int64" else made.to(dtype="int64")


def _lengths(name: str, given: Any, batch: int, most: int, x: Tensor) -> Tensor:
    made = functions.flatten(_whole(name, given, x))
    if made.shape != (batch,):
        raise shapes.mismatch(
            _NAME,
            x.shape,
            made.shape,
            f"{name} has one number for each of {batch} examples.",
            "Give one length for each example.",
        )
    if not made.device.is_capture:
        ends = selection.extremes(read(made, _NAME))
        if ends is not None and (ends[0] < 0 or ends[1] > most):
            raise fail(
                "invalid-argument",
                operation=_NAME,
                complaint=f"{name} holds {ends[0] if ends[0] < 0 else ends[1]}",
                advice=f"Give lengths from 0 to {most}.",
            )
    return made


def _padded(given: Any, lengths: Any, batch: int, classes: int, x: Tensor) -> tuple[Tensor, Tensor]:
    """Targets as one row for each example, and how much of it counts."""
    goal = _whole("targets", given, x)
    rows = goal.ndim == 2
    if (rows and goal.shape[0] != batch) or goal.ndim not in (1, 2):
        raise shapes.mismatch(
            _NAME,
            x.shape,
            goal.shape,
            f"targets are (batch, labels) for {batch} examples, or one row of all labels.",
            "Give one row of labels for each example.",
        )
    most = goal.shape[1] if rows else goal.shape[0]
    sizes = _lengths("target_lengths", lengths, batch, most, x)
    if not rows:
        counts = read(sizes, _NAME).tolist()
        labels = read(goal, _NAME).tolist()
        if sum(counts) != len(labels):
            raise shapes.mismatch(
                _NAME,
                goal.shape,
                sizes.shape,
                f"target_lengths add up to {sum(counts)} and there are {len(labels)} labels.",
                "Give lengths that add up to the number of labels.",
            )
        widest = max(counts, default=0)
        table, start = [], 0
        for count in counts:
            table.append(labels[start : start + count] + [0] * (widest - count))
            start += count
        goal = functions.reshape(_whole("targets", table, x), (batch, widest))
    if not goal.device.is_capture and goal.size:
        ends = selection.extremes(read(goal, _NAME))
        if ends is not None and (ends[0] < 0 or ends[1] >= classes) and not rows:
            raise out_of_range(_NAME, ends[0] if ends[0] < 0 else ends[1], classes, 2, 0)
        if rows:
            _check_labels(goal, sizes, classes)
    return goal, sizes


def _check_labels(goal: Tensor, sizes: Tensor, classes: int) -> None:
    """Labels that count are classes; what fills the rows up may be anything."""
    for labels, count in zip(read(goal, _NAME).tolist(), read(sizes, _NAME).tolist(), strict=True):
        for label in labels[:count]:
            if not 0 <= label < classes:
                raise out_of_range(_NAME, label, classes, 2, 0)
