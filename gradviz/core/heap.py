"""Freed memory: what the process keeps for the next arrays, and what it hands back to the system.

The C library (glibc) hands freed arrays from 128 KiB back at once, so that large results fault
their pages in anew: a third of the time of arithmetic on a million numbers. It stops doing so for
sizes of which it has seen one freed, up to 32 MiB, and keeps up to twice as much at the heap's end.
Programs on NumPy get there sooner or later; `keep_freed` lets them begin there.

A block of 256 KiB that is put into a freed one of 512 KiB leaves a rest that may fit nothing else.
Its pages count as the process's until they are handed back.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from typing import Final

WORTHWHILE: Final = 16 << 20
"""Bytes freed after which handing back is worth a system call for each hole in the heap."""


_LARGEST: Final = (32 << 20) - (1 << 16)
"""Bytes just below what glibc takes from the system and hands back in any case."""


def keep_freed(allocate: Callable[[int], object]) -> None:
    """Lets the C library keep freed arrays of up to 32 MiB for the next ones (glibc only).

    Nothing is set: a block of that size is freed, whose pages nobody has touched. Who sets
    `MALLOC_MMAP_THRESHOLD_` or `MALLOC_TRIM_THRESHOLD_` has decided otherwise, and glibc obeys.

    Args:
        allocate: a block of so many bytes, without writing to it.
    """
    if sys.platform.startswith("linux"):
        with suppress(MemoryError):  # a limit on addresses: all stays as it is
            allocate(_LARGEST)


def hand_back() -> None:
    """Hands the unused pages of the heap back to the system, where the C library can (glibc).

    They are faulted in again when they are needed; nothing else changes.
    """
    trim = _trim()
    if trim is not None:
        trim(0)


@lru_cache(maxsize=1)
def _trim() -> Callable[[int], int] | None:
    if not sys.platform.startswith("linux"):
        return None
    import ctypes

    found: Callable[[int], int] | None = getattr(ctypes.CDLL(None), "malloc_trim", None)
    return found
