"""Answers that a page carries: what its view would ask a kernel, asked while the page is made.

A page has room for about two megabytes of them. Statistics come first, for the nodes that matter
most; then pictures of arrays, the smallest first; then the further slices of those pictures.
"""

from __future__ import annotations

import base64
import heapq
import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice, product
from math import prod
from typing import Any, Final

from gradviz.backends.capture.deferred import Deferred
from gradviz.diagnose.leaves import Played, gradients_view, played, steps_of
from gradviz.graph.answers import PreviewView, ValueView, What
from gradviz.graph.graph import Graph
from gradviz.graph.kept import LiveGraph, Looking
from gradviz.graph.marks import problems_at
from gradviz.graph.model import RefusalView, SavedAnswerView, as_json
from gradviz.graph.numbers import kept, preview_view, value_view
from gradviz.graph.steps import MOST_EMBEDDED
from gradviz.graph.view import LIMIT, node_key, node_view

MOST_TEXT: Final = 2_000_000
"""Characters of answers in one page, about: pages have to stay files that people send."""

MOST_NODES: Final = 2_000
"""Nodes of a graph whose numbers are asked for."""

MOST_ELEMENTS: Final = 50_000_000
"""Elements of arrays that are looked at for one page: as many as take about a second."""

MOST_SLICES: Final = 64
"""Slices of one array that can be looked at, the first ones."""

_LEVEL: Final = 6
Plain = dict[str, Any]

_WHATS: Final[tuple[What, ...]] = ("value", "gradient")


@dataclass(slots=True)
class _Asked:
    """A graph with the answers about it, ready for JSON; pictures come back where there is room.

    Attributes:
        key: names the graph in questions.
        live: what answers.
        others: answers about the graph as a whole.
        values: answers about nodes, without their pictures.
        pictures: these, by position.
        slices: further slices of them.
    """

    key: str
    live: LiveGraph
    others: list[Plain]
    values: list[Plain]
    pictures: dict[int, PreviewView]
    slices: list[Plain]


