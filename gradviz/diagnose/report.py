"""Reports: what the diagnosis found."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from gradviz.errors.problem import SEVERITIES, Problem
from gradviz.errors.text import render


@dataclass(frozen=True)
class Report:
    """The problems of some roots, worst first.

    Example:
        >>> import gradviz as gv
        >>> w = gv.tensor([1.0], requires_grad=True)
        >>> gv.diagnose((w * w).sum()).ok
        True
    """

    problems: tuple[Problem, ...] = field(default=())

    @classmethod
    def of(cls, problems: list[Problem]) -> Report:
        """A report of problems in order of severity, each kind and place once."""
        seen: set[object] = set()
        kept = []
        for problem in sorted(problems, key=lambda problem: SEVERITIES.index(problem.severity)):
            key = (problem.slug, problem.cause, problem.where, problem.nodes[:1])
            if key not in seen:
                seen.add(key)
                kept.append(problem)
        return cls(tuple(kept))

    @property
    def ok(self) -> bool:
        """Whether no problem is an error or a warning."""
        return all(problem.severity == "note" for problem in self.problems)

    def __iter__(self) -> Iterator[Problem]:
        return iter(self.problems)

    def __len__(self) -> int:
        return len(self.problems)

    def __bool__(self) -> bool:
        return True

    def __str__(self) -> str:
        if not self.problems:
            return "no problems"
        return "\n\n".join(render(problem) for problem in self.problems)

    def __repr__(self) -> str:
        slugs = ", ".join(problem.slug for problem in self.problems)
        return f"Report({slugs or 'no problems'})"
