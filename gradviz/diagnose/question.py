"""What is asked of the diagnosis, and the history it looks through."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import InitVar, dataclass, field
from functools import cached_property
from operator import attrgetter
from typing import Any, Final

from gradviz.autodiff.engine import reachable
from gradviz.autodiff.node import GRAD_IN_BACKWARD, Node, Spent
from gradviz.core.source import SourceSpan
from gradviz.diagnose.trial import passed, reached_by
from gradviz.diagnose.ways import Ways, ancestors
from gradviz.errors.catalogue import catalogue, message
from gradviz.errors.problem import Problem, Severity
from gradviz.graph.build import collect, unlifted
from gradviz.tensor import escapes
from gradviz.tensor.base import Tensor
from gradviz.tensor.gradients import Gradients

_ID: Final = attrgetter("id")
_SAVED: Final = attrgetter("saved")
_MADE_OF_VALUES: Final = frozenset({"tensor", "from_numpy", "array", "full"})


@dataclass
class Question:
    """Roots, the leaves that should get a gradient, and what surrounds them.

    Attributes:
        roots: the tensors that `backward` is or would be called on.
        wrt: the tensors asked about, or None for none in particular.
        grads: the result of a backward pass from the first root, or None.
        names: what the user calls tensors, by node id.
        space: the user's variables.
        dry: whether the roots stand for what a program would compute.
        brief: whether a glance at the gradients of a large graph is enough.
        members: every node that feeds the roots, oldest first, where the caller knows them.
        found: numbers of what a gradient from the roots reaches, where the caller knows them.
    """

    roots: tuple[Tensor, ...]
    wrt: tuple[Tensor, ...] | None
    grads: Gradients | None
    names: Mapping[int, str]
    space: Mapping[str, Any]
    dry: bool = False
    brief: bool = False
    members: InitVar[list[Node] | None] = None
    found: InitVar[set[int] | None] = None
    history: dict[int, Node] = field(init=False)
    reached: set[int] = field(init=False)
    ways: Ways = field(init=False)

    def __post_init__(self, members: list[Node] | None, found: set[int] | None) -> None:
        if members is None:
            members = collect([root.node for root in self.roots])
        self.history = dict(zip(map(_ID, members), members, strict=True))
        self.reached = set() if found is None else found
        for root in self.roots if found is None else ():
            self.reached |= reached_by(root.node)
        if self.dry:
            self.reached |= self._behind_symbols()
        self.ways = Ways(self.history, [root.node for root in self.roots])

    def _behind_symbols(self) -> set[int]:
        """What a gradient reaches behind the symbols that stand for tensors in a dry run."""
        found: set[int] = set()
        for root in self.roots:
            for node in passed(root.node):
                own = unlifted(node)
                if own is not node:
                    found |= reached_by(own)
        return found

    def passed_by(self, root: Node) -> list[Node]:
        """Every computed node that a gradient from a root reaches, newest first.

        Raises:
            Consumed: when an earlier backward pass used one of them up.
        """
        if len(self.roots) == 1 and not self.is_spent:
            computed = [n for n in self.history.values() if n.requirement == GRAD_IN_BACKWARD]
            if all(map(self.reached.__contains__, map(_ID, computed))):
                return computed[::-1]
        return reachable(root)

    @cached_property
    def is_spent(self) -> bool:
        """Whether a backward pass has used up any of the history."""
        return Spent in set(map(type, map(_SAVED, self.history.values())))

    @cached_property
    def backward_before(self) -> SourceSpan | None:
        """The backward pass whose gradients the roots were computed from, if they were."""
        places: set[tuple[int, int, int]] = set()
        for node in self.history.values():
            place = (id(node.code), node.lasti, node.context.lasti)
            if place in places:
                continue  # a loop made thousands of nodes here
            places.add(place)
            source = node.source
            if source is not None and ".backward(" in source.text:
                return source
        return None

    @cached_property
    def readings(self) -> list[tuple[escapes.Escape, set[int], list[Node]]]:
        """Readings of values, what each comes from, and tensors of the history made later."""
        made = [
            node
            for node in self.history.values()
            if node.op in _MADE_OF_VALUES and node.code is not None
        ]
        found = []
        for escape in escapes.recent if made else ():
            later = [node for node in made if node.id > escape.node.id]
            if later:
                found.append((escape, ancestors(escape.node), later))
        return found

    def _words(self, node: Node, path: tuple[Node, ...]) -> dict[str, object]:
        """What the placeholders of messages stand for, as far as a node and a path tell."""
        here = self.name(node)
        leaf = self.name(path[0]) if path else here
        root = self.name(self.roots[0].node) if self.roots else "the root"
        return {
            "operation": f"`{node.op}`",
            "root": root,
            "leaf": leaf,
            "result": here,
            "parameter": here,
            "tensor": here,
            "shape": node.meta.shape,
        }

    def name(self, node: Node) -> str:
        """What to call a node in a sentence."""
        known = node.name or self.names.get(node.id)
        if known:
            return f"`{known}`"
        return f"the result of `{node.op}`" if node.parents else f"the tensor made by `{node.op}`"

    def leaves(self) -> list[Node]:
        """The nodes of the tensors asked about."""
        return [tensor.node for tensor in self.wrt or ()]

    def problem(
        self,
        slug: str,
        reason: str,
        *,
        node: Node,
        cause: SourceSpan | None,
        advice: str = "",
        severity: Severity | None = None,
        path: tuple[Node, ...] = (),
        facts: tuple[tuple[str, str], ...] = (),
        **words: object,
    ) -> Problem:
        """A problem at a node; `words` fill the message beside what the node and the path say."""
        record = catalogue[slug]
        root = self.roots[0] if self.roots else None
        asked = [self.names.get(n.id, "?") for n in self.leaves()]
        known = self.names.get(root.node.id) if root is not None else None
        about = (("name", known),) if known else ()
        wanted = (("wanted", ", ".join(asked)),) if asked else ()
        return Problem(
            slug=slug,
            severity=severity or record.severity,
            message=message(slug, **(self._words(node, path) | words)),
            reason=reason,
            facts=(*about, *wanted, *facts),
            advice=advice or f"{record.solutions[0].title}.",
            where=None if root is None else root.node.source,
            cause=cause,
            nodes=(node.id, *(step.id for step in path)),
            predicted=True,
        )
