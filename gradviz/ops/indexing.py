"""Indexing and selection."""

from __future__ import annotations

from typing import Any

from gradviz.ops import shapes
from gradviz.ops.infer import Fact, widened
from gradviz.ops.spec import Given, Mask, Sample, op

Index = tuple[Any, ...]


def sliced(shape: tuple[int, ...], index: Index) -> tuple[int, ...]:
    """The shape of `x[index]` for an index of slices, whole numbers and None, in canonical form."""
    result: list[int] = []
    at = 0
    for item in index:
        if item is None:
            result.append(1)
        elif isinstance(item, slice):
            result.append(shapes.taken(item, shape[at]))
            at += 1
        else:
            at += 1
    return (*result, *shape[at:])


_WHERE = (
    Sample((Mask((2, 3)), (2, 3), (2, 3))),
    Sample((Mask((3,)), (2, 3), ())),
    Sample((Mask((2, 1)), (1, 3), (2, 3))),
    Sample((Mask((0, 3)), (1, 3), (3,))),
)


def _where(condition: Fact, x: Fact, other: Fact) -> Fact:
    return shapes.broadcast("where", condition[0], x[0], other[0]), x[1]


op(
    "where",
    "condition x other",
    infer=_where,
    elementwise=True,
    result="same",
    promote="common",
    fixed="condition",
    vjp={
        "x": lambda g, condition, xp: xp.where(condition, g, 0.0),
        "other": lambda g, condition, xp: xp.where(condition, 0.0, g),
    },
    doc="Elements of `x` where the condition is true, of `other` elsewhere.",
    onnx="Where",
    samples=_WHERE,
)
op(
    "masked_fill",
    "x mask",
    attrs="value",
    elementwise=True,
    result="same",
    fixed="mask",
    infer=lambda x, mask, value: (shapes.broadcast("masked_fill", x[0], mask[0]), x[1]),
    vjp={"x": lambda g, mask, xp: xp.where(mask, 0.0, g)},
    doc="`value` where the mask is true, `x` elsewhere.",
    samples=(
        Sample(((2, 3), Mask((2, 3))), (1.5,)),
        Sample(((2, 3), Mask((3,))), (0.0,)),
        Sample(((0, 3), Mask((3,))), (0.0,)),
    ),
)
op(
    "clamp",
    "x",
    attrs="min max",
    infer=lambda x, min, max: x,
    elementwise=True,
    result="same",
    promote="numeric",
    vjp={"x": lambda g, x, min, max, xp: xp.where(xp.inside(x, min, max), g, 0.0)},
    doc="Elements limited to [min, max]; the gradient is 1 inside and at the limits, 0 outside.",
    onnx="Clip",
    samples=(
        Sample(((2, 3),), (-0.5, 0.5)),
        Sample(((2, 3),), (None, 0.5)),
        Sample(((0, 3),), (0.0, None)),
    ),
)
op(
    "slice",
    "x",
    attrs="index",
    infer=lambda x, index: (sliced(x[0], index), x[1]),
    vjp={"x": lambda g, x_shape, index, xp: xp.slice_backward(g, x_shape, index)},
    doc="Part of a tensor: `x[...]` with slices, whole numbers and None.",
    onnx="Slice",
    samples=(
        Sample(((4, 3),), ((slice(1, 3),),)),
        Sample(((4, 3),), ((slice(None, None, 2), 1),)),
        Sample(((4, 3),), ((None, 2),)),
        Sample(((4, 3),), ((slice(3, None, -2), slice(0, 0)),)),
        Sample(((4, 3),), ((0, 0),)),
    ),
)
op(
    "slice_backward",
    "g",
    attrs="shape index",
    infer=lambda g, shape, index: (shape, g[1]),
    vjp={"g": lambda g, index, xp: xp.slice(g, index)},
    doc="Zeros with values put in where a slice was taken: the adjoint of slice.",
    samples=(Sample(((2, 3),), ((4, 3), (slice(1, 3),))),),
)
op(
    "slice_assign",
    "x values",
    checked=True,
    attrs="index",
    infer=lambda x, values, index: (
        (x[0], x[1])
        if shapes.broadcast("slice_assign", values[0], sliced(x[0], index)) == sliced(x[0], index)
        else _too_large(x, values, index)
    ),
    promote="common",
    vjp={
        "x": lambda g, values_shape, index, xp: xp.slice_fill(g, index, 0.0),
        "values": lambda g, values_shape, index, xp: xp.sum_to(xp.slice(g, index), values_shape),
    },
    doc="A new tensor that is `x` with `values` at `index`.",
    samples=(
        Sample(((4, 3), (2, 3)), ((slice(1, 3),),)),
        Sample(((4, 3), (3,)), ((slice(None, None, 2),),)),
        Sample(((4, 3), ()), ((slice(None, None, -2), 1),)),
    ),
)


