"""The picture as data: frozen, JSON-ready, rendered elsewhere.

`extension/src/protocol.ts` is generated from this file; nothing else may define the schema.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from gradviz.graph.answers import DifferenceView, ExtrasView

SCHEMA_VERSION: Final = 1
MIME_TYPE: Final = "application/vnd.gradviz.v1+json"

RequirementName = Literal["grad", "grad_in_backward", "none"]
Role = Literal["parameter", "leaf", "input", "constant", "operation", "output"]
GroupKind = Literal["scope", "module", "function", "loop", "iteration", "cell"]
GROUP_KINDS: Final[Mapping[str, GroupKind]] = {
    "scope": "scope",
    "module": "module",
    "function": "function",
    "loop": "loop",
    "iteration": "iteration",
    "cell": "cell",
}
NAMED: Final = frozenset({"scope", "module"})
"""Kinds of groups that are there whatever they hold."""

"""Kinds of groups as messages know them; others count as scopes."""


@dataclass(frozen=True, slots=True)
class SpanView:
    """A source position. `label` is what to show for the file (a cell's `In [3]`, a file name).

    `cell` is the notebook cell's id where the kernel knows it.
    """

    filename: str
    label: str
    line: int
    col: int
    end_line: int
    end_col: int
    text: str
    cell: str | None = None


@dataclass(frozen=True, slots=True)
class EditView:
    """One replacement in the source: see `gradviz.errors.problem.SourceEdit`."""

    filename: str
    line: int
    col: int
    end_line: int
    end_col: int
    original: str
    replacement: str
    cell: str | None = None


@dataclass(frozen=True, slots=True)
class FixView:
    """An offered fix. `diff` is the preview, `patched` the whole source after it (to copy)."""

    title: str
    explanation: str
    diff: str
    patched: str
    verified: bool
    edits: tuple[EditView, ...]


@dataclass(frozen=True, slots=True)
class OutcomeView:
    """Whether `backward` or `require_grad` would succeed on a node, and why not."""

    ok: bool
    slug: str | None
    reason: str
    fixes: tuple[FixView, ...] = ()


@dataclass(frozen=True, slots=True)
class VerdictView:
    """Both predictions for one node."""

    backward: OutcomeView
    require_grad: OutcomeView


@dataclass(frozen=True, slots=True)
class NodeView:
    """One tensor (and the operation that made it).

    Attributes:
        id: unique in the graph.
        op: operation or creation name ("matmul", "tensor", "detach").
        name: the user's name for it where one is known, else None.
        kind: "NdArray", "Autodiff(NdArray)", ...
        requirement: "grad", "grad_in_backward" or "none".
        is_leaf: whether `require_grad` could apply.
        role: what it is in the picture.
        shape: dimensions; a size that was left open is the text of its symbol.
        dtype: its name.
        device: the device as text.
        attributes: the operation's arguments as text.
        group: id of the innermost group, or None.
        source: where it was made, or None.
        value: a short preview of its value, or None where there is none to read.
        consumed: whether a backward pass has used it up.
        cut: why no gradient passes through it to its tracked inputs ("detach", "no_grad",
            "non-differentiable", "inner", "set_require_grad", "marked-after-use"), or None.
        verdict: what `backward` and `require_grad` would do here.
        problems: positions in `Graph.problems`.
    """

    id: str
    op: str
    name: str | None
    kind: str
    requirement: RequirementName
    is_leaf: bool
    role: Role
    shape: tuple[int | str, ...]
    dtype: str
    device: str
    attributes: Mapping[str, str]
    group: str | None
    source: SpanView | None
    value: str | None
    consumed: bool
    cut: str | None
    verdict: VerdictView
    problems: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class EdgeView:
    """`source` feeds `target` as its argument `slot`; where `tracked`, gradients flow back."""

    source: str
    target: str
    slot: str
    tracked: bool


@dataclass(frozen=True, slots=True)
class GroupView:
    """A scope, a module, or what code tells by itself; nested through `parent`.

    That is a call of a function, a loop with its iterations, a notebook's cell or a file.
    """

    id: str
    label: str
    kind: GroupKind
    parent: str | None


@dataclass(frozen=True, slots=True)
class ProblemView:
    """A problem as shown: see `gradviz.errors.problem.Problem`."""

    slug: str
    severity: Literal["error", "warning", "note"]
    message: str
    reason: str
    advice: str
    where: SpanView | None
    cause: SpanView | None
    nodes: tuple[str, ...]
    fixes: tuple[FixView, ...]


@dataclass(frozen=True, slots=True)
class GraphView:
    """The whole message: one per graph, never one per node.

    `key` names the graph in the kernel that drew it, or among the answers a page carries, for
    questions through the channel; None where there is nobody to ask. `columns` is the whole graph
    where it is too large to spell out; `nodes` are then those worth more words. See
    `gradviz.graph.columns`.
    """

    schema: int
    title: str
    nodes: tuple[NodeView, ...]
    edges: tuple[EdgeView, ...]
    groups: tuple[GroupView, ...]
    problems: tuple[ProblemView, ...]
    roots: tuple[str, ...]
    total_nodes: int
    key: str | None = None
    extras: ExtrasView | None = None
    columns: str | None = None


@dataclass(frozen=True, slots=True)
class PairView:
    """Two graphs side by side, and what differs between them."""

    schema: int
    type: Literal["pair"]
    before: GraphView
    after: GraphView
    difference: DifferenceView


@dataclass(frozen=True, slots=True)
class CardView:
    """One problem on its own: what a notebook shows when a cell raises it.

    Attributes:
        schema: `SCHEMA_VERSION`.
        type: tells this message from a graph, which has no such field.
        problem: what happened.
        facts: what was found, as `(label, value)` pairs (operation, kinds, shapes).
    """

    schema: int
    type: Literal["card"]
    problem: ProblemView
    facts: tuple[tuple[str, str], ...] = ()


CHANNEL: Final = "gradviz"
"""Name of the comm target that answers questions about graphs."""

CHANNEL_VERSION: Final = 1

RefusalCode = Literal["malformed", "unknown-method", "gone", "refused", "failed", "unsaved"]


@dataclass(frozen=True, slots=True)
class QuestionView:
    """What a view asks the kernel. Each method says which `params` it takes.

    Attributes:
        version: `CHANNEL_VERSION`.
        id: returned with the answer.
        method: a name that `gradviz.widgets.channel.answers` was given.
        graph: `GraphView.key`.
        params: arguments by name.
    """

    version: int
    id: int
    method: str
    graph: str
    params: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class RefusalView:
    """Why a question has no answer.

    Attributes:
        code: "gone" where the kernel holds the graph no longer, "refused" for arguments it doesn't
            take, "failed" for what went wrong on its side, "unsaved" for what a page was saved
            without.
        message: a sentence for people.
    """

    code: RefusalCode
    message: str


@dataclass(frozen=True, slots=True)
class AnswerView:
    """What the kernel says to a question: a result, with binary buffers beside it, or a refusal."""

    version: int
    id: int
    result: Any = None
    refusal: RefusalView | None = None


@dataclass(frozen=True, slots=True)
class SavedAnswerView:
    """An answer that a page carries, since no kernel is there to be asked.

    Attributes:
        graph, method, params: of the question, as in `QuestionView`.
        result, refusal: of the answer, as in `AnswerView`.
    """

    graph: str
    method: str
    params: Mapping[str, Any]
    result: Any = None
    refusal: RefusalView | None = None


_SCALARS: Final = frozenset({float, int, str, bool, type(None)})


def as_json(value: Any) -> Any:
    """Plain lists, dicts and scalars of a view (a dataclass of this module)."""
    if value.__class__ in _SCALARS:
        return value
    fields = getattr(type(value), "__dataclass_fields__", None)
    if fields is not None:
        return {name: as_json(getattr(value, name)) for name in fields}
    if isinstance(value, tuple | list):
        return [as_json(item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): as_json(item) for key, item in value.items()}
    return value
