"""Connectionist temporal classification: sums over all alignments, step by step."""

from __future__ import annotations

import math
from typing import Any

from gradviz.backends.ndarray import exchange
from gradviz.onnx.builder import Builder
from gradviz.onnx.registry import writes
from gradviz.onnx.value import Value


def _joined(b: Builder, parts: list[Any], dtype: str) -> Any:
    """The logarithm of the sum of exponentials; that of nothing but zeros is one of zero."""
    top = b.Max(*parts)
    shift = b.Where(b.IsInf(top), b.constant(0.0, dtype), top)
    total: Any = None
    for part in parts:
        size = b.Exp(part - shift)
        total = size if total is None else total + size
    return b.Log(total) + shift


class _Labels:
    """The labels of all examples with blanks around them, (batch, places)."""

    def __init__(self, b: Builder, targets: Value, lengths: Value, blank: int, dtype: str) -> None:
        batch, most = b.fixed(targets.dims)
        self.b, self.dtype = b, dtype
        self.batch, self.places = batch, 2 * most + 1
        self.lengths = b.Unsqueeze(b.cast(lengths, "int64"), [1])
        self.nothing = b.constant(-math.inf, dtype)
        void = b.constant(blank, "int64")
        inside = b.array(exchange.numbers_up_to(most)) < self.lengths
        own = b.Where(inside, b.cast(targets, "int64"), void)
        pairs = b.Concat(b.full(blank, "int64", (batch, most, 1)), b.Unsqueeze(own, [2]), axis=2)
        flat = b.reshape(pairs, (batch, 2 * most))
        self.labels = b.Concat(flat, b.full(blank, "int64", (batch, 1)), axis=1)
        self.at = b.array(exchange.numbers_up_to(self.places))
        self.void = void

    def begins(self) -> Any:
        """Where an alignment may begin: on the first blank or the first label."""
        b = self.b
        return b.Equal(self.at, 0) | (b.Equal(self.at, 1) & (self.lengths > 0))

    def ends(self) -> Any:
        """Where one may end: on the last label or the blank after it."""
        b = self.b
        last = self.lengths * 2
        return b.Equal(self.at, last) | (b.Equal(self.at, last - 1) & (last > 0))

    def hops(self) -> Any:
        """0 where two places may be passed at once: between labels that differ."""
        b = self.b
        late = b.slice(self.labels, 1, 2, self.places)
        early = b.slice(self.labels, 1, 0, self.places - 2)
        differ = ~b.Equal(late, self.void) & ~b.Equal(late, early)
        ways = b.Where(differ, b.constant(0.0, self.dtype), self.nothing)
        return b.Concat(b.full(-math.inf, self.dtype, (self.batch, 2)), ways, axis=1)

    def moved(self, values: Any, by: int) -> Any:
        """Values moved to later places; nothing comes from outside."""
        b = self.b
        front = b.full(-math.inf, self.dtype, (self.batch, by))
        return b.Concat(front, b.slice(values, 1, 0, self.places - by), axis=1)


@writes("ctc_loss")
def ctc_loss(
    b: Builder,
    log_probs: Value,
    targets: Value,
    input_lengths: Value,
    target_lengths: Value,
    blank: int,
    zero_infinity: bool,
) -> Any:
    dtype = log_probs.dtype
    steps = b.fixed(log_probs.dims)[0]
    given = _Labels(b, targets, target_lengths, blank, dtype)
    wide = b.Expand(given.labels, b.ints([steps, given.batch, given.places]))
    emitted = b.GatherElements(log_probs, wide, axis=2)
    emissions = [b.Gather(emitted, b.constant(at, "int64"), axis=0) for at in range(steps)]
    sums = []
    hops = given.hops() if given.places > 1 else None
    for at, emission in enumerate(emissions):
        if not at:
            sums.append(b.Where(given.begins(), emission, given.nothing))
            continue
        before = sums[-1]
        parts = [before]
        if hops is not None:
            parts += [given.moved(before, 1), given.moved(before, 2) + hops]
        sums.append(_joined(b, parts, dtype) + emission)
    long = b.Unsqueeze(b.cast(input_lengths, "int64"), [1])
    # No step at all spells only the empty label.
    final: Any = b.Where(b.Equal(given.at, 0), b.constant(0.0, dtype), given.nothing)
    for at, values in enumerate(sums, 1):
        final = b.Where(b.Equal(long, at), values, final)
    ends = b.Where(given.ends(), final, given.nothing)
    columns = [b.Gather(ends, b.constant(at, "int64"), axis=1) for at in range(given.places)]
    losses = -_joined(b, columns, dtype)
    if zero_infinity:
        losses = b.Where(b.IsInf(losses), b.constant(0.0, dtype), losses)
    return losses
