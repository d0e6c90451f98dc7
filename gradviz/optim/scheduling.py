"""Learning rates that change over time."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, ClassVar

from gradviz.errors import GradvizTypeError, fail
from gradviz.optim.optimizer import Optimizer
from gradviz.tensor import canon


class Schedule:
    """What all that sets the rates of an optimizer can do.

    Attributes:
        optimizer: the optimizer.
    """

    not_saved: ClassVar[tuple[str, ...]] = ("optimizer",)
    """Attributes that are no plain data; whoever loads a state has them."""

    def __init__(self, optimizer: Optimizer) -> None:
        if not isinstance(optimizer, Optimizer):
            raise fail(
                "invalid-argument",
                operation=type(self).__name__,
                complaint=f"a {type(optimizer).__name__} is no optimizer",
                advice="Give an optimizer, such as `gv.optim.SGD(...)`.",
                error=GradvizTypeError,
            )
        self.optimizer = optimizer

    def get_last_lr(self) -> list[float]:
        """The rate of each group now."""
        return [group["lr"] for group in self.optimizer.param_groups]

    def state_dict(self) -> dict[str, Any]:
        """Where the scheduler stands, as plain data."""
        return {
            name: list(value) if isinstance(value, list) else value
            for name, value in vars(self).items()
            if name not in self.not_saved
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over what `state_dict` returned.

        Raises:
            GradvizError: `invalid-argument` for the state of another scheduler.
        """
        self.check_state(state_dict)
        vars(self).update(state_dict)

    def check_state(self, state_dict: Any) -> None:
        """Refuses the state of another scheduler.

        Raises:
            GradvizError: `invalid-argument`.
        """
        if not isinstance(state_dict, dict) or set(state_dict) != set(self.state_dict()):
            raise fail(
                "invalid-argument",
                operation=f"{type(self).__name__}.load_state_dict",
                complaint="the state belongs to no scheduler of this class",
                advice="Give what its `state_dict()` returned.",
            )

    def parts(self) -> list[Schedule]:
        """The schedulers it is made of, itself among them."""
        return [self]


def per_group(operation: str, name: str, given: Any, optimizer: Any) -> list[Any]:
    """A value for every group, from one for all or a list.

    Raises:
        GradvizError: `invalid-argument` for a list of another length.
    """
    groups = len(getattr(optimizer, "param_groups", ()))
    if not isinstance(given, list | tuple):
        return [given] * max(groups, 1)
    if len(given) != groups:
        raise fail(
            "invalid-argument",
            operation=operation,
            complaint=f"{name} has {len(given)} values, the optimizer {groups} groups",
            advice="Give one for all groups, or a list with one for each.",
        )
    return list(given)


class LRScheduler(Schedule):
    """Sets the learning rates of an optimizer; `step()` goes on to the next epoch.

    Subclasses define `factor`, what every group's first rate is multiplied by. Several schedulers
    may work on one optimizer: each changes the rates that it finds by its own share.

    Attributes:
        optimizer: the optimizer.
        base_lrs: the rate of each group before any scheduler changed it; the group keeps it as
            "initial_lr".
        last_epoch: how many steps have been made.
    """

    relative: ClassVar[bool] = True
    """Whether rates that others have changed are kept in mind."""

    def __init__(self, optimizer: Optimizer) -> None:
        super().__init__(optimizer)
        self.base_lrs: list[float] = []
        self.last_epoch = 0
        self._apply()

    def factor(self, epoch: int) -> float:
        """What the first rates are multiplied by in an epoch, counted from 0."""
        raise NotImplementedError(f"{type(self).__name__} must define factor")

    def rate(self, base: float, epoch: int) -> float:
        """The rate in an epoch of a group that started with `base`."""
        return base * self.factor(epoch)

    def lowest(self) -> float:
        """The rate above which shares are measured."""
        return 0.0

    def step(self) -> None:
        """Goes on to the next epoch: call it after the optimizer's steps of this one."""
        self.last_epoch += 1
        self._apply()

    def begin(self) -> None:
        """Starts over from the rates that are set now."""
        self.last_epoch = 0
        self._apply()

    def take_over(self) -> None:
        """Starts over from the first rates, whatever the last scheduler made of them."""
        for group, base in zip(self.optimizer.param_groups, self.base_lrs, strict=False):
            group["lr"] = base
        self.begin()

    def _apply(self) -> None:
        groups = self.optimizer.param_groups
        # A group that was added later starts from the rate it came with.
        for group in groups[len(self.base_lrs) :]:
            group.setdefault("initial_lr", group["lr"])
            self.base_lrs.append(float(group["initial_lr"]))
        for at, group in enumerate(groups):
            group["lr"] = self._changed(at, group["lr"])

    def _changed(self, at: int, found: float) -> float:
        """The rate of a group in this epoch; `found` is what it had until now."""
        base, epoch = self.base_lrs[at], self.last_epoch
        new = self.rate(base, epoch)
        if not self.relative:
            return new
        old = self.rate(base, epoch - 1) if epoch else base
        if found == old:
            return new  # nobody else is at work: free of the rounding of a product of shares
        low = self.lowest()
        if old == low:
            return found + (new - old)  # there is no share of nothing
        return low + (found - low) * ((new - low) / (old - low))


