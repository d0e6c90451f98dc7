"""Who writes which row: one function for every row that isn't a single plain node."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from gradviz.onnx.builder import Builder, InexpressibleError
from gradviz.ops.spec import Row, table

Writer = Callable[..., Any]

WRITERS: Final[dict[str, Writer]] = {}
"""Row name -> `writer(b, *inputs, **attributes)`, which returns the result or a tuple of them."""

REFUSED: Final[dict[str, str]] = {}
"""Rows that the format has no words for, and why."""


def writes(*names: str) -> Callable[[Writer], Writer]:
    """Registers the writer of some rows."""

    def register(writer: Writer) -> Writer:
        for name in names:
            if name not in table:
                raise TypeError(f"no row is called {name!r}")
            if name in WRITERS:
                raise TypeError(f"row {name!r} is written twice")
            WRITERS[name] = writer
        return writer

    return register


def refuses(reason: str, *names: str) -> None:
    """Says of rows that they can't be written."""
    for name in names:
        if name not in table:
            raise TypeError(f"no row is called {name!r}")
        REFUSED[name] = reason


def plain(b: Builder, *inputs: Any, **attributes: Any) -> Any:
    """The one node that the row names."""
    return b.op(b.row.onnx or "", *inputs, **attributes)


def writer_of(row: Row) -> Writer:
    """The writer of a row.

    Raises:
        InexpressibleError: where there is none.
    """
    found = WRITERS.get(row.name)
    if found is not None:
        return found
    if row.onnx is not None and not row.attrs and row.name not in REFUSED:
        return plain
    raise InexpressibleError(REFUSED.get(row.name, "ONNX has no operation for it"))
