"""Rules about shapes: operands that broadcast to more than either of them."""

from __future__ import annotations

from gradviz.autodiff.node import ABSENT, GRAD_IN_BACKWARD, Node, PairNode
from gradviz.core.shape import count
from gradviz.diagnose.question import Question
from gradviz.errors.problem import Problem
from gradviz.graph.build import unlifted

_LOSSES = frozenset(
    {"mse_loss", "l1_loss", "huber_loss", "smooth_l1_loss", "binary_cross_entropy", "kl_div"}
)
_DELIBERATE = frozenset({"unsqueeze", "reshape", "expand", "spread", "outer", "unflatten"})
_REDUCTIONS = frozenset({"sum", "mean", "logsumexp", "amax", "amin", "prod", "norm"})
_ALONG_ONE = frozenset({"softmax", "log_softmax", "max_dim", "min_dim"})
_THROUGH = frozenset({"transpose", "permute", "neg", "cast", "abs"})


def broadcasts(question: Question) -> list[Problem]:
    """Operations whose operands broadcast to a larger table, as a prediction against a target."""
    found = []
    concerned = question.reached | {root.node.id for root in question.roots}
    harmless: set[tuple[object, object, object]] = set()  # steps and metas of operands
    for number, node in question.history.items():
        if node.__class__ is PairNode:
            # Most nodes, and few kinds of them.
            first, second = node.first, node.second
            if second is None or ABSENT in (first, second) or first.meta is second.meta:
                continue
            kind = (node.step, first.meta, second.meta)
            if kind in harmless:
                continue
            if _table(node) is None:
                harmless.add(kind)
                continue
        pair = _outer(node)
        if pair is None or number not in concerned or _is_meant(question, node):
            continue
        lhs, rhs = pair
        found.append(
            question.problem(
                "suspicious-broadcast",
                f"`{node.op}` broadcasts {lhs} with {rhs} to a table in which every element of "
                "one meets every element of the other.",
                node=node,
                cause=node.source,
                advice="Give both the same shape: `squeeze`, `unsqueeze` or `reshape` one of them.",
                facts=(("operation", node.op), ("shapes", f"{lhs} and {rhs}")),
                operation=node.op,
                lhs=lhs,
                rhs=rhs,
                result=_common(lhs, rhs),
            )
        )
    return found


def _outer(node: Node) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """The shapes of operands that broadcast to a table which nobody asked for."""
    shapes = _table(node)
    if shapes is None or any(_deliberate(unlifted(parent)) for parent in node.parents[:2]):
        return None
    return None if _is_product(node, *shapes) else shapes


def _table(node: Node) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """The shapes of operands that broadcast to more than either; a lifted operand keeps its own."""
    parents = node.parents
    if len(parents) < 2 or parents[0] is ABSENT or parents[1] is ABSENT:
        return None
    if parents[0].meta is parents[1].meta:
        return None  # of one shape, like most
    row = node.row
    if not (getattr(row, "elementwise", False) or row.name in _LOSSES):
        return None
    first, second = (parent.meta.shape for parent in parents[:2])
    if not first or not second or first == second:
        return None
    wide = _common(first, second)
    if count(wide) <= max(count(first), count(second)) or min(count(first), count(second)) == 0:
        return None
    return first, second


def _is_meant(question: Question, node: Node) -> bool:
    """Whether what follows needs the table: something of its shape, or a reduction of one side."""
    uses: dict[int, list[Node]] = {}
    for user in question.history.values():
        for parent in user.parents:
            uses.setdefault(parent.id, []).append(user)
    table, seen = [node], {node.id}
    reduced = False
    for member in table:
        for user in uses.get(member.id, ()):
            reduced = reduced or _is_along_one(user)
            if getattr(user.row, "elementwise", False) and user.id not in seen:
                seen.add(user.id)
                table.append(user)
    partners = [unlifted(parent) for user in table[1:] for parent in user.parents]
    if any(other.id not in seen and other.meta.shape == node.meta.shape for other in partners):
        return True
    # A model's output may be reduced along one side by mistake as well; data and parameters not.
    given = all(unlifted(parent).requirement != GRAD_IN_BACKWARD for parent in node.parents[:2])
    return given and reduced


def _is_along_one(node: Node) -> bool:
    if node.op in _ALONG_ONE:
        return True
    dims = node.attrs[0] if node.op in _REDUCTIONS and node.attrs else None
    return isinstance(dims, tuple) and len(dims) == 1


def _is_product(node: Node, first: tuple[int, ...], second: tuple[int, ...]) -> bool:
    """Whether a column is multiplied by a row that has its two dimensions: an outer product."""
    return node.op == "mul" and len(first) == len(second)


def _common(first: tuple[int, ...], second: tuple[int, ...]) -> tuple[int, ...]:
    rank = max(len(first), len(second))
    left = (1,) * (rank - len(first)) + first
    right = (1,) * (rank - len(second)) + second
    return tuple(max(a, b) if 0 not in (a, b) else 0 for a, b in zip(left, right, strict=True))


def _deliberate(node: Node) -> bool:
    """Whether a dimension of size 1 was put there on purpose."""
    while node.op in _THROUGH and len(node.parents) == 1:
        node = unlifted(node.parents[0])
    if node.op in _DELIBERATE:
        return True
    if node.op == "slice" and node.attrs:
        return any(
            item is None or (isinstance(item, slice) and item != slice(None))
            for item in node.attrs[0]
        )
    row = node.row
    for attr, value in zip(getattr(row, "attrs", ()), node.attrs, strict=False):
        if attr.name == "keepdim" and value:
            return True
    return False
