"""Problems as they are shown: source positions with cells and labels, fixes with their previews."""

from __future__ import annotations

from typing import Final

from gradviz.core.source import SourceSpan, source_text
from gradviz.errors.problem import Fix, Problem, SourceEdit
from gradviz.graph.model import SCHEMA_VERSION, CardView, EditView, FixView, ProblemView, SpanView
from gradviz.widgets import cells

MOST_FIXES: Final = 5


def span_view(span: SourceSpan | None) -> SpanView | None:
    """A source position with the cell it stands in."""
    if span is None:
        return None
    return SpanView(
        filename=span.filename,
        label=cells.label_of(span.filename),
        line=span.line,
        col=span.col,
        end_line=span.end_line,
        end_col=span.end_col,
        text=span.text,
        cell=cells.cell_of(span.filename),
    )


def fix_view(fix: Fix) -> FixView | None:
    """A fix with its preview; None where it no longer fits the source it was made for."""
    if not fix.edits:
        return FixView(fix.title, fix.explanation, "", "", fix.verified, ())
    filename = fix.edits[0].filename
    # The cell's own text first: the interpreter's copy has its magics translated.
    for source in (cells.source_of(filename), source_text(filename)):
        if not source:
            continue
        try:
            patched, diff = fix.apply_to(source), fix.preview(source)
        except ValueError:
            continue
        edits = tuple(_edit_view(edit) for edit in fix.edits)
        return FixView(fix.title, fix.explanation, diff, patched, fix.verified, edits)
    return None


def problem_view(problem: Problem, nodes: tuple[str, ...] = ()) -> ProblemView:
    """A problem as a message carries it; `nodes` are the ids of its nodes in the graph shown."""
    fixes = [fix_view(fix) for fix in problem.fixes[:MOST_FIXES]]
    return ProblemView(
        slug=problem.slug,
        severity=problem.severity,
        message=problem.message,
        reason=problem.reason,
        advice=problem.advice,
        where=span_view(problem.where),
        cause=span_view(problem.cause),
        nodes=nodes or tuple(map(str, problem.nodes)),
        fixes=tuple(view for view in fixes if view is not None),
    )


def card_view(problem: Problem) -> CardView:
    """The message of an error card."""
    return CardView(SCHEMA_VERSION, "card", problem_view(problem), problem.facts)


def _edit_view(edit: SourceEdit) -> EditView:
    return EditView(
        filename=edit.filename,
        line=edit.line,
        col=edit.col,
        end_line=edit.end_line,
        end_col=edit.end_col,
        original=edit.original,
        replacement=edit.replacement,
        cell=cells.cell_of(edit.filename),
    )
