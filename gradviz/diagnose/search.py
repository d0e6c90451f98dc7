"""Fixes of a problem: candidates from the rewrites, and only those that hold when they are tried."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from gradviz.diagnose import trial
from gradviz.diagnose.predict import predicted_calls
from gradviz.diagnose.program import Program
from gradviz.diagnose.rewrites import candidates
from gradviz.diagnose.safety import is_safe
from gradviz.diagnose.session import cell_namespace
from gradviz.diagnose.verdict import verdict_of_node
from gradviz.errors import GradvizError
from gradviz.errors.problem import Fix, Problem
from gradviz.tensor.base import Tensor

MOST_OFFERED: Final = 3
_MOST_TRIED: Final = 8


def fixes_of(problem: Problem) -> tuple[Fix, ...]:
    """Edits that cure a problem, best first; only such as were tried and hold.

    A problem that was raised is cured when the program runs to its end and the leaves it trained
    still get gradients; a predicted one when the call it is about would succeed.
    """
    place = problem.where or problem.cause
    if place is None or trial.trying.get():
        return ()
    names = dict.fromkeys(span.filename for span in (problem.where, problem.cause) if span is not None)
    offered: list[Fix] = []
    for filename in names:
        program = Program.of(filename)
        if program is None:
            continue
        shared = cell_namespace(filename)
        if not is_safe(program, shared):
            continue
        offered += _tried(problem, program, shared)
        if offered:
            break
    return tuple(offered[:MOST_OFFERED])


def _tried(problem: Problem, program: Program, shared: Mapping[str, Any] | None) -> list[Fix]:
    found = candidates(problem, program)
    if not found:
        return []
    before = trial.run(program.text, program.filename, shared)
    if not problem.predicted and not (isinstance(before.error, GradvizError) and before.error.slug == problem.slug):
        # What was raised must be raised again; otherwise a trial shows nothing.
        return []
    holding = []
    for fix in found[:_MOST_TRIED]:
        try:
            patched = fix.apply_to(program.text)
            safe = is_safe(Program(program.filename, patched), shared)
        except (ValueError, SyntaxError):
            continue
        if safe and _holds(problem, Program(program.filename, patched), before, trial.run(patched, program.filename, shared)):
            holding.append(replace(fix, verified=True))
    return holding


def _holds(problem: Problem, program: Program, before: trial.Trial, after: trial.Trial) -> bool:
    if not after.finished:
        return False
    if problem.predicted:
        return _predicted_holds(problem, program, before, after)
    result = trial.latest_result(after.space)
    wanted = _marked(before.space) & set(after.space)
    if result is None:
        return not wanted
    reached = trial.leaves_of(result.node)
    if not reached:
        return False
    return all(
        after.space[name].node.id in reached for name in wanted if _is_marked(after.space[name])
    ) and all(_is_marked(after.space[name]) for name in wanted)


def _marked(space: Mapping[str, Any]) -> set[str]:
    """Names of the marked leaves."""
    return {name for name, value in space.items() if not name.startswith("_") and _is_marked(value)}


def _is_marked(value: Any) -> bool:
    return isinstance(value, Tensor) and value.requirement == "grad"


def _predicted_holds(
    problem: Problem, program: Program, before: trial.Trial, after: trial.Trial
) -> bool:
    """Whether the call that was predicted to fail would succeed, or is gone, and gradients still flow."""
    name = dict(problem.facts).get("name", "")
    value = after.space.get(name)
    earlier = before.space.get(name)
    if not isinstance(value, Tensor) or (isinstance(earlier, Tensor) and earlier.shape != value.shape):
        return False
    if predicted_calls(program, {name: value}, 0):
        return False
    outcome = verdict_of_node(value.node)
    if dict(problem.facts).get("operation") == "require_grad":
        if problem.where is not None and isinstance(earlier, Tensor):
            # The call stood in the code: what got gradients through the result must still get them.
            return len(trial.leaves_of(value.node)) >= len(trial.leaves_of(earlier.node))
        return outcome.require_grad.ok
    return outcome.backward.ok and bool(trial.leaves_of(value.node))
