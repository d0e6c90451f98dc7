"""Scopes and modules as groups."""

from __future__ import annotations

from array import array

from gradviz.core.context import Scope
from gradviz.graph.groups import Groups


class Scopes:
    """Scopes met so far, as groups, outer ones first."""

    def __init__(self) -> None:
        self._found: dict[int, int] = {}
        self._serials: list[int] = []
        self._labels: list[str | int] = []
        self._kinds: list[str] = []
        self._around = array("i")
        self.groups = Groups()
        self.groups.numbers, self.groups.labels = self._serials, self._labels
        self.groups.kinds, self.groups.around = self._kinds, self._around

    def of(self, scope: Scope | None) -> int:
        """A scope's group, counted from 1, its parents' groups made along with it; 0 for none."""
        if scope is None:
            return 0
        known = self._found.get(scope.serial)
        if known is not None:
            return known
        made: list[Scope] = []
        around: Scope | None = scope
        while around is not None and around.serial not in self._found:
            made.append(around)
            around = around.parent
        number = 0 if around is None else self._found[around.serial]
        for item in reversed(made):
            self._serials.append(item.serial)
            self._labels.append(item.label)
            self._kinds.append(item.kind)
            self._around.append(number)
            number = self._found[item.serial] = len(self._serials)
        return number

    def id_of(self, scope: Scope | None) -> str | None:
        """The id of a scope's group."""
        number = self.of(scope)
        return self.groups.id(number - 1) if number else None
