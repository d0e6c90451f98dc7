"""Dtype names, categories and PyTorch's promotion rules, on names alone.

The dtype objects themselves belong to an array library; a backend registers them here under
their names, so that no layer above needs to import one.
"""

from __future__ import annotations

from typing import Any, Final, Literal, Protocol

Category = Literal["bool", "int", "float"]


class DType(Protocol):
    """What is asked of a dtype object: NumPy's have it."""

    @property
    def name(self) -> str:
        """What it is called: "float32"."""

    @property
    def kind(self) -> str:
        """One letter: "f", "i", "u" or "b"."""

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""


FLOATS: Final = ("float16", "float32", "float64")
SIGNED: Final = ("int8", "int16", "int32", "int64")
UNSIGNED: Final = ("uint8", "uint16", "uint32", "uint64")
NAMES: Final = ("bool", *UNSIGNED, *SIGNED, *FLOATS)

_CATEGORY_OF_KIND: Final[dict[str, Category]] = {"f": "float", "i": "int", "u": "int", "b": "bool"}
_RANK: Final[dict[Category, int]] = {"bool": 0, "int": 1, "float": 2}

_objects: dict[str, Any] = {}
_names: dict[Any, str] = {}


def register(name: str, dtype: Any) -> None:
    """Makes `dtype` the object that stands for `name`."""
    _objects[name] = dtype
    _names[dtype] = name


def name_of(dtype: Any) -> str:
    """A dtype's name, without NumPy's working it out anew each time (microseconds)."""
    name = _names.get(dtype)
    return str(dtype.name) if name is None else name


def canonical(dtype: Any) -> Any:
    """The one object that stands for a dtype here; None for one that has none."""
    name = _names.get(dtype)
    return None if name is None else _objects[name]


def named(name: str) -> Any:
    """The dtype object of a name; KeyError for an unknown one."""
    return _objects[name]


def category(dtype: DType) -> Category:
    """Whether a dtype is floating point, integer or boolean."""
    return _CATEGORY_OF_KIND[dtype.kind]


def is_supported(dtype: DType) -> bool:
    """Whether tensors of this dtype exist here (complex, text, dates and objects don't)."""
    return name_of(dtype) in _objects


def promote(lhs: str, rhs: str) -> str:
    """The common dtype of two tensors of the same standing, as in PyTorch.

    >>> from gradviz.core.dtype import promote
    >>> promote("int64", "float16"), promote("uint8", "int8"), promote("bool", "uint8")
    ('float16', 'int16', 'uint8')
    """
    if lhs == rhs:
        return lhs
    left, right = _category_of_name(lhs), _category_of_name(rhs)
    if left != right:
        return lhs if _RANK[left] > _RANK[right] else rhs
    if left == "float":
        return max(lhs, rhs, key=FLOATS.index)
    if (lhs in SIGNED) == (rhs in SIGNED):
        family = SIGNED if lhs in SIGNED else UNSIGNED
        return max(lhs, rhs, key=family.index)
    signed, unsigned = (lhs, rhs) if lhs in SIGNED else (rhs, lhs)
    width = max(SIGNED.index(signed), UNSIGNED.index(unsigned) + 1)
    return SIGNED[min(width, len(SIGNED) - 1)]


def _category_of_name(name: str) -> Category:
    return "bool" if name == "bool" else "float" if name in FLOATS else "int"


DIMENSIONED, SCALAR, NUMBER = 2, 1, 0
"""Standings of operands: a tensor with dimensions, one without, a plain Python number."""


def result_type(operands: list[tuple[str, int]]) -> str:
    """The dtype an operation computes in: `operands` are `(dtype name, standing)` pairs.

    An operand of lower standing counts only where its category is higher, as in PyTorch.

    >>> from gradviz.core.dtype import DIMENSIONED, SCALAR, result_type
    >>> result_type([("float32", DIMENSIONED), ("float64", SCALAR)])
    'float32'
    >>> result_type([("int64", DIMENSIONED), ("float64", SCALAR)])
    'float64'
    """
    result: str | None = None
    for standing in (DIMENSIONED, SCALAR, NUMBER):
        common: str | None = None
        for name, rank in operands:
            if rank == standing:
                common = name if common is None else promote(common, name)
        if common is None:
            continue
        if result is None or _RANK[_category_of_name(common)] > _RANK[_category_of_name(result)]:
            result = common
    if result is None:
        raise ValueError("no operands")
    return result
