"""Where boxes and arrows go: Graphviz places empty boxes; no text of the user's reaches it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from gradviz.errors import GradvizError
from gradviz.graph.folded import Folded, Link
from gradviz.render.boxes import Box, is_chip
from gradviz.render.measure import fit, text_width
from gradviz.render.program import Program, require, run

DEEPEST: Final = 8
"""Frames inside frames that are drawn."""

CUT_SIZE: Final = 10.5
_CHIP_GAP: Final = 16.0
_STACK: Final = 2
"""Chips above each other beside a box."""

_PAGE: Final = 720.0  # width that most pages have for a picture
_TALL: Final = 44.0  # height of a box without the line that names a problem
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
    """The picture's geometry in pixels, y downwards; the boxes' upper left corners by item id."""

    width: float
    height: float
    boxes: Mapping[str, Point]
    routes: tuple[Route, ...]
    frames: tuple[Frame, ...]


def cut_label(link: Link) -> str:
    """What stands on a cut arrow."""
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
    if len(folded.items) > 1 and not folded.links and not folded.bands:
        return _grid(folded, boxes)
    try:
        return _place(folded, boxes, operation, program, beside=True)
    except GradvizError:
        # Graphviz has had bugs with neighbours on one rank; the plainer picture is still right.
        return _place(folded, boxes, operation, program, beside=False)


def _grid(folded: Folded, boxes: Mapping[str, Box]) -> Placed:
    """Boxes that nothing joins, such as a module's parameters: rows as wide as a page, in order."""
    width = max(box.width for box in boxes.values()) + _CHIP_GAP
    columns = max(int(_PAGE / width), 1)
    corners: dict[str, Point] = {}
    left = top = height = 0.0
    for at, item in enumerate(folded.items):
        if at % columns == 0 and at:
            left, top, height = 0.0, top + height + _CHIP_GAP, 0.0
        corners[item.id] = (left, top)
        left, height = left + width, max(height, boxes[item.id].height)
    return Placed(min(len(corners), columns) * width - _CHIP_GAP, top + height, corners, (), ())


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
        self.by_id = {item.id: item for item in folded.items}
        self.beside: dict[str, str] = {}
        self.sides = self._sides() if beside else {}
        self.spine = _spine(folded)

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
                shown[band.id] = shown[str(band.parent)] if too_deep else self.positions[band.id]
            waiting = later
        return shown

    def _sides(self) -> dict[str, list[str]]:
        """Chips by the box they stand beside: that of their only consumer."""
        targets: dict[str, list[str]] = {}
        for link in self.folded.links:
            targets.setdefault(link.source, []).append(link.target)
        found: dict[str, list[str]] = {}
        for item in self.folded.items:
            uses = targets.get(item.id, [])
            if not is_chip(item) or len(uses) != 1 or self.home[item.id] != self.home[uses[0]]:
                continue
            beside = found.setdefault(uses[0], [])
            if len(beside) < 2 * _STACK and not is_chip(self.by_id[uses[0]]):
                beside.append(item.id)
                self.beside[item.id] = uses[0]
        return found

    def dot(self) -> str:
        """The picture's skeleton as DOT."""
        lines = [
            "digraph {",
            "graph [rankdir=TB nodesep=0.28 ranksep=0.42 margin=0 pad=0];",
            'graph [fontname="Times" fontsize=10 labeljust=l];',
            'node [shape=box fixedsize=true label=""];',
            'edge [arrowsize=0.6 fontname="Times" fontsize=10];',
        ]
        lines += self._members()
        lines += [self._edge(link) for link in self.folded.links if link.source not in self.beside]
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
                if id not in self.beside:
                    yield self._node(id)
            stack += [("open", child) for child in reversed(children.get(band_at, []))]

    def _node(self, id: str) -> str:
        box = self.boxes[id]
        if not self.sides.get(id):
            width, height = box.width / _POINTS, box.height / _POINTS
            return f"{self.names[id]} [width={width:.4f} height={height:.4f}];"
        # The box and room for its chips as one; arrows end at the box, which is a port.
        left, right = self._columns(id)
        cells = "".join(
            f'<TD FIXEDSIZE="TRUE" WIDTH="{width:.0f}" HEIGHT="{box.height:.0f}"{port}></TD>'
            for width, port in ((left, ""), (box.width, ' PORT="m"'), (right, ""))
            if width
        )
        table = f'<TABLE BORDER="0" CELLSPACING="0" CELLPADDING="0"><TR>{cells}</TR></TABLE>'
        return f"{self.names[id]} [shape=plain fixedsize=false label=<{table}>];"

    def _columns(self, id: str) -> tuple[float, float]:
        """Room for the chips at the left and at the right of a box."""
        chips = self.sides[id]
        parts = chips[:_STACK], chips[_STACK:]
        left, right = (
            max((self.boxes[chip].width + _CHIP_GAP for chip in part), default=0) for part in parts
        )
        return left, right

    def _label(self, band: int) -> str:
        return fit(self.folded.bands[band].label, 200, 10.5)

    def _edge(self, link: Link) -> str:
        spine = (link.source, link.target) in self.spine
        options = [f"weight={12 if spine else 3 if link.tracked else 1}"]
        if link.cut is not None:
            width = text_width(cut_label(link), CUT_SIZE, bold=True) + 40
            options.append(f'label="{"n" * int(width / _RESERVED + 1)}"')
        source = self._end(link.source, spine or link.source in self.sides, "s")
        target = self._end(link.target, spine, "n")
        return f"{source} -> {target} [{' '.join(options)}];"

    def _end(self, id: str, exact: bool, compass: str) -> str:
        port = ":m" if self.sides.get(id) else ""
        return f"{self.names[id]}{port}{':' + compass if exact else ''}"

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
                left, right = self._columns(id) if self.sides.get(id) else (0.0, 0.0)
                corner = (x - (left + box.width + right) / 2 + left, height - y - box.height / 2)
                corners[id] = corner
                self._settle_chips(id, corner, corners)
        links = {(link.source, link.target): link for link in self.folded.links}
        routes = []
        for edge in answer.get("edges", []):
            ends = ids[edge["tail"]], ids[edge["head"]]
            if "pos" in edge:
                routes.append(_route(links[ends], edge, height))
        for chip, target in self.beside.items():
            routes.append(self._short(links[chip, target], corners))
        return Placed(width, height, corners, tuple(routes), tuple(frames))

    def _settle_chips(self, id: str, corner: Point, corners: dict[str, Point]) -> None:
        """Stacks the chips of a box at its left, then at its right."""
        box, chips = self.boxes[id], self.sides.get(id, [])
        for at, part in enumerate((chips[:_STACK], chips[_STACK:])):
            for row, chip in enumerate(part):
                size = self.boxes[chip]
                x = corner[0] + box.width + _CHIP_GAP if at else corner[0] - _CHIP_GAP - size.width
                middle = corner[1] + _TALL / 2 + (row - (len(part) - 1) / 2) * (size.height + 2)
                corners[chip] = (x, middle - size.height / 2)

    def _short(self, link: Link, corners: Mapping[str, Point]) -> Route:
        """The arrow from a chip to the box beside it."""
        chip, box = self.boxes[link.source], self.boxes[link.target]
        x, y = corners[link.source]
        y += chip.height / 2
        target_x = corners[link.target][0]
        from_left = x < target_x
        start = x + chip.width if from_left else x
        end = target_x if from_left else target_x + box.width
        step = 5.5 if from_left else -5.5
        points = ((start, y), (start + step, y), (end - 2 * step, y), (end - step, y))
        return Route(link, points, (end, y), None)


