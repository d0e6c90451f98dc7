"""`%load_ext gradviz` in a shell: a card, a short traceback, and a cell that still failed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from gradviz.graph.model import MIME_TYPE
from gradviz.widgets import cells, magics

RAISES = "from gradviz.errors import fail\ndef inner():\n    raise fail('untracked-root')\ninner()"


@pytest.fixture
def shell() -> Iterator[Any]:
    """A shell that records what it displays and which errors it shows."""
    interactive = pytest.importorskip("IPython.core.interactiveshell")
    made = interactive.InteractiveShell()
    made.shown = []
    made.errors = []
    made.display_pub.publish = lambda data, **more: made.shown.append(data)
    made._showtraceback = lambda kind, error, lines: made.errors.append((kind, error, lines))
    magics.load_ipython_extension(made)
    yield made
    magics.unload_ipython_extension(made)
    cells.forget()


def test_a_failing_cell_shows_its_card_and_stays_failed(shell: Any) -> None:
    result = shell.run_cell(RAISES, store_history=True, cell_id="the-cell")
    assert not result.success
    assert result.error_in_exec.slug == "untracked-root"
    card = shell.shown[0]
    assert card[MIME_TYPE]["type"] == "card"
    assert card[MIME_TYPE]["problem"]["where"]["cell"] == "the-cell"
    assert {"text/html", "text/plain"} <= set(card)
    ((kind, error, lines),) = shell.errors
    assert kind is type(result.error_in_exec)
    assert error is result.error_in_exec
    assert "In [1], line 3, in inner" in lines[0]
    assert "raise fail('untracked-root')" in lines[0]
    assert "called from" in lines[1]
    assert any(line.endswith(": No tracked tensor feeds this root") for line in lines)


def test_other_errors_are_left_alone(shell: Any) -> None:
    result = shell.run_cell("1 / 0")
    assert isinstance(result.error_in_exec, ZeroDivisionError)
    assert shell.shown == []


def test_loading_twice_and_unloading(shell: Any) -> None:
    magics.load_ipython_extension(shell)
    shell.run_cell(RAISES)
    assert len(shell.shown) == 1
    magics.unload_ipython_extension(shell)
    shell.run_cell(RAISES)
    assert len(shell.shown) == 1


def test_an_earlier_handler_still_gets_its_errors(shell: Any) -> None:
    magics.unload_ipython_extension(shell)
    seen: list[BaseException] = []
    shell.set_custom_exc(
        (ZeroDivisionError,), lambda self, kind, error, trace, tb_offset=None: seen.append(error)
    )
    magics.load_ipython_extension(shell)
    shell.run_cell("1 / 0")
    assert len(seen) == 1
    shell.run_cell(RAISES)
    assert len(seen) == 1
    assert len(shell.shown) == 1
    magics.unload_ipython_extension(shell)
    shell.run_cell("1 / 0")
    assert len(seen) == 2


def test_a_card_that_cannot_be_drawn_does_not_hide_the_error(
    shell: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(problem: object) -> dict[str, object]:
        raise ValueError("no card")

    monkeypatch.setattr(magics, "error_bundle", broken)
    result = shell.run_cell(RAISES)
    assert not result.success
    assert "untracked-root" in "".join(shell.errors[0][2])


def test_a_deep_traceback_is_shortened(shell: Any) -> None:
    shell.run_cell(
        "from gradviz.errors import fail\n"
        "def deep(n):\n    if n: deep(n - 1)\n    else: raise fail('untracked-root')\ndeep(50)"
    )
    lines = shell.errors[0][2]
    assert len(lines) < 12
    assert any("more calls" in line for line in lines)


def test_without_the_extension_only_the_users_calls_are_shown() -> None:
    interactive = pytest.importorskip("IPython.core.interactiveshell")
    shell = interactive.InteractiveShell()
    shown: list[str] = []
    shell._showtraceback = lambda kind, error, lines: shown.append("\n".join(lines))
    code = (
        "import gradviz as gv\n"
        "def outer(x):\n    return inner(x)\n"
        "def inner(x):\n    return x @ gv.ones(3, 4)\n"
        "outer(gv.ones(2, 2))"
    )
    assert not shell.run_cell(code, store_history=True).success
    (text,) = shown
    assert text.startswith("Your calls, outermost first:")
    assert text.index("in outer") < text.index("in inner") < text.index("Error: ")
    assert "matmul" in text
    assert "canon" not in text
    assert "operands.py" not in text
    # One call needs no list: the page shows it.
    shown.clear()
    shell.run_cell("gv.ones(2, 2) @ gv.ones(3, 4)", store_history=True)
    assert "Your calls" not in shown[0]
