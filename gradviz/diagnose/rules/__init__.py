"""Rules: one file for each family; a rule is a pure function from a question to problems."""

from __future__ import annotations

from collections.abc import Callable

from gradviz.diagnose.question import Question
from gradviz.diagnose.rules import finite, lifetime, marks, modules, paths, roots, shapes, values
from gradviz.errors.problem import Problem

Rule = Callable[[Question], list[Problem]]

RULES: tuple[Rule, ...] = (
    roots.refusals,
    roots.not_scalar,
    paths.unreached_leaves,
    marks.marked_results,
    marks.gradients_of_results,
    paths.flat_operations,
    modules.bookkeeping,
    shapes.broadcasts,
    finite.non_finite,
    values.sizes,
    values.dead_units,
    lifetime.retained,
    lifetime.running_totals,
    lifetime.unused,
)
