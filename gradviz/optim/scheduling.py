"""Learning rates that change over time."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from gradviz.errors import GradvizTypeError, fail
from gradviz.optim.optimizer import Optimizer
from gradviz.tensor import canon


class Schedule:
    """What all that sets the rates of an optimizer can do.

    Attributes:
        optimizer: the optimizer.
    """

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
            if name != "optimizer"
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over what `state_dict` returned.

        Raises:
            GradvizError: `invalid-argument` for the state of another scheduler.
        """
        if not isinstance(state_dict, dict) or set(state_dict) != set(self.state_dict()):
            raise fail(
                "invalid-argument",
                operation=f"{type(self).__name__}.load_state_dict",
                complaint="the state belongs to no scheduler of this class",
                advice="Give what its `state_dict()` returned.",
            )
        vars(self).update(state_dict)


class LRScheduler(Schedule):
    """Sets the learning rates of an optimizer; `step()` goes on to the next epoch.

    Subclasses define `factor`, what every group's first rate is multiplied by.

    Attributes:
        optimizer: the optimizer.
        base_lrs: the rate of each group at the start.
        last_epoch: how many steps have been made.
    """

    def __init__(self, optimizer: Optimizer) -> None:
        super().__init__(optimizer)
        self.base_lrs = [float(group["lr"]) for group in optimizer.param_groups]
        self.last_epoch = 0
        self._apply()

    def factor(self, epoch: int) -> float:
        """What the first rates are multiplied by in an epoch, counted from 0."""
        raise NotImplementedError(f"{type(self).__name__} must define factor")

    def rate(self, base: float, epoch: int) -> float:
        """The rate in an epoch of a group that started with `base`."""
        return base * self.factor(epoch)

    def step(self) -> None:
        """Goes on to the next epoch: call it after the optimizer's steps of this one."""
        self.last_epoch += 1
        self._apply()

    def _apply(self) -> None:
        groups = self.optimizer.param_groups
        # A group that was added later starts from the rate it came with.
        self.base_lrs += [float(group["lr"]) for group in groups[len(self.base_lrs) :]]
        for group, base in zip(groups, self.base_lrs, strict=True):
            group["lr"] = self.rate(base, self.last_epoch)


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

    def rate(self, base: float, epoch: int) -> float:
        """A rate between the first and the lowest."""
        share = (1.0 + math.cos(math.pi * epoch / self.T_max)) / 2.0
        return float(self.eta_min + (base - self.eta_min) * share)


class LambdaLR(LRScheduler):
    """Multiplies the first rate by a function of the epoch.

    Args:
        optimizer: the optimizer.
        lr_lambda: the function, of the number of the epoch.

    Example:
        >>> import gradviz as gv
        >>> opt = gv.optim.SGD([gv.nn.Parameter([1.0])], lr=1.0)
        >>> scheduler = gv.optim.LambdaLR(opt, lambda epoch: 1.0 / (1 + epoch))
        >>> scheduler.step() or opt.param_groups[0]["lr"]
        0.5
    """

    def __init__(self, optimizer: Optimizer, lr_lambda: Any) -> None:
        if not callable(lr_lambda):
            raise fail(
                "invalid-argument",
                operation="LambdaLR",
                complaint=f"a {type(lr_lambda).__name__} can't be called",
                advice="Give a function of the number of the epoch.",
                error=GradvizTypeError,
            )
        self.lr_lambda = lr_lambda
        super().__init__(optimizer)

    def factor(self, epoch: int) -> float:
        """What the function says."""
        return float(self.lr_lambda(epoch))
