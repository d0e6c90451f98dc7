"""Puts the groups that nobody named into the columns of a graph."""

from __future__ import annotations

from collections.abc import Sequence
from types import CodeType

from gradviz.backends.ndarray import columns
from gradviz.graph.groups import Groups
from gradviz.graph.regions import Regions
from gradviz.graph.rows import Spot, kept_of
from gradviz.graph.table import Table


def regrouped(
    table: Table,
    scopes: Groups,
    spots: Sequence[Spot],
    sites: dict[int, tuple[CodeType | None, int]],
) -> None:
    """Puts the groups that nobody named into a table whose groups are scopes and modules.

    Args:
        table: what to change.
        scopes: its groups.
        spots: where nodes were made, by place.
        sites: the call site of each module, by its number counted from 1, where it is known.
    """
    regions = Regions(spots, scopes, sites)
    found = columns.column(regions.follow(table))
    rows = regions.rows
    count = len(rows.labels)
    if count == len(scopes) + 1:
        return  # nothing but scopes
    parents = columns.column(rows.parents)
    parents[0] = 0
    layers = columns.levels(parents)
    kept = kept_of(rows, found, table, layers)
    ascending = bool((parents[1:] < columns.counting(count)[1:]).all())
    order = columns.counting(count)[1:] if ascending else columns.joined(*layers)
    order = order[kept[order] == order]
    places = columns.zeros(count)
    places[order] = columns.counting(len(order)) + 1
    numbers = -columns.counting(count)
    row_of = columns.column(regions.row_of[1:])
    reached = row_of > 0
    numbers[row_of[reached]] = columns.column(scopes.numbers)[reached]
    groups = Groups()
    groups.numbers = columns.stored(numbers[order])
    groups.labels = list(map(rows.labels.__getitem__, columns.numbers(order)))
    kinds = columns.column(rows.kinds)[order]
    groups.kinds = list(map(rows.names.__getitem__, columns.numbers(kinds)))
    groups.around = columns.stored(places[kept[parents[order]]])
    table.groups = groups
    table.group = columns.stored(places[kept[found]])
