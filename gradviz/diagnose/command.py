"""The command line: run a file, say what is wrong with its gradients, mend it on request."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any, Final

from gradviz.diagnose.running import Finding, check_file
from gradviz.errors.catalogue import catalogue, explain
from gradviz.errors.problem import Fix, Problem
from gradviz.errors.text import render

NOBODY_READS: Final = 141
"""The exit code of tools that end because nobody reads on, as shells give it (128 + SIGPIPE)."""


def main(arguments: list[str] | None = None) -> int:
    """Runs the command line.

    Returns:
        0 when no problem is an error, 1 when one is, 2 when the file can't be read or run, 141
        when who reads the output has seen enough, as `head` does.
    """
    parser = argparse.ArgumentParser(prog="python -m gradviz", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    checking = commands.add_parser("check", help="run a script or notebook and print its problems")
    checking.add_argument("file", type=Path, help="a .py or .ipynb file")
    checking.add_argument("--json", action="store_true", help="print the problems as JSON")
    checking.add_argument(
        "--fix",
        action="store_true",
        help="show the checked edits as a diff and write them into the file",
    )
    explaining = commands.add_parser("explain", help="print the page of a failure")
    explaining.add_argument(
        "slug", nargs="?", help="the failure's name; all of them where left out"
    )
    options = parser.parse_args(arguments)
    try:
        if options.command == "explain":
            code = _explain(options.slug)
        else:
            code = _check(options.file, as_json=options.json, mend=options.fix)
        sys.stdout.flush()
    except BrokenPipeError:
        # What is still waiting goes nowhere: at its end Python would complain about it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return NOBODY_READS
    return code


def _explain(slug: str | None) -> int:
    if slug is None:
        print("\n".join(f"{name:52s} {record.message}" for name, record in catalogue.items()))
        return 0
    if slug not in catalogue:
        print(
            f"no failure is called {slug!r}; `python -m gradviz explain` lists them",
            file=sys.stderr,
        )
        return 2
    print(explain(slug))
    return 0


def _check(path: Path, *, as_json: bool, mend: bool) -> int:
    try:
        finding = check_file(path)
    except OSError as error:
        print(f"{path}: {error.strerror or error}", file=sys.stderr)
        return 2
    except (SyntaxError, ValueError, UnicodeDecodeError) as error:
        print(f"{path}: {error}", file=sys.stderr)
        return 2
    if as_json:
        print(json.dumps(_as_json(finding), indent=2))
    else:
        _print(finding)
    if mend:
        _mend(finding, quiet=as_json)
    if finding.error is not None:
        return 2
    return 1 if any(problem.severity == "error" for problem in finding.problems) else 0


def _print(finding: Finding) -> None:
    color = sys.stdout.isatty()
    for problem in finding.problems:
        print(f"{problem.severity}: {render(problem, color=color)}\n")
    if finding.error is not None:
        print(f"{finding.path} ended with {type(finding.error).__name__}: {finding.error}")
    counts = [
        f"{number} {severity}{'s' if number != 1 else ''}"
        for severity in ("error", "warning", "note")
        if (number := sum(problem.severity == severity for problem in finding.problems))
    ]
    print(f"{finding.path}: {', '.join(counts) or 'no problems'}")


def _as_json(finding: Finding) -> dict[str, Any]:
    return {
        "file": str(finding.path),
        "error": None
        if finding.error is None
        else f"{type(finding.error).__name__}: {finding.error}",
        "problems": [_problem_json(problem) for problem in finding.problems],
    }


def _problem_json(problem: Problem) -> dict[str, Any]:
    return {
        "slug": problem.slug,
        "severity": problem.severity,
        "message": problem.message,
        "reason": problem.reason,
        "advice": problem.advice,
        "where": _span_json(problem.where),
        "cause": _span_json(problem.cause),
        "fixes": [
            {
                "title": fix.title,
                "explanation": fix.explanation,
                "verified": fix.verified,
                "diff": fix.preview(),
            }
            for fix in problem.fixes
        ],
    }


def _span_json(span: Any) -> dict[str, Any] | None:
    if span is None:
        return None
    names = ("filename", "line", "col", "end_line", "end_col", "text")
    return {name: getattr(span, name) for name in names}


def _mend(finding: Finding, *, quiet: bool) -> None:
    """Writes the first checked fix of every problem, as far as they don't touch the same lines."""
    chosen: list[Fix] = []
    for problem in finding.problems:
        for fix in problem.fixes:
            if fix.verified and not any(_overlap(fix, other) for other in chosen):
                chosen.append(fix)
                break
    if not chosen:
        if not quiet:
            print("nothing to write: no checked fix")
        return
    edits = tuple(edit for fix in chosen for edit in fix.edits)
    together = Fix("all", "", edits)
    if not quiet:
        print(together.preview())
    finding.write(together)
    if not quiet:
        print(f"wrote {len(chosen)} fix{'es' if len(chosen) != 1 else ''} to {finding.path}")


def _overlap(first: Fix, second: Fix) -> bool:
    return any(
        a.filename == b.filename and a.line <= b.end_line and b.line <= a.end_line
        for a in first.edits
        for b in second.edits
    )
