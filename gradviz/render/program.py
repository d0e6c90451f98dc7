"""Running Graphviz: the system's `dot` where there is one, else the wheel `graphviz-pure`."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gradviz.errors import GradvizError, GradvizRuntimeError, fail, missing_extra

TIMEOUT: Final = 30.0
"""Seconds a picture may take; what is drawn is folded first, so it takes a fraction of one."""


@dataclass(frozen=True, slots=True)
class Program:
    """A layout program; only the system's writes PDF and knows the system's fonts."""

    path: str
    is_system: bool


def find() -> Program | None:
    """The program to use, or None where there is none."""
    system = shutil.which("dot")
    if system is not None:
        return Program(system, True)
    pure = _find_wheel()
    return None if pure is None else Program(pure, False)


def _find_wheel() -> str | None:
    # Kernels often run without their environment's folder on the PATH.
    name = "graphviz-pure.exe" if os.name == "nt" else "graphviz-pure"
    user = f"{os.name}_user"
    folders = [Path(sys.executable).parent, Path(sysconfig.get_path("scripts"))]
    if user in sysconfig.get_scheme_names():
        folders.append(Path(sysconfig.get_path("scripts", user)))
    for folder in folders:
        if os.access(folder / name, os.X_OK):
            return str(folder / name)
    return shutil.which(name)


def require(operation: str) -> Program:
    """The program to use.

    Raises:
        GradvizError: `missing-extra` where there is none.
    """
    program = find()
    if program is None:
        raise missing(operation, "graphviz-pure", "Graphviz places the boxes of static pictures.")
    return program


def system() -> Program | None:
    """The system's own program, or None."""
    found = find()
    return found if found is not None and found.is_system else None


def missing(operation: str, package: str, reason: str) -> GradvizError:
    """The error of a package that isn't installed; the caller raises it."""
    then = "; `print(graph)` lists the graph without it"
    return missing_extra(operation, package, "lab", reason, then)


def run(program: Program, dot: str, output: str, operation: str) -> bytes:
    """What the program makes of DOT text.

    Args:
        program: what to run.
        dot: the text.
        output: the format to write ("json0", "png" ...).
        operation: the call to name in errors.

    Raises:
        GradvizError: `invalid-argument` where the program fails or takes too long.
    """
    options = {"creationflags": 0x08000000} if os.name == "nt" else {}  # no console window
    try:
        done = subprocess.run(  # noqa: S603 - a program found above, never a shell
            [program.path, f"-T{output}"],
            input=dot.encode("utf-8"),
            capture_output=True,
            timeout=TIMEOUT,
            check=False,
            **options,  # type: ignore[call-overload]
        )
    except subprocess.TimeoutExpired as error:
        raise _failed(operation, f"Graphviz was not done after {TIMEOUT:g} seconds") from error
    except OSError as error:
        raise _failed(operation, f"{program.path} doesn't start: {error}") from error
    if done.returncode or not done.stdout:
        said = done.stderr.decode("utf-8", "replace").strip().split("\n")[-1]
        said = said or f"it ended with code {done.returncode}"
        raise _failed(operation, f"Graphviz failed: {said[:300]}")
    result: bytes = done.stdout
    return result


def _failed(operation: str, complaint: str) -> GradvizError:
    return fail(
        "invalid-argument",
        operation=operation,
        complaint=complaint,
        reason="Static pictures are laid out by Graphviz, a program of its own.",
        advice="`print(graph)` lists the graph without it; `gv.explore` draws it in a notebook.",
        error=GradvizRuntimeError,
    )
