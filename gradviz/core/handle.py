"""Handles: what takes a hook off again."""

from __future__ import annotations

import itertools
from typing import Any, Final, Self

_next_key: Final = itertools.count().__next__


class Handle:
    """Takes a hook off again; as a context manager at the end of its block.

    Example:
        >>> from gradviz.core.handle import Handle
        >>> hooks = {}
        >>> with Handle(hooks, print):
        ...     len(hooks)
        1
        >>> len(hooks)
        0
    """

    def __init__(self, hooks: dict[int, Any], hook: Any, *, first: bool = False) -> None:
        self._hooks = hooks
        self._key = _next_key()
        others = dict(hooks) if first else {}
        if first:
            hooks.clear()
        hooks[self._key] = hook
        hooks.update(others)

    def remove(self) -> None:
        """Takes the hook off; a second time does nothing."""
        self._hooks.pop(self._key, None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()
