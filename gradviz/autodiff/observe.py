"""Watching a backward pass: the engine's own run, with a tape that tells what happens to it.

The engine keeps the gradients it still has to pass on in a dict. Where somebody watches, that dict
is a `Tape`: it stores and adds up the same numbers in the same order, and reports every gradient
that is taken out, every part that arrives and every join. A pass nobody watches knows nothing of
it.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any, Protocol

from gradviz.autodiff.checkpoint import Recomputation
from gradviz.autodiff.node import Node


class Watcher(Protocol):
    """Is told what a backward pass does, while it does it."""

    def begin(self, root: Node, nodes: list[Node], keep: bool) -> None:
        """The pass starts: the nodes it will run, newest first."""

    def take(self, node: Node, incoming: Any) -> None:
        """A node's gradient is complete and its step is about to run."""

    def arrive(self, node: Node, part: Any, total: Any, joins: bool) -> None:
        """The running step gave a part to a node, whose gradient is `total` now."""

    def recomputed(self, nodes: list[Node]) -> None:
        """Results were recomputed for the running step."""

    def end(self, gradients: Any) -> None:
        """The pass is over and gave this to its caller."""


watching: ContextVar[Watcher | None] = ContextVar("gradviz_watching", default=None)
"""Who watches the backward passes of this context."""


class Tape(dict[Node, Any]):
    """The gradients still to be passed on, telling a watcher of every change."""

    def __init__(self, watcher: Watcher) -> None:
        super().__init__()
        self._watcher = watcher

    def start(self, root: Node, nodes: list[Node], seed: Any, keep: bool) -> Tape:
        """The engine's first word, what it is going to run; gives the tape with the seed on it."""
        self._watcher.begin(root, nodes, keep)
        super().__setitem__(root, seed)
        return self

    def get(self, _node: Node, _default: Any = None) -> Any:
        """Nothing: a step then hands over its part alone, which `__setitem__` adds up."""
        return None

    def pop(self, node: Node, *default: Any) -> Any:
        """What the engine takes out when a node's turn has come."""
        incoming = super().pop(node, *default)
        if incoming is not None:
            self._watcher.take(node, incoming)
        return incoming

    def __setitem__(self, node: Node, part: Any) -> None:
        # What a compiled step does itself where nobody watches.
        old = super().get(node)
        total = part if old is None else old + part
        super().__setitem__(node, total)
        self._watcher.arrive(node, part, total, old is not None)


class _Results(dict[Node, Any]):
    """Recomputed results, with a list of whose were made since it was last emptied."""

    def __init__(self) -> None:
        super().__init__()
        self.made: list[Node] = []

    def __setitem__(self, node: Node, result: Any) -> None:
        super().__setitem__(node, result)
        self.made.append(node)


class WatchedRecomputation(Recomputation):
    """Recomputation that tells which results it made anew."""

    def __init__(self, xp: Any, watcher: Watcher) -> None:
        super().__init__(xp)
        self._watcher = watcher
        self._results: _Results = _Results()

    def values(self, node: Node, names: tuple[str, ...], saved: Any) -> Any:
        """The values a step asks for, and word of what had to be recomputed for them."""
        found = super().values(node, names, saved)
        made, self._results.made = self._results.made, []
        if made:
            self._watcher.recomputed(made)
        return found
