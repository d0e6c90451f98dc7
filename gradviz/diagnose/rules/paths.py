"""Rules about the way from a leaf to the root: where it ends, and where it is flat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gradviz.autodiff.node import GRAD, NONE, Node
from gradviz.core.context import origin
from gradviz.core.source import SourceSpan, span
from gradviz.diagnose.question import Question
from gradviz.diagnose.trial import stepped_from
from gradviz.diagnose.ways import is_marked_result, kind_of_cut
from gradviz.errors.problem import Problem, Severity
from gradviz.graph.build import unlifted
from gradviz.nn.registry import freeze_of_node
from gradviz.tensor import escapes, refusal

_SLUGS = {
    "detach": "path-cut-detach",
    "inner": "path-cut-detach",
    "set_require_grad": "path-cut-detach",
    "no_grad": "path-cut-no-grad",
    "non-differentiable": "path-cut-non-differentiable",
    "marked-after-use": "marked-after-use",
}
_SENTENCES = {
    "path-cut-detach": "the path from {leaf} to {root} ends at `{op}`, whose result is untracked",
    "path-cut-no-grad": (
        "the path from {leaf} to {root} ends at `{op}`, which ran while gradients were off"
    ),
    "path-cut-non-differentiable": (
        "the path from {leaf} to {root} ends at `{op}`, which has no gradient"
    ),
    "marked-after-use": (
        "{leaf} was marked after `{op}` had used it, so that nothing was tracked then"
    ),
}


def unreached_leaves(question: Question) -> list[Problem]:
    """Tensors asked about that no gradient from the roots reaches, each with the reason."""
    if question.wrt is None:
        return _left_out(question)
    found: list[Problem] = []
    refused = all(refusal.of_backward(root.node, walk=False) is not None for root in question.roots)
    severity: Severity | None = "error" if refused and not question.dry else None
    for leaf in question.leaves():
        if leaf.id in question.reached:
            found += _dead_terms(question, leaf)
            continue
        if question.grads is not None and leaf in question.grads.store.values:
            continue
        found += _why_not(question, leaf, severity)
    return found


def _left_out(question: Question) -> list[Problem]:
    """Marked leaves that nobody asked about and no gradient reaches: a note for every cut.

    Parts of a network are cut off on purpose, so this is no more than worth knowing.
    """
    if all(root.node.requirement == NONE for root in question.roots):
        return []  # `untracked-root` says it
    found: dict[int, tuple[Node, list[Node]]] = {}
    for node in question.history.values():
        if node.requirement != GRAD or node.id in question.reached or is_marked_result(node):
            continue
        cut = question.ways.first_cut(node)
        if cut is None or kind_of_cut(cut) == "marked-after-use":
            continue
        if not question.ways.leads_to_marked_result(node) and not _is_step(cut):
            found.setdefault(cut.id, (cut, []))[1].append(node)
    return [_cut(question, leaves[0], cut, "note", leaves[1:]) for cut, leaves in found.values()]


def _is_step(cut: Node) -> bool:
    """Whether a cut is the leaf that a step of training by hand gave: nothing was left out."""
    return cut.requirement == GRAD and bool(stepped_from(cut))


def _why_not(question: Question, leaf: Node, severity: Severity | None) -> list[Problem]:
    cut = question.ways.first_cut(leaf)
    if cut is not None:
        return [_cut(question, leaf, cut, severity)]
    if leaf.id in question.ways.used and leaf.requirement == NONE:
        if freeze_of_node(unlifted(leaf)) is not None:
            return []  # `parameter-frozen` says it
        return [_never_marked(question, leaf, severity)]
    if question.ways.leads_to_marked_result(leaf):
        return []  # `marked-result` says it
    escaped = _escape(question, leaf)
    if escaped is not None:
        return [_value_escape(question, leaf, escaped, severity)]
    return [
        question.problem(
            "leaf-not-reached",
            f"{question.name(leaf)} was not used in computing "
            f"{question.name(question.roots[0].node)}.",
            node=leaf,
            cause=question.backward_before or _made(leaf),
            advice="Compute the root from it, or leave it out of the question.",
            severity=severity if question.roots[0].node.requirement == NONE else None,
        )
    ]


def _dead_terms(question: Question, leaf: Node) -> list[Problem]:
    """A cut on another way from a leaf that is reached: one dead term beside a live one.

    Targets are cut and parameters frozen on purpose, so this is only a note, but for a use before
    the mark, which never is.
    """
    cut = question.ways.first_mistake(leaf)
    if cut is None:
        return []
    problem = _cut(question, leaf, cut, None)
    mistake = problem.slug == "marked-after-use"
    return [problem if mistake else replace(problem, severity="note")]


def _made(leaf: Node) -> SourceSpan | None:
    return refusal.birth(leaf).source or leaf.source


def _cut(
    question: Question,
    leaf: Node,
    cut: Node,
    severity: Severity | None,
    others: Sequence[Node] = (),
) -> Problem:
    kind = kind_of_cut(cut)
    slug = _SLUGS[kind]
    root = question.roots[0].node
    sentence = _SENTENCES[slug].format(
        leaf=question.name(leaf), root=question.name(root), op=cut.op
    )
    if others:
        sentence += f", and so does that of {len(others)} more"
    cause = cut.source
    if slug == "marked-after-use" and leaf.extra is not None:
        frozen = freeze_of_node(unlifted(leaf))
        if (
            frozen is not None
            and frozen.at < cut.id
            and (frozen.until is None or frozen.until > cut.id)
        ):
            return _frozen_then(question, leaf, cut, frozen.source)
        cause = span(*leaf.extra.marked_place) or cause
    elif slug == "path-cut-no-grad" and cut.context.quiet is not None and _left_open(cut):
        cause = span(cut.context.quiet.code, cut.context.quiet.lasti) or cause
    return question.problem(
        slug,
        f"{sentence}.",
        node=cut,
        cause=cause,
        severity=severity,
        path=(leaf, *others),
        facts=(("operation", cut.op), ("cut", kind)),
    )


def _frozen_then(question: Question, leaf: Node, cut: Node, where: SourceSpan | None) -> Problem:
    return question.problem(
        "parameter-frozen",
        f"{question.name(leaf)} was frozen when `{cut.op}` used it.",
        node=leaf,
        cause=where or cut.source,
        advice="Unfreeze it before the forward pass.",
        path=(leaf,),
    )


def _left_open(cut: Node) -> bool:
    """Whether `no_grad` was entered in other code than what it silenced."""
    quiet = cut.context.quiet
    return (
        quiet is not None
        and quiet.code is not origin(cut.code, cut.lasti, cut.context)[0]
        and _is_call(quiet)
    )


def _is_call(quiet: object) -> bool:
    source = span(getattr(quiet, "code", None), getattr(quiet, "lasti", -1))
    return source is not None and "__enter__" in source.text


def _never_marked(question: Question, leaf: Node, severity: Severity | None) -> Problem:
    return question.problem(
        "leaf-not-reached",
        f"{question.name(leaf)} was never marked as requiring gradients, so what is computed from "
        "it isn't tracked.",
        node=leaf,
        cause=leaf.source if leaf.op == "autodiff" else _made(leaf),
        advice="Create it with `requires_grad=True`, or call `require_grad()` on it before it is "
        "used.",
        severity=severity,
    )


def _escape(question: Question, leaf: Node) -> tuple[escapes.Escape, Node] | None:
    """A reading of values computed from the leaf, before a tensor the root comes from was made."""
    for escape, behind, made in question.readings:
        if leaf.id in behind:
            later = next((node for node in made if node.id > leaf.id), None)
            if later is not None:
                return escape, later
    return None


def _value_escape(
    question: Question, leaf: Node, escaped: tuple[escapes.Escape, Node], severity: Severity | None
) -> Problem:
    escape, made = escaped
    read = span(*escape.place)
    again = made.source
    # Where one expression reads and rebuilds, it is the culprit; otherwise the reading is.
    cause = again if read is not None and again is not None and _within(read, again) else read
    return question.problem(
        "path-cut-value-escape",
        f"values computed from {question.name(leaf)} were read with `{escape.how}` and came back "
        "as a new tensor, which knows nothing of where they came from.",
        node=made,
        cause=cause,
        advice="Compute with tensors throughout: `gv.stack`, `gv.cat` and the other operations "
        "keep the path.",
        severity=severity,
        path=(leaf,),
        facts=(("read by", escape.how),),
        operation=f"`{escape.how}`",
    )


def _within(inner: SourceSpan, outer: SourceSpan) -> bool:
    return inner.filename == outer.filename and (
        (outer.line, outer.col) <= (inner.line, inner.col)
        and (inner.end_line, inner.end_col) <= (outer.end_line, outer.end_col)
    )


def _marked_behind_flat(question: Question) -> list[Node]:
    """The marked leaves, where nobody asks for any and there is an operation that is flat."""
    history = question.ways.history.values()
    if not any(getattr(step.row, "zero_gradient", False) for step in {n.step for n in history}):
        return []
    return [node for node in history if node.requirement == GRAD]


def flat_operations(question: Question) -> list[Problem]:
    """Leaves all of whose ways to the root pass through an operation with a gradient of zero."""
    found: list[Problem] = []
    for leaf in question.leaves() or _marked_behind_flat(question):
        if leaf.id not in question.reached:
            continue
        flat = question.ways.wall_before(leaf)
        if flat is not None:
            root = question.name(question.roots[0].node)
            found.append(
                question.problem(
                    "path-cut-non-differentiable",
                    f"every way from {question.name(leaf)} to {root} passes through `{flat.op}`, "
                    "whose gradient is zero everywhere.",
                    node=flat,
                    cause=flat.source,
                    advice=f"Train without `{flat.op}` and use it only where the result is read, "
                    "or give it a gradient of its own with `gv.Function`.",
                    path=(leaf,),
                    facts=(("operation", flat.op), ("cut", "zero")),
                )
            )
    return found
