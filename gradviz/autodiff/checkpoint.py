"""Balanced checkpointing: cheap results are recomputed in backward instead of kept.

A memory-bound node keeps its inputs, and of those that are memory-bound themselves only their
nodes; whoever needs its result computes it again. A compute-bound result is kept as usual, but for
matrix products: of a chain of them every other one is computed again, from the one before, so that
a deep network keeps half of its activations at the price of half of the products once more.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gradviz.autodiff.node import GRAD_IN_BACKWARD, Node
from gradviz.core.heap import WORTHWHILE, hand_back


class Redo(tuple[Any, ...]):
    """A recipe that leads through a product which is computed again."""

    __slots__ = ()


def recall(tensor: Any) -> Any:
    """What to keep of an input: its value, or its node where the value can be recomputed."""
    if tensor is None:
        return None
    node = tensor.node
    if node.requirement == GRAD_IN_BACKWARD and (
        node.row.memory_bound or node.saved.__class__ is Redo
    ):
        return node
    return tensor.prim


def recipe(items: tuple[Any, ...]) -> tuple[Any, ...]:
    """The inputs a cheap result is recomputed from, as what its node keeps."""
    return Redo(items) if _leads_through_a_product(items) else items


def redone(items: tuple[Any, ...]) -> Redo | None:
    """What a product's node keeps to be computed again; None where its result must be kept."""
    return None if _leads_through_a_product(items) else Redo(items)


def _leads_through_a_product(items: tuple[Any, ...]) -> bool:
    return any(isinstance(item, Node) and item.saved.__class__ is Redo for item in items)


class Recomputation:
    """The values recomputed during one backward pass, each until its own node has been run."""

    def __init__(self, xp: Any) -> None:
        self._xp = xp
        self._results: dict[Node, Any] = {}
        self._let_go = 0

    def values(self, node: Node, names: tuple[str, ...], saved: Any) -> Any:
        """The values a step asks for by `names`, from what its node kept."""
        row = node.row
        if not (row.memory_bound or saved.__class__ is Redo):
            kept = (saved,) if len(names) == 1 else saved
            found = [self._value(item) for item in kept] if names else []
        elif row.variadic:
            found = []
        else:
            inputs = dict(zip(row.input_names(), saved, strict=True))
            results = ("out", *row.several)
            found = []
            for name in names:
                if name in inputs:
                    found.append(self._value(inputs[name]))
                else:
                    outcome = self._result(node, saved)
                    found.append(outcome[results.index(name)] if row.several else outcome)
        outcome = self._results.pop(node, None)
        if outcome is not None:
            self._count(outcome)
        return found[0] if len(names) == 1 else tuple(found)

    def ahead(self, nodes: Iterable[Node]) -> list[Any]:
        """Recomputes at once what a pass over nodes, oldest first here, would ask for one by one.

        Returns:
            The results, each an array or a tuple of them; they are kept until their nodes have run.
        """
        results, known = self._results, self._known
        for node in nodes:
            row, saved = node.row, node.saved
            if not (row.memory_bound or saved.__class__ is Redo):
                continue
            arguments = [known(item) if isinstance(item, Node) else item for item in saved]
            if row.variadic:
                fixed = len(row.inputs) - 1
                arguments = [*arguments[:fixed], arguments[fixed:]]
            results[node] = getattr(self._xp, row.name)(*arguments, *node.attrs)
        return list(results.values())

    def _count(self, outcome: Any) -> None:
        """Hands memory back from time to time: who asks for checkpointing wants it kept low."""
        for array in outcome if isinstance(outcome, tuple) else (outcome,):
            self._let_go += getattr(array, "nbytes", 0)
        if self._let_go >= WORTHWHILE:
            self._let_go = 0
            hand_back()

    def _value(self, item: Any) -> Any:
        if not isinstance(item, Node):
            return item
        outcome = self._result(item, item.saved)
        return outcome[0] if item.row.several else outcome

    def _result(self, node: Node, saved: Any) -> Any:
        """The node's result, recomputed with all it needs; a loop, so that depth is no limit."""
        results = self._results
        if node in results:
            return results[node]
        recipes = {node: saved}
        waiting = [node]
        while waiting:
            top = waiting[-1]
            recipe = recipes.get(top, top.saved)
            missing = [item for item in recipe if isinstance(item, Node) and item not in results]
            if missing:
                waiting += missing
                continue
            waiting.pop()
            if top in results:
                continue
            arguments = [self._known(item) for item in recipe]
            row = top.row
            if row.variadic:
                fixed = len(row.inputs) - 1
                arguments = [*arguments[:fixed], arguments[fixed:]]
            results[top] = getattr(self._xp, row.name)(*arguments, *top.attrs)
        return results[node]

    def _known(self, item: Any) -> Any:
        if not isinstance(item, Node):
            return item
        outcome = self._results[item]
        return outcome[0] if item.row.several else outcome
