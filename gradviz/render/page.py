"""The explorer in an exported page: its script, the message it draws, answers to its questions."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from gradviz.graph.model import GraphView, PairView, as_json

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


def explorer(view: GraphView | PairView, answers: str, code: str) -> str:
    """The place of the explorer, what it draws, and the script.

    Args:
        view: the message.
        answers: what it may ask about it, as `gradviz.render.saved` writes it.
        code: the script.
    """
    kept = f'<script type="text/plain" id="gradviz-answers">{answers}</script>' if answers else ""
    return (
        '<div id="gradviz-explorer" class="gradviz-fill"></div>'
        f'<script type="application/json" id="gradviz-message">{message(view)}</script>'
        f"{kept}<script>{code}</script>"
    )


def message(view: GraphView | PairView) -> str:
    """A message as JSON in which nothing looks like a tag."""
    text = json.dumps(as_json(view), ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def whole(title: str, sheet: str, view: str, code: str | None, still: Sequence[str]) -> str:
    """A page: the explorer, and what stands in its place where no script runs.

    Args:
        title: the page's title, as HTML text.
        sheet: its style.
        view: what `explorer` gave, or nothing.
        code: the script in it, or None.
        still: the parts of the still page, as HTML.
    """
    rules = STILL_POLICY if code is None else policy(code)
    return (
        "<!DOCTYPE html>\n"
        '<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{rules}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="generator" content="gradviz">'
        f"<title>{title}</title><style>{sheet}</style></head>"
        f'<body><main><h1>{title}</h1>{view}<div class="still">{"".join(still)}</div>'
        "</main></body></html>\n"
    )
