"""Programs run as a user would run them: from a file of their own, then asked about."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import gradviz as gv
from gradviz.core.context import start_afresh


class Session:
    """One program after its run.

    Attributes:
        text: the program.
        path: its file.
        space: its variables.
    """

    def __init__(self, text: str, path: Path) -> None:
        self.text = textwrap.dedent(text).lstrip("\n")
        self.path = path
        self.space: dict[str, Any] = {"__name__": "__main__", "__file__": str(path)}
        path.write_text(self.text, encoding="utf-8")
        exec(compile(self.text, str(path), "exec"), self.space)

    def ask(self, question: str) -> Any:
        """The value of an expression, evaluated where the program's variables are in sight."""
        return eval(compile(question, str(self.path), "eval"), self.space)

    def slugs(self, question: str) -> list[str]:
        """Slugs of a report's errors and warnings."""
        return [p.slug for p in self.ask(question).problems if p.severity != "note"]

    def problem(self, question: str, slug: str) -> Any:
        """The one problem of a slug in a report."""
        report = self.ask(question)
        (found,) = [p for p in report.problems if p.slug == slug]
        return found

    def line(self, text: str) -> int:
        """The number of the first line that holds a text."""
        return next(n for n, line in enumerate(self.text.split("\n"), 1) if text in line)


Play = Callable[..., Session]


@pytest.fixture
def play(tmp_path: Path) -> Iterator[Play]:
    """Runs a program; `gv` is imported by its first line."""
    count = 0

    def run(text: str, *, head: str = "import gradviz as gv\n") -> Session:
        nonlocal count
        count += 1
        start_afresh()  # an earlier program may have left a mode open
        return Session(head + textwrap.dedent(text).lstrip("\n"), tmp_path / f"program{count}.py")

    yield run
    gv.set_default_device(gv.device("ndarray"))
    start_afresh()
