"""Whether a kernel is there that can be asked about a graph; how is for the widgets, above."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Keep = Callable[..., str | None]

_find: list[Callable[[], Keep]] = []


def set_keeper(find: Callable[[], Keep]) -> None:
    """Lets the widgets supply what keeps graphs for questions; loaded when a graph is displayed."""
    _find[:] = [find]


def key_of(graph: Any) -> str | None:
    """The key under which the running kernel keeps a graph that is displayed now, if it does."""
    return _find[0]()(graph) if _find else None
