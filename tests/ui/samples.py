"""Graphs to draw, written by hand so that the pictures can be tested without an engine."""

from __future__ import annotations

import difflib
from dataclasses import replace
from typing import Literal, cast

from gradviz.graph.model import (
    SCHEMA_VERSION,
    CardView,
    EdgeView,
    EditView,
    FixView,
    GraphView,
    GroupView,
    NodeView,
    OutcomeView,
    ProblemView,
    RequirementName,
    Role,
    SpanView,
    VerdictView,
)

OK = OutcomeView(True, None, "Gradients would reach every tracked leaf below.")
MARKABLE = OutcomeView(True, None, "Already a tracked leaf: marking it again changes nothing.")
COMPUTED = OutcomeView(
    False,
    "can-t-convert-a-non-leaf-tensor-into-a-tracked-ten",
    "It was computed from tracked tensors, so it is no leaf. Mark the leaf it comes from.",
)
NO_GRADIENT = OutcomeView(False, "untracked-root", "No tracked tensor feeds it.")

CELL = """\
import gradviz as gv

w = gv.tensor([1.0, 2.0], requires_grad=True)
h = (w * 3).detach()
loss = (h * h).sum()
"""


def span(text: str, line: int, col: int = 0, cell: str | None = None) -> SpanView:
    """A place in a cell shown as `In [2]`."""
    return SpanView("/cells/1.py", "In [2]", line, col, line, col + len(text), text, cell)


def node(
    id: str,
    op: str,
    requirement: RequirementName = "grad_in_backward",
    *,
    name: str | None = None,
    role: Role = "operation",
    shape: tuple[int, ...] = (32, 10),
    group: str | None = None,
    kind: str = "Autodiff(NdArray)",
    value: str | None = None,
    cut: str | None = None,
    consumed: bool = False,
    source: SpanView | None = None,
    backward: OutcomeView | None = None,
    problems: tuple[int, ...] = (),
    dtype: str = "float32",
) -> NodeView:
    """A node with the verdicts its requirement implies."""
    leaf = requirement != "grad_in_backward"
    verdict = VerdictView(
        backward or (NO_GRADIENT if requirement == "none" else OK), MARKABLE if leaf else COMPUTED
    )
    return NodeView(
        id, op, name, kind, requirement, leaf, role, shape, dtype, "ndarray", {}, group,
        source, value, consumed, cut, verdict, problems,
    )  # fmt: skip


def edge(source: str, target: str, slot: str = "x", *, tracked: bool = True) -> EdgeView:
    """An edge that carries a gradient unless said otherwise."""
    return EdgeView(source, target, slot, tracked)


def graph(
    title: str,
    nodes: list[NodeView],
    edges: list[EdgeView],
    roots: tuple[str, ...],
    groups: tuple[GroupView, ...] = (),
    problems: tuple[ProblemView, ...] = (),
) -> GraphView:
    """A whole message."""
    return GraphView(
        SCHEMA_VERSION, title, tuple(nodes), tuple(edges), groups, problems, roots, len(nodes)
    )


