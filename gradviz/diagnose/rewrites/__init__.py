"""Rewrites: for each kind of failure the edits that may cure it, likeliest first; none is tried here."""

from __future__ import annotations

from collections.abc import Callable

from gradviz.diagnose.program import Program
from gradviz.diagnose.rewrites import capture, graph, kinds, marks, writing
from gradviz.errors.problem import Fix, Problem

Rewrite = Callable[[Problem, Program], list[Fix]]

REWRITES: dict[str, Rewrite] = {
    "requires-autodiff-tensor": kinds.track_root,
    "untracked-root": marks.mark_leaf,
    "autodiff-wraps-autodiff": kinds.unwrap_twice,
    "require-grad-on-plain-kind": kinds.lift_first,
    "require-grad-on-non-float": marks.make_float,
    "can-t-convert-a-non-leaf-tensor-into-a-tracked-ten": marks.not_a_leaf,
    "capture-tensors-do-not-support-autodiff": capture.compute_instead,
    "cannot-move-from-capture": capture.stay,
    "graph-consumed": graph.cut_reuse,
    "in-place-on-tensor": writing.assign_new,
}


def candidates(problem: Problem, program: Program) -> list[Fix]:
    """Edits that may cure a problem, likeliest first."""
    rewrite = REWRITES.get(problem.slug)
    return [] if rewrite is None else rewrite(problem, program)
