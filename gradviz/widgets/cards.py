"""Error cards: one problem as HTML, as text, and as the message JupyterLab draws."""

from __future__ import annotations

from typing import Any, Final

from gradviz.errors.problem import Problem
from gradviz.errors.text import render
from gradviz.graph.model import MIME_TYPE, CardView, FixView, SpanView, as_json
from gradviz.graph.view import card_view
from gradviz.widgets import html

SEVERITY_WORDS: Final = {"error": "Error", "warning": "Warning", "note": "Note"}


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
    tone: html.Tone = problem.severity
    same = (
        problem.where is not None
        and problem.cause is not None
        and (problem.where.filename, problem.where.line, problem.where.col)
        == (problem.cause.filename, problem.cause.line, problem.cause.col)
    )
    head = html.element(
        "div",
        "display:flex;gap:10px;align-items:flex-start",
        html.disc(tone),
        html.element(
            "div",
            "min-width:0",
            html.element("div", "font-weight:650;font-size:14.5px", html.text(problem.message)),
            html.element(
                "div",
                "font-size:11.5px",
                html.element(
                    "span",
                    f"color:{html.TONES[tone]};font-weight:600",
                    SEVERITY_WORDS[problem.severity],
                ),
                " ",
                html.muted(html.code(problem.slug, 100)),
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
        parts.append(html.element("p", "margin:8px 0", html.prose(problem.reason)))
    if view.facts:
        rows = [(html.text(name, 60), html.text(value, 240)) for name, value in view.facts[:24]]
        parts.append(html.table(rows))
    if problem.advice:
        lead = html.element("strong", "", "What to do. ")
        parts.append(html.element("p", "margin:8px 0", lead, html.prose(problem.advice)))
    parts += [_fix(fix) for fix in problem.fixes]
    return html.frame(*parts, label=f"{SEVERITY_WORDS[problem.severity]}: {problem.message}")


def _span(span: SpanView, label: str, tone: html.Tone) -> str:
    caption = html.element(
        "div",
        f"display:flex;justify-content:space-between;margin-top:8px;font-size:11.5px;color:{html.MUTED}",
        html.element("span", "", f"{html.text(span.label, 200)}, line {span.line}"),
        html.element("span", "", label),
    )
    return caption + html.source(span.text, tone)


def _fix(fix: FixView) -> str:
    state = "\u2713 verified by running it" if fix.verified else "checked on the graph"
    head = html.element(
        "div",
        "display:flex;gap:8px;flex-wrap:wrap;align-items:baseline",
        html.element(
            "span",
            "padding:0 7px;border-radius:4px;font-size:11px;font-weight:700;"
            f"background:{html.TONES['good']};color:#fff",
            "Fix",
        ),
        html.element("strong", "", html.prose(fix.title, 300)),
        html.element("span", f"margin-left:auto;font-size:11.5px;color:{html.MUTED}", state),
    )
    body = html.element("p", "margin:6px 0", html.prose(fix.explanation)) if fix.explanation else ""
    style = f"margin-top:10px;padding:10px 12px;border:1px solid {html.BORDER};border-radius:8px"
    return html.element("div", style, head, body, html.diff(fix.diff) if fix.diff else "")
