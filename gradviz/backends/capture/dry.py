"""Dry runs: recordings that write nothing down, and go on after a failure where they can."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from gradviz.core.context import call_site
from gradviz.errors import GradvizError, fail
from gradviz.errors.problem import Problem
from gradviz.ops.spec import Row

MOST_OPERATIONS: Final = 250_000
"""Operations after which a dry run ends: a loop that waits for a value would never do so."""

_MOST_READ: Final = 1 << 20
"""Elements up to which a value that isn't there gets a stand-in."""

_MOST_READ_INSIDE: Final = 1 << 16
"""The same where an operation reads it, which may make something larger of it."""

_MOST_LOOKS: Final = 1000
"""Readings at one place after which no stand-in is given any more."""

_ONES: Final = 16
"""Readings at one place that give ones; later ones give zeros, so that loops end."""

Fact = tuple[tuple[Any, ...], str]


class DryRun:
    """What a dry run has found so far, and what was made and done in it.

    Attributes:
        problems: the failures that it went on from.
        stand_ins: how often it gave a value that isn't there.
        kept: modules and optimizers made on the way, which nothing else may hold.
        before_backward: told of every root that `backward` is called on, before it is used up, and
            of the failure that an eager call would raise.
        after_step: told of every optimizer's step, with the gradients it was given.
    """

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.stand_ins = 0
        self.kept: list[Any] = []
        self.before_backward: Callable[[Any, str | None], None] = _ignored
        self.after_step: Callable[[Any, Any], None] = _ignored
        self._operations = 0
        self._looks: Counter[Any] = Counter()

    def note(self, error: GradvizError) -> None:
        """Keeps a failure, to go on."""
        self.problems.append(error._problem)

    def count(self) -> None:
        """Counts an operation.

        Raises:
            GradvizError: `invalid-argument` when there are too many.
        """
        self._operations += 1
        if self._operations > MOST_OPERATIONS:
            raise fail(
                "invalid-argument",
                operation="check",
                complaint=f"the function runs more than {MOST_OPERATIONS:,} operations",
                reason="a loop may be waiting for a value, which a dry run doesn't have.",
                advice="Check one step of the loop.",
            )

    def stand_in(
        self, error: GradvizError, operation: str, shape: tuple[int, ...], dtype: Any
    ) -> Any:
        """An array to go on with in the place of a value that isn't there; it takes no memory.

        Raises:
            GradvizError: `error`, where work can't go on.
        """
        place = (*call_site(), operation)
        self._looks[place] += 1
        looks = self._looks[place]
        if looks > _MOST_LOOKS or _count(shape) > _MOST_READ:
            raise error
        if looks == 1:
            self.note(error)
        self.stand_ins += 1
        ones = looks == 1 if operation == "bool" else looks <= _ONES
        return np.broadcast_to(np.array(ones, dtype), shape)

    def inside(self, error: GradvizError, shape: tuple[Any, ...], dtype: Any) -> Any:
        """A stand-in for what an operation reads: all of a mask, the first of every index.

        Raises:
            GradvizError: `error`, where work can't go on.
        """
        if _count(shape) > _MOST_READ_INSIDE:
            raise error
        self.note(error)
        self.stand_ins += 1
        return np.broadcast_to(np.array(dtype.kind not in "iu", dtype), shape)

    def inferred(
        self, infer: Callable[..., list[Fact]], row: Row, facts: list[Fact | None], attributes: Any
    ) -> list[Fact]:
        """Shapes and dtypes of an operation's results; of one that fails, what was likely meant.

        Raises:
            GradvizError: what the shape rule says, where nothing is likely.
        """
        try:
            return infer(row, facts, attributes)
        except GradvizError as error:
            likely = _likely(row, facts, attributes)
            if likely is None:
                raise
            try:
                results = infer(row, likely, attributes)
            except Exception:  # a guess that doesn't hold says nothing
                raise error from None
            self.note(error)
            return results


def _count(shape: tuple[Any, ...]) -> int:
    """Number of elements; more than any limit where a size was left open."""
    total = 1
    for length in shape:
        total *= length if length.__class__ is int else _MOST_READ + 1
    return total


def _ignored(*_: Any) -> None:
    """Nobody asked."""


_ALIKE: Final = frozenset(
    """
    mse_loss l1_loss huber_loss smooth_l1_loss binary_cross_entropy kl_div
    binary_cross_entropy_with_logits
    """.split()
)


def _likely(row: Row, facts: list[Fact | None], attributes: tuple[Any, ...]) -> list[Any] | None:
    """Operands as they were probably meant: the first ones lead, as the data does in a network."""
    known = [fact for fact in facts if fact is not None]
    if len(known) < 2 or known[0] is not facts[0]:
        return None
    (first, _), (second, dtype) = known[0], known[1]
    if row.elementwise or row.name in _ALIKE or row.name == "stack":
        shapes = [shape for shape, _ in known]
        lead = max(shapes, key=len) if row.elementwise else first
        return [None if fact is None else (lead, fact[1]) for fact in facts]
    if row.name == "matmul" and first and second:
        inner = (first[-1],)
        meant = inner if len(second) == 1 else (*first[:-2], *inner, second[-1])
        return [facts[0], (meant, dtype)]
    if row.name == "linear" and first and len(second) == 2:
        bias = None if len(known) < 3 else ((second[0],), known[2][1])
        return [((*first[:-1], second[1]), known[0][1]), facts[1], bias]
    if row.name == "cat":
        dim = attributes[0]
        fitted = []
        for shape, name in known:
            own = shape[dim] if len(shape) == len(first) else first[dim]
            fitted.append(((*first[:dim], own, *first[dim + 1 :]), name))
        return fitted
    if row.name.startswith("conv") and len(first) == len(second) > 2:
        names = [attr.name for attr in row.attrs]
        groups = attributes[names.index("groups")] if "groups" in names else 1
        transposed = "transpose" in row.name
        channels = second[0] if transposed else second[1] * groups
        made = second[1] * groups if transposed else second[0]
        bias = None if len(known) < 3 else ((made,), known[2][1])
        return [((first[0], channels, *first[2:]), known[0][1]), facts[1], bias]
    return None
