"""Stochastic gradient descent."""

from __future__ import annotations

from typing import Any

from gradviz.backends.ndarray import updates
from gradviz.errors import fail
from gradviz.optim.groups import Group
from gradviz.optim.optimizer import Optimizer, State


class SGD(Optimizer):
    """Steps against the gradient, with momentum where it is asked for.

    Args:
        params: tensors, `(name, tensor)` pairs, or groups `{"params": ..., "lr": ...}`.
        lr: the length of a step.
        momentum: how much of the last step is kept.
        dampening: how much of the gradient is left out where there is momentum.
        weight_decay: the weight of a penalty on squared values.
        nesterov: whether the gradient looks a step of momentum ahead.
        maximize: whether to step along the gradient.

    Raises:
        GradvizError: `invalid-argument` for parameters or options that make no sense.

    Example:
        >>> import gradviz as gv
        >>> w = gv.nn.Parameter([2.0])
        >>> opt = gv.optim.SGD([w], lr=0.25)
        >>> opt.step((w * w).sum().backward())
        >>> w.tolist()
        [1.0]
    """

    def __init__(
        self,
        params: Any,
        lr: float = 1e-3,
        momentum: float = 0.0,
        dampening: float = 0.0,
        weight_decay: float = 0.0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        super().__init__(
            params,
            {
                "lr": lr,
                "momentum": momentum,
                "dampening": dampening,
                "weight_decay": weight_decay,
                "nesterov": nesterov,
                "maximize": maximize,
            },
        )

    def check_options(self, group: Group) -> None:
        """Refuses options that make no sense.

        Raises:
            GradvizError: `invalid-argument`.
        """
        super().check_options(group)
        self.at_least(group, "momentum")
        if group["nesterov"] and (group["momentum"] <= 0 or group["dampening"] != 0):
            raise fail(
                "invalid-argument",
                operation="SGD",
                complaint="nesterov needs a momentum and no dampening",
                advice="Give `momentum=0.9`, and leave `dampening` out.",
            )

    def update(self, value: Any, gradient: Any, state: State, group: Group) -> Any:
        """The new array of one parameter."""
        if group["weight_decay"]:
            gradient = updates.decayed(gradient, value, group["weight_decay"])
        momentum = group["momentum"]
        if momentum:
            velocity = state.get("momentum_buffer")
            if velocity is None:
                velocity = state["momentum_buffer"] = updates.copied(gradient)
            else:
                updates.gathered(velocity, gradient, momentum, 1.0 - group["dampening"])
            if group["nesterov"]:
                gradient = updates.ahead(gradient, velocity, momentum)
            else:
                gradient = velocity
        return updates.moved(value, gradient, group["lr"])
