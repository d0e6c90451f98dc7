"""Outputs for every host.

JupyterLab and Notebook 7 draw our message themselves; hosts without the extension show a widget.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gradviz.errors import GradvizError

if TYPE_CHECKING:
    from gradviz.widgets.explorer import Drawing


class Hosted:
    """A MIME bundle that may change, with a widget in it where the `lab` extra is installed."""

    def __init__(self) -> None:
        self._widget: Drawing | None = None
        self._looked = False

    def bundle(self, static: dict[str, Any]) -> dict[str, Any]:
        """The bundle with the widget, which shows the new message wherever it is shown already."""
        if self._widget is not None:
            self._widget.show(static)
        elif not self._looked:
            self._looked = True
            try:
                from gradviz.widgets.explorer import Drawing

                self._widget = Drawing(static)
            except GradvizError:  # the packages of widgets are optional
                return static
        if self._widget is None:
            return static
        data, _ = self._widget._repr_mimebundle_()
        return data
