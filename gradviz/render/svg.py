"""Static pictures: SVG drawn here on Graphviz's layout; PNG drawn by Graphviz."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from gradviz.graph.fold import MOST_ITEMS, fold
from gradviz.graph.folded import Folded
from gradviz.graph.graph import Graph
from gradviz.render import words
from gradviz.render.boxes import Box, boxes_of
from gradviz.render.dot import to_dot
from gradviz.render.draw import picture
from gradviz.render.element import inert, tag
from gradviz.render.layout import Placed, place
from gradviz.render.legend import legend
from gradviz.render.program import require, run
from gradviz.render.theme import FONT, Palette, palette

MARGIN: Final = 16.0

_FORMS: Final = (
    (0x100, 0x24F),
    (0x250, 0x3FF),
    (0x400, 0x52F),
    (0x1E00, 0x1FFF),
    (0x2000, 0x22FF),
    (0x2500, 0x25FF),
    (0xFFFD, 0xFFFD),
)
"""Latin, Greek and Cyrillic letters, punctuation, arrows, mathematics and shapes."""

_EMPTY: Final = "This graph has no nodes."


def to_svg(
    graph: Graph,
    *,
    theme: str = "auto",
    max_items: int | None = MOST_ITEMS,
    legend_shown: bool = True,
) -> str:
    """The graph as one self-contained SVG.

    Args:
        graph: what to draw; large graphs are folded.
        theme: "auto" stands on a white sheet of its own and reads on every page; "light" and
            "dark" are transparent, for pages of that colour.
        max_items: boxes to draw at most, roughly; None for every node.
        legend_shown: whether a line below explains the signs that occur.

    Returns:
        The text of the picture. User text in it is inert; it loads nothing.

    Raises:
        GradvizError: `missing-extra` without Graphviz; `invalid-argument` for an unknown theme
            or where Graphviz fails.
    """
    return pictures(graph, (theme,), max_items=max_items, legend_shown=legend_shown)[0]


def pictures(
    graph: Graph,
    themes: Sequence[str],
    *,
    max_items: int | None = MOST_ITEMS,
    legend_shown: bool = True,
) -> list[str]:
    """The same picture in several themes; placed once."""
    colours = [palette(theme, "to_svg") for theme in themes]
    folded = fold(graph, most=max_items)
    if len(folded.items) > 1 and not folded.links:
        # Of parameters alone, no one is what the picture leads to.
        folded = replace(folded, items=tuple(replace(each, root=False) for each in folded.items))
    boxes: dict[str, Box] = boxes_of(folded) if folded.items else {}
    placed = place(folded, boxes, "to_svg") if folded.items else None
    return [
        _painted(folded, boxes, placed, painted, legend_shown, sheet=theme == "auto")
        for theme, painted in zip(themes, colours, strict=True)
    ]


def _painted(
    folded: Folded,
    boxes: dict[str, Box],
    placed: Placed | None,
    colours: Palette,
    legend_shown: bool,
    *,
    sheet: bool,
) -> str:
    if placed is not None:
        body = "".join(picture(folded, boxes, placed, colours))
        width, height = placed.width, placed.height
    else:
        body = tag("text", _EMPTY, x=0, y=14, font_size=12, fill=colours.muted)
        width, height = 170.0, 18.0
    below = legend(folded, colours, max(width, 420.0)) if legend_shown else None
    if below is not None:
        whole = max(width, below.width)
        body = tag("g", body, transform=f"translate({(whole - width) / 2:.1f} 0)")
        left = (whole - below.width) / 2
        body += tag("g", below.content, transform=f"translate({left:.1f} {height + 20:.1f})")
        width, height = whole, height + 20 + below.height
    total_width, total_height = width + 2 * MARGIN, height + 2 * MARGIN
    behind = ""
    if sheet:
        behind = tag(
            "rect",
            x=0.5,
            y=0.5,
            width=total_width - 1,
            height=total_height - 1,
            rx=10,
            fill=colours.background,
            stroke=colours.border,
        )
    return tag(
        "svg",
        tag("title", inert(f"Gradient graph of {words.clip(folded.graph.title, 120)}"))
        + tag("desc", inert(summary(folded)))
        + behind
        + tag("g", body, transform=f"translate({MARGIN:g} {MARGIN:g})"),
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {total_width:.1f} {total_height:.1f}",
        width=f"{total_width:.0f}",
        height=f"{total_height:.0f}",
        # Scales down with the page it is put into, and never up.
        style="max-width:100%;height:auto",
        font_family=FONT,
        role="img",
    )


def summary(folded: Folded) -> str:
    """What the picture shows, in a sentence."""
    graph = folded.graph
    parts = [words.plural(len(graph), "tensor"), words.plural(len(graph.edges), "edge")]
    if graph.problems:
        messages = "; ".join(words.clip(p.message, 120) for p in graph.problems[:5])
        parts.append(f"{words.plural(len(graph.problems), 'problem')}: {messages}")
    return ", ".join(parts)


def to_png(graph: Graph, *, max_items: int | None = MOST_ITEMS) -> bytes:
    """The graph as a PNG picture at twice the screen's resolution.

    Args:
        graph: what to draw; large graphs are folded.
        max_items: boxes to draw at most, roughly; None for every node.

    Warns:
        UserWarning: where names hold signs that the fonts of graphviz-pure lack.

    Raises:
        GradvizError: as `to_svg`.
    """
    program = require("to_png")
    # The wheel's own fonts lack some signs; the system's program finds them in other fonts.
    text = to_dot(graph, theme="auto", max_items=max_items, rare_signs=program.is_system, dpi=144)
    lacking = "" if program.is_system else signs_without_form(text)
    if lacking:
        warnings.warn(
            f"the fonts of graphviz-pure lack {words.clip(' '.join(lacking), 40)}, which names in "
            "this graph hold: save it as .svg or .html, or from the explorer's own menu, or "
            "install Graphviz itself",
            stacklevel=3,
        )
    return run(program, text, "png", "to_png")


def signs_without_form(text: str) -> str:
    """The characters of a text, each once, that the fonts in graphviz-pure have no form for."""
    return "".join(sorted({char for char in text if ord(char) > 0xFF and not _has_form(char)}))


def _has_form(char: str) -> bool:
    return any(first <= ord(char) <= last for first, last in _FORMS)