def _too_large(x: Fact, values: Fact, index: Index) -> Fact:
    raise shapes.mismatch(
        "slice_assign",
        sliced(x[0], index),
        values[0],
        "the values don't fit into the slice.",
        "Give values of the slice's shape, or of a shape that broadcasts to it.",
    )


op(
    "slice_fill",
    "x",
    attrs="index value",
    infer=lambda x, index, value: x,
    vjp={"x": lambda g, index, xp: xp.slice_fill(g, index, 0.0)},
    doc="A new tensor that is `x` with one value at `index`.",
    samples=(Sample(((4, 3),), ((slice(1, 3),), 0.0)), Sample(((4, 3),), ((0, 1), 2.0))),
)
op(
    "index",
    "x",
    attrs="index",
    infer=lambda x, index: (indexed(x[0], index), x[1]),
    vjp={"x": lambda g, x_shape, index, xp: xp.index_backward(g, x_shape, index)},
    doc="Elements chosen by arrays of indices or by masks: `x[...]`.",
    samples=(
        Sample(((4, 3),), ((Given([0, 2, 2]), Given([1, 0, 0])),)),
        Sample(((4, 3),), ((Given([[0], [3]]), Given([2, 1])),)),
        Sample(((4, 3, 2),), ((Given([0, 1]), slice(None), Given([1, 1])),)),
        Sample(((4, 3, 2),), ((None, Given([0, 1]), 2),)),
        Sample(((4, 3),), ((Given([]), Given([])),)),
    ),
)
op(
    "index_backward",
    "g",
    attrs="shape index",
    infer=lambda g, shape, index: (shape, g[1]),
    vjp={"g": lambda g, index, xp: xp.index(g, index)},
    doc="Zeros with values added where indices point: the adjoint of index.",
    samples=(
        Sample(((3,),), ((4, 3), (Given([0, 2, 2]), Given([1, 0, 0])))),
        Sample(((2, 3),), ((4, 3, 2), (Given([0, 1]), slice(None), Given([1, 1])))),
    ),
)


def indexed(shape: tuple[int, ...], index: Index) -> tuple[int, ...]:
    """The shape of `x[index]` with integer arrays among the items (masks became arrays before)."""
    arrays = [item.shape for item in index if hasattr(item, "shape")]
    common = shapes.broadcast("index", *arrays)
    places = [at for at, item in enumerate(index) if hasattr(item, "shape")]
    together = places == list(range(places[0], places[0] + len(places)))
    before: list[int] = []
    after: list[int] = []
    at = 0
    for place, item in enumerate(index):
        target = before if together and place < places[0] else after
        if item is None:
            target.append(1)
        elif isinstance(item, slice):
            target.append(shapes.taken(item, shape[at]))
            at += 1
        elif hasattr(item, "shape") or isinstance(item, int):
            at += 1
    rest = list(shape[at:])
    if together:
        return (*before, *common, *after, *rest)
    return (*common, *after, *rest)


op(
    "tril",
    "x",
    attrs="diagonal",
    infer=lambda x, diagonal: x,
    vjp={"x": lambda g, diagonal, xp: xp.tril(g, diagonal)},
    doc="The lower triangle; zeros above `diagonal`.",
    onnx="Trilu",
    samples=(Sample(((3, 3),), (0,)), Sample(((2, 2, 3),), (1,)), Sample(((3, 2),), (-1,))),
)
op(
    "triu",
    "x",
    attrs="diagonal",
    infer=lambda x, diagonal: x,
    vjp={"x": lambda g, diagonal, xp: xp.triu(g, diagonal)},
    doc="The upper triangle; zeros below `diagonal`.",
    onnx="Trilu",
    samples=(Sample(((3, 3),), (0,)), Sample(((2, 2, 3),), (1,)), Sample(((3, 2),), (-1,))),
)


def _cumsum(g: Any, dim: int, xp: Any) -> Any:
    dims = (dim,) if g.ndim else ()
    return xp.flip(xp.cumsum(xp.flip(g, dims), dim), dims)


op(
    "cumsum",
    "x",
    attrs="dim",
    infer=lambda x, dim: (x[0], widened(x[1])),
    vjp={"x": _cumsum},
    doc="Running sum along one dimension.",
    onnx="CumSum",
    samples=tuple(Sample((s,), (d,)) for s, d in (((2, 3), 1), ((2, 3), 0), ((0, 3), 0), ((), 0))),
)
