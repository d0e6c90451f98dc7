"""Lines of the user's source with the expression that matters underlined."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gradviz.core.source import SourceSpan, cell_number, line_text
from gradviz.errors.printable import character, columns, printable

TAB: Final = "    "
CUT: Final = " ..."
MOST_LINES: Final = 5
"""A span of more lines shows its first three and its last one."""


@dataclass(frozen=True, slots=True)
class _Line:
    """One line of source and the stretch of it to underline, in characters."""

    number: int | None
    text: str
    start: int
    end: int


def excerpt(span: SourceSpan, label: str, width: int) -> list[str]:
    """The block for one span: its position, its lines, the underline with `label` behind it."""
    lines = _lines(span)
    margin = max((len(str(line.number)) for line in lines if line.number is not None), default=1)
    blank = f" {' ' * margin} |"
    block = [f" {' ' * margin}--> {position(span)}"]
    if not lines:
        return [*block, f"{blank} {label}"] if label else block
    block.append(blank)
    room = max(width - len(blank) - 1, 20)
    for line in lines:
        if line.number is None:
            block.append(f" {' ' * margin} : ...")
            continue
        shown, start, length = _windowed(line, room)
        block.append(f" {line.number:>{margin}} | {shown}".rstrip())
        if length:
            block.append(f"{blank} {' ' * start}{'^' * length}")
    if label:
        block[-1] += f" {label}"
    return block


def position(span: SourceSpan) -> str:
    """`file:line:column`, the column counted from 1; the file relative where that is shorter.

    A notebook's cell is called by its number.
    """
    return f"{short_name(span.filename)}:{span.line}:{span.col + 1}"


def short_name(filename: str) -> str:
    """A file as people call it: a notebook's cell by its number, a path from here where shorter."""
    number = cell_number(filename)
    if number is not None:
        return f"In [{printable(number, 20)}]"
    name = printable(filename, 300)
    try:
        below = os.path.relpath(filename) if Path(filename).is_absolute() else filename
    except (OSError, ValueError):  # the working folder is gone, or on another drive
        return name
    return name if below.startswith(os.pardir) else printable(below, 300)


def _lines(span: SourceSpan) -> list[_Line]:
    """The lines of a span as they were run: from the file, or where that changed, from the span."""
    last = max(span.end_line, span.line)
    numbers: list[int | None] = list(range(span.line, min(last, span.line + MOST_LINES) + 1))
    if last - span.line >= MOST_LINES:
        numbers[MOST_LINES - 2 :] = [None, last]
    texts = {number: line_text(span.filename, number) for number in numbers if number is not None}
    shift = 0
    if not _holds(texts[span.line], span, last):
        if not span.text:
            return []
        # Indented as it was, within reason.
        shift = max(span.col - 40, 0)
        rows = span.text[: MOST_LINES * 10_000].split("\n")
        rows[0] = " " * (span.col - shift) + rows[0]
        texts = {span.line + at: row for at, row in enumerate(rows)}
    lines = []
    for number in numbers:
        if number is None:
            lines.append(_Line(None, "", 0, 0))
            continue
        text = texts.get(number, "")
        first = number == span.line
        start = span.col - shift if first else len(text) - len(text.lstrip())
        end = len(text.rstrip())
        if number == last:
            end = span.end_col - (shift if first else 0)
        start = min(max(start, 0), len(text))
        lines.append(_Line(number, text, start, max(min(end, len(text)), start)))
    return lines


def _holds(text: str, span: SourceSpan, last: int) -> bool:
    """Whether the file's line still has the span's text where it was run."""
    if not text or not span.text:
        return bool(text)
    end = span.end_col if last == span.line else None
    return text[span.col : end] == span.text.split("\n", 1)[0]


def _windowed(line: _Line, room: int) -> tuple[str, int, int]:
    """A line cut to `room` columns around its stretch; start and length of the underline."""
    # Of a minified file only what can be near the stretch is worth escaping and measuring.
    first = max(line.start - room, 0)
    text = line.text[first : line.start + 2 * room]
    shown = [TAB if char == "\t" else character(char) for char in text]
    widths = [columns(char) for char in shown]
    start, end = line.start - first, min(line.end - first, len(text))
    low, high = 0, len(text)
    head, tail = bool(first), len(line.text) > first + len(text)
    if head or tail or sum(widths) > room:
        marked = min(sum(widths[start:end]), room - 2 * len(CUT))
        before = sum(widths[:start])
        while low < start and before > room - 2 * len(CUT) - marked:
            before -= widths[low]
            low += 1
        head = head or low > 0
        used, high = before + len(CUT) * head, start
        while high < len(text) and used + widths[high] <= room - len(CUT):
            used += widths[high]
            high += 1
        tail = tail or high < len(text)
    prefix = CUT.lstrip() + " " if head else ""
    result = prefix + "".join(shown[low:high]) + (CUT if tail else "")
    length = sum(widths[start : min(end, high)])
    return result, columns(prefix) + sum(widths[low:start]), length
