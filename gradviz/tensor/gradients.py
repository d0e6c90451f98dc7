"""Gradients: what a backward pass returns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from gradviz.autodiff.gradients import GRADIENT, Store
from gradviz.autodiff.node import GRAD, GRAD_IN_BACKWARD, NONE, Node, new_leaf
from gradviz.core.context import call_site, current
from gradviz.errors import GradvizError, fail
from gradviz.errors.problem import Problem
from gradviz.tensor.base import Tensor, wrap


class Gradients:
    """The gradients of one backward pass, by tensor.

    Nothing is kept on the tensors themselves: every `backward` gives a new object.

    Example:
        >>> import gradviz as gv
        >>> x = gv.tensor([1.0, 2.0], requires_grad=True)
        >>> grads = (x * 3.0).sum().backward()
        >>> grads[x].tolist(), x in grads, len(grads)
        ([3.0, 3.0], True, 1)
    """

    __slots__ = ("store",)

    def __init__(self, store: Store) -> None:
        self.store = store

    def get(self, tensor: Tensor) -> Tensor | None:
        """The gradient of a tensor, or None where the backward pass gave it none."""
        if not isinstance(tensor, Tensor):
            raise self._missing(tensor)
        value = self.store.values.get(tensor.node)
        return None if value is None else self._tensor(tensor.node, value)

    def array(self, tensor: Tensor) -> Any:
        """The bare array of a tensor's gradient, not to be changed; None where there is none."""
        value = self.store.values.get(tensor.node)
        return value.prim if isinstance(value, Tensor) else value

    def _tensor(self, node: Node, value: Any) -> Tensor:
        if isinstance(value, Tensor):
            return value
        device = node.meta.device.inner()
        code, lasti = call_site()
        made = new_leaf(
            GRADIENT, device.meta_of(value), NONE, code, lasti, current(), attrs=(node.id,)
        )
        return wrap(value, made)

    def remove(self, tensor: Tensor) -> Tensor | None:
        """Takes the gradient of a tensor out; None where there is none."""
        value = self.store.values.pop(tensor.node, None)
        return None if value is None else self._tensor(tensor.node, value)

    def replace(self, tensor: Tensor, gradient: Tensor) -> None:
        """Puts another gradient in the place of a tensor's.

        Raises:
            GradvizError: `shape-mismatch` where the shapes differ.
        """
        if gradient.shape != tensor.shape:
            raise fail(
                "shape-mismatch",
                operation="grad_replace",
                lhs=tensor.shape,
                rhs=gradient.shape,
                advice="Give a gradient of the tensor's own shape.",
            )
        tracked = gradient.node.requirement != NONE
        self.store.values[tensor.node] = gradient if tracked else gradient.prim

    def __getitem__(self, tensor: Tensor) -> Tensor:
        found = self.get(tensor)
        if found is None:
            raise self._missing(tensor)
        return found

    def _missing(self, tensor: Any) -> GradvizError:
        if not isinstance(tensor, Tensor):
            return fail(
                "no-gradient",
                operation="grads[x]",
                complaint=f"a {type(tensor).__name__} has no gradient",
                advice="Ask for a tensor's gradient.",
            )
        node = tensor.node
        known = None if not _reasons else _reasons[0](tensor, self.store.root)
        cause, label = node.source, described(tensor)
        behind: tuple[tuple[str, str], ...] = ()
        if known is not None:
            reason, advice, cause = known.reason, known.advice, known.cause or node.source
            told = dict(known.facts)
            wanted = told.get("wanted", "?")
            label = label if wanted == "?" else f"`{wanted}`"
            behind = (("because", known.slug), ("wanted", wanted))
            if "made by" in told:
                behind += (("made by", told["made by"]),)
        elif not node.meta.device.is_autodiff:
            reason = f"its kind is {tensor.kind}, which tracks nothing."
            advice = "Create it with `requires_grad=True`."
        elif node.requirement == NONE:
            reason = "it was never marked, so nothing computed from it is tracked."
            advice = "Mark it with `require_grad()` before it is used."
        elif node.requirement == GRAD_IN_BACKWARD:
            reason = (
                "it is an intermediate result: its gradient was used up on the way to the leaves."
            )
            advice = "Call `retain_grad()` on it before `backward`."
        else:
            reason = "no tracked path leads from it to the tensor that `backward` was called on."
            advice = "Ask `gv.why(x, loss)` where the path ends."
        return fail(
            "no-gradient",
            operation="grads[x]",
            complaint=f"this backward pass gave no gradient to {label}",
            reason=reason,
            facts=(
                ("kind", str(tensor.kind)),
                ("requirement", tensor.requirement),
                ("shape", str(tensor.shape)),
                *behind,
            ),
            advice=advice,
            cause=cause,
            nodes=(node.id, self.store.root.id),
        )

    def __contains__(self, tensor: object) -> bool:
        return isinstance(tensor, Tensor) and tensor.node in self.store.values

    def __len__(self) -> int:
        return len(self.store.values)

    def __iter__(self) -> Iterator[Any]:
        raise TypeError("gradients are asked for by tensor: x.grad(grads) or grads[x]")

    def __repr__(self) -> str:
        names = [node.name or f"{node.op} {node.meta.shape}" for node in self.store.values]
        return f"Gradients({len(names)}: {', '.join(names[:8])}{', ...' if len(names) > 8 else ''})"


STEP_OF_TRAINING: Final = "a step of training"
"""What made a tensor that was computed from a parameter and its gradient."""

_reasons: list[Callable[[Tensor, Node], Problem | None]] = []


def set_reason(find: Callable[[Tensor, Node], Problem | None]) -> None:
    """Lets the diagnosis, a layer above, say why a tensor got no gradient from a root."""
    _reasons[:] = [find]


def described(tensor: Tensor) -> str:
    """A tensor in a few words: its name, or what made it."""
    node = tensor.node
    if node.name:
        return f"`{node.name}`"
    what = "leaf" if node.requirement == GRAD else node.op
    return f"the {what} of shape {tensor.shape}"
