"""Which nodes are computed while a model is read: shapes and small tables, never weights."""

from __future__ import annotations

from typing import Any, Final

from gradviz.core.shape import count
from gradviz.onnx.read.call import Item
from gradviz.ops.size import Size

MOST_ELEMENTS: Final = 1 << 16
"""Larger results are left to the program."""

_SAME = (
    "Abs And Cast Ceil Clip Concat CumSum Equal Exp Floor Greater GreaterOrEqual Identity Less "
    "LessOrEqual Log Max Min Mod Mul Neg Not Or Pow Reciprocal ReduceMax ReduceMin ReduceProd "
    "ReduceSum Reshape Flatten Round Sign Slice Split Sqrt Squeeze Sub Transpose Trilu Unsqueeze "
    "Where Xor Add Div ScatterND ScatterElements"
)
_GROWING = "Expand Gather GatherElements Tile"
_ALWAYS = "Constant ConstantOfShape EyeLike Range Shape Size"
BROADCAST: Final = frozenset(
    "Add And Div Equal Greater GreaterOrEqual Less LessOrEqual Max Min Mod Mul Or Pow Sub Where "
    "Xor".split()
)
FOLDABLE: Final = frozenset(f"{_SAME} {_GROWING}".split())
MADE: Final = frozenset(_ALWAYS.split())
"""Operations that give known values by themselves."""


def foldable(kind: str, items: list[Item | None]) -> bool:
    """Whether a node is computed now: its inputs are known, small, and nothing that is learned."""
    if kind not in FOLDABLE:
        return False
    total = 0
    for item in items:
        if item is None:
            continue
        if item.fixed is None or item.learned:
            return False
        total += count(tuple(item.fixed.shape))
    return total <= MOST_ELEMENTS and _result(kind, items) <= MOST_ELEMENTS


def _result(kind: str, items: list[Item | None]) -> int:
    """At most how many elements the result has."""
    shapes: list[tuple[Any, ...]] = [item.shape for item in items if item is not None]
    if not shapes or any(isinstance(n, Size) for shape in shapes for n in shape):
        return MOST_ELEMENTS + 1
    if kind in BROADCAST:
        rank = max(len(shape) for shape in shapes)
        wide = [(1,) * (rank - len(shape)) + tuple(shape) for shape in shapes]
        return _product([max(sizes) for sizes in zip(*wide, strict=True)])
    if kind in ("Expand", "Tile"):
        second = items[1]
        if second is None or second.fixed is None or len(second.shape) != 1:
            return MOST_ELEMENTS + 1
        asked = [abs(int(n)) for n in second.fixed.tolist()]
        return _product([*asked, *shapes[0]])
    if kind in ("Gather", "GatherElements"):
        return _product([*shapes[0], *shapes[1]])
    return 0


def _product(sizes: list[int]) -> int:
    total = 1
    for size in sizes:
        total *= max(size, 1)
        if total > MOST_ELEMENTS:
            break
    return total
