"""Programs of the catalogue, run as a user would: from a file of their own."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import gradviz as gv

Run = Callable[[str], tuple[dict[str, Any], Exception | None]]


@pytest.fixture
def run_program(tmp_path: Path) -> Run:
    """Runs a program from a real file, so that source positions resolve.

    Gives its namespace (the file is `__file__`) and the exception that ended it, or None.
    """

    def run(text: str) -> tuple[dict[str, Any], Exception | None]:
        path = tmp_path / f"program_{len(list(tmp_path.iterdir()))}.py"
        path.write_text(text, encoding="utf-8")
        namespace: dict[str, Any] = {"__name__": "program", "__file__": str(path)}
        try:
            exec(compile(text, str(path), "exec"), namespace)
        except Exception as error:
            return namespace, error
        return namespace, None

    return run


@pytest.fixture(autouse=True)
def _as_after_import() -> Iterator[None]:
    """Programs change defaults and hide packages; neither must reach the next one."""
    modules = dict(sys.modules)
    # It looks for optional packages when it is loaded, which each program should see for itself.
    sys.modules.pop("gradviz.widgets.explorer", None)
    yield
    gv.set_default_device(gv.device("ndarray"))
    sys.modules.update(modules)
    for name in [name for name, module in sys.modules.items() if module is None]:
        del sys.modules[name]
