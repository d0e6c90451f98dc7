"""Running products, extremes and sums of exponentials along one dimension."""

from __future__ import annotations

from gradviz.ops.infer import Fact, widened
from gradviz.ops.spec import Given, Sample, op

ALONG = (
    Sample(((2, 3),), (1,)),
    Sample(((4, 2),), (0,)),
    Sample(((2, 3, 2),), (1,)),
    Sample(((0, 3),), (0,)),
    Sample(((),), (0,)),
)


def _with_index(x: Fact, dim: int) -> list[Fact]:
    return [x, (x[0], "int64")]


op(
    "cumprod",
    "x",
    attrs="dim",
    infer=lambda x, dim: (x[0], widened(x[1])),
    vjp={"x": lambda g, x, out, dim, xp: xp.cumprod_backward(g, x, out, dim)},
    doc="Running product along one dimension; the gradient is exact where elements are 0.",
    formula="out_j = prod_{i <= j} x_i",
    samples=(
        *ALONG,
        Sample((Given([1.5, 0.0, -2.0, 0.5], "float64"),), (0,)),
        Sample((Given([[0.0, 2.0], [0.5, 0.0], [0.0, 0.0]], "float64"),), (0,)),
    ),
)
for _name, _word in (("cummax", "Largest"), ("cummin", "Smallest")):
    op(
        _name,
        "x",
        attrs="dim",
        infer=_with_index,
        promote="numeric",
        extra_results="indices",
        vjp={
            "x": lambda g, indices, x_shape, dim, xp: xp.gather_backward(g, indices, x_shape, dim)
        },
        doc=f"{_word} element so far along one dimension and where it stands, the last of equals.",
        samples=ALONG,
    )
op(
    "logcumsumexp",
    "x",
    attrs="dim",
    infer=lambda x, dim: x,
    promote="floating",
    vjp={"x": lambda g, x, out, dim, xp: xp.logcumsumexp_backward(g, x, out, dim)},
    doc="Logarithm of the running sum of exponentials along one dimension, without overflow.",
    formula="out_j = log sum_{i <= j} exp(x_i)",
    samples=ALONG,
)
