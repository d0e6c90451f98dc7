"""Groups as columns: a long loop has tens of thousands of rounds, and few are ever looked at."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Final, overload

from gradviz.graph.record import GraphGroup

ROUND: Final = "iteration "
"""What a round of a loop is called, with its number."""


class Groups(Sequence[GraphGroup]):
    """Groups, outer ones first, made into objects when they are asked for.

    Attributes:
        numbers: of each group the serial number of its scope, or less than 0: that of its row.
        labels: its label; the number of a round stands for "iteration" and that number.
        kinds: its kind.
        around: the group around it, counted from 1; 0 for none.
    """

    def __init__(self) -> None:
        self.numbers: Sequence[int] = []
        self.labels: Sequence[str | int] = []
        self.kinds: Sequence[str] = []
        self.around: Sequence[int] = array("i")

    def id(self, at: int) -> str:
        """The id of the group at a position."""
        number = self.numbers[at]
        return f"g{number}" if number > 0 else f"r{-number}"

    def label(self, at: int) -> str:
        """The label of the group at a position."""
        label = self.labels[at]
        return label if isinstance(label, str) else f"{ROUND}{label}"

    def group(self, at: int) -> GraphGroup:
        """The group at a position."""
        around = self.around[at]
        parent = self.id(around - 1) if around else None
        return GraphGroup(self.id(at), self.label(at), self.kinds[at], parent)

    @cached_property
    def _known(self) -> tuple[GraphGroup, ...]:
        return tuple(map(self.group, range(len(self))))

    def __len__(self) -> int:
        return len(self.numbers)

    @overload
    def __getitem__(self, at: int) -> GraphGroup: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[GraphGroup, ...]: ...
    def __getitem__(self, at: int | slice) -> GraphGroup | tuple[GraphGroup, ...]:
        positions = range(len(self))[at]
        if isinstance(positions, range):
            return tuple(map(self.group, positions))
        return self.group(positions)

    def __iter__(self) -> Iterator[GraphGroup]:
        return iter(self._known)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Groups | tuple) and tuple(self) == tuple(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{len(self)} groups>"
