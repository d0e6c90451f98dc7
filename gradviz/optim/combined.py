"""Several schedulers as one: one after another, or all at once."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import Any

from gradviz.errors import GradvizTypeError, fail
from gradviz.optim.optimizer import Optimizer
from gradviz.optim.scheduling import LRScheduler, Schedule
from gradviz.tensor import canon


class Combined(Schedule):
    """What schedulers have in common that are made of others.

    Attributes:
        optimizer: the optimizer.
        schedulers: the schedulers, all of this optimizer.
    """

    def __init__(self, optimizer: Optimizer | None, schedulers: Any) -> None:
        members = list(schedulers) if isinstance(schedulers, Iterable) else [schedulers]
        for member in members:
            if not isinstance(member, LRScheduler | Combined):
                raise fail(
                    "invalid-argument",
                    operation=type(self).__name__,
                    complaint=f"can't step a {type(member).__name__}",
                    reason="all are stepped alike, without an argument.",
                    advice="Give schedulers such as `gv.optim.StepLR(...)`; step a "
                    "`ReduceLROnPlateau` by itself.",
                    error=GradvizTypeError,
                )
        if not members:
            raise fail(
                "invalid-argument",
                operation=type(self).__name__,
                complaint="there are no schedulers",
                advice="Give at least one.",
            )
        super().__init__(members[0].optimizer if optimizer is None else optimizer)
        for member in members:
            if member.optimizer is not self.optimizer:
                raise fail(
                    "invalid-argument",
                    operation=type(self).__name__,
                    complaint=f"a {type(member).__name__} belongs to another optimizer",
                    advice="Make all schedulers with the same optimizer.",
                )
        self.schedulers: list[LRScheduler | Combined] = members

    def step(self) -> None:
        """Goes on to the next epoch."""
        raise NotImplementedError

    def begin(self) -> None:
        """Starts over from the rates that are set now."""
        raise NotImplementedError

    def take_over(self) -> None:
        """Starts over from the first rates, whatever the last scheduler made of them."""
        raise NotImplementedError

    def state_dict(self) -> dict[str, Any]:
        """Where the scheduler and its members stand, as plain data."""
        members = [member.state_dict() for member in self.schedulers]
        return {**super().state_dict(), "schedulers": members}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over what `state_dict` returned; all of it, or nothing.

        Raises:
            GradvizError: `invalid-argument` for the state of another scheduler.
        """
        self.check_state(state_dict)
        members = self.schedulers
        vars(self).update({**state_dict, "schedulers": members})
        for member, state in zip(members, state_dict["schedulers"], strict=True):
            member.load_state_dict(state)

    def check_state(self, state_dict: Any) -> None:
        """Refuses the state of another scheduler, or of one with other members.

        Raises:
            GradvizError: `invalid-argument`.
        """
        super().check_state(state_dict)
        if len(state_dict["schedulers"]) != len(self.schedulers):
            raise fail(
                "invalid-argument",
                operation=f"{type(self).__name__}.load_state_dict",
                complaint=f"the state is of {len(state_dict['schedulers'])} schedulers, not of "
                f"{len(self.schedulers)}",
                advice="Make the scheduler of the same ones as the one that was saved.",
            )
        for member, state in zip(self.schedulers, state_dict["schedulers"], strict=True):
            member.check_state(state)

    def parts(self) -> list[Schedule]:
        """The schedulers it is made of, itself among them."""
        return [self, *(part for member in self.schedulers for part in member.parts())]


class SequentialLR(Combined):
    """Lets one scheduler after another set the rates, each from its own first epoch on.

    Args:
        optimizer: the optimizer.
        schedulers: the schedulers, in their order.
        milestones: the epochs in which the second and those after it take over, in order.

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> opt = gv.optim.SGD([gv.nn.Parameter([1.0])], lr=1.0)
        >>> first = gv.optim.ConstantLR(opt, factor=0.5, total_iters=9)
        >>> then = gv.optim.ExponentialLR(opt, gamma=0.5)
        >>> scheduler = gv.optim.SequentialLR(opt, [first, then], milestones=[2])
        >>> [scheduler.step() or opt.param_groups[0]["lr"] for _ in range(4)]
        [0.5, 1.0, 0.5, 0.25]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        schedulers: Sequence[LRScheduler | Combined],
        milestones: Sequence[int],
    ) -> None:
        super().__init__(optimizer, schedulers)
        self.milestones = list(canon.whole_numbers("SequentialLR", "milestones", milestones))
        wanted = len(self.schedulers) - 1
        if len(self.milestones) != wanted or self.milestones != sorted(set(self.milestones)):
            raise fail(
                "invalid-argument",
                operation="SequentialLR",
                complaint=f"milestones are {self.milestones}",
                reason=f"{wanted + 1} schedulers have {wanted} changes between them.",
                advice=f"Give {wanted} whole numbers in rising order.",
            )
        self.last_epoch = 0
        # Making the schedulers has changed the rates: only the first one's changes are meant.
        for group in optimizer.param_groups:
            group["lr"] = group.get("initial_lr", group["lr"])
        self.begin()

    def step(self) -> None:
        """Goes on to the next epoch: call it after the optimizer's steps of this one."""
        self.last_epoch += 1
        at = self._turn()
        if at and self.milestones[at - 1] == self.last_epoch:
            self.schedulers[at].take_over()
        else:
            self.schedulers[at].step()

    def begin(self) -> None:
        """Starts over with the first scheduler, from the rates that are set now."""
        self.last_epoch = 0
        self.schedulers[self._turn()].begin()

    def take_over(self) -> None:
        """Starts over with the first scheduler, from its first rates."""
        self.last_epoch = 0
        self.schedulers[self._turn()].take_over()

    def _turn(self) -> int:
        """Whose turn it is."""
        return bisect_right(self.milestones, self.last_epoch)


class ChainedScheduler(Combined):
    """Lets several schedulers change the rates in every epoch, one after another.

    Args:
        schedulers: the schedulers, in their order.
        optimizer: the optimizer; that of the schedulers where it is left out.

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> opt = gv.optim.SGD([gv.nn.Parameter([1.0])], lr=1.0)
        >>> short = gv.optim.ConstantLR(opt, factor=0.5, total_iters=2)
        >>> scheduler = gv.optim.ChainedScheduler([short, gv.optim.ExponentialLR(opt, gamma=0.5)])
        >>> [scheduler.step() or opt.param_groups[0]["lr"] for _ in range(3)]
        [0.25, 0.25, 0.125]
    """

    def __init__(
        self, schedulers: Sequence[LRScheduler | Combined], optimizer: Optimizer | None = None
    ) -> None:
        super().__init__(optimizer, schedulers)

    def step(self) -> None:
        """Goes on to the next epoch: call it after the optimizer's steps of this one."""
        for scheduler in self.schedulers:
            scheduler.step()

    def begin(self) -> None:
        """Starts all of them over, from the rates that are set now."""
        for scheduler in self.schedulers:
            scheduler.begin()

    def take_over(self) -> None:
        """Starts all of them over, from the first rates."""
        first, *others = self.schedulers
        first.take_over()
        for scheduler in others:
            scheduler.begin()
