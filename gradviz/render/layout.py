"""Where boxes and arrows go: Graphviz places empty boxes of our sizes, and no user text goes to it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from gradviz.errors import GradvizError
from gradviz.graph.fold import Folded, Link
from gradviz.render.boxes import Box, is_chip
from gradviz.render.measure import text_width
from gradviz.render.program import Program, require, run

DEEPEST: Final = 8
"""Frames inside frames that are drawn."""

CUT_SIZE: Final = 10.5
_POINTS: Final = 72.0
_RESERVED: Final = 5.0  # width of an "n" at the size reserved texts are measured at

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Route:
    """An arrow: the control points of its curve, its tip, and where its label goes."""

    link: Link
    points: tuple[Point, ...]
    tip: Point
    label: Point | None


@dataclass(frozen=True, slots=True)
class Frame:
    """A group's frame."""

    band: int
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Placed:
    """The picture's geometry in pixels, y downwards; boxes by item id with their upper left corner."""

    width: float
    height: float
    boxes: Mapping[str, Point]
    routes: tuple[Route, ...]
    frames: tuple[Frame, ...]


def cut_label(link: Link) -> str:
    """What stands on a cut arrow."""
    from gradviz.render.measure import fit

    return fit(link.cut or "", 130, CUT_SIZE, bold=True)


def place(folded: Folded, boxes: Mapping[str, Box], operation: str) -> Placed:
    """Lays the picture out.

    Args:
        folded: what to draw.
        boxes: the items' boxes.
        operation: the call to name in errors.

    Raises:
        GradvizError: `missing-extra` without Graphviz; `invalid-argument` where it fails.
    """
    program = require(operation)
    try:
        return _place(folded, boxes, operation, program, beside=True)
    except GradvizError:
        # Graphviz has had bugs with neighbours on one rank; the plainer picture is still right.
        return _place(folded, boxes, operation, program, beside=False)


def _place(
    folded: Folded, boxes: Mapping[str, Box], operation: str, program: Program, *, beside: bool
) -> Placed:
    request = _Request(folded, boxes, beside)
    return request.read(json.loads(run(program, request.dot(), "json0", operation)))


