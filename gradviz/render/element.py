"""SVG elements: attributes and texts escaped, so that whatever a user wrote stays text."""

from __future__ import annotations

import html

from gradviz.errors.printable import printable


def tag(name: str, content: str = "", **attributes: object) -> str:
    """An element; `content` must be SVG already, attributes are escaped; `_` stands for `-`."""
    shown = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{html.escape(_text(value), quote=True)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{shown}>{content}</{name}>" if content else f"<{name}{shown}/>"


def _text(value: object) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def text(
    value: str,
    x: float,
    y: float,
    size: float,
    fill: str,
    *,
    bold: bool = False,
    anchor: str | None = None,
    italic: bool = False,
    content: str = "",
) -> str:
    """A line of text; user text is made printable and inert."""
    return tag(
        "text",
        inert(value) + content,
        x=x,
        y=y,
        font_size=size,
        fill=fill,
        font_weight=600 if bold else None,
        font_style="italic" if italic else None,
        text_anchor=anchor,
        # A name in Hebrew must not turn the line around.
        unicode_bidi=None if value.isascii() else "isolate",
    )


def inert(value: object) -> str:
    """User text for an SVG element."""
    return html.escape(printable(value), quote=False)
