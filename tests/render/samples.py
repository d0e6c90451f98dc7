"""Graphs written by hand, so that pictures can be tested without an engine."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, cast

from gradviz.core.source import SourceSpan
from gradviz.errors.problem import Fix, Problem, SourceEdit
from gradviz.graph.graph import Graph, GraphEdge, GraphGroup, GraphNode
from gradviz.graph.model import RequirementName


@dataclass(frozen=True)
class Outcome:
    ok: bool
    slug: str | None = None
    reason: str = ""
    fixes: tuple[Fix, ...] = ()


@dataclass(frozen=True)
class Verdict:
    backward: Outcome = Outcome(True, None, "Gradients would flow to its marked leaves.")
    require_grad: Outcome = Outcome(True, None, "It would become a marked leaf.")


UNTRACKED = Verdict(backward=Outcome(False, "untracked-root", "No tracked tensor feeds it."))
COMPUTED = Verdict(
    require_grad=Outcome(
        False, "can-t-convert-a-non-leaf-tensor-into-a-tracked-ten", "It is computed, so no leaf."
    )
)


def span(text: str, line: int, col: int = 0, filename: str = "train.py") -> SourceSpan:
    return SourceSpan(filename, line, col, line, col + len(text), text)


def node(id: int, op: str, requirement: str = "grad_in_backward", **changes: Any) -> GraphNode:
    """A node with what its requirement implies."""
    leaf = requirement != "grad_in_backward"
    verdict = COMPUTED if not leaf else UNTRACKED if requirement == "none" else Verdict()
    made = GraphNode(
        id=id, op=op, name=None, kind="Autodiff(NdArray)", requirement=cast("RequirementName", requirement),
        is_leaf=leaf, role="operation", shape=(32, 10), dtype="float32", device="ndarray", attributes={},
        group=None, source=None, value=None, consumed=False, cut=None, verdict=verdict,
    )  # fmt: skip
    return replace(made, **changes)


def edge(source: int, target: int, slot: str = "x", tracked: bool = True) -> GraphEdge:
    return GraphEdge(source, target, slot, tracked)


def classifier(consumed: bool = False) -> Graph:
    """A training step in which nothing is wrong."""
    groups = (
        GraphGroup("g0", "Classifier", "module", None),
        GraphGroup("g1", "0: Linear(64, 32)", "module", "g0"),
        GraphGroup("g2", "1: ReLU", "module", "g0"),
        GraphGroup("g3", "2: Linear(32, 10)", "module", "g0"),
    )

    def parameter(id: int, name: str, shape: tuple[int, ...]) -> GraphNode:
        return node(id, "parameter", "grad", name=name, role="parameter", shape=shape)

    rows = [
        parameter(1, "0.weight", (32, 64)), parameter(2, "0.bias", (32,)),
        parameter(3, "2.weight", (10, 32)), parameter(4, "2.bias", (10,)),
        node(5, "tensor", "none", name="images", role="input", shape=(32, 64), value="[[0. 0. 5. ...]]",
             source=span("gv.tensor(digits.images[batch])", 4, 9)),
        node(6, "tensor", "none", name="labels", role="input", shape=(32,), dtype="int64", kind="NdArray"),
        node(7, "linear", shape=(32, 32), group="g1", source=span("model(images)", 5, 9)),
        node(8, "relu", name="hidden", shape=(32, 32), group="g2"),
        node(9, "linear", name="logits", shape=(32, 10), group="g3"),
        node(10, "cross_entropy", shape=()),
        node(11, "square", shape=(10, 32)),
        node(12, "sum", shape=(), attributes={"dim": "None", "keepdim": "False"}),
        node(13, "tensor", "none", role="constant", name="decay", shape=(), value="0.001", kind="NdArray"),
        node(14, "mul", shape=(), name="penalty"),
        node(15, "add", shape=(), name="loss", role="output", value="2.3147",
             source=span("cross_entropy(logits, labels) + penalty", 7, 7)),
    ]  # fmt: skip
    edges = (
        edge(5, 7, tracked=False), edge(1, 7, "weight"), edge(2, 7, "bias"), edge(7, 8),
        edge(8, 9), edge(3, 9, "weight"), edge(4, 9, "bias"), edge(9, 10),
        edge(6, 10, "target", tracked=False), edge(3, 11), edge(11, 12), edge(12, 14, "lhs"),
        edge(13, 14, "rhs", tracked=False), edge(10, 15, "lhs"), edge(14, 15, "rhs"),
    )  # fmt: skip
    if consumed:
        rows = [replace(n, consumed=not n.is_leaf) for n in rows]
    return Graph(tuple(rows), edges, groups, (15,), "loss")


CELL = """\
import gradviz as gv

