"""A graph as one page: the explorer, and where it can't run the picture, problems and all nodes."""

from __future__ import annotations

from typing import Final

from gradviz.core.source import SourceSpan
from gradviz.errors import GradvizError
from gradviz.errors.problem import Fix, Problem
from gradviz.graph.answers import ExtrasView
from gradviz.graph.graph import Graph, GraphNode
from gradviz.graph.marks import marks_of
from gradviz.graph.message import message_of
from gradviz.graph.steps import extras_view
from gradviz.graph.view import fix_view, label_of
from gradviz.render import page, words
from gradviz.render.markup import element, prose, text
from gradviz.render.saved import answers_text
from gradviz.render.sheet import SHEET
from gradviz.render.svg import pictures
from gradviz.render.text import glyph, to_text

MOST_ROWS: Final = 2000
KEY: Final = "graph"
"""What the page calls its graph in questions."""

_CLASSES: Final = {"grad": "leaf", "grad_in_backward": "flow", "none": "none"}


def tag(name: str, *parts: str, **attributes: str) -> str:
    """An element without a style of its own; `parts` must be HTML already."""
    return element(name, "", *parts, **attributes)


def to_html(graph: Graph, *, values: bool = True, extras: ExtrasView | None = None) -> str:
    """The graph as a self-contained page that stays interactive offline.

    Args:
        graph: what to show.
        values: whether the page holds numbers of tensors, and answers about them.
        extras: what travels with the graph; what it tells by itself where left out.

    Returns:
        HTML text that loads nothing, light or dark as the reader's system is. The explorer in it
        runs wherever scripts may; printed, without scripts, or where the front end was never
        built, the page is the picture, the problems with their fixes, and a table of the nodes.
        Without Graphviz, the listing stands in the picture's place.
    """
    if not values:
        graph = graph.without_values()
    title = f"Gradient graph of {words.clip(graph.title, 120)}"
    counts = [words.plural(len(graph), "tensor"), words.plural(len(graph.edges), "edge")]
    counts.append(words.plural(len(graph.problems), "problem") if graph.problems else "no problems")
    still = [
        tag("p", text(", ".join(counts)), class_="counts"),
        picture(graph, title),
        _problems(graph),
        _table(graph),
        _words(graph),
    ]
    code = page.script()
    explorer = ""
    if code is not None:
        answers = answers_text({KEY: graph}) if values else ""
        message = message_of(graph, key=KEY, extras=extras or extras_view(graph))
        explorer = page.explorer(message, answers, code)
    return page.whole(text(title), SHEET, explorer, code, still)


def picture(graph: Graph, title: str) -> str:
    """The still picture of a graph, in the reader's colours; its listing without Graphviz."""
    try:
        light, dark = pictures(graph, ("light", "dark"))
    except GradvizError as error:
        listing = tag("pre", text(to_text(graph, ascii=False), 200_000, keep_lines=True))
        note = tag("p", text(error.problem.message), class_="muted")
        return tag("figure", note, tag("div", listing), aria_label=title)
    return tag(
        "figure",
        tag("div", light, class_="for-light"),
        tag("div", dark, class_="for-dark"),
        aria_label=title,
    )


# --- problems ------------------------------------------------------------------------------------
def _problems(graph: Graph) -> str:
    if not graph.problems:
        return ""
    items = [_problem(graph, number, problem) for number, problem in enumerate(graph.problems, 1)]
    return tag("section", tag("h2", "Problems"), *items)


def _problem(graph: Graph, number: int, problem: Problem) -> str:
    sign = f"{words.SIGNS[problem.severity]} {words.SEVERITIES[problem.severity]}"
    parts = [
        tag("h3", f"{number}. ", prose(problem.message, 600)),
        tag(
            "div",
            tag("span", sign, class_="severity"),
            " ",
            tag("code", text(problem.slug, 120), class_="muted"),
        ),
    ]
    same = problem.where == problem.cause
    if problem.where is not None:
        parts.append(_place(problem.where, "here" if same else "it shows here"))
    if problem.cause is not None and not same:
        parts.append(_place(problem.cause, "it begins here"))
    if problem.reason:
        parts.append(tag("p", prose(problem.reason)))
    if problem.facts:
        rows = [
            tag("tr", tag("td", text(name, 60), class_="muted"), tag("td", text(value, 300)))
            for name, value in problem.facts[:24]
        ]
        parts.append(tag("table", *rows, class_="facts"))
    if problem.advice:
        parts.append(tag("p", tag("strong", "What to do. "), prose(problem.advice)))
    nodes = [node for node in problem.nodes[:8] if node in graph]
    if nodes:
        links = [
            tag("a", text(words.clip(graph.node(node).label, 40)), href=f"#n{node}")
            for node in nodes
        ]
        parts.append(tag("p", "Tensors: ", ", ".join(links), class_="muted"))
    parts += [_fix(fix) for fix in problem.fixes[:5]]
    return tag("article", *parts, class_=f"problem {problem.severity}")


def _place(span: SourceSpan, label: str) -> str:
    where = f"{text(label_of(span.filename), 200)}, line {span.line}: {label}"
    return tag("div", where, class_="place") + tag("pre", text(span.text, 2000, keep_lines=True))


