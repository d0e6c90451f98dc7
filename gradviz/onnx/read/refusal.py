"""The error of a file that can't be read."""

from __future__ import annotations

from gradviz.errors import GradvizError, fail

SHOWN = 8
"""How many of a kind an error lists."""


def unreadable(
    name: str,
    complaint: str,
    reason: str = "",
    advice: str = "",
    facts: tuple[tuple[str, str], ...] = (),
) -> GradvizError:
    """The error of a model that isn't read; the caller raises it."""
    return fail(
        "onnx-unreadable",
        name=name,
        complaint=complaint,
        reason=reason,
        advice=advice,
        facts=facts,
    )


class UnreadableError(Exception):
    """What is wrong with one node or value; it becomes an error that names the file as well."""


def shortened(text: object, most: int = 120) -> str:
    """A text from a file, fit for a message: one printable line of limited length."""
    line = "".join(c if c.isprintable() else "?" for c in " ".join(str(text)[:4096].split()))
    return line if len(line) <= most else f"{line[:most]}..."