class StepLR(LRScheduler):
    """Multiplies the rate by `gamma` every `step_size` epochs.

    Args:
        optimizer: the optimizer.
        step_size: after how many epochs.
        gamma: the factor.

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> opt = gv.optim.SGD([gv.nn.Parameter([1.0])], lr=1.0)
        >>> scheduler = gv.optim.StepLR(opt, step_size=2, gamma=0.5)
        >>> [scheduler.step() or opt.param_groups[0]["lr"] for _ in range(4)]
        [1.0, 0.5, 0.5, 0.25]
    """

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1) -> None:
        self.step_size = canon.positive_whole("StepLR", "step_size", step_size)
        self.gamma = canon.scalar("StepLR", "gamma", gamma)
        super().__init__(optimizer)

    def factor(self, epoch: int) -> float:
        """Powers of `gamma`."""
        return float(self.gamma ** (epoch // self.step_size))


class MultiStepLR(LRScheduler):
    """Multiplies the rate by `gamma` at every one of several epochs.

    Args:
        optimizer: the optimizer.
        milestones: the epochs.
        gamma: the factor.

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> opt = gv.optim.SGD([gv.nn.Parameter([1.0])], lr=1.0)
        >>> scheduler = gv.optim.MultiStepLR(opt, [1, 3], gamma=0.5)
        >>> [scheduler.step() or opt.param_groups[0]["lr"] for _ in range(4)]
        [0.5, 0.5, 0.25, 0.25]
    """

    def __init__(self, optimizer: Optimizer, milestones: Iterable[int], gamma: float = 0.1) -> None:
        given = list(milestones) if isinstance(milestones, Iterable) else milestones
        self.milestones = sorted(canon.whole_numbers("MultiStepLR", "milestones", given))
        self.gamma = canon.scalar("MultiStepLR", "gamma", gamma)
        super().__init__(optimizer)

    def factor(self, epoch: int) -> float:
        """One power of `gamma` for every milestone that is past."""
        return float(self.gamma ** sum(epoch >= at for at in self.milestones))


class ExponentialLR(LRScheduler):
    """Multiplies the rate by `gamma` every epoch.

    Args:
        optimizer: the optimizer.
        gamma: the factor.

    Example:
        >>> import gradviz as gv
        >>> opt = gv.optim.SGD([gv.nn.Parameter([1.0])], lr=1.0)
        >>> scheduler = gv.optim.ExponentialLR(opt, gamma=0.5)
        >>> [scheduler.step() or opt.param_groups[0]["lr"] for _ in range(2)]
        [0.5, 0.25]
    """

    def __init__(self, optimizer: Optimizer, gamma: float) -> None:
        self.gamma = canon.scalar("ExponentialLR", "gamma", gamma)
        super().__init__(optimizer)

    def factor(self, epoch: int) -> float:
        """A power of `gamma`."""
        return float(self.gamma**epoch)


class LinearLR(LRScheduler):
    """Moves the rate evenly from one share of it to another.

    Args:
        optimizer: the optimizer.
        start_factor: the share at the start, above 0.
        end_factor: the share at the end.
        total_iters: how many epochs that takes.

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> opt = gv.optim.SGD([gv.nn.Parameter([1.0])], lr=1.0)
        >>> scheduler = gv.optim.LinearLR(opt, start_factor=0.5, total_iters=2)
        >>> [scheduler.step() or opt.param_groups[0]["lr"] for _ in range(2)]
        [0.75, 1.0]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: float = 1.0 / 3.0,
        end_factor: float = 1.0,
        total_iters: int = 5,
    ) -> None:
        self.start_factor = canon.positive("LinearLR", "start_factor", start_factor)
        self.end_factor = canon.at_least("LinearLR", "end_factor", end_factor, 0.0)
        self.total_iters = canon.whole_number("LinearLR", "total_iters", total_iters)
        super().__init__(optimizer)

    def factor(self, epoch: int) -> float:
        """A share between the first and the last."""
        if self.total_iters <= 0:
            return self.end_factor
        done = min(epoch / self.total_iters, 1.0)
        return self.start_factor + (self.end_factor - self.start_factor) * done


class ConstantLR(LRScheduler):
    """Multiplies the rate by one factor until a number of epochs is past.

    Args:
        optimizer: the optimizer.
        factor: what the rate is multiplied by, from 0 to 1.
        total_iters: for how many epochs.

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> opt = gv.optim.SGD([gv.nn.Parameter([1.0])], lr=1.0)
        >>> scheduler = gv.optim.ConstantLR(opt, factor=0.5, total_iters=2)
        >>> [scheduler.step() or opt.param_groups[0]["lr"] for _ in range(2)]
        [0.5, 1.0]
    """

    def __init__(
        self, optimizer: Optimizer, factor: float = 1.0 / 3.0, total_iters: int = 5
    ) -> None:
        self.start_factor = canon.at_least("ConstantLR", "factor", factor, 0.0)
        if self.start_factor > 1.0:
            raise fail(
                "invalid-argument",
                operation="ConstantLR",
                complaint=f"factor is {self.start_factor}",
                reason="the first epochs have at most the full rate.",
                advice="Give a number from 0 to 1.",
            )
        self.total_iters = canon.whole_from("ConstantLR", "total_iters", total_iters, 0)
        super().__init__(optimizer)

    def factor(self, epoch: int) -> float:
        """The factor, and 1 when its time is past."""
        return self.start_factor if epoch < self.total_iters else 1.0


class PolynomialLR(LRScheduler):
    """Lets the rate fall to 0 by a power of the time that is left.

    Args:
        optimizer: the optimizer.
        total_iters: how many epochs that takes.
        power: the power; 1 for a straight line.

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> opt = gv.optim.SGD([gv.nn.Parameter([1.0])], lr=1.0)
        >>> scheduler = gv.optim.PolynomialLR(opt, total_iters=4, power=2.0)
        >>> [scheduler.step() or opt.param_groups[0]["lr"] for _ in range(4)]
        [0.5625, 0.25, 0.0625, 0.0]
    """

    def __init__(self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0) -> None:
        self.total_iters = canon.positive_whole("PolynomialLR", "total_iters", total_iters)
        self.power = canon.at_least("PolynomialLR", "power", power, 0.0)
        super().__init__(optimizer)

    def factor(self, epoch: int) -> float:
        """A power of the share of time that is left."""
        return float((1.0 - min(epoch / self.total_iters, 1.0)) ** self.power)


class CosineAnnealingLR(LRScheduler):
    """Lets the rate fall along half a cosine, and rise again.

    Args:
        optimizer: the optimizer.
        T_max: after how many epochs the lowest rate is reached.
        eta_min: the lowest rate.

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> opt = gv.optim.SGD([gv.nn.Parameter([1.0])], lr=1.0)
        >>> scheduler = gv.optim.CosineAnnealingLR(opt, T_max=2)
        >>> [round(scheduler.step() or opt.param_groups[0]["lr"], 4) for _ in range(2)]
        [0.5, 0.0]
    """

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0) -> None:  # noqa: N803 - PyTorch's
        name = "CosineAnnealingLR"
        self.T_max = canon.positive_whole(name, "T_max", T_max)
        self.eta_min = canon.scalar(name, "eta_min", eta_min)
        super().__init__(optimizer)

    def lowest(self) -> float:
        """The lowest rate."""
        return float(self.eta_min)

    def rate(self, base: float, epoch: int) -> float:
        """A rate between the first and the lowest."""
        share = (1.0 + math.cos(math.pi * epoch / self.T_max)) / 2.0
        return float(self.eta_min + (base - self.eta_min) * share)
