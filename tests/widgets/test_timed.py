"""Cells that begin with `%%time` are cells like any other."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from typing import Any

import pytest

from gradviz.graph.model import MIME_TYPE
from gradviz.widgets import cells, magics

BROKEN = "x = gv.tensor([1.0, 2.0])\n\ny = (x * 2).sum()\ny.backward()"


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A shell with the extension, which records the cards it shows."""
    interactive = pytest.importorskip("IPython.core.interactiveshell")
    made = interactive.InteractiveShell()
    made.cards = []
    made.display_pub.publish = lambda data, **more: made.cards.append(data[MIME_TYPE])
    made._showtraceback = lambda kind, error, lines: None
    monkeypatch.setattr("IPython.get_ipython", lambda: made)
    magics.load_ipython_extension(made)
    made.run_cell("import gradviz as gv", store_history=True)
    yield made
    magics.unload_ipython_extension(made)
    cells.forget()


def run(shell: Any, text: str, **more: Any) -> Any:
    return shell.run_cell(text, store_history=True, **more)


def frames(error: BaseException) -> list[tuple[str, int | None, str]]:
    """Name, line and text of the frames of cells."""
    found = traceback.extract_tb(error.__traceback__)
    return [
        (frame.name, frame.lineno, frame.line or "")
        for frame in found
        if cells.source_of(frame.filename) is not None
    ]


@pytest.mark.parametrize("before", ["", "\n"])
def test_an_error_is_shown_at_its_line_with_its_fix(shell: Any, before: str) -> None:
    text = f"{before}%%time\n{BROKEN}"
    result = run(shell, text, cell_id="the-cell")
    assert result.error_in_exec.slug == "requires-autodiff-tensor"
    problem = shell.cards[-1]["problem"]
    lines = text.splitlines()
    for place, wanted in ((problem["where"], "y.backward()"), (problem["cause"], "(x * 2).sum()")):
        assert place["cell"] == "the-cell"
        assert place["text"] == wanted
        assert wanted in lines[place["line"] - 1]
    (edit,) = problem["fixes"][0]["edits"]
    assert edit["cell"] == "the-cell"
    assert lines[edit["line"] - 1] == "x = gv.tensor([1.0, 2.0])"
    assert "%%time" in problem["fixes"][0]["diff"]


def test_other_errors_name_the_lines_of_the_cell(shell: Any) -> None:
    first = run(shell, "%%time\ndef f(x):\n    return 1 / x\nf(0)\nlast = 1")
    second = run(shell, "\n%%time\nz = 1\n[z,\n z / 0]")
    assert frames(first.error_in_exec)[-2:] == [
        ("<module>", 4, "f(0)"),
        ("f", 3, "return 1 / x"),
    ]
    # The value of a last expression is compiled on its own.
    assert frames(second.error_in_exec)[-1][:2] == ("<module>", 5)


def test_what_the_magic_does_stays_the_same(shell: Any, capsys: pytest.CaptureFixture[str]) -> None:
    result = run(shell, "%%time\nz = 2\nz + 1")
    assert result.success and result.result == 3 and shell.user_ns["z"] == 2
    assert "Wall time" in capsys.readouterr().out
    # A single timed statement is no cell.
    single = run(shell, "%time 1 / 0").error_in_exec
    assert traceback.extract_tb(single.__traceback__)[-1].filename == "<timed eval>"
    inside = run(shell, "%%time\n%time z = 1 / 0\n").error_in_exec
    assert isinstance(inside, ZeroDivisionError)


def test_unloading_leaves_the_compiler_as_it_was() -> None:
    interactive = pytest.importorskip("IPython.core.interactiveshell")
    made = interactive.InteractiveShell()
    before = type(made.compile)
    for _ in range(2):
        magics.load_ipython_extension(made)
    assert type(made.compile) is not before and isinstance(made.compile, before)
    magics.unload_ipython_extension(made)
    assert type(made.compile) is before
    made.run_cell("%%time\nimport sys\nname = sys._getframe().f_code.co_filename")
    assert made.user_ns["name"] == "<timed exec>"
    cells.forget()
