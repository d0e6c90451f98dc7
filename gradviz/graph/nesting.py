"""How groups stand in one another."""

from __future__ import annotations

from collections.abc import Sequence

from gradviz.graph.record import GraphGroup


def parents_of(groups: Sequence[GraphGroup]) -> dict[str, str | None]:
    """The group around each group; a circle is broken, and unknown groups count as none."""
    known = {group.id: group.parent for group in groups}
    parents = {id: parent if parent in known else None for id, parent in known.items()}
    sound: set[str] = set()
    for id in parents:
        path: dict[str, None] = {}
        at: str | None = id
        while at is not None and at not in sound and at not in path:
            path[at] = None
            at = parents[at]
        if at is not None and at in path:
            parents[at] = None
        sound.update(path)
    return parents


def depths_of(parents: dict[str, str | None]) -> dict[str, int]:
    """How many groups stand around each group."""
    depths: dict[str, int] = {}
    for id in parents:
        path = []
        at: str | None = id
        while at is not None and at not in depths:
            path.append(at)
            at = parents[at]
        depth = -1 if at is None else depths[at]
        for step in reversed(path):
            depth += 1
            depths[step] = depth
    return depths
