"""Order: sorting, the largest few, medians, places in a sorted list."""

from __future__ import annotations

from typing import Any

from gradviz.ops import infer, shapes
from gradviz.ops.infer import Fact
from gradviz.ops.spec import Given, Ints, Sample, op


def _back(g: Any, indices: Any, x_shape: Any, dim: int, xp: Any) -> Any:
    return xp.gather_backward(g, indices, x_shape, dim)


def _put_back(g: Any, indices: Any, x_shape: Any, dim: int, keepdim: bool, xp: Any) -> Any:
    return xp.put_back(g, indices, x_shape, dim, keepdim)


def _top(x: Fact, k: int, dim: int, largest: bool) -> list[Fact]:
    shape = (*x[0][:dim], k, *x[0][dim + 1 :]) if x[0] else ()
    return [(shape, x[1]), (shape, "int64")]


def _shared(g: Any, x: Any, out: Any, x_dtype: Any, xp: Any) -> Any:
    # A median that isn't a number has it from elements that aren't.
    hits = (x == out) | (xp.isnan(x) & xp.isnan(out))
    every = tuple(range(x.ndim))
    return xp.where(hits, g / xp.sum(xp.cast(hits, x_dtype), every, False), 0.0)


op(
    "sort",
    "x",
    attrs="dim descending",
    infer=lambda x, dim, descending: [x, (x[0], "int64")],
    extra_results="indices",
    vjp={"x": _back},
    doc="Elements in order along one dimension and where they stood; equal ones keep their order.",
    samples=(
        Sample(((2, 3),), (1, False)),
        Sample(((4, 3),), (0, True)),
        Sample(((2, 3, 2),), (1, False)),
        Sample(((0, 3),), (1, True)),
        Sample(((),), (0, False)),
    ),
)
op(
    "argsort",
    "x",
    attrs="dim descending",
    infer=lambda x, dim, descending: (x[0], "int64"),
    doc="Where the elements stand that come first, second, ... in order along one dimension.",
    samples=(
        Sample(((2, 3),), (1, False)),
        Sample(((4, 3),), (0, True)),
        Sample(((0, 3),), (0, False)),
        Sample(((),), (0, True)),
    ),
)
op(
    "topk",
    "x",
    attrs="k dim largest",
    infer=_top,
    extra_results="indices",
    vjp={"x": lambda g, indices, x_shape, dim, xp: xp.gather_backward(g, indices, x_shape, dim)},
    doc="The largest or smallest `k` elements along one dimension, in order, and where they stood.",
    onnx="TopK",
    samples=(
        Sample(((2, 4),), (2, 1, True)),
        Sample(((4, 3),), (3, 0, False)),
        Sample(((2, 3),), (0, 1, True)),
        Sample(((),), (1, 0, True)),
    ),
)
op(
    "kthvalue",
    "x",
    attrs="k dim keepdim",
    infer=lambda x, k, dim, keepdim: infer.reduce_with_index(x, dim, keepdim),
    extra_results="indices",
    vjp={"x": _put_back},
    doc="The k-th smallest element along one dimension and where it stands.",
    samples=(
        Sample(((2, 4),), (2, 1, False)),
        Sample(((4, 3),), (1, 0, True)),
        Sample(((0, 3),), (3, 1, False)),
        Sample(((),), (1, 0, False)),
    ),
)
op(
    "median_dim",
    "x",
    attrs="dim keepdim",
    infer=infer.reduce_with_index,
    extra_results="indices",
    vjp={"x": _put_back},
    doc="The middle element along one dimension, the lower of two, and where it stands.",
    samples=(
        Sample(((2, 4),), (1, False)),
        Sample(((3, 2),), (0, True)),
        Sample(((0, 3),), (1, False)),
        Sample(((),), (0, False)),
    ),
)
op(
    "median_all",
    "x",
    infer=lambda x: ((), x[1]),
    vjp={"x": _shared},
    doc="The middle element of all, the lower of two; equal ones share the gradient.",
    samples=(Sample(((2, 3),)), Sample(((4,),)), Sample(((),))),
)


def _searched(sequence: Fact, x: Fact, right: bool) -> Fact:
    known, wanted = sequence[0], x[0]
    if len(known) != 1 and (not known or known[:-1] != wanted[:-1]):
        raise shapes.mismatch(
            "searchsorted",
            known,
            wanted,
            "the sorted sequence must be a vector, or agree with the values in all dimensions but "
            "the last.",
            "Give a vector of boundaries, or one sorted row for each row of values.",
        )
    return wanted, "int64"


op(
    "searchsorted",
    "sequence x",
    attrs="right",
    checked=True,
    promote="common",
    infer=_searched,
    doc="Where values would be inserted into a sorted sequence to keep it sorted.",
    samples=(
        Sample((Given([1.0, 3.0, 5.0], "float64"), (2, 3)), (False,), 0.0, 6.0),
        Sample((Given([1, 3, 5]), Ints((4,), 6)), (True,)),
        Sample((Given([[1, 3], [0, 9]]), Ints((2, 3), 6)), (False,)),
        Sample((Given([1, 3, 5]), Ints((), 6)), (False,)),
    ),
)
