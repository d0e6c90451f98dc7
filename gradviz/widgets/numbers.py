"""What views ask about numbers: values, gradients, the steps of a backward pass."""

from __future__ import annotations

from typing import Any, Final, cast

from gradviz.diagnose.leaves import gradients_view, steps_of
from gradviz.graph.answers import GradientsView, PreviewView, StepsView, ValueView, What
from gradviz.graph.kept import LiveGraph
from gradviz.graph.numbers import preview_view, value_view
from gradviz.widgets.channel import Question, answers, refused

MOST_AXES: Final = 64
LONGEST_AXIS: Final = 2**53


@answers("value")
def value(question: Question) -> ValueView:
    """A node's value or gradient in numbers, with a small picture.

    Args:
        question: `node` names the node, `what` says "value" or "gradient".
    """
    return value_view(_live(question), question.node().id, _what(question))


@answers("preview")
def preview(question: Question) -> PreviewView:
    """Another slice of a node's value or gradient.

    Args:
        question: `node` and `what` as for "value"; `axes` are those of rows and columns, `index`
            says where to cut the others, `colours` which axis holds red, green and blue, or -1.
    """
    axes, index = _places(question, "axes"), _places(question, "index")
    colours = question.number("colours", -1, MOST_AXES, -1)
    live, number = _live(question), question.node().id
    found = preview_view(live, number, _what(question), axes, index, colours)
    if found is None:
        raise refused("Its values are gone: run the cell again.")
    return found


@answers("gradients")
def gradients(question: Question) -> GradientsView:
    """Every leaf's gradient, and what flows along the edges."""
    return gradients_view(question.graph)


@answers("steps")
def steps(question: Question) -> StepsView:
    """The backward pass of the graph, step by step; run for it where there was none, keeping all.

    Nothing is consumed, and nothing that a variable holds changes.
    """
    film, reason = steps_of(question.graph)
    if film is None:
        raise refused(reason)
    return film


def _live(question: Question) -> LiveGraph:
    live: LiveGraph | None = question.graph.live
    return LiveGraph((), {}) if live is None else live


def _what(question: Question) -> What:
    what = question.text("what", 20, "value")
    if what not in ("value", "gradient"):
        raise question.refuse("what", 'neither "value" nor "gradient"')
    return cast("What", what)


def _places(question: Question, name: str) -> tuple[int, ...]:
    """A short list of whole numbers."""
    given: Any = question.params.get(name, [])
    if (
        isinstance(given, list)
        and len(given) <= MOST_AXES
        and all(type(item) is int and abs(item) < LONGEST_AXIS for item in given)
    ):
        return tuple(given)
    raise question.refuse(name, "no short list of whole numbers")
