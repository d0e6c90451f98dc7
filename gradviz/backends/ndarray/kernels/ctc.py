"""Connectionist temporal classification: sums over all alignments, in logarithms."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = Any


def ctc_layout(targets: Array, lengths: Array, blank: int) -> tuple[Array, Array]:
    """Labels with blanks around them, and where two places may be skipped at once.

    Both have one row for each example and 2 * labels + 1 places.
    """
    batch, most = targets.shape
    labels = np.full((batch, 2 * most + 1), blank, np.int64)
    labels[:, 1::2] = np.where(np.arange(most) < lengths[:, None], targets, blank)
    skip = np.zeros(labels.shape, bool)
    skip[:, 2:] = (labels[:, 2:] != blank) & (labels[:, 2:] != labels[:, :-2])
    return labels, skip


def _moved(values: Array, by: int) -> Array:
    """Values moved to later places; nothing comes from outside."""
    out = np.full_like(values, -np.inf)
    if values.shape[1] > abs(by):
        if by > 0:
            out[:, by:] = values[:, :-by]
        else:
            out[:, :by] = values[:, -by:]
    return out


def _ends(places: int, lengths: Array) -> Array:
    """Where an alignment may end: on the last label or the blank after it."""
    last = 2 * lengths[:, None]
    at = np.arange(places)
    return (at == last) | ((at == last - 1) & (last > 0))


def ctc_loss(
    log_probs: Array,
    targets: Array,
    input_lengths: Array,
    target_lengths: Array,
    blank: int,
    zero_infinity: bool,
) -> tuple[Array, Array]:
    dtype = log_probs.dtype
    steps = log_probs.shape[0]
    labels, skip = ctc_layout(targets, target_lengths, blank)
    emitted = np.take_along_axis(log_probs, np.broadcast_to(labels, (steps, *labels.shape)), 2)
    alpha = np.full((steps, *labels.shape), -np.inf, dtype)
    if steps:
        alpha[0, :, :2] = emitted[0, :, :2]
        np.copyto(alpha[0, :, 1:2], -np.inf, where=target_lengths[:, None] == 0)
    hop = np.where(skip, dtype.type(0), dtype.type(-np.inf))
    for at in range(1, steps):
        before = alpha[at - 1]
        total = np.logaddexp(before, _moved(before, 1))
        np.logaddexp(total, _moved(before, 2) + hop, out=total)
        np.add(total, emitted[at], out=alpha[at])
    final = np.full(labels.shape, -np.inf, dtype)
    some = input_lengths > 0
    final[some] = alpha[input_lengths[some] - 1, np.flatnonzero(some)]
    # No step at all spells only the empty label.
    final[~some, 0] = 0.0
    ends = np.where(_ends(labels.shape[1], target_lengths), final, -np.inf)
    losses = -np.logaddexp.reduce(ends, axis=1).astype(dtype)
    if zero_infinity:
        losses = np.where(np.isinf(losses), dtype.type(0), losses)
    return losses, alpha


def ctc_loss_backward(
    g: Array,
    log_probs: Array,
    targets: Array,
    input_lengths: Array,
    target_lengths: Array,
    out: Array,
    alpha: Array,
    blank: int,
) -> Array:
    """Minus how likely each label is at each step, given the target; 0 where it can't be spelt."""
    dtype = log_probs.dtype
    steps, _, classes = log_probs.shape
    labels, skip = ctc_layout(targets, target_lengths, blank)
    emitted = np.take_along_axis(log_probs, np.broadcast_to(labels, (steps, *labels.shape)), 2)
    hop = _moved(np.where(skip, dtype.type(0), dtype.type(-np.inf)), -2)
    ends = np.where(_ends(labels.shape[1], target_lengths), dtype.type(0), dtype.type(-np.inf))
    beta = np.full(alpha.shape, -np.inf, dtype)
    rest = np.full(labels.shape, -np.inf, dtype)
    for at in range(steps - 1, -1, -1):
        last = (input_lengths == at + 1)[:, None]
        if at + 1 < steps:
            ahead = rest + emitted[at + 1]
            total = np.logaddexp(ahead, _moved(ahead, -1))
            rest = np.logaddexp(total, _moved(ahead, -2) + hop)
        rest = np.where(last, ends, rest)
        beta[at] = rest
    likely = alpha + beta
    # The target's own likelihood, from the first step's sums.
    whole = np.logaddexp.reduce(likely[0], axis=1) if steps else out
    reached = np.isfinite(whole)
    norm = np.where(reached, whole, dtype.type(0))[None, :, None]
    share = np.where(reached[None, :, None], np.exp(likely - norm), dtype.type(0))
    spelt = (labels[:, :, None] == np.arange(classes)).astype(dtype)
    gradient = np.matmul(share.transpose(1, 0, 2), spelt).transpose(1, 0, 2)
    return gradient * -g[None, :, None]


def ctc_constants(
    targets: Array,
    input_lengths: Array,
    target_lengths: Array,
    shape: tuple[int, int, int],
    blank: int,
    nowhere: float,
    dtype: Any,
) -> tuple[Array, ...]:
    """What the sums over alignments need besides the log-probabilities, with a finite log of 0.

    Labels for every step; where two places may be skipped; where alignments begin and end; which
    class each place spells; which step is each example's last.
    """
    steps, batch, classes = shape
    labels, skip = ctc_layout(targets, target_lengths, blank)
    places = labels.shape[1]
    at = np.arange(places)
    begins = (at == 0) | ((at == 1) & (target_lengths[:, None] > 0))
    marks = np.stack([begins, _ends(places, target_lengths)])
    lasts = np.arange(steps)[:, None, None] == input_lengths[None, :, None] - 1
    return (
        np.broadcast_to(labels, (steps, batch, places)).copy(),
        np.where(skip, 0.0, nowhere).astype(dtype),
        np.where(marks, 0.0, nowhere).astype(dtype),
        (labels[:, :, None] == np.arange(classes)).astype(dtype),
        np.broadcast_to(lasts, (steps, batch, places)).copy(),
    )
