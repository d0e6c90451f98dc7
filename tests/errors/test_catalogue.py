"""The catalogue as a table: complete, exact, and written by its own rules."""

from __future__ import annotations

import ast
import dataclasses
import re
from string import Formatter

import pytest

import gradviz as gv
from gradviz.errors.catalogue import Record, catalogue, explain, message
from gradviz.errors.exceptions import CLASSES
from gradviz.errors.problem import SEVERITIES

MESSAGES = {
    "requires-autodiff-tensor": "Requires autodiff tensor.",
    "capture-tensors-do-not-support-autodiff": "Capture tensors do not support autodiff",
    "can-t-convert-a-non-leaf-tensor-into-a-tracked-ten": (
        "Can't convert a non leaf tensor into a tracked tensor"
    ),
    "autodiff-wraps-autodiff": "Autodiff should not wrap an autodiff tensor.",
    "require-grad-on-plain-kind": "Only an autodiff tensor can be marked as requiring gradients",
    "require-grad-on-non-float": "Only a floating point tensor can require gradients",
    "untracked-root": "No tracked tensor feeds this root",
    "graph-consumed": "This graph was already consumed by a backward pass",
    "different-backends": "The provided tensors are not on the same backend.",
    "different-checkpointing": "The provided tensors use different checkpointing strategies",
    "cannot-move-from-capture": "Cannot move a tensor from a capture device",
    "capture-value-unavailable": "A captured tensor has no value to read",
    "capture-scope-closed": "The capture scope of this tensor is closed",
    "in-place-on-tensor": "Tensors are immutable",
    "gradient-check-failed": "A gradient isn't the slope that differences show",
}

TEMPLATES = {
    "capture-boundary",
    "shape-mismatch",
    "invalid-argument",
    "invalid-dtype",
    "dimension-out-of-range",
    "index-out-of-range",
    "invalid-program",
    "no-gradient",
    "name-from-elsewhere",
    "missing-extra",
    "not-a-tensor",
    "onnx-not-expressible",
    "onnx-unreadable",
}

SILENT = {
    "leaf-not-reached",
    "path-cut-detach",
    "path-cut-no-grad",
    "path-cut-non-differentiable",
    "path-cut-value-escape",
    "marked-after-use",
    "marked-result",
    "parameter-not-registered",
    "parameter-frozen",
    "parameter-not-in-optimizer",
    "optimizer-holds-stale-parameter",
    "non-scalar-root",
    "suspicious-broadcast",
    "gradient-of-non-leaf",
    "non-finite-gradient",
    "zero-gradient",
    "exploding-gradient",
    "dead-units",
    "graph-retained",
    "never-differentiated",
}

# The failures this project began with deserve more than the usual two situations.
MAIN = {
    "requires-autodiff-tensor": 5,
    "capture-tensors-do-not-support-autodiff": 4,
    "can-t-convert-a-non-leaf-tensor-into-a-tracked-ten": 5,
}

every_record = pytest.mark.parametrize("record", catalogue.values(), ids=list(catalogue))


def programs(record: Record) -> list[str]:
    return [
        *(scenario.program for scenario in record.trigger_scenarios),
        *(solution.program for solution in record.solutions),
        record.example_before,
        record.example_after,
        record.validation_code,
        record.type_guard,
        record.handling,
    ]


def prose(record: Record) -> list[str]:
    return [record.documentation, *record.common_situations, *record.prevention]


def test_every_failure_has_a_record_and_nothing_else_has() -> None:
    assert set(catalogue) == {*MESSAGES, *TEMPLATES, *SILENT}


def test_the_public_catalogue_is_this_one() -> None:
    assert gv.catalogue is catalogue


@pytest.mark.parametrize("slug", MESSAGES)
def test_message_is_exact(slug: str) -> None:
    assert catalogue[slug].message == MESSAGES[slug]
    assert message(slug) == MESSAGES[slug]


def test_errors_have_a_class_and_silent_failures_none() -> None:
    raised = {slug for slug, record in catalogue.items() if record.severity == "error"}
    assert raised == {*MESSAGES, *TEMPLATES} == set(CLASSES)


def test_catalogue_is_read_only() -> None:
    with pytest.raises(TypeError):
        catalogue["new"] = catalogue["shape-mismatch"]  # type: ignore[index]
    with pytest.raises(dataclasses.FrozenInstanceError):
        catalogue["shape-mismatch"].message = ""  # type: ignore[misc]


def test_catalogue_is_a_mapping() -> None:
    assert len(catalogue) == len(list(catalogue)) == len(dict(catalogue))
    assert "no-such-slug" not in catalogue and catalogue.get("no-such-slug") is None
    assert "shape-mismatch" in repr(catalogue)


