"""Adding, copying and reducing into chosen places; places addressed by index vectors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradviz.ops import shapes
from gradviz.ops.gathering import _scatter as scatter_shape
from gradviz.ops.gathering import _scattered as scattered
from gradviz.ops.infer import Fact
from gradviz.ops.spec import Given, Ints, Mask, Sample, op

ND_REDUCTIONS = ("assign", "add", "mul", "min", "max")
REDUCTIONS = ("sum", "prod", "mean", "amax", "amin")


def _slices(name: str) -> Callable[..., Fact]:
    """The rule of an operation that puts slices where a vector of indices says."""

    def rule(x: Fact, index: Fact, source: Fact, dim: int) -> Fact:
        if len(index[0]) > 1:
            raise shapes.mismatch(
                name,
                x[0],
                index[0],
                "the index must be a vector.",
                "Give one index for each slice.",
            )
        count = shapes.count(index[0])
        wanted = (*x[0][:dim], count, *x[0][dim + 1 :]) if x[0] else source[0]
        if source[0] != wanted or shapes.count(source[0]) != shapes.count(wanted):
            raise shapes.mismatch(
                name,
                x[0],
                source[0],
                f"the source must have the tensor's sizes and {count} slices along dimension "
                f"{dim}: {wanted}.",
                "Give one slice for each index.",
            )
        return x

    return rule


_SLICES = (
    Sample(((4, 3), Given([2, 0]), (2, 3)), (0,)),
    Sample(((2, 3), Given([1]), (2, 1)), (1,)),
    Sample(((3,), Given([], "int64"), (0,)), (0,)),
)
op(
    "index_add",
    "x index source",
    checked=True,
    attrs="dim",
    fixed="index",
    promote="common",
    infer=_slices("index_add"),
    vjp={"x": lambda g: g, "source": lambda g, index, dim, xp: xp.take(g, index, dim)},
    doc="A new tensor that is `x` with slices of `source` added where the index says.",
    samples=(*_SLICES, Sample(((4, 3), Given([2, 0, 2]), (3, 3)), (0,))),
)
op(
    "index_copy",
    "x index source",
    checked=True,
    attrs="dim",
    fixed="index",
    promote="common",
    infer=_slices("index_copy"),
    vjp={
        "x": lambda g, index, dim, xp: xp.index_fill(g, index, dim, 0.0),
        "source": lambda g, index, dim, xp: xp.take(g, index, dim),
    },
    doc="A new tensor that is `x` with slices of `source` put where the index says.",
    samples=_SLICES,
)
op(
    "index_fill",
    "x index",
    attrs="dim value",
    fixed="index",
    infer=lambda x, index, dim, value: x,
    vjp={"x": lambda g, index, dim, xp: xp.index_fill(g, index, dim, 0.0)},
    doc="A new tensor that is `x` with one number in the slices that the index names.",
    samples=(
        Sample(((4, 3), Given([2, 0])), (0, 1)),
        Sample(((2, 3), Given([1])), (1, 0)),
        Sample(((3,), Given([], "int64")), (0, 0)),
    ),
)


def _masked(x: Fact, mask: Fact, source: Fact) -> Fact:
    if x[0] != mask[0]:
        raise shapes.mismatch(
            "masked_scatter",
            x[0],
            mask[0],
            "the mask must have the tensor's shape.",
            "Expand the mask to the tensor's shape.",
        )
    return x


op(
    "masked_scatter",
    "x mask source",
    attrs="",
    fixed="mask",
    promote="common",
    infer=_masked,
    vjp={
        "x": lambda g, mask, xp: xp.where(mask, 0.0, g),
        "source": lambda g, mask, source_shape, xp: xp.masked_scatter_backward(
            g, mask, source_shape
        ),
    },
    doc="A new tensor that is `x` with the elements of `source`, in order, where the mask is true.",
    samples=(
        Sample(((2, 3), Mask((2, 3)), (7,))),
        Sample(((2, 2), Given([[True, False], [False, True]], "bool"), (2, 2))),
        Sample(((3,), Given([False, False, False], "bool"), (0,))),
    ),
)
op(
    "masked_scatter_backward",
    "g mask",
    attrs="shape",
    fixed="mask",
    infer=lambda g, mask, shape: (shape, g[1]),
    vjp={
        "g": lambda g, mask, g_shape, xp: xp.masked_scatter(xp.zeros_at(g, mask), mask, g),
    },
    doc="The elements where the mask is true, in order, and zeros after them.",
    samples=(
        Sample(((2, 3), Mask((2, 3))), ((7,),)),
        Sample(((2, 2), Given([[True, False], [False, True]], "bool")), ((2, 2),)),
    ),
)


def _reduced(x: Fact, index: Fact, source: Fact, dim: int, reduce: str, include_self: bool) -> Fact:
    return scatter_shape("scatter_reduce")(x, index, source, dim)


def _outside(g: Any, index: Any, dim: int, include_self: bool, xp: Any) -> Any:
    """What reaches the tensor itself: nothing where only the source counts."""
    return g if include_self else xp.scatter(g, index, xp.zeros_at(g, index), dim)


def _counts(x: Any, index: Any, dim: int, include_self: bool, xp: Any) -> Any:
    """How many numbers each mean is of; 1 where there are none."""
    ones = xp.zeros_at(x, index) + 1.0
    base = xp.zeros_at(x, x) + 1.0
    if not include_self:
        base = xp.scatter(base, index, xp.zeros_at(x, index), dim)
    return xp.scatter_add(base, index, ones, dim)


def _to_self(
    g: Any,
    x: Any,
    index: Any,
    source: Any,
    out: Any,
    dim: int,
    reduce: str,
    include_self: bool,
    xp: Any,
) -> Any:
    if reduce == "mean":
        g = g / _counts(x, index, dim, include_self, xp)
    elif reduce == "prod":
        rest = xp.scatter_reduce(xp.zeros_at(x, x) + 1.0, index, source, dim, "prod", True)
        g = g * rest
    elif reduce != "sum":
        hits = _hits(x, out, xp)
        g = hits * (g / _sharers(x, index, source, out, dim, include_self, xp))
    return _outside(g, index, dim, include_self, xp)


def _to_source(
    g: Any,
    x: Any,
    index: Any,
    source: Any,
    out: Any,
    index_shape: Any,
    source_shape: Any,
    dim: int,
    reduce: str,
    include_self: bool,
    xp: Any,
) -> Any:
    inside = source
    if index_shape != source_shape:
        inside = xp.slice(source, tuple(slice(0, n) for n in index_shape))
    if reduce == "mean":
        g = g / _counts(x, index, dim, include_self, xp)
    if reduce in ("sum", "mean"):
        return scattered(g, index, index_shape, source_shape, dim, xp)
    if reduce == "prod":
        d = _product(g, x, index, inside, out, dim, include_self, xp)
    else:
        shared = g / _sharers(x, index, source, out, dim, include_self, xp)
        d = _hits(inside, xp.gather(out, index, dim), xp) * xp.gather(shared, index, dim)
    if index_shape == source_shape:
        return d
    return xp.pad(d, tuple((0, n - m) for n, m in zip(source_shape, index_shape, strict=True)), 0.0)


def _product(
    g: Any, x: Any, index: Any, inside: Any, out: Any, dim: int, include_self: bool, xp: Any
) -> Any:
    """The product of the other factors: a lone zero among them is taken out before dividing."""
    zero = inside == 0.0
    nothing = xp.zeros_at(inside, inside)
    ones = xp.where(zero, nothing + 1.0, nothing)
    zeros = xp.gather(xp.scatter_add(xp.zeros_at(x, x), index, ones, dim), index, dim)
    lone = zero & (zeros == 1.0)
    others = xp.scatter_reduce(x, index, xp.where(lone, 1.0, inside), dim, "prod", include_self)
    usual = xp.gather(g * out, index, dim) / xp.where(zero, 1.0, inside)
    return xp.where(lone, xp.gather(g * others, index, dim), usual)


def _hits(values: Any, best: Any, xp: Any) -> Any:
    return (values == best) * (xp.zeros_at(values, values) + 1.0)


def _sharers(
    x: Any, index: Any, source: Any, out: Any, dim: int, include_self: bool, xp: Any
) -> Any:
    """How many equal candidates share the gradient of an extreme."""
    inside = source
    if source.shape != index.shape:
        inside = xp.slice(source, tuple(slice(0, n) for n in index.shape))
    own = _outside(_hits(x, out, xp), index, dim, include_self, xp)
    return xp.scatter_add(own, index, _hits(inside, xp.gather(out, index, dim), xp), dim)


op(
    "scatter_reduce",
    "x index source",
    checked=True,
    attrs="dim reduce include_self",
    fixed="index",
    promote="common",
    infer=_reduced,
    vjp={"x": _to_self, "source": _to_source},
    doc="A new tensor that is `x` with a source reduced into where gather would take it.",
    samples=tuple(
        Sample(s, (at, how, own))
        for s, at in (
            (((3, 2), Given([[2, 0], [2, 1]]), (2, 2)), 0),
            (((2, 3), Given([[1, 1], [0, 2]]), (2, 3)), 1),
            (((3,), Given([], "int64"), (0,)), 0),
        )
        for how in REDUCTIONS
        for own in (True, False)
    ),
)


def gathered(x: Fact, indices: Fact, operation: str = "gather_nd") -> Fact:
    """The shape that index vectors along the last axis of `indices` take from `x`."""
    depth = indices[0][-1] if indices[0] else 0
    if not indices[0] or depth > len(x[0]):
        raise shapes.mismatch(
            operation,
            x[0],
            indices[0],
            f"the last axis of the indices addresses leading dimensions; it has {depth} numbers "
            f"for {len(x[0])} dimensions.",
            "Give index vectors with at most one number for each dimension.",
        )
    return (*indices[0][:-1], *x[0][depth:]), x[1]


def _scatter_nd(x: Fact, indices: Fact, values: Fact, reduce: str) -> Fact:
    wanted = gathered(x, indices, "scatter_nd")[0]
    if values[0] != wanted:
        raise shapes.mismatch(
            "scatter_nd",
            wanted,
            values[0],
            f"indices {indices[0]} into a tensor of shape {x[0]} address {wanted}.",
            "Give values of that shape.",
        )
    return x


def _nd_self(g: Any, x: Any, indices: Any, values: Any, out: Any, reduce: str, xp: Any) -> Any:
    if reduce == "add":
        return g
    if reduce == "assign":
        return xp.scatter_nd(g, indices, xp.gather_nd(g, indices) * 0.0, "assign")
    if reduce == "mul":
        return g * xp.scatter_nd(xp.zeros_at(x, x) + 1.0, indices, values, "mul")
    return xp.where(x == out, g, 0.0)


def _nd_values(g: Any, x: Any, indices: Any, values: Any, out: Any, reduce: str, xp: Any) -> Any:
    taken = xp.gather_nd(g, indices)
    if reduce in ("add", "assign"):
        return taken
    if reduce != "mul":
        return xp.where(values == xp.gather_nd(out, indices), taken, 0.0)
    zero = values == 0.0
    nothing = xp.zeros_at(values, values)
    ones = xp.where(zero, nothing + 1.0, nothing)
    count = xp.gather_nd(xp.scatter_nd(xp.zeros_at(x, x), indices, ones, "add"), indices)
    lone = zero & (count == 1.0)
    others = xp.scatter_nd(x, indices, xp.where(lone, 1.0, values), "mul")
    usual = taken * xp.gather_nd(out, indices) / xp.where(zero, 1.0, values)
    return xp.where(lone, taken * xp.gather_nd(others, indices), usual)


op(
    "gather_nd",
    "x indices",
    fixed="indices",
    checked=True,
    infer=gathered,
    vjp={"x": lambda g, indices, x_shape, xp: xp.gather_nd_backward(g, indices, x_shape)},
    doc="Elements or slices addressed by index vectors along the last axis of `indices`.",
    onnx="GatherND",
    samples=(
        Sample(((3, 4), Given([[0, 1], [2, 3]]))),
        Sample(((3, 4), Given([[2], [2]]))),
        Sample(((3, 4), Given([[[0, 1]], [[0, 1]]]))),
        Sample(((3, 4), Ints((0, 2), 1))),
    ),
)
op(
    "gather_nd_backward",
    "g indices",
    attrs="shape",
    fixed="indices",
    infer=lambda g, indices, shape: (shape, g[1]),
    vjp={"g": lambda g, indices, xp: xp.gather_nd(g, indices)},
    doc="Zeros with values added where index vectors point: the adjoint of gather_nd.",
    samples=(
        Sample(((2,), Given([[0, 1], [2, 3]])), ((3, 4),)),
        Sample(((2, 4), Given([[2], [2]])), ((3, 4),)),
    ),
)
op(
    "scatter_nd",
    "x indices values",
    attrs="reduce",
    fixed="indices",
    checked=True,
    promote="common",
    infer=_scatter_nd,
    vjp={"x": _nd_self, "values": _nd_values},
    doc="A new tensor that is `x` with values put or combined where index vectors point.",
    onnx="ScatterND",
    samples=(
        *(
            Sample(s, (how,))
            for s in (
                ((3, 4), Given([[0, 1], [2, 3]]), (2,)),
                ((3, 4), Given([[2], [0]]), (2, 4)),
            )
            for how in ND_REDUCTIONS
        ),
        Sample(((3, 4), Given([[2, 1], [2, 1]]), (2,)), ("mul",)),
    ),
)