def classifier() -> GraphView:
    """A training step in which nothing is wrong."""
    groups = (
        GroupView("g0", "Classifier", "module", None),
        GroupView("g1", "0: Linear(64, 32)", "scope", "g0"),
        GroupView("g2", "1: ReLU", "module", "g0"),
        GroupView("g3", "2: Linear(32, 10)", "scope", "g0"),
    )

    def parameter(id: str, name: str, shape: tuple[int, ...], group: str) -> NodeView:
        return node(
            id, "parameter", "grad", name=name, role="parameter", shape=shape, group=group,
            value="[[ 0.021 -0.113 ...]]",
        )  # fmt: skip

    nodes = [
        node(
            "x", "tensor", "none", name="images", role="input", shape=(32, 64),
            source=span("gv.tensor(digits.images[batch])", 4, 9),
            value="[[0. 0. 5. 13. ...]\n [0. 0. 0. 12. ...]]",
        ),
        parameter("w1", "0.weight", (32, 64), "g1"),
        parameter("b1", "0.bias", (32,), "g1"),
        node("h1", "linear", shape=(32, 32), group="g1", source=span("model(images)", 5, 9)),
        node("a1", "relu", name="hidden", shape=(32, 32), group="g2"),
        parameter("w2", "2.weight", (10, 32), "g3"),
        parameter("b2", "2.bias", (10,), "g3"),
        node("h2", "linear", name="logits", shape=(32, 10), group="g3"),
        node("t", "tensor", "none", name="labels", role="input", shape=(32,), dtype="int64"),
        node("ce", "cross_entropy", shape=()),
        node("p", "square", shape=(10, 32)),
        node("s", "sum", shape=()),
        node("c", "tensor", "none", role="constant", name="0.001", shape=(), value="0.001", kind="NdArray"),
        node("r", "mul", shape=(), name="penalty"),
        node("l", "add", shape=(), name="loss", role="output", value="2.3147",
             source=span("cross_entropy(logits, labels) + penalty", 7, 7)),
    ]  # fmt: skip
    edges = [
        edge("x", "h1", tracked=False), edge("w1", "h1", "weight"), edge("b1", "h1", "bias"),
        edge("h1", "a1"), edge("a1", "h2"), edge("w2", "h2", "weight"), edge("b2", "h2", "bias"),
        edge("h2", "ce"), edge("t", "ce", "target", tracked=False), edge("w2", "p"),
        edge("p", "s"), edge("s", "r", "lhs"), edge("c", "r", "rhs", tracked=False),
        edge("ce", "l", "lhs"), edge("r", "l", "rhs"),
    ]  # fmt: skip
    return graph("loss", nodes, edges, ("l",), groups)


def fix_for(
    source: str, line: int, original: str, replacement: str, cell: str | None = None
) -> FixView:
    """A fix that replaces one stretch of a line."""
    lines = source.split("\n")
    col = lines[line - 1].index(original)
    patched_line = lines[line - 1][:col] + replacement + lines[line - 1][col + len(original) :]
    patched = "\n".join([*lines[: line - 1], patched_line, *lines[line:]])
    diff = "\n".join(
        difflib.unified_diff(source.splitlines(), patched.splitlines(), "a", "b", lineterm="", n=2)
    )
    edit = EditView(
        "/cells/1.py", line, col, line, col + len(original), original, replacement, cell
    )
    return FixView(
        "Keep the path: drop .detach()",
        "Without the detach, the product stays connected to w and w gets its gradient.",
        diff, patched, True, (edit,),
    )  # fmt: skip