@every_record
def test_every_field_says_something(record: Record) -> None:
    for field in dataclasses.fields(record):
        assert getattr(record, field.name), field.name
    assert record.severity in SEVERITIES
    assert catalogue[record.slug] is record


@every_record
def test_there_are_enough_situations_and_ways_out(record: Record) -> None:
    least = MAIN.get(record.slug, 1 if record.slug == "missing-extra" else 2)
    assert len(record.trigger_scenarios) >= least
    assert len(record.solutions) >= min(least, 3)


@every_record
def test_titles_differ(record: Record) -> None:
    titles = [scenario.title for scenario in record.trigger_scenarios]
    titles += [solution.title for solution in record.solutions]
    assert len(set(titles)) == len(titles)
    assert not [title for title in titles if title.endswith(".") or len(title) > 100]


@every_record
def test_prose_is_made_of_sentences(record: Record) -> None:
    for text in prose(record):
        assert text.endswith((".", "?")), text
        assert "  " not in text and "\n" not in text, text


@every_record
def test_programs_are_python_and_tidy(record: Record) -> None:
    for text in programs(record):
        ast.parse(text)
        lines = text.splitlines()
        assert text.endswith("\n") and not text.startswith((" ", "\n"))
        assert not [line for line in lines if line != line.rstrip() or len(line) > 88]


@every_record
def test_programs_say_where_they_fail(record: Record) -> None:
    for scenario in record.trigger_scenarios:
        fails = re.findall(r"  # fails: .+", scenario.program)
        causes = re.findall(r"  # cause: .+", scenario.program)
        asks = re.findall(r"(?m)^# (gv\.diagnose\(.+\))$", scenario.program)
        if record.severity == "error":
            assert (len(fails), len(causes), len(asks)) == (1, 0, 0), scenario.title
        else:
            assert (len(fails), len(causes), len(asks)) == (0, 1, 1), scenario.title
            ast.parse(asks[0])
            assert re.search(r"(?m)^ *assert ", scenario.program), scenario.title


@every_record
def test_ways_out_prove_themselves(record: Record) -> None:
    for text in (*(s.program for s in record.solutions), record.example_after):
        assert "assert " in text or "print(" in text
        assert "# fails" not in text and "except" not in text
    for text in (record.validation_code, record.type_guard):
        assert "# fails" not in text


@every_record
def test_handling_asks_for_the_slug(record: Record) -> None:
    assert (
        f'"{record.slug}"' in record.handling
        or record.slug == "exploding-gradient"
        or (record.slug == "non-finite-gradient")
    )
    if record.severity == "error":
        assert "except gv.GradvizError as error:" in record.handling
        assert "raise\n" in record.handling


def test_placeholders_are_filled() -> None:
    text = message("shape-mismatch", operation="matmul", lhs=(2, 3), rhs=(4, 5))
    assert text == "matmul: shapes (2, 3) and (4, 5) don't fit together"


def test_a_missing_or_hostile_value_does_not_break_the_message() -> None:
    class Hostile:
        def __str__(self) -> str:
            raise RuntimeError

    text = message("shape-mismatch", operation="a\nb\x1b[31m", lhs=Hostile())
    assert text == ("a\\nb\\x1b[31m: shapes <unprintable Hostile> and rhs don't fit together")
    assert len(message("shape-mismatch", operation="x" * 10**6)) < 1000


@every_record
def test_placeholders_are_plain_names(record: Record) -> None:
    names = [name for _, name, _, _ in Formatter().parse(record.message) if name is not None]
    assert all(name.isidentifier() for name in names)


@every_record
def test_page_shows_every_field(record: Record) -> None:
    page = explain(record.slug)
    flat = " ".join(page.split())
    for text in (record.message, record.slug, *prose(record), *record.tags):
        assert " ".join(text.split()) in flat
    for program in programs(record):
        assert " ".join(program.split()) in flat
    for scenario in record.trigger_scenarios:
        assert scenario.title in flat
    for solution in record.solutions:
        assert solution.title in flat


def test_page_of_an_error_and_of_a_misspelt_slug() -> None:
    assert explain(gv.GradvizError).startswith("There is no failure called")
    page = explain("graph-consume")
    assert page.index("Did you mean") < page.index("graph-consumed") < page.index("These exist")
    with pytest.raises(gv.GradvizError) as caught:
        gv.tensor([1.0]).backward()
    assert explain(caught.value) == explain("requires-autodiff-tensor")
