"""Learning rates that follow one cycle, or what training achieves."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from gradviz.errors import fail
from gradviz.optim.optimizer import Optimizer
from gradviz.optim.scheduling import LRScheduler, Schedule
from gradviz.tensor import canon


class OneCycleLR(LRScheduler):
    """Lets the rate rise to its largest and fall to almost nothing, along half cosines.

    Call `step()` after every step of the optimizer; its momentum stays as it is.

    Args:
        optimizer: the optimizer.
        max_lr: the largest rate.
        total_steps: how many steps there are.
        pct_start: the share of steps on which the rate rises.
        anneal_strategy: 'cos' or 'linear'.
        div_factor: the largest rate over the first.
        final_div_factor: the first rate over the last.

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> opt = gv.optim.SGD([gv.nn.Parameter([1.0])], lr=1.0)
        >>> scheduler = gv.optim.OneCycleLR(opt, max_lr=1.0, total_steps=11)
        >>> for _ in range(2):
        ...     scheduler.step()
        >>> round(opt.param_groups[0]["lr"], 2)
        0.96
    """

    relative: ClassVar[bool] = False

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: float,
        total_steps: int,
        pct_start: float = 0.3,
        anneal_strategy: str = "cos",
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
    ) -> None:
        name = "OneCycleLR"
        self.max_lr = canon.positive(name, "max_lr", max_lr)
        self.total_steps = canon.positive_whole(name, "total_steps", total_steps)
        self.pct_start = min(canon.at_least(name, "pct_start", pct_start, 0.0), 1.0)
        allowed = ("cos", "linear")
        self.anneal_strategy = canon.choice(name, "anneal_strategy", anneal_strategy, allowed)
        self.div_factor = canon.positive(name, "div_factor", div_factor)
        self.final_div_factor = canon.positive(name, "final_div_factor", final_div_factor)
        super().__init__(optimizer)
        self.base_lrs = [self._first()] * len(self.base_lrs)
        for group in optimizer.param_groups:  # for schedulers that are made after this one
            group["initial_lr"] = self._first()

    def _first(self) -> float:
        return self.max_lr / self.div_factor

    def rate(self, base: float, epoch: int) -> float:
        """The rate at a step, whatever it was before."""
        first = self._first()
        last = first / self.final_div_factor
        top = self.pct_start * self.total_steps - 1.0
        end = self.total_steps - 1.0
        if epoch <= top:
            return self._between(first, self.max_lr, epoch / top if top else 1.0)
        return self._between(self.max_lr, last, min((epoch - top) / (end - top), 1.0))

    def _between(self, start: float, end: float, done: float) -> float:
        if self.anneal_strategy == "linear":
            return start + (end - start) * done
        return end + (start - end) / 2.0 * (1.0 + math.cos(math.pi * done))


class ReduceLROnPlateau(Schedule):
    """Lowers the rate when a number has stopped getting better.

    Args:
        optimizer: the optimizer.
        mode: 'min' where lower is better, 'max' where higher is.
        factor: what the rate is multiplied by, below 1.
        patience: how many epochs without progress are let pass.
        threshold: how much counts as progress.
        threshold_mode: 'rel' for a share of the best, 'abs' for a number.
        cooldown: how many epochs to wait after the rate was lowered.
        min_lr: the lowest rate.
        eps: a smaller change of the rate isn't made.

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> opt = gv.optim.SGD([gv.nn.Parameter([1.0])], lr=1.0)
        >>> scheduler = gv.optim.ReduceLROnPlateau(opt, patience=1)
        >>> [scheduler.step(loss) or opt.param_groups[0]["lr"] for loss in (3.0, 2.0, 2.0, 2.0)]
        [1.0, 1.0, 1.0, 0.1]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: str = "rel",
        cooldown: int = 0,
        min_lr: float = 0.0,
        eps: float = 1e-8,
    ) -> None:
        super().__init__(optimizer)
        name = "ReduceLROnPlateau"
        self.mode = canon.choice(name, "mode", mode, ("min", "max"))
        self.factor = canon.at_least(name, "factor", factor, 0.0)
        if self.factor >= 1.0:
            raise fail(
                "invalid-argument",
                operation=name,
                complaint=f"factor is {factor}",
                reason="the rate would not become lower.",
                advice="Give a number below 1.",
            )
        self.patience = canon.whole_number(name, "patience", patience)
        self.threshold = canon.at_least(name, "threshold", threshold, 0.0)
        modes = ("rel", "abs")
        self.threshold_mode = canon.choice(name, "threshold_mode", threshold_mode, modes)
        self.cooldown = canon.whole_number(name, "cooldown", cooldown)
        self.min_lr = canon.at_least(name, "min_lr", min_lr, 0.0)
        self.eps = canon.at_least(name, "eps", eps, 0.0)
        self.best = math.inf if mode == "min" else -math.inf
        self.num_bad_epochs = 0
        self.cooldown_counter = 0
        self.last_epoch = 0

    def step(self, metrics: Any) -> None:
        """Takes note of an epoch's number, and lowers the rate where it is time.

        Args:
            metrics: a number, or a tensor of one element.

        Raises:
            GradvizError: `invalid-argument`.
        """
        value = float(canon.scalar("ReduceLROnPlateau.step", "metrics", metrics))
        self.last_epoch += 1
        if self._better(value):
            self.best = value
            self.num_bad_epochs = 0
        else:
            self.num_bad_epochs += 1
        if self.cooldown_counter > 0:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            for group in self.optimizer.param_groups:
                lower = max(group["lr"] * self.factor, self.min_lr)
                if group["lr"] - lower > self.eps:
                    group["lr"] = lower
            self.cooldown_counter = self.cooldown
            self.num_bad_epochs = 0

    def _better(self, value: float) -> bool:
        best, least = self.best, self.threshold
        if self.threshold_mode == "rel":
            if math.isinf(best):
                return value < best if self.mode == "min" else value > best
            least = least * best
        return value < best - least if self.mode == "min" else value > best + least
