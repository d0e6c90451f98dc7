"""The exceptions: the built-in that is meant, safe to copy, and never in each other's way."""

from __future__ import annotations

import copy
import pickle
import traceback

import pytest

import gradviz.errors.exceptions as exceptions
from gradviz.errors import (
    Fix,
    GradvizAttributeError,
    GradvizError,
    GradvizImportError,
    GradvizIndexError,
    GradvizKeyError,
    GradvizRuntimeError,
    GradvizTypeError,
    GradvizValueError,
    Problem,
    fail,
)
from gradviz.errors.catalogue import catalogue
from gradviz.errors.problem import find_fixes

PAIRS = {
    GradvizTypeError: TypeError,
    GradvizValueError: ValueError,
    GradvizRuntimeError: RuntimeError,
    GradvizIndexError: IndexError,
    GradvizKeyError: KeyError,
    GradvizAttributeError: AttributeError,
    GradvizImportError: ImportError,
}

PROBLEM = Problem("shape-mismatch", "error", "add: shapes (2,) and (3,) don't fit together")


@pytest.fixture(autouse=True)
def _no_finder(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test brings its own fixes."""
    monkeypatch.setattr(exceptions, "find_fixes", lambda problem: ())


@pytest.mark.parametrize(("error_class", "built_in"), PAIRS.items())
def test_every_class_is_the_built_in_that_is_meant(
    error_class: type[GradvizError], built_in: type[Exception]
) -> None:
    error = error_class(PROBLEM)
    assert isinstance(error, GradvizError) and isinstance(error, built_in)
    assert error.slug == "shape-mismatch" and error.problem == PROBLEM
    assert str(error).splitlines()[0] == PROBLEM.message
    assert repr(error) == f"{error_class.__name__}('shape-mismatch': {PROBLEM.message})"
    with pytest.raises(built_in):
        raise error


@pytest.mark.parametrize("error_class", PAIRS)
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_errors_survive_pickling(error_class: type[GradvizError], protocol: int) -> None:
    fix = Fix("title", "why", ())
    error = error_class(PROBLEM.with_fixes((fix,)))
    error.add_note("seen in step 3")
    again = pickle.loads(pickle.dumps(error, protocol))
    assert type(again) is error_class
    assert again.problem == error.problem and again.problem.fixes == (fix,)
    assert str(again) == str(error) and again.__notes__ == ["seen in step 3"]


@pytest.mark.parametrize("error_class", PAIRS)
@pytest.mark.parametrize("how", [copy.copy, copy.deepcopy])
def test_errors_can_be_copied(error_class: type[GradvizError], how: object) -> None:
    again = how(error_class(PROBLEM))  # type: ignore[operator]
    assert type(again) is error_class and again.problem == PROBLEM


def test_a_key_error_prints_its_page_and_not_its_repr() -> None:
    error = GradvizKeyError(PROBLEM)
    assert str(error).startswith("add: shapes") and "\\n" not in str(error)
    assert "GradvizKeyError: add: shapes" in "".join(traceback.format_exception(error))


def test_an_import_error_has_a_text_as_its_msg() -> None:
    assert GradvizImportError(PROBLEM).msg == PROBLEM.message


def test_fixes_are_looked_for_once_and_late(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Problem] = []
    fix = Fix("title", "why", ())

    def finder(problem: Problem) -> tuple[Fix, ...]:
        seen.append(problem)
        return (fix,)

    monkeypatch.setattr(exceptions, "find_fixes", finder)
    error = GradvizValueError(PROBLEM)
    assert error.slug and repr(error) and not seen
    assert error.problem.fixes == (fix,) and "fix 1: title" in str(error)
    assert error.problem is error.problem and len(seen) == 1


def test_given_fixes_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    def finder(problem: Problem) -> tuple[Fix, ...]:
        raise AssertionError("there is nothing to look for")

    monkeypatch.setattr(exceptions, "find_fixes", finder)
    fix = Fix("mine", "", ())
    assert GradvizValueError(PROBLEM.with_fixes((fix,))).problem.fixes == (fix,)


def test_a_failing_finder_is_no_second_error(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def finder(problem: Problem) -> tuple[Fix, ...]:
        calls.append(problem)
        raise ZeroDivisionError

    monkeypatch.setattr(exceptions, "find_fixes", finder)
    error = GradvizValueError(PROBLEM)
    assert str(error).startswith(PROBLEM.message) and error.problem.fixes == ()
    assert len(calls) == 1


def test_an_interrupt_during_the_search_is_not_swallowed(monkeypatch: pytest.MonkeyPatch) -> None:
    def finder(problem: Problem) -> tuple[Fix, ...]:
        raise KeyboardInterrupt

    monkeypatch.setattr(exceptions, "find_fixes", finder)
    with pytest.raises(KeyboardInterrupt):
        str(GradvizValueError(PROBLEM))


def test_errors_met_during_the_search_start_no_search(monkeypatch: pytest.MonkeyPatch) -> None:
    inner: list[GradvizError] = []

    def finder(problem: Problem) -> tuple[Fix, ...]:
        inner.append(GradvizTypeError(PROBLEM))
        str(inner[-1])
        return (Fix("title", "", ()),)

    monkeypatch.setattr(exceptions, "find_fixes", finder)
    assert GradvizValueError(PROBLEM).problem.fixes
    assert len(inner) == 1
    # Once the search is over, the inner error may look for fixes itself.
    assert inner[0].problem.fixes and len(inner) == 2


def test_fail_builds_what_the_catalogue_says() -> None:
    error = fail("shape-mismatch", operation="add", lhs=(2,), rhs=(3,))
    record = catalogue["shape-mismatch"]
    assert type(error) is GradvizValueError
    assert error.problem.message == "add: shapes (2,) and (3,) don't fit together"
    assert error.problem.severity == "error"
    assert error.problem.reason == record.documentation
    assert error.problem.advice == f"{record.solutions[0].title}."


def test_fail_points_at_the_caller_unless_told_otherwise() -> None:
    error = fail("graph-consumed")
    assert error.problem.where is not None and error.problem.where == error.problem.cause
    assert error.problem.where.text == 'fail("graph-consumed")'
    assert error.problem.where.filename == __file__
    place = error.problem.where
    elsewhere = fail("graph-consumed", cause=place)
    assert elsewhere.problem.cause == place != elsewhere.problem.where
    there = fail("graph-consumed", where=place)
    assert there.problem.where == there.problem.cause == place


def test_fail_takes_details() -> None:
    error = fail(
        "invalid-argument",
        operation="sum",
        complaint="no",
        reason="because",
        facts=(("a", "b"),),
        advice="do",
        nodes=(3, 4),
        error=GradvizTypeError,
    )
    problem = error.problem
    assert isinstance(error, TypeError) and not isinstance(error, ValueError)
    assert (problem.reason, problem.advice) == ("Because", "do")
    assert problem.facts == (("a", "b"),) and problem.nodes == (3, 4)


@pytest.mark.parametrize("slug", exceptions.CLASSES)
def test_every_slug_that_is_raised_can_be_built(slug: str) -> None:
    error = fail(slug)
    assert isinstance(error, exceptions.CLASSES[slug])
    assert str(error).splitlines()[-1] == f'slug: {slug}; see gv.explain("{slug}")'


def test_without_a_diagnosis_there_are_no_fixes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gradviz.errors.problem._fix_finder", None)
    assert find_fixes(PROBLEM) == ()
