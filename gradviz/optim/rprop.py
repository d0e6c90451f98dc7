"""Rprop: steps that follow the signs of gradients and not their sizes."""

from __future__ import annotations

from typing import Any

from gradviz.backends.ndarray import updates, updates_more
from gradviz.errors import fail
from gradviz.optim.groups import Group
from gradviz.optim.optimizer import Optimizer, State


class Rprop(Optimizer):
    """Gives each element a length of its own, which grows while the sign of its gradient stays.

    The method is that of Riedmiller and Braun, "A Direct Adaptive Method for Faster Backpropagation
    Learning: The RPROP Algorithm" (1993). It is meant for gradients of all the data, not of
    batches.

    Args:
        params: tensors, `(name, tensor)` pairs, or groups `{"params": ..., "lr": ...}`.
        lr: the length of the first step.
        etas: what a length is multiplied by where the sign has turned, and where it has stayed.
        step_sizes: the shortest and the longest length.
        maximize: whether to step along the gradient.

    Raises:
        GradvizError: `invalid-argument` for parameters or options that make no sense.

    Example:
        >>> import gradviz as gv
        >>> w = gv.nn.Parameter([2.0])
        >>> opt = gv.optim.Rprop([w], lr=0.5)
        >>> for _ in range(2):
        ...     opt.step((w * w).sum().backward())
        >>> round(w.item(), 4)
        0.9
    """

    def __init__(
        self,
        params: Any,
        lr: float = 1e-2,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50.0),
        *,
        maximize: bool = False,
    ) -> None:
        super().__init__(
            params, {"lr": lr, "etas": etas, "step_sizes": step_sizes, "maximize": maximize}
        )

    def check_options(self, group: Group) -> None:
        """Refuses options that make no sense.

        Raises:
            GradvizError: `invalid-argument`.
        """
        super().check_options(group)
        pairs = {"etas": "(0.5, 1.2)", "step_sizes": "(1e-6, 50.0)"}
        for name, example in pairs.items():
            for at, number in enumerate(self.two(group, name, example)):
                self.at_least({f"{name}[{at}]": number}, f"{name}[{at}]")
        less, more = group["etas"]
        shortest, longest = group["step_sizes"]
        if not 0.0 < less < 1.0 < more:
            raise self._unfit("etas", group, "one number between 0 and 1, then one above 1")
        if shortest > longest:
            raise self._unfit("step_sizes", group, "the shortest length, then the longest")

    def _unfit(self, name: str, group: Group, wanted: str) -> Exception:
        return fail(
            "invalid-argument",
            operation=self._name,
            complaint=f"{name} is {group[name]!r}",
            advice=f"Give {wanted}.",
        )

    def update(self, value: Any, gradient: Any, state: State, group: Group) -> Any:
        """The new array of one parameter."""
        if not state:
            state["prev"] = updates.zeros_like(value)
            state["step_size"] = updates_more.filled_like(value, group["lr"])
        step = updates_more.by_sign(
            gradient, state["prev"], state["step_size"], group["etas"], group["step_sizes"]
        )
        return updates.moved(value, step, 1.0)
