"""RMSprop, Adagrad and Adadelta: steps divided by the size of each parameter's own gradients."""

from __future__ import annotations

from typing import Any

from gradviz.backends.ndarray import updates_more
from gradviz.backends.ndarray.updates import decayed, gathered, moved, zeros_like
from gradviz.optim.groups import Group
from gradviz.optim.optimizer import Optimizer, State


class RMSprop(Optimizer):
    """Divides gradients by the root of the running mean of their squares.

    Args:
        params: tensors, `(name, tensor)` pairs, or groups `{"params": ..., "lr": ...}`.
        lr: the length of a step.
        alpha: how much of the mean of squares is kept, in [0, 1).
        eps: what keeps the divisor from being 0.
        weight_decay: the weight of a penalty on squared values.
        momentum: how much of the last step is kept.
        centered: whether the squared mean of gradients is taken off the mean of squares.
        maximize: whether to step along the gradient.

    Raises:
        GradvizError: `invalid-argument` for parameters or options that make no sense.

    Example:
        >>> import gradviz as gv
        >>> w = gv.nn.Parameter([2.0])
        >>> opt = gv.optim.RMSprop([w], lr=0.1)
        >>> opt.step((w * w).sum().backward())
        >>> round(w.item(), 4)
        1.0
    """

    def __init__(
        self,
        params: Any,
        lr: float = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        momentum: float = 0.0,
        centered: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        super().__init__(
            params,
            {
                "lr": lr,
                "alpha": alpha,
                "eps": eps,
                "weight_decay": weight_decay,
                "momentum": momentum,
                "centered": centered,
                "maximize": maximize,
            },
        )

    def check_options(self, group: Group) -> None:
        """Refuses options that make no sense.

        Raises:
            GradvizError: `invalid-argument`.
        """
        super().check_options(group)
        self.at_least(group, "eps")
        self.at_least(group, "momentum")
        self.at_least(group, "alpha", below=1.0)

    def update(self, value: Any, gradient: Any, state: State, group: Group) -> Any:
        """The new array of one parameter."""
        if group["weight_decay"]:
            gradient = decayed(gradient, value, group["weight_decay"])
        if not state:
            state["square_avg"] = zeros_like(value)
            if group["centered"]:
                state["grad_avg"] = zeros_like(value)
            if group["momentum"]:
                state["momentum_buffer"] = zeros_like(value)
        step = updates_more.divided_by_mean(
            gradient, state["square_avg"], state.get("grad_avg"), group["alpha"], group["eps"]
        )
        if group["momentum"]:
            velocity = state["momentum_buffer"]
            gathered(velocity, step, group["momentum"], 1.0)
            step = velocity
        return moved(value, step, group["lr"])


class Adagrad(Optimizer):
    """Divides gradients by the root of the sum of all their squares so far.

    Args:
        params: tensors, `(name, tensor)` pairs, or groups `{"params": ..., "lr": ...}`.
        lr: the length of a step.
        lr_decay: how fast steps become shorter.
        weight_decay: the weight of a penalty on squared values.
        initial_accumulator_value: what the sums of squares start from.
        eps: what keeps the divisor from being 0.
        maximize: whether to step along the gradient.

    Raises:
        GradvizError: `invalid-argument` for parameters or options that make no sense.

    Example:
        >>> import gradviz as gv
        >>> w = gv.nn.Parameter([2.0])
        >>> opt = gv.optim.Adagrad([w], lr=0.5)
        >>> opt.step((w * w).sum().backward())
        >>> round(w.item(), 4)
        1.5
    """

    def __init__(
        self,
        params: Any,
        lr: float = 1e-2,
        lr_decay: float = 0.0,
        weight_decay: float = 0.0,
        initial_accumulator_value: float = 0.0,
        eps: float = 1e-10,
        *,
        maximize: bool = False,
    ) -> None:
        super().__init__(
            params,
            {
                "lr": lr,
                "lr_decay": lr_decay,
                "weight_decay": weight_decay,
                "initial_accumulator_value": initial_accumulator_value,
                "eps": eps,
                "maximize": maximize,
            },
        )

    def check_options(self, group: Group) -> None:
        """Refuses options that make no sense.

        Raises:
            GradvizError: `invalid-argument`.
        """
        super().check_options(group)
        for name in ("lr_decay", "initial_accumulator_value", "eps"):
            self.at_least(group, name)

    def update(self, value: Any, gradient: Any, state: State, group: Group) -> Any:
        """The new array of one parameter."""
        if group["weight_decay"]:
            gradient = decayed(gradient, value, group["weight_decay"])
        if not state:
            state["step"] = 0
            start = group["initial_accumulator_value"]
            state["sum"] = updates_more.filled_like(value, start)
        rate = group["lr"] / (1.0 + state["step"] * group["lr_decay"])
        state["step"] += 1
        step = updates_more.divided_by_sum(gradient, state["sum"], group["eps"])
        return moved(value, step, rate)


class Adadelta(Optimizer):
    """Gives steps the size that past steps had, as gradients have that of past gradients.

    The formula is that of Zeiler, "ADADELTA: An Adaptive Learning Rate Method" (2012).

    Args:
        params: tensors, `(name, tensor)` pairs, or groups `{"params": ..., "lr": ...}`.
        lr: what steps are multiplied by; 1 in the paper.
        rho: how much of the means of squares is kept, in [0, 1].
        eps: what the first steps come from, and what keeps divisors from being 0.
        weight_decay: the weight of a penalty on squared values.
        maximize: whether to step along the gradient.

    Raises:
        GradvizError: `invalid-argument` for parameters or options that make no sense.

    Example:
        >>> import gradviz as gv
        >>> w = gv.nn.Parameter([2.0])
        >>> opt = gv.optim.Adadelta([w], eps=0.01)
        >>> opt.step((w * w).sum().backward())
        >>> round(w.item(), 4)
        1.6848
    """

    def __init__(
        self,
        params: Any,
        lr: float = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0.0,
        *,
        maximize: bool = False,
    ) -> None:
        super().__init__(
            params,
            {
                "lr": lr,
                "rho": rho,
                "eps": eps,
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
        self.at_least(group, "eps")
        self.at_least(group, "rho", most=1.0)

    def update(self, value: Any, gradient: Any, state: State, group: Group) -> Any:
        """The new array of one parameter."""
        if group["weight_decay"]:
            gradient = decayed(gradient, value, group["weight_decay"])
        if not state:
            state["square_avg"] = zeros_like(value)
            state["acc_delta"] = zeros_like(value)
        step = updates_more.in_own_units(
            gradient, state["square_avg"], state["acc_delta"], group["rho"], group["eps"]
        )
        return moved(value, step, group["lr"])