def broken(cell: str | None = None, source: str = CELL) -> GraphView:
    """A graph whose path is cut by `detach`, with a fix for `CELL`."""
    fix = fix_for(source, 4, "(w * 3).detach()", "w * 3", cell)
    root = OutcomeView(
        False, "untracked-root", "h was detached, so nothing tracked feeds loss.", (fix,)
    )
    problems = (
        ProblemView(
            "untracked-root", "error", "No tracked tensor feeds this root",
            "loss is computed from h, and h was detached: the path to the leaf w ends there.",
            "Remove the detach, or mark h itself if h is what you want to learn.",
            span("(h * h).sum()", 5, 7, cell), span("(w * 3).detach()", 4, 4, cell),
            ("loss", "sq", "h"), (fix,),
        ),
        ProblemView(
            "leaf-not-reached", "warning", "The leaf w gets no gradient from loss",
            "Its only path to the root is cut at detach.", "Keep the path connected.",
            span("w", 3, 0, cell), None, ("w",), (),
        ),
    )  # fmt: skip
    nodes = [
        node("w", "tensor", "grad", name="w", role="leaf", shape=(2,), value="[1. 2.]",
             source=span("gv.tensor([1.0, 2.0], requires_grad=True)", 3, 4), problems=(1,)),
        node("three", "tensor", "none", name="3", role="constant", shape=(), value="3.0", kind="NdArray"),
        node("m", "mul", shape=(2,), source=span("w * 3", 4, 5), consumed=False),
        node("h", "detach", "none", name="h", shape=(2,), cut="detach", value="[3. 6.]",
             source=span("(w * 3).detach()", 4, 4), problems=(0,)),
        node("sq", "mul", "none", shape=(2,), source=span("h * h", 5, 8)),
        node("loss", "sum", "none", name="loss", shape=(), role="output", value="45.0",
             source=span("(h * h).sum()", 5, 7), backward=root, problems=(0,)),
    ]  # fmt: skip
    edges = [
        edge("w", "m", "lhs"), edge("three", "m", "rhs", tracked=False),
        edge("m", "h", tracked=False), edge("h", "sq", "lhs", tracked=False),
        edge("h", "sq", "rhs", tracked=False), edge("sq", "loss", tracked=False),
    ]  # fmt: skip
    return graph("loss", nodes, edges, ("loss",), (), problems)


def card(cell: str | None = None) -> CardView:
    """The error card of the same failure."""
    return CardView(
        SCHEMA_VERSION, "card", broken(cell).problems[0],
        (("operation", "sum"), ("kind", "Autodiff(NdArray)"), ("requirement", "none"), ("shape", "()")),
    )  # fmt: skip


def card_for(source: str, line: int, original: str, replacement: str, cell: str) -> CardView:
    """An error card whose only fix replaces one stretch of `source`."""
    fix = fix_for(source, line, original, replacement, cell)
    made = card(cell)
    return replace(made, problem=replace(made.problem, fixes=(fix,)))


HOSTILE = (
    '<img src=x onerror="window.__hacked=1"><script>window.__hacked=1</script>',
    "\u202egnp.exe\u202c \u05d0\u05d1\u05d2 \u0627\u0644\u0639",
    "bell\x07 esc\x1b[31m nul\x00 \u200bzero\u2028line",
    "n" * 10_000,
    "\U0001f600" * 300,
    "</style></svg><b>bold</b>&amp;",
)


def hostile() -> GraphView:
    """Names, values and sources made to break out of the text they belong in."""
    nodes: list[NodeView] = []
    edges: list[EdgeView] = []
    for at, text in enumerate(HOSTILE):
        nodes.append(
            replace(
                node(
                    f"{text[:50]}#{at}",
                    text,
                    "grad" if at == 0 else "grad_in_backward",
                    name=text if at % 2 == 0 else None,
                    group="g",
                    value=text,
                    shape=(2**40, at),
                    source=SpanView(text, text, 3, 0, 3, 9, text, text),
                ),
                kind=text,
                dtype=text,
                device=text,
                attributes={text: text},
                cut=text if at == 3 else None,
            )
        )
        if at:
            edges.append(EdgeView(nodes[at - 1].id, nodes[at].id, text, True))
    fix = FixView(
        HOSTILE[0], HOSTILE[1], f"@@ -1 +1 @@\n-{HOSTILE[0]}\n+{HOSTILE[2]}", HOSTILE[0], False, ()
    )
    problem = ProblemView(
        HOSTILE[0], "error", HOSTILE[0], HOSTILE[1], HOSTILE[2],
        nodes[1].source, nodes[2].source, (nodes[1].id, "no such node"), (fix,),
    )  # fmt: skip
    groups = (GroupView("g", HOSTILE[0], "module", "g"),)  # a group that is its own parent
    loose = [EdgeView("nowhere", nodes[0].id, "x", True)]
    return graph(HOSTILE[1], nodes, edges + loose, (nodes[-1].id, "gone"), groups, (problem,))


