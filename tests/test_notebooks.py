"""The notebooks besides the quickstart: every cell runs, and prints what its text speaks of."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

NOTEBOOKS = Path(__file__).resolve().parents[1] / "notebooks"


def cells(name: str) -> list[str]:
    """The code of a notebook, without what only IPython understands."""
    document = json.loads((NOTEBOOKS / name).read_text(encoding="utf-8"))
    found = []
    for cell in document["cells"]:
        assert not cell.get("outputs")
        if cell["cell_type"] == "code":
            lines = "".join(cell["source"]).splitlines()
            found.append("\n".join(line for line in lines if not line.startswith("%")))
    return found


def test_operations_of_your_own(capsys: pytest.CaptureFixture[str]) -> None:
    space: dict[str, Any] = {"__name__": "__main__"}
    printed = []
    for number, source in enumerate(cells("01_operations_of_your_own.ipynb")):
        exec(compile(source, f"<cell {number}>", "exec"), space)
        printed.append(capsys.readouterr().out)
    shown = "".join(printed)
    assert "[-0.0, 0.0, -0.0]" in shown  # rounding
    assert "weights [2.0, -1.0, 3.0]" in shown
    assert "`backward` gives 4 for `point` at (1,); the slope is 12." in shown
    assert "True\n" in printed
    assert all(f"layer {number}: " in shown for number in range(4))
    assert "6: [1.0, -1.0]" in shown
