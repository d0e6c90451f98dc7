"""The optimizers that are alive, for the diagnosis."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

if TYPE_CHECKING:
    from gradviz.optim.optimizer import Optimizer

_optimizers: WeakValueDictionary[int, Optimizer] = WeakValueDictionary()


def live_optimizers() -> list[Optimizer]:
    """Every optimizer that is alive, the oldest first."""
    return list(_optimizers.values())


def note_optimizer(optimizer: Optimizer) -> None:
    """Remembers an optimizer that has just been made."""
    _optimizers[id(optimizer)] = optimizer
