"""Stochastic gradient descent, plain and averaged."""

from __future__ import annotations

from typing import Any

from gradviz.backends.ndarray import updates, updates_more
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


class ASGD(Optimizer):
    """Steps against the gradient, shorter and shorter, and averages the values on its way.

    The method is that of Polyak and Juditsky, "Acceleration of Stochastic Approximation by
    Averaging" (1992). The average of a parameter is `opt.state[parameter]["ax"]`, an array.

    Args:
        params: tensors, `(name, tensor)` pairs, or groups `{"params": ..., "lr": ...}`.
        lr: the length of the first step.
        lambd: how fast values shrink, in units of the length of a step; steps become shorter with
            it too.
        alpha: the power of time by which steps become shorter.
        t0: from the second step after this one on values are averaged; until then the average is
            the value itself.
        weight_decay: the weight of a penalty on squared values.
        maximize: whether to step along the gradient.

    Raises:
        GradvizError: `invalid-argument` for parameters or options that make no sense.

    Example:
        >>> import gradviz as gv
        >>> w = gv.nn.Parameter([2.0])
        >>> opt = gv.optim.ASGD([w], lr=0.25, lambd=0.0, t0=0.0)
        >>> for _ in range(3):
        ...     opt.step((w * w).sum().backward())
        >>> w.tolist(), opt.state[w]["ax"].tolist()
        ([0.25], [0.375])
    """

    def __init__(
        self,
        params: Any,
        lr: float = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0.0,
        maximize: bool = False,
    ) -> None:
        super().__init__(
            params,
            {
                "lr": lr,
                "lambd": lambd,
                "alpha": alpha,
                "t0": t0,
                "weight_decay": weight_decay,
                "maximize": maximize,
            },
        )

    def check_options(self, group: Group) -> None:
        """Refuses options that make no sense.

        Raises:
            GradvizError: `invalid-argument`.
        """
        super().check_options(group)
        for name in ("lambd", "alpha", "t0"):
            self.at_least(group, name)

    def update(self, value: Any, gradient: Any, state: State, group: Group) -> Any:
        """The new array of one parameter."""
        if group["weight_decay"]:
            gradient = updates.decayed(gradient, value, group["weight_decay"])
        if not state:
            state["step"] = 0
            state["eta"] = group["lr"]
            state["mu"] = 1.0
            state["ax"] = updates.zeros_like(value)
        state["step"] += 1
        shrunk = updates.shrunk(value, 1.0 - group["lambd"] * state["eta"])
        value = updates.moved(shrunk, gradient, state["eta"])
        updates_more.averaged(state["ax"], value, state["mu"])
        # Length and share are those of the next step: a rate that a scheduler sets comes one later.
        past = 1.0 + group["lambd"] * group["lr"] * state["step"]
        state["eta"] = group["lr"] / past ** group["alpha"]
        state["mu"] = 1.0 / max(1.0, state["step"] - group["t0"])
        return value
