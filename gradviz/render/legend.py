"""The line below a picture that says what its signs mean; only those that occur."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from gradviz.graph.folded import Folded, Item
from gradviz.render.element import tag, text
from gradviz.render.measure import text_width
from gradviz.render.theme import Palette, Tone

_SIZE: Final = 10.0
_ROW: Final = 18.0
_GAP: Final = 18.0
_SIGN: Final = 18.0


@dataclass(frozen=True, slots=True)
class Legend:
    """SVG content and its size."""

    content: str
    width: float
    height: float


def legend(folded: Folded, colours: Palette, width: float) -> Legend | None:
    """The legend, wrapped to a width; None where nothing needs explaining."""
    rows: list[str] = []
    x, y, broadest = 0.0, 0.0, 0.0
    for sign, words in _entries(folded, colours):
        needed = _SIGN + text_width(words, _SIZE)
        if x and x + needed > width:
            x, y = 0.0, y + _ROW
        label = text(words, _SIGN, 3.6, _SIZE, colours.muted)
        rows.append(tag("g", sign + label, transform=f"translate({x:.1f} {y + 6:.1f})"))
        x += needed + _GAP
        broadest = max(broadest, x - _GAP)
    return Legend("".join(rows), broadest, y + 12) if rows else None


def _is_parameter(item: Item) -> bool:
    return item.node is not None and item.node.role == "parameter" and item.requirement == "grad"


def _entries(folded: Folded, colours: Palette) -> list[tuple[str, str]]:
    def some(test: Callable[[Item], bool]) -> bool:
        return any(test(item) for item in folded.items)

    def disc(tone: Tone) -> str:
        return tag("circle", cx=7, cy=0, r=4.4, fill=tone.line)

    found = []
    leaf, flow, none, error = colours.leaf, colours.flow, colours.none, colours.error
    if some(_is_parameter):
        ring = tag("circle", cx=7, cy=0, r=5.4, fill="none", stroke=leaf.line, stroke_width=1.2)
        inner = tag("circle", cx=7, cy=0, r=3, fill=leaf.line)
        found.append((inner + ring, "parameter: gets a gradient"))
    if some(lambda i: i.requirement == "grad" and i.node is not None and not _is_parameter(i)):
        found.append((disc(leaf), "tracked leaf: gets a gradient"))
    if some(lambda item: item.requirement == "grad_in_backward" and not item.consumed):
        square = tag("rect", x=3, y=-4, width=8, height=8, rx=1.5, fill=flow.line)
        found.append((square, "computed, gradients pass through"))
    if some(lambda item: item.requirement == "none"):
        ring = tag("circle", cx=7, cy=0, r=3.8, fill="none", stroke=none.line, stroke_width=1.6)
        found.append((ring, "not tracked: no gradient"))
    if any(link.cut is not None for link in folded.links):
        dashes = tag(
            "path", d="M0 0H14", stroke=error.line, stroke_width=1.5, stroke_dasharray="4 3"
        )
        found.append((dashes, "cut: the gradient ends here"))
    if some(lambda item: item.consumed):
        word = tag("rect", x=3, y=-4, width=8, height=8, rx=1.5, fill=none.line, fill_opacity=0.66)
        found.append((word, "consumed by a backward pass"))
    return found