class _Request:
    """The question to Graphviz and the reading of its answer."""

    def __init__(self, folded: Folded, boxes: Mapping[str, Box], beside: bool) -> None:
        self.folded = folded
        self.boxes = boxes
        self.names = {item.id: f"i{at}" for at, item in enumerate(folded.items)}
        self.by_name = {name: id for id, name in self.names.items()}
        self.positions = {group.id: at for at, group in enumerate(folded.bands)}
        self.bands = self._shown_bands()
        self.home = {
            item.id: self.bands.get(item.band) if item.band is not None else None
            for item in folded.items
        }
        self.sides = self._sides() if beside else {}

    def _shown_bands(self) -> dict[str, int | None]:
        """The frame that stands for each band: itself, or one around it where it is too deep."""
        shown: dict[str, int | None] = {}
        depths: dict[str, int] = {}
        waiting = list(self.folded.bands)
        while waiting:
            later = []
            for band in waiting:
                if band.parent is not None and band.parent not in shown:
                    later.append(band)
                    continue
                depth = 0 if band.parent is None else depths[band.parent] + 1
                depths[band.id] = depth
                too_deep = depth >= DEEPEST and band.parent is not None
                shown[band.id] = (
                    shown[str(band.parent)] if too_deep else self.positions[band.id]
                )
            waiting = later
        return shown

    def _sides(self) -> dict[str, tuple[str, bool]]:
        """Chips that stand beside their only consumer, and whether on its right."""
        targets: dict[str, list[str]] = {}
        for link in self.folded.links:
            targets.setdefault(link.source, []).append(link.target)
        taken: dict[str, int] = {}
        found: dict[str, tuple[str, bool]] = {}
        for item in self.folded.items:
            uses = targets.get(item.id, [])
            if not is_chip(item) or len(uses) != 1 or self.home[item.id] != self.home[uses[0]]:
                continue
            count = taken.get(uses[0], 0)
            if count < 2:
                taken[uses[0]] = count + 1
                found[item.id] = uses[0], count == 1
        return found

    def dot(self) -> str:
        """The picture's skeleton as DOT."""
        lines = [
            "digraph {",
            'graph [rankdir=TB nodesep=0.28 ranksep=0.42 margin=0 pad=0 fontname="Times" '
            'fontsize=10 labeljust=l];',
            'node [shape=box fixedsize=true label=""];',
            'edge [arrowsize=0.6 fontname="Times" fontsize=10];',
        ]
        lines += self._members()
        for link in self.folded.links:
            lines.append(self._edge(link))
        lines.append("}")
        return "\n".join(lines)

    def _members(self) -> Iterator[str]:
        """Nodes and clusters, by a stack: nesting may be deep."""
        children: dict[int | None, list[int]] = {}
        for band in self.folded.bands:
            position = self.positions[band.id]
            if self.bands[band.id] == position:
                parent = None if band.parent is None else self.bands[band.parent]
                children.setdefault(parent, []).append(position)
        members: dict[int | None, list[str]] = {}
        for item in self.folded.items:
            members.setdefault(self.home[item.id], []).append(item.id)
        stack: list[tuple[str, int | None]] = [("open", None)]
        while stack:
            step, band_at = stack.pop()
            if step == "close":
                yield "}"
                continue
            if band_at is not None:
                label = "n" * max(int(text_width(self._label(band_at), 10.5) / _RESERVED), 1)
                yield f'subgraph cluster_{band_at} {{ label="{label}" margin=10'
                stack.append(("close", None))
            for id in members.get(band_at, ()):
                box = self.boxes[id]
                yield (
                    f"{self.names[id]} [width={box.width / _POINTS:.4f} "
                    f"height={box.height / _POINTS:.4f}];"
                )
                if id in self.sides:
                    yield f"{{ rank=same; {self.names[id]}; {self.names[self.sides[id][0]]}; }}"
            stack += [("open", child) for child in reversed(children.get(band_at, []))]

    def _label(self, band: int) -> str:
        from gradviz.render.measure import fit

        return fit(self.folded.bands[band].label, 200, 10.5)

    def _edge(self, link: Link) -> str:
        source, target = self.names[link.source], self.names[link.target]
        options = []
        if link.cut is not None:
            width = text_width(cut_label(link), CUT_SIZE, bold=True) + 40
            options.append(f'label="{"n" * int(width / _RESERVED + 1)}"')
        options.append("weight=4" if link.tracked else "weight=1")
        if link.source not in self.sides:
            options.append("tailport=s headport=n")
        if self.sides.get(link.source, ("", False))[1]:
            # The reversed edge puts the chip on the right.
            return f"{target} -> {source} [dir=back {' '.join(options)}];"
        return f"{source} -> {target} [{' '.join(options)}];"

    def read(self, answer: Any) -> Placed:
        """The geometry in Graphviz's answer."""
        _, _, width, height = _numbers(answer["bb"])
        objects = answer.get("objects", [])
        corners: dict[str, Point] = {}
        frames = []
        ids: dict[int, str] = {}
        for found in objects:
            name = found["name"]
            if name.startswith("cluster_"):
                left, low, right, high = _numbers(found["bb"])
                at = int(name.removeprefix("cluster_"))
                frames.append(Frame(at, left, height - high, right - left, high - low))
            elif name in self.by_name:
                id = self.by_name[name]
                ids[found["_gvid"]] = id
                x, y = _numbers(found["pos"])
                box = self.boxes[id]
                corners[id] = (x - box.width / 2, height - y - box.height / 2)
        links = {(link.source, link.target): link for link in self.folded.links}
        routes = []
        for edge in answer.get("edges", []):
            ends = ids[edge["tail"]], ids[edge["head"]]
            link = links.get(ends) or links[ends[1], ends[0]]
            if "pos" in edge:
                routes.append(_route(link, edge, height))
        return Placed(width, height, corners, tuple(routes), tuple(frames))


def _numbers(text: str) -> list[float]:
    return [float(number) for number in text.split(",")]


def _route(link: Link, edge: Mapping[str, Any], height: float) -> Route:
    points: list[Point] = []
    tip: Point | None = None
    backwards = False
    for part in edge["pos"].split(";")[0].split():
        if part.startswith(("e,", "s,")):
            backwards = part.startswith("s,")
            x, y = _numbers(part[2:])
            tip = (x, height - y)
        else:
            x, y = _numbers(part)
            points.append((x, height - y))
    if backwards:
        points.reverse()
    label = None
    if "lp" in edge:
        x, y = _numbers(edge["lp"])
        label = (x, height - y)
    return Route(link, tuple(points), tip or points[-1], label)
