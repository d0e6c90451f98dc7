"""MathML as data: a page builds it node by node, `markup` writes it with everything escaped."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Final

TAGS: Final = frozenset(
    "math mrow mi mn mo mtext mfrac msqrt msup msub munder mtable mtr mtd mover".split()
)


@dataclass(frozen=True, slots=True)
class Element:
    """One MathML element: its tag, and a text or children."""

    tag: str
    text: str = ""
    children: tuple[Element, ...] = ()


def markup(element: Element) -> str:
    """MathML as text."""
    inside = escape(element.text) + "".join(map(markup, element.children))
    return f"<{element.tag}>{inside}</{element.tag}>"


def mi(text: str) -> Element:
    """An identifier."""
    return Element("mi", text)


def mo(text: str) -> Element:
    """An operator."""
    return Element("mo", text)


def row(*children: Element) -> Element:
    """Elements side by side."""
    return children[0] if len(children) == 1 else Element("mrow", children=children)
