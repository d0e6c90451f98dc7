"""Text that came from the user, made safe to print: no control characters, no exceptions."""

from __future__ import annotations

import unicodedata
from typing import Final

_HIDDEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Unicode categories that a terminal obeys, reorders or can't encode."""

_JOINERS: Final = frozenset("\u200c\u200d")
"""Invisible, but part of how emoji and several scripts are spelled."""

_SHORT: Final = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}


def character(char: str) -> str:
    """One character as it may be shown: itself, or its escape."""
    if " " <= char <= "~":
        return char
    if char in _SHORT:
        return _SHORT[char]
    if unicodedata.category(char) in _HIDDEN and char not in _JOINERS:
        code = ord(char)
        if code < 0x100:
            return f"\\x{code:02x}"
        return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
    return char


def printable(value: object, limit: int = 2000, keep_lines: bool = False) -> str:
    """`value` as text without control characters, cut after `limit` characters.

    With `keep_lines`, line breaks stay. A value whose `str` fails is named by its type.
    """
    try:
        # A slice first: escaping a text of a gigabyte would take minutes.
        text = str(value)
        cut = text[:limit]
    except Exception:
        return f"<unprintable {type(value).__name__}>"
    if keep_lines:
        shown = "\n".join("".join(map(character, line)) for line in cut.split("\n"))
    else:
        shown = "".join(map(character, cut))
    return shown if len(text) <= limit else f"{shown} ..."


def cells(char: str) -> int:
    """How many columns of a terminal an (already printable) character takes."""
    if char <= "~":
        return 1
    if unicodedata.combining(char) or char in _JOINERS or unicodedata.category(char) == "Me":
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def columns(text: str) -> int:
    """How many columns of a terminal a printable text takes."""
    return len(text) if text.isascii() else sum(map(cells, text))
