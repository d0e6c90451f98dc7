"""DOT text, for Graphviz and everything that reads its language."""

from __future__ import annotations

import importlib
from typing import Any, Final

from gradviz.errors.printable import printable
from gradviz.graph.fold import MOST_ITEMS, fold
from gradviz.graph.folded import Folded, Item, Link
from gradviz.graph.graph import Graph
from gradviz.render import words
from gradviz.render.boxes import is_chip
from gradviz.render.program import missing
from gradviz.render.theme import Palette, palette

FONT: Final = "Arial"
_SIGNS: Final = {"grad": "\u25cf ", "grad_in_backward": "\u25a0 ", "none": "\u25cb "}
_REPLACED: Final = {
    "\u2717": "\u00d7",
    "\u26a0": "!",
    "\u2139": "i",
    "\u2298": "\u00d8",
    "\u25c9": "\u25cf",
}
"""Signs that few fonts have, and what stands for them."""

_LINE_END: Final = "\\n"


def to_dot(
    graph: Graph,
    *,
    theme: str = "light",
    max_items: int | None = MOST_ITEMS,
    rare_signs: bool = True,
    dpi: int | None = None,
) -> str:
    """The graph in Graphviz's language.

    Args:
        graph: what to write; large graphs are folded.
        theme: "light" or "dark" on a transparent page; "auto" on a white one.
        max_items: boxes to write at most, roughly; None for every node.
        rare_signs: whether to use signs that some fonts lack.
        dpi: resolution of bitmaps made from the text.

    Returns:
        DOT text. Whatever users named their tensors stays plain label text in it.

    Raises:
        GradvizError: `missing-extra` without the graphviz package; `invalid-argument` for an
            unknown theme.
    """
    try:
        graphviz = importlib.import_module("graphviz")
    except ImportError as error:
        raise missing("to_dot", "graphviz", "It quotes what users wrote for DOT.") from error
    colours = palette(theme, "to_dot")
    return _Writer(fold(graph, most=max_items), graphviz, colours, rare_signs).text(
        theme == "auto", dpi
    )


