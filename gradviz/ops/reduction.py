"""Reductions: dimensions go, values are combined."""

from __future__ import annotations

import math
from typing import Any

from gradviz.ops import infer
from gradviz.ops.shapes import count
from gradviz.ops.size import Size
from gradviz.ops.spec import Ints, Sample, op

DIMS = (
    Sample(((2, 3),), ((0, 1), False)),
    Sample(((2, 3),), ((1,), False)),
    Sample(((2, 3),), ((0,), True)),
    Sample(((2, 1, 3),), ((0, 2), True)),
    Sample(((),), ((), False)),
)
EMPTY = (
    Sample(((0, 3),), ((0,), False)),
    Sample(((0, 3),), ((0, 1), True)),
    Sample(((0, 3),), ((1,), False)),
)
ONE = (
    Sample(((2, 3),), (1, False)),
    Sample(((2, 3),), (0, True)),
    Sample(((3,),), (0, False)),
    Sample(((0, 3),), (1, False)),
)


def _ratio(x_shape: Any, out_shape: Any) -> Any:
    """Elements that went into one result; a symbol where a size was left open."""
    total: Any = count(x_shape)
    results = count(out_shape)
    if isinstance(total, Size):
        return total // results
    return total / results if results else 0.0


def _spread(g: Any, x_shape: Any, dims: Any, keepdim: Any, xp: Any) -> Any:
    return xp.spread(g, x_shape, dims, keepdim)


def _mean(g: Any, x_shape: Any, out_shape: Any, dims: Any, keepdim: Any, xp: Any) -> Any:
    ratio = _ratio(x_shape, out_shape)
    if isinstance(ratio, Size):
        return xp.spread(g / xp.amount(ratio, g), x_shape, dims, keepdim)
    return xp.spread(g / ratio if ratio else g * math.nan, x_shape, dims, keepdim)


def _extreme(
    g: Any, x: Any, out: Any, x_shape: Any, x_dtype: Any, dims: Any, keepdim: Any, xp: Any
) -> Any:
    hits = x == xp.spread(out, x_shape, dims, keepdim)
    shared = g / xp.sum(xp.cast(hits, x_dtype), dims, keepdim)
    return xp.where(hits, xp.spread(shared, x_shape, dims, keepdim), 0.0)


def _var(
    g: Any, x: Any, x_shape: Any, out_shape: Any, dims: Any, correction: Any, keepdim: Any, xp: Any
) -> Any:
    freedom = _ratio(x_shape, out_shape) - correction
    if isinstance(freedom, Size):
        scaled = g * 2.0 / xp.amount(freedom, g)
        return xp.spread(scaled, x_shape, dims, keepdim) * (x - xp.mean(x, dims, True))
    scale = 2.0 / freedom if freedom else math.inf
    return xp.spread(g, x_shape, dims, keepdim) * ((x - xp.mean(x, dims, True)) * scale)


def _std(
    g: Any,
    x: Any,
    out: Any,
    x_shape: Any,
    out_shape: Any,
    dims: Any,
    correction: Any,
    keepdim: Any,
    xp: Any,
) -> Any:
    # A standard deviation of 0 is a kink: PyTorch's gradient there is 0.
    half = xp.where(out == 0.0, 0.0, g / (2.0 * out))
    return _var(half, x, x_shape, out_shape, dims, correction, keepdim, xp)


def _norm(
    g: Any, x: Any, out: Any, x_shape: Any, x_dtype: Any, p: Any, dims: Any, keepdim: Any, xp: Any
) -> Any:
    g, out = xp.spread(g, x_shape, dims, keepdim), xp.spread(out, x_shape, dims, keepdim)
    if p == 0.0:
        return g * 0.0
    if p == 1.0:
        return g * xp.sign(x)
    if p in (math.inf, -math.inf):
        hits = xp.abs(x) == out
        count = xp.spread(xp.sum(xp.cast(hits, x_dtype), dims, keepdim), x_shape, dims, keepdim)
        return xp.where(hits, g * xp.sign(x) / count, 0.0)
    # Where the norm is 0 it has a kink; PyTorch's gradient there is 0. The 1 keeps what is not
    # chosen finite, so that gradients of gradients are, too.
    zero = out == 0.0
    solid = xp.where(zero, 1.0, out)
    if p == 2.0:
        return xp.where(zero, 0.0, g * x / solid)
    size = xp.where(x == 0.0, 1.0, xp.abs(x))
    slope = xp.where(x == 0.0, 0.0, xp.sign(x) * xp.pow_scalar(size / solid, p - 1.0))
    return xp.where(zero, 0.0, g * slope)


