"""A look at the values of a tensor that reads little of it: the corner of a large array."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

from gradviz.backends.capture.deferred import Deferred
from gradviz.render import markup
from gradviz.tensor.base import Tensor

MOST_ROWS: Final = 6
MOST_COLUMNS: Final = 8

_POSITIVE: Final = "21,101,168"
_NEGATIVE: Final = "200,90,20"


@dataclass(frozen=True, slots=True)
class Peek:
    """The first values of a tensor.

    Attributes:
        rows: Python numbers, one list per row; a single row for one dimension or none.
        more_rows: whether rows were left out.
        more_columns: whether columns were left out.
        note: which part of a tensor of more dimensions this is; empty for others.
    """

    rows: list[list[Any]]
    more_rows: bool
    more_columns: bool
    note: str


def peek(tensor: Tensor) -> Peek | None:
    """The first values; None where there are none to read."""
    # The array itself, not `.numpy()`: looking must neither copy nor count as using the values.
    prim = tensor.prim
    array = getattr(prim, "array", None) if tensor.device.is_capture else prim
    if isinstance(array, Deferred):
        return None  # nor does looking make contents
    shape = tensor.shape
    if array is None or 0 in shape:
        return None
    note = ""
    if len(shape) > 2:
        leading = "0, " * (len(shape) - 2)
        note = f"[{leading}:, :]"
        array = array[(0,) * (len(shape) - 2)]
        shape = shape[-2:]
    if len(shape) == 2:
        corner = array[:MOST_ROWS, :MOST_COLUMNS].tolist()
        return Peek(corner, shape[0] > MOST_ROWS, shape[1] > MOST_COLUMNS, note)
    if len(shape) == 1:
        most = MOST_COLUMNS + 2
        return Peek([array[:most].tolist()], False, shape[0] > most, note)
    return Peek([[array.item()]], False, False, note)


def number(value: Any) -> str:
    """One value in a few characters."""
    if isinstance(value, float):
        return f"{value:.4g}"
    return str(value)


def peek_html(found: Peek) -> str:
    """The values as a small table; colour tells sign and size, the numbers say them."""
    if len(found.rows) == 1 and len(found.rows[0]) == 1 and not found.more_columns:
        style = f"font:600 15px/1.4 {markup.CODE_FONT}"
        return markup.element("div", style, markup.text(number(found.rows[0][0]), 60))
    largest = max(
        (abs(v) for row in found.rows for v in row if _is_finite(v) and not isinstance(v, bool)),
        default=0,
    )
    rows = [
        markup.element(
            "tr",
            "background:none",
            *(_cell(value, largest) for value in row),
            *([_plain("\u2026")] if found.more_columns else []),
        )
        for row in found.rows
    ]
    if found.more_rows:
        span = str(len(found.rows[0]) + found.more_columns)
        rows.append(
            markup.element(
                "tr",
                "background:none",
                markup.element(
                    "td", f"text-align:center;border:0;color:{markup.MUTED}", "\u22ee", colspan=span
                ),
            )
        )
    style = (
        f"border-collapse:separate;border-spacing:2px;margin:0;border:0;"
        f"font:12px/1.5 {markup.CODE_FONT};color:{markup.TEXT}"
    )
    body = markup.element("div", "overflow-x:auto", markup.element("table", style, *rows))
    return markup.muted(markup.text(found.note)) + body if found.note else body


def _cell(value: Any, largest: float) -> str:
    if not _is_finite(value):
        shade = "background:rgba(212,87,15,.30);font-weight:700;"
    elif isinstance(value, bool):
        shade = f"background:rgba({_POSITIVE},{0.3 if value else 0:g});"
    else:
        share = abs(value) / largest if largest else 0.0
        colour = _NEGATIVE if value < 0 else _POSITIVE
        shade = f"background:rgba({colour},{0.45 * share:.2f});"
    style = f"{shade}padding:1px 7px;border:0;border-radius:3px;text-align:right"
    return markup.element("td", style, markup.text(number(value), 40))


def _plain(sign: str) -> str:
    style = f"border:0;padding:1px 4px;color:{markup.MUTED};background:none"
    return markup.element("td", style, sign)


def _is_finite(value: Any) -> bool:
    return not isinstance(value, float) or math.isfinite(value)


def peek_text(found: Peek) -> str:
    """The values as aligned columns."""
    rows = [
        [number(value) for value in row] + (["\u2026"] if found.more_columns else [])
        for row in found.rows
    ]
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    lines = [
        "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        for row in rows
    ]
    if found.more_rows:
        lines.append("\u22ee")
    return "\n".join(([found.note] if found.note else []) + lines)
