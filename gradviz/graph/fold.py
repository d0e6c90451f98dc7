"""The folded view of a graph: what a static picture shows of many nodes.

Modules and scopes become one box where they hold too much, blocks that repeat the one before become
"5 more like it", stretches of plain operations become "12 more operations", leaves that many
operations share are drawn again at each use. Everything is linear and iterative: a training loop of
100,000 operations folds in about a second.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Final

from gradviz.backends.ndarray import columns
from gradviz.graph.alike import Alike, Entry, forms_of, gathered, stems_of
from gradviz.graph.folded import Folded, Item, Link
from gradviz.graph.graph import Graph, GraphNode
from gradviz.graph.links import links_of
from gradviz.graph.marks import Mark, marks_of, worst
from gradviz.graph.model import RequirementName
from gradviz.graph.nesting import parents_of

MOST_ITEMS: Final = 60
"""Boxes a picture shows unless more are asked for: what can be taken in at a glance."""

MOST_USES: Final = 3
"""Uses of a leaf that are drawn as edges from one place; a leaf with more gets a chip per use."""

MOST_BESIDE: Final = 8
"""Leaves drawn at one operation."""


def fold(graph: Graph, *, most: int | None = MOST_ITEMS) -> Folded:
    """The folded view.

    Args:
        graph: what to show.
        most: boxes to show at most, roughly; roots and nodes with problems come first. None for
            every node.
    """
    everything = 2 * (len(graph) + len(graph.edges)) + 16
    return _Folding(graph, everything if most is None else most).result()


Part = Entry | Alike | tuple[Entry, ...]
"""What a group shows: an entry, blocks that repeat the one before, a stretch put together."""

_STRENGTH: Final[dict[RequirementName, int]] = {"none": 0, "grad": 1, "grad_in_backward": 2}


class _Folding:
    """One run of the algorithm; the steps are in the order of `result`."""

    def __init__(self, graph: Graph, most: int) -> None:
        self.graph = graph
        self.most = most
        self.table = table = graph.table
        position = table.position
        marks = marks_of(graph)
        self.marks = {position[number]: marks[number] for number in marks if number in position}
        self.roots = {position[number] for number in graph.roots if number in position}
        self.computed = columns.column(table.computed) != 0
        self.look = columns.column(table.look)
        # Groups are their positions counted from 1, and 0 stands for what is around all of them.
        self.around = columns.column(parents_of(graph.groups))
        self.layers = columns.levels(self.around)
        self.group_of = columns.column(table.group)
        self.ops = columns.column(table.ops())[self.look]
        self.forms: Any = None
        self.stretches: dict[int, Sequence[Entry | Alike]] = {}
        self.open_groups = {0}
        self.items: dict[str, Item] = {}
        # Items are numbered as they are made; 0 is none of them.
        self.made: list[str | None] = [None]
        self.number: dict[str, int] = {}
        # Of each node, by position, where it ended up.
        self.place = columns.zeros(len(table))
        # Of each group, the item that it ended up in where it is folded.
        self.inside = columns.zeros(len(self.around))
        self.shapes: dict[tuple[int, str], str] = {}  # a leaf's own chip for a target item
        self.absorbed: Counter[str] = Counter()  # leaves that are counted in each item

    def result(self) -> Folded:
        self.list_entries()
        self.unfold()
        self.settle_operations()
        self.place_leaves()
        self.summarise()
        bands = tuple(
            replace(self.graph.groups[at - 1], parent=self.key(int(self.around[at])))
            for at in sorted(self.used_bands())
        )
        return Folded(self.graph, tuple(self.items.values()), self.links(), bands)

    def key(self, group: int) -> str | None:
        """The id of a group."""
        return self.graph.groups[group - 1].id if group else None

    def add(self, item: Item) -> int:
        """Adds an item; gives its number."""
        self.items[item.id] = item
        number = self.number[item.id] = len(self.made)
        self.made.append(item.id)
        return number

    # --- what stands in which group ----------------------------------------------------------
    def list_entries(self) -> None:
        """Operations and inner groups of each group, in the order they were computed."""
        nodes = columns.positions(self.computed)
        count = len(self.around)
        first = columns.first_of(self.group_of[nodes], count)
        columns.earliest(first, self.around, self.layers)
        groups = columns.positions(first[1:] < len(nodes)) + 1
        entries = columns.joined(nodes, ~groups)
        holders = columns.joined(self.group_of[nodes], self.around[groups])
        # A group stands where its first operation does.
        order = columns.joined(columns.counting(len(nodes)), first[groups])
        by_group, self.starts = columns.grouped(holders, order, count)
        self.entries = entries[by_group]
        self.important: set[Entry] = set()
        cut = columns.column([look.cut is not None for look in self.table.looks])
        cuts = columns.numbers(columns.positions(cut[self.look])) if cut.any() else []
        for at in (*self.roots, *self.marks, *cuts):
            self.important.add(at)
            group = int(self.group_of[at])
            while group and ~group not in self.important:
                self.important.add(~group)
                group = int(self.around[group])

    # --- which groups are open ---------------------------------------------------------------
    def unfold(self) -> None:
        """Opens groups from the outside in while there is room; troubled ones first."""
        total = int(self.computed.sum())
        room = max(self.most * 4 // 5, 12)
        limit = inner = total
        if total > room:
            # What doesn't fit as it is becomes an overview, short enough to take in.
            room = max(self.most * 3 // 5, 12)
            limit, inner = room // 2, room // 3
            if self.graph.groups:
                stems = columns.column(stems_of(self.graph.groups))
                self.forms = forms_of(self.entries, self.starts, self.layers, stems, self.ops)
        used = 0
        depths = columns.depths(self.around)
        waiting: list[tuple[bool, int, int, int, int]] = []
        group = 0
        while True:
            stretch = self.contract(group, limit)
            used += len(stretch)
            self.lay_out(group, stretch)
            for entry in stretch:
                if isinstance(entry, int) and entry < 0:
                    cost = len(self.contract(~entry, inner))
                    rank = (entry not in self.important, int(depths[~entry]), cost)
                    heapq.heappush(waiting, (*rank, len(waiting), ~entry))
            while waiting:
                *_, cost, _, group = heapq.heappop(waiting)
                if used + cost - 1 <= room:
                    used -= 1
                    del self.items[f"g:{self.key(group)}"]
                    self.inside[group] = 0
                    self.open_groups.add(group)
                    break
            else:
                return
            limit = inner

    def gathered(self, group: int) -> Sequence[Entry | Alike]:
        """The entries of a group, those put together that only repeat the parts before them."""
        if group not in self.stretches:
            inside = slice(int(self.starts[group]), int(self.starts[group + 1]))
            entries = columns.numbers(self.entries[inside])
            self.stretches[group] = entries
            if self.forms is not None:
                forms = columns.numbers(self.forms[inside])
                for at, entry in enumerate(entries):
                    if entry in self.important:
                        forms[at] = len(self.ops) + at  # like no other
                self.stretches[group] = gathered(entries, forms)
        return self.stretches[group]

    def contract(self, group: int, limit: int) -> list[Part]:
        """The entries of a group with the least telling stretches put together."""
        entries = self.gathered(group)
        if len(entries) <= limit:
            return list(entries)
        # The last ones lead to the roots.
        ends = {*entries[: max(limit // 8, 2)], *entries[-max(limit // 5, 3) :]}
        telling = [entry for entry in entries if entry in self.important and entry not in ends]
        keep = ends | set(telling[-max(limit // 4, 1) :])
        found: list[Part] = []
        run: list[Entry] = []
        for entry in [*entries, None]:
            if entry is not None and entry not in keep:
                run += entry.parts if isinstance(entry, Alike) else [entry]
                continue
            found += run if len(run) <= 2 else [tuple(run)]
            run = []
            if entry is not None:
                found.append(entry)
        return found

    def lay_out(self, group: int, stretch: list[Part]) -> None:
        for entry in stretch:
            if isinstance(entry, tuple | Alike):
                label = self.more_like(entry) if isinstance(entry, Alike) else ""
                parts = entry.parts if isinstance(entry, Alike) else entry
                first = parts[0]
                key = self.table.ids[first] if first >= 0 else self.key(~first)
                number = self.add(Item(f"r:{key}", "run", label, band=self.key(group)))
                hidden = columns.column(parts)
                self.place[hidden[hidden >= 0]] = number
                self.inside[~hidden[hidden < 0]] = number
            elif entry < 0:
                row = self.graph.groups[~entry - 1]
                item = Item(f"g:{row.id}", "group", row.label, band=self.key(group))
                self.inside[~entry] = self.add(item)
            else:
                self.show(entry, group)

    def more_like(self, alike: Alike) -> str:
        """What blocks are called that repeat those before them."""
        before = f"these {alike.period}"
        if alike.period == 1:
            group = self.graph.groups[~alike.parts[0] - 1]
            if group.kind == "iteration":
                return f"{alike.times} more iterations"
            label = group.label
            before = "the one before" if label.rpartition(".")[2].isdigit() else label
        return f"{alike.times} more like {before}"

    def show(self, at: int, group: int) -> None:
        """Gives a node a box of its own."""
        node = self.graph.nodes[at]
        root = at in self.roots
        item = Item(f"n:{node.id}", "node", node=node, band=self.key(group), root=root)
        self.place[at] = self.add(item)

    def settle_operations(self) -> None:
        """Tells every operation in a folded group which box it is in."""
        columns.inherit(self.inside, self.around, self.layers)
        bare = columns.positions(self.computed & (self.place == 0))
        self.place[bare] = self.inside[self.group_of[bare]]

    # --- leaves ------------------------------------------------------------------------------
    def uses(self) -> dict[int, list[str]]:
        """Of each leaf, the items that use it."""
        table = self.table
        source = columns.column(table.source)
        edges = columns.positions(~self.computed[source])
        source, target = source[edges], self.place[columns.column(table.targets)[edges]]
        first, _, _ = columns.distinct(source * len(self.made) + target)
        found: dict[int, list[str]] = {}
        sources, targets = columns.numbers(source[first]), columns.numbers(target[first])
        for at, number in zip(sources, targets, strict=True):
            found.setdefault(at, []).append(str(self.made[number]))
        return found

    def place_leaves(self) -> None:
        """Draws leaves where they are used while there is room, and counts the others."""
        uses = self.uses()
        leaves = columns.numbers(columns.positions(~self.computed))
        constant = [look.role == "constant" for look in self.table.looks]
        leaves.sort(
            key=lambda at: (
                at not in self.important,
                constant[self.table.look[at]],
                len(uses.get(at, ())) > MOST_USES,
            )
        )
        room = self.most - len(self.items)
        beside: dict[str, int] = {}
        for at in leaves:
            targets = uses.get(at, [])
            chips = targets[1:] if len(targets) > MOST_USES else []
            needed = at in self.roots or (at in self.marks and len(targets) <= MOST_USES)
            if not needed and len(targets) == 1 and self.items[targets[0]].form != "node":
                self.absorb(at, targets)
                continue
            first = targets[0] if targets else ""
            crowded = beside.get(first, 0) >= MOST_BESIDE and at not in self.important
            if (crowded or room < 1 + len(chips)) and not needed:
                self.absorb(at, targets)
                continue
            room -= 1 + len(chips)
            beside[first] = beside.get(first, 0) + 1
            self.draw_leaf(at, first, chips)
        self.count_absorbed()

    def draw_leaf(self, at: int, first: str, chips: list[str]) -> None:
        node, group = self.graph.nodes[at], int(self.group_of[at])
        belongs = group not in self.open_groups or node.role in ("parameter", "constant")
        self.show(at, group if group in self.open_groups else 0)
        item = self.items[f"n:{node.id}"]
        if first and (belongs or chips):
            # Made elsewhere, but what it is part of is where it is used.
            self.items[item.id] = replace(item, band=self.items[first].band)
        for target in chips:
            chip = Item(f"c:{node.id}:{target}", "chip", node=node, band=self.items[target].band)
            self.add(chip)
            self.shapes[at, target] = chip.id

    def absorb(self, at: int, targets: Iterable[str]) -> None:
        for target in targets:
            self.absorbed[target] += 1
            if not self.place[at] and self.items[target].form != "node":
                self.place[at] = self.number[target]

    def count_absorbed(self) -> None:
        for target, count in self.absorbed.items():
            item = self.items[target]
            if item.form == "node":
                self.items[target] = replace(item, hidden_inputs=count)
            else:
                self.items[target] = replace(item, leaves=count)

    # --- what the boxes say ------------------------------------------------------------------
    def summarise(self) -> None:
        """Counts, marks and requirement of every box."""
        # Nodes of one look are alike in all that is told here.
        members: dict[str | None, list[tuple[GraphNode, int, int]]] = {}
        looks = self.table.looks
        keys = (self.place * max(len(looks), 1) + self.look) * 2 + self.computed
        first, _, counts = columns.distinct(keys)
        for at, times in zip(columns.numbers(first), columns.numbers(counts), strict=True):
            member = (looks[self.table.look[at]], self.table.computed[at], times)
            members.setdefault(self.made[self.place[at]], []).append(member)
        marks: dict[str | None, list[Mark]] = {}
        for at in sorted(self.marks):
            marks.setdefault(self.made[self.place[at]], []).append(self.marks[at])
        for id, item in self.items.items():
            found = members.get(id, [])
            operations = sum(times for _, computed, times in found if computed)
            nodes = [look for look, computed, _ in found if computed or not operations]
            if item.node is not None:
                nodes = [item.node]
            label = item.label
            if item.form == "run" and not label:
                label = f"{operations:,} more operations"
            self.items[id] = replace(
                item,
                label=label,
                operations=operations,
                requirement=max(
                    (node.requirement for node in nodes),
                    key=_STRENGTH.__getitem__,
                    default="none",
                ),
                consumed=bool(nodes) and all(node.consumed for node in nodes),
                mark=None if item.form == "chip" else worst(marks.get(id, [])),
            )

    def links(self) -> tuple[Link, ...]:
        number = self.number
        chips = {(at, number[target]): number[chip] for (at, target), chip in self.shapes.items()}
        return links_of(self.table, self.place, self.made, chips)

    def used_bands(self) -> set[int]:
        """The frames that have something in them, directly or in a frame inside them."""
        at = {self.key(group): group for group in self.open_groups}
        used: set[int] = set()
        for band in {item.band for item in self.items.values()}:
            group = at[band]
            while group and group not in used:
                used.add(group)
                group = int(self.around[group])
        return used
