"""What tensors, modules and graphs look like as the last value of a cell."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import Any

from gradviz.errors.printable import printable
from gradviz.graph.model import MIME_TYPE, GraphView, NodeView, OutcomeView, as_json
from gradviz.widgets import html


@dataclass(frozen=True, slots=True)
class Card:
    """A small table about one thing.

    Attributes:
        title: its name.
        tags: words that classify it.
        rows: labels and values as plain text.
        outcomes: predictions: the call and what would happen.
        value: a preview of its value, or None.
        picture: an SVG to show below, or None.
    """

    title: str
    tags: tuple[str, ...] = ()
    rows: tuple[tuple[str, str], ...] = ()
    outcomes: tuple[tuple[str, OutcomeView], ...] = ()
    value: str | None = None
    picture: str | None = None


def graph_bundle(view: GraphView, svg: str | None, text: str) -> dict[str, Any]:
    """A graph for every viewer: our own message, a static picture where there is one, text."""
    bundle: dict[str, Any] = {MIME_TYPE: as_json(view)}
    if svg is not None:
        bundle["text/html"] = picture_html(svg, f"Graph of {view.title}")
    bundle["text/plain"] = text
    return bundle


def card_bundle(card: Card, text: str) -> dict[str, Any]:
    """A card for every viewer."""
    return {"text/html": card_html(card), "text/plain": text}


def picture_html(svg: str, alt: str) -> str:
    """An SVG as an image: shown by viewers that refuse inline SVG, and inert whatever it holds."""
    data = base64.b64encode(svg.encode("utf-8")).decode("ascii")
    source = f"data:image/svg+xml;base64,{data}"
    return html.element(
        "img", "max-width:100%;height:auto;background:#fff", src=source, alt=printable(alt, 300)
    )[: -len("</img>")]


def tensor_card(node: NodeView) -> Card:
    """The card of one tensor, from its node."""
    requirement = {
        "grad": "tracked leaf: gets a gradient",
        "grad_in_backward": "computed from tracked tensors: gradients pass through",
        "none": "not tracked: no gradient",
    }[node.requirement]
    shape = f"({', '.join(map(str, node.shape))}{',' if len(node.shape) == 1 else ''})"
    rows = [
        ("kind", node.kind),
        ("requirement", f"{node.requirement}: {requirement}"),
        ("shape", shape),
        ("dtype", node.dtype),
        ("device", node.device),
    ]
    if node.source is not None:
        rows.append(("made", f"{node.source.label}, line {node.source.line}: {node.source.text}"))
    return Card(
        title=node.name or node.op,
        tags=("leaf" if node.is_leaf else "computed", *(("consumed",) if node.consumed else ())),
        rows=tuple(rows),
        outcomes=(
            ("backward()", node.verdict.backward),
            ("require_grad()", node.verdict.require_grad),
        ),
        value=node.value,
    )


def card_html(card: Card) -> str:
    """A card as self-contained HTML without scripts."""
    pill = (
        f"padding:0 8px;border:1px solid {html.BORDER};border-radius:10px;"
        f"font-size:11.5px;color:{html.MUTED}"
    )
    head = html.element(
        "div",
        "display:flex;gap:7px;align-items:baseline;flex-wrap:wrap",
        html.element("strong", "font-size:14.5px", html.text(card.title, 120)),
        *(html.element("span", pill, html.text(tag, 60)) for tag in card.tags),
    )
    parts = [head]
    if card.rows:
        parts.append(
            html.table([(html.text(name, 60), html.text(value, 400)) for name, value in card.rows])
        )
    parts += [_outcome(call, outcome) for call, outcome in card.outcomes]
    if card.value is not None:
        parts.append(html.source(card.value))
    if card.picture is not None:
        parts.append(picture_html(card.picture, f"Graph of {card.title}"))
    return html.frame(*parts, label=card.title)


def _outcome(call: str, outcome: OutcomeView) -> str:
    tone: html.Tone = "good" if outcome.ok else "quiet"
    sign = html.element("span", f"color:{html.TONES[tone]};font-weight:700", html.SIGNS[tone])
    word = "works" if outcome.ok else "fails"
    slug = f" {html.muted(html.code(outcome.slug))}" if outcome.slug and not outcome.ok else ""
    reason = html.element(
        "div",
        f"color:{html.MUTED};margin-left:18px;font-size:12px",
        html.prose(outcome.reason, 600),
    )
    return html.element(
        "div",
        "margin:4px 0",
        f"{sign} {html.code(call)} {word}{slug}",
        reason if outcome.reason else "",
    )
