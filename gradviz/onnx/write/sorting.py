"""Order: sorting, the largest few, medians, places in a sorted list."""

from __future__ import annotations

from typing import Any

from gradviz.onnx.builder import Builder
from gradviz.onnx.registry import writes
from gradviz.onnx.value import Value


def ordered(b: Builder, x: Any, many: Any, dim: int, largest: bool) -> tuple[Any, Any]:
    """The largest or smallest elements in order, and where they were; equal ones as they stood."""
    count = b.extent(many)
    values, indices = b.TopK(x, count, outputs=2, axis=dim, largest=int(largest), sorted=1)
    return values, indices


def _alone(b: Builder, x: Value) -> tuple[Any, Any]:
    return x, b.constant(0, "int64")


@writes("sort")
def sort(b: Builder, x: Value, dim: int, descending: bool) -> Any:
    return ordered(b, x, x.dims[dim], dim, descending) if x.rank else _alone(b, x)


@writes("argsort")
def argsort(b: Builder, x: Value, dim: int, descending: bool) -> Any:
    return ordered(b, x, x.dims[dim], dim, descending)[1] if x.rank else _alone(b, x)[1]


@writes("topk")
def topk(b: Builder, x: Value, k: int, dim: int, largest: bool) -> Any:
    return ordered(b, x, k, dim, largest) if x.rank else _alone(b, x)


def _nth(b: Builder, x: Any, rank: int, k: int, dim: int, keepdim: bool) -> tuple[Any, Any]:
    """The k-th smallest element, and where it was."""
    if not rank:
        return _alone(b, x)
    last = b.constant([k - 1], "int64", (1,)) if keepdim else b.constant(k - 1, "int64")
    values, indices = ordered(b, x, k, dim, False)
    return b.Gather(values, last, axis=dim), b.Gather(indices, last, axis=dim)


def _middle(b: Builder, x: Any, length: Any, dim: int, keepdim: bool) -> tuple[Any, Any]:
    """The lower one of the middle elements, and where it was."""
    if isinstance(length, int):
        return _nth(b, x, 1, (length - 1) // 2 + 1, dim, keepdim)
    at = b.Div(b.number(length, "int64") - 1, 2)
    at = b.Unsqueeze(at, [0]) if keepdim else at
    values, indices = ordered(b, x, length, dim, False)
    return b.Gather(values, at, axis=dim), b.Gather(indices, at, axis=dim)


@writes("kthvalue")
def kthvalue(b: Builder, x: Value, k: int, dim: int, keepdim: bool) -> Any:
    return _nth(b, x, x.rank, k, dim, keepdim)


@writes("median_dim")
def median_dim(b: Builder, x: Value, dim: int, keepdim: bool) -> Any:
    if not x.rank:
        return _alone(b, x)
    values, indices = _middle(b, x, x.dims[dim], dim, keepdim)
    if x.is_whole:
        return values, indices
    # What isn't a number makes the median none, and is where it lies.
    strange = b.cast(b.IsNaN(x), "int32")
    any_ = b.reduce("ReduceMax", strange, [dim], keepdim) > 0
    first = b.ArgMax(strange, axis=dim, keepdims=int(keepdim))
    nan = b.constant(float("nan"), x.dtype)
    return b.Where(any_, nan, values), b.Where(any_, first, indices)


@writes("median_all")
def median_all(b: Builder, x: Value) -> Any:
    count: Any = 1
    for size in x.dims:
        count = count * size
    flat = b.flat(x)
    value = _middle(b, flat, count, 0, False)[0]
    if x.is_whole:
        return value
    strange = b.reduce("ReduceMax", b.cast(b.IsNaN(flat), "int32"), [0], False) > 0
    return b.Where(strange, b.constant(float("nan"), x.dtype), value)


@writes("searchsorted")
def searchsorted(b: Builder, sequence: Value, x: Value, right: bool) -> Any:
    # As many elements come before a number as are smaller than it.
    wanted = b.Unsqueeze(x, [x.rank])
    rows = b.Unsqueeze(sequence, [sequence.rank - 1]) if sequence.rank > 1 else sequence
    before = rows <= wanted if right else rows < wanted
    return b.reduce("ReduceSum", b.cast(before, "int64"), [x.rank], keepdim=False)
