"""The numbers of a followed run, step by step, in bounded memory."""

from __future__ import annotations

from typing import Any, Final

from gradviz.backends.ndarray import numerics, statistics
from gradviz.graph.answers import HistoryView, Number, number
from gradviz.tensor.base import Tensor
from gradviz.tensor.gradients import Gradients

MOST_MOMENTS: Final = 120
"""Steps that are remembered; when there are more, every second one is let go."""

MOST_LEAVES: Final = 40


class History:
    """Values of a root and norms of leaves and their gradients, at steps that grow apart with time.

    The first and the latest step are always there. What is kept are numbers, never arrays.
    """

    def __init__(self) -> None:
        self.total = 0
        self._every = 1
        self._steps: list[int] = []
        self._roots: list[Number | None] = []
        self._changed: list[bool] = []
        self._leaves: dict[str, tuple[list[Number | None], list[Number | None]]] = {}

    def __len__(self) -> int:
        return len(self._steps)

    def add(
        self,
        root: Tensor | None,
        leaves: dict[str, Tensor],
        grads: Gradients | None,
        changed: bool,
    ) -> None:
        """Notes a step; a column is kept for the first leaves that were ever seen.

        Args:
            root: the tensor followed; its value is noted where it is one number.
            leaves: the leaves by name.
            grads: the gradients of this step, or None.
            changed: whether the graph differs from that of the step before.
        """
        at = self.total
        self.total += 1
        if self._steps and self._steps[-1] % self._every:
            self._drop_last()  # the latest step stands in for itself only until the next one
        self._steps.append(at)
        self._roots.append(_single(root))
        self._changed.append(changed)
        for name in leaves:
            if name not in self._leaves and len(self._leaves) < MOST_LEAVES:
                blank: list[Number | None] = [None] * (len(self._steps) - 1)
                self._leaves[name] = (blank, list(blank))
        for name, (values, gradients) in self._leaves.items():
            tensor = leaves.get(name)
            values.append(None if tensor is None else _norm(tensor.prim))
            gradient = None if tensor is None or grads is None else grads.array(tensor)
            gradients.append(None if gradient is None else _norm(gradient))
        if len(self._steps) > MOST_MOMENTS:
            self._thin()

    def skip(self) -> None:
        """Counts a step without noting it."""
        self.total += 1

    def _columns(self) -> list[list[Any]]:
        leaves = [column for pair in self._leaves.values() for column in pair]
        return [self._steps, self._roots, self._changed, *leaves]

    def _drop_last(self) -> None:
        for column in self._columns():
            column.pop()

    def _thin(self) -> None:
        self._every *= 2
        last = len(self._steps) - 1
        kept = [at for at, step in enumerate(self._steps) if step % self._every == 0 or at == last]
        for column in self._columns():
            column[:] = [column[at] for at in kept]

    def view(self) -> HistoryView:
        """The history as a message carries it."""
        return HistoryView(
            total=self.total,
            steps=tuple(self._steps),
            roots=tuple(self._roots),
            changed=tuple(self._changed),
            leaves=tuple(self._leaves),
            values=tuple(tuple(values) for values, _ in self._leaves.values()),
            gradients=tuple(tuple(gradients) for _, gradients in self._leaves.values()),
        )


def _single(root: Tensor | None) -> Number | None:
    if root is None or root.size != 1 or root.device.is_capture:
        return None
    return number(numerics.first(root.prim), 6)


def _norm(value: Any) -> Number | None:
    return number(statistics.norm(value), 5)
