"""The folded view of a graph: what a static picture shows of many nodes.

Modules and scopes become one box where they hold too much, blocks that repeat the one before become
"5 more like it", stretches of plain operations become "12 more operations", leaves that many
operations share are drawn again at each use. Everything is linear and iterative: a training loop of
100,000 operations folds in about a second.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from gradviz.graph.alike import Alike, Entry, forms_of, gathered
from gradviz.graph.folded import Folded, Item, Link
from gradviz.graph.graph import Graph, GraphGroup, GraphNode
from gradviz.graph.marks import is_cut, marks_of, worst
from gradviz.graph.model import RequirementName

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
        self.marks = marks_of(graph)
        self.roots = {number for number in graph.roots if number in graph}
        edges = [edge for edge in graph.edges if edge.source in graph and edge.target in graph]
        self.edges = edges
        self.computed = {edge.target for edge in edges}
        self.parents = _parents(graph.groups)
        self.depths = _depths(self.parents)
        self.labels = {group.id: group.label for group in graph.groups}
        self.entries: dict[str | None, list[Entry]] = {None: []}
        self.stretches: dict[str | None, Sequence[Entry | Alike]] = {}
        self.open_groups: set[str | None] = {None}
        self.items: dict[str, Item] = {}
        self.place: dict[int, str] = {}  # where a node ended up: the id of its item
        self.inside: dict[str, str] = {}  # the item that a folded group ended up in
        self.shapes: dict[tuple[int, str], str] = {}  # a leaf's own chip for a target item

    def result(self) -> Folded:
        self.list_entries()
        self.unfold()
        self.settle_operations()
        self.place_leaves()
        self.summarise()
        used = self.used_bands()
        bands = tuple(
            replace(group, parent=self.parents[group.id])
            for group in self.graph.groups
            if group.id in used
        )
        return Folded(self.graph, tuple(self.items.values()), self.links(), bands)

    def group_of(self, node: GraphNode) -> str | None:
        return node.group if node.group in self.parents else None

    # --- what stands in which group ----------------------------------------------------------
    def list_entries(self) -> None:
        """Operations and inner groups of each group, in the order they were computed."""
        for node in self.graph.nodes:
            if node.id not in self.computed:
                continue
            group, entry = self.group_of(node), node.id
            self.entries.setdefault(group, []).append(entry)
            while group is not None and group not in self.inside:
                self.inside[group] = ""
                parent = self.parents[group]
                self.entries.setdefault(parent, []).append(group)
                group = parent
        self.inside.clear()
        self.important: set[Entry] = set()
        for node in self.graph.nodes:
            if node.id in self.roots or node.id in self.marks or node.cut is not None:
                self.important.add(node.id)
                group = self.group_of(node)
                while group is not None and group not in self.important:
                    self.important.add(group)
                    group = self.parents[group]

    # --- which groups are open ---------------------------------------------------------------
    def unfold(self) -> None:
        """Opens groups from the outside in while there is room; troubled ones first."""
        total = len(self.computed)
        room = max(self.most * 4 // 5, 12)
        limit = inner = total
        if total > room:
            # What doesn't fit as it is becomes an overview, short enough to take in.
            room = max(self.most * 3 // 5, 12)
            limit, inner = room // 2, room // 3
            if self.parents:
                self.gather()
        used = 0
        waiting: list[tuple[bool, int, int, int, str]] = []
        group: str | None = None
        while True:
            stretch = self.contract(group, limit)
            used += len(stretch)
            self.lay_out(group, stretch)
            for entry in stretch:
                if isinstance(entry, str):
                    cost = len(self.contract(entry, inner))
                    rank = (entry not in self.important, self.depths[entry], cost)
                    heapq.heappush(waiting, (*rank, len(waiting), entry))
            while waiting:
                *_, cost, _, group = heapq.heappop(waiting)
                if used + cost - 1 <= room:
                    used -= 1
                    del self.items[f"g:{group}"]
                    self.inside.pop(group)
                    self.open_groups.add(group)
                    break
            else:
                return
            limit = inner

    def gather(self) -> None:
        """Puts together what only repeats the parts before it and holds nothing of note."""
        forms = forms_of(
            self.entries, self.depths, self.labels, lambda number: self.graph.node(number).op
        )
        for group, entries in self.entries.items():
            self.stretches[group] = gathered(entries, forms, self.important.__contains__)

    def contract(self, group: str | None, limit: int) -> list[Part]:
        """The entries of a group with the least telling stretches put together."""
        entries = self.stretches.get(group, self.entries[group])
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

    def lay_out(self, group: str | None, stretch: list[Part]) -> None:
        for entry in stretch:
            if isinstance(entry, tuple | Alike):
                label = self.more_like(entry) if isinstance(entry, Alike) else ""
                parts = entry.parts if isinstance(entry, Alike) else entry
                item = Item(f"r:{parts[0]}", "run", label, band=group)
                self.items[item.id] = item
                for hidden in parts:
                    self.put(hidden, item.id)
            elif isinstance(entry, str):
                item = Item(f"g:{entry}", "group", self.labels[entry], band=group)
                self.items[item.id] = item
                self.put(entry, item.id)
            else:
                self.show(entry, group)

    def more_like(self, alike: Alike) -> str:
        """What blocks are called that repeat those before them."""
        before = f"these {alike.period}"
        if alike.period == 1:
            label = self.labels[str(alike.parts[0])]
            before = "the one before" if label.isdigit() else label
        return f"{alike.times} more like {before}"

    def put(self, entry: Entry, item: str) -> None:
        if isinstance(entry, str):
            self.inside[entry] = item
        else:
            self.place[entry] = item

    def show(self, number: int, band: str | None) -> None:
        """Gives a node a box of its own."""
        node = self.graph.node(number)
        item = Item(f"n:{number}", "node", node=node, band=band, root=number in self.roots)
        self.items[item.id] = item
        self.place[number] = item.id

    def settle_operations(self) -> None:
        """Tells every operation in a folded group which box it is in."""
        for group in sorted(self.parents, key=self.depths.__getitem__):
            parent = self.parents[group]
            if group not in self.inside and parent is not None and parent in self.inside:
                self.inside[group] = self.inside[parent]
        for node in self.graph.nodes:
            if node.id in self.computed and node.id not in self.place:
                self.place[node.id] = self.inside[str(self.group_of(node))]

    # --- leaves ------------------------------------------------------------------------------
    def place_leaves(self) -> None:
        """Draws leaves where they are used while there is room, and counts the others."""
        uses: dict[int, dict[str, None]] = {}
        for edge in self.edges:
            if edge.source not in self.computed:
                uses.setdefault(edge.source, {})[self.place[edge.target]] = None
        leaves = [node for node in self.graph.nodes if node.id not in self.computed]
        leaves.sort(
            key=lambda node: (
                node.id not in self.important,
                node.role == "constant",
                len(uses.get(node.id, ())) > MOST_USES,
            )
        )
        room = self.most - len(self.items)
        beside: dict[str, int] = {}
        for node in leaves:
            targets = list(uses.get(node.id, ()))
            chips = targets[1:] if len(targets) > MOST_USES else []
            needed = node.id in self.roots or (node.id in self.marks and len(targets) <= MOST_USES)
            if not needed and len(targets) == 1 and self.items[targets[0]].form != "node":
                self.absorb(node, targets)
                continue
            first = targets[0] if targets else ""
            crowded = beside.get(first, 0) >= MOST_BESIDE and node.id not in self.important
            if (crowded or room < 1 + len(chips)) and not needed:
                self.absorb(node, targets)
                continue
            room -= 1 + len(chips)
            beside[first] = beside.get(first, 0) + 1
            self.draw_leaf(node, first, chips)

    def draw_leaf(self, node: GraphNode, first: str, chips: list[str]) -> None:
        band = self.group_of(node)
        belongs = band not in self.open_groups or node.role in ("parameter", "constant")
        if first and (belongs or chips):
            # Made elsewhere, but what it is part of is where it is used.
            band = self.items[first].band
        self.show(node.id, band if band in self.open_groups else None)
        for target in chips:
            chip = Item(f"c:{node.id}:{target}", "chip", node=node, band=self.items[target].band)
            self.items[chip.id] = chip
            self.shapes[node.id, target] = chip.id

    def absorb(self, node: GraphNode, targets: Iterable[str]) -> None:
        for target in targets:
            item = self.items[target]
            if item.form == "node":
                self.items[target] = replace(item, hidden_inputs=item.hidden_inputs + 1)
            else:
                self.items[target] = replace(item, leaves=item.leaves + 1)
                self.place.setdefault(node.id, target)

    # --- what the boxes say ------------------------------------------------------------------
    def summarise(self) -> None:
        """Counts, marks and requirement of every box."""
        members: dict[str, list[GraphNode]] = {}
        for node in self.graph.nodes:
            if node.id in self.place:
                members.setdefault(self.place[node.id], []).append(node)
        for id, item in self.items.items():
            nodes = [item.node] if item.node is not None else members.get(id, [])
            computed = [node for node in nodes if node.id in self.computed]
            marks = [self.marks[node.id] for node in nodes if node.id in self.marks]
            label = item.label
            if item.form == "run" and not label:
                label = f"{len(computed):,} more operations"
            self.items[id] = replace(
                item,
                label=label,
                operations=len(computed),
                requirement=max(
                    (node.requirement for node in computed or nodes),
                    key=_STRENGTH.__getitem__,
                    default="none",
                ),
                consumed=bool(nodes) and all(node.consumed for node in computed or nodes),
                mark=None if item.form == "chip" else worst(marks),
            )

    def links(self) -> tuple[Link, ...]:
        found: dict[tuple[str, str], Link] = {}
        for edge in self.edges:
            target = self.place[edge.target]
            source = self.shapes.get((edge.source, target)) or self.place.get(edge.source)
            if source is None or source == target:
                continue
            cut = self.graph.node(edge.target).cut if is_cut(self.graph, edge) else None
            known = found.get((source, target))
            if known is None:
                found[source, target] = Link(source, target, edge.slot, edge.tracked, cut)
            else:
                found[source, target] = replace(
                    known,
                    slot="",
                    tracked=known.tracked or edge.tracked,
                    cut=known.cut or cut,
                    count=known.count + 1,
                )
        return tuple(found.values())

    def used_bands(self) -> set[str]:
        """The frames that have something in them, directly or in a frame inside them."""
        used: set[str] = set()
        for item in self.items.values():
            band = item.band
            while band is not None and band not in used:
                used.add(band)
                band = self.parents[band]
        return used


def _parents(groups: tuple[GraphGroup, ...]) -> dict[str, str | None]:
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


def _depths(parents: dict[str, str | None]) -> dict[str, int]:
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
