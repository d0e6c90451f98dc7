"""`gv.compare`: two graphs side by side, with what differs marked."""

from __future__ import annotations

from os import PathLike
from typing import Any

from gradviz.diagnose.look import graph
from gradviz.graph.diff import Difference, difference
from gradviz.graph.graph import Graph
from gradviz.graph.message import pair_of
from gradviz.graph.model import MIME_TYPE, as_json
from gradviz.render import pair
from gradviz.render.glance import svg_or_none
from gradviz.widgets.comm import keep, listen
from gradviz.widgets.hosted import Hosted


def compare(before: Any, after: Any) -> Comparison:
    """Two graphs side by side, with what differs marked in both and listed.

    Args:
        before: a graph, or what `gv.graph` takes: a tensor, a module, a captured program.
        after: another one.

    Returns:
        A view for notebooks; it prints as the list of differences, and `save("change.html")` writes
        both graphs side by side as a page that works offline.

    Raises:
        GradvizError: `not-a-tensor`.

    Example:
        >>> import gradviz as gv
        >>> x = gv.tensor([1.0, 2.0], requires_grad=True)
        >>> print(gv.compare(x.exp().sum(), x.detach().exp().sum()))
        + detach
        ~ exp (requirement: grad_in_backward -> none; backward: works -> untracked-root; inputs: x -> detach)
        ~ sum (requirement: grad_in_backward -> none; backward: works -> untracked-root)
    """  # noqa: E501 - a line of output
    return Comparison(difference(_drawn(before), _drawn(after)))


def _drawn(thing: Any) -> Graph:
    return thing if isinstance(thing, Graph) else graph(thing)


class Comparison:
    """Two graphs and what differs between them.

    Attributes:
        difference: what differs.
    """

    def __init__(self, found: Difference) -> None:
        self.difference = found
        self._hosted = Hosted()

    def __str__(self) -> str:
        return str(self.difference)

    __repr__ = __str__

    def to_html(self, *, values: bool = True) -> str:
        """Both graphs as one page that stays interactive offline, side by side, with what differs.

        Args:
            values: whether the page holds numbers of tensors, as in `Graph.to_html`.
        """
        return pair.to_html(self.difference, values=values)

    def save(self, path: str | PathLike[str], *, values: bool = True) -> None:
        """Writes the comparison to a file, in the format its ending names.

        Args:
            path: where to; `.html` for the page of `to_html`, `.json` for the message that views
                draw, `.txt` for the list of differences.
            values: whether the file may hold numbers of tensors.

        Raises:
            GradvizError: `invalid-argument` for another ending.
        """
        pair.save(self.difference, path, values=values)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        found = self.difference
        view = pair_of(found, keep(found.before), keep(found.after))
        bundle: dict[str, Any] = {MIME_TYPE: as_json(view), "text/plain": str(self)}
        before, after = svg_or_none(found.before), svg_or_none(found.after)
        if before is not None and after is not None:
            bundle["text/html"] = pair.card(found, before, after)
        return self._hosted.bundle(bundle) if listen() else bundle
