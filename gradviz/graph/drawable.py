"""What can be asked of a graph's looks; how it is answered is for the renderers, a layer above."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from os import PathLike
from typing import Any

Writers = Mapping[str, Callable[..., Any]]

_find: list[Callable[[], Writers]] = []


def set_writers(find: Callable[[], Writers]) -> None:
    """Lets the renderers supply the methods of `Drawable`; they are loaded when first asked for."""
    _find[:] = [find]


def _writer(name: str) -> Callable[..., Any]:
    return _find[0]()[name]


class Drawable:
    """The methods that write a graph down."""

    def to_dot(self, *, theme: str = "light", max_items: int | None = 60) -> str:
        """The graph in Graphviz's language.

        Args:
            theme: "light" or "dark" for a transparent page, "auto" for a white one.
            max_items: boxes to draw at most, roughly; None for every node.

        Raises:
            GradvizError: `missing-extra` without the graphviz package.
        """
        text: str = _writer("to_dot")(self, theme=theme, max_items=max_items)
        return text

    def to_svg(self, *, theme: str = "auto", max_items: int | None = 60) -> str:
        """The graph as a self-contained picture; large graphs are folded.

        Args:
            theme: "auto" for any page, "light" or "dark" for a transparent background.
            max_items: boxes to draw at most, roughly; None for every node.

        Raises:
            GradvizError: `missing-extra` without Graphviz, which pip installs with the `lab` extra.
        """
        text: str = _writer("to_svg")(self, theme=theme, max_items=max_items)
        return text

    def to_png(self, *, max_items: int | None = 60) -> bytes:
        """The graph as a bitmap, at twice the screen's resolution.

        Args:
            max_items: boxes to draw at most, roughly; None for every node.
        """
        data: bytes = _writer("to_png")(self, max_items=max_items)
        return data

    def to_json(self, *, indent: int | None = None) -> str:
        """The graph as JSON text: the message that the notebook's view draws.

        Args:
            indent: blanks per level; without, one line.
        """
        text: str = _writer("to_json")(self, indent=indent)
        return text

    def to_html(self, *, values: bool = True) -> str:
        """The graph as one page that stays interactive offline: the explorer in a single file.

        The page holds what the explorer would ask the kernel for: statistics and pictures of the
        values and gradients that are at hand (of 2,000 nodes at most, and about two megabytes of
        them, large pictures left out first), the sizes of all gradients, and the steps of backward,
        which is run to see them, consuming nothing. Printed, or without scripts, it is a picture,
        the problems with their fixes, and a table.

        Args:
            values: whether the page holds numbers of tensors. Without them it can be given to
                people who may see the code but not the data.
        """
        text: str = _writer("to_html")(self, values=values)
        return text

    def to_text(self, width: int = 100, *, ascii: bool | None = None) -> str:
        """The graph as a listing in the order of computation.

        Args:
            width: columns to keep to.
            ascii: whether to write ASCII only; by default, where standard output takes no more.
        """
        text: str = _writer("to_text")(self, width, ascii=ascii)
        return text

    def save(
        self, path: str | PathLike[str], *, max_items: int | None = 60, values: bool = True
    ) -> None:
        """Writes the graph to a file, in the format its ending names.

        Args:
            path: where to; `.svg`, `.png`, `.pdf`, `.dot`, `.json`, `.html` or `.txt`;
                of a captured graph also `.onnx`.
            max_items: boxes of a picture at most, roughly; None for every node. Other formats hold
                every node anyway.
            values: whether the file may hold numbers of tensors, see `to_html`; those of a
                captured graph are part of an ONNX model anyway.

        Raises:
            GradvizError: `invalid-argument` for another ending, or a format that needs more than
                is installed; `missing-extra` without Graphviz.
        """
        _writer("save")(self, path, max_items=max_items, values=values)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        bundle: dict[str, Any] = _writer("mimebundle")(self)
        return bundle

    def __str__(self) -> str:
        if not _find:  # the graph layer alone, without the package around it
            return repr(self)
        return self.to_text()
