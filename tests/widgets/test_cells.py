"""Which cell a file name stands for."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gradviz.widgets import cells


@pytest.fixture(autouse=True)
def clean() -> Iterator[None]:
    cells.forget()
    yield
    cells.forget()


@pytest.fixture
def shell() -> Iterator[Any]:
    """A shell of its own, as a kernel has one."""
    interactive = pytest.importorskip("IPython.core.interactiveshell")
    made = interactive.InteractiveShell()
    yield made
    cells.untrack(made)


def test_importing_needs_no_ipython() -> None:
    code = (
        "import sys; sys.modules['IPython'] = None; sys.modules['anywidget'] = None\n"
        "from gradviz.widgets import cells, cards, display, magics\n"
        "assert cells.cell_of('x') is None and cells.label_of('/a/b.py') == 'b.py'"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_files_are_called_by_their_last_part() -> None:
    assert cells.label_of("/somewhere/train.py") == "train.py"
    assert cells.label_of("<string>") == "<string>"
    assert cells.label_of("") == ""


def test_a_run_cell_is_known_by_the_name_it_was_compiled_under(shell: Any) -> None:
    cells.track(shell)
    cells.track(shell)  # a second call changes nothing
    shell.run_cell(
        "import sys; name = sys._getframe().f_code.co_filename", store_history=True, cell_id="abc"
    )
    name = shell.user_ns["name"]
    assert cells.cell_of(name) == "abc"
    assert cells.label_of(name) == "In [1]"
    assert cells.source_of(name) == "import sys; name = sys._getframe().f_code.co_filename"


def test_errors_call_a_cell_by_its_number() -> None:
    pytest.importorskip("IPython")
    code = (
        "from IPython.core.interactiveshell import InteractiveShell\n"
        "shell = InteractiveShell.instance()\n"
        "shell.run_cell('import gradviz as gv; x = gv.ones(2)', store_history=True)\n"
        "shell.run_cell('try: x.backward()\\nexcept gv.GradvizError as error: text = str(error)',"
        " store_history=True)\n"
        "text = shell.user_ns['text']\n"
        "assert '--> In [1]:1:27' in text and '--> In [2]:1:6' in text, text\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_a_fix_is_found_in_a_cell_with_magics_and_runs_none_of_them(tmp_path: Path) -> None:
    pytest.importorskip("IPython")
    ran = tmp_path / "ran"
    cell = (
        f"%load_ext gradviz\n!echo once >> {ran}\nimport gradviz as gv\n"
        "w = gv.ones(2, requires_grad=True)\nloss = (w * 3).detach().sum()\nloss.backward()\n"
    )
    code = (
        "import sys\nfrom IPython.core.interactiveshell import InteractiveShell\n"
        "shell = InteractiveShell.instance()\n"
        f"shell.run_cell({cell!r}, store_history=True)\n"
        "problem = shell.last_execution_result.error_in_exec.problem\n"
        "fixes = [fix for fix in problem.fixes if fix.verified]\n"
        "assert fixes[0].title == 'Leave `detach` out', problem\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
    assert ran.read_text().split() == ["once"]


def test_magics_are_kept_as_typed(shell: Any) -> None:
    cells.track(shell)
    text = "%time 1\nimport sys; name = sys._getframe().f_code.co_filename"
    shell.run_cell(text, store_history=True, cell_id="abc")
    assert cells.source_of(shell.user_ns["name"]) == text


def test_cells_of_before_tracking_keep_their_number(
    shell: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell.run_cell("import sys; name = sys._getframe().f_code.co_filename", store_history=True)
    monkeypatch.setattr("IPython.get_ipython", lambda: shell)
    assert cells.label_of(shell.user_ns["name"]) == "In [1]"
    assert cells.cell_of(shell.user_ns["name"]) is None


def test_untracking_stops(shell: Any) -> None:
    cells.track(shell)
    cells.untrack(shell)
    shell.run_cell(
        "import sys; name = sys._getframe().f_code.co_filename", store_history=True, cell_id="abc"
    )
    assert cells.cell_of(shell.user_ns["name"]) is None


def test_a_cell_that_is_no_python_is_left_alone(shell: Any) -> None:
    cells.track(shell)
    shell.run_cell("def (", store_history=True, cell_id="abc")
    shell.run_cell("x = 1", store_history=True, cell_id="def")
    assert shell.user_ns["x"] == 1


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cells, "MOST_CELLS", 3)
    for number in range(5):
        cells.remember(f"f{number}", cells.Cell(None, number, ""))
    assert cells.label_of("f0") == "f0"
    assert cells.label_of("f4") == "In [4]"
