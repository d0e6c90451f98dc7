"""Two graphs side by side as a page, as JSON, or as a list of what differs."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

from gradviz.core.files import write_whole
from gradviz.graph.diff import Change, Difference
from gradviz.graph.graph import Graph
from gradviz.graph.message import pair_of
from gradviz.graph.model import as_json
from gradviz.render import page, words
from gradviz.render.card import picture as image
from gradviz.render.html import picture, tag
from gradviz.render.markup import MUTED, element, text
from gradviz.render.save import ending_of
from gradviz.render.saved import answers_text
from gradviz.render.sheet import SHEET

MOST_TOLD: Final = 500
MOST_AT_A_GLANCE: Final = 40
KEYS: Final = ("before", "after")
"""What a page calls the two graphs in questions."""

_SIGNS: Final = {"added": "+", "removed": "\u2212", "changed": "~"}


def to_html(found: Difference, *, values: bool = True) -> str:
    """Two graphs as one self-contained page: side by side where scripts may run, else a list.

    Args:
        found: the graphs and what differs.
        values: whether the page holds numbers of tensors, and answers about them.
    """
    if not values:
        found = _without_values(found)
    title = f"What changed: {_named(found.before)} and {_named(found.after)}"
    still = [
        tag("p", text(counted(found)), class_="counts"),
        *(
            tag("section", tag("h2", heading), picture(graph, f"{heading}: {_named(graph)}"))
            for heading, graph in (("Before", found.before), ("After", found.after))
        ),
        _list(found),
    ]
    code = page.script()
    explorer = ""
    if code is not None:
        graphs = dict(zip(KEYS, (found.before, found.after), strict=True))
        answers = answers_text(graphs) if values else ""
        explorer = page.explorer(pair_of(found, *KEYS), answers, code)
    return page.whole(text(title), SHEET, explorer, code, still)


def to_json(found: Difference, *, values: bool = True) -> str:
    """Two graphs and what differs as JSON text: the message that the notebook's view draws."""
    view = pair_of(found if values else _without_values(found))
    return json.dumps(as_json(view), ensure_ascii=True, indent=1)


FORMATS: Final[dict[str, Callable[[Difference, bool], str]]] = {
    ".html": lambda found, values: to_html(found, values=values),
    ".json": lambda found, values: to_json(found, values=values),
    ".txt": lambda found, _: f"{found}\n",
}


def save(found: Difference, path: str | os.PathLike[str], *, values: bool = True) -> None:
    """Writes a comparison to a file, whole or not at all.

    Args:
        found: what to write.
        path: where to; `.html`, `.json` or `.txt`.
        values: whether the file may hold numbers of tensors.

    Raises:
        GradvizError: `invalid-argument` for another ending.
    """
    suffix = ending_of(path, list(FORMATS), 'gv.compare(a, b).save("change.html")')
    write_whole(Path(path), FORMATS[suffix](found, values).encode("utf-8"))


def card(found: Difference, before: str, after: str) -> str:
    """A comparison as HTML without scripts: two pictures, and what differs.

    Args:
        found: what differs.
        before: the picture of the first graph, as SVG.
        after: that of the second.
    """
    parts = [element("p", "margin:4px 0", text(counted(found)))]
    for heading, svg, graph in (("Before", before, found.before), ("After", after, found.after)):
        caption = element("strong", "", heading)
        parts.append(element("div", "margin:8px 0 2px", caption, f" {text(_named(graph))}"))
        parts.append(element("div", "", image(svg, f"{heading}: graph of {_named(graph)}")))
    lines = [_line(change) for change in found.changes[:MOST_AT_A_GLANCE]]
    left = len(found.changes) - len(lines)
    lines += [f"\u2026 and {left:,} more"] if left else []
    items = [element("li", "", text(line, 400)) for line in lines]
    parts.append(element("ul", f"margin:8px 0;color:{MUTED}", *items) if items else "")
    return element("div", "text-align:left", *parts)


def counted(found: Difference) -> str:
    """How much differs, in a line."""
    counts = {kind: sum(change.kind == kind for change in found.changes) for kind in _SIGNS}
    told = [f"{count:,} {kind}" for kind, count in counts.items() if count]
    same = len(found.pairs) - counts["changed"]
    return f"{', '.join(told) or 'no difference'}; {same:,} the same"


def _without_values(found: Difference) -> Difference:
    return replace(found, before=found.before.without_values(), after=found.after.without_values())


def _named(graph: Graph) -> str:
    return words.clip(graph.title, 80)


def _line(change: Change) -> str:
    facts = "; ".join(
        f"{name}: {old or 'none'} \u2192 {new or 'none'}" for name, old, new in change.facts
    )
    return f"{_SIGNS[change.kind]} {change.label}{f' ({facts})' if facts else ''}"


def _list(found: Difference) -> str:
    rows = []
    for change in found.changes[:MOST_TOLD]:
        facts = [
            tag(
                "div",
                f"{text(name, 40)}: ",
                tag("code", text(old or "none", 200)),
                " \u2192 ",
                tag("code", text(new or "none", 200)),
            )
            for name, old, new in change.facts
        ]
        rows.append(
            tag(
                "tr",
                tag("td", _SIGNS[change.kind]),
                tag("th", text(change.label, 200), scope="row"),
                tag("td", change.kind),
                tag("td", *facts),
            )
        )
    if not rows:
        return ""
    caption = f"{words.plural(len(found.changes), 'difference')}."
    if len(rows) < len(found.changes):
        caption = f"{len(rows):,} of {len(found.changes):,} differences: the first."
    heads = [tag("td"), *(tag("th", name, scope="col") for name in ("tensor", "", "what differs"))]
    return tag(
        "section",
        tag("h2", "Differences"),
        tag("table", tag("caption", caption), tag("thead", tag("tr", *heads)), tag("tbody", *rows)),
    )
