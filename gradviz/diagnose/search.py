"""Fixes of a problem: candidates from the rewrites, and only those that hold when they are tried.

A candidate is tried by running the patched program, in a copy of the notebook's namespace or in a
fresh one. It holds when what was asked for comes true: the program runs to its end, the tensors
asked about get gradients, and the problem is gone without a new one in its place. Where one edit is
not enough, the problem that is left is given a second one.
"""

from __future__ import annotations

import linecache
import time
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final

from gradviz.diagnose import trial
from gradviz.diagnose.goal import Goal
from gradviz.diagnose.joined import Joined
from gradviz.diagnose.program import Program
from gradviz.diagnose.rewrites import REWRITES, candidates
from gradviz.diagnose.safety import is_safe
from gradviz.diagnose.session import cell_namespace, cells_between, replaces_its_inputs
from gradviz.errors import GradvizError
from gradviz.errors.problem import Fix, Problem, SourceEdit

MOST_OFFERED: Final = 3
_MOST_TRIED: Final = 10
_PATIENCE: Final = 8.0
"""Seconds after which no further edit of a problem is tried; programs may take long to run."""


def fixes_of(problem: Problem) -> tuple[Fix, ...]:
    """Edits that cure a problem, best first; only such as were tried and hold."""
    if trial.trying.get():
        return ()
    try:
        return _found(problem)
    except Exception:  # variables may be anything; a problem without a fix is still the problem
        return ()


def _found(problem: Problem) -> tuple[Fix, ...]:
    if problem.slug not in REWRITES:
        return ()  # nothing need be run to know that
    files = dict.fromkeys(
        span.filename for span in (problem.cause, problem.where) if span is not None
    )
    for filename in files:
        program = Program.of(filename)
        if program is None:
            continue
        shared = cell_namespace(filename)
        if not (_safe_alone(program) if shared is None else is_safe(program, shared)):
            continue
        offered = _tried(problem, program, shared)
        if offered:
            return tuple(offered[:MOST_OFFERED])
    return tuple(_across_cells(problem)[:MOST_OFFERED])


def _across_cells(problem: Problem) -> list[Fix]:
    """Fixes that only cells of the session together show to hold, each of them in one cell.

    The cause of a failure may stand in an earlier cell than the failure. Or a cell has changed what
    it began with before it failed, so that it would fail again by itself, whatever is edited.
    """
    if problem.cause is None or problem.where is None:
        return []
    cause, where = problem.cause.filename, problem.where.filename
    if cause != where:
        return _joined(problem, cells_between(cause, where))
    program, shared = Program.of(where), cell_namespace(where)
    if program is None or shared is None or not candidates(problem, program, shared):
        return []  # the cells before it may take long
    again = f" {_AGAIN}" if replaces_its_inputs(where) else ""
    return [
        replace(fix, explanation=fix.explanation + again)
        for fix in _joined(problem, cells_between(None, where))
        if all(edit.filename == where for edit in fix.edits)
    ]


_AGAIN: Final = "This cell has changed what it began with: run the cells that made it again, too."


def _joined(problem: Problem, cells: list[tuple[str, str]]) -> list[Fix]:
    """Fixes that hold where some cells run one after the other."""
    shared = cell_namespace(problem.where.filename) if problem.where is not None else None
    if len(cells) < 2 or shared is None or problem.where is None:
        return []
    joined = Joined(f"<cells up to {problem.where.filename}>", cells)
    try:
        program = Program(joined.filename, joined.text)
        if not is_safe(program, shared):
            return []
        found = []
        for fix in _tried(joined.in_whole(problem), program, shared):
            edits = joined.edits(fix.edits)
            if len({edit.filename for edit in edits}) == 1:
                found.append(replace(fix, edits=edits))
        return found
    finally:
        linecache.cache.pop(joined.filename, None)


@lru_cache(maxsize=8)
def _safe_alone(program: Program) -> bool:
    return is_safe(program, None)


def _tried(problem: Problem, program: Program, shared: Mapping[str, Any] | None) -> list[Fix]:
    end = time.monotonic() + _PATIENCE
    before = trial.run(program.text, program.filename, shared)
    if not problem.predicted and not _raised(before, problem.slug):
        # What was raised must be raised again; otherwise a trial shows nothing.
        return []
    if problem.predicted and not before.finished:
        return []
    found = candidates(problem, program, before.space)
    if not found:
        return []
    goal = Goal.of(problem, before, program)
    holding: list[Fix] = []
    tried: set[str] = set()
    failing: list[tuple[Fix, Program, trial.Trial]] = []
    for fix in found[:_MOST_TRIED]:
        patched = _patched(fix, program, shared)
        if patched is None or patched.text in tried:
            continue
        tried.add(patched.text)
        after = trial.run(patched.text, program.filename, shared)
        if goal.holds(patched, after):
            holding.append(replace(fix, verified=True))
        else:
            failing.append((fix, patched, after))
        if len(holding) == MOST_OFFERED or time.monotonic() > end:
            break
    # Two edits only where one is not enough: a pair may hold because of its second half alone.
    for fix, patched, after in failing:
        if holding or time.monotonic() > end:
            break
        second = _second(goal, fix, patched, after, program, shared)
        if second is not None:
            holding.append(second)
    return holding


def _raised(outcome: trial.Trial, slug: str) -> bool:
    return isinstance(outcome.error, GradvizError) and outcome.error.slug == slug


def _patched(fix: Fix, program: Program, shared: Mapping[str, Any] | None) -> Program | None:
    """The program after a fix, where it can be parsed and run safely."""
    try:
        patched = Program(program.filename, fix.apply_to(program.text))
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None
    return patched if is_safe(patched, shared) else None


def _second(
    goal: Goal,
    first: Fix,
    patched: Program,
    after: trial.Trial,
    program: Program,
    shared: Mapping[str, Any] | None,
) -> Fix | None:
    """A fix of what the first one leaves, where both together hold."""
    for left in goal.left(patched, after):
        for fix in candidates(left, patched, after.space)[:4]:
            twice = _patched(fix, patched, shared)
            if twice is None or twice.text == program.text:
                continue
            if goal.holds(twice, trial.run(twice.text, program.filename, shared)):
                return Fix(
                    f"{first.title}; {fix.title[:1].lower()}{fix.title[1:]}",
                    f"{first.explanation} {fix.explanation}",
                    (_whole_edit(program, twice.text),),
                    verified=True,
                )
    return None


def _whole_edit(program: Program, text: str) -> SourceEdit:
    """One edit of the stretch of lines in which two texts differ."""
    old, new = program.text.split("\n"), text.split("\n")
    first = 0
    # A stretch of at least one line on both sides, so that line ends come out right.
    while first < min(len(old), len(new)) - 1 and old[first] == new[first]:
        first += 1
    last_old, last_new = len(old), len(new)
    while last_old > first + 1 and last_new > first + 1 and old[last_old - 1] == new[last_new - 1]:
        last_old -= 1
        last_new -= 1
    original, replacement = "\n".join(old[first:last_old]), "\n".join(new[first:last_new])
    return SourceEdit(
        program.filename, first + 1, 0, last_old, len(old[last_old - 1]), original, replacement
    )
