"""Graphs as live widgets, with every static form beside them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

from gradviz.graph.model import MIME_TYPE, GraphView
from gradviz.widgets.channel import answer
from gradviz.widgets.display import graph_bundle
from gradviz.widgets.extras import missing_lab

try:
    import anywidget
    import traitlets
except ImportError as error:
    raise missing_lab("explore", error.name or "anywidget") from error

BUNDLE = Path(__file__).resolve().parents[1] / "static" / "widget.js"
if not BUNDLE.exists():
    raise missing_lab("explore", "gradviz front end (its built files are not in this checkout)")


class Drawing(anywidget.AnyWidget):  # type: ignore[misc, unused-ignore]
    """A message in an output, with its static forms beside it.

    In JupyterLab the extension draws the message itself, so the output is still there when the
    notebook is reopened without a kernel or without trust; other hosts run the widget's own script;
    static viewers show the picture; terminals the text.
    """

    _esm: ClassVar[Path] = BUNDLE
    graph = traitlets.Dict(help="The message, as JSON.").tag(sync=True)

    def __init__(self, bundle: dict[str, Any], **traits: Any) -> None:
        self._static = bundle
        super().__init__(graph=bundle[MIME_TYPE], **traits)
        self.on_msg(_asked)

    def show(self, bundle: dict[str, Any]) -> None:
        """Shows another message in the same place."""
        self._static = bundle
        self.graph = bundle[MIME_TYPE]

    def _repr_mimebundle_(self, **options: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        widget = super()._repr_mimebundle_(**options)
        data, metadata = widget if isinstance(widget, tuple) else (widget or {}, {})
        return {**data, **self._static}, metadata

    def __repr__(self) -> str:
        text: str = self._static["text/plain"]
        return text


class Explorer(Drawing):
    """The interactive view of one graph, which travels as one message."""

    def __init__(self, view: GraphView, svg: str | None, text: str, **traits: Any) -> None:
        super().__init__(graph_bundle(view, svg, text), **traits)

    def update(self, view: GraphView, svg: str | None, text: str) -> None:
        """Shows another graph in the same place."""
        self.show(graph_bundle(view, svg, text))


def _asked(widget: Drawing, content: Any, buffers: Any) -> None:
    """A question of the widget's own view, in hosts without the JupyterLab extension."""
    data, parts = answer(content, buffers or ())
    widget.send(data, parts or None)
