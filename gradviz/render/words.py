"""What pictures and listings call things; the interactive view uses the same words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any, Final

from gradviz.backends.ndarray.columns import column, numbers, times
from gradviz.errors.printable import columns, printable
from gradviz.graph.folded import Item
from gradviz.graph.graph import Graph, GraphNode
from gradviz.graph.marks import Mark

_SHORT_KINDS: Final = {
    "NdArray": "Nd",
    "Capture": "Cap",
    "LibTorch": "Torch",
    "Remote": "Rem",
}
_WRAPPED: Final = re.compile(r"Autodiff\((.*)\)", re.DOTALL)

REQUIREMENTS: Final = {
    "grad": "tracked leaf: gets a gradient",
    "grad_in_backward": "computed from tracked tensors: gradients pass through",
    "none": "not tracked: no gradient",
}
CUTS: Final = {
    "detach": "detached from the graph",
    "no_grad": "made while gradients were off",
    "non-differentiable": "this operation has no gradient",
    "inner": "inner() left the gradient machinery",
    "set_require_grad": "tracking was switched off",
    "marked-after-use": "its input was marked after this was computed",
}
SEVERITIES: Final = {"error": "Error", "warning": "Warning", "note": "Note"}
SIGNS: Final = {"error": "\u2717", "warning": "\u26a0", "note": "\u2139"}


def clip(text: object, limit: int) -> str:
    """One printable line of at most `limit` columns, an ellipsis where something was left out."""
    shown = printable(text, 4 * limit)
    if columns(shown) <= limit:
        return shown
    kept = ""
    room = limit - 1
    for char in shown:
        room -= columns(char)
        if room < 0:
            break
        kept += char
    return f"{kept}\u2026"


def shape_text(shape: tuple[Any, ...]) -> str:
    """`scalar`, `(3,)` or `(2, 3)`."""
    return "scalar" if not shape else str(tuple(shape))


def kind_badge(kind: str) -> str:
    """`\u2202 Nd` for Autodiff(NdArray): the sign for tracking, then the machinery inside."""
    wrapped = _WRAPPED.fullmatch(kind)
    inner = wrapped.group(1) if wrapped else kind
    short = _SHORT_KINDS.get(inner) or clip(inner, 8)
    return f"\u2202 {short}" if wrapped else short


def usual_kind(graph: Graph) -> str:
    """The kind that most nodes have."""
    table = graph.table
    found: Counter[str] = Counter()
    for look, many in enumerate(numbers(times(column(table.look), len(table.looks)))):
        found[table.looks[look].kind] += many
    return found.most_common(1)[0][0] if found else ""


def attributes_text(node: GraphNode, limit: int) -> str:
    """`dim=1, keepdim=True`, without what is None, False or empty."""
    given = [
        f"{printable(name, 40)}={printable(value, 80)}"
        for name, value in node.attributes.items()
        if value not in ("None", "False", "")
    ]
    return clip(", ".join(given), limit) if given else ""


def title(item: Item, limit: int) -> str:
    """The first line of a box."""
    return clip(item.label if item.node is None else item.node.label, limit)


def without_modules(name: str, modules: tuple[str, ...]) -> str:
    """A parameter's name without the modules it stands in: `weight` of `block.up.weight`."""
    for at in range(len(modules)):
        path = ".".join(modules[at:]) + "."
        if name.startswith(path) and len(name) > len(path):
            return name[len(path) :]
    return name


def aside(item: Item, limit: int) -> str:
    """What stands behind the title: the operation where the title is a name, its arguments."""
    node = item.node
    if node is None or item.form == "chip":
        return ""
    # Of a parameter it says nothing that its sign doesn't.
    words = [] if node.name is None or node.role == "parameter" else [clip(node.op, limit)]
    arguments = attributes_text(node, 24)
    if arguments and len(arguments) <= 24:
        words.append(arguments)
    return clip(" ".join(words), limit)


def facts(item: Item) -> str:
    """The second line of a box: shape and dtype, or how much is folded away."""
    node = item.node
    if node is not None:
        return f"{clip(shape_text(node.shape), 40)} \u00b7 {clip(node.dtype, 16)}"
    words = [] if item.form == "run" else [plural(item.operations, "operation")]
    if item.leaves:
        words.append(plural(item.leaves, "leaf", "leaves"))
    return " \u00b7 ".join(words) or "folded"


def state(item: Item) -> str:
    """A word on the state of a box."""
    words = ["root"] if item.root and item.form == "node" else []
    return ", ".join([*words, "consumed"] if item.consumed else words)


def mark_text(mark: Mark) -> str:
    """A problem in a line, without its sign and without the signs of code."""
    return printable(mark.text.replace("`", ""), 300)


def plural(count: int, one: str, many: str | None = None) -> str:
    """`1 leaf`, `3 leaves`."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def describe(item: Item) -> str:
    """One sentence for tooltips and screen readers."""
    node = item.node
    if node is None:
        parts = [clip(item.label, 80), facts(item)]
    else:
        name = clip(node.label, 60)
        parts = [name if node.name is None else f"{name} ({clip(node.op, 30)})"]
        parts.append("leaf" if node.is_leaf else "computed")
        parts.append(REQUIREMENTS[node.requirement])
        parts.append(f"kind {clip(node.kind, 40)}")
        parts.append(f"{clip(shape_text(node.shape), 60)} {clip(node.dtype, 20)}")
        if node.cut:
            parts.append(f"gradient cut: {CUTS.get(node.cut) or clip(node.cut, 40)}")
        if node.value is not None and item.form == "node":
            parts.append(f"value {clip(node.value, 60)}")
    if item.mark is not None:
        parts.append(f"{SEVERITIES[item.mark.severity]}: {mark_text(item.mark)}")
    if item.consumed:
        parts.append("consumed by a backward pass")
    if item.root:
        parts.append("root of this graph")
    return ", ".join(parts)


def sentence(words: Iterable[str]) -> str:
    """`a, b and c`."""
    *most, last = list(words) or [""]
    return f"{', '.join(most)} and {last}" if most else last
