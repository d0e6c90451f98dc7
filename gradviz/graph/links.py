"""Arrows between the boxes of a picture: one for all edges between the same two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gradviz.backends.ndarray import columns
from gradviz.graph.folded import Link
from gradviz.graph.table import Table


def links_of(
    table: Table,
    place: Any,
    made: Sequence[str | None],
    chips: Mapping[tuple[int, int], int],
) -> tuple[Link, ...]:
    """The arrows, in the order of the first edge of each.

    Args:
        table: the graph.
        place: of each node the number of the box it is in; 0 for none.
        made: the ids of boxes by number.
        chips: the boxes of leaves that are drawn once more, by leaf and by the box they feed.
    """
    count, from_at = len(made), columns.column(table.source)
    source, target = place[from_at], place[columns.column(table.targets)]
    if chips:
        keys = {at * count + fed: chip for (at, fed), chip in chips.items()}
        known = sorted(keys)
        hit, which = columns.found_in(from_at * count + target, columns.column(known))
        source = columns.chosen(hit, columns.column([keys[key] for key in known])[which], source)
    edges = columns.positions((source > 0) & (target > 0) & (source != target))
    first, which, counts = columns.distinct(source[edges] * count + target[edges])
    tracked = columns.holds(which, columns.column(table.tracked)[edges], len(first))
    cuts = _cuts(table, edges, which, len(first))
    told = zip(columns.numbers(edges[first]), columns.numbers(counts), strict=True)
    return tuple(
        Link(
            str(made[source[edge]]),
            str(made[target[edge]]),
            table.slots[table.slot[edge]] if many == 1 else "",
            bool(tracked[at]),
            cuts.get(at),
            many,
        )
        for at, (edge, many) in enumerate(told)
    )


def _cuts(table: Table, edges: Any, which: Any, count: int) -> dict[int, str | None]:
    """Why no gradient comes back along arrows, by the first of their edges that is cut."""
    looks, look = table.looks, columns.column(table.look)
    if not any(item.cut is not None for item in looks):
        return {}
    cut = columns.column([item.cut is not None for item in looks])
    tracked = columns.column([item.requirement != "none" for item in looks])
    target = look[columns.column(table.targets)[edges]]
    source = look[columns.column(table.source)[edges]]
    where = columns.positions(cut[target] & tracked[source])
    first = columns.numbers(columns.first_of(which[where], count))
    ends = ((at, edge) for at, edge in enumerate(first) if edge < len(where))
    return {at: looks[target[where[edge]]].cut for at, edge in ends}
