"""`gv.compare`: two graphs side by side, with what differs marked."""

from __future__ import annotations

from typing import Any

from gradviz.diagnose.look import graph
from gradviz.graph.diff import Difference, difference, difference_view
from gradviz.graph.graph import Graph
from gradviz.graph.model import MIME_TYPE, SCHEMA_VERSION, PairView, as_json
from gradviz.graph.steps import extras_view
from gradviz.graph.view import view_of
from gradviz.render.attach import svg_or_none
from gradviz.render.card import picture
from gradviz.render.markup import element
from gradviz.widgets.comm import keep, listen
from gradviz.widgets.hosted import Hosted


def compare(before: Any, after: Any) -> Comparison:
    """Two graphs side by side, with what differs marked in both and listed.

    Args:
        before: a graph, or what `gv.graph` takes: a tensor, a module, a captured program.
        after: another one.

    Returns:
        A view for notebooks; it prints as the list of differences.

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

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        before, after = self.difference.before, self.difference.after
        pair = PairView(
            SCHEMA_VERSION,
            "pair",
            view_of(before, key=keep(before), extras=extras_view(before)),
            view_of(after, key=keep(after), extras=extras_view(after)),
            difference_view(self.difference),
        )
        bundle: dict[str, Any] = {MIME_TYPE: as_json(pair), "text/plain": str(self)}
        pictures = [(svg_or_none(drawn), drawn.title) for drawn in (before, after)]
        if all(svg is not None for svg, _ in pictures):
            bundle["text/html"] = "".join(
                element("div", "", picture(svg or "", f"Graph of {title}"))
                for svg, title in pictures
            )
        return self._hosted.bundle(bundle) if listen() else bundle
