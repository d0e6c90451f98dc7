"""When two attributes or constants are the same."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any


def key(value: Any) -> Hashable:
    """Something equal for equal values, and only for them."""
    if isinstance(value, tuple | list):
        return (type(value).__name__, *map(key, value))
    if isinstance(value, slice):
        return ("slice", value.start, value.stop, value.step)
    if hasattr(value, "tobytes"):
        return (str(value.dtype), tuple(value.shape), value.tobytes())
    # 1, 1.0 and True are equal, and so are 0.0 and -0.0; as attributes they aren't.
    return (type(value).__name__, repr(value))
