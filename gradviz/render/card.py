"""Cards: what tensors, modules and graphs look like as the last value of a cell."""

from __future__ import annotations

import base64
from typing import Any, Final

from gradviz.errors.printable import printable
from gradviz.graph.graph import Graph
from gradviz.graph.view import label_of
from gradviz.render import markup, words
from gradviz.render.markup import Tone
from gradviz.render.peek import Peek, peek, peek_html, peek_text
from gradviz.tensor.base import Tensor

MOST_PARAMETERS: Final = 12

Bundle = dict[str, str]

_TONES: Final[dict[str, Tone]] = {"grad": "leaf", "grad_in_backward": "flow", "none": "none"}
_SHORT: Final = {
    "grad": "tracked leaf",
    "grad_in_backward": "gradients pass through",
    "none": "not tracked",
}


def tensor_bundle(tensor: Tensor) -> Bundle:
    """A tensor's rich representation: a card, and its usual `repr` as text."""
    return {"text/html": tensor_card(tensor)[0], "text/plain": repr(tensor)}


def module_bundle(module: Any) -> Bundle:
    """A module's rich representation: a card, and its usual `repr` as text."""
    return {"text/html": module_card(module)[0], "text/plain": repr(module)}


def tensor_card(tensor: Tensor) -> tuple[str, str]:
    """A tensor's kind, status, value and verdicts, as HTML and as text.

    Args:
        tensor: any tensor; nothing is computed and nothing counts as using its value.

    Returns:
        Self-contained HTML without scripts, and text that says the same.
    """
    node = tensor.node
    name = tensor.name
    title = name or node.op
    requirement = tensor.requirement
    span = node.source
    rows = [
        ("kind", str(tensor.kind)),
        ("requirement", f"{requirement}: {words.REQUIREMENTS[requirement]}"),
        ("shape", f"{words.shape_text(tensor.shape)}, {words.plural(tensor.size, 'element')}"),
        ("dtype", str(getattr(tensor.dtype, "name", tensor.dtype))),
        ("device", str(tensor.device)),
    ]
    if name is not None:
        rows.insert(0, ("made by", node.op))
    if span is not None:
        rows.append(("made at", f"{label_of(span.filename)}, line {span.line}"))
    found = _peek(tensor)
    outcomes = _outcomes(tensor)
    tags: list[tuple[str, Tone | None]] = [
        ("leaf" if tensor.is_leaf else "computed", None),
        (_SHORT[requirement], _TONES[requirement]),
    ]
    if node.consumed:
        tags.append(("consumed", "quiet"))
    if tensor.device.is_capture and found is None:
        tags.append(("recorded, no value", None))
    source = "" if span is None else span.text
    parts = [
        _head(title, tags, _TONES[requirement], leaf=tensor.is_leaf),
        _value_html(found),
        markup.table([(markup.text(label), markup.text(value, 400)) for label, value in rows]),
        markup.source(source, 600),
        *(_outcome_html(call, outcome, bool(node.parents)) for call, outcome in outcomes),
    ]
    page = markup.frame(*parts, label=f"tensor {printable(title, 100)}")
    lines = [f"{words.clip(title, 80)}  [{', '.join(word for word, _ in tags)}]"]
    broad = max(len(label) for label, _ in rows)
    lines += [f"  {label:<{broad}}  {printable(value, 400)}" for label, value in rows]
    if source:
        lines.append(f"  {'source':<{broad}}  {words.clip(source, 100)}")
    if found is not None:
        lines += ["  value", *("    " + line for line in peek_text(found).split("\n"))]
    lines += [f"  {_outcome_text(call, outcome)}" for call, outcome in outcomes]
    return page, "\n".join(lines)


def _peek(tensor: Tensor) -> Peek | None:
    try:
        return peek(tensor)
    except Exception:  # a card without values is better than no card
        return None


def _outcomes(tensor: Tensor) -> list[tuple[str, Any]]:
    try:
        verdict = tensor.verdict
    except Exception:  # the diagnosis isn't loaded, or stumbles over this very tensor
        return []
    return [("backward()", verdict.backward), ("require_grad()", verdict.require_grad)]


def _head(title: str, tags: list[tuple[str, Tone | None]], tone: Tone, *, leaf: bool) -> str:
    filled = tone != "none"
    shape = (
        f"display:inline-block;flex:none;align-self:center;width:9px;height:9px;"
        f"border:2px solid {markup.TONES[tone]};border-radius:{'50%' if leaf else '2px'};"
        f"background:{markup.TONES[tone] if filled else 'none'}"
    )
    return markup.element(
        "div",
        "display:flex;gap:7px;align-items:baseline;flex-wrap:wrap",
        markup.element("span", shape, aria_hidden="true"),
        markup.element("strong", "font-size:14.5px", markup.text(title, 120)),
        *(markup.pill(word, tone) for word, tone in tags),
    )


