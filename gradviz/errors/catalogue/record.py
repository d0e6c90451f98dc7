"""The form of a catalogue record."""

from __future__ import annotations

from dataclasses import dataclass

from gradviz.errors.problem import Severity


@dataclass(frozen=True, slots=True)
class Scenario:
    """A situation that raises the slug, as a program.

    Attributes:
        title: the situation in one line.
        program: Python that ends by raising the slug; `gv` and `np` must be imported by it.
    """

    title: str
    program: str


@dataclass(frozen=True, slots=True)
class Solution:
    """A way out, as a program that runs to its end and passes its own assertions."""

    title: str
    program: str


@dataclass(frozen=True, slots=True)
class Record:
    """All that is known of one failure.

    Attributes:
        slug: the name used in code, tests and pages.
        message: first line of the exception's text; may hold `{placeholders}`.
        severity: "error", "warning" or "note".
        documentation: why the failure exists, in a short paragraph.
        trigger_scenarios: situations that raise it, each with a reproducer.
        common_situations: how people get there, one sentence each.
        solutions: ways out, each with a program that passes.
        example_before: the failing code.
        example_after: the cured code.
        validation_code: code that checks in advance.
        type_guard: the predicate to ask.
        handling: how to catch it: a `try`/`except` pattern.
        prevention: habits that avoid it, one sentence each.
        tags: words to find it by.
    """

    slug: str
    message: str
    severity: Severity
    documentation: str
    trigger_scenarios: tuple[Scenario, ...]
    common_situations: tuple[str, ...]
    solutions: tuple[Solution, ...]
    example_before: str
    example_after: str
    validation_code: str
    type_guard: str
    handling: str
    prevention: tuple[str, ...]
    tags: tuple[str, ...]
