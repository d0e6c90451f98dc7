"""A record as a page of plain text."""

from __future__ import annotations

import textwrap
from typing import Final

from gradviz.errors.catalogue.record import Record

WIDTH: Final = 88


def page(record: Record) -> str:
    """All fields of a record in reading order: what, why, how it happens, the way out."""
    lines = [record.message, "=" * min(len(record.message), WIDTH)]
    lines += [f"slug: {record.slug}    severity: {record.severity}", ""]
    lines += textwrap.wrap(record.documentation, WIDTH)
    lines += _title("How it happens")
    lines += _points(record.common_situations)
    for number, scenario in enumerate(record.trigger_scenarios, 1):
        lines += _program(f"{number}. {scenario.title}", scenario.program)
    lines += _title("Ways out")
    for number, solution in enumerate(record.solutions, 1):
        lines += _program(f"{number}. {solution.title}", solution.program)
    lines += _title("Before and after")
    lines += _program("Before", record.example_before)
    lines += _program("After", record.example_after)
    lines += _title("In your code")
    lines += _program("Check in advance", record.validation_code)
    lines += _program("Ask", record.type_guard)
    lines += _program("Handle", record.handling)
    lines += _title("So that it doesn't happen again")
    lines += _points(record.prevention)
    return "\n".join([*lines, "", f"tags: {', '.join(record.tags)}"])


def _title(text: str) -> list[str]:
    return ["", text, "-" * len(text)]


def _points(sentences: tuple[str, ...]) -> list[str]:
    lines = []
    for sentence in sentences:
        lines += textwrap.wrap(sentence, WIDTH, initial_indent="- ", subsequent_indent="  ")
    return lines


def _program(title: str, text: str) -> list[str]:
    return ["", *textwrap.wrap(title, WIDTH), *textwrap.indent(text, "    ").splitlines()]
