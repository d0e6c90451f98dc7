"""The programs of the README, run in order, print what stands beside and below them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

README = Path(__file__).resolve().parents[1] / "README.md"
BLOCK = re.compile(r"^```(python|text)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
NAME = "train.py"


def blocks() -> list[tuple[str, str]]:
    """The programs, and what is shown as printed by the last of them: nothing where none is."""
    found: list[tuple[str, str]] = []
    for language, text in BLOCK.findall(README.read_text(encoding="utf-8")):
        if language == "python":
            found.append((text, ""))
        else:
            found[-1] = (found[-1][0], text)
    return found


def promised(program: str) -> list[str]:
    """What the comments behind calls of print say that they print, each on one line."""
    lines = [line for line in program.splitlines() if line.startswith("print(")]
    return [line.rpartition("  # ")[2] for line in lines if "  # " in line]


def test_programs_print_what_the_readme_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    parts = blocks()
    assert len(parts) > 2
    # One file, as if they had been typed one after the other.
    Path(NAME).write_text("\n".join(program for program, _ in parts), encoding="utf-8")
    space: dict[str, Any] = {"__name__": "__main__", "__file__": NAME}
    start = 0
    for program, shown in parts:
        exec(compile("\n" * start + program, NAME, "exec"), space)
        start += program.count("\n") + 1
        printed = capsys.readouterr().out
        if shown:
            assert printed == shown
        else:
            for text in promised(program):
                assert text in printed.splitlines()
