"""Error cards: one problem as HTML, as text, and as the message JupyterLab draws."""

from __future__ import annotations

from typing import Any

from gradviz.errors.problem import Problem
from gradviz.errors.text import render
from gradviz.graph.model import MIME_TYPE, CardView, FixView, SpanView, as_json
from gradviz.graph.view import card_view
from gradviz.render import markup, words
from gradviz.render.markup import Tone


def error_bundle(problem: Problem) -> dict[str, Any]:
    """Every form of a problem's card as one MIME bundle."""
    view = card_view(problem)
    return {
        MIME_TYPE: as_json(view),
        "text/html": error_html(view),
        "text/plain": render(problem),
    }


def error_html(view: CardView) -> str:
    """A problem as self-contained HTML without scripts, for viewers that don't know gradviz."""
    problem = view.problem
    tone: Tone = problem.severity
    same = (
        problem.where is not None
        and problem.cause is not None
        and (problem.where.filename, problem.where.line, problem.where.col)
        == (problem.cause.filename, problem.cause.line, problem.cause.col)
    )
    head = markup.element(
        "div",
        "display:flex;gap:10px;align-items:flex-start",
        markup.disc(tone),
        markup.element(
            "div",
            "min-width:0",
            markup.element("div", "font-weight:650;font-size:14.5px", markup.text(problem.message)),
            markup.element(
                "div",
                "font-size:11.5px",
                markup.element(
                    "span",
                    f"color:{markup.TONES[tone]};font-weight:600",
                    words.SEVERITIES[problem.severity],
                ),
                " ",
                markup.muted(markup.code(problem.slug, 100)),
            ),
        ),
    )
    parts = [head]
    if problem.where is not None:
        label = "here" if same or problem.cause is None else "it shows here"
        parts.append(_span(problem.where, label, tone))
    if problem.cause is not None and not same:
        parts.append(_span(problem.cause, "it begins here", tone))
    if problem.reason:
        parts.append(markup.element("p", "margin:8px 0", markup.prose(problem.reason)))
    if problem.advice:
        lead = markup.element("strong", "", "What to do. ")
        parts.append(markup.element("p", "margin:8px 0", lead, markup.prose(problem.advice)))
    parts += [_fix(fix) for fix in problem.fixes]
    if view.facts:
        rows = [(markup.text(name, 60), markup.text(value, 240)) for name, value in view.facts[:24]]
        # What was found there is looked up, not read.
        parts.append(markup.table(rows))
    label = f"{words.SEVERITIES[problem.severity]}: {problem.message}"
    return markup.frame(*parts, label=label, width=720)


def _span(span: SpanView, label: str, tone: Tone) -> str:
    caption = markup.element(
        "div",
        f"margin-top:8px;font-size:12px;color:{markup.MUTED}",
        f"{markup.text(span.label, 200)}, line {span.line} \u00b7 {label}",
    )
    return caption + markup.source(span.text, tone=tone)


def _fix(fix: FixView) -> str:
    state = "\u2713 verified by running it" if fix.verified else "checked on the graph"
    head = markup.element(
        "div",
        "display:flex;gap:8px;flex-wrap:wrap;align-items:baseline",
        markup.element(
            "span",
            "padding:0 7px;border-radius:4px;font-size:11px;font-weight:700;"
            f"background:{markup.TONES['good']};color:#fff",
            "Fix",
        ),
        markup.element("strong", "", markup.prose(fix.title, 300)),
        markup.element("span", f"margin-left:auto;font-size:11.5px;color:{markup.MUTED}", state),
    )
    body = (
        markup.element("p", "margin:6px 0", markup.prose(fix.explanation))
        if fix.explanation
        else ""
    )
    style = f"margin-top:10px;padding:10px 12px;border:1px solid {markup.BORDER};border-radius:8px"
    return markup.element("div", style, head, body, markup.diff(fix.diff) if fix.diff else "")
