"""The picture as SVG: colours as attributes, no style sheet, script or reference."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gradviz.graph.folded import Folded
from gradviz.render import boxes as sizes
from gradviz.render import words
from gradviz.render.arrows import ArrowPen
from gradviz.render.boxes import Box
from gradviz.render.element import inert, tag, text
from gradviz.render.layout import Placed
from gradviz.render.measure import text_width
from gradviz.render.theme import Palette

_ICONS: Final = {
    "error": "M-3 -3L3 3M3 -3L-3 3",
    "warning": "M0 -3.6V0.8M0 3.2V3.6",
    "note": "M0 -3.6V-3.2M0 -0.8V3.6",
}


def picture(
    folded: Folded, boxes: dict[str, Box], placed: Placed, colours: Palette
) -> Iterator[str]:
    """The parts of the picture from back to front, in the layout's own coordinates."""
    between, pen = ArrowPen(folded, colours), BoxPen(colours)
    for frame in sorted(placed.frames, key=lambda frame: -frame.width * frame.height):
        yield between.frame(frame)
    for route in placed.routes:
        yield between.route(route)
    for id, (x, y) in placed.boxes.items():
        yield pen.box(boxes[id], x, y)
    for route in placed.routes:
        yield between.route_label(route)


class BoxPen:
    """Draws boxes with one palette."""

    def __init__(self, colours: Palette) -> None:
        self.colours = colours

    def box(self, box: Box, x: float, y: float) -> str:
        """A box of any shape at its place."""
        item = box.item
        draw = self.chip if box.shape == "chip" else self.row
        return tag(
            "g",
            tag("title", inert(words.describe(item))) + draw(box),
            transform=f"translate({x:.1f} {y:.1f})",
            opacity=0.66 if item.consumed and item.mark is None else None,
        )

    def chip(self, box: Box) -> str:
        """A constant, or a leaf drawn once more."""
        colours, item = self.colours, box.item
        again = item.form == "chip"
        tone = colours.requirement(item.requirement)
        outline = tag(
            "rect",
            width=box.width,
            height=box.height,
            rx=11,
            fill=colours.background if again else colours.none.fill,
            stroke=tone.line if again else colours.border_strong,
            stroke_width=0.9,
            stroke_dasharray=None if again else "3 2",
        )
        left = 20 if again else 11
        sign = self.sign(box, 11, 11) if again else ""
        shift = left + text_width(box.title, sizes.SMALL) + 6
        value = text(box.facts, shift, 15, sizes.SMALL, colours.text) if box.facts else ""
        return outline + sign + text(box.title, left, 15, sizes.SMALL, colours.muted) + value

    def row(self, box: Box) -> str:
        """A node or a folded box with its two lines."""
        colours, item = self.colours, box.item
        left = 31 if box.is_pill else 28
        right = box.width - (14 if box.is_pill else 9)
        parts = [self.outline(box), self.sign(box, 18 if box.is_pill else 16, 15)]
        aside = ""
        if box.aside:
            aside = tag(
                "tspan",
                inert(box.aside),
                dx=6,
                font_size=sizes.ASIDE,
                font_weight=400,
                fill=colours.muted,
            )
        parts.append(text(box.title, left, 19, sizes.TITLE, colours.text, bold=True, content=aside))
        parts.append(text(box.facts, left, 35, sizes.SMALL, colours.muted))
        if box.badge:
            width = text_width(box.badge, sizes.BADGE) + 10
            parts.append(
                tag(
                    "rect",
                    x=right - width,
                    y=7,
                    width=width,
                    height=14,
                    rx=3,
                    fill=colours.soft,
                    stroke=colours.border_strong,
                    stroke_width=0.8,
                )
            )
            middle = right - width / 2
            parts.append(text(box.badge, middle, 17, sizes.BADGE, colours.muted, anchor="middle"))
        if box.state:
            root = item.root
            parts.append(
                text(
                    box.state,
                    right,
                    35,
                    sizes.STATE,
                    colours.text if root else colours.muted,
                    bold=root,
                    italic=not root,
                    anchor="end",
                )
            )
        if item.mark is not None:
            parts.append(self.mark(box))
        return "".join(parts)

    def outline(self, box: Box) -> str:
        """The frame: round for leaves, doubled for what is folded."""
        colours, item = self.colours, box.item
        tone = colours.requirement(item.requirement)
        plain = item.requirement == "none"
        fill = tone.fill if box.is_pill or plain else colours.background
        width = 1.1 if plain else 1.4
        if item.consumed:
            tone, fill = colours.none, colours.none.fill
        if item.mark is not None:
            tone = colours.severity(item.mark.severity)
            fill, width = tone.fill, 2.0
        if item.root:
            width = 2.6
        behind = ""
        if box.shape == "fold":
            # A second sheet behind: there is more than one thing in here.
            behind = tag(
                "rect",
                x=4,
                y=4,
                width=box.width,
                height=box.height,
                rx=5,
                fill=colours.soft,
                stroke=tone.line,
                stroke_width=1,
                stroke_opacity=0.6,
            )
        dashed = plain and item.mark is None and not item.root and not _is_data(box)
        return behind + tag(
            "rect",
            width=box.width,
            height=box.height,
            rx=min(box.height / 2, 22) if box.is_pill else 5,
            fill=fill if box.shape != "fold" or item.mark else colours.background,
            stroke=tone.line,
            stroke_width=width,
            stroke_dasharray="4 3" if dashed else None,
        )

    def sign(self, box: Box, x: float, y: float) -> str:
        """The requirement as a form: disc, square, empty ring; a parameter's disc is ringed."""
        item, colours = box.item, self.colours
        tone = colours.none if item.consumed else colours.requirement(item.requirement)
        if item.requirement == "grad_in_backward":
            return tag("rect", x=x - 4, y=y - 4.5, width=8, height=8, rx=1.5, fill=tone.line)
        if item.requirement == "none":
            return tag("circle", cx=x, cy=y, r=3.8, fill="none", stroke=tone.line, stroke_width=1.6)
        disc = tag("circle", cx=x, cy=y, r=4.4, fill=tone.line)
        if item.node is not None and item.node.role == "parameter":
            disc = tag("circle", cx=x, cy=y, r=3, fill=tone.line) + tag(
                "circle", cx=x, cy=y, r=5.4, fill="none", stroke=tone.line, stroke_width=1.2
            )
        return disc

    def mark(self, box: Box) -> str:
        """The problem: a line of its own, or the number of one it takes part in."""
        mark = box.item.mark
        if mark is None:
            return ""
        tone = self.colours.severity(mark.severity)
        if not box.mark:
            # A node that only takes part carries the number of the problem.
            numbers = " ".join(map(str, mark.numbers[:3]))
            wide = max(16.0, text_width(numbers, sizes.SMALL, bold=True) + 9)
            return tag(
                "rect", x=box.width - wide + 4, y=-7, width=wide, height=16, rx=8, fill=tone.line
            ) + text(
                numbers,
                box.width - wide / 2 + 4,
                4.8,
                sizes.SMALL,
                self.colours.background,
                bold=True,
                anchor="middle",
            )
        y = box.height - sizes.STRIP
        inset = 12 if box.is_pill else 1
        rule = tag(
            "path",
            d=f"M{inset} {y}H{box.width - inset}",
            stroke=tone.line,
            stroke_opacity=0.5,
            stroke_width=0.8,
        )
        icon = tag("circle", r=7, fill=tone.line) + tag(
            "path",
            d=_ICONS[mark.severity],
            fill="none",
            stroke=self.colours.background,
            stroke_width=1.9,
            stroke_linecap="round",
        )
        at = f"translate({inset + 14} {y + 10})"
        words_ = text(box.mark, inset + 26, y + 13.8, sizes.SMALL, tone.line, bold=True)
        return rule + tag("g", icon, transform=at) + words_


def _is_data(box: Box) -> bool:
    node = box.item.node
    return node is not None and node.role in ("input", "leaf", "output")
