"""The graph as a listing: what terminals, diffs, logs and screen readers get."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Final

from gradviz.core.source import SourceSpan
from gradviz.errors.printable import columns, printable
from gradviz.errors.problem import Problem
from gradviz.graph.graph import Graph, GraphNode
from gradviz.graph.marks import Mark, marks_of
from gradviz.graph.view import label_of
from gradviz.render import words

WIDTH: Final = 100
MOST_NODES: Final = 80
"""Nodes that are listed; the middle of a longer graph is counted."""

MOST_PROBLEMS: Final = 12
_INPUTS: Final = 6
_NARROW: Final = 60  # columns below which places are left out
_DEEPEST: Final = 8

_ASCII: Final = {
    "\u25c9": "@", "\u25cf": "*", "\u25a0": "+", "\u25cb": "-", "\u2717": "x", "\u26a0": "!",
    "\u2139": "i", "\u2298": "/", "\u2026": "...", "\u00b7": "-", "\u2202": "d", "\u2713": "ok",
    "\u2192": "->", "\u2212": "-",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Row:
    """A line of the listing in its columns."""

    left: str
    facts: str = ""
    place: str = ""


def to_text(
    graph: Graph, width: int = WIDTH, *, ascii: bool | None = None, most: int = MOST_NODES
) -> str:
    """The graph as a readable listing, in the order of computation.

    Args:
        graph: what to list.
        width: columns to keep to.
        ascii: whether to write ASCII only; by default, what standard output can take decides.
        most: nodes to list; the middle of a longer graph is counted instead.

    Returns:
        Lines without a final line break.
    """
    listing = _Listing(graph, max(width, 40), most).lines()
    if _needs_ascii() if ascii is None else ascii:
        return "\n".join(map(plain, listing))
    return "\n".join(listing)


def plain(text: str) -> str:
    """Text in ASCII: our signs have counterparts, other characters become escapes."""
    replaced = "".join(_ASCII.get(char, char) for char in text)
    return replaced.encode("ascii", "backslashreplace").decode("ascii")


def _needs_ascii() -> bool:
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    try:
        "\u25cf\u25a0\u25cb\u2717\u2298".encode(encoding)
    except (UnicodeError, LookupError):
        return True
    return False


class _Listing:
    """One listing."""

    def __init__(self, graph: Graph, width: int, most: int) -> None:
        self.graph = graph
        self.width = width
        self.most = most
        self.marks = marks_of(graph)
        self.usual = words.usual_kind(graph)
        self.paths: dict[int, tuple[int, ...]] = {0: ()}

    def reference(self, number: int) -> str:
        """What a node is called where others use it."""
        table = self.graph.table
        name = table.names.get(table.position[number])
        return f"%{number}" if name is None else words.clip(name, 24)

    def lines(self) -> list[str]:
        graph = self.graph
        head = f"{words.clip(graph.title, 60)}: {words.plural(len(graph), 'tensor')}"
        if len(graph) and self.usual:
            head += f" of kind {words.clip(self.usual, 40)}"
        if graph.problems:
            head += f", {words.plural(len(graph.problems), 'problem')}"
        if not len(graph):
            return [head]
        return [
            words.clip(head, self.width),
            "",
            *self.table(self.rows()),
            *self.problems(),
            "",
            words.clip(self.key(), self.width),
        ]

    # --- nodes -----------------------------------------------------------------------------------
    def rows(self) -> list[_Row]:
        rows: list[_Row] = []
        path: tuple[int, ...] = ()
        done = 0
        for at in self.kept():
            if at > done:
                rows.append(_Row(f"{'  ' * len(path)}  ... {at - done:,} more"))
            done = at + 1
            node = self.graph.nodes[at]
            now = self.path(self.graph.table.group[at])
            if now != path:
                common = _common(path, now)
                for depth in range(common, len(now)):
                    label = words.clip(self.graph.groups[now[depth] - 1].label, 60)
                    rows.append(_Row(f"{'  ' * depth}{label}:"))
                path = now
            rows += self.node(node, len(path))
        if done < len(self.graph):
            rows.append(_Row(f"  ... {len(self.graph) - done:,} more"))
        return rows

    def kept(self) -> list[int]:
        """Positions of the nodes to list."""
        count, position = len(self.graph), self.graph.table.position
        if count <= self.most:
            return list(range(count))
        kept = {*range(self.most // 6), *range(count - self.most // 2, count)}
        listed = [*list(self.marks)[: self.most // 6], *self.graph.roots[: self.most // 6]]
        kept.update(position[number] for number in listed if number in position)
        return sorted(kept)

    def path(self, group: int) -> tuple[int, ...]:
        """Groups around a node, outermost first, counted from 1."""
        if group not in self.paths:
            path: list[int] = []
            at = group
            while at:
                path.append(at)
                at = self.graph.table.around[at]
            self.paths[group] = tuple(reversed(path[-_DEEPEST:]))
        return self.paths[group]

    def node(self, node: GraphNode, depth: int) -> list[_Row]:
        indent = "  " * depth
        facts = f"{words.clip(words.shape_text(node.shape), 30)} {words.clip(node.dtype, 12)}"
        if node.kind != self.usual:
            facts += f" {words.clip(node.kind, 24)}"
        states = [word for word in (self.state(node),) if word]
        left = f"{indent}{glyph(node)} {self.formula(node)}"
        rows = [_Row(left + "".join(f" [{word}]" for word in states), facts, place(node.source))]
        if node.cut is not None:
            why = words.CUTS.get(node.cut)
            text = words.clip(node.cut, 40) + (f": {why}" if why else "")
            rows.append(_Row(f"{indent}    \u2298 {text}"))
        mark = self.marks.get(node.id)
        if mark is not None:
            rows.append(_Row(f"{indent}    {self.mark(mark)}"))
        return rows

    def formula(self, node: GraphNode) -> str:
        """`h = mul(w, rhs=3.0)`."""
        given = [self.reference(edge.source) for edge in self.graph.inputs_of(node.id)]
        inputs = given[:_INPUTS]
        if len(given) > _INPUTS:
            inputs.append(f"... {len(given) - _INPUTS:,} more")
        attributes = words.attributes_text(node, 40)
        arguments = ", ".join([*inputs, *([attributes] if attributes else [])])
        call = words.clip(node.op, 40) + (f"({arguments})" if arguments else "")
        value = ""
        if node.value is not None and not node.shape:
            value = f" -> {words.clip(node.value, 20)}"
        return f"{self.reference(node.id)} = {call}{value}"

    def state(self, node: GraphNode) -> str:
        found = ["root"] if node.id in self.graph.roots else []
        return ", ".join([*found, "consumed"] if node.consumed else found)

    @staticmethod
    def mark(mark: Mark) -> str:
        sign = words.SIGNS[mark.severity]
        if not mark.main:
            return f"{sign} part of problem {', '.join(map(str, mark.numbers[:4]))}"
        number = f" (problem {', '.join(map(str, mark.numbers[:4]))})" if mark.numbers else ""
        return f"{sign} {words.clip(words.mark_text(mark), 90)}{number}"

    def table(self, rows: list[_Row]) -> list[str]:
        """The rows in columns."""
        facts = max((columns(row.facts) for row in rows), default=0)
        facts = min(facts, 44, self.width * 2 // 5)
        places = max((columns(row.place) for row in rows), default=0)
        places = min(places, 28, self.width // 4) if self.width >= _NARROW else 0
        room = self.width - facts - places - (2 if facts else 0) - (2 if places else 0)
        left = min(max((columns(row.left) for row in rows if row.facts), default=0), max(room, 12))
        lines = []
        for row in rows:
            if not row.facts and not row.place:
                lines.append(words.clip(row.left, self.width))
                continue
            shown = words.clip(row.left, left)
            line = shown + " " * (left - columns(shown))
            seen = words.clip(row.facts, facts)
            line += f"  {seen}{' ' * (facts - columns(seen))}"
            if row.place and places:
                line += f"  {words.clip(row.place, places)}"
            lines.append(line.rstrip())
        return lines

    # --- what is wrong ------------------------------------------------------------------------
    def problems(self) -> list[str]:
        problems = self.graph.problems
        lines: list[str] = []
        for number, problem in enumerate(problems[:MOST_PROBLEMS], 1):
            lines += ["", *self.problem(number, problem)]
        if len(problems) > MOST_PROBLEMS:
            lines += ["", f"... {len(problems) - MOST_PROBLEMS:,} more problems"]
        return lines

    def problem(self, number: int, problem: Problem) -> list[str]:
        sign = words.SIGNS[problem.severity]
        severity = words.SEVERITIES[problem.severity].lower()
        slug = words.clip(problem.slug, 60)
        lines = [f"{sign} problem {number}: {severity}: {printable(problem.message, 300)}"]
        for span, what in ((problem.cause, "begins"), (problem.where, "shows")):
            if span is not None and (what == "begins" or span != problem.cause):
                lines.append(f"    {what} at {place(span)}: {words.clip(span.text, 60)}")
        for lead, text in (("why", problem.reason), ("do", problem.advice)):
            if text:
                lines += self.wrapped(f"    {lead + ':':<5}", printable(text, 600))
        for fix in problem.fixes[:3]:
            state = "checked" if fix.verified else "not checked"
            lines.append(f"    fix: {words.clip(fix.title, 70)} ({state})")
        lines.append(f"    see gv.explain({slug!r})")
        return [words.clip(line, self.width) for line in lines]

    def wrapped(self, first: str, text: str) -> list[str]:
        import textwrap

        return textwrap.wrap(
            text,
            self.width,
            initial_indent=first,
            subsequent_indent=" " * len(first),
            break_on_hyphens=False,
        )

    def key(self) -> str:
        """What the signs mean; only those that occur."""
        signs = {glyph(look) for look in self.graph.table.looks}
        named = {
            "\u25c9": "parameter",
            "\u25cf": "tracked leaf",
            "\u25a0": "gradients pass through",
            "\u25cb": "not tracked",
        }
        parts = [f"{sign} {text}" for sign, text in named.items() if sign in signs]
        return "   ".join(parts)


def glyph(node: GraphNode) -> str:
    """The sign of a node's requirement."""
    if node.requirement == "grad":
        return "\u25c9" if node.role == "parameter" else "\u25cf"
    return "\u25a0" if node.requirement == "grad_in_backward" else "\u25cb"


def place(span: SourceSpan | None) -> str:
    """`train.py:3`, or `In [2]:3` for a notebook's cell."""
    return "" if span is None else f"{words.clip(label_of(span.filename), 40)}:{span.line}"


def _common(one: tuple[int, ...], other: tuple[int, ...]) -> int:
    """How many groups two paths share from the outside."""
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count
