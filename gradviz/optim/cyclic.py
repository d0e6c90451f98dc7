"""Learning rates that come back: cycles and restarts."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, ClassVar

from gradviz.errors import GradvizTypeError, fail
from gradviz.optim.groups import Group
from gradviz.optim.optimizer import Optimizer
from gradviz.optim.scheduling import LRScheduler, per_group
from gradviz.tensor import canon


class CosineAnnealingWarmRestarts(LRScheduler):
    """Lets the rate fall along half a cosine, then starts from the top, again and again.

    The method is that of Loshchilov and Hutter, "SGDR: Stochastic Gradient Descent with Warm
    Restarts" (2017).

    Args:
        optimizer: the optimizer.
        T_0: how many epochs the first fall takes.
        T_mult: how many times as long as the last each fall takes.
        eta_min: the lowest rate.

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> opt = gv.optim.SGD([gv.nn.Parameter([1.0])], lr=1.0)
        >>> scheduler = gv.optim.CosineAnnealingWarmRestarts(opt, T_0=2)
        >>> [round(scheduler.step() or opt.param_groups[0]["lr"], 4) for _ in range(4)]
        [0.5, 1.0, 0.5, 1.0]
    """

    relative: ClassVar[bool] = False

    def __init__(
        self,
        optimizer: Optimizer,
        T_0: int,  # noqa: N803 - PyTorch's
        T_mult: int = 1,  # noqa: N803
        eta_min: float = 0.0,
    ) -> None:
        name = "CosineAnnealingWarmRestarts"
        self.T_0 = canon.positive_whole(name, "T_0", T_0)
        self.T_mult = canon.positive_whole(name, "T_mult", T_mult)
        self.eta_min = canon.scalar(name, "eta_min", eta_min)
        self.T_cur, self.T_i = 0.0, self.T_0
        super().__init__(optimizer)

    def begin(self) -> None:
        """Starts over with the first fall."""
        self.T_cur, self.T_i = 0.0, self.T_0
        super().begin()

    def step(self, epoch: float | None = None) -> None:
        """Goes on to the next epoch, or to one that is named.

        Args:
            epoch: the epoch, counted from 0; with a fraction within an epoch, such as
                `epoch + batch / batches`.

        Raises:
            GradvizError: `invalid-argument` for an epoch below 0.
        """
        if epoch is None:
            self.last_epoch += 1
            self.T_cur += 1
        else:
            epoch = canon.at_least(f"{type(self).__name__}.step", "epoch", epoch, 0.0)
            self.last_epoch = math.floor(epoch)
            self.T_cur, self.T_i = epoch, self.T_0
        if self.T_mult == 1:
            self.T_cur %= self.T_i
        while self.T_cur >= self.T_i:
            self.T_cur -= self.T_i
            self.T_i *= self.T_mult
        self._apply()

    def rate(self, base: float, epoch: int) -> float:
        """A rate between the first and the lowest."""
        share = (1.0 + math.cos(math.pi * self.T_cur / self.T_i)) / 2.0
        return float(self.eta_min + (base - self.eta_min) * share)


class CyclicLR(LRScheduler):
    """Lets the rate rise and fall between two limits, and momentum fall and rise with it.

    Call `step()` after every step of the optimizer. The method is that of Smith, "Cyclical Learning
    Rates for Training Neural Networks" (2017).

    Args:
        optimizer: the optimizer.
        base_lr: the lower limit, also a list with one for every group.
        max_lr: the upper limit, also a list with one for every group.
        step_size_up: how many steps the rate rises in a cycle.
        step_size_down: how many steps it falls; as many where it is left out.
        mode: 'triangular' for cycles of one height, 'triangular2' for half the height each time,
            'exp_range' for a height that changes by `gamma` with every step.
        gamma: the factor of 'exp_range'.
        scale_fn: a function that gives the height instead, as a share of the full one.
        scale_mode: what `scale_fn` is given: 'cycle', counted from 1, or 'iterations', from 0.
        cycle_momentum: whether momentum, or the first of `betas`, changes the other way round.
        base_momentum: the lower limit of momentum, also a list with one for every group.
        max_momentum: the upper limit of momentum, also a list with one for every group.

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> opt = gv.optim.SGD([gv.nn.Parameter([1.0])], lr=1.0)
        >>> scheduler = gv.optim.CyclicLR(opt, base_lr=0.0, max_lr=1.0, step_size_up=2)
        >>> [scheduler.step() or opt.param_groups[0]["lr"] for _ in range(4)]
        [0.5, 1.0, 0.5, 0.0]
    """

    relative: ClassVar[bool] = False
    not_saved = ("optimizer", "scale_fn")

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: float | list[float],
        max_lr: float | list[float],
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: str = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: str = "cycle",
        cycle_momentum: bool = True,
        base_momentum: float | list[float] = 0.8,
        max_momentum: float | list[float] = 0.9,
    ) -> None:
        name = "CyclicLR"
        lowest = _limits("base_lr", base_lr, optimizer)
        self.max_lrs = _limits("max_lr", max_lr, optimizer)
        up = canon.positive(name, "step_size_up", step_size_up)
        down = up
        if step_size_down is not None:
            down = canon.positive(name, "step_size_down", step_size_down)
        self.total_size = up + down
        self.step_ratio = up / self.total_size
        self.mode = canon.choice(name, "mode", mode, ("triangular", "triangular2", "exp_range"))
        self.gamma = canon.scalar(name, "gamma", gamma)
        if scale_fn is not None and not callable(scale_fn):
            raise fail(
                "invalid-argument",
                operation=name,
                complaint=f"scale_fn is a {type(scale_fn).__name__}, which can't be called",
                advice="Give a function of a number, or leave it out.",
                error=GradvizTypeError,
            )
        self.scale_fn = scale_fn
        self.scale_mode = canon.choice(name, "scale_mode", scale_mode, ("cycle", "iterations"))
        self.cycle_momentum = canon.flag(name, "cycle_momentum", cycle_momentum)
        self.base_momentums = _limits("base_momentum", base_momentum, optimizer)
        self.max_momentums = _limits("max_momentum", max_momentum, optimizer)
        if isinstance(optimizer, Optimizer):  # anything else is refused below
            if self.cycle_momentum:
                self._check_momentum(optimizer)
            for group, base in zip(optimizer.param_groups, lowest, strict=True):
                group["lr"] = base
        super().__init__(optimizer)
        # Also where another scheduler has already settled what the first rates are.
        self.base_lrs = lowest
        self._apply()

    def _check_momentum(self, optimizer: Optimizer) -> None:
        if not {"momentum", "betas"} & set(optimizer.defaults):
            raise fail(
                "invalid-argument",
                operation="CyclicLR",
                complaint=f"{type(optimizer).__name__} has no momentum to change",
                advice="Write `cycle_momentum=False`, or take an optimizer with momentum.",
            )
        for limits in (self.base_momentums, self.max_momentums):
            for group, momentum in zip(optimizer.param_groups, limits, strict=True):
                optimizer.check_options({**group, **_as_option(group, momentum)})

    def rate(self, base: float, epoch: int) -> float:
        """The rate at a step of a group like the first."""
        return base + (self.max_lrs[0] - base) * self._height(epoch)

    def _changed(self, at: int, found: float) -> float:
        base, top = self.base_lrs[at], _of_group(self.max_lrs, at)
        return base + (top - base) * self._height(self.last_epoch)

    def _apply(self) -> None:
        super()._apply()
        if not self.cycle_momentum:
            return
        for at, group in enumerate(self.optimizer.param_groups):
            low, top = _of_group(self.base_momentums, at), _of_group(self.max_momentums, at)
            group.update(_as_option(group, top - (top - low) * self._height(self.last_epoch)))

    def _height(self, step: int) -> float:
        """How far above the lower limit a step is, as a share of the way to the upper."""
        cycle = math.floor(1.0 + step / self.total_size)
        done = 1.0 + step / self.total_size - cycle
        if done <= self.step_ratio:
            share = done / self.step_ratio
        else:
            share = (done - 1.0) / (self.step_ratio - 1.0)
        if self.scale_fn is not None:
            return share * float(self.scale_fn(cycle if self.scale_mode == "cycle" else step))
        if self.mode == "triangular2":
            return float(share / 2.0 ** (cycle - 1))
        return float(share * self.gamma**step) if self.mode == "exp_range" else share


def _limits(name: str, given: Any, optimizer: Any) -> list[float]:
    values = per_group("CyclicLR", name, given, optimizer)
    return [canon.at_least("CyclicLR", name, value, 0.0) for value in values]


def _of_group(values: list[float], at: int) -> float:
    """The value of a group; groups that came later have that of the last."""
    return values[min(at, len(values) - 1)]


def _as_option(group: Group, momentum: float) -> Group:
    if "betas" in group:
        return {"betas": (momentum, *group["betas"][1:])}
    return {"momentum": momentum}
