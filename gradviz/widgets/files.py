"""Files that the kernel writes for a view: what a browser can't make of the message alone."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Final

from gradviz.widgets.channel import Answer, Question, answers

ENDINGS: Final = ("pdf", "dot", "html")


@answers("file")
def file(question: Question) -> Answer:
    """The graph as `graph.save` writes it.

    Args:
        question: `ending` is one of `ENDINGS`.
    """
    ending = question.text("ending", 8)
    if ending not in ENDINGS:
        raise question.refuse("ending", f"none of {', '.join(ENDINGS)}")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"graph.{ending}"
        question.graph.save(path)
        data = path.read_bytes()
    return Answer({"bytes": len(data)}, (data,))
