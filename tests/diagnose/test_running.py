"""The command line: files that are checked and mended."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from gradviz.diagnose.command import main

BROKEN = """\
import gradviz as gv

w = gv.tensor([[0.5], [-0.5]], requires_grad=True)
y = w * 2
y = y.require_grad()
loss = (gv.tensor([[1.0, 2.0]]) @ y).sum()
grads = loss.backward()
"""
MENDED = BROKEN.replace("y.require_grad()", "y.retain_grad()")


@pytest.mark.parametrize("mode", [0o644, 0o750, 0o600])
def test_a_mended_file_keeps_its_permissions(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "train.py"
    path.write_text(BROKEN)
    path.chmod(mode)
    assert main(["check", "--fix", str(path)]) == 1
    assert path.read_text() == MENDED
    assert stat.S_IMODE(path.stat().st_mode) == mode
    assert list(tmp_path.iterdir()) == [path]
    assert main(["check", str(path)]) == 0


def test_a_mended_file_keeps_its_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_bytes(BROKEN.replace("\n", "\r\n").encode())
    assert main(["check", "--fix", str(path)]) == 1
    assert path.read_bytes() == MENDED.replace("\n", "\r\n").encode()


def test_a_link_keeps_pointing(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(BROKEN)
    (tmp_path / "link.py").symlink_to("train.py")
    main(["check", "--fix", str(tmp_path / "link.py")])
    assert (tmp_path / "link.py").is_symlink()
    assert (tmp_path / "train.py").read_text() == MENDED


def test_a_mended_notebook(tmp_path: Path) -> None:
    path = tmp_path / "train.ipynb"
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": ["# Ünicode\n"]},
        {"cell_type": "code", "metadata": {}, "outputs": [], "source": ["%matplotlib inline"]},
        {"cell_type": "code", "metadata": {}, "outputs": [], "source": BROKEN},
    ]
    path.write_text(json.dumps({"cells": cells, "nbformat": 4}), encoding="utf-8")
    path.chmod(0o640)
    assert main(["check", "--fix", str(path)]) == 1
    found = json.loads(path.read_text(encoding="utf-8"))
    assert found["cells"][:2] == cells[:2]
    assert "".join(found["cells"][2]["source"]) == MENDED
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