op(
    "sum",
    "x",
    attrs="dims keepdim",
    infer=infer.reduce_whole,
    vjp={"x": _spread},
    doc="Sum of elements along dimensions.",
    onnx="ReduceSum",
    samples=DIMS + EMPTY,
)
op(
    "mean",
    "x",
    attrs="dims keepdim",
    infer=infer.reduce,
    promote="floating",
    vjp={"x": _mean},
    doc="Mean of elements along dimensions.",
    onnx="ReduceMean",
    samples=DIMS + EMPTY[2:],
)
op(
    "prod",
    "x",
    attrs="dims keepdim",
    infer=infer.reduce_whole,
    vjp={
        "x": lambda g, x, out, x_shape, dims, keepdim, xp: xp.prod_backward(
            g, x, out, dims, keepdim
        )
    },
    doc="Product of elements along dimensions; the gradient is exact where elements are 0.",
    onnx="ReduceProd",
    samples=DIMS + EMPTY,
)
op(
    "amax",
    "x",
    attrs="dims keepdim",
    infer=infer.reduce,
    vjp={"x": _extreme},
    doc="Largest element along dimensions; ties share the gradient evenly.",
    onnx="ReduceMax",
    samples=DIMS + EMPTY[2:],
)
op(
    "amin",
    "x",
    attrs="dims keepdim",
    infer=infer.reduce,
    vjp={"x": _extreme},
    doc="Smallest element along dimensions; ties share the gradient evenly.",
    onnx="ReduceMin",
    samples=DIMS + EMPTY[2:],
)
op(
    "var",
    "x",
    attrs="dims correction keepdim",
    infer=lambda x, dims, correction, keepdim: infer.reduce(x, dims, keepdim),
    promote="floating",
    vjp={"x": _var},
    doc="Variance along dimensions, divided by `n - correction`.",
    samples=tuple(Sample(s.inputs, (s.attrs[0], c, s.attrs[1])) for s in DIMS[:4] for c in (0, 1)),
)
op(
    "std",
    "x",
    attrs="dims correction keepdim",
    infer=lambda x, dims, correction, keepdim: infer.reduce(x, dims, keepdim),
    promote="floating",
    vjp={"x": _std},
    doc="Standard deviation along dimensions, with `n - correction`.",
    samples=tuple(Sample(s.inputs, (s.attrs[0], c, s.attrs[1])) for s in DIMS[:4] for c in (0, 1)),
)
op(
    "logsumexp",
    "x",
    attrs="dims keepdim",
    infer=infer.reduce,
    promote="float",
    vjp={
        "x": lambda g, x, out, x_shape, dims, keepdim, xp: (
            xp.spread(g, x_shape, dims, keepdim)
            * xp.exp(x - xp.spread(out, x_shape, dims, keepdim))
        )
    },
    doc="Logarithm of the sum of exponentials along dimensions, without overflow.",
    onnx="ReduceLogSumExp",
    samples=DIMS + EMPTY[2:],
)
op(
    "norm",
    "x",
    attrs="p dims keepdim",
    infer=lambda x, p, dims, keepdim: infer.reduce(x, dims, keepdim),
    promote="floating",
    vjp={"x": _norm},
    doc="The p-norm of elements along dimensions; its gradient at 0 is 0.",
    formula="(sum |x|^p)^(1/p)",
    onnx="ReduceL2",
    samples=(
        *(Sample(s.inputs, (p, *s.attrs)) for s in DIMS for p in (2.0, 1.0, 3.0, math.inf)),
        *(Sample(((2, 3),), (p, (1,), False)) for p in (0.0, 0.5, 1.5, -1.0, -math.inf)),
    ),
)
op(
    "any",
    "x",
    attrs="dims keepdim",
    infer=infer.reduce_bool,
    doc="Whether any element is true (not zero).",
    samples=DIMS + EMPTY,
)
op(
    "all",
    "x",
    attrs="dims keepdim",
    infer=infer.reduce_bool,
    doc="Whether every element is true (not zero).",
    samples=DIMS + EMPTY,
)
op(
    "argmax",
    "x",
    attrs="dim keepdim",
    infer=infer.reduce_index,
    promote="numeric",
    doc="Index of the largest element, the first on a tie.",
    onnx="ArgMax",
    samples=(*ONE, Sample(((2, 3),), (None, False))),
)
op(
    "argmin",
    "x",
    attrs="dim keepdim",
    infer=infer.reduce_index,
    promote="numeric",
    doc="Index of the smallest element, the first on a tie.",
    onnx="ArgMin",
    samples=(*ONE, Sample(((2, 3),), (None, False))),
)
for _name, _word in (("max_dim", "Largest"), ("min_dim", "Smallest")):
    op(
        _name,
        "x",
        attrs="dim keepdim",
        infer=infer.reduce_with_index,
        extra_results="indices",
        vjp={
            "x": lambda g, indices, x_shape, dim, keepdim, xp: xp.put_back(
                g, indices, x_shape, dim, keepdim
            )
        },
        doc=f"{_word} element along one dimension and its index; ties give the first the gradient.",
        samples=ONE,
    )

