"""The command line: files that are checked and mended."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
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


TRAINING = """\
import gradviz as gv

class Net(gv.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = gv.nn.Linear(4, 1)

    def forward(self, x):
        return self.first(x)

def train(rounds):
    net = Net()
    optimizer = gv.optim.SGD(net.parameters(), lr=0.1)
    x, y = gv.ones(6, 4), gv.ones(6)
    kept = []
    for _ in range(rounds):
        loss = ((net(x) - y) ** 2).mean()
        optimizer.step(loss.backward())
        kept.append(loss)
    return kept

train(3)
"""


def problems_of(path: Path, capsys: pytest.CaptureFixture[str], *options: str) -> list:
    main(["check", "--json", *options, str(path)])
    return json.loads(capsys.readouterr().out)["problems"]


def test_losses_inside_functions_are_asked_about(tmp_path: Path, capsys) -> None:
    path = tmp_path / "train.py"
    path.write_text(TRAINING)
    found = {problem["slug"]: problem for problem in problems_of(path, capsys)}
    assert set(found) == {"suspicious-broadcast", "graph-retained"}
    assert found["suspicious-broadcast"]["cause"]["text"] == "net(x) - y"
    assert found["suspicious-broadcast"]["cause"]["line"] == 17


def test_losses_whose_gradients_are_used_at_once_are_mended(tmp_path: Path, capsys) -> None:
    path = tmp_path / "train.py"
    source = TRAINING.replace("def train(rounds):", "if True:").replace("rounds", "3")
    path.write_text(source.replace("    return kept\n\ntrain(3)\n", ""))
    assert {p["slug"] for p in problems_of(path, capsys, "--fix")} == {
        "suspicious-broadcast",
        "graph-retained",
    }
    text = path.read_text()
    assert "(net(x).squeeze(-1) - y)" in text and "kept.append(loss.item())" in text
    assert problems_of(path, capsys) == []


def test_two_networks_in_turns_are_healthy(tmp_path: Path, capsys) -> None:
    path = tmp_path / "gan.py"
    path.write_text(
        "import gradviz as gv\n"
        "maker, judge = gv.nn.Linear(2, 2), gv.nn.Linear(2, 1)\n"
        "first = gv.optim.SGD(maker.parameters(), lr=0.1)\n"
        "second = gv.optim.SGD(judge.parameters(), lr=0.1)\n"
        "for _ in range(2):\n"
        "    made = maker(gv.randn(3, 2))\n"
        "    loss = judge(made.detach()).mean() - judge(gv.ones(3, 2)).mean()\n"
        "    second.step(loss.backward())\n"
        "    cost = -judge(made).mean()\n"
        "    first.step(cost.backward())\n"
    )
    assert problems_of(path, capsys) == []


def test_a_failure_across_cells_is_told_and_mended_in_cells(tmp_path: Path, capsys) -> None:
    path = tmp_path / "train.ipynb"
    sources = [
        "%load_ext gradviz\nimport gradviz as gv",
        "x = gv.tensor([1.0, 2.0])\nw = gv.tensor([3.0, 4.0], requires_grad=True)",
        "h = w * x\ng = h.require_grad()",
        "loss = (g * g).sum()\nloss.backward()",
    ]
    cells = [
        {"cell_type": "code", "metadata": {}, "outputs": [], "source": source} for source in sources
    ]
    path.write_text(json.dumps({"cells": cells, "nbformat": 4}))
    (problem,) = problems_of(path, capsys, "--fix")
    assert problem["where"]["filename"] == "<train.ipynb cell 3>"
    assert (problem["where"]["line"], problem["where"]["text"]) == (2, "h.require_grad()")
    found = ["".join(c["source"]) for c in json.loads(path.read_text())["cells"]]
    assert found[:2] == sources[:2] and "require_grad" not in found[2]
    assert problems_of(path, capsys) == []


def test_a_marked_tensor_that_no_pass_reaches(tmp_path: Path, capsys) -> None:
    path = tmp_path / "by_hand.py"
    text = (
        "import gradviz as gv\n"
        "w = gv.tensor([1.0, 2.0], requires_grad=True)\n"
        "b = gv.tensor(0.5, requires_grad=True)\n"
        "for _ in range(3):\n"
        "    grads = (w * w + b.detach()).sum().backward()\n"
        "    w = (w.detach() - 0.1 * w.grad(grads)).require_grad()\n"
    )
    path.write_text(text)
    (problem,) = problems_of(path, capsys)
    assert problem["slug"] == "path-cut-detach" and problem["cause"]["text"] == "b.detach()"
    path.write_text(text.replace("b.detach()", "b"))
    assert problems_of(path, capsys) == []


@pytest.mark.skipif(os.name == "nt", reason="pipes end otherwise there")
@pytest.mark.parametrize(
    ("arguments", "first"),
    [
        (["explain"], ""),
        (["check"], ""),
        (["check", "--json"], ""),
        (["check"], "print('much ' * 100_000, flush=True)\n"),
    ],
    ids=["explain", "check", "json", "a-file-that-prints"],
)
def test_it_ends_quietly_when_nobody_reads_on(
    tmp_path: Path, arguments: list[str], first: str
) -> None:
    path = tmp_path / "train.py"
    path.write_text(first + BROKEN)
    reading, writing = os.pipe()
    os.close(reading)  # as `| head -1` does when it has its line
    command = [sys.executable, "-m", "gradviz", *arguments]
    command += [str(path)] if arguments[0] == "check" else []
    try:
        done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True)
    finally:
        os.close(writing)
    assert done.stderr == ""
    assert done.returncode == 141


def test_a_loop_by_hand_is_right_as_it_is(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    path = tmp_path / "train.py"
    path.write_text(
        "import gradviz as gv\n"
        "w = gv.tensor([1.0, 2.0], requires_grad=True)\n"
        "for epoch in range(3):\n"
        "    loss = (w * w).sum()\n"
        "    grads = loss.backward()\n"
        "    w = (w - 0.1 * grads[w]).detach().require_grad()\n"
    )
    assert main(["check", str(path)]) == 0
    assert "path-cut" not in capsys.readouterr().out


TWO_TASKS = """\
import gradviz as gv

x, y = gv.randn(8, 2), gv.randn(8, 1)
net = gv.nn.Linear(2, 1)
opt = gv.optim.SGD(net.parameters(), lr=0.1)
opt.step(gv.mse_loss(net(x), y).backward())
w = gv.randn(2, 1, requires_grad=True)
grads = gv.mse_loss(x @ {w}, y).backward()
"""


def test_a_pass_isn_t_asked_for_the_parameters_of_another(
    tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    path = tmp_path / "two.py"
    path.write_text(TWO_TASKS.format(w="w"))
    assert main(["check", str(path)]) == 0
    path.write_text(
        TWO_TASKS.format(w="w")
        .replace("net(x), y", "net(x).detach() * w0, y")
        .replace("opt.step", "w0 = gv.ones(1, requires_grad=True)\nopt.step")
    )
    capsys.readouterr()
    main(["check", str(path)])
    assert "weight" in capsys.readouterr().out  # no pass at all serves the optimizer