class _Writer:
    """Writes one folded graph."""

    def __init__(self, folded: Folded, graphviz: Any, colours: Palette, rare_signs: bool) -> None:
        self.folded = folded
        self.graphviz = graphviz
        self.colours = colours
        self.rare_signs = rare_signs
        self.names = {item.id: self.name_of(at, item) for at, item in enumerate(folded.items)}
        self.usual = words.usual_kind(folded.graph)

    @staticmethod
    def name_of(at: int, item: Item) -> str:
        return f"n{item.node.id}" if item.node is not None and item.form == "node" else f"box{at}"

    def label(self, *lines: str) -> Any:
        """Lines of a label; nothing in them is markup or an escape for Graphviz."""
        shown = [printable(line) for line in lines if line]
        if not self.rare_signs:
            shown = ["".join(_REPLACED.get(char, char) for char in line) for line in shown]
        escape, nohtml = self.graphviz.escape, self.graphviz.nohtml
        # `&amp;` and its like are entities to Graphviz, in plain labels too.
        parts = [str(escape(line.replace("&", "&amp;"))) for line in shown]
        return nohtml(_LINE_END.join(parts))

    def text(self, backdrop: bool, dpi: int | None) -> str:
        colours = self.colours
        dot = self.graphviz.Digraph(comment=None)
        dot.attr(
            "graph",
            rankdir="TB",
            bgcolor=colours.background if backdrop else "transparent",
            fontname=FONT,
            fontsize="11",
            fontcolor=colours.muted,
            nodesep="0.3",
            ranksep="0.4",
            pad="0.2",
            labeljust="l",
            tooltip=self.label(self.folded.graph.title[:200]),
        )
        if dpi is not None:
            dot.attr("graph", dpi=str(dpi))
        dot.attr("node", fontname=FONT, fontsize="11", margin="0.14,0.07", height="0.3")
        dot.attr("edge", fontname=FONT, fontsize="10", arrowsize="0.6")
        self.fill(dot)
        for link in self.folded.links:
            self.edge(dot, link)
        source: str = dot.source
        return source

    def fill(self, dot: Any) -> None:
        """Nodes, and clusters from the inside out: `subgraph` copies what it is given."""
        members: dict[str | None, list[Item]] = {}
        for item in self.folded.items:
            members.setdefault(item.band, []).append(item)
        clusters: dict[str, Any] = {}
        for at, band in enumerate(self.folded.bands):
            cluster = self.graphviz.Digraph(name=f"cluster_{at}")
            cluster.attr(
                label=self.label(words.clip(band.label, 60)),
                style="rounded,filled",
                color=f"{self.colours.band}60",
                fillcolor=f"{self.colours.band}14",
                margin="12",
            )
            for item in members.get(band.id, ()):
                self.node(cluster, item)
            clusters[band.id] = cluster
        for inner, outer in self._inner_first():
            (dot if outer is None else clusters[outer]).subgraph(clusters[inner])
        for item in members.get(None, ()):
            self.node(dot, item)

    def _inner_first(self) -> list[tuple[str, str | None]]:
        depths: dict[str, int] = {}
        waiting = list(self.folded.bands)
        while waiting:
            later = []
            for band in waiting:
                if band.parent is not None and band.parent not in depths:
                    later.append(band)
                else:
                    depths[band.id] = 0 if band.parent is None else depths[band.parent] + 1
            waiting = later
        bands = sorted(self.folded.bands, key=lambda band: -depths[band.id])
        return [(band.id, band.parent) for band in bands]

    def node(self, dot: Any, item: Item) -> None:
        node, colours = item.node, self.colours
        chip = is_chip(item)
        tone = colours.none if item.consumed else colours.requirement(item.requirement)
        sign = _SIGNS[item.requirement]
        if node is not None and node.role == "parameter":
            sign = "\u25c9 "
        title = sign + words.title(item, 40)
        aside = words.aside(item, 40)
        if aside:
            title += f" = {aside}" if node is not None and node.name is not None else f" {aside}"
        facts = " \u00b7 ".join(filter(None, [words.facts(item), words.state(item)]))
        lines = [title, "" if chip else facts]
        if chip and node is not None and item.form == "node":
            value = node.value if node.value and not node.shape else words.shape_text(node.shape)
            lines = [" ".join(dict.fromkeys([words.title(item, 24), words.clip(value, 24)]))]
        if node is not None and node.kind != self.usual and not chip:
            lines.append(words.clip(node.kind, 40))
        if item.hidden_inputs:
            lines.append(f"+{words.plural(item.hidden_inputs, 'input')}")
        fill = tone.fill if node is None or node.is_leaf else colours.background
        width = 2.4 if item.root else 1.0 if chip or item.requirement == "none" else 1.4
        if item.mark is not None and not chip:
            tone = colours.severity(item.mark.severity)
            fill, width = tone.fill, max(width, 2.0)
            lines.append(self.mark(item))
        styles = ["filled"]
        pill = node is not None and node.is_leaf
        if pill:
            styles.append("rounded")
        if item.requirement == "none" and item.mark is None and (chip or not item.root):
            styles.append("dashed")
        dot.node(
            self.names[item.id],
            label=self.label(*lines),
            shape="box" if node is not None else "box3d",
            style=",".join(styles),
            color=tone.line,
            fillcolor=fill,
            fontcolor=colours.muted if chip or item.consumed else colours.text,
            penwidth=f"{width:g}",
            tooltip=self.label(words.describe(item)),
            **({"fontsize": "10", "margin": "0.1,0.03", "height": "0.2"} if chip else {}),
        )

    def mark(self, item: Item) -> str:
        mark = item.mark
        if mark is None:
            return ""
        if mark.main or item.node is None:
            return f"{words.SIGNS[mark.severity]} {words.clip(words.mark_text(mark), 48)}"
        numbers = ", ".join(map(str, mark.numbers[:3]))
        return f"{words.SIGNS[mark.severity]} part of problem {numbers}"

    def edge(self, dot: Any, link: Link) -> None:
        colours = self.colours
        tone = colours.flow if link.tracked else colours.none
        options: dict[str, Any] = {}
        if link.cut is not None:
            tone = colours.error
            word = self.label(f"  \u2298 {words.clip(link.cut, 40)}")
            options = {"label": word, "fontcolor": tone.line, "style": "dashed"}
        elif link.count > 1 and link.source.startswith("n:") and link.target.startswith("n:"):
            options = {"label": f"  \u00d7{link.count}", "fontcolor": tone.line}
        dot.edge(
            self.names[link.source],
            self.names[link.target],
            color=tone.line,
            penwidth="1.4" if link.tracked or link.cut else "1",
            weight="4" if link.tracked else "1",
            **({"tooltip": self.label(link.slot[:80])} if link.slot else {}),
            **options,
        )
