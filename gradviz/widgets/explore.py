"""`gv.explore`: the interactive view of a graph."""

from __future__ import annotations

from collections import deque
from typing import Any, Final

from gradviz.core.pause import collector_paused
from gradviz.diagnose import trial
from gradviz.diagnose.look import graph
from gradviz.graph.graph import Graph
from gradviz.graph.kept import LiveGraph
from gradviz.graph.message import message_of
from gradviz.graph.steps import extras_view
from gradviz.render.glance import svg_or_none
from gradviz.render.text import to_text
from gradviz.tensor.gradients import Gradients
from gradviz.tensor.tracing import BackwardTrace
from gradviz.widgets import runs

MOST_SHOWN: Final = 4
MOST_BYTES: Final = 16_000_000

_shown: Final[deque[LiveGraph]] = deque()


def explore(
    *things: Any,
    title: str | None = None,
    grads: Gradients | None = None,
    steps: BackwardTrace | None = None,
    **options: Any,
) -> Any:
    """The graph of tensors, modules or captures as an interactive view in a notebook.

    Nodes where `backward` or `require_grad` would fail are marked before anyone calls them, with
    the reason at the expression in your code and the fix to apply.

    Args:
        things: what `gv.graph` takes, or a graph.
        title: a heading.
        grads: what `backward` returned, to be shown beside the values.
        steps: what `gv.trace_backward` returned, to be played.
        **options: traits of the widget, such as `layout`.

    Returns:
        An anywidget; saved notebooks, other viewers and terminals show a static form of it.

    Raises:
        GradvizError: `missing-extra` without the packages of the `lab` extra; `not-a-tensor`;
            `invalid-argument` for gradients or steps that are none.
    """
    drawn: Graph = graph(*things, title=title, grads=grads, steps=steps)
    if trial.trying.get():
        return None
    with collector_paused():
        from gradviz.widgets.comm import keep
        from gradviz.widgets.explorer import Explorer

        _hold(drawn.live)
        place = runs.place_of(drawn)
        extras = extras_view(drawn, difference=runs.since_last(drawn, place), place=place)
        message = message_of(drawn, key=keep(drawn, things), extras=extras)
        picture, text = svg_or_none(drawn), to_text(drawn)
    return Explorer(message, picture, text, **options)


def _hold(live: LiveGraph | None) -> None:
    """Keeps the tensors of the latest small graphs alive, so that views can ask for their values.

    Large ones live as long as the user's variables hold them.
    """
    if live is None or not live.hold(MOST_BYTES):
        return
    _shown.append(live)
    while len(_shown) > MOST_SHOWN:
        _shown.popleft().release()
