"""`gv.explore`: the interactive view of a graph."""

from __future__ import annotations

from typing import Any

from gradviz.diagnose import trial
from gradviz.diagnose.look import graph
from gradviz.graph.graph import Graph
from gradviz.graph.view import view_of
from gradviz.render.attach import svg_or_none
from gradviz.render.text import to_text


def explore(*things: Any, title: str | None = None, **options: Any) -> Any:
    """The graph of tensors, modules or captures as an interactive view in a notebook.

    Nodes where `backward` or `require_grad` would fail are marked before anyone calls them, with
    the reason at the expression in your code and the fix to apply.

    Args:
        things: what `gv.graph` takes, or a graph.
        title: a heading.
        **options: traits of the widget, such as `layout`.

    Returns:
        An anywidget; saved notebooks, other viewers and terminals show a static form of it.

    Raises:
        GradvizError: `missing-extra` without the packages of the `lab` extra; `not-a-tensor`.
    """
    drawn: Graph = graph(*things, title=title)
    if trial.trying.get():
        return None
    from gradviz.widgets.comm import keep
    from gradviz.widgets.explorer import Explorer

    return Explorer(
        view_of(drawn, key=keep(drawn, things)), svg_or_none(drawn), to_text(drawn), **options
    )
