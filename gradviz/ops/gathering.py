"""Gathering and scattering along one dimension."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradviz.ops import shapes
from gradviz.ops.infer import Fact
from gradviz.ops.spec import Given, Ints, Sample, op


def _gather(x: Fact, index: Fact, dim: int) -> Fact:
    if not x[0] and len(index[0]) == 1:
        return index[0], x[1]
    if len(x[0]) != len(index[0]):
        raise shapes.mismatch(
            "gather",
            x[0],
            index[0],
            "the index must have as many dimensions as the tensor.",
            "Give an index of the result's shape, or use `index_select`.",
        )
    for at, (have, want) in enumerate(zip(x[0], index[0], strict=True)):
        if at != dim and want > have:
            raise shapes.mismatch(
                "gather",
                x[0],
                index[0],
                f"dimension {at} of the index is larger than the tensor's.",
                f"Only dimension {dim} of the index may be larger.",
            )
    return index[0], x[1]


def _take(x: Fact, index: Fact, dim: int) -> Fact:
    if not x[0]:
        return index[0], x[1]
    return (*x[0][:dim], *index[0], *x[0][dim + 1 :]), x[1]


def _select(x: Fact, index: Fact, dim: int) -> Fact:
    if len(index[0]) > 1:
        raise shapes.mismatch(
            "index_select",
            x[0],
            index[0],
            "the index must be a vector.",
            "Use `gather`, or write `x[index]`, which takes an index of any shape.",
        )
    # PyTorch counts a single number as a vector of one.
    return _take(x, ((shapes.count(index[0]),), index[1]), dim) if x[0] else (x[0], x[1])


def _scatter(name: str) -> Callable[..., Fact]:
    def rule(x: Fact, index: Fact, values: Fact, dim: int) -> Fact:
        if 0 in index[0]:
            return x
        if not len(x[0]) == len(index[0]) == len(values[0]):
            raise shapes.mismatch(
                name,
                x[0],
                index[0],
                f"the tensor, the index and the values {values[0]} must have as many dimensions.",
                "Give an index and values of the same number of dimensions.",
            )
        for at, (have, want, given) in enumerate(zip(x[0], index[0], values[0], strict=True)):
            if want > given or (at != dim and want > have):
                raise shapes.mismatch(
                    name,
                    x[0],
                    index[0],
                    f"dimension {at} of the index is larger than "
                    + ("the values'." if want > given else "the tensor's."),
                    f"Only dimension {dim} of the index may be larger than the tensor's.",
                )
        return x

    return rule


def _scattered(g: Any, index: Any, index_shape: Any, values_shape: Any, dim: int, xp: Any) -> Any:
    """What flows back into the values: zeros where the index was smaller than they are."""
    d = xp.gather(g, index, dim)
    if index_shape == values_shape:
        return d
    widths = tuple((0, n - m) for n, m in zip(values_shape, index_shape, strict=True))
    return xp.pad(d, widths, 0.0)


op(
    "gather",
    "x index",
    checked=True,
    attrs="dim",
    fixed="index",
    infer=_gather,
    vjp={"x": lambda g, index, x_shape, dim, xp: xp.gather_backward(g, index, x_shape, dim)},
    doc="Elements chosen along one dimension: `out[i][j] = x[index[i][j]][j]` for dimension 0.",
    onnx="GatherElements",
    samples=(
        Sample(((2, 3), Ints((2, 3), 3)), (1,)),
        Sample(((2, 3), Ints((4, 2), 2)), (0,)),
        Sample(((2, 3, 2), Ints((2, 1, 2), 3)), (1,)),
        Sample(((2, 3), Ints((0, 3), 2)), (0,)),
        Sample(((), Ints((), 1)), (0,)),
        Sample(((), Ints((2,), 1)), (0,)),
    ),
)
op(
    "gather_backward",
    "g index",
    attrs="shape dim",
    fixed="index",
    infer=lambda g, index, shape, dim: (shape, g[1]),
    vjp={"g": lambda g, index, dim, xp: xp.gather(g, index, dim)},
    doc="Zeros with values added where gather took elements: the adjoint of gather.",
    samples=(
        Sample(((2, 3), Ints((2, 3), 3)), ((2, 3), 1)),
        Sample(((4, 2), Ints((4, 2), 2)), ((2, 3), 0)),
        Sample(((0, 3), Ints((0, 3), 2)), ((2, 3), 0)),
        Sample(((), Ints((), 1)), ((), 0)),
    ),
)
op(
    "take",
    "x index",
    attrs="dim",
    fixed="index",
    infer=_take,
    vjp={"x": lambda g, index, x_shape, dim, xp: xp.take_backward(g, index, x_shape, dim)},
    doc="Slices chosen along one dimension by an integer tensor of any shape.",
    onnx="Gather",
    samples=(
        Sample(((4, 3), Ints((5,), 4)), (0,)),
        Sample(((4, 3), Ints((2, 2), 3)), (1,)),
        Sample(((4, 3), Ints((), 4)), (0,)),
        Sample(((4, 3), Ints((0,), 4)), (0,)),
        Sample(((2, 3, 4), Ints((2,), 3)), (1,)),
    ),
)
op(
    "take_backward",
    "g index",
    attrs="shape dim",
    fixed="index",
    infer=lambda g, index, shape, dim: (shape, g[1]),
    vjp={"g": lambda g, index, dim, xp: xp.take(g, index, dim)},
    doc="Zeros with slices added where take took them: the adjoint of take.",
    samples=(
        Sample(((5, 3), Ints((5,), 4)), ((4, 3), 0)),
        Sample(((4, 2, 2), Ints((2, 2), 3)), ((4, 3), 1)),
        Sample(((3,), Ints((), 4)), ((4, 3), 0)),
    ),
)
op(
    "index_select",
    "x index",
    attrs="dim",
    fixed="index",
    checked=True,
    infer=_select,
    forward="index_select",
    vjp={"x": lambda g, index, x_shape, dim, xp: xp.take_backward(g, index, x_shape, dim)},
    doc="Slices chosen along one dimension by a vector of indices.",
    onnx="Gather",
    samples=(
        Sample(((4, 3), Ints((5,), 4)), (0,)),
        Sample(((4, 3), Ints((0,), 3)), (1,)),
        Sample(((2, 3, 4), Ints((2,), 3)), (1,)),
        Sample(((), Ints((1,), 1)), (0,)),
    ),
)
op(
    "scatter",
    "x index values",
    checked=True,
    attrs="dim",
    fixed="index",
    promote="common",
    infer=_scatter("scatter"),
    vjp={
        "x": lambda g, index, dim, xp: xp.scatter(g, index, xp.zeros_at(g, index), dim),
        "values": _scattered,
    },
    doc="A new tensor that is `x` with `values` put where gather would take them.",
    onnx="ScatterElements",
    samples=(
        Sample(((3, 2), Given([[2, 0], [0, 1]]), (2, 2)), (0,)),
        Sample(((2, 3), Given([[1], [2]]), (2, 2)), (1,)),
        Sample(((3,), Given([], "int64"), (0,)), (0,)),
        Sample(((), Given(0), ()), (0,)),
    ),
)
op(
    "scatter_add",
    "x index values",
    checked=True,
    attrs="dim",
    fixed="index",
    promote="common",
    infer=_scatter("scatter_add"),
    vjp={"x": lambda g: g, "values": _scattered},
    doc="A new tensor that is `x` with `values` added where gather would take them.",
    samples=(
        Sample(((3, 2), Given([[2, 0], [2, 1]]), (2, 2)), (0,)),
        Sample(((2, 3), Given([[1], [1]]), (2, 2)), (1,)),
        Sample(((3,), Given([], "int64"), (0,)), (0,)),
        Sample(((), Given(0), ()), (0,)),
    ),
)
