"""Learning rates that functions of the user's decide."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradviz.errors import GradvizTypeError, fail
from gradviz.optim.optimizer import Optimizer
from gradviz.optim.scheduling import LRScheduler, per_group


class ByFunctions(LRScheduler):
    """What schedulers have in common that ask functions of the user's.

    Attributes:
        lr_lambdas: the functions; groups that come later go by the last one.
    """

    not_saved = ("optimizer", "lr_lambdas")

    def __init__(self, optimizer: Optimizer, lr_lambda: Any) -> None:
        self.lr_lambdas: list[Callable[[int], float]] = per_group(
            type(self).__name__, "lr_lambda", lr_lambda, optimizer
        )
        for function in self.lr_lambdas:
            if not callable(function):
                raise fail(
                    "invalid-argument",
                    operation=type(self).__name__,
                    complaint=f"a {type(function).__name__} can't be called",
                    advice="Give a function of the number of the epoch.",
                    error=GradvizTypeError,
                )
        super().__init__(optimizer)

    def asked(self, at: int) -> float:
        """What the function of a group says about this epoch."""
        return float(self.lr_lambdas[min(at, len(self.lr_lambdas) - 1)](self.last_epoch))


class LambdaLR(ByFunctions):
    """Multiplies the first rate by a function of the epoch.

    Args:
        optimizer: the optimizer.
        lr_lambda: the function, of the number of the epoch; or a list with one for every group.

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> opt = gv.optim.SGD([gv.nn.Parameter([1.0])], lr=1.0)
        >>> scheduler = gv.optim.LambdaLR(opt, lambda epoch: 1.0 / (1 + epoch))
        >>> scheduler.step() or opt.param_groups[0]["lr"]
        0.5
    """

    def _changed(self, at: int, found: float) -> float:
        return self.base_lrs[at] * self.asked(at)


class MultiplicativeLR(ByFunctions):
    """Multiplies the rate in every epoch by what a function of the epoch says.

    Args:
        optimizer: the optimizer.
        lr_lambda: the function, of the number of the epoch; or a list with one for every group.

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> opt = gv.optim.SGD([gv.nn.Parameter([1.0])], lr=1.0)
        >>> scheduler = gv.optim.MultiplicativeLR(opt, lambda epoch: 1.0 / epoch)
        >>> [scheduler.step() or opt.param_groups[0]["lr"] for _ in range(3)]
        [1.0, 0.5, 0.16666666666666666]
    """

    def take_over(self) -> None:
        """Goes on from what the last scheduler made of the rates."""
        self.last_epoch = 0
        for at, group in enumerate(self.optimizer.param_groups):
            group["lr"] *= self.asked(at)

    def _changed(self, at: int, found: float) -> float:
        # The first epoch has the rates that were found.
        return found * self.asked(at) if self.last_epoch else found