def answers_text(graphs: Mapping[str, Graph], most: int = MOST_TEXT) -> str:
    """The answers about some graphs for a page: compressed, in base 64; "" where there are none.

    Args:
        graphs: what is asked about, by the keys of their messages.
        most: characters to take at most, about.
    """
    with ExitStack() as stack:
        asked = []
        for key, graph in graphs.items():
            if graph.live is not None:
                looking = stack.enter_context(graph.live.at_once())
                asked.append(_asked(key, graph, graph.live, looking))
        text = _packed(asked)
        while len(text) > most and any(known.values for known in asked):
            for known in asked:
                del known.values[len(known.values) // 2 :]
            text = _packed(asked)
        if len(text) > most:
            return ""
        _add_slices(asked, _add_pictures(asked, most - len(text)))
        return _packed(asked)


def _packed(asked: Sequence[_Asked]) -> str:
    entries = [e for known in asked for e in (*known.others, *known.values, *known.slices)]
    return _compressed(entries) if entries else ""


def _compressed(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return base64.b64encode(zlib.compress(text.encode("ascii"), _LEVEL)).decode("ascii")


# --- what is asked -------------------------------------------------------------------------------
def _asked(key: str, graph: Graph, live: LiveGraph, looking: Looking) -> _Asked:
    film = cache(lambda: played(graph))

    def play(_: Graph) -> Played:
        return film()

    chosen = _chosen(graph)
    # Before any pass is run to see: its gradients are none of the graph's own.
    values = _values(chosen, live, looking)
    others = [SavedAnswerView(key, "gradients", {}, gradients_view(graph, play))]
    if len(graph) > LIMIT:  # the message of a large graph spells out few of its nodes
        others += _nodes(key, graph, chosen)
    if graph.trace is None or len(graph.trace.steps) > MOST_EMBEDDED:
        steps, reason = steps_of(graph, play)
        refusal = None if steps is not None else RefusalView("refused", reason)
        others.append(SavedAnswerView(key, "steps", {}, steps, refusal))
    return _Asked(
        key,
        live,
        list(map(as_json, others)),
        [
            as_json(
                SavedAnswerView(
                    key,
                    "value",
                    {"node": view.node, "what": view.what},
                    replace(view, preview=None),
                )
            )
            for view in values
        ],
        {at: view.preview for at, view in enumerate(values) if view.preview is not None},
        [],
    )


def _nodes(key: str, graph: Graph, chosen: Sequence[int]) -> Iterator[SavedAnswerView]:
    """What is known of nodes, without the fixes of their verdicts: these take time to find."""
    problems = problems_at(graph)
    for number in chosen:
        view = node_view(graph.node(number), problems.get(number, ()), with_fixes=False)
        yield SavedAnswerView(key, "node", {"node": view.id}, view)


def _values(chosen: Sequence[int], live: LiveGraph, looking: Looking) -> list[ValueView]:
    """Values and gradients of the nodes that matter most, these first."""
    left = MOST_ELEMENTS
    found: dict[tuple[int, What], ValueView] = {}
    for number in sorted(chosen):
        for what in _WHATS:
            array = kept(live, number, what).array
            if array is None:
                # Its reason would be another one than that there was too much to compute.
                if what == "value" and looking.cut_short:
                    continue
            else:
                left -= array.size
                # Looking must not make contents that nobody has read yet.
                if left < 0 or isinstance(array, Deferred):
                    continue
            found[number, what] = value_view(live, number, what)
    return [found[at] for at in ((n, what) for n in chosen for what in _WHATS) if at in found]


def _chosen(graph: Graph) -> list[int]:
    """Roots, leaves, what has a name or a problem; then the nodes made last."""
    table = graph.table
    ids = table.ids
    leaves = {at for at, look in enumerate(table.looks) if look.role in ("parameter", "leaf")}
    marked = {n for problem in graph.problems for n in problem.nodes}.union(graph.roots)

    def rank(at: int) -> tuple[bool, int]:
        matters = ids[at] in marked or at in table.names or table.look[at] in leaves
        return not matters, -at

    return [ids[at] for at in heapq.nsmallest(MOST_NODES, range(len(ids)), key=rank)]


# --- pictures, as far as there is room -----------------------------------------------------------
def _add_pictures(asked: Sequence[_Asked], room: int) -> int:
    """Adds pictures of arrays, the smallest first; returns the room that is left."""
    waiting = []
    for which, known in enumerate(asked):
        for at, preview in known.pictures.items():
            if at < len(known.values):
                picture = as_json(preview)
                waiting.append((len(_compressed(picture)), which, at, picture))
    for size, which, at, picture in sorted(waiting, key=lambda item: item[:3]):
        if size > room:
            asked[which].pictures.pop(at)
            continue
        room -= size
        asked[which].values[at]["result"]["preview"] = picture
    return room


def _add_slices(asked: Sequence[_Asked], room: int) -> None:
    """Adds slices of the arrays whose pictures are there, the smallest arrays first."""
    waiting = [
        (prod(preview.shape), which, at, preview)
        for which, known in enumerate(asked)
        for at, preview in known.pictures.items()
        if len(preview.shape) > 2 and at < len(known.values)
    ]
    for _, which, _at, preview in sorted(waiting, key=lambda item: item[:3]):
        # The picture tells how large one slice is; it takes longer to make them all and look.
        expected = len(_compressed(as_json(preview))) * min(_cuts(preview), MOST_SLICES)
        if expected > 2 * room:
            break
        slices = [as_json(entry) for entry in _slices(asked[which], preview)]
        size = len(_compressed(slices))
        if size <= room:
            room -= size
            asked[which].slices += slices


def _cuts(preview: PreviewView) -> int:
    """How many slices there are along the axes that are shown at first."""
    return prod(n for axis, n in enumerate(preview.shape) if axis not in preview.axes)


def _slices(known: _Asked, preview: PreviewView) -> Iterator[SavedAnswerView]:
    """The slices that a view can ask for with the axes it offers first, colours included."""
    shape, axes = preview.shape, preview.axes
    choices = [(axes, -1)]
    three = [axis for axis, length in enumerate(shape) if length == 3]
    if three:
        colours = next((axis for axis in three if axis not in axes), three[-1])
        beside = tuple(axis for axis in range(len(shape)) if axis != colours)[-2:]
        pictured = beside if colours in axes else axes
        choices += [(pictured, colours), (pictured, -1)] if pictured != axes else [(axes, colours)]
    number = int(preview.node[1:])
    for shown, colours in choices:
        ranges = [
            range(1) if axis in shown or axis == colours else range(length)
            for axis, length in enumerate(shape)
        ]
        for index in islice(product(*ranges), MOST_SLICES):
            found = preview_view(known.live, number, preview.what, shown, index, colours)
            params = {
                "node": node_key(number),
                "what": preview.what,
                "axes": list(shown),
                "index": list(index),
                "colours": colours,
            }
            if found is not None:
                yield SavedAnswerView(known.key, "preview", params, found)
