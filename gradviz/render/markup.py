"""Safe HTML for places where no script of ours runs: escaped text, inline styles, host colours."""

from __future__ import annotations

import html
import re
from typing import Final, Literal

from gradviz.errors.printable import printable

Tone = Literal["error", "warning", "note", "good", "quiet", "leaf", "flow", "none"]

TEXT: Final = "var(--jp-ui-font-color1,var(--vscode-foreground,CanvasText))"
MUTED: Final = "var(--jp-ui-font-color2,var(--vscode-descriptionForeground,GrayText))"
BORDER: Final = "var(--jp-border-color2,var(--vscode-panel-border,rgba(127,127,127,.35)))"
SOFT: Final = "var(--jp-layout-color2,var(--vscode-sideBar-background,rgba(127,127,127,.10)))"
CODE_FONT: Final = (
    "var(--jp-code-font-family,var(--vscode-editor-font-family,"
    "ui-monospace,Menlo,Consolas,monospace))"
)
FONT: Final = "var(--jp-ui-font-family,var(--vscode-font-family,system-ui,sans-serif))"

# Readable on white and on black alike, and apart from each other for every kind of colour vision.
TONES: Final[dict[Tone, str]] = {
    "error": "#d4570f",
    "warning": "#b07a00",
    "note": "#8a6fc0",
    "good": "#0f8f6c",
    "quiet": "#808895",
    "leaf": "#0f8f6c",
    "flow": "#2f86cc",
    "none": "#808895",
}
# The warning and the note ask to be drawn as text, not as a coloured picture.
SIGNS: Final[dict[Tone, str]] = {
    "error": "\u2717",
    "warning": "\u26a0\ufe0e",
    "note": "\u2139\ufe0e",
    "good": "\u2713",
    "quiet": "\u2717",
}


def text(value: object, limit: int = 2000, *, keep_lines: bool = False) -> str:
    """User text for an HTML page: control characters shown as escapes, markup inert."""
    return html.escape(printable(value, limit, keep_lines), quote=True)


def element(tag: str, style: str, *parts: str, **attributes: str) -> str:
    """An element; `parts` must be HTML already, attribute values are escaped."""
    given = {"style": style, **attributes} if style else attributes
    named = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{html.escape(value, quote=True)}"'
        for name, value in given.items()
    )
    return f"<{tag}{named}>{''.join(parts)}</{tag}>"


def image(source: str, alt: str, style: str) -> str:
    """A picture; it has no end tag."""
    shown = printable(alt, 300)
    return element("img", style, src=source, alt=shown).removesuffix("</img>")


def muted(*parts: str) -> str:
    """Text of less weight."""
    return element("span", f"color:{MUTED};font-size:12px", *parts)


def code(value: object, limit: int = 300) -> str:
    """A word of code."""
    style = f"font-family:{CODE_FONT};font-size:12px;color:inherit;background:none"
    return element("code", style, text(value, limit))


def prose(value: object, limit: int = 2000) -> str:
    """Text in which words between backticks are code."""
    parts = re.split(r"`([^`\n]{1,200})`", printable(value, limit))
    shown = [
        code(part) if at % 2 else html.escape(part, quote=True) for at, part in enumerate(parts)
    ]
    return "".join(shown)


def source(value: object, limit: int = 2000, *, tone: Tone | None = None) -> str:
    """A block of source; nothing where there is none."""
    if not value:
        return ""
    edge = f";border-left:3px solid {TONES[tone]}" if tone else ""
    style = (
        f"margin:3px 0 8px;padding:6px 10px;border:1px solid {BORDER}{edge};border-radius:6px;"
        f"background:{SOFT};color:{TEXT};font:12px/1.5 {CODE_FONT};white-space:pre;overflow:auto"
    )
    return element("pre", style, text(value, limit, keep_lines=True))


def diff(value: str) -> str:
    """A unified diff with its signs; the file lines are left out."""
    rows: list[str] = []
    for line in value.split("\n")[:200]:
        if line.startswith(("---", "+++")):
            continue
        if line.startswith("@@"):
            rows.append(element("div", f"color:{MUTED};padding:0 10px", "\u2026") if rows else "")
            continue
        mark, rest = line[:1], line[1:]
        tint = {"+": "rgba(15,143,108,.18)", "-": "rgba(212,87,15,.18)"}.get(mark, "transparent")
        shown = {"+": "+", "-": "\u2212"}.get(mark, "\u00a0")
        rows.append(
            element("div", f"background:{tint};padding:0 10px", f"{shown} {text(rest, 400)}")
        )
    style = (
        f"margin:6px 0;padding:6px 0;border:1px solid {BORDER};border-radius:6px;background:{SOFT};"
        f"color:{TEXT};font:12px/1.5 {CODE_FONT};white-space:pre;overflow:auto"
    )
    return element("div", style, *rows)


def sign(tone: Tone) -> str:
    """The sign of a tone, in its colour."""
    return element("span", f"color:{TONES[tone]};font-weight:700", SIGNS[tone])


def disc(tone: Tone) -> str:
    """A coloured disc with the sign of the tone."""
    style = (
        "display:inline-block;width:20px;height:20px;line-height:20px;border-radius:50%;"
        "text-align:center;"
        f"background:{TONES[tone]};color:#fff;font-size:12px;font-weight:700;flex:none"
    )
    return element("span", style, SIGNS[tone])


def table(rows: list[tuple[str, str]]) -> str:
    """Labels and values; both must be HTML already."""
    cells = [
        element("span", f"color:{MUTED}", label)
        + element("span", "min-width:0;overflow-wrap:anywhere", value)
        for label, value in rows
    ]
    style = (
        "display:grid;grid-template-columns:max-content 1fr;gap:3px 14px;"
        "margin:9px 0;font-size:12.5px"
    )
    return element("div", style, *cells)


def pill(word: str, tone: Tone | None = None) -> str:
    """A word in a rounded frame; coloured where it means something."""
    line = TONES[tone] if tone else BORDER
    ink = TONES[tone] if tone else MUTED
    style = (
        f"padding:0 8px;border:1px solid {line};border-radius:10px;"
        f"font-size:11.5px;line-height:17px;color:{ink};white-space:nowrap"
    )
    return element("span", style, text(word, 60))


def frame(*parts: str, label: str, width: int = 760) -> str:
    """The card around everything, named for screen readers."""
    style = (
        f"max-width:{width}px;margin:4px 0;padding:12px 16px;border:1px solid {BORDER};"
        f"border-radius:8px;font:13px/1.45 {FONT};color:{TEXT};text-align:left"
    )
    return element("div", style, *parts, role="group", aria_label=printable(label, 200))
