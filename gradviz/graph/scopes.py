"""Scopes and modules as groups."""

from __future__ import annotations

from gradviz.core.context import Scope
from gradviz.graph.record import GraphGroup


class Scopes:
    """Scopes met so far, as groups, outer ones first."""

    def __init__(self) -> None:
        self._found: dict[int, int] = {}
        self.views: list[GraphGroup] = []

    def of(self, scope: Scope | None) -> int:
        """A scope's group, counted from 1, its parents' groups made along with it; 0 for none."""
        made: list[Scope] = []
        while scope is not None and scope.serial not in self._found:
            made.append(scope)
            scope = scope.parent
        number = 0 if scope is None else self._found[scope.serial]
        for item in reversed(made):
            parent = self.views[number - 1].id if number else None
            self.views.append(GraphGroup(f"g{item.serial}", item.label, item.kind, parent))
            number = self._found[item.serial] = len(self.views)
        return number

    def id_of(self, scope: Scope | None) -> str | None:
        """The id of a scope's group."""
        number = self.of(scope)
        return self.views[number - 1].id if number else None
