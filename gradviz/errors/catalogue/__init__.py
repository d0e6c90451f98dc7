"""What is known of every failure: one record per slug, the single place where their texts stand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from importlib import import_module
from string import Formatter
from types import MappingProxyType
from typing import Final

from gradviz.errors.catalogue.record import Record, Scenario, Solution
from gradviz.errors.printable import printable

__all__ = ["Record", "Scenario", "Solution", "catalogue", "explain", "message"]

_THEMES: Final = (
    # Raised by an operation.
    "kinds",
    "leaves",
    "marking",
    "graph_life",
    "devices",
    "moving",
    "capture",
    "captured_values",
    "exchange",
    "values",
    "programs",
    "arguments",
    "lookups",
    "missing",
    "elsewhere",
    "derivatives",
    # Silent: only a diagnosis finds them.
    "paths",
    "modes",
    "escapes",
    "marks",
    "modules",
    "optimizers",
    "roots",
    "finite",
    "vanishing",
    "memory",
)
"""The modules of this package that hold records, in reading order."""


class Catalogue(Mapping[str, Record]):
    """Slug -> record; read-only.

    The records are loaded on first use: they are long, and a program that doesn't fail never
    needs them.
    """

    def __init__(self) -> None:
        self._loaded: Mapping[str, Record] | None = None

    def _records(self) -> Mapping[str, Record]:
        if self._loaded is None:
            records: list[Record] = []
            for theme in _THEMES:
                records += import_module(f"{__name__}.{theme}").RECORDS
            self._loaded = MappingProxyType({record.slug: record for record in records})
        return self._loaded

    def __getitem__(self, slug: str) -> Record:
        return self._records()[slug]

    def __iter__(self) -> Iterator[str]:
        return iter(self._records())

    def __len__(self) -> int:
        return len(self._records())

    def __repr__(self) -> str:
        return f"<catalogue of {len(self)} failures: {', '.join(self)}>"


catalogue: Final = Catalogue()
"""Slug -> record; read-only."""


def message(slug: str, **values: object) -> str:
    """The first line of a failure's text.

    Args:
        slug: a key of `catalogue`.
        **values: what the message's placeholders stand for. One that is missing shows its own
            name, so that building an error never fails for want of a detail.
    """
    parts = []
    for text, name, _, _ in Formatter().parse(catalogue[slug].message):
        parts.append(text)
        if name is not None:
            parts.append(printable(values.get(name, name), 300))
    return "".join(parts)


def explain(slug: object) -> str:
    """All that is known of a failure, as a page of plain text.

    Args:
        slug: name of the failure, or an error, problem or outcome that carries it. For one that
            doesn't exist the page lists those that do, the most similar first.
    """
    name = str(getattr(slug, "slug", slug))
    record = catalogue.get(name)
    if record is not None:
        text: str = import_module(f"{__name__}.page").page(record)
        return text
    close = get_close_matches(name, catalogue, n=3, cutoff=0.4)
    lines = [f"There is no failure called {printable(name, 100)!r}."]
    if close:
        lines += ["", "Did you mean", *(f"  {slug}" for slug in close)]
    lines += ["", "These exist:", *(f"  {slug}" for slug in catalogue)]
    return "\n".join(lines)
