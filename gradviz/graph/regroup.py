"""Puts the groups that nobody named into the columns of a graph."""

from __future__ import annotations

from collections.abc import Sequence
from types import CodeType

from gradviz.graph.record import GraphGroup
from gradviz.graph.regions import Regions
from gradviz.graph.rows import Spot, kept_of, outer_first
from gradviz.graph.table import Table


def regrouped(
    table: Table, spots: Sequence[Spot], sites: dict[int, tuple[CodeType | None, int]]
) -> None:
    """Puts the groups that nobody named into a table whose groups are scopes and modules.

    Args:
        table: what to change.
        spots: where nodes were made, by place.
        sites: the call site of each module, by its number counted from 1, where it is known.
    """
    regions = Regions(spots, table.groups, sites)
    found = regions.follow(table)
    rows = regions.rows
    if len(rows.labels) == len(table.groups) + 1:
        return  # nothing but scopes
    kept = kept_of(rows, found, table)
    labels, kinds, parents = rows.labels, rows.kinds, rows.parents
    numbers = [0] * len(labels)
    scopes: list[GraphGroup | None] = [None] * len(labels)
    for scope, row in zip(table.groups, regions.row_of[1:], strict=True):
        if row > 0:
            scopes[row] = scope
    groups: list[GraphGroup] = []
    for row in outer_first(parents):
        if kept[row] != row:
            continue
        around = numbers[kept[parents[row]]]
        parent = groups[around - 1].id if around else None
        group = scopes[row]
        if group is None:
            group = GraphGroup(f"r{row}", labels[row], kinds[row], parent)
        elif group.parent != parent:
            group = GraphGroup(group.id, group.label, group.kind, parent)
        groups.append(group)
        numbers[row] = len(groups)
    table.groups = tuple(groups)
    table.group = [numbers[kept[row]] for row in found]
