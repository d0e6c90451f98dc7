"""Colours of static pictures: those of the interactive view, written out.

The signal colours descend from Okabe and Ito's palette, darkened or lightened until they are
readable as text, and stay apart for every kind of colour vision. Each comes with a shape and a
word.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from gradviz.errors import fail
from gradviz.errors.problem import Severity
from gradviz.graph.model import RequirementName

FONT: Final = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', Arial, sans-serif"


@dataclass(frozen=True, slots=True)
class Tone:
    """A signal colour and the pale version that fills boxes."""

    line: str
    fill: str


@dataclass(frozen=True, slots=True)
class Palette:
    """Everything a picture is painted with."""

    background: str
    soft: str
    text: str
    muted: str
    border: str
    border_strong: str
    leaf: Tone
    flow: Tone
    none: Tone
    error: Tone
    warning: Tone
    note: Tone
    band: str

    def requirement(self, name: RequirementName) -> Tone:
        """The colour of a requirement."""
        return {"grad": self.leaf, "grad_in_backward": self.flow, "none": self.none}[name]

    def severity(self, name: Severity) -> Tone:
        """The colour of a problem."""
        return {"error": self.error, "warning": self.warning, "note": self.note}[name]


LIGHT: Final = Palette(
    background="#ffffff",
    soft="#f5f6f8",
    text="#1f2430",
    muted="#5c6370",
    border="#dfe2e8",
    border_strong="#c3c8d2",
    leaf=Tone("#00795a", "#e3f4ee"),
    flow=Tone("#1565a8", "#e8f1fa"),
    none=Tone("#79808d", "#f4f5f7"),
    error=Tone("#b8420a", "#fdebe1"),
    warning=Tone("#8a6100", "#fdf3d6"),
    note=Tone("#6a4c93", "#f1ebf8"),
    band="#8a94a6",
)
DARK: Final = Palette(
    background="#16181d",
    soft="#1e2127",
    text="#e7e9ee",
    muted="#a2a9b6",
    border="#353a44",
    border_strong="#4b525f",
    leaf=Tone("#46c9a2", "#12352c"),
    flow=Tone("#6cb6f2", "#132c42"),
    none=Tone("#99a1ae", "#272b32"),
    error=Tone("#ff9a66", "#43210f"),
    warning=Tone("#f0c24b", "#3a2f0e"),
    note=Tone("#c3a6ea", "#2c2239"),
    band="#8a94a6",
)


def palette(theme: str, operation: str) -> Palette:
    """The colours of a theme.

    Args:
        theme: "light", "dark", or "auto": light colours, which a backdrop makes safe anywhere.
        operation: the call to name where the theme is unknown.

    Raises:
        GradvizError: `invalid-argument` for another theme.
    """
    if theme in ("auto", "light"):
        return LIGHT
    if theme == "dark":
        return DARK
    raise fail(
        "invalid-argument",
        operation=operation,
        complaint=f"theme is {theme!r}, not 'auto', 'light' or 'dark'",
        advice="Leave theme out: 'auto' reads well on white and on dark pages.",
    )
