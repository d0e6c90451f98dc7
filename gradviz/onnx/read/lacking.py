"""Operations of a model that have no counterpart: collected, and told in one error."""

from __future__ import annotations

from typing import Any, Final

from gradviz.errors import GradvizError
from gradviz.onnx.read.refusal import SHOWN, shortened, unreadable
from gradviz.onnx.read.registry import WHY_NOT

DEFAULT_DOMAINS: Final = ("", "ai.onnx")
"""How the format's own operations say whose they are."""
_MOST_KINDS: Final = 40


class Lacking:
    """The operations that can't be read, with their places and reasons."""

    def __init__(self) -> None:
        self._found: dict[str, dict[str, dict[str, None]]] = {}

    def __bool__(self) -> bool:
        return bool(self._found)

    def note(self, node: Any, reason: str = "") -> None:
        """Takes note of a node; of one that is read several times, once."""
        own = node.domain in DEFAULT_DOMAINS
        kind = shortened(node.op_type if own else f"{node.domain}.{node.op_type}", 60)
        why = reason or WHY_NOT.get(kind, "")
        places = self._found.setdefault(kind, {}).setdefault(why, {})
        places.setdefault(shortened(node.name, 60) or "unnamed")

    def error(self, name: str) -> GradvizError:
        """One error for all of them."""
        kinds = list(self._found)
        more = f" and {len(kinds) - SHOWN} more" if len(kinds) > SHOWN else ""
        facts = [
            (kind, ", ".join(list(places)[:SHOWN]) + (f" ({why})" if why else ""))
            for kind, reasons in self._found.items()
            for why, places in reasons.items()
        ]
        return unreadable(
            name,
            f"no counterpart of {', '.join(kinds[:SHOWN])}{more}",
            facts=tuple(facts[:_MOST_KINDS]),
            reason="A model is read whole or not at all; these operations have no counterpart "
            "here.",
            advice="Export the model with the standard operations of the format, and without "
            "branches and loops that depend on values.",
        )
