"""Reported failures: each is named, its cause is placed, its fix holds; right programs stay quiet."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
CASES = [json.loads(line) for line in (HERE / "cases.jsonl").read_text("utf-8").splitlines()]
FAILING = [case for case in CASES if not case.get("healthy")]
HEALTHY = [case for case in CASES if case.get("healthy")]
LOUD = ("error", "warning")

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="programs run in forks")

Runner = Callable[..., dict[str, Any]]


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    """Asks the process that executes programs."""
    process = subprocess.Popen(
        [sys.executable, str(HERE / "runner.py")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(HERE.parents[1])},
    )

    def ask(do: str, text: str, question: Any, case: dict[str, Any]) -> dict[str, Any]:
        name = case["id"].lower()
        request = {"do": do, "text": text, "ask": question, "name": name, "case": case}
        process.stdin.write(json.dumps(request) + "\n")
        process.stdin.flush()
        said = json.loads(process.stdout.readline())
        assert "crash" not in said, said["crash"]
        return said

    yield ask
    process.stdin.close()
    process.wait()


def named(cases: list[dict[str, Any]]) -> Any:
    return pytest.mark.parametrize("case", cases, ids=[case["id"] for case in cases])


def squeezed(text: str) -> str:
    return "".join(text.split())


def added(before: str, after: str) -> list[str]:
    """The lines that an edit adds, without blanks."""
    known = {squeezed(line) for line in before.split("\n")}
    return [squeezed(line) for line in after.split("\n") if squeezed(line) not in known]


def flaw_of(runner: Runner, case: dict[str, Any], patched: str) -> str | None:
    """Why a patched program isn't right; None where it is."""
    try:
        return runner("prove", patched, case["fixed_ask"], case)["flaw"]
    except AssertionError as crash:
        return str(crash)


@named(FAILING)
def test_failure_is_named_placed_and_mended(case: dict[str, Any], runner: Runner) -> None:
    seen = runner("look", case["program"], case["ask"], case)
    assert seen["raised"] == case["raises"] or seen["raised"] in case["expect"]
    problems = seen["problems"]
    matching = [p for p in problems if p["slug"] in case["expect"] and p["severity"] in LOUD]
    assert matching, f"said {[(p['slug'], p['severity']) for p in problems]}"
    assert case["severity"] in [p["severity"] for p in matching]
    lines = [case["cause_line"], *case["cause_also"]]
    assert any(p["cause"] in lines for p in matching), [p["cause"] for p in matching]
    if case["symptom_line"] is not None:
        assert case["symptom_line"] in [p["where"] for p in matching]
    # No fix of any problem may be one that only silences it, and those of this problem must hold.
    forbidden = [squeezed(text) for text in case["wrong_fixes"]]
    for problem in problems:
        for fix in problem["fixes"]:
            new = added(case["program"], fix["patched"])
            assert not [t for t in forbidden if any(t in line for line in new)], fix["title"]
    flaws = {
        fix["title"]: flaw_of(runner, case, fix["patched"])
        for problem in matching
        for fix in problem["fixes"]
        if fix["verified"]
    }
    assert not any(flaws.values()), flaws
    assert flaws or not case["fix_expected"], "no fix is offered"


@named(FAILING)
def test_its_right_version_is_quiet(case: dict[str, Any], runner: Runner) -> None:
    seen = runner("look", case["fixed_program"], case["fixed_ask"], case)
    assert seen["raised"] is None
    assert [p["slug"] for p in seen["problems"] if p["severity"] in LOUD] == []
    assert runner("prove", case["fixed_program"], case["fixed_ask"], case)["flaw"] is None


@named(HEALTHY)
def test_healthy_program_is_quiet(case: dict[str, Any], runner: Runner) -> None:
    seen = runner("look", case["program"], case["ask"], case)
    assert seen["raised"] is None
    assert [p["slug"] for p in seen["problems"] if p["severity"] in LOUD] == []
    assert runner("prove", case["program"], case["ask"], case)["flaw"] is None


def test_there_are_enough() -> None:
    ids = [case["id"] for case in CASES]
    assert len(FAILING) >= 70 and len(HEALTHY) >= 10
    assert len(set(ids)) == len(ids)