def long_chain(length: int) -> GraphView:
    """A deep chain in which every step uses the same three leaves."""
    nodes = [
        node("w", "tensor", "grad", name="w", role="parameter"),
        node("u", "tensor", "grad", name="u", role="parameter"),
        node("x", "tensor", "none", name="x", role="input"),
        node("s0", "matmul"),
    ]
    edges = [edge("x", "s0", tracked=False), edge("w", "s0")]
    for at in range(1, length):
        op = ("matmul", "add", "tanh")[at % 3]
        nodes.append(node(f"s{at}", op, name=f"h{at // 3}" if at % 3 == 2 else None))
        edges.append(edge(f"s{at - 1}", f"s{at}"))
        if at % 3 != 2:
            edges.append(edge("w" if at % 3 == 0 else "u", f"s{at}", "rhs"))
        if at % 12 == 11:
            edges.append(edge(f"s{at - 6}", f"s{at}", "skip"))
    return graph("a long recurrence", nodes, edges, (f"s{length - 1}",))


def residual() -> GraphView:
    """Skips, a side branch, an argmax that cuts, and a consumed part."""
    rows: list[tuple[str, str, RequirementName, list[str]]] = [
        ("x", "tensor", "none", []),
        ("w0", "tensor", "grad", []),
        ("a", "matmul", "grad_in_backward", ["x", "w0"]),
        ("n", "layer_norm", "grad_in_backward", ["a"]),
        ("q", "matmul", "grad_in_backward", ["n", "wq"]),
        ("k", "matmul", "grad_in_backward", ["n", "wk"]),
        ("v", "matmul", "grad_in_backward", ["n", "wv"]),
        ("wq", "tensor", "grad", []),
        ("wk", "tensor", "grad", []),
        ("wv", "tensor", "grad", []),
        ("kt", "transpose", "grad_in_backward", ["k"]),
        ("s", "matmul", "grad_in_backward", ["q", "kt"]),
        ("p", "softmax", "grad_in_backward", ["s"]),
        ("o", "matmul", "grad_in_backward", ["p", "v"]),
        ("r", "add", "grad_in_backward", ["a", "o"]),
        ("m", "mean", "grad_in_backward", ["r"]),
        ("am", "argmax", "none", ["r"]),
        ("eq", "eq", "none", ["am", "lab"]),
        ("lab", "tensor", "none", []),
        ("acc", "mean", "none", ["eq"]),
    ]
    roles: dict[str, Role] = {"x": "input", "lab": "input", "m": "output"}
    nodes = []
    edges = []
    for id, op, requirement, sources in rows:
        role: Role = roles.get(id, "parameter" if id.startswith("w") else "operation")
        named = id if id.startswith("w") or id in ("x", "m", "acc", "lab") else None
        cut = "non-differentiable" if id == "am" else None
        nodes.append(
            node(
                id,
                op,
                requirement,
                name=named,
                role=role,
                cut=cut,
                consumed=id in ("a", "n", "q", "k", "kt"),
                shape=(8, 16, 32),
                group="attn" if id in "nqksp" else None,
            )
        )
        for source in sources:
            tracked = id not in ("am", "eq", "acc") and source not in ("x", "lab")
            edges.append(edge(source, id, tracked=tracked))
    group = GroupView("attn", "SelfAttention", "module", None)
    return graph("mean", nodes, edges, ("m", "acc"), (group,))


Severity = Literal["error", "warning", "note"]


def many_problems(count: int) -> GraphView:
    """A chain with one problem after the other."""
    base = long_chain(count + 1)
    severities = ("error", "warning", "note")
    problems = tuple(
        ProblemView(
            "zero-gradient",
            cast("Severity", severities[at % 3]),
            f"Problem number {at}",
            "It is so.",
            "Change it.",
            span("f(x)", at + 1),
            None,
            (f"s{at}",),
            (),
        )
        for at in range(count)
    )
    return replace(base, problems=problems)
