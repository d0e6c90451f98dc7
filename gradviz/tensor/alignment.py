"""Sums over alignments as tensors, for gradients of a CTC loss's gradient."""

from __future__ import annotations

from typing import Any

from gradviz.backends.ndarray.kernels import ctc
from gradviz.tensor.base import Tensor
from gradviz.tensor.general import as_operand
from gradviz.tensor.values import read

NOWHERE = -1e30
"""Stands for the logarithm of 0: an infinity would make gradients undefined."""


def label_shares(
    xp: Any, log_probs: Tensor, targets: Any, input_lengths: Any, target_lengths: Any, blank: int
) -> Any:
    """How likely each class is at each step, given the target: shape (steps, batch, classes)."""
    steps, batch, classes = log_probs.shape
    device = log_probs.device
    labels, allowed, ends, spelt, lasts = (
        as_operand("ctc_loss", array, device)
        for array in ctc.ctc_constants(
            read(targets, "ctc_loss"),
            read(input_lengths, "ctc_loss"),
            read(target_lengths, "ctc_loss"),
            (steps, batch, classes),
            blank,
            NOWHERE,
            log_probs.dtype,
        )
    )
    emitted = xp.gather(log_probs, labels, 2)
    forward = [_step(emitted, 0) + _step(ends, 0)]
    for at in range(1, steps):
        forward.append(_joined(xp, forward[-1], allowed, 1) + _step(emitted, at))
    rest: Any = None
    shares: list[Any] = []
    ahead_allowed = _moved(xp, allowed, -2)
    for at in reversed(range(steps)):
        if rest is not None:
            rest = _joined(xp, rest + _step(emitted, at + 1), ahead_allowed, -1)
        final = _step(ends, 1)
        rest = xp.where(_step(lasts, at), final, final * 0.0 + NOWHERE if rest is None else rest)
        shares.append(forward[at] + rest)
    likely = xp.stack(shares[::-1], 0)
    whole = xp.logsumexp(shares[-1], (1,), True)
    share = xp.where(whole > NOWHERE / 2, xp.exp(likely - whole), 0.0)
    each = xp.matmul(xp.permute(share, (1, 0, 2)), spelt)
    return xp.permute(each, (1, 0, 2))


def _step(x: Any, at: int) -> Any:
    return x[at]


def _moved(xp: Any, x: Any, by: int) -> Any:
    """Values moved to later places; nothing comes from outside."""
    length = x.shape[1]
    size = min(abs(by), length)
    kept = slice(0, length - size) if by > 0 else slice(size, length)
    around = (size, 0) if by > 0 else (0, size)
    return xp.pad(xp.slice(x, (slice(None), kept)), ((0, 0), around), NOWHERE)


def _joined(xp: Any, x: Any, allowed: Any, by: int) -> Any:
    """Staying, going one place on, and two where that is allowed."""
    ways = [x, _moved(xp, x, by), xp.maximum(_moved(xp, x, 2 * by) + allowed, NOWHERE)]
    return xp.logsumexp(xp.stack([xp.maximum(way, NOWHERE) for way in ways], 0), (0,), False)
