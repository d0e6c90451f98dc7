"""Fixes in a running notebook, whose code is spread over cells."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

pytest.importorskip("IPython")

RUNNER = """
import contextlib, io, json, sys
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
texts, answer = {}, None
for number, cell in enumerate(json.load(sys.stdin), 1):
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        result = shell.run_cell(cell, store_history=True)
    problem = getattr(result.error_in_exec, "problem", None)
    problems = [problem] if problem is not None else getattr(result.result, "problems", [])
    answer = [
        {
            "slug": problem.slug,
            "fixes": [
                {
                    "title": fix.title,
                    "cells": [shell.compile.format_code_name(e.filename)[1] for e in fix.edits],
                    "preview": fix.preview(),
                    "explanation": fix.explanation,
                }
                for fix in problem.fixes
                if fix.verified
            ],
        }
        for problem in problems
    ]
print(json.dumps(answer))
"""


def last_problem(*cells: str) -> dict[str, Any]:
    """What the last of some cells has to say, run one after the other in a shell."""
    outcome = subprocess.run(
        [sys.executable, "-c", RUNNER],
        input=json.dumps(["import gradviz as gv", *cells]),
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    (problem,) = json.loads(outcome.stdout)
    found: dict[str, Any] = problem
    return found


NET = """class Net(gv.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = gv.nn.Linear(2, 1)

    def forward(self, x):
        return self.layer(x).detach()
"""


def test_the_cause_in_an_earlier_cell_is_mended_there() -> None:
    problem = last_problem(
        "w = gv.ones(3, requires_grad=True)\nh = (w * 2).detach()",
        "unrelated = [1]",
        "loss = h.sum()\nloss.backward()",
    )
    assert problem["slug"] == "untracked-root"
    (fix,) = problem["fixes"]
    assert (fix["title"], fix["cells"]) == ("Leave `detach` out", ["In[2]"])
    assert "-h = (w * 2).detach()\n+h = (w * 2)" in fix["preview"]


def test_a_class_in_one_cell_is_mended_for_a_loss_in_another() -> None:
    problem = last_problem(
        NET,
        "net = Net()\nx = gv.randn(4, 2)",
        "print(net)",
        "def loss_of(out):\n    return (out ** 2).mean()",
        "loss = loss_of(net(x)) + net.layer.weight.sum() * 0.0",
        "gv.diagnose(loss, wrt=net.layer.bias)",
    )
    assert problem["slug"] == "path-cut-detach"
    assert [fix["cells"] for fix in problem["fixes"]] == [["In[2]"]]


def test_what_was_done_to_a_tensor_in_between_is_done_again() -> None:
    problem = last_problem(
        "def f(t):\n    return t.detach()\n"
        'w = gv.tensor([1.0], device=gv.device("ndarray").autodiff())',
        "w.require_grad()",
        "loss = f(w).sum()\nloss.backward()",
    )
    assert problem["slug"] == "untracked-root"
    assert [(fix["title"], fix["cells"]) for fix in problem["fixes"]] == [
        ("Leave `detach` out", ["In[2]"])
    ]


def test_a_cell_that_touches_files_is_not_run_again(tmp_path: Any) -> None:
    seen = tmp_path / "seen"
    problem = last_problem(
        "w = gv.ones(3, requires_grad=True)\nh = (w * 2).detach()\n"
        f"with open({str(seen)!r}, 'a') as f: f.write('x')",
        "loss = h.sum()\nloss.backward()",
    )
    assert problem["fixes"] == []
    assert seen.read_text() == "x"


def test_a_cell_that_ends_at_the_failing_call() -> None:
    before = "w = gv.ones(3, requires_grad=True)\nh = w * 2"
    problem = last_problem(before, "h.require_grad()")
    assert [fix["title"] for fix in problem["fixes"]] == [
        "Keep the result's gradient with `retain_grad()`"
    ]
    problem = last_problem(before, "h[0] = 3.0")
    assert problem["slug"] == "in-place-on-tensor"
    assert "+h = h.slice_assign(" in problem["fixes"][0]["preview"]


def test_results_of_other_cells_are_not_asked_for() -> None:
    problem = last_problem(
        "a = gv.ones(2, requires_grad=True)\nother = (a * a).sum()",
        "w = gv.ones(3)\nloss = (w * 2).sum()\nloss.backward()",
    )
    assert problem["slug"] == "requires-autodiff-tensor"
    (fix,) = problem["fixes"]
    assert "+w = gv.ones(3, requires_grad=True)" in fix["preview"]


def test_of_several_leaves_none_is_guessed() -> None:
    problem = last_problem(
        "x = gv.ones(3)\nw = gv.ones(3)\nloss = (w * x).sum()\nloss.backward()",
    )
    assert problem["fixes"] == []


def test_a_cell_that_changed_what_it_began_with_is_tried_with_those_before_it() -> None:
    problem = last_problem(
        "%load_ext gradviz\n%config InteractiveShell.ast_node_interactivity = 'last_expr'",
        "w = gv.ones(2, requires_grad=True)",
        "for step in range(2):\n    loss = (w * w).sum()\n    g = loss.backward()[w]\n    w = w - 0.1 * g",
    )
    assert problem["slug"] == "no-gradient"
    (fix,) = problem["fixes"]
    assert (fix["title"], fix["cells"]) == ("Begin the next step with a leaf", ["In[4]"])
    assert "+    w = (w - 0.1 * g).detach().require_grad()" in fix["preview"]
    assert "again" in fix["explanation"]


def test_a_failed_cell_that_nothing_needs_stays_out_of_the_way() -> None:
    problem = last_problem(
        "w = gv.ones(2, requires_grad=True)",
        "loss = (w * w).sum()\ngrads = loss.backward()\ngrads[loss * 2]",
        "v = gv.ones(2, requires_grad=True)",
        "for step in range(2):\n    loss = (v * v).sum()\n    g = loss.backward()[v]\n    v = v - 0.1 * g",
    )
    assert [fix["cells"] for fix in problem["fixes"]] == [["In[5]"]]


def test_a_shell_command_before_it_is_not_run_again(tmp_path: Any) -> None:
    seen = tmp_path / "seen"
    problem = last_problem(
        f"w = gv.ones(2, requires_grad=True)\n!echo x >> {seen}",
        "for step in range(2):\n    loss = (w * w).sum()\n    g = loss.backward()[w]\n    w = w - 0.1 * g",
    )
    assert problem["slug"] == "no-gradient"
    assert len(problem["fixes"]) == 1
    assert seen.read_text() == "x\n"


def test_the_gradient_of_a_result_made_of_another_cell_s_tensor_can_be_kept() -> None:
    problem = last_problem(
        "a = gv.ones(2, requires_grad=True)",
        "h = a * 3\ngrads = (h * h).sum().backward()\ngrads[h]",
    )
    assert problem["slug"] == "no-gradient"
    (fix,) = problem["fixes"]
    assert "+h = (a * 3).retain_grad()" in fix["preview"]


def test_no_cell_runs_again_for_a_failure_that_no_edit_is_known_for() -> None:
    problem = last_problem(
        "import gradviz as gv, importlib\n"
        "trial = importlib.import_module('gradviz.diagnose.trial')\n"
        "ran, run = [], trial.run\n"
        "trial.run = lambda *a, **k: ran.append(a) or run(*a, **k)",
        "try:\n    gv.ones(2, 3) @ gv.ones(2, 3)\nexcept gv.GradvizError as error:\n"
        "    assert error.slug == 'shape-mismatch' and not error.problem.fixes\n",
        "try:\n    gv.arange(3, 0)\nexcept gv.GradvizError as error:\n"
        "    assert error.slug == 'invalid-argument' and not error.problem.fixes\n",
        "assert len(ran) <= 1, ran\ngv.tensor([1.0]).backward()",
    )
    assert problem["slug"] == "requires-autodiff-tensor"
