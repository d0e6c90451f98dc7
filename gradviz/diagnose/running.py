"""Running a script or a notebook as itself, and asking about what it leaves."""

from __future__ import annotations

import json
import linecache
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gradviz.core.files import write_whole
from gradviz.diagnose import trial
from gradviz.diagnose.examine import examine, fixed, question_of
from gradviz.diagnose.report import Report
from gradviz.errors import GradvizError
from gradviz.errors.problem import Fix, Problem
from gradviz.optim.optimizer import Optimizer
from gradviz.tensor import backward as engine
from gradviz.tensor.base import Tensor
from gradviz.tensor.gradients import Gradients

_MOST_ROOTS = 8


@dataclass
class Finding:
    """What a run left.

    Attributes:
        path: the file.
        problems: its problems, worst first.
        error: what it ended with, where that was no failure of this package.
        cells: for a notebook: the file names its code cells were run under, with their positions.
    """

    path: Path
    problems: tuple[Problem, ...]
    error: BaseException | None
    cells: dict[str, int]

    def write(self, fix: Fix) -> None:
        """Writes edits into the file, the whole of it or nothing."""
        before = self.path.read_bytes()
        text = before.decode("utf-8").replace("\r\n", "\n")
        if not self.cells:
            text = fix.apply_to(text)
        else:
            notebook = json.loads(text)
            for filename, at in self.cells.items():
                edits = tuple(edit for edit in fix.edits if edit.filename == filename)
                if edits:
                    cell = notebook["cells"][at]
                    source = Fix("", "", edits).apply_to(_source(cell))
                    cell["source"] = source.splitlines(keepends=True)
            text = json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"
        if b"\r\n" in before:
            text = text.replace("\n", "\r\n")
        write_whole(self.path, text.encode("utf-8"))


def check_file(path: Path) -> Finding:
    """Runs a file and finds its problems.

    Raises:
        OSError: the file can't be read.
        SyntaxError, ValueError: it is no program.
    """
    text = path.read_text(encoding="utf-8")
    cells = _cells(path, text) if path.suffix == ".ipynb" else [(str(path.resolve()), text, -1)]
    codes = [(compile(source, filename, "exec"), filename) for filename, source, _ in cells]
    space: dict[str, Any] = {
        "__name__": "__main__",
        "__file__": str(path.resolve()),
        "__builtins__": __builtins__,
    }
    roots: list[Tensor] = []
    error: BaseException | None = None
    found: list[Problem] = []

    def observe(root: Tensor) -> None:
        if not trial.trying.get():
            roots.append(root)

    engine.observers.append(observe)
    sys.path.insert(0, str(path.resolve().parent))
    try:
        for code, _ in codes:
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
    found += _asked(space, roots, failed=bool(found))
    positions = {filename: at for filename, _, at in cells if at >= 0}
    return Finding(path, Report.of(found).problems, error, positions)


def _source(cell: dict[str, Any]) -> str:
    source = cell.get("source", "")
    return source if isinstance(source, str) else "".join(source)


def _cells(path: Path, text: str) -> list[tuple[str, str, int]]:
    """A notebook's code cells under names of their own, magics left out."""
    notebook = json.loads(text)
    if not isinstance(notebook, dict) or not isinstance(notebook.get("cells"), list):
        raise ValueError("this is no notebook")  # noqa: TRY004 - the file is wrong, not a type
    cells = []
    number = 0
    for at, cell in enumerate(notebook["cells"]):
        if cell.get("cell_type") != "code":
            continue
        number += 1
        source = "\n".join(
            f"pass  # {line}" if line.lstrip().startswith(("%", "!")) else line
            for line in _source(cell).split("\n")
        )
        filename = f"<{path.name} cell {number}>"
        linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
        cells.append((filename, source, at))
    return cells


def _asked(space: dict[str, Any], roots: list[Tensor], *, failed: bool) -> list[Problem]:
    """The problems of the losses the program computed and of those it called `backward` on."""
    found: list[Problem] = []
    used = {root.node.id for root in roots}
    grads = [value for value in space.values() if isinstance(value, Gradients)]
    waiting = [
        value
        for name, value in space.items()
        if isinstance(value, Tensor)
        and "loss" in name.lower()
        and value.node.id not in used
        and value.size == 1
    ]
    for root in [*_latest(roots), *waiting[:_MOST_ROOTS]]:
        mine = next((g for g in grads if g.store.root is root.node), None)
        if root.node.id in used and mine is None:
            continue
        question = question_of([root], _trained(space) or None, mine, [space], None)
        problems = examine(question)
        if failed:
            problems = [problem for problem in problems if problem.severity != "error"]
        found += fixed(problems)
    return found


def _latest(roots: list[Tensor]) -> list[Tensor]:
    """The last root of every place that called `backward`."""
    by_place = {(root.node.code, root.node.lasti): root for root in roots}
    return list(by_place.values())[-_MOST_ROOTS:]


def _trained(space: dict[str, Any]) -> list[Tensor]:
    """What the program holds in optimizers: those tensors are meant to get gradients."""
    found: dict[int, Tensor] = {}
    for value in space.values():
        if isinstance(value, Optimizer):
            for group in value.param_groups:
                found.update((parameter.node.id, parameter) for parameter in group["params"])
    return list(found.values())
