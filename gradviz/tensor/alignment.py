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
    given = (targets, input_lengths, target_lengths)
    if device.is_capture and any(tensor.prim.array is None for tensor in given):
        constants = _recorded_constants(
            xp, log_probs, targets, input_lengths, target_lengths, blank
        )
    else:
        constants = ctc.ctc_constants(
            read(targets, "ctc_loss"),
            read(input_lengths, "ctc_loss"),
            read(target_lengths, "ctc_loss"),
            (steps, batch, classes),
            blank,
            NOWHERE,
            log_probs.dtype,
        )
    labels, allowed, ends, spelt, lasts = (
        as_operand("ctc_loss", constant, device) for constant in constants
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


def _recorded_constants(
    xp: Any,
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Tensor,
    target_lengths: Tensor,
    blank: int,
) -> tuple[Any, ...]:
    """The same as `ctc_constants`, as operations on targets that have no values yet."""
    from gradviz.tensor.creation import arange

    steps, batch, classes = log_probs.shape
    most = targets.shape[1]
    places = 2 * most + 1
    device, dtype = log_probs.device, log_probs.dtype.name
    lengths = xp.reshape(target_lengths, (batch, 1))
    known = xp.where(arange(most, device=device) < lengths, targets, blank)
    blanks = known * 0 + blank
    pairs = xp.reshape(xp.stack([blanks, known], 2), (batch, 2 * most))
    labels = xp.pad(pairs, ((0, 0), (0, 1)), blank)
    skip = labels != blank
    if most:
        again = labels == _moved(xp, labels, 2, blank)
        skip = skip & xp.logical_not(again) & (arange(places, device=device) > 1)
    at = arange(places, device=device)
    begins = xp.where(lengths > 0, at < 2, at == 0)
    final = (at == 2 * lengths) | ((at == 2 * lengths - 1) & (lengths > 0))
    times = xp.reshape(arange(steps, device=device), (steps, 1, 1))
    lasts = times == xp.reshape(input_lengths, (1, batch, 1)) - 1
    spelt = xp.reshape(labels, (batch, places, 1)) == arange(classes, device=device)
    allowed, ends = (
        xp.cast(xp.where(truth, 0.0, NOWHERE), dtype)
        for truth in (skip, xp.stack([begins, final], 0))
    )
    return (
        xp.expand(xp.reshape(labels, (1, batch, places)), (steps, batch, places)),
        allowed,
        ends,
        xp.cast(spelt, dtype),
        xp.expand(lasts, (steps, batch, places)),
    )


def _step(x: Any, at: int) -> Any:
    return x[at]


def _moved(xp: Any, x: Any, by: int, outside: float = NOWHERE) -> Any:
    """Values moved to later places; nothing comes from outside."""
    length = x.shape[1]
    size = min(abs(by), length)
    kept = slice(0, length - size) if by > 0 else slice(size, length)
    around = (size, 0) if by > 0 else (0, size)
    return xp.pad(xp.slice(x, (slice(None), kept)), ((0, 0), around), outside)


def _joined(xp: Any, x: Any, allowed: Any, by: int) -> Any:
    """Staying, going one place on, and two where that is allowed."""
    ways = [x, _moved(xp, x, by), xp.maximum(_moved(xp, x, 2 * by) + allowed, NOWHERE)]
    return xp.logsumexp(xp.stack([xp.maximum(way, NOWHERE) for way in ways], 0), (0,), False)
