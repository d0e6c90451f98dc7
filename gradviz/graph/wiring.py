"""How operations hang on their inputs: argument names, and which inputs are handed a gradient."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from gradviz.autodiff.cuts import fed_by
from gradviz.autodiff.node import Node
from gradviz.ops.spec import table as rows


class Wiring(NamedTuple):
    """What nodes of one step have in common about their parents.

    Attributes:
        names: the argument names of the parents.
        slots: the same as positions.
        fed: whether each is handed a gradient, where the step alone tells.
    """

    names: list[str]
    slots: list[int]
    fed: Sequence[bool] | None


class Wirings:
    """The wirings of the steps met so far.

    Attributes:
        slots: positions of argument names.
        known: of each step, the wiring of the node met last: lists of inputs differ in length.
    """

    def __init__(self) -> None:
        self.slots: dict[str, int] = {}
        self.known: dict[object, Wiring] = {}

    def new(self, node: Node) -> Wiring:
        """The wiring of a node of another step, or with another number of parents."""
        count = len(node.parents)
        names = slots_of(node.op, count)
        slots = [self.slots.setdefault(name, len(self.slots)) for name in names]
        fed = getattr(node.step, "fed", None)
        known = None if fed is None else tuple(at in fed for at in range(count))
        found = self.known[node.step] = Wiring(names, slots, known)
        return found


def fed_among(node: Node) -> Sequence[bool]:
    """Which parents of a node are handed a gradient."""
    fed = {parent.id for parent in fed_by(node)}
    return tuple(parent.id in fed for parent in node.parents)


@lru_cache(maxsize=1024)
def slots_of(op: str, count: int) -> list[str]:
    """The argument names of an operation with so many inputs."""
    row = rows.get(op)
    if row is None:
        return ["input"] * count if count == 1 else [f"input {at}" for at in range(count)]
    names = list(row.input_names())
    if row.variadic:
        fixed, last = names[:-1], names[-1]
        return fixed + [f"{last}[{at}]" for at in range(count - len(fixed))]
    return names[:count]
