"""Nodes: one for every tensor, with its operation, inputs, place and requirement."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from types import CodeType
from typing import TYPE_CHECKING, Any, Final

from gradviz.core.context import Context, origin
from gradviz.core.meta import Meta
from gradviz.core.source import SourceSpan, span

NONE: Final = 0
GRAD: Final = 1
GRAD_IN_BACKWARD: Final = 2
REQUIREMENT_NAMES: Final = ("none", "grad", "grad_in_backward")

next_id: Final = itertools.count(1).__next__
"""Ids grow with time, so that descending ids are a topological order of any graph."""


class Extra:
    """What few nodes carry."""

    __slots__ = (
        "depth",
        "ghost",
        "hooks",
        "is_ghost",
        "marked_at",
        "marked_place",
        "name",
        "retained",
        "role",
        "unspent_at",
    )

    def __init__(self) -> None:
        self.name: str | None = None
        self.role: str | None = None
        self.ghost: Node | None = None
        self.is_ghost = False
        self.hooks: dict[int, Callable[[Any], Any]] | None = None
        self.depth = 0
        self.retained = False
        self.marked_at: int = 0
        self.marked_place: tuple[CodeType | None, int] = (None, -1)
        self.unspent_at = -1


class Origin:
    """A way for a tensor to come about that is not a row of the operation table."""

    __slots__ = ("differentiable", "extra_results", "memory_bound", "name", "row", "run")

    def __init__(self, name: str) -> None:
        self.name = name
        self.differentiable = False
        self.memory_bound = False
        self.extra_results = ()
        self.row = self
        self.run = None


class Plain:
    """What stands in the place of a step where there is nothing to run."""

    __slots__ = ("row", "run")

    def __init__(self, row: Any) -> None:
        self.row = row
        self.run = None


class Spent:
    """What stands in the place of saved values once a backward pass has used them."""

    __slots__ = ("place",)

    def __init__(self, place: tuple[CodeType | None, int]) -> None:
        self.place = place


class Node:
    """One tensor's place in the graph.

    Attributes:
        step: what backward runs here, or an `Origin` or `Plain` where there is nothing to run; all
            know the operation as `row`.
        parents: the input tensors' nodes in argument order; ABSENT for an optional input left out.
        requirement: NONE, GRAD (a marked leaf) or GRAD_IN_BACKWARD.
        id: its number, growing with time.
        meta: shape, dtype and device.
        code, lasti: the code and instruction that made it; see `source`.
        context: grad mode, scope and call site in force.
        saved: what the step needs; once it has been run, where that backward pass was called. Of an
            untracked result, its generation (see `provenance`).
        extra: rarely used facts, or None.
    """

    __slots__ = (
        "__weakref__",
        "code",
        "context",
        "extra",
        "id",
        "lasti",
        "meta",
        "requirement",
        "saved",
        "step",
    )

    attrs: tuple[Any, ...] = ()
    """The operation's attributes in canonical form; see `AttrNode`."""

    step: Any
    requirement: int
    id: int
    meta: Meta
    code: CodeType | None
    lasti: int
    context: Context
    saved: Any
    extra: Extra | None

    if TYPE_CHECKING:

        @property
        def parents(self) -> tuple[Node, ...]:
            """The inputs' nodes; kept by the subclasses, each in its own way."""

        @parents.setter
        def parents(self, nodes: tuple[Node, ...]) -> None: ...

    @property
    def row(self) -> Any:
        """The operation's row, or an `Origin`."""
        return self.step.row

    @property
    def op(self) -> str:
        """Name of the operation or origin."""
        name: str = self.step.row.name
        return name

    @property
    def name(self) -> str | None:
        """The name the user gave, if any."""
        return None if self.extra is None else self.extra.name

    @property
    def source(self) -> SourceSpan | None:
        """The user's expression that made it."""
        return span(*origin(self.code, self.lasti, self.context))

    @property
    def consumed(self) -> bool:
        """Whether a backward pass has used its step up."""
        return self.consumed_at is not None

    @property
    def consumed_at(self) -> tuple[CodeType | None, int] | None:
        """The code that called the backward pass that used the step up."""
        return self.saved.place if self.saved.__class__ is Spent else None

    def more(self) -> Extra:
        """Its `extra`, made where there is none yet."""
        if self.extra is None:
            self.extra = Extra()
        return self.extra

    def __repr__(self) -> str:
        return f"<node {self.id} {self.op} {REQUIREMENT_NAMES[self.requirement]}>"


class PairNode(Node):
    """A node of an operation with one or two inputs and no attributes.

    Its inputs stand in slots of their own: one object less for every operation, which the garbage
    collector feels in long chains.
    """

    __slots__ = ("first", "second")

    first: Node
    second: Node | None

    @property
    def parents(self) -> tuple[Node, ...]:
        """The inputs' nodes."""
        return (self.first,) if self.second is None else (self.first, self.second)

    @parents.setter
    def parents(self, nodes: tuple[Node, ...]) -> None:
        self.first, self.second = nodes if len(nodes) == 2 else (nodes[0], None)


class AttrNode(Node):
    """A node of an operation with attributes or any number of inputs, or a leaf."""

    __slots__ = ("attrs", "parents")


class OwnNode(AttrNode):
    """A node of an operation whose backward pass is somebody's own code, which may fail.

    Attributes:
        held: what the operation's forward pass left for its backward pass; has a method `release`.
    """

    __slots__ = ("held",)

    held: Any


def new_leaf(
    step: Any,
    meta: Meta,
    requirement: int,
    code: CodeType | None,
    lasti: int,
    context: Context,
    parents: tuple[Node, ...] = (),
    attrs: tuple[Any, ...] = (),
) -> Node:
    """A node with nothing to run: a leaf, or an untracked result."""
    node = AttrNode()
    node.step = step
    node.parents = parents
    node.requirement = requirement
    node.id = next_id()
    node.meta = meta
    node.code = code
    node.lasti = lasti
    node.context = context
    node.saved = None
    node.attrs = attrs
    node.extra = None
    return node


def history(root: Node, through: Callable[[Node], bool] | None = None) -> list[Node]:
    """A node and everything it was computed from, nearest first; no recursion, however deep.

    `through` says whether to look behind a node; behind all of them where it is left out.
    """
    found = [root]
    seen = {root}
    for node in found:
        if through is not None and not through(node):
            continue
        for parent in node.parents:
            if parent not in seen:
                seen.add(parent)
                found.append(parent)
    return found


ABSENT: Final = AttrNode()
"""Stands for an optional input that was left out, so that nothing has to ask for None."""
ABSENT.step = Origin("absent")
ABSENT.parents = ()
ABSENT.attrs = ()
ABSENT.requirement = NONE
ABSENT.id = 0
ABSENT.code = None
ABSENT.lasti = -1
ABSENT.context = Context()
ABSENT.saved = None
ABSENT.extra = None