def _spine(folded: Folded) -> set[tuple[str, str]]:
    """The arrows from each box's deepest input: kept straight, they make long chains upright."""
    inputs: dict[str, list[str]] = {}
    outputs: dict[str, list[str]] = {}
    for link in folded.links:
        inputs.setdefault(link.target, []).append(link.source)
        outputs.setdefault(link.source, []).append(link.target)
    missing = {item.id: len(inputs.get(item.id, ())) for item in folded.items}
    depths: dict[str, int] = {}
    ready = [id for id, count in missing.items() if not count]
    while ready:
        id = ready.pop()
        depths[id] = 1 + max((depths[source] for source in inputs.get(id, ())), default=0)
        for target in outputs.get(id, ()):
            missing[target] -= 1
            if not missing[target]:
                ready.append(target)
    spine = set()
    for target, sources in inputs.items():
        deepest = max(sources, key=lambda id: depths.get(id, 0))
        if depths.get(deepest, 0) > 1:
            spine.add((deepest, target))
    return spine


def _numbers(text: str) -> list[float]:
    return [float(number) for number in text.split(",")]


def _route(link: Link, edge: Mapping[str, Any], height: float) -> Route:
    points: list[Point] = []
    tip: Point | None = None
    for part in edge["pos"].split(";")[0].split():
        x, y = _numbers(part.removeprefix("e,"))
        if part.startswith("e,"):
            tip = (x, height - y)
        else:
            points.append((x, height - y))
    label = None
    if "lp" in edge:
        x, y = _numbers(edge["lp"])
        label = (x, height - y)
    return Route(link, tuple(points), tip or points[-1], label)
