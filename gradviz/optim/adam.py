"""Adam and AdamW: steps in units of each parameter's own gradients."""

from __future__ import annotations

from typing import Any

from gradviz.backends.ndarray import updates
from gradviz.optim.groups import Group
from gradviz.optim.optimizer import Optimizer, State


class WithBetas(Optimizer):
    """What Adam and those that came of it have in common: the options `betas` and `eps`."""

    def check_options(self, group: Group) -> None:
        """Refuses options that make no sense.

        Raises:
            GradvizError: `invalid-argument`.
        """
        super().check_options(group)
        self.at_least(group, "eps")
        for at, beta in enumerate(self.two(group, "betas", "(0.9, 0.999)")):
            name = f"betas[{at}]"
            self.at_least({name: beta}, name, below=1.0)


class Adam(WithBetas):
    """Divides the mean of the gradients by the root of the mean of their squares.

    Args:
        params: tensors, `(name, tensor)` pairs, or groups `{"params": ..., "lr": ...}`.
        lr: the length of a step.
        betas: how much of the means of gradients and of their squares is kept, each in [0, 1).
        eps: what keeps the divisor from being 0.
        weight_decay: the weight of a penalty on squared values.
        amsgrad: whether the divisor never shrinks.
        maximize: whether to step along the gradient.

    Raises:
        GradvizError: `invalid-argument` for parameters or options that make no sense.

    Example:
        >>> import gradviz as gv
        >>> w = gv.nn.Parameter([2.0])
        >>> opt = gv.optim.Adam([w], lr=0.5)
        >>> opt.step((w * w).sum().backward())
        >>> round(w.item(), 4)
        1.5
    """

    def __init__(
        self,
        params: Any,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        super().__init__(
            params,
            {
                "lr": lr,
                "betas": betas,
                "eps": eps,
                "weight_decay": weight_decay,
                "amsgrad": amsgrad,
                "maximize": maximize,
            },
        )

    def update(self, value: Any, gradient: Any, state: State, group: Group) -> Any:
        """The new array of one parameter."""
        if group["weight_decay"]:
            gradient = updates.decayed(gradient, value, group["weight_decay"])
        return self._adapted(value, gradient, state, group)

    def _adapted(self, value: Any, gradient: Any, state: State, group: Group) -> Any:
        if not state:
            state["step"] = 0
            state["exp_avg"] = updates.zeros_like(value)
            state["exp_avg_sq"] = updates.zeros_like(value)
            if group["amsgrad"]:
                state["max_exp_avg_sq"] = updates.zeros_like(value)
        state["step"] += 1
        return updates.adapted(
            value,
            gradient,
            state["exp_avg"],
            state["exp_avg_sq"],
            state["max_exp_avg_sq"] if group["amsgrad"] else None,
            group["lr"],
            state["step"],
            group["betas"],
            group["eps"],
        )


class AdamW(Adam):
    """Adam whose weight decay shrinks the values themselves and stays out of the means.

    Args:
        params: tensors, `(name, tensor)` pairs, or groups `{"params": ..., "lr": ...}`.
        lr: the length of a step.
        betas: how much of the means of gradients and of their squares is kept, each in [0, 1).
        eps: what keeps the divisor from being 0.
        weight_decay: how fast values shrink, in units of `lr`.
        amsgrad: whether the divisor never shrinks.
        maximize: whether to step along the gradient.

    Raises:
        GradvizError: `invalid-argument` for parameters or options that make no sense.

    Example:
        >>> import gradviz as gv
        >>> w = gv.nn.Parameter([2.0])
        >>> opt = gv.optim.AdamW([w], lr=0.5, weight_decay=0.1)
        >>> opt.step((w * w).sum().backward())
        >>> round(w.item(), 4)
        1.4
    """

    def __init__(
        self,
        params: Any,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, maximize=maximize)

    def update(self, value: Any, gradient: Any, state: State, group: Group) -> Any:
        """The new array of one parameter."""
        if group["weight_decay"]:
            value = updates.shrunk(value, 1.0 - group["lr"] * group["weight_decay"])
        return self._adapted(value, gradient, state, group)
