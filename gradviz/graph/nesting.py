"""How groups stand in one another: groups are their positions counted from 1, 0 is around all."""

from __future__ import annotations

from collections.abc import Sequence

from gradviz.graph.groups import Groups
from gradviz.graph.record import GraphGroup


def parents_of(groups: Sequence[GraphGroup]) -> list[int]:
    """The group around each group; a circle is broken, and unknown groups count as none."""
    if isinstance(groups, Groups):
        return [0, *groups.around]
    at = {group.id: number for number, group in enumerate(groups, 1)}
    parents = [0, *(at.get(group.parent, 0) if group.parent else 0 for group in groups)]
    if all(map(int.__lt__, parents[1:], range(1, len(parents)))):
        return parents  # outer ones first: there can be no circle
    sound = bytearray(len(parents))
    sound[0] = 1
    for start in range(1, len(parents)):
        path: dict[int, None] = {}
        group = start
        while not sound[group] and group not in path:
            path[group] = None
            group = parents[group]
        if group in path:
            parents[group] = 0
        for member in path:
            sound[member] = 1
    return parents


def depths_of(parents: Sequence[int]) -> list[int]:
    """How many groups stand around each group."""
    depths = [-1] * len(parents)
    for start in range(1, len(parents)):
        path = []
        group = start
        while group and depths[group] < 0:
            path.append(group)
            group = parents[group]
        depth = depths[group]
        for step in reversed(path):
            depth += 1
            depths[step] = depth
    return depths
