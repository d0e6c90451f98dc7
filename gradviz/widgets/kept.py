"""Graphs that views can ask about: a bounded number, the least recently used are let go."""

from __future__ import annotations

import secrets
import threading
import weakref
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from gradviz.graph.graph import Graph

MOST_GRAPHS: Final = 16
MOST_NODES: Final = 3_000_000
"""Nodes of all kept graphs together; the newest graph stays whatever its size."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A graph, and weakly what it was drawn from: looking at a tensor must not keep it alive."""

    graph: Graph
    things: tuple[weakref.ref[Any], ...]

    def alive(self) -> tuple[Any, ...]:
        """What the graph was drawn from and still exists."""
        found = (reference() for reference in self.things)
        return tuple(thing for thing in found if thing is not None)


_kept: OrderedDict[str, Kept] = OrderedDict()
_lock: Final = threading.Lock()


def keep(graph: Graph, things: Iterable[Any] = ()) -> str:
    """Keeps a graph for questions; returns the key that names it in messages.

    The same graph object has one key. Keys can't be guessed, and a restarted kernel knows none of
    the old ones.

    Args:
        graph: what questions will be about.
        things: what it was drawn from; held weakly.
    """
    with _lock:
        for key, known in _kept.items():
            if known.graph is graph:
                _kept.move_to_end(key)
                return key
        key = secrets.token_urlsafe(12)
        _kept[key] = Kept(graph, tuple(_weakly(things)))
        total = sum(len(known.graph) for known in _kept.values())
        while len(_kept) > MOST_GRAPHS or (total > MOST_NODES and len(_kept) > 1):
            total -= len(_kept.popitem(last=False)[1].graph)
        return key


def find(key: str) -> Kept | None:
    """The graph of a key, used most recently from now on; None where it was let go."""
    with _lock:
        known = _kept.get(key)
        if known is not None:
            _kept.move_to_end(key)
        return known


def let_go(key: str) -> None:
    """Lets a graph go that another one has taken the place of."""
    with _lock:
        _kept.pop(key, None)


def forget() -> None:
    """Lets every graph go."""
    with _lock:
        _kept.clear()


def _weakly(things: Iterable[Any]) -> Iterable[weakref.ref[Any]]:
    for thing in things:
        try:
            yield weakref.ref(thing)
        except TypeError:  # a list, a dict: what it holds was asked about as well
            continue
