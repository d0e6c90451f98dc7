"""Random numbers, as an operation: what a recording holds in place of a draw."""

from __future__ import annotations

from gradviz.ops.infer import same
from gradviz.ops.spec import Ints, Sample, op

DISTRIBUTIONS = ("uniform", "normal", "bernoulli", "exponential", "integers")
"""What can be drawn: within [first, second), by mean and deviation, by chance, by rate, and whole
numbers within [first, second)."""

op(
    "random",
    "x",
    attrs="distribution first second",
    infer=same,
    result="same",
    memory_bound=False,
    pure=False,
    doc="Random numbers in the shape and dtype of `x`, drawn anew in every run.",
    # Draws without a choice: what a test expects must not depend on the generator.
    samples=(
        Sample(((2, 3),), ("uniform", 0.5, 0.5)),
        Sample(((0, 3),), ("normal", 1.0, 0.0)),
        Sample(((2,),), ("bernoulli", 1.0, None)),
        Sample((Ints((2, 3), 5),), ("integers", 3, 4)),
    ),
)
