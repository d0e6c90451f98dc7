"""Who reads which operation of the format."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

Reader = Callable[..., Any]

READERS: Final[dict[str, Reader]] = {}
"""Operation -> `reader(c)`, which returns what its outputs are."""

_DATA = "the shape of its result depends on values"
WHY_NOT: Final = {
    "NonZero": _DATA,
    "Compress": _DATA,
    "Unique": _DATA,
    "NonMaxSuppression": _DATA,
}
"""Why some operations can't be read."""


def reads(*kinds: str) -> Callable[[Reader], Reader]:
    """Registers the reader of some operations."""

    def register(reader: Reader) -> Reader:
        for kind in kinds:
            if kind in READERS:
                raise TypeError(f"{kind} is read twice")
            READERS[kind] = reader
        return reader

    return register
