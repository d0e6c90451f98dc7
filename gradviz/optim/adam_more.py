"""Adamax, NAdam and RAdam: what came of Adam."""

from __future__ import annotations

import math
from typing import Any

from gradviz.backends.ndarray import updates, updates_more
from gradviz.optim.adam import WithBetas
from gradviz.optim.groups import Group
from gradviz.optim.optimizer import State


class Adamax(WithBetas):
    """Divides the mean of the gradients by the largest of late, which fades with time.

    The formula is that of Kingma and Ba, "Adam: A Method for Stochastic Optimization" (2015).

    Args:
        params: tensors, `(name, tensor)` pairs, or groups `{"params": ..., "lr": ...}`.
        lr: the length of a step.
        betas: how much of the mean of gradients and of the largest is kept, each in [0, 1).
        eps: what keeps the divisor from being 0.
        weight_decay: the weight of a penalty on squared values.
        maximize: whether to step along the gradient.

    Raises:
        GradvizError: `invalid-argument` for parameters or options that make no sense.

    Example:
        >>> import gradviz as gv
        >>> w = gv.nn.Parameter([2.0])
        >>> opt = gv.optim.Adamax([w], lr=0.5)
        >>> opt.step((w * w).sum().backward())
        >>> round(w.item(), 4)
        1.5
    """

    def __init__(
        self,
        params: Any,
        lr: float = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
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
                "maximize": maximize,
            },
        )

    def update(self, value: Any, gradient: Any, state: State, group: Group) -> Any:
        """The new array of one parameter."""
        if group["weight_decay"]:
            gradient = updates.decayed(gradient, value, group["weight_decay"])
        if not state:
            state["step"] = 0
            state["exp_avg"] = updates.zeros_like(value)
            state["exp_inf"] = updates.zeros_like(value)
        state["step"] += 1
        step = updates_more.over_largest(
            gradient, state["exp_avg"], state["exp_inf"], group["betas"], group["eps"]
        )
        return updates.moved(value, step, group["lr"] / (1.0 - group["betas"][0] ** state["step"]))


class _WithMeans(WithBetas):
    """What NAdam and RAdam share: weight decay of both kinds, and the means of Adam."""

    def update(self, value: Any, gradient: Any, state: State, group: Group) -> Any:
        """The new array of one parameter."""
        decay = group["weight_decay"]
        if decay and group["decoupled_weight_decay"]:
            value = updates.shrunk(value, 1.0 - group["lr"] * decay)
        elif decay:
            gradient = updates.decayed(gradient, value, decay)
        if not state:
            state["step"] = 0
            state["exp_avg"] = updates.zeros_like(value)
            state["exp_avg_sq"] = updates.zeros_like(value)
        state["step"] += 1
        updates_more.both_gathered(gradient, state["exp_avg"], state["exp_avg_sq"], group["betas"])
        step, rate = self._step(gradient, state, group)
        return updates.moved(value, step, rate)

    def _step(self, gradient: Any, state: State, group: Group) -> tuple[Any, float]:
        """A direction, and how far to go against it."""
        raise NotImplementedError


class NAdam(_WithMeans):
    """Adam whose mean of gradients looks a step ahead, as Nesterov's momentum does.

    The formula is that of Dozat, "Incorporating Nesterov Momentum into Adam" (2016).

    Args:
        params: tensors, `(name, tensor)` pairs, or groups `{"params": ..., "lr": ...}`.
        lr: the length of a step.
        betas: how much of the means of gradients and of their squares is kept, each in [0, 1).
        eps: what keeps the divisor from being 0.
        weight_decay: the weight of a penalty on squared values.
        momentum_decay: how fast the first of `betas` grows to its full size.
        decoupled_weight_decay: whether `weight_decay` shrinks the values themselves, as in AdamW.
        maximize: whether to step along the gradient.

    Raises:
        GradvizError: `invalid-argument` for parameters or options that make no sense.

    Example:
        >>> import gradviz as gv
        >>> w = gv.nn.Parameter([2.0])
        >>> opt = gv.optim.NAdam([w], lr=0.5)
        >>> opt.step((w * w).sum().backward())
        >>> round(w.item(), 4)
        1.4718
    """

    def __init__(
        self,
        params: Any,
        lr: float = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        momentum_decay: float = 4e-3,
        decoupled_weight_decay: bool = False,
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
                "momentum_decay": momentum_decay,
                "decoupled_weight_decay": decoupled_weight_decay,
                "maximize": maximize,
            },
        )

    def check_options(self, group: Group) -> None:
        """Refuses options that make no sense.

        Raises:
            GradvizError: `invalid-argument`.
        """
        super().check_options(group)
        self.at_least(group, "momentum_decay")

    def _step(self, gradient: Any, state: State, group: Group) -> tuple[Any, float]:
        now, later = (_momentum(group, at) for at in (state["step"], state["step"] + 1))
        product = state["mu_product"] = state.get("mu_product", 1.0) * now
        root = math.sqrt(1.0 - group["betas"][1] ** state["step"])
        ahead = updates_more.mixed(
            gradient,
            (1.0 - now) / (1.0 - product),
            state["exp_avg"],
            later / (1.0 - product * later),
        )
        # The bias of the squares, taken out of the root, is a factor of the rate.
        step = updates_more.over_root(ahead, state["exp_avg_sq"], group["eps"] * root)
        return step, group["lr"] * root


def _momentum(group: Group, step: int) -> float:
    """How much of the mean is kept at a step, counted from 1; the numbers are Dozat's."""
    return float(group["betas"][0] * (1.0 - 0.5 * 0.96 ** (step * group["momentum_decay"])))


class RAdam(_WithMeans):
    """Adam that goes by the mean of gradients alone until their squares are known well enough.

    The formula is that of Liu et al., "On the Variance of the Adaptive Learning Rate and Beyond"
    (2020).

    Args:
        params: tensors, `(name, tensor)` pairs, or groups `{"params": ..., "lr": ...}`.
        lr: the length of a step.
        betas: how much of the means of gradients and of their squares is kept, each in [0, 1).
        eps: what keeps the divisor from being 0.
        weight_decay: the weight of a penalty on squared values.
        decoupled_weight_decay: whether `weight_decay` shrinks the values themselves, as in AdamW.
        maximize: whether to step along the gradient.

    Raises:
        GradvizError: `invalid-argument` for parameters or options that make no sense.

    Example:
        >>> import gradviz as gv
        >>> w = gv.nn.Parameter([2.0])
        >>> opt = gv.optim.RAdam([w], lr=0.25)
        >>> opt.step((w * w).sum().backward())
        >>> round(w.item(), 4)
        1.0
    """

    def __init__(
        self,
        params: Any,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        decoupled_weight_decay: bool = False,
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
                "decoupled_weight_decay": decoupled_weight_decay,
                "maximize": maximize,
            },
        )

    def _step(self, gradient: Any, state: State, group: Group) -> tuple[Any, float]:
        first, second = group["betas"]
        mean, count = state["exp_avg"], state["step"]
        rate = group["lr"] / (1.0 - first**count)
        unbias = 1.0 - second**count
        # `known` is how many squares the mean of squares is worth, `most` what that comes to.
        most = 2.0 / (1.0 - second) - 1.0
        known = most - 2.0 * count * second**count / unbias
        if known <= 5.0:
            return mean, rate
        trust = (known - 4.0) * (known - 2.0) * most / ((most - 4.0) * (most - 2.0) * known)
        step = updates_more.over_root(mean, state["exp_avg_sq"], group["eps"])
        return step, rate * math.sqrt(trust * unbias)
