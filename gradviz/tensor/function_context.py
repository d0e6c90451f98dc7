"""What the forward pass of a `gv.Function` leaves for its backward pass."""

from __future__ import annotations

from typing import Any, NoReturn
from weakref import ref

from gradviz.autodiff.node import Node
from gradviz.core.context import CallSite, current
from gradviz.core.shape import count
from gradviz.core.source import SourceSpan
from gradviz.errors import GradvizError, GradvizTypeError, fail
from gradviz.tensor.base import Tensor, wrap
from gradviz.tensor.creation import zeros

Shape = tuple[int, ...]


class FunctionContext:
    """What a `forward` leaves for its `backward`; any attribute may be set on it, too.

    Attributes:
        needs_input_grad: for each argument of `apply` whether it gets a gradient.
    """

    def __init__(self, function: type[Any], inputs: list[int], needs: tuple[bool, ...]) -> None:
        self.needs_input_grad = needs
        self._function = function
        self._inputs = inputs
        self._saved: tuple[Any, ...] | None = ()
        self._constant: tuple[Any, ...] = ()
        self._results: tuple[Any, ...] = ()
        self._shapes: list[tuple[int, ...] | None] = []
        self._open: list[int] = []
        self._node: ref[Node] | None = None
        self._whole: Any = None

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Keeps tensors, inputs and results above all, until the backward pass has used them."""
        for at, value in enumerate(tensors):
            if value is not None and not isinstance(value, Tensor):
                raise wrong(
                    self._function,
                    f"a {type(value).__name__} in place {at} is no tensor",
                    "only tensors are saved: what they hold is freed after the backward pass.",
                    "Set other values as attributes: `ctx.power = power`.",
                    method="save_for_backward",
                )
        self._saved = tensors

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """What was saved, in that order."""
        if self._saved is None:
            raise fail(
                "graph-consumed",
                reason=f"what `{self._function.__name__}` had saved was freed by a backward pass.",
                advice="Run that pass with `retain_graph=True`.",
            )
        return tuple(map(self._as_it_was, self._saved))

    def mark_non_differentiable(self, *results: Tensor) -> None:
        """Names results that no gradient passes through; whole numbers and bools never let any."""
        self._constant = results

    def set_materialize_grads(self, value: bool) -> None:
        """Does nothing: results that get no gradient get zeros here."""

    def mark_dirty(self, *inputs: Tensor) -> NoReturn:
        """Refuses: tensors never change."""
        raise fail(
            "in-place-on-tensor",
            reason=f"`{self._function.__name__}` says that it changed an input.",
            advice="Return a new tensor from `forward`, and leave `mark_dirty` out.",
        )

    def _attach(self, node: Node, whole: Any, values: list[Any], passing: list[int]) -> None:
        """Takes note of the node that the results come from, and of how they lie in its value."""
        self._node = ref(node)
        self._whole = whole if self._saved else None
        self._shapes = [value.shape if isinstance(value, Tensor) else None for value in values]
        self._open = passing
        # Results are told by what they are; their values are held where they were saved.
        kept = self._saved or ()
        self._results = tuple(
            value if any(value is saved for saved in kept) else None for value in self._results
        )

    def _as_it_was(self, value: Any) -> Any:
        """A saved tensor; a result with its history, where that is differentiated in turn."""
        places = [at for at in self._open if self._results[at] is value]
        node = None if self._node is None else self._node()
        if value is None or not places or node is None or not current().grad_enabled:
            return value
        return self._part(wrap(self._whole, node), places[0])

    def _part(self, whole: Tensor, at: int) -> Tensor:
        """One of the results, or its gradient, out of all of them in a row."""
        if len(self._shapes) == 1:
            return whole
        sizes = [count(self._shapes[place] or ()) for place in self._open]
        number = self._open.index(at)
        start = sum(sizes[:number])
        with CallSite():
            part: Tensor = whole[start : start + sizes[number]].reshape(self._shapes[at])
        return part

    def _split(self, gradient: Tensor) -> list[Any]:
        """The gradient of every result; zeros where no gradient passes, None for other values."""
        found: list[Any] = []
        for at, shape in enumerate(self._shapes):
            if at in self._open:
                found.append(self._part(gradient, at))
            else:
                found.append(None if shape is None else zeros(shape, device=gradient.device))
        return found

    def release(self) -> None:
        """Lets go of what was saved."""
        self._saved, self._whole, self._results = None, None, ()


def wrong(
    function: type[Any],
    complaint: str,
    reason: str,
    advice: str,
    *,
    method: str = "",
    cause: SourceSpan | None = None,
) -> GradvizError:
    """What is wrong with a function or one of its methods, as an error."""
    name = f"{function.__name__}.{method}" if method else function.__name__
    return fail(
        "invalid-argument",
        operation=name,
        complaint=complaint,
        reason=reason,
        advice=advice,
        cause=cause,
        error=GradvizTypeError,
    )
