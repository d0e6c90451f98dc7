"""The optimizers that are alive, for the diagnosis."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

if TYPE_CHECKING:
    from gradviz.optim.optimizer import Optimizer

_optimizers: WeakValueDictionary[int, Optimizer] = WeakValueDictionary()


_in_question: ContextVar[list[Optimizer] | None] = ContextVar("gradviz_optimizers", default=None)


def live_optimizers() -> list[Optimizer]:
    """Every optimizer that is alive, the oldest first; or those in question."""
    chosen = _in_question.get()
    return list(_optimizers.values()) if chosen is None else list(chosen)


@contextmanager
def only(optimizers: list[Optimizer]) -> Iterator[None]:
    """Leaves all other optimizers out of a block: they belong to other models."""
    token = _in_question.set(optimizers)
    try:
        yield
    finally:
        _in_question.reset(token)


def note_optimizer(optimizer: Optimizer) -> None:
    """Remembers an optimizer that has just been made."""
    _optimizers[id(optimizer)] = optimizer
