"""Every program of the catalogue does what it says: the reproducers fail, the ways out pass."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

import gradviz as gv
from gradviz.errors.catalogue import Record, catalogue
from gradviz.errors.exceptions import CLASSES
from tests.errors.conftest import Run

BUILTINS = (
    *(TypeError, ValueError, RuntimeError),
    *(IndexError, KeyError, AttributeError, ImportError),
)


def parameters(*severities: str) -> list[Record]:
    return [record for record in catalogue.values() if record.severity in severities]


def scenarios(*severities: str) -> Iterator[object]:
    for record in parameters(*severities):
        for number, scenario in enumerate(record.trigger_scenarios, 1):
            yield pytest.param(record, scenario.program, id=f"{record.slug}-{number}")


def solutions() -> Iterator[object]:
    for record in catalogue.values():
        for number, solution in enumerate(record.solutions, 1):
            yield pytest.param(solution.program, id=f"{record.slug}-{number}")


def snippets() -> Iterator[object]:
    for record in catalogue.values():
        for name in ("example_after", "validation_code", "type_guard", "handling"):
            yield pytest.param(getattr(record, name), id=f"{record.slug}-{name}")


def failing_line(program: str) -> int:
    """The line that a reproducer says will raise."""
    (line,) = [n for n, text in enumerate(program.splitlines(), 1) if "# fails" in text]
    return line


@pytest.mark.parametrize(("record", "program"), list(scenarios("error")))
def test_reproducer_raises_its_slug_at_its_line(
    record: Record, program: str, run_program: Run
) -> None:
    namespace, error = run_program(program)
    assert isinstance(error, gv.GradvizError), repr(error)
    assert error.slug == record.slug, str(error)
    assert isinstance(error, CLASSES[record.slug]) or record.slug == "invalid-argument"
    assert isinstance(error, BUILTINS)
    problem = error.problem
    assert problem.slug == record.slug and problem.severity == "error"
    assert problem.reason and problem.advice
    if "{" not in record.message:
        assert problem.message == record.message
    assert str(error).split("\n", 1)[0] == problem.message
    assert problem.where is not None
    assert problem.where.filename == namespace["__file__"]
    line = failing_line(program)
    assert problem.where.line == line
    source = program.splitlines()[line - 1]
    assert problem.where.text and problem.where.text in source
    assert problem.cause is not None and problem.cause.filename == namespace["__file__"]


def predictable() -> Iterator[object]:
    """Reproducers whose last statement calls what a verdict predicts, as `(record, before, method)`."""
    for record in parameters("error"):
        for number, scenario in enumerate(record.trigger_scenarios, 1):
            *before, last = ast.parse(scenario.program).body
            call = last.value if isinstance(last, ast.Expr) else None
            method = call.func if isinstance(call, ast.Call) else None
            if isinstance(method, ast.Attribute) and method.attr in ("backward", "require_grad"):
                text = ast.unparse(ast.Module(before, []))
                yield pytest.param(record, text, method, id=f"{record.slug}-{number}")


@pytest.mark.parametrize(("record", "before", "method"), list(predictable()))
def test_the_verdict_knew(
    record: Record, before: str, method: ast.Attribute, run_program: Run
) -> None:
    namespace, error = run_program(before)
    assert error is None, repr(error)
    tensor = eval(ast.unparse(method.value), namespace)
    outcome = getattr(tensor.verdict, method.attr)
    assert not outcome.ok and outcome.slug == record.slug and outcome.reason


@pytest.mark.parametrize(("record", "program"), list(scenarios("warning", "note")))
def test_silent_reproducer_shows_its_symptom(
    record: Record, program: str, run_program: Run
) -> None:
    _, error = run_program(program)
    assert error is None, repr(error)


@pytest.mark.parametrize(("record", "program"), list(scenarios("warning", "note")))
def test_diagnosis_names_the_silent_failure_and_its_line(
    record: Record, program: str, run_program: Run
) -> None:
    before, ask = re.split(r"(?m)^# (?=gv\.diagnose)", program)
    namespace, error = run_program(before)
    assert error is None, repr(error)
    report = eval(ask.splitlines()[0], namespace)
    found = {problem.slug: problem for problem in report.problems}
    assert record.slug in found, list(found)
    (line,) = [n for n, text in enumerate(program.splitlines(), 1) if "# cause" in text]
    assert found[record.slug].cause.line == line


@pytest.mark.parametrize("program", list(solutions()))
def test_solution_passes(program: str, run_program: Run) -> None:
    _, error = run_program(program)
    assert error is None, repr(error)


@pytest.mark.parametrize("program", list(snippets()))
def test_snippet_runs(program: str, run_program: Run) -> None:
    _, error = run_program(program)
    assert error is None, repr(error)


@pytest.mark.parametrize("record", parameters("error"), ids=lambda record: record.slug)
def test_example_before_raises(record: Record, run_program: Run) -> None:
    _, error = run_program(record.example_before)
    assert isinstance(error, gv.GradvizError), repr(error)
    assert error.slug == record.slug
    assert error.problem.where is not None
    assert error.problem.where.line == failing_line(record.example_before)


@pytest.mark.parametrize("record", parameters("warning", "note"), ids=lambda record: record.slug)
def test_example_before_shows_the_symptom(record: Record, run_program: Run) -> None:
    _, error = run_program(record.example_before)
    assert error is None, repr(error)
