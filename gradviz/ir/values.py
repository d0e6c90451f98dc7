"""Attribute values as JSON: numbers, texts, tuples, slices, symbols and arrays.

| value | JSON |
|---|---|
| None, bool, int, text, finite float | itself |
| tuple | a list |
| `...` | `{"ellipsis": true}` |
| nan and infinities | `{"float": "nan"}`, `"inf"`, `"-inf"` |
| slice | `{"slice": [start, stop, step]}` |
| symbolic size | `{"size": "2*batch"}` |
| array or scalar of the array library | `{"array": base64, "shape": [...], "dtype": name}` |
"""

from __future__ import annotations

import base64
import binascii
import math
from typing import Any, Final

from gradviz.core import dtype as dtypes
from gradviz.core.shape import count
from gradviz.ir.host import host
from gradviz.ops.size import Size, parse

MOST_ELEMENTS: Final = 2**40
"""Elements of the largest tensor a program that is read may have."""
MOST_DIMENSIONS: Final = 64
DEEPEST: Final = 16
"""Levels of tuples inside each other in one attribute."""
_LARGEST: Final = 2**63


class Unreadable(ValueError):  # noqa: N818 - not an error users see: it becomes one with a place
    """What is wrong with a value."""


def encode(value: Any, depth: int = 0) -> Any:
    """A value as JSON has it; Unreadable for what has no form there."""
    if value is None or value is True or value is False or isinstance(value, str):
        return value
    if type(value) is int:
        return _whole(value)
    if type(value) is float:
        return value if math.isfinite(value) else {"float": str(value)}
    if isinstance(value, tuple | list):
        if depth >= DEEPEST:
            raise Unreadable("tuples are nested too deeply")
        return [encode(item, depth + 1) for item in value]
    if value is Ellipsis:
        return {"ellipsis": True}
    if isinstance(value, slice):
        return {"slice": [encode(part, DEEPEST) for part in (value.start, value.stop, value.step)]}
    if isinstance(value, Size):
        return {"size": str(value)}
    if host().is_array(value):
        return encode_array(value)
    raise Unreadable(f"a {type(value).__name__} has no form in JSON")


def decode(value: Any, depth: int = 0) -> Any:
    """The value a JSON form stands for; Unreadable for anything else."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        return _whole(value)
    if isinstance(value, float):
        if math.isfinite(value):
            return value
        raise Unreadable("a number is not finite")
    if isinstance(value, list):
        if depth >= DEEPEST:
            raise Unreadable("lists are nested too deeply")
        return tuple(decode(item, depth + 1) for item in value)
    keys = set(value)
    if keys == {"float"} and value["float"] in ("nan", "inf", "-inf"):
        return float(value["float"])
    if keys == {"ellipsis"} and value["ellipsis"] is True:
        return Ellipsis
    if keys == {"slice"} and isinstance(value["slice"], list) and len(value["slice"]) == 3:
        parts = [decode(part, DEEPEST) for part in value["slice"]]
        if all(part is None or type(part) in (int, Size) for part in parts):
            return slice(*parts)
    if keys == {"size"} and isinstance(value["size"], str):
        return length(value["size"])
    if keys == {"array", "shape", "dtype"}:
        return decode_array(value)
    raise Unreadable(f"an object with the keys {sorted(keys)[:4]} stands for no value")


def encode_array(array: Any) -> dict[str, Any]:
    """An array as JSON has it."""
    shape, dtype = host().facts(array)
    data = base64.b64encode(host().encode(array)).decode("ascii")
    return {"array": data, "shape": list(shape), "dtype": dtype}


def decode_array(value: dict[str, Any]) -> Any:
    """The array of a JSON form."""
    sizes = shape(value["shape"], symbols=False)
    if not isinstance(value["dtype"], str) or value["dtype"] not in dtypes.NAMES:
        raise Unreadable(f"{value['dtype']!r} is no dtype")
    return contents(value["array"], sizes, value["dtype"])


def contents(text: Any, sizes: tuple[Any, ...], dtype: str) -> Any:
    """The array of a base64 text."""
    if not isinstance(text, str):
        raise Unreadable("the contents of an array are no text")
    # Compared before anything is decoded: the text is there already, the array isn't yet.
    wanted = count(sizes) * dtypes.named(dtype).itemsize
    if len(text) != (wanted + 2) // 3 * 4:
        raise Unreadable(f"an array of shape {sizes} and dtype {dtype} has other contents")
    try:
        return host().decode(binascii.a2b_base64(text, strict_mode=True), sizes, dtype)
    except ValueError as error:
        raise Unreadable(f"the contents of an array can't be read: {error}") from None


def shape(value: Any, *, symbols: bool = True) -> tuple[Any, ...]:
    """A shape: a list of sizes, symbols written as texts."""
    if not isinstance(value, list):
        raise Unreadable(f"a {type(value).__name__} is no shape")
    if len(value) > MOST_DIMENSIONS:
        raise Unreadable(f"{len(value)} dimensions are more than {MOST_DIMENSIONS}")
    sizes = tuple(length(size) if symbols and isinstance(size, str) else size for size in value)
    total = 1
    for size in sizes:
        if isinstance(size, Size):
            continue
        if type(size) is not int or size < 0:
            raise Unreadable(f"{size!r} is no size")
        total *= max(size, 1)
        if total > MOST_ELEMENTS:
            raise Unreadable(f"a tensor has more than {MOST_ELEMENTS} elements")
    return sizes


def length(text: str) -> Any:
    """A size written as a text."""
    try:
        return parse(text)
    except ValueError as error:
        raise Unreadable(f"{text[:80]!r} is no size: {error}") from None


def _whole(value: int) -> int:
    if -_LARGEST <= value < _LARGEST:
        return value
    raise Unreadable("a whole number is too large")
