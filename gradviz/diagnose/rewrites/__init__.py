"""Rewrites: for each kind of failure the edits that may cure it, likeliest first, untried."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from gradviz.diagnose.program import Program, Space
from gradviz.diagnose.rewrites import (
    bookkeeping,
    capture,
    cuts,
    escapes,
    graph,
    kinds,
    marks,
    numbers,
    optimized,
    porting,
    renaming,
    shapes,
    writing,
)
from gradviz.errors.problem import Fix, Problem

Rewrite = Callable[[Problem, Program, Space], list[Fix]]

REWRITES: dict[str, tuple[Rewrite, ...]] = {
    "requires-autodiff-tensor": (kinds.track_root, escapes.keep_tensors),
    "untracked-root": (
        cuts.leave_cut_out,
        cuts.record_again,
        marks.mark_wanted,
        marks.mark_leaf,
        marks.mark_value,
        escapes.keep_tensors,
        cuts.leave_step_out,
    ),
    "autodiff-wraps-autodiff": (kinds.unwrap_twice,),
    "require-grad-on-plain-kind": (kinds.lift_first,),
    "require-grad-on-non-float": (marks.make_float,),
    "can-t-convert-a-non-leaf-tensor-into-a-tracked-ten": (marks.not_a_leaf,),
    "capture-tensors-do-not-support-autodiff": (capture.compute_instead,),
    "capture-value-unavailable": (capture.keep_recorded,),
    "cannot-move-from-capture": (capture.stay,),
    "graph-consumed": (graph.cut_reuse, graph.compute_again),
    "in-place-on-tensor": (writing.assign_new,),
    "leaf-not-reached": (marks.mark_wanted, marks.mark_leaf, marks.mark_value),
    "path-cut-detach": (cuts.leave_cut_out,),
    "path-cut-no-grad": (cuts.record_again,),
    "path-cut-non-differentiable": (cuts.leave_step_out,),
    "path-cut-value-escape": (escapes.keep_tensors,),
    "marked-after-use": (marks.mark_wanted, marks.mark_earlier),
    "marked-result": (marks.move_mark,),
    "gradient-of-non-leaf": (marks.retain,),
    "non-scalar-root": (shapes.reduce_root,),
    "suspicious-broadcast": (shapes.same_shape,),
    "non-finite-gradient": (
        numbers.write_stably,
        numbers.choose_before,
        numbers.keep_away,
        numbers.mask_finitely,
    ),
    "parameter-not-registered": (bookkeeping.make_container, bookkeeping.make_parameter),
    "parameter-frozen": (bookkeeping.thaw,),
    "parameter-not-in-optimizer": (bookkeeping.right_parameters, bookkeeping.build_later),
    "optimizer-holds-stale-parameter": (bookkeeping.build_later, bookkeeping.right_parameters),
    "graph-retained": (graph.store_value,),
    "name-from-elsewhere": (porting.take_gradients, renaming.write_as_here),
    "not-a-tensor": (porting.take_gradients,),
    "invalid-argument": (porting.take_gradients, optimized.optimize_leaves),
    "never-differentiated": (graph.look_only,),
}
"""For every slug the rewrites to ask, in this order."""


def _by_reason(problem: Problem, program: Program, space: Space) -> list[Fix]:
    """The edits for what stands behind a gradient that isn't there."""
    behind = replace(problem, slug=dict(problem.facts).get("because", ""))
    # A step of training whose results are kept instead would drag every earlier step along.
    return marks.begin_with_a_leaf(behind, program, space) or candidates(behind, program, space)


REWRITES["no-gradient"] = (_by_reason,)


def candidates(problem: Problem, program: Program, space: Space) -> list[Fix]:
    """Edits that may cure a problem, likeliest first, each once."""
    found: list[Fix] = []
    for rewrite in REWRITES.get(problem.slug, ()):
        for fix in rewrite(problem, program, space):
            if fix.edits and all(fix.edits != known.edits for known in found):
                found.append(fix)
    return found