w = gv.tensor([1.0, 2.0], requires_grad=True)
h = (w * 3).detach()
loss = (h * h).sum()
"""


def broken(filename: str = "train.py") -> Graph:
    """A path cut by `detach`, with a fix for `CELL`."""
    edit = SourceEdit(filename, 4, 4, 4, 20, "(w * 3).detach()", "w * 3")
    fix = Fix("Keep the path: drop .detach()", "The product stays connected to w.", (edit,), True)
    problems = (
        Problem(
            "untracked-root", "error", "No tracked tensor feeds this root",
            "loss is computed from h, and h was detached: the path to the leaf w ends there.",
            (("operation", "backward"), ("kind", "Autodiff(NdArray)")),
            "Remove the detach, or mark h itself if h is what you want to learn.",
            span("(h * h).sum()", 5, 7, filename), span("(w * 3).detach()", 4, 4, filename),
            (5, 4, 3), fixes=(fix,),
        ),
        Problem(
            "leaf-not-reached", "warning", "The leaf w gets no gradient from loss",
            "Its only path to the root is cut at detach.", (), "Keep the path connected.",
            span("gv.tensor([1.0, 2.0], requires_grad=True)", 3, 4, filename), None, (1,),
        ),
        Problem("gradient-of-non-leaf", "note", "h is no leaf", nodes=(2,)),
    )  # fmt: skip
    rows = (
        node(1, "tensor", "grad", name="w", role="leaf", shape=(2,), value="[1. 2.]",
             source=span("gv.tensor([1.0, 2.0], requires_grad=True)", 3, 4, filename)),
        node(2, "mul", shape=(2,), attributes={"rhs": "3.0"}, source=span("w * 3", 4, 5, filename)),
        node(3, "detach", "none", name="h", shape=(2,), cut="detach", value="[3. 6.]",
             source=span("(w * 3).detach()", 4, 4, filename)),
        node(4, "mul", "none", shape=(2,), source=span("h * h", 5, 8, filename)),
        node(5, "sum", "none", name="loss", role="output", shape=(), value="45.0",
             source=span("(h * h).sum()", 5, 7, filename),
             verdict=Verdict(backward=Outcome(False, "untracked-root", "h was detached.", (fix,)))),
    )  # fmt: skip
    edges = (
        edge(1, 2, "lhs"), edge(2, 3, tracked=False), edge(3, 4, "lhs", False),
        edge(3, 4, "rhs", False), edge(4, 5, tracked=False),
    )  # fmt: skip
    return Graph(rows, edges, (), (5,), "loss", problems)


HOSTILE = (
    '<img src=x onerror="window.__hacked=1"><script>window.__hacked=1</script>',
    "\u202egnp.exe\u202c \u05d0\u05d1\u05d2 \u0627\u0644\u0639",
    "bell\x07 esc\x1b[31m nul\x00 \u200bzero\u2028line\nnext \ud800",
    "n" * 10_000,
    "\U0001f600" * 300,
    "</style></svg><b>bold</b>&amp;&#x41;",
    'quote " \\" \\\\ back\\',
    "<<b>html</b>>",
    '"]; evil [label="x',
    "\\N \\G \\l \\n",
)


def hostile() -> Graph:
    """Names, values and sources made to break out of the text they belong in."""
    rows = []
    for at, text in enumerate(HOSTILE):
        rows.append(
            node(
                at,
                text,
                "grad" if at == 0 else "grad_in_backward",
                name=text if at % 2 == 0 else None,
                group="g",
                value=text,
                shape=(2**40, at),
                source=span(text, 3, 0, text),
                kind=text if at % 3 else "K",
                dtype=text,
                device=text,
                attributes={text: text},
                cut=text if at == 3 else None,
                role="operation",
            )
        )
    edges = tuple(edge(at - 1, at, HOSTILE[at]) for at in range(1, len(rows)))
    where = span(HOSTILE[0], 3, 0, HOSTILE[5])
    problems = (
        Problem(
            HOSTILE[0], "error", HOSTILE[5], HOSTILE[1], ((HOSTILE[0], HOSTILE[1]),), HOSTILE[2],
            where, where, (1, 2, 999), fixes=(Fix(HOSTILE[0], HOSTILE[1], ()),),
        ),
        Problem(HOSTILE[3], "warning", HOSTILE[3], nodes=(4,)),
    )  # fmt: skip
    groups = (GraphGroup("g", HOSTILE[0], "module", "h"), GraphGroup("h", HOSTILE[8], "scope", "g"))
    return Graph(tuple(rows), edges, groups, (len(rows) - 1, 12345), HOSTILE[0], problems)


@lru_cache(maxsize=4)
def chain(length: int) -> Graph:
    """A deep chain."""
    rows = [node(0, "tensor", "grad", name="x", role="leaf")]
    rows += [node(at, ("mul", "add", "tanh")[at % 3]) for at in range(1, length)]
    edges = tuple(edge(at - 1, at) for at in range(1, length))
    return Graph(tuple(rows), edges, (), (length - 1,), "a deep chain")


def recurrent(steps: int, grouped: bool = False) -> Graph:
    """h = tanh(h @ U + x @ W + b) unrolled: the leaves are shared by all steps."""
    rows = [
        node(1, "tensor", "grad", name="U", role="parameter", shape=(8, 8)),
        node(2, "tensor", "grad", name="W", role="parameter", shape=(4, 8)),
        node(3, "tensor", "grad", name="b", role="parameter", shape=(8,)),
        node(4, "zeros", "none", name="h0", role="input", shape=(1, 8)),
    ]
    edges: list[GraphEdge] = []
    groups = []
    number, state = 5, 4
    for step in range(steps):
        group = f"s{step}" if grouped else None
        groups.append(GraphGroup(f"s{step}", f"step {step}", "scope", None))
        x = number
        rows.append(node(x, "tensor", "none", name=f"x[{step}]", role="input", shape=(1, 4)))
        for at, (op, inputs) in enumerate(
            [
                ("matmul", (state, 1)),
                ("matmul", (x, 2)),
                ("add", (x + 1, x + 2)),
                ("add", (x + 3, 3)),
                ("tanh", (x + 4,)),
            ]
        ):
            rows.append(node(x + 1 + at, op, shape=(1, 8), group=group))
            edges += [edge(source, x + 1 + at, f"in{k}") for k, source in enumerate(inputs)]
        state = x + 5
        number = x + 6
    rows.append(node(number, "sum", name="loss", role="output", shape=()))
    edges.append(edge(state, number))
    return Graph(tuple(rows), tuple(edges), tuple(groups) if grouped else (), (number,), "rnn")


def residual(blocks: int = 3) -> Graph:
    """Attention blocks with skips, an argmax that cuts, nested groups."""
    rows = [
        node(0, "tensor", "none", name="tokens", role="input", shape=(8, 16, 32), kind="NdArray")
    ]
    edges: list[GraphEdge] = []
    groups = [GraphGroup("m", "Transformer", "module", None)]
    number, last = 1, 0
    for block in range(blocks):
        outer, inner = f"b{block}", f"b{block}a"
        groups += [
            GraphGroup(outer, f"{block}: Block", "module", "m"),
            GraphGroup(inner, "attention: SelfAttention", "module", outer),
        ]
        start = number
        names = ("wq", "wk", "wv")
        for at, name in enumerate(names):
            rows.append(
                node(
                    start + at,
                    "tensor",
                    "grad",
                    name=f"{block}.{name}",
                    role="parameter",
                    shape=(32, 32),
                )
            )
        steps: list[tuple[str, tuple[int, ...], str]] = [
            ("layer_norm", (last,), outer), ("matmul", (start + 3, start), inner),
            ("matmul", (start + 3, start + 1), inner), ("matmul", (start + 3, start + 2), inner),
            ("transpose", (start + 5,), inner), ("matmul", (start + 4, start + 7), inner),
            ("softmax", (start + 8,), inner), ("matmul", (start + 9, start + 6), inner),
            ("add", (last, start + 10), outer),
        ]  # fmt: skip
        for at, (op, inputs, group) in enumerate(steps):
            requirement = "none" if op == "layer_norm" and last == 0 else "grad_in_backward"
            rows.append(node(start + 3 + at, op, requirement, shape=(8, 16, 32), group=group))
            edges += [
                edge(source, start + 3 + at, tracked=requirement != "none") for source in inputs
            ]
        last, number = start + 11, start + 12
    rows += [
        node(number, "mean", name="loss", role="output", shape=()),
        node(
            number + 1,
            "argmax",
            "none",
            shape=(8, 16),
            dtype="int64",
            cut="non-differentiable",
            attributes={"dim": "2"},
        ),
        node(number + 2, "mean", "none", name="accuracy", shape=()),
    ]
    edges += [
        edge(last, number),
        edge(last, number + 1, tracked=False),
        edge(number + 1, number + 2, tracked=False),
    ]
    return Graph(tuple(rows), tuple(edges), tuple(groups), (number, number + 2), "loss, accuracy")
