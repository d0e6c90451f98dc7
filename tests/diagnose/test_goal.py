"""What a fix must achieve, and the names by which its tensors are found again."""

from __future__ import annotations

import linecache
from typing import Any

import pytest

import gradviz as gv
from gradviz.diagnose import search, trial
from gradviz.diagnose.goal import Goal, lookup
from gradviz.diagnose.program import Program
from gradviz.diagnose.rewrites import REWRITES, candidates
from gradviz.errors.catalogue import catalogue
from gradviz.errors.problem import Fix, Problem
from tests.diagnose.conftest import Play, Session

W = "w = gv.tensor([1.0, 2.0], requires_grad=True)\n"
B = "b = gv.tensor([1.0], requires_grad=True)\n"


def goal_of(session: Session, question: str, slug: str) -> tuple[Goal, Problem, Program]:
    problem = session.problem(question, slug)
    program = Program.of(str(session.path))
    assert program is not None
    outcome = trial.run(program.text, program.filename, None)
    return Goal.of(problem, outcome, program), problem, program


def holds(goal: Goal, program: Program, text: str) -> bool:
    patched = Program(program.filename, text)
    return goal.holds(patched, trial.run(text, program.filename, None))


# --- names -------------------------------------------------------------------------------------
class Own:
    def __init__(self) -> None:
        self.w = gv.ones(1)

    @property
    def loud(self) -> Any:
        raise AssertionError("properties run code")


def test_names_are_followed() -> None:
    net = gv.nn.Sequential(gv.nn.Linear(2, 2), gv.nn.ModuleDict({"a b": gv.nn.Linear(2, 1)}))
    space = {"x": 3, "net": net, "parts": [1, 2], "d": {"k": 5, ("t", 1): 6}, "own": Own()}
    assert lookup("x", space) == 3
    assert lookup("parts[1]", space) == 2 and lookup("parts[-1]", space) == 2
    assert lookup("d['k']", space) == 5 and lookup("d[('t', 1)]", space) == 6
    assert lookup("own.w", space) is space["own"].w
    assert lookup("net.0.weight", space) is net[0].weight
    assert lookup("net.1.a b.bias", space) is net[1]["a b"].bias
    assert lookup("net", space) is net


@pytest.mark.parametrize(
    "path",
    [
        "",
        "y",
        "x.y",
        "parts[9]",
        "parts[x]",
        "d['z']",
        "own.loud",
        "f()",
        "x + 1",
        "net.9.weight",
        "parts[",
        "\0",
        "().__class__",
    ],
)
def test_what_is_no_name_gives_nothing_and_runs_nothing(path: str) -> None:
    space = {
        "x": 3,
        "parts": [1],
        "d": {},
        "own": Own(),
        "net": gv.nn.Sequential(gv.nn.Linear(1, 1)),
    }
    space["f"] = lambda: 1 / 0
    assert lookup(path, space) is None


# --- goals -------------------------------------------------------------------------------------
def test_every_leaf_asked_about_must_get_a_gradient(play: Play) -> None:
    session = play(W + B + "loss = (w.detach() * b.detach()).sum()\n")
    goal, _, program = goal_of(session, "gv.diagnose(loss, wrt=[w, b])", "untracked-root")
    assert goal.wanted == ("w", "b") and goal.root == "loss"
    assert not holds(goal, program, program.text.replace("w.detach()", "w"))
    assert holds(goal, program, program.text.replace(".detach()", ""))


def test_the_root_keeps_its_shape_and_its_name(play: Play) -> None:
    session = play(W + B + "loss = (w.detach() * b).sum()\n")
    goal, _, program = goal_of(session, "gv.diagnose(loss, wrt=w)", "path-cut-detach")
    fixed = program.text.replace(".detach()", "")
    assert holds(goal, program, fixed)
    assert not holds(goal, program, fixed.replace(".sum()", ""))
    assert not holds(goal, program, fixed.replace("loss", "cost"))
    assert not holds(goal, program, fixed + "loss = loss.detach()\n")
    assert not holds(goal, program, fixed + "loss.backward()\n")


def test_no_new_problem_may_take_the_place(play: Play) -> None:
    session = play(W + B + "loss = (w.detach() * b).sum()\n")
    goal, _, program = goal_of(session, "gv.diagnose(loss, wrt=w)", "path-cut-detach")
    assert not holds(goal, program, program.text.replace("w.detach()", "w.round()"))
    assert not holds(goal, program, program.text.replace("w.detach()", "(w * 0.0).sqrt()"))


