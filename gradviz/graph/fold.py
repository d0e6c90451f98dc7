"""The folded view of a graph: what a static picture shows of many nodes.

Modules and scopes become one box where they hold too much, blocks that repeat the one before become
"5 more like it", stretches of plain operations become "12 more operations", leaves that many
operations share are drawn again at each use. Everything is linear and iterative: a training loop of
100,000 operations folds in about a second.
"""

from __future__ import annotations

import heapq
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import compress
from typing import Final

from gradviz.graph.alike import Alike, Entry, forms_of, gathered
from gradviz.graph.folded import Folded, Item, Link
from gradviz.graph.graph import Graph, GraphNode
from gradviz.graph.marks import Mark, marks_of, worst
from gradviz.graph.model import RequirementName
from gradviz.graph.nesting import depths_of, parents_of

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
        self.computed = table.computed
        # Groups are their positions counted from 1, and 0 stands for what is around all of them.
        self.parents = parents_of(graph.groups)
        self.depths = depths_of(self.parents)
        self.keys: list[str | None] = [None, *(group.id for group in graph.groups)]
        self.group_of = table.group
        self.entries: list[list[Entry]] = [[] for _ in self.parents]
        self.forms: list[int] = []
        self.ops = list(map(table.ops().__getitem__, table.look))
        self.stretches: dict[int, Sequence[Entry | Alike]] = {}
        self.open_groups = {0}
        self.items: dict[str, Item] = {}
        # Of each node, by position, where it ended up: the id of its item.
        self.place: list[str | None] = [None] * len(table)
        # Of each group, the item that it ended up in where it is folded.
        self.inside: list[str | None] = [None] * len(self.parents)
        self.shapes: dict[tuple[int, str], str] = {}  # a leaf's own chip for a target item
        self.absorbed: Counter[str] = Counter()  # leaves that are counted in each item

    def result(self) -> Folded:
        self.list_entries()
        self.unfold()
        self.settle_operations()
        self.place_leaves()
        self.summarise()
        used = self.used_bands()
        groups = enumerate(self.graph.groups, 1)
        bands = tuple(
            replace(group, parent=self.keys[self.parents[at]]) for at, group in groups if at in used
        )
        return Folded(self.graph, tuple(self.items.values()), self.links(), bands)

    # --- what stands in which group ----------------------------------------------------------
    def list_entries(self) -> None:
        """Operations and inner groups of each group, in the order they were computed."""
        entries, parents, group_of = self.entries, self.parents, self.group_of
        for at in compress(range(len(self.table)), self.computed):
            group = group_of[at]
            row, entry = entries[group], at
            while group and not row:
                # Met for the first time: its place in the group around it is here.
                row.append(entry)
                entry, group = ~group, parents[group]
                row = entries[group]
            row.append(entry)
        self.important: set[Entry] = set()
        cut = [look.cut is not None for look in self.table.looks]
        cuts = compress(range(len(self.table)), map(cut.__getitem__, self.table.look))
        for at in (*self.roots, *self.marks, *cuts):
            self.important.add(at)
            group = group_of[at]
            while group and ~group not in self.important:
                self.important.add(~group)
                group = parents[group]

    # --- which groups are open ---------------------------------------------------------------
    def unfold(self) -> None:
        """Opens groups from the outside in while there is room; troubled ones first."""
        total = sum(self.computed)
        room = max(self.most * 4 // 5, 12)
        limit = inner = total
        if total > room:
            # What doesn't fit as it is becomes an overview, short enough to take in.
            room = max(self.most * 3 // 5, 12)
            limit, inner = room // 2, room // 3
            if self.graph.groups:
                self.forms = forms_of(self.entries, self.depths, self.graph.groups, self.ops)
        used = 0
        waiting: list[tuple[bool, int, int, int, int]] = []
        group = 0
        while True:
            stretch = self.contract(group, limit)
            used += len(stretch)
            self.lay_out(group, stretch)
            for entry in stretch:
                if isinstance(entry, int) and entry < 0:
                    cost = len(self.contract(~entry, inner))
                    rank = (entry not in self.important, self.depths[~entry], cost)
                    heapq.heappush(waiting, (*rank, len(waiting), ~entry))
            while waiting:
                *_, cost, _, group = heapq.heappop(waiting)
                if used + cost - 1 <= room:
                    used -= 1
                    del self.items[f"g:{self.keys[group]}"]
                    self.inside[group] = None
                    self.open_groups.add(group)
                    break
            else:
                return
            limit = inner

    def gathered(self, group: int) -> Sequence[Entry | Alike]:
        """The entries of a group, those put together that only repeat the parts before them."""
        entries = self.entries[group]
        if not self.forms:
            return entries
        if group not in self.stretches:
            own = [self.forms[~entry] if entry < 0 else self.ops[entry] for entry in entries]
            for at, entry in enumerate(entries):
                if entry in self.important:
                    own[at] = len(self.ops) + at  # like no other
            self.stretches[group] = gathered(entries, own)
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
                key = self.table.ids[first] if first >= 0 else self.keys[~first]
                item = Item(f"r:{key}", "run", label, band=self.keys[group])
                self.items[item.id] = item
                for hidden in parts:
                    self.put(hidden, item.id)
            elif entry < 0:
                row = self.graph.groups[~entry - 1]
                item = Item(f"g:{row.id}", "group", row.label, band=self.keys[group])
                self.items[item.id] = item
                self.put(entry, item.id)
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

    def put(self, entry: Entry, item: str) -> None:
        if entry < 0:
            self.inside[~entry] = item
        else:
            self.place[entry] = item

    def show(self, at: int, group: int) -> None:
        """Gives a node a box of its own."""
        node = self.graph.nodes[at]
        root = at in self.roots
        item = Item(f"n:{node.id}", "node", node=node, band=self.keys[group], root=root)
        self.items[item.id] = item
        self.place[at] = item.id

    def settle_operations(self) -> None:
        """Tells every operation in a folded group which box it is in."""
        inside, parents, place = self.inside, self.parents, self.place
        for group in sorted(range(1, len(parents)), key=self.depths.__getitem__):
            if inside[group] is None:
                inside[group] = inside[parents[group]]
        for at in compress(range(len(place)), self.computed):
            if place[at] is None:
                place[at] = inside[self.group_of[at]]

    # --- leaves ------------------------------------------------------------------------------
    def place_leaves(self) -> None:
        """Draws leaves where they are used while there is room, and counts the others."""
        uses: dict[int, dict[str, None]] = {}
        place, computed = self.place, self.computed
        for target, source in zip(self.table.targets, self.table.source, strict=True):
            if not computed[source]:
                uses.setdefault(source, {})[str(place[target])] = None
        leaves = [at for at, known in enumerate(computed) if not known]
        role = [look.role for look in self.table.looks]
        leaves.sort(
            key=lambda at: (
                at not in self.important,
                role[self.table.look[at]] == "constant",
                len(uses.get(at, ())) > MOST_USES,
            )
        )
        room = self.most - len(self.items)
        beside: dict[str, int] = {}
        for at in leaves:
            targets = list(uses.get(at, ()))
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
        node, group = self.graph.nodes[at], self.group_of[at]
        belongs = group not in self.open_groups or node.role in ("parameter", "constant")
        self.show(at, group if group in self.open_groups else 0)
        item = self.items[f"n:{node.id}"]
        if first and (belongs or chips):
            # Made elsewhere, but what it is part of is where it is used.
            self.items[item.id] = replace(item, band=self.items[first].band)
        for target in chips:
            chip = Item(f"c:{node.id}:{target}", "chip", node=node, band=self.items[target].band)
            self.items[chip.id] = chip
            self.shapes[at, target] = chip.id

    def absorb(self, at: int, targets: Iterable[str]) -> None:
        for target in targets:
            self.absorbed[target] += 1
            if self.place[at] is None and self.items[target].form != "node":
                self.place[at] = target

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
        alike = Counter(zip(self.place, self.table.look, self.computed, strict=True))
        for (place, look, computed), times in alike.items():
            members.setdefault(place, []).append((looks[look], computed, times))
        marks: dict[str | None, list[Mark]] = {}
        for at in sorted(self.marks):
            marks.setdefault(self.place[at], []).append(self.marks[at])
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
        found: dict[tuple[str, str], list[int]] = {}
        table, place, shapes = self.table, self.place, self.shapes
        for edge, (target_at, source_at) in enumerate(
            zip(table.targets, table.source, strict=True)
        ):
            target, source = place[target_at], place[source_at]
            if shapes:
                source = shapes.get((source_at, str(target)), source)
            if source is None or target is None or source == target:
                continue
            known = found.get((source, target))
            if known is None:
                found[source, target] = [edge]
            else:
                known.append(edge)
        return tuple(self.link(source, target, edges) for (source, target), edges in found.items())

    def link(self, source: str, target: str, edges: list[int]) -> Link:
        """One arrow for all edges between two boxes."""
        table = self.table
        cuts = (
            cut
            for edge in edges
            if (cut := table.looks[table.look[bisect_right(table.first, edge) - 1]].cut) is not None
            and table.requirement(table.source[edge]) != "none"
        )
        return Link(
            source,
            target,
            table.slots[table.slot[edges[0]]] if len(edges) == 1 else "",
            any(table.tracked[edge] for edge in edges),
            next(cuts, None),
            len(edges),
        )

    def used_bands(self) -> set[int]:
        """The frames that have something in them, directly or in a frame inside them."""
        at = {self.keys[group]: group for group in self.open_groups}
        used: set[int] = set()
        for band in {item.band for item in self.items.values()}:
            group = at[band]
            while group and group not in used:
                used.add(group)
                group = self.parents[group]
        return used
