"""A notebook's file as one program."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Final

from gradviz.diagnose.joined import Joined, remember
from gradviz.errors.problem import Fix

_MAGIC: Final = re.compile(r"^(\s*)[%!?]")


class Notebook(Joined):
    """The code of a notebook."""

    def __init__(self, path: Path, text: str) -> None:
        parsed = json.loads(text)
        if not isinstance(parsed, dict) or not isinstance(parsed.get("cells"), list):
            raise ValueError("this is no notebook")  # noqa: TRY004 - the file is wrong, not a type
        code = [
            (position, cell)
            for position, cell in enumerate(parsed["cells"])
            if isinstance(cell, dict) and cell.get("cell_type") == "code"
        ]
        self._positions = {
            f"<{path.name} cell {number}>": position for number, (position, _) in enumerate(code, 1)
        }
        sources = [
            "\n".join(_MAGIC.sub(r"\1pass  # ", line) for line in _lines(cell)) for _, cell in code
        ]
        super().__init__(f"<{path.name}>", zip(self._positions, sources, strict=True))
        for cell in self.cells:
            remember(cell.filename, cell.source)

    def patched(self, text: str, fix: Fix) -> str:
        """The notebook's file with the edits made in its cells."""
        notebook = json.loads(text)
        for filename, position in self._positions.items():
            edits = tuple(edit for edit in fix.edits if edit.filename == filename)
            if edits:
                found = notebook["cells"][position]
                source = Fix("", "", edits).apply_to("\n".join(_lines(found)))
                found["source"] = source.splitlines(keepends=True)
        return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def _lines(cell: dict[str, Any]) -> list[str]:
    source = cell.get("source", "")
    text: str = source if isinstance(source, str) else "".join(source)
    return text.replace("\r\n", "\n").split("\n")
