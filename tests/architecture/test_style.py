"""The linter, the formatter and the type checker have nothing to say."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LONGEST_SECONDS = 300
CHECKS = {
    "lint": ("ruff", "check", "."),
    "format": ("ruff", "format", "--check", "."),
    "types": ("mypy",),
}


@pytest.mark.slow
@pytest.mark.xdist_group("style")
@pytest.mark.parametrize("check", CHECKS)
def test_style(check: str) -> None:
    tool, *arguments = CHECKS[check]
    if importlib.util.find_spec(tool) is None:
        if os.environ.get("CI") == "true":
            pytest.fail(f"{tool} is not installed; the `test` extra brings it")
        pytest.skip(f"{tool} is not installed")
    answer = subprocess.run(
        [sys.executable, "-m", tool, *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=LONGEST_SECONDS,
    )
    assert answer.returncode == 0, answer.stdout + answer.stderr
