"""Arrows and group frames as SVG. A cut arrow says so by dashes, a sign and a word."""

from __future__ import annotations

import math

from gradviz.graph.folded import Folded
from gradviz.render import boxes as sizes
from gradviz.render import words
from gradviz.render.element import inert, tag, text
from gradviz.render.layout import CUT_SIZE, Frame, Point, Route, cut_label
from gradviz.render.measure import fit, text_width
from gradviz.render.theme import Palette, Tone


class ArrowPen:
    """Draws what lies between and behind the boxes."""

    def __init__(self, folded: Folded, colours: Palette) -> None:
        self.folded = folded
        self.colours = colours
        self.titles = {item.id: words.title(item, 40) for item in folded.items}

    def frame(self, frame: Frame) -> str:
        """A group's frame with its label."""
        band = self.folded.bands[frame.band]
        colours = self.colours
        return tag(
            "g",
            tag("title", inert(f"{band.kind}: {words.clip(band.label, 120)}"))
            + tag(
                "rect",
                x=frame.x,
                y=frame.y,
                width=frame.width,
                height=frame.height,
                rx=8,
                fill=colours.band,
                fill_opacity=0.07,
                stroke=colours.band,
                stroke_opacity=0.35,
            )
            + text(
                fit(band.label, frame.width - 20, sizes.SMALL),
                frame.x + 10,
                frame.y + 14,
                sizes.SMALL,
                colours.muted,
            ),
        )

    def tone_of(self, route: Route) -> Tone:
        """The colour of an arrow."""
        if route.link.cut is not None:
            return self.colours.error
        return self.colours.flow if route.link.tracked else self.colours.none

    def route(self, route: Route) -> str:
        """An arrow."""
        tone = self.tone_of(route)
        link = route.link
        (x, y), *rest = route.points
        curve = " ".join(f"{px:.1f},{py:.1f}" for px, py in rest)
        names = f"{self.titles[link.source]} \u2192 {self.titles[link.target]}"
        slot = f" ({words.clip(link.slot, 40)})" if link.slot else ""
        return tag(
            "g",
            tag("title", inert(names + slot))
            + tag(
                "path",
                d=f"M{x:.1f},{y:.1f}C{curve}",
                fill="none",
                stroke=tone.line,
                stroke_width=1.5 if link.tracked or link.cut else 1.1,
                stroke_dasharray="5 4" if link.cut else None,
                stroke_opacity=0.85,
            )
            + self.tip(route, tone),
        )

    def tip(self, route: Route, tone: Tone) -> str:
        """An arrow's head."""
        x, y = route.tip
        from_x, from_y = route.points[-1]
        angle = math.degrees(math.atan2(y - from_y, x - from_x))
        return tag(
            "path",
            d="M-6.2,-3L0.6,0L-6.2,3Z",
            fill=tone.line,
            transform=f"translate({x:.1f} {y:.1f}) rotate({angle:.1f})",
        )

    def route_label(self, route: Route) -> str:
        """What stands on an arrow: why it is cut, or how many it is."""
        link, colours = route.link, self.colours
        if link.cut is not None:
            word = cut_label(link)
            width = text_width(word, CUT_SIZE, bold=True) + 32
            x, y = route.label or route.points[len(route.points) // 2]
            left = x - width / 2
            why = words.CUTS.get(link.cut, link.cut)
            return tag(
                "g",
                tag("title", inert(f"the gradient ends here: {words.clip(why, 100)}"))
                + tag(
                    "rect",
                    width=width,
                    height=18,
                    rx=9,
                    y=-9,
                    fill=colours.background,
                    stroke=colours.error.line,
                )
                + tag(
                    "path",
                    d="M7,0a5,5 0 1,0 10,0a5,5 0 1,0 -10,0M8.5,3.5L15.5,-3.5",
                    fill="none",
                    stroke=colours.error.line,
                    stroke_width=1.6,
                )
                + text(word, 22, 3.7, CUT_SIZE, colours.error.line, bold=True),
                transform=f"translate({left:.1f} {y:.1f})",
            )
        if link.count > 1 and link.source.startswith(("n:", "c:")) and link.target.startswith("n:"):
            x, y = _middle(route)
            return tag(
                "text",
                f"\u00d7{link.count}",
                x=x + 5,
                y=y + 3.5,
                font_size=sizes.SMALL,
                fill=self.tone_of(route).line,
                font_weight=600,
            )
        return ""


def _middle(route: Route) -> Point:
    """A point halfway along the middle piece of the curve."""
    at = (len(route.points) - 1) // 3 // 2 * 3
    a, b, c, d = route.points[at : at + 4]
    return (a[0] + 3 * b[0] + 3 * c[0] + d[0]) / 8, (a[1] + 3 * b[1] + 3 * c[1] + d[1]) / 8