def _value_html(found: Peek | None) -> str:
    return "" if found is None else markup.element("div", "margin:9px 0 4px", peek_html(found))


def _outcome_html(call: str, outcome: Any, computed: bool) -> str:
    # No data is differentiated and no result is marked: that these fail is nothing to fix.
    alarming = computed and call == "backward()"
    tone: Tone = "good" if outcome.ok else "error" if alarming else "quiet"
    word = "works" if outcome.ok else "would fail"
    slug = f" {markup.muted(markup.code(outcome.slug, 80))}" if not outcome.ok else ""
    reason = ""
    if outcome.reason:
        style = f"color:{markup.MUTED};margin-left:18px;font-size:12px"
        reason = markup.element("div", style, markup.prose(outcome.reason, 600))
    line = f"{markup.sign(tone)} {markup.code(call)} {word}{slug}"
    return markup.element("div", "margin:4px 0", line, reason)


def _outcome_text(call: str, outcome: Any) -> str:
    sign, word = ("\u2713", "works") if outcome.ok else ("\u2717", "would fail")
    slug = f" ({outcome.slug})" if outcome.slug and not outcome.ok else ""
    reason = f": {printable(outcome.reason, 300)}" if outcome.reason else ""
    return f"{sign} {call} {word}{slug}{reason}"


def module_card(module: Any) -> tuple[str, str]:
    """A module's structure and parameters, as HTML and as text."""
    title = type(module).__name__
    parameters = list(module.named_parameters())
    total = sum(parameter.size for _, parameter in parameters)
    trained = sum(parameter.size for _, parameter in parameters if parameter.is_require_grad)
    tags: list[tuple[str, Tone | None]] = [
        ("module", None),
        (words.plural(total, "number"), None),
        (f"{trained:,} trained" if trained else "nothing trained", "leaf" if trained else "none"),
        ("training" if getattr(module, "training", False) else "evaluation", None),
    ]
    shown = parameters[:MOST_PARAMETERS]
    rows = [
        (
            markup.code(name, 120),
            markup.text(f"{words.shape_text(parameter.shape)} {parameter.dtype.name}")
            + " "
            + markup.pill(_SHORT[parameter.requirement], _TONES[parameter.requirement]),
        )
        for name, parameter in shown
    ]
    left_out = len(parameters) - len(shown)
    if left_out:
        rows.append((markup.text(f"\u2026 {left_out:,} more"), ""))
    tone: Tone = "leaf" if trained else "none"
    parts = [_head(title, tags, tone, leaf=False), markup.source(repr(module), 600)]
    if rows:
        parts.append(markup.table(rows))
    page = markup.frame(*parts, label=f"module {printable(title, 100)}")
    lines = [printable(repr(module), 4000, keep_lines=True), ""]
    lines += [
        f"  {words.clip(name, 60)}: {words.shape_text(parameter.shape)} "
        f"{parameter.dtype.name}, {_SHORT[parameter.requirement]}"
        for name, parameter in shown
    ]
    if left_out:
        lines.append(f"  ... {left_out:,} more")
    counted = words.plural(total, "number")
    lines.append(f"  {counted} in {words.plural(len(parameters), 'parameter')}")
    return page, "\n".join(lines)


def picture(svg: str, alt: str) -> str:
    """An SVG as an image: shown where inline SVG is refused, and inert whatever it holds."""
    data = base64.b64encode(svg.encode("utf-8")).decode("ascii")
    source = f"data:image/svg+xml;base64,{data}"
    return markup.image(source, alt, "max-width:100%;height:auto")


def graph_card(graph: Graph, svg: str) -> str:
    """A graph's picture with its problems below, as self-contained HTML without scripts."""
    parts = [picture(svg, f"Gradient graph of {words.clip(graph.title, 120)}")]
    for problem in graph.problems[:MOST_PARAMETERS]:
        tone: Tone = problem.severity
        message = markup.element("strong", "", markup.prose(problem.message, 300))
        reason = markup.element(
            "div", f"color:{markup.MUTED};margin-left:18px", markup.prose(problem.reason, 600)
        )
        line = f"{markup.sign(tone)} {message} {markup.muted(markup.code(problem.slug, 80))}"
        parts.append(markup.element("div", "margin:6px 0", line, reason if problem.reason else ""))
    style = f"font:13px/1.45 {markup.FONT};color:{markup.TEXT};text-align:left"
    return markup.element("div", style, *parts)