def test_a_cure_of_values_leaves_the_loss_as_it_is(play: Play) -> None:
    session = play("w = gv.tensor([0.0, 4.0], requires_grad=True)\nloss = w.sqrt().sum()\n")
    goal, _, program = goal_of(session, "gv.diagnose(loss, wrt=w)", "non-finite-gradient")
    assert holds(goal, program, program.text.replace("w.sqrt()", "(w + 1e-12).sqrt()"))
    assert not holds(goal, program, program.text.replace("w.sqrt()", "(w + 5.0).sqrt()"))
    assert not holds(goal, program, program.text.replace("w.sqrt()", "w.sqrt() + 1e-12"))


def test_a_program_that_stops_achieves_nothing(play: Play) -> None:
    session = play(W + "loss = w * 2.0\n")
    goal, _, program = goal_of(session, "gv.diagnose(loss, wrt=w)", "non-scalar-root")
    fixed = program.text.replace("w * 2.0", "(w * 2.0).sum()")
    assert holds(goal, program, fixed) and not holds(goal, program, fixed + "1 / 0\n")


def test_a_leaf_without_a_name_cannot_be_checked(play: Play) -> None:
    session = play(
        B + "loss = (gv.tensor([1.0]) * b).sum()\nleaf = [[gv.ones(1, requires_grad=True)]]\n"
    )
    report = session.ask("gv.diagnose(loss, wrt=leaf)")
    assert [p.slug for p in report] == ["leaf-not-reached"] and report.problems[0].fixes == ()


# --- the search --------------------------------------------------------------------------------
def test_two_steps_where_one_is_not_enough(play: Play) -> None:
    session = play(W + B + "h = w.detach() * 2.0\nloss = (h.detach() * b).sum()\n")
    problem = session.problem("gv.diagnose(loss, wrt=w)", "path-cut-detach")
    (fix,) = problem.fixes
    assert (
        fix.apply_to(session.text)
        == "import gradviz as gv\n" + W + B + "h = w * 2.0\nloss = (h * b).sum()\n"
    )
    assert "; " in fix.title and fix.verified and len(fix.edits) == 1


def test_at_most_three_are_offered_and_each_once(play: Play) -> None:
    session = play("w = gv.tensor([0.0, 4.0], requires_grad=True)\nloss = w.sqrt().sum()\n")
    problem = session.problem("gv.diagnose(loss, wrt=w)", "non-finite-gradient")
    patched = [fix.apply_to(session.text) for fix in problem.fixes]
    assert 2 <= len(patched) <= search.MOST_OFFERED and len(set(patched)) == len(patched)


def test_nothing_is_offered_that_only_silences(play: Play) -> None:
    session = play("x = gv.ones(2)\ny = gv.ones(2)\nloss = (x * y).sum()\n")
    for problem in session.ask("gv.diagnose(loss, wrt=x)"):
        for fix in problem.fixes:
            assert "loss.require_grad" not in fix.apply_to(session.text)
            assert "try" not in fix.apply_to(session.text)


def test_unsafe_programs_are_not_run_again(play: Play, tmp_path) -> None:
    target = tmp_path / "written.txt"
    session = play(
        W
        + B
        + f"with open({str(target)!r}, 'a') as out:\n    out.write('x')\nloss = (w.detach() * b).sum()\n"
    )
    problem = session.problem("gv.diagnose(loss, wrt=w)", "path-cut-detach")
    assert problem.fixes == () and target.read_text() == "x"


def test_a_program_that_no_longer_shows_the_failure_gets_no_fix(play: Play) -> None:
    session = play(W + B + "loss = (w.detach() * b).sum()\n")
    report = session.ask("gv.diagnose(loss, wrt=w)")
    bare = report.problems[0].with_fixes(())
    session.path.write_text("import gradviz as gv\nloss = 1\n")
    linecache.checkcache(str(session.path))
    assert search.fixes_of(bare) == ()


@pytest.mark.parametrize("slug", list(catalogue))
def test_rewrites_take_any_problem_of_their_slug(slug: str) -> None:
    """A problem without places, names or facts gives no candidates, and no exception."""
    program = Program("cell", "import gradviz as gv\nx = gv.tensor([1.0])\n")
    problem = Problem(slug, "error", "", predicted=True)
    assert all(isinstance(fix, Fix) for fix in candidates(problem, program, {}))


def test_every_rewrite_belongs_to_a_failure() -> None:
    assert set(REWRITES) <= set(catalogue)
