"""The explorer in an exported page: its script, the message it draws, and what the page may do."""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path
from typing import Final

from gradviz.graph.graph import Graph
from gradviz.graph.message import message_of
from gradviz.graph.model import as_json
from gradviz.graph.steps import extras_view

BUNDLE: Final = Path(__file__).resolve().parents[1] / "static" / "page.js"
"""The explorer with everything it needs; absent where the front end was never built."""

STILL_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'"
"""A page without a script can neither run nor fetch anything, whatever a graph holds."""


def script() -> str | None:
    """The explorer's script, or None where it wasn't built or can't stand between tags."""
    try:
        text = BUNDLE.read_text(encoding="utf-8")
    except OSError:
        return None
    lowered = text.lower()
    return None if "</script" in lowered or "<!--" in lowered else text


def policy(code: str) -> str:
    """What a page with the explorer may do: run this one script and its worker, fetch nothing."""
    digest = base64.b64encode(hashlib.sha256(code.encode("utf-8")).digest()).decode("ascii")
    return (
        f"{STILL_POLICY}; script-src 'sha256-{digest}'; worker-src blob:; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )


def explorer(graph: Graph, code: str) -> str:
    """The place of the explorer, the graph's message, and the script."""
    return (
        '<div id="gradviz-explorer" class="gradviz-fill"></div>'
        f'<script type="application/json" id="gradviz-message">{message(graph)}</script>'
        f"<script>{code}</script>"
    )


def message(graph: Graph) -> str:
    """The graph's message as JSON in which nothing looks like a tag."""
    view = as_json(message_of(graph, extras=extras_view(graph)))
    text = json.dumps(view, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
