"""Shape and dtype rules shared by many rows.

A rule takes one `(shape, dtype name)` pair per input (None for an absent one), then the attributes,
and returns the pair of the result, or a list of pairs for several results.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradviz.ops import shapes
from gradviz.ops.shapes import Shape

Fact = tuple[Shape, str]


def same(x: Fact, *_: Any) -> Fact:
    """The result has the input's shape and dtype."""
    return x


def broadcast(name: str) -> Callable[..., Fact]:
    """Operands broadcast; the dtype is the first one's (they were promoted before)."""

    def rule(*facts: Any) -> Fact:
        operands = [fact for fact in facts if isinstance(fact, tuple) and _is_fact(fact)]
        return shapes.broadcast(name, *(shape for shape, _ in operands)), operands[0][1]

    return rule


def _is_fact(value: tuple[Any, ...]) -> bool:
    return len(value) == 2 and isinstance(value[0], tuple) and isinstance(value[1], str)


def broadcast_bool(name: str) -> Callable[..., Fact]:
    """Operands broadcast; the result is bool."""

    def rule(*facts: Any) -> Fact:
        operands = [fact for fact in facts if isinstance(fact, tuple) and _is_fact(fact)]
        return shapes.broadcast(name, *(shape for shape, _ in operands)), "bool"

    return rule


def reduce(x: Fact, dims: tuple[int, ...], keepdim: bool) -> Fact:
    """Dimensions `dims` go."""
    return shapes.reduced(x[0], dims, keepdim), x[1]


def reduce_whole(x: Fact, dims: tuple[int, ...], keepdim: bool) -> Fact:
    """Dimensions `dims` go; whole numbers and bools are added up as int64."""
    return shapes.reduced(x[0], dims, keepdim), widened(x[1])


def widened(dtype: str) -> str:
    """The dtype that elements of `dtype` are accumulated in."""
    return dtype if dtype.startswith("float") else "int64"


def reduce_bool(x: Fact, dims: tuple[int, ...], keepdim: bool) -> Fact:
    """Dimensions `dims` go; the result is bool."""
    return shapes.reduced(x[0], dims, keepdim), "bool"


def reduce_index(x: Fact, dim: int | None, keepdim: bool) -> Fact:
    """One dimension goes, or all; the result is an index."""
    dims = tuple(range(len(x[0]))) if dim is None else (dim,) if x[0] else ()
    return shapes.reduced(x[0], dims, keepdim), "int64"


def reduce_with_index(x: Fact, dim: int, keepdim: bool) -> list[Fact]:
    """One dimension goes; values and their indices."""
    shape = shapes.reduced(x[0], (dim,) if x[0] else (), keepdim)
    return [(shape, x[1]), (shape, "int64")]
