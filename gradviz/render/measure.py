"""Widths of texts before anything draws them: boxes must fit whatever font a viewer has."""

from __future__ import annotations

from typing import Final

from gradviz.errors.printable import cells, printable

# Advance widths, in hundredths of the font size, of the characters from space to tilde in
# DejaVu Sans: the widest of the fonts a viewer is likely to choose.
_WIDTHS: Final = (
    32, 40, 46, 84, 64, 95, 78, 27, 39, 39, 50, 84, 32, 36, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64,
    64, 64, 34, 34, 84, 84, 84, 53, 100, 68, 69, 70, 77, 63, 58, 77, 75, 29, 29, 66, 56, 86, 75, 79,
    60, 79, 69, 63, 61, 73, 68, 99, 69, 61, 69, 39, 34, 39, 84, 50, 50, 61, 63, 55, 63, 62, 35, 63,
    63, 28, 28, 58, 28, 97, 63, 61, 63, 63, 41, 52, 39, 63, 59, 82, 59, 59, 52, 64, 34, 64, 84,
)  # fmt: skip
_BOLD: Final = 1.14


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """How wide a printable text is at a font size."""
    total = 0.0
    for char in text:
        code = ord(char)
        if 32 <= code < 127:
            total += _WIDTHS[code - 32]
        else:
            total += 72 * cells(char)
    return total / 100 * size * (_BOLD if bold else 1.0)


def fit(text: object, room: float, size: float, *, bold: bool = False) -> str:
    """The text on one printable line, or as much of it as fits with an ellipsis."""
    # No character is narrower than a quarter of the font size: the rest can't show.
    shown = printable(text, max(int(room / size * 4), 8))
    if text_width(shown, size, bold=bold) <= room:
        return shown
    room -= text_width("\u2026", size, bold=bold)
    kept = []
    for char in shown:
        room -= text_width(char, size, bold=bold)
        if room < 0:
            break
        kept.append(char)
    return "".join(kept).rstrip() + "\u2026"