op(
    "spread",
    "g",
    attrs="shape dims keepdim",
    infer=lambda g, shape, dims, keepdim: (shape, g[1]),
    vjp={"g": lambda g, dims, keepdim, xp: xp.sum(g, dims, keepdim)},
    doc="Repeats reduced values over the dimensions they were reduced from: the adjoint of a sum.",
    samples=(
        Sample(((2,),), ((2, 3), (1,), False)),
        Sample(((2, 1),), ((2, 3), (1,), True)),
        Sample(((),), ((2, 3), (0, 1), False)),
    ),
)
op(
    "sum_to",
    "g",
    attrs="shape",
    infer=lambda g, shape: (shape, g[1]),
    vjp={"g": lambda g, g_shape, xp: xp.expand(g, g_shape)},
    doc="Sums over broadcast dimensions until `shape` is left: the adjoint of broadcasting.",
    samples=(
        Sample(((2, 3),), ((3,),)),
        Sample(((2, 3),), ((2, 1),)),
        Sample(((2, 3),), ((),)),
        Sample(((2, 3),), ((2, 3),)),
    ),
)
op(
    "put_back",
    "g indices",
    attrs="shape dim keepdim",
    fixed="indices",
    infer=lambda g, indices, shape, dim, keepdim: (shape, g[1]),
    vjp={"g": lambda g, indices, dim, keepdim, xp: xp.pick(g, indices, dim, keepdim)},
    doc="Puts values where indices point along one dimension, zeros elsewhere.",
    samples=(
        Sample(((2,), Ints((2,), 3)), ((2, 3), 1, False)),
        Sample(((1, 3), Ints((1, 3), 2)), ((2, 3), 0, True)),
        Sample(((), Ints((), 1)), ((), 0, False)),
    ),
)
op(
    "pick",
    "x indices",
    attrs="dim keepdim",
    fixed="indices",
    infer=lambda x, indices, dim, keepdim: (indices[0], x[1]),
    vjp={
        "x": lambda g, indices, x_shape, dim, keepdim, xp: xp.put_back(
            g, indices, x_shape, dim, keepdim
        )
    },
    doc="The elements that indices point to along one dimension.",
    samples=(
        Sample(((2, 3), Ints((2,), 3)), (1, False)),
        Sample(((2, 3), Ints((1, 3), 2)), (0, True)),
        Sample(((), Ints((), 1)), (0, False)),
    ),
)
