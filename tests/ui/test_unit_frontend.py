"""The front end's own unit tests, types and rules, as part of the one test command."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from extension.front_end import Node, find_node

REPOSITORY = Path(__file__).parents[2]
EXTENSION = REPOSITORY / "extension"
LIMIT_SECONDS = 300


@pytest.fixture(scope="module")
def tools() -> Node:
    """Node, as the build finds it."""
    found = find_node()
    if found is None:
        pytest.skip("neither a new enough Node nor its wheel is installed")
    return found


def run(command: list[str], folder: Path, environment: dict[str, str]) -> None:
    """Runs a command; its output is the failure's message."""
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=LIMIT_SECONDS
    )
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}\n{done.stderr}"


def test_unit_tests_pass(tools: Node) -> None:
    run([tools.node, "test.mjs"], EXTENSION, tools.environment)


def test_types_hold(tmp_path: Path, tools: Node) -> None:
    """The types of JupyterLab are large and not needed to build: only CI installs them unasked."""
    node, npm, environment = tools
    folder = EXTENSION
    if not (folder / "node_modules/typescript").exists():
        if os.environ.get("CI", "").lower() not in ("1", "true"):
            pytest.skip("TypeScript isn't installed here: npm ci in extension/ brings it")
        folder = tmp_path / "extension"
        shutil.copytree(EXTENSION, folder, ignore=shutil.ignore_patterns("node_modules"))
        run([*npm, "ci", "--no-audit", "--no-fund", "--ignore-scripts"], folder, environment)
    run([node, "node_modules/typescript/bin/tsc", "--noEmit", "-p", "."], folder, environment)


def test_nothing_is_ever_parsed_as_markup() -> None:
    forbidden = (
        "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "DOMParser", "eval(", "new Function",
    )  # fmt: skip
    for path in (EXTENSION / "src").rglob("*.ts"):
        text = path.read_text(encoding="utf-8")
        assert not [word for word in forbidden if word in text], path


def test_layers_keep_their_distance() -> None:
    """Only lab/ knows JupyterLab, only widget/ anywidget; layout/ knows neither graph nor page."""
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


def test_files_stay_short() -> None:
    for path in [*(EXTENSION / "src").rglob("*.*"), *(EXTENSION / "test").glob("*")]:
        generated = path.name == "protocol.ts"
        assert generated or len(path.read_text(encoding="utf-8").splitlines()) <= 400, path


def test_versions_agree() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for name in ("package.json", "package-lock.json"):
        package = json.loads((EXTENSION / name).read_text(encoding="utf-8"))
        assert package["version"] == project["version"], name


def test_ci_runs_exactly_the_command_of_the_readme() -> None:
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    script = (REPOSITORY / ".ci" / "run").read_text(encoding="utf-8")
    command = script.strip().splitlines()[-1]
    assert "pytest" in command
    assert f"```bash\n{command}\n```" in readme