def _fix(fix: Fix) -> str:
    view = fix_view(fix)
    if view is None:
        return ""
    state = "verified by running it" if view.verified else "checked on the graph"
    parts = [
        tag("b", "Fix"),
        " ",
        tag("strong", prose(view.title, 300)),
        " ",
        tag("span", f"\u2713 {state}" if view.verified else state, class_="muted"),
    ]
    if view.explanation:
        parts.append(tag("p", prose(view.explanation, 1000)))
    lines = [line for line in view.diff.split("\n") if not line.startswith(("---", "+++"))]
    shown: list[str] = []
    for line in lines[:200]:
        if line.startswith("@@"):
            shown += [tag("span", "\u2026", class_="muted")] if shown else []
        elif line:
            kind = {"+": "added", "-": "removed"}.get(line[0], "kept")
            sign = {"+": "+", "-": "\u2212"}.get(line[0], "\u00a0")
            shown.append(tag("span", f"{sign} {text(line[1:], 400)}", class_=kind))
    if shown:
        parts.append(tag("pre", *shown, class_="diff"))
    return tag("div", *parts, class_="fix")


# --- nodes ---------------------------------------------------------------------------------------
def _table(graph: Graph) -> str:
    if not len(graph):
        return ""
    marks = marks_of(graph)
    inputs: dict[int, list[str]] = {}
    for edge in graph.edges:
        if edge.source in graph:
            inputs.setdefault(edge.target, []).append(_reference(graph.node(edge.source)))
    nodes = list(graph.nodes)
    kept = nodes
    if len(nodes) > MOST_ROWS:
        listed = {*marks, *graph.roots}
        kept = [node for node in nodes[:-MOST_ROWS] if node.id in listed] + nodes[-MOST_ROWS:]
    rows = [_row(node, inputs.get(node.id, []), node.id in graph.roots) for node in kept]
    names = ("", "name", "operation", "shape", "kind", "source", "value", "backward")
    heads = [tag("th", name, scope="col") if name else tag("td") for name in names]
    caption = f"All {words.plural(len(nodes), 'tensor')}, in the order of computation."
    if len(kept) < len(nodes):
        caption = f"{len(kept):,} of {len(nodes):,} tensors: the last, and those with problems."
    return tag(
        "section",
        tag("h2", "Tensors"),
        tag(
            "div",
            tag(
                "table",
                tag("caption", caption),
                tag("thead", tag("tr", *heads)),
                tag("tbody", *rows),
            ),
            class_="scroll",
            tabindex="0",
            role="region",
            aria_label="Table of tensors",
        ),
    )


def _reference(node: GraphNode) -> str:
    return f"%{node.id}" if node.name is None else words.clip(node.name, 30)


def _row(node: GraphNode, inputs: list[str], root: bool) -> str:
    given = ", ".join(inputs[:8]) + (f", ... {len(inputs) - 8} more" if len(inputs) > 8 else "")
    attributes = words.attributes_text(node, 60)
    arguments = ", ".join(filter(None, [given, attributes]))
    call = f"{words.clip(node.op, 60)}({arguments})" if arguments else words.clip(node.op, 60)
    states = ["root"] * root + ["consumed"] * node.consumed
    if node.cut:
        states.append(f"\u2298 {words.clip(node.cut, 40)}")
    state = tag("div", text(", ".join(states)), class_="muted") if states else ""
    sign = tag(
        "span",
        glyph(node),
        class_=_CLASSES[node.requirement],
        title=words.REQUIREMENTS[node.requirement],
        role="img",
        aria_label=words.REQUIREMENTS[node.requirement],
    )
    source = ""
    if node.source is not None:
        place = f"{words.clip(label_of(node.source.filename), 40)}:{node.source.line}"
        source = tag("div", text(place), class_="muted")
        source = tag("code", text(words.clip(node.source.text, 80))) + source
    return tag(
        "tr",
        tag("td", sign),
        tag("th", text(_reference(node)), state, scope="row"),
        tag("td", tag("code", text(call, 300))),
        tag(
            "td",
            text(words.clip(words.shape_text(node.shape), 60)),
            tag("div", text(words.clip(node.dtype, 30)), class_="muted"),
        ),
        tag("td", text(words.clip(node.kind, 60))),
        tag("td", source),
        tag("td", tag("code", text(node.value, 80)) if node.value is not None else ""),
        _verdict(node),
        id=f"n{node.id}",
    )


def _verdict(node: GraphNode) -> str:
    if node.verdict is None:
        return tag("td")
    outcome = node.verdict.backward
    if outcome.ok:
        return tag("td", tag("span", "\u2713 works", class_="good"))
    reason = prose(outcome.reason, 300) if outcome.reason else ""
    bad = tag("span", "\u2717 fails", class_="bad")
    return tag("td", bad, tag("div", reason, class_="muted") if reason else "")


def _words(graph: Graph) -> str:
    found = {glyph(node): node for node in graph.nodes}
    entries = [
        f"{tag('span', sign, class_=_CLASSES[node.requirement])} "
        + text(words.REQUIREMENTS[node.requirement])
        for sign, node in found.items()
    ]
    return tag("p", " &nbsp; ".join(entries), class_="muted") if entries else ""
