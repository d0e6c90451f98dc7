"""How large the boxes of a picture are, and what of their texts fits."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Literal

from gradviz.graph.folded import Folded, Item
from gradviz.render import words
from gradviz.render.measure import fit, text_width

TITLE: Final = 12.5
ASIDE: Final = 11.0
SMALL: Final = 10.5
BADGE: Final = 9.0
STATE: Final = 9.5

STRIP: Final = 20
"""Height of the line that names a problem."""

_TITLE: Final = 160
"""Room of a name."""
_MARK_WIDTH: Final = 208
_WIDEST_MARK: Final = 300

Shape = Literal["row", "chip", "fold"]


@dataclass(frozen=True, slots=True)
class Box:
    """One item with its texts, cut to what fits, and its size in pixels."""

    item: Item
    shape: Shape
    width: float
    height: float
    title: str
    aside: str
    facts: str
    badge: str
    state: str
    mark: str

    @property
    def is_pill(self) -> bool:
        """Leaves have round shoulders, computed tensors corners."""
        node = self.item.node
        return node is not None and node.is_leaf


def boxes_of(folded: Folded) -> dict[str, Box]:
    """The boxes of all items by id."""
    usual = words.usual_kind(folded.graph)
    inside = _modules_around(folded)
    room = _TITLE if folded.links else 2 * _TITLE  # whole names, where nothing else is shown
    return {item.id: _box(item, usual, inside.get(item.band, ()), room) for item in folded.items}


def _modules_around(folded: Folded) -> dict[str | None, tuple[str, ...]]:
    """The names of the modules whose frames lie around what stands in a frame, outermost first."""
    found: dict[str | None, tuple[str, ...]] = {}
    for band in folded.bands:  # outer ones come first
        around = found.get(band.parent, ())
        found[band.id] = (*around, band.label) if band.kind == "module" else around
    return found


def is_chip(item: Item) -> bool:
    """Whether an item is small: a constant, or a leaf drawn once more."""
    if item.form == "chip":
        return True
    node = item.node
    plain = node is not None and node.role == "constant" and node.requirement == "none"
    return plain and not item.root and item.mark is None


def _box(item: Item, usual: str, inside: tuple[str, ...], room: float) -> Box:
    return _chip(item) if is_chip(item) else _row(item, usual, inside, room)


def _chip(item: Item) -> Box:
    title = fit(words.title(item, 60), 90, SMALL)
    facts = ""
    node = item.node
    if item.form == "node" and node is not None:
        value = node.value if node.value is not None and not node.shape else None
        facts = fit(value or words.shape_text(node.shape), 90, SMALL)
        facts = "" if facts == title else facts
    sign = 20 if item.form == "chip" else 12
    inner = text_width(title, SMALL) + (text_width(facts, SMALL) + 6 if facts else 0)
    width = math.ceil(sign + inner + 12)
    return Box(item, "chip", width, 22, title, "", facts, "", "", "")


def _row(item: Item, usual: str, inside: tuple[str, ...], room: float) -> Box:
    node = item.node
    room = room if node is not None else 240
    title = words.title(item, 80)
    if node is not None and node.role == "parameter":
        # Its end tells a parameter from its neighbours; the frames around it say the beginning.
        title = words.without_modules(title, inside)
        while "." in title and text_width(title, TITLE, bold=True) > room:
            title = "\u2026" + title.partition(".")[2]
    title = fit(title, room, TITLE, bold=True)
    aside = fit(words.aside(item, 60), 140, ASIDE)
    facts = fit(words.facts(item), 190, SMALL)
    if item.hidden_inputs:
        facts = f"{facts} \u00b7 +{words.plural(item.hidden_inputs, 'input')}"
    badge = words.kind_badge(node.kind) if node is not None and node.kind != usual else ""
    state = words.state(item)
    pill = node is not None and node.is_leaf
    ends = 44 if pill else 38
    first = text_width(title, TITLE, bold=True)
    first += text_width(aside, ASIDE) + 6 if aside else 0
    first += text_width(badge, BADGE) + 20 if badge else 0
    second = text_width(facts, SMALL) + (text_width(state, STATE, bold=True) + 12 if state else 0)
    mark, least = "", 84.0
    if item.mark is not None and (item.mark.main or node is None):
        text = words.mark_text(item.mark)
        wanted = text_width(text, SMALL, bold=True) + 54
        least = min(max(wanted, _MARK_WIDTH), _WIDEST_MARK)
    width = math.ceil(max(first + ends, second + ends, least))
    if item.mark is not None and (item.mark.main or node is None):
        mark = fit(words.mark_text(item.mark), width - 54, SMALL, bold=True)
    height = 44 + (STRIP if mark else 0)
    shape: Shape = "fold" if node is None else "row"
    return Box(item, shape, width, height, title, aside, facts, badge, state, mark)
