"""Running a script or a notebook as itself, and asking about what it leaves."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

from gradviz.core.files import write_whole
from gradviz.core.source import user_frame
from gradviz.diagnose import trial
from gradviz.diagnose.examine import examine, fixed, question_of
from gradviz.diagnose.notebooks import Notebook
from gradviz.diagnose.report import Report
from gradviz.diagnose.trial import reached_by
from gradviz.errors import GradvizError
from gradviz.errors.problem import Fix, Problem
from gradviz.graph.names import find, namespaces
from gradviz.optim.optimizer import Optimizer
from gradviz.optim.registry import live_optimizers
from gradviz.tensor import backward as engine
from gradviz.tensor.base import Tensor
from gradviz.tensor.gradients import Gradients

_MOST_ROOTS = 8
_MOST_FRAMES = 8


@dataclass
class Finding:
    """What a run left.

    Attributes:
        path: the file.
        problems: its problems, worst first.
        error: what it ended with, where that was no failure of this package.
        notebook: its cells, where it is a notebook.
    """

    path: Path
    problems: tuple[Problem, ...]
    error: BaseException | None
    notebook: Notebook | None = None

    def write(self, fix: Fix) -> None:
        """Writes edits into the file, the whole of it or nothing."""
        before = self.path.read_bytes()
        text = before.decode("utf-8").replace("\r\n", "\n")
        text = fix.apply_to(text) if self.notebook is None else self.notebook.patched(text, fix)
        if b"\r\n" in before:
            text = text.replace("\n", "\r\n")
        write_whole(self.path, text.encode("utf-8"))


@dataclass(frozen=True, slots=True)
class _Pass:
    """A backward pass that the program ran, or one it could run."""

    root: Tensor
    grads: Gradients | None
    spaces: list[Mapping[str, Any]]


def check_file(path: Path) -> Finding:
    """Runs a file and finds its problems.

    Raises:
        OSError: the file can't be read.
        SyntaxError, ValueError: it is no program.
    """
    text = path.read_text(encoding="utf-8")
    notebook = Notebook(path, text) if path.suffix == ".ipynb" else None
    codes = [compile(text, str(path.resolve()), "exec")] if notebook is None else notebook.codes()
    space: dict[str, Any] = {
        "__name__": "__main__",
        "__file__": str(path.resolve()),
        "__builtins__": __builtins__,
    }
    passes: dict[tuple[Any, int], _Pass] = {}
    others = live_optimizers()
    error: BaseException | None = None
    found: list[Problem] = []

    def observe(root: Tensor, grads: Gradients) -> None:
        frame = None if trial.trying.get() else user_frame(sys._getframe(1))
        if frame is not None:
            # The last pass of every place; variables are those of its moment.
            place = (frame.f_code, frame.f_lasti)
            passes[place] = _Pass(root, grads, _in_sight(frame))

    engine.observers.append(observe)
    sys.path.insert(0, str(path.resolve().parent))
    try:
        for code in codes:
            exec(code, space)
    except GradvizError as failure:
        found.append(failure.problem)
    except SystemExit:
        pass
    except Exception as failure:
        error = failure
    finally:
        engine.observers.remove(observe)
        sys.path.pop(0)
    made = [item for item in live_optimizers() if not any(item is other for other in others)]
    found += _asked(space, list(passes.values()), made, failed=bool(found))
    problems = Report.of(found).problems
    if notebook is not None:
        problems = tuple(notebook.in_cells(problem) for problem in problems)
    return Finding(path, problems, error, notebook)


def _in_sight(frame: FrameType) -> list[Mapping[str, Any]]:
    """The variables of the user's functions that are running, nearest first, as they are now."""
    found: list[Mapping[str, Any]] = []
    caller: FrameType | None = frame
    while caller is not None and len(found) < _MOST_FRAMES:
        found += [dict(names) for names in namespaces(caller)[:1]]
        caller = user_frame(caller.f_back)
    return [*found, dict(frame.f_globals)]


def _asked(
    space: dict[str, Any], passes: list[_Pass], optimizers: list[Optimizer], *, failed: bool
) -> list[Problem]:
    """The problems of the backward passes the program ran and of losses it left without one."""
    used = {run.root.node.id for run in passes}
    waiting = [
        _Pass(value, None, [space])
        for name, value in space.items()
        if isinstance(value, Tensor)
        and "loss" in name.lower()
        and not value.node.consumed
        and value.node.id not in used
        and value.size == 1
    ]
    found: dict[tuple[Any, ...], Problem] = {}
    runs = [*passes[-_MOST_ROOTS:], *waiting[:_MOST_ROOTS]]
    reached = [reached_by(run.root.node) for run in runs]
    everywhere = set().union(*reached)
    # Without an optimizer, what is marked is what is meant.
    left = [] if optimizers else _left_out(runs, everywhere)
    for run, own in zip(runs, reached, strict=True):
        wanted = [*_wanted(own, everywhere, optimizers), *(left if run is runs[-1] else [])] or None
        question = question_of([run.root], wanted, run.grads, run.spaces, None)
        for problem in examine(question):
            if not failed or problem.severity != "error":
                found.setdefault((problem.slug, problem.cause, problem.message), problem)
    return fixed(list(found.values()))


def _left_out(runs: list[_Pass], reached: set[int]) -> list[Tensor]:
    """Marked tensors in sight of the last pass that no pass reaches."""
    if not runs:
        return []
    last = runs[-1]
    return [
        tensor
        for number, (_, tensor) in find(last.spaces).items()
        if tensor.requirement == "grad" and number not in reached and number < last.root.node.id
    ]


def _wanted(reached: set[int], everywhere: set[int], optimizers: list[Optimizer]) -> list[Tensor]:
    """The parameters a pass is meant to reach: those of the optimizers that have one it reaches.

    Where it reaches none at all, those of every optimizer that no pass of the program serves.

    Args:
        reached: ids of what the pass reaches.
        everywhere: ids of what any pass of the program reaches.
        optimizers: the program's own.
    """
    meant: dict[int, Tensor] = {}
    others: dict[int, Tensor] = {}
    for optimizer in optimizers:
        held = {p.node.id: p for group in optimizer.param_groups for p in group["params"]}
        if reached & held.keys():
            meant.update(held)
        elif not everywhere & held.keys():
            others.update(held)
    return list((meant or others).values())
